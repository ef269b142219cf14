package testenv

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// The environment variables of isolated tests. With mustIsolate, a test fails where the system
// allows no namespaces; otherwise it is skipped.
const (
	isolatedMark = "TESTENV_ISOLATED"
	mustIsolate  = "TESTENV_MUST_ISOLATE"
)

// Isolated runs a parallel test again in a process with networks of its own, and reports whether
// this is that process. There the test is root, has no network but what it makes, and can use ip
// netns. Nothing is left when the process ends. The process starts before all parallel tests: such
// tests wait for seconds for answers that never come, and so the others run meanwhile.
func Isolated(t *testing.T) (inside bool) {
	t.Helper()
	if os.Getenv(isolatedMark) != "" {
		if err := hideRun(); err != nil {
			t.Fatal(err)
		}
		return true
	}
	if _, err := exec.LookPath("ip"); err != nil {
		without(t, err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout="+left(t).String())
	cmd.Env = append(os.Environ(), isolatedMark+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	end, err := startOutput(t, cmd)
	if err != nil {
		without(t, err)
	}
	t.Parallel()
	out, err := end()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Fatalf("in its own network: %v\n%s", err, out)
	}
	return false
}

// left returns how long the test can still run.
func left(t *testing.T) time.Duration {
	if end, ok := t.Deadline(); ok {
		return time.Until(end) - 5*time.Second
	}
	return time.Hour
}

// hideRun gives this process an empty folder /run, for the names of its network namespaces.
func hideRun() error {
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return err
	}
	return syscall.Mount("none", "/run", "tmpfs", 0, "")
}

// without ends a test that cannot be isolated.
func without(t *testing.T, why error) {
	t.Helper()
	if os.Getenv(mustIsolate) != "" {
		t.Fatalf("no network of its own: %v", why)
	}
	t.Skipf("no network of its own: %v", why)
}
