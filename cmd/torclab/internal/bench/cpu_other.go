//go:build !linux

package bench

import "time"

// threadCPU and processCPU report false: other systems have no CPU time per thread.
func threadCPU() (time.Duration, bool)  { return 0, false }
func processCPU() (time.Duration, bool) { return 0, false }

// hurry does nothing: only Linux lets a process start another one with its priority.
func hurry() (restore func()) { return func() {} }

// resident returns nil: unknown on this system.
func resident() any { return nil }
