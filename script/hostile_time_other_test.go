//go:build !linux

package script_test

import "time"

// threadTime returns wall time, because the CPU time of a thread is not available.
func threadTime() time.Duration { return realTime() }

// spentTime returns wall time, because the CPU time of the process is not available.
func spentTime() time.Duration { return realTime() }
