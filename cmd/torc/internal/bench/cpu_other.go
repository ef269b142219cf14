//go:build !linux

package bench

import "time"

// The other systems do not tell what one thread has computed.
func threadCPU() (time.Duration, bool)  { return 0, false }
func processCPU() (time.Duration, bool) { return 0, false }

// Nor what memory a process holds.
func resident() any { return nil }
