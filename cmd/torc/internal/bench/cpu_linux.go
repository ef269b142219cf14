package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadCPU is the time the calling thread has computed, in the program and in
// the kernel; processCPU that of all threads.
func threadCPU() (time.Duration, bool)  { return usage(unix.RUSAGE_THREAD) }
func processCPU() (time.Duration, bool) { return usage(unix.RUSAGE_SELF) }

func usage(who int) (time.Duration, bool) {
	var u unix.Rusage
	if err := unix.Getrusage(who, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
