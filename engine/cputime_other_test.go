//go:build !linux

package engine_test

import "time"

var started = time.Now()

// cpuTime returns the time since the start: this system has no clock for a thread.
func cpuTime() time.Duration { return time.Since(started) }

func lockThread() (unlock func()) { return func() {} }
