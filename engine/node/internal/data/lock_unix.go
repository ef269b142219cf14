//go:build unix && !solaris && !aix

package data

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the file for this process, or says errLocked at once.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
