package natsfleet

import "github.com/torc-engine/torc/node/internal/fleet/bus"

// The most that the loop takes at once of each bucket. The groups take turns. One unit that is
// larger is taken besides: a large batch, or a list.
const (
	takeValues = 512
	takeBytes  = 1 << 20
)

// A queue is the news of a group that wait for the loop, in order.
type queue struct {
	group bus.Group
	units []unit
	total share
	taken chan struct{} // closed when some are taken; nil: nobody waits for that
}

// A unit is news that the loop takes together: a batch, a list, a part of the values of a mod, or
// the outcome of a batch.
type unit struct {
	news []bus.News
	size share
}

// large reports whether a unit is more than the loop takes at once.
func (u *unit) large() bool { return u.size.news > takeValues || u.size.bytes > takeBytes }

// partsOf divides all values of a mod into units of which none is large.
func partsOf(l *bus.Loaded) (units []unit) {
	left := l.Values
	for first := true; first || len(left) > 0; first = false {
		size := share{news: 1}
		for _, v := range left {
			if size.news == takeValues || size.bytes+len(v.Data) > takeBytes {
				break
			}
			size.news++
			size.bytes += len(v.Data)
		}
		part := *l
		part.Values, left = left[:size.news-1:size.news-1], left[size.news-1:]
		part.More = len(left) > 0
		units = append(units, unit{[]bus.News{{Loaded: &part}}, size})
	}
	return units
}

// valuesOf returns how many values news have.
func valuesOf(list []bus.News) (n int) {
	for i := range list {
		if n++; list[i].Loaded != nil {
			n += len(list[i].Loaded.Values)
		}
	}
	return n
}

// push adds a unit.
func (q *queue) push(u unit) {
	q.units = append(q.units, u)
	q.total.news += u.size.news
	q.total.bytes += u.size.bytes
}

// pop takes the oldest unit, and lets a watcher that waits go on.
func (q *queue) pop() unit {
	u := q.units[0]
	q.units[0] = unit{}
	q.units = q.units[1:]
	q.total.news -= u.size.news
	q.total.bytes -= u.size.bytes
	if q.taken != nil {
		close(q.taken)
		q.taken = nil
	}
	return u
}

// wait returns what is closed when the loop has taken something.
func (q *queue) wait() <-chan struct{} {
	if q.taken == nil {
		q.taken = make(chan struct{})
	}
	return q.taken
}

// takeTurns takes what the loop gets of a bucket at once, or with all everything. It returns the
// groups that still wait: those whose next unit had no room come first then.
func takeTurns(open []*queue, all bool) (list []bus.News, waiting []*queue) {
	left, besides := share{takeValues, takeBytes}, true
	for len(open) > 0 {
		q := open[0]
		open = open[1:]
		switch u := &q.units[0]; {
		case all:
		case u.size.news <= left.news && u.size.bytes <= left.bytes:
			left.news -= u.size.news
			left.bytes -= u.size.bytes
		case besides && u.large():
			besides = false
		default:
			waiting = append(waiting, q)
			continue
		}
		if list = append(list, q.pop().news...); len(q.units) > 0 {
			open = append(open, q)
		}
	}
	return list, waiting
}
