//go:build unix

package prompt

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/chzyer/readline"
	"golang.org/x/sys/unix"
)

// discardTime is the time after which a stop signal without an effect counts as discarded by the
// system.
const discardTime = 10 * time.Second

// suspend stops the process and the rest of its process group, as Ctrl-Z does at a terminal in its
// usual mode. It returns when the shell has continued them.
func (f *files) suspend() error {
	if !canStop() {
		return nil
	}
	f.reading.Lock()
	defer f.reading.Unlock()
	if err := readline.Restore(int(f.in.Fd()), f.before); err != nil {
		return err
	}
	stopped := stopGroup()
	before, err := readline.MakeRaw(int(f.in.Fd())) // in the background, this stops the process again
	if err == nil {
		f.before = before // a person can change the modes in between
	}
	return errors.Join(stopped, err)
}

// canStop reports whether a stop signal has an effect. The leader of a session has no shell that
// could continue it, as in a container, so the system discards the signal.
func canStop() bool {
	session, err := unix.Getsid(0)
	return err == nil && session != os.Getpid() && !signal.Ignored(syscall.SIGTSTP)
}

// stopGroup stops the process group until a signal continues it. Another thread can receive the
// stop signal, so the call that sends it can return before the process stands still.
func stopGroup() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	timer := time.NewTimer(discardTime)
	defer timer.Stop()
	select {
	case <-continued:
	case <-timer.C: // nobody can continue this group, so the system did not stop it
	}
	return nil
}
