package bench

import (
	"fmt"
	"os"
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

// resident is the memory the process holds now, in MiB.
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
