package journal

import (
	"fmt"
	"time"
)

// MaxTime is the latest time of an entry. Sums of a time and a delay fit into a time.Duration.
const MaxTime = 10 * 365 * 24 * time.Hour

// times are those of the entries so far.
type times struct {
	last  time.Duration // of the newest entry that has one
	clock time.Duration // of the newest one that is no datagram
}

// add checks the time of an entry, and adds it. The clock of a server never goes back. Datagrams
// have the time of their arrival, which can be before the newest tick.
func (t *times) add(e *Entry) error {
	switch {
	case fieldsOf[e.Kind]&hasTime == 0:
		return nil
	case e.Time < 0 || e.Time > MaxTime:
		return fmt.Errorf("an entry has the time %v: must be 0s…%v", e.Time, MaxTime)
	case e.Kind != Receive && e.Time < t.clock:
		return fmt.Errorf("the time goes back from %v to %v", t.clock, e.Time)
	}
	t.last = e.Time
	if e.Kind != Receive {
		t.clock = e.Time
	}
	return nil
}
