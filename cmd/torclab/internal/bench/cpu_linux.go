package bench

import (
	"fmt"
	"os"
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
