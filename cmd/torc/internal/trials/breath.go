package trials

import "time"

// restAfter is how long tests compute before they rest: shorter rests than the clock's grain cost more than they give.
const restAfter = 4 * time.Millisecond

// A breath has tests rest as long as they compute, every few milliseconds, so that they take no more than half of a core
// from a server that plays in the same process, and the server never waits for them long.
type breath struct {
	now    func() time.Time
	sleep  func(time.Duration)
	rested time.Time // when the last rest ended
}

func newBreath() *breath { return &breath{now: time.Now, sleep: time.Sleep, rested: time.Now()} }

// take rests if it is time to. A nil breath never does.
func (b *breath) take() {
	if b == nil {
		return
	}
	if worked := b.now().Sub(b.rested); worked >= restAfter {
		b.sleep(worked)
		b.rested = b.now()
	}
}
