package core

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// pinThread implements vm.Thread with the CPU clock of the operating system.
func pinThread() (cpu func() time.Duration, release func()) {
	runtime.LockOSThread()
	return threadTime, runtime.UnlockOSThread
}

// threadTime returns the CPU time of the calling thread.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
