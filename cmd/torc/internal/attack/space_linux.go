package attack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// withParent makes a process end when the process that starts it has ended.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

// inSpace plays rows in a process of its own, with a network namespace of its own. If the system does
// not allow that, the rows are not run, and say why.
func (s *suite) inSpace(rows []*Row) error {
	if len(rows) == 0 {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"attack", Inside, "--json"}
	for _, r := range rows {
		args = append(args, "--row", r.ID)
	}
	if s.Short {
		args = append(args, "--short")
	}
	cmd := exec.CommandContext(s.ctx, exe, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Pdeathsig:   syscall.SIGTERM,
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it has a server to end
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.skip(rows, "the system allows no network namespace: "+err.Error())
		return nil
	}
	played, err := s.pass(out)
	ended := cmd.Wait()
	if played < len(rows) && err == nil {
		s.skip(rows[played:], fmt.Sprintf("in the network namespace: %v: %s", ended, strings.TrimSpace(complaint.String())))
	}
	return err
}

// pass emits the results of the other process.
func (s *suite) pass(out io.Reader) (played int, err error) {
	for from := json.NewDecoder(out); ; played++ {
		var r Result
		switch err := from.Decode(&r); {
		case errors.Is(err, io.EOF):
			return played, nil
		case err != nil:
			return played, err
		}
		s.emit(r)
	}
}

// skip emits rows that are not run.
func (s *suite) skip(rows []*Row, why string) {
	for _, r := range rows {
		s.emit(Result{r.ID, r.Require, why, notRun})
	}
}

// enterSpace gives the network namespace of this process its addresses.
func enterSpace() error {
	var batch strings.Builder
	batch.WriteString("link set lo up\n")
	for _, a := range spaceAddresses() {
		if strings.Contains(a, ":") {
			fmt.Fprintf(&batch, "addr add %s/128 dev lo nodad\n", a)
		} else {
			fmt.Fprintf(&batch, "addr add %s/32 dev lo\n", a)
		}
	}
	cmd := exec.Command("ip", "-batch", "-")
	cmd.Stdin = strings.NewReader(batch.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ip -batch: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
