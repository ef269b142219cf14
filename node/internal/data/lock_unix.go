//go:build unix && !solaris && !aix

package data

import (
	"errors"
	"os"
	"syscall"
)

// lock locks the file for this process. It returns errLocked at once if another process has the
// lock.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// unlock ends the lock at once. Closing the file would end it only after all copies are closed. A
// child that this process has just forked holds such a copy until it executes its program.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
