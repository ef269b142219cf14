package rate

import "time"

// A Second counts in the second that begins with the first Add after the one before.
type Second struct {
	begun bool
	since time.Duration
	count int
}

// Over reports whether the second is over at a time, or has not begun. A clock that was set back
// ends it, too.
func (s *Second) Over(now time.Duration) bool {
	age := now - s.since
	return !s.begun || age < 0 || age >= time.Second
}

// Has reports whether n more keep the sum of this second at most at most.
func (s *Second) Has(now time.Duration, n, most int) bool {
	if s.Over(now) {
		return n <= most
	}
	return s.count+n <= most
}

// Add counts n if the sum in this second stays at most most, and reports whether it did.
func (s *Second) Add(now time.Duration, n, most int) bool {
	if !s.Has(now, n, most) {
		return false
	}
	if s.Over(now) {
		*s = Second{begun: true, since: now}
	}
	s.count += n
	return true
}
