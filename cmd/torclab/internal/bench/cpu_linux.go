package bench

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// threadCPU returns the CPU time of the calling thread, user and system, with nanosecond
// resolution. processCPU returns that of all threads.
func threadCPU() (time.Duration, bool)  { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }
func processCPU() (time.Duration, bool) { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(id int32) (time.Duration, bool) {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}

// resident returns the resident memory of the process in MiB.
func resident() any {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return nil
	}
	var size, pages float64
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		return nil
	}
	return pages * float64(os.Getpagesize()) / (1 << 20)
}

// hurry raises the priority of the calling thread, and so of the processes that it starts, if that
// is allowed. restore ends that.
func hurry() (restore func()) {
	runtime.LockOSThread()
	was, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil || unix.Setpriority(unix.PRIO_PROCESS, 0, -10) != nil {
		return runtime.UnlockOSThread
	}
	return func() {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 20-was) // the kernel returns 20 less the priority
		runtime.UnlockOSThread()
	}
}
