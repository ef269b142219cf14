//go:build !linux

package script_test

import "time"

// threadTime is the time of the clock, where there is none of a thread.
func threadTime() time.Duration { return realTime() }

// spentTime is the time of the clock, where there is none of the process.
func spentTime() time.Duration { return realTime() }
