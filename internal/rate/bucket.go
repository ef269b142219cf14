package rate

import "time"

// A Limit is what a Bucket allows: tokens per second, and at once.
type Limit struct{ PerSecond, Burst float64 }

// A Bucket has the tokens of one limit. All of the burst are left in the zero Bucket.
type Bucket struct {
	used float64       // of the burst, at the time at; above the burst: a debt
	at   time.Duration // of the last call
}

// Take uses n tokens. If fewer are left, it uses none and returns false.
func (b *Bucket) Take(now time.Duration, l Limit, n float64) bool {
	if !b.Has(now, l, n) {
		return false
	}
	b.used += n
	return true
}

// Has reports whether n tokens are left. With 0 it reports whether there is no debt.
func (b *Bucket) Has(now time.Duration, l Limit, n float64) bool {
	b.fill(now, l)
	return b.used+n <= l.Burst
}

// Owe uses n tokens at the time of the last call, also those that are not there yet.
func (b *Bucket) Owe(n float64) { b.used += n }

// Return gives n tokens back.
func (b *Bucket) Return(n float64) { b.used = max(0, b.used-n) }

// Full reports whether all tokens of the burst are left.
func (b *Bucket) Full(now time.Duration, l Limit) bool {
	b.fill(now, l)
	return b.used == 0
}

// Reserve uses n tokens, also those that are not there yet, and returns how long it is until they
// are.
func (b *Bucket) Reserve(now time.Duration, l Limit, n float64) (wait time.Duration) {
	b.fill(now, l)
	b.used += n
	return max(0, time.Duration((b.used-l.Burst)/l.PerSecond*float64(time.Second)))
}

// fill gives back what the time since the last call has brought. Time that goes back brings
// nothing.
func (b *Bucket) fill(now time.Duration, l Limit) {
	b.used = max(0, b.used-max(0, now-b.at).Seconds()*l.PerSecond)
	b.at = now
}
