package event

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ring"
)

// item is an event from Post until it is settled.
type item struct {
	event      Event
	kind       KindID // the kind on the wire: the event's kind, or kindClaim in its place
	parcel     uint8  // for a claim: its parcel
	priority   uint8
	guaranteed bool         // guaranteed: sent again after a loss
	noCopies   bool         // it has no copies in flight: it is sent again only after a loss
	delivered  bool         // delivered; settled when all items before it are delivered, too
	ahead      bool         // too large: it goes ahead in pieces
	carriers   int          // packets in flight with a copy of it
	bytes      int          // size at Post, in bytes; the queue limits count it
	until      netcore.Time // when its life ends; 0: never
	cost       int          // bytes of the peer's memory until settled
	sent       netcore.Time // when its newest copy was packed
	lane       *lane
	tags       []uint32 // numbers of the strings that it holds
	code       uint64   // its kind and body as written by Post
	codeBits   uint8    // bits in code; 0: every packet writes the event anew
}

// itemQueue is a ring of items that grows as needed.
type itemQueue struct {
	ring  []item // length a power of two
	first int
	n     int
	most  int // items at a time since the last trim
}

func (q *itemQueue) at(i int) *item { return &q.ring[(q.first+i)&(len(q.ring)-1)] }

// pushBack adds a last item and returns it. Its fields are stale; only the memory of its tags is
// useful.
func (q *itemQueue) pushBack() *item {
	q.grow()
	q.n++
	return q.at(q.n - 1)
}

// pushFront adds a first item and returns it.
func (q *itemQueue) pushFront() *item {
	q.grow()
	q.n++
	q.first = (q.first - 1) & (len(q.ring) - 1)
	return q.at(0)
}

func (q *itemQueue) popFront() {
	q.at(0).event = nil
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.n--
}

// grow makes room for another item.
func (q *itemQueue) grow() {
	if q.n == len(q.ring) {
		q.resize(ring.Size(q.n + 1))
	}
	q.most = max(q.most, q.n+1)
}

// trim frees memory that the queue has not needed since the last trim.
func (q *itemQueue) trim() {
	if size := ring.Trimmed(len(q.ring), q.most); size < len(q.ring) {
		q.resize(size)
	}
	q.most = q.n
}

func (q *itemQueue) resize(size int) {
	items := make([]item, size)
	for i := range q.n {
		items[i] = *q.at(i)
	}
	q.ring, q.first = items, 0
}

// moveItem copies an item. The two items exchange the memory of their tags, so neither needs an
// allocation.
func moveItem(to, from *item) {
	tags := to.tags[:0]
	*to = *from
	from.tags = tags
	from.event = nil
}

// lane is one queue of a channel, usually the queue of one mod. A full lane delays no other lane.
type lane struct {
	id     uint16
	queue  itemQueue
	served uint64 // bytes sent from it, on the clock of the fair queue
	events int    // posted and not settled; the limits count them
	bytes  int
}

// full returns why the lane cannot take an event of that size, or "".
func (l *lane) full(bytes int) string {
	switch {
	case l.events >= maxQueuedEvents:
		return "8,192 of this mod's commands are waiting"
	case l.bytes+bytes > maxQueuedBytes:
		return "512 KiB of this mod's commands are waiting"
	}
	return ""
}

// fairQueue holds the lanes of a channel and shares the channel equally by bytes.
type fairQueue struct {
	lanes       []*lane // in the order of their first use
	virtualTime uint64  // the value of served of the last lane drawn
	queued      int     // items in all lanes
}

func (f *fairQueue) lane(id uint16) *lane {
	for _, l := range f.lanes {
		if l.id == id {
			return l
		}
	}
	l := &lane{id: id}
	f.lanes = append(f.lanes, l)
	return l
}

// push adds a last item to a lane and returns it.
func (f *fairQueue) push(l *lane) *item {
	if l.queue.n == 0 {
		l.served = max(l.served, f.virtualTime) // an idle lane collects no credit
	}
	f.queued++
	return l.queue.pushBack()
}

// next returns the lane to send from: the one with the fewest bytes served among those with an
// item. A lane whose first item goes ahead in pieces is skipped.
func (f *fairQueue) next() *lane {
	if f.queued == 0 {
		return nil
	}
	var best *lane
	for _, l := range f.lanes {
		if l.queue.n > 0 && !l.queue.at(0).ahead && (best == nil || l.served < best.served) {
			best = l
		}
	}
	return best
}

// removeFirst removes the first item of a lane after the item was copied.
func (f *fairQueue) removeFirst(l *lane, bytes int) {
	f.virtualTime = l.served
	l.served += uint64(bytes)
	l.queue.popFront()
	f.queued--
}

// sendChannel is the sender's side of an ordered channel. The lanes hold the items without a
// number. The window holds the numbered items that are not settled.
type sendChannel struct {
	id       uint8
	fair     fairQueue
	window   []item // number n is at n & (len-1)
	base     uint64 // lowest number not settled
	next     uint64 // the next number to give
	lost     int    // items in the window with no copy in flight
	resend   uint64 // no number below this one is lost
	copyScan uint64 // where the search for the next copy starts
	most     int    // items in the window at a time since the last trim
}

func (c *sendChannel) at(n uint64) *item { return &c.window[n&uint64(len(c.window)-1)] }

// number gives the next number and returns it with its item in the window.
func (c *sendChannel) number() (uint64, *item) {
	used := int(c.next - c.base)
	if used == len(c.window) {
		c.resize(ring.Size(used + 1))
	}
	c.most = max(c.most, used+1)
	c.next++
	return c.next - 1, c.at(c.next - 1)
}

// trim frees memory of the window and the lanes that was not needed since the last trim.
func (c *sendChannel) trim() {
	if size := ring.Trimmed(len(c.window), c.most); size < len(c.window) {
		c.resize(size)
	}
	c.most = int(c.next - c.base)
	for _, l := range c.fair.lanes {
		l.queue.trim()
	}
}

func (c *sendChannel) resize(size int) {
	window := make([]item, size)
	for n := c.base; n < c.next; n++ {
		window[n&uint64(size-1)] = *c.at(n)
	}
	c.window = window
}

// markLost records that no copy of item n is in flight any more.
func (c *sendChannel) markLost(n uint64) {
	c.lost++
	c.resend = min(c.resend, n)
}

// nextLost returns the lowest lost number from n on.
func (c *sendChannel) nextLost(n uint64) (uint64, bool) {
	for n = max(n, c.base, c.resend); n < c.next; n++ {
		if it := c.at(n); it.carriers == 0 && !it.delivered && !it.ahead {
			return n, true
		}
	}
	return 0, false
}

// nextCopy returns the next number from n on, wrapping around, whose event is due for another copy.
// If none is, it returns the one that is due first, with the time. It examines at most maxCopyScan
// numbers, and the oldest one in any case: all others wait for it.
func (c *sendChannel) nextCopy(n uint64, now, interval netcore.Time) (next uint64, due netcore.Time) {
	if c.base == c.next {
		return c.base, netcore.Never
	}
	if n < c.base || n >= c.next {
		n = c.base
	}
	next, due = c.base, c.at(c.base).copyDue(interval)
	for range min(c.next-c.base, maxCopyScan) {
		if at := c.at(n).copyDue(interval); at < due {
			next, due = n, at
		}
		if due <= now {
			break
		}
		if n++; n == c.next {
			n = c.base
		}
	}
	return next, due
}

// copyDue returns when an event in flight is due for another copy. With each copy in flight the
// time to the next one doubles: while a peer answers late, many packets are in flight, and an event
// in all of them would cost more than the new events do.
func (it *item) copyDue(interval netcore.Time) netcore.Time {
	if it.carriers == 0 || it.delivered || it.noCopies {
		return netcore.Never
	}
	return it.sent + interval<<min(it.carriers-1, 10)
}
