package rate

import "time"

// Recent counts what happened in the last period. It keeps the counts of two periods, and takes
// from the older one the part that is not over yet. The zero value is ready for use.
type Recent struct {
	since             time.Duration // the beginning of the newer period
	current, previous float64
}

// Count returns about how much was added in the last period.
func (r *Recent) Count(now, period time.Duration) float64 {
	r.turn(now, period)
	left := 1 - float64(max(0, now-r.since))/float64(period)
	return r.current + r.previous*left
}

// Add counts n.
func (r *Recent) Add(now, period time.Duration, n float64) {
	r.turn(now, period)
	r.current += n
}

// Return takes n from what was added.
func (r *Recent) Return(n float64) {
	older := max(0, n-r.current)
	r.current = max(0, r.current-n)
	r.previous = max(0, r.previous-older)
}

// turn begins a period if the newer one is over.
func (r *Recent) turn(now, period time.Duration) {
	switch age := now - r.since; {
	case age >= 2*period:
		*r = Recent{since: now}
	case age >= period:
		r.since += period
		r.current, r.previous = 0, r.current
	}
}

// fewTries is the count of Recent at which half of a shared bucket must be left.
const fewTries = 4

// HasShare reports whether a token is left for a taker that took recent ones lately. The more it
// took, the more must be left. So takers that ask often leave tokens to those that ask seldom.
func (b *Bucket) HasShare(now time.Duration, l Limit, recent float64) bool {
	return b.Has(now, l, max(1, l.Burst*recent/(recent+fewTries)))
}
