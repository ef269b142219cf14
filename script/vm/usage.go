package vm

import (
	"cmp"
	"time"

	"github.com/torc-engine/torc/internal/order"
)

// Usage is the resource usage of a mod itself, without its calls into other mods.
type Usage struct {
	Instructions int64
	Time         time.Duration // clock time, divided among mods by instructions; see meter
	Heap         uint64        // heap growth in bytes while it ran: an estimate that includes garbage
}

// EventUsage is the usage of one event of a mod: an event of the engine, a command, the loading of
// its files, a line of the console, or a call from another mod.
type EventUsage struct {
	Event  string
	Calls  int64
	Errors int64 // calls that ended in an error
	Usage
	Max time.Duration // the longest call, including its calls into other mods
}

const (
	// maxEvents is the maximum number of events per mod with separate records. It is limited
	// because mods choose the names of commands and callbacks.
	maxEvents   = 1024
	otherEvents = "others"

	// The first timedFirst calls of an event and every timedEvery-th call are timed completely.
	// They give the time estimate for calls that end before the first check of the meter.
	timedFirst, timedEvery = 4, 16
)

// An EventRecord is the record of one event of a mod: its usage and its faults. A mod keeps it.
type EventRecord struct {
	EventUsage
	rate       float64         // recent average in nanoseconds per instruction
	faults     []time.Duration // times of the faults in the window, oldest first
	peers      []peerFaults    // faults booked to peers
	suspension suspension
}

// EventRecord returns the mod's record of an event.
func (m *Mod) EventRecord(event string) *EventRecord {
	if m.recent != nil && m.recent.Event == event {
		return m.recent
	}
	if r := m.handlers[event]; r != nil {
		m.recent = r
		return r
	}
	if len(m.handlers) >= maxEvents {
		event = otherEvents
		if r := m.handlers[event]; r != nil {
			return r
		}
	}
	r := &EventRecord{EventUsage: EventUsage{Event: event}}
	m.handlers[event] = r
	return r
}

// measured reports whether the call that begins now is timed completely.
func (r *EventRecord) measured() bool { return r.Calls <= timedFirst || r.Calls%timedEvery == 0 }

// updateRate updates the rate with n instructions that took d. A single slow call on a busy machine
// changes it little.
func (r *EventRecord) updateRate(d time.Duration, n int64) {
	if n <= 0 {
		return
	}
	rate := float64(d) / float64(n)
	if r.rate == 0 {
		r.rate = rate
		return
	}
	r.rate += (min(rate, 4*r.rate) - r.rate) / 4
}

// biggestUser returns the mod with the most instructions in the root entry. The earlier one wins a
// tie.
func (m *meter) biggestUser() *Mod {
	var best *Mod
	most := int64(0)
	for _, s := range m.shares {
		n := int64(0)
		for _, t := range m.shares {
			if t.mod == s.mod {
				n += t.n
			}
		}
		if n > most {
			best, most = s.mod, n
		}
	}
	return best
}

// Events returns the usage of the mod's events by time, most first. Events with equal times are
// sorted by name.
func (m *Mod) Events() []EventUsage {
	list := make([]EventUsage, 0, len(m.handlers))
	for _, r := range m.handlers {
		list = append(list, r.EventUsage)
	}
	order.By(list, func(a, b EventUsage) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Event, b.Event))
	})
	return list
}

// Account adds the usage and fault count of an earlier instance to this mod's. Suspensions are not
// carried over, because the files have changed.
func (m *Mod) Account(old *Mod) {
	m.Usage.add(old.Usage)
	m.faults += old.faults
	for _, e := range old.Events() {
		r := m.EventRecord(e.Event)
		r.Calls += e.Calls
		r.Errors += e.Errors
		r.Usage.add(e.Usage)
		r.Max = max(r.Max, e.Max)
	}
}

func (u *Usage) add(other Usage) {
	u.Instructions += other.Instructions
	u.Time += other.Time
	u.Heap += other.Heap
}

// Total returns the sum over all events of a mod.
func (m *Mod) Total() EventUsage {
	all := EventUsage{Usage: m.Usage}
	for _, r := range m.handlers {
		all.Calls += r.Calls
		all.Errors += r.Errors
		all.Max = max(all.Max, r.Max)
	}
	return all
}
