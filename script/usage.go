package script

import (
	"cmp"
	"slices"
	"time"
)

// Usage is what a mod has used up itself, without what it called in other mods.
type Usage struct {
	Instructions int64
	Time         time.Duration // between two looks at the clock shared by instructions; see meter
	Heap         uint64        // growth of the heap seen while it ran; an estimate, garbage included
}

// EventUsage is what one event of a mod came to: an event of the engine, a command, the files it loads, a line of the
// console, a function that another mod called.
type EventUsage struct {
	Event    string
	Calls    int64
	Errors   int64 // calls that ended in one
	Timeouts int64 // of the errors, those that the wall clock made: they need not come again on another machine
	Usage
	Max time.Duration // the longest call, with what it called in other mods
}

const (
	// maxEvents is how many events of a mod are told apart; the names of commands and callbacks are its own.
	maxEvents   = 1024
	otherEvents = "others"

	// Of the calls of an event the first few and one in timedEvery are timed from door to door. That is how the time
	// of the others is known, which end before the meter looks at the clock.
	timedFirst, timedEvery = 4, 16
)

// handler is the record of an event of a mod: what it used up, and its faults.
type handler struct {
	EventUsage
	rate      float64         // nanoseconds per instruction, as of late
	faults    []time.Duration // in the window, oldest first
	suspended string          // why it is not called any more, "" while it is
}

// handler finds the mod's record of an event.
func (m *Mod) handler(event string) *handler {
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
	r := &handler{EventUsage: EventUsage{Event: event}}
	m.handlers[event] = r
	return r
}

// timed says whether the call that begins is one of those whose time is measured from door to door.
func (r *handler) timed() bool { return r.Calls <= timedFirst || r.Calls%timedEvery == 0 }

// count books a call that failed.
func (r *handler) count(spent *Exhausted) {
	r.Errors++
	if spent != nil && spent.What == Time {
		r.Timeouts++
	}
}

// learn takes in that n instructions took d. One slow call, of a machine that was busy, changes little.
func (r *handler) learn(d time.Duration, n int64) {
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

// largest is the mod that used most of the root entry; the earlier one of equals.
func (m *meter) largest() *Mod {
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

// Events is what the mod's events came to, the one that took most time first; of equals in order of their names.
func (m *Mod) Events() []EventUsage {
	list := make([]EventUsage, 0, len(m.handlers))
	for _, r := range m.handlers {
		list = append(list, r.EventUsage)
	}
	slices.SortFunc(list, func(a, b EventUsage) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Event, b.Event))
	})
	return list
}
