package event

import "github.com/torc-engine/torc/netcore"

// An unguaranteed event can have a life: from then on nobody needs it, so it is dropped instead of
// packed. Such events have queues of their own, one for each priority. Otherwise an event without a
// life at the front would keep the late ones behind it, while a line carries nothing.
//
// An event with a life waits behind those of its priority without one.

// mortals are the queued events with a life, by priority.
type mortals [priorities]itemQueue

// late reports whether the event has a life, and it is over.
func (it *item) late(now netcore.Time) bool { return it.until > 0 && now >= it.until }

// queue returns the queue of an unordered event.
func (e *Stream) queue(p *Post) *itemQueue {
	if p.Life <= 0 {
		return &e.unordered[p.Priority]
	}
	if e.mortal == nil {
		e.mortal = new(mortals)
	}
	return &e.mortal[p.Priority]
}

// dropLate drops the late events at the front of a queue.
func (e *Stream) dropLate(q *itemQueue) {
	for q.n > 0 && q.at(0).late(e.now) {
		e.drop(q)
		e.stats.Late++
	}
}

// forgetLate drops the late events before a Post at a time. While the connection sends nothing,
// nothing else does.
func (e *Stream) forgetLate(p *Post) {
	if p.Life > 0 && e.mortal != nil {
		e.now = max(e.now, p.Now)
		e.dropLate(&e.mortal[p.Priority])
		e.Sent()
	}
}

// drop drops the first event of a queue. Sent reports its fate, because other connections can be
// packing now.
func (e *Stream) drop(q *itemQueue) {
	it := q.at(0)
	ev := it.event
	it.event = nil
	e.undeliverable = append(e.undeliverable, ev)
	e.complete(it, false)
	q.popFront()
}

// queuedMortals returns how many events with a life are queued.
func (e *Stream) queuedMortals() (n int) {
	if e.mortal == nil {
		return 0
	}
	for i := range e.mortal {
		n += e.mortal[i].n
	}
	return n
}
