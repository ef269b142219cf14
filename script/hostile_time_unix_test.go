//go:build unix

package script_test

import (
	"syscall"
	"time"
)

// spentTime is the time of processors that this process has used: what others do on the machine does not count.
func spentTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return realTime()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
