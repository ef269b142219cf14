package modtrial

import "time"

// restAfter is how long tests run before they rest. Shorter rests than the clock's resolution cost
// more than they give.
const restAfter = 4 * time.Millisecond

// A throttle makes tests rest as long as they have run, every few milliseconds. So they use at most
// half of a core of a server that plays in the same process, and the server never waits for them
// long.
type throttle struct {
	now    func() time.Time
	sleep  func(time.Duration)
	rested time.Time // when the last rest ended
}

func newThrottle() *throttle {
	return &throttle{now: time.Now, sleep: time.Sleep, rested: time.Now()}
}

// take rests if it is time to. A nil throttle never does.
func (b *throttle) take() {
	if b == nil {
		return
	}
	if worked := b.now().Sub(b.rested); worked >= restAfter {
		b.sleep(worked)
		b.rested = b.now()
	}
}

// sampler returns a heap sampler that rests too. Meters sample the heap while Lua runs, so long
// runs of Lua also get rests.
func (b *throttle) sampler(sample func() uint64) func() uint64 {
	return func() uint64 {
		b.take()
		return sample()
	}
}
