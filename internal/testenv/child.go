package testenv

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
)

// childMark is the environment variable of child processes. It is "pipe" if the file 3 is a pipe
// from the test.
const childMark = "TESTENV_CHILD"

// pipeEnds are both ends of a pipe. This process keeps them as long as it lives.
type pipeEnds struct{ r, w *os.File }

// lifeline returns a pipe whose write end only this process holds. The operating system closes the
// write end when this process ends, whatever ends it.
var lifeline = sync.OnceValues(func() (pipeEnds, error) {
	r, w, err := os.Pipe()
	return pipeEnds{r, w}, err
})

// Start starts cmd and kills it when the test ends. If the test's process ends first, the child
// ends too, provided that its TestMain calls EndWithParent. Processes of the child inherit that.
func Start(t testing.TB, cmd *exec.Cmd) error {
	t.Helper()
	if runtime.GOOS == "windows" { // cannot pass files on
		cmd.Env = append(cmd.Environ(), childMark+"=alone")
	} else {
		pipe, err := lifeline()
		if err != nil {
			return err
		}
		cmd.Env = append(cmd.Environ(), childMark+"=pipe")
		cmd.ExtraFiles = []*os.File{pipe.r}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return nil
}

// Output starts cmd as Start does, waits for its end, and returns its standard output and standard
// error together.
func Output(t testing.TB, cmd *exec.Cmd) ([]byte, error) {
	t.Helper()
	end, err := startOutput(t, cmd)
	if err != nil {
		return nil, err
	}
	return end()
}

// startOutput starts cmd as Output does. The function end waits for its end.
func startOutput(t testing.TB, cmd *exec.Cmd) (end func() ([]byte, error), err error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	err = Start(t, cmd)
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	return func() ([]byte, error) {
		defer r.Close()
		out, _ := io.ReadAll(r) // to the end of every process that writes to it
		return out, cmd.Wait()
	}, nil
}

// EndWithParent reports whether a test started this process. If so, this process ends when that
// test has ended. TestMain calls it before anything else.
func EndWithParent() (child bool) {
	mark := os.Getenv(childMark)
	if mark == "pipe" {
		parent := os.NewFile(3, "parent")
		go func() {
			_, _ = parent.Read(make([]byte, 1))
			os.Exit(2)
		}()
	}
	return mark != ""
}
