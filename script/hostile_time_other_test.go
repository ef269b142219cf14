//go:build !unix

package script_test

import "time"

// spentTime is the time of the clock, where there is none of the process.
func spentTime() time.Duration { return realTime() }
