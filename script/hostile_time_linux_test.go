package script_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the time of processors that this thread has used: what others do on the machine, and in this process,
// does not count.
func threadTime() time.Duration { return used(unix.CLOCK_THREAD_CPUTIME_ID) }

// spentTime is that of this process.
func spentTime() time.Duration { return used(unix.CLOCK_PROCESS_CPUTIME_ID) }

func used(clock int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return realTime()
	}
	return time.Duration(t.Nano())
}
