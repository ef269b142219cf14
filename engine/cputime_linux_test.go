package engine_test

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the CPU time of the calling thread.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// lockThread binds the goroutine to its thread until the returned function is called.
func lockThread() (unlock func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
