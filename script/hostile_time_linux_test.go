package script_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time of this thread. Other processes and other threads do not count.
func threadTime() time.Duration { return used(unix.CLOCK_THREAD_CPUTIME_ID) }

// spentTime returns the CPU time of this process.
func spentTime() time.Duration { return used(unix.CLOCK_PROCESS_CPUTIME_ID) }

func used(clock int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return realTime()
	}
	return time.Duration(t.Nano())
}
