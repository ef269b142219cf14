//go:build !linux

package core

import "time"

// maxStep is the most time that counts between two readings.
const maxStep = 500 * time.Microsecond

// pinThread implements vm.Thread where Go cannot read the CPU clock of a thread. It counts elapsed
// time, but not long pauses, because the process probably did not run then.
func pinThread() (cpu func() time.Duration, release func()) {
	last, sum := time.Now(), time.Duration(0)
	return func() time.Duration {
		now := time.Now()
		sum += min(now.Sub(last), maxStep)
		last = now
		return sum
	}, func() {}
}
