package event

import "github.com/torc-engine/torc/netcore"

// item is an event on its way, from Post until it is settled.
type item struct {
	event    Event
	kind     KindID // what travels: the event's kind, or kindClaim in its place
	part     uint8  // of a claim: which parcel it claims
	priority uint8
	again    bool         // guaranteed: sent again when lost
	done     bool         // delivered; settled when all before it are
	held     bool         // too large for its place, it goes ahead in pieces
	carriers int          // packets in flight that carry it
	bytes    int          // what it was measured at Post; what the caps count
	cost     int          // bytes it takes of the peer's room until settled
	sent     netcore.Time // when its newest copy was packed
	lane     *lane
	tags     []uint32 // numbers of strings it holds
}

// renew empties a place but for the memory of its tags. It goes field by field,
// because a whole item would be made aside and copied, for every event posted.
func (it *item) renew() {
	it.event, it.kind, it.part, it.priority = nil, 0, 0, 0
	it.again, it.done, it.held = false, false, false
	it.carriers, it.bytes, it.cost, it.sent = 0, 0, 0, 0
	it.lane, it.tags = nil, it.tags[:0]
}

// itemQueue is a ring of items that grows as needed.
type itemQueue struct {
	ring  []item // length a power of two
	first int
	n     int
}

func (q *itemQueue) at(i int) *item { return &q.ring[(q.first+i)&(len(q.ring)-1)] }

// pushBack returns the place of a new last item. What is left in it is only
// worth its tags slice.
func (q *itemQueue) pushBack() *item {
	q.grow()
	q.n++
	return q.at(q.n - 1)
}

// pushFront returns the place of a new first item.
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

func (q *itemQueue) grow() {
	if q.n < len(q.ring) {
		return
	}
	ring := make([]item, max(16, 2*len(q.ring)))
	for i := range q.n {
		ring[i] = *q.at(i)
	}
	q.ring, q.first = ring, 0
}

// move copies an item to another place; the two exchange their tags slices, so
// that neither is allocated anew.
func move(to, from *item) {
	tags := to.tags[:0]
	*to = *from
	from.tags = tags
	from.event = nil
}

// lane is one sender's queue for a channel: a mod's, usually. It delays nobody
// but itself.
type lane struct {
	id     uint16
	queue  itemQueue
	served uint64 // bytes taken from it, in the time of the fair queue
	events int    // posted and not settled: what the caps count
	bytes  int
}

// full says why the lane takes no event of that size, or "".
func (l *lane) full(bytes int) string {
	switch {
	case l.events >= maxQueuedEvents:
		return "8,192 of this mod's commands are waiting"
	case l.bytes+bytes > maxQueuedBytes:
		return "512 KiB of this mod's commands are waiting"
	}
	return ""
}

// fairQueue is the lanes of a channel, drained evenly by bytes.
type fairQueue struct {
	lanes  []*lane // in the order of their first use
	clock  uint64  // served of the lane drawn last
	queued int     // items in all lanes
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

// push returns the place of a new last item of a lane.
func (f *fairQueue) push(l *lane) *item {
	if l.queue.n == 0 {
		l.served = max(l.served, f.clock) // having been idle earns no credit
	}
	f.queued++
	return l.queue.pushBack()
}

// next returns the lane whose turn it is: the one served least that has
// something to send. A lane whose head has gone ahead in pieces waits for it.
func (f *fairQueue) next() *lane {
	if f.queued == 0 {
		return nil
	}
	var best *lane
	for _, l := range f.lanes {
		if l.queue.n > 0 && !l.queue.at(0).held && (best == nil || l.served < best.served) {
			best = l
		}
	}
	return best
}

// took removes the head of a lane, which its place has been copied from.
func (f *fairQueue) took(l *lane, bytes int) {
	f.clock = l.served
	l.served += uint64(bytes)
	l.queue.popFront()
	f.queued--
}

// sendChannel is the sender's end of an ordered channel: items without a number
// in the lanes, and the window of numbered ones that are not settled.
type sendChannel struct {
	id     uint8
	fair   fairQueue
	window []item // number n is at n & (len-1)
	base   uint64 // lowest number not settled
	next   uint64 // number given next
	lost   int    // items in the window that nothing carries
	resend uint64 // no item below this number is lost
	again  uint64 // where the search for what to carry once more goes on
}

func (c *sendChannel) at(n uint64) *item { return &c.window[n&uint64(len(c.window)-1)] }

// number returns the next number's place in the window.
func (c *sendChannel) number() (uint64, *item) {
	if used := int(c.next - c.base); used == len(c.window) {
		ring := make([]item, max(64, 2*used))
		for n := c.base; n < c.next; n++ {
			ring[n&uint64(len(ring)-1)] = *c.at(n)
		}
		c.window = ring
	}
	c.next++
	return c.next - 1, c.at(c.next - 1)
}

// lose notes that nothing carries item n any more.
func (c *sendChannel) lose(n uint64) {
	c.lost++
	c.resend = min(c.resend, n)
}

// nextLost returns the lowest lost number from n on.
func (c *sendChannel) nextLost(n uint64) (uint64, bool) {
	for n = max(n, c.base, c.resend); n < c.next; n++ {
		if it := c.at(n); it.carriers == 0 && !it.done && !it.held {
			return n, true
		}
	}
	return 0, false
}

// nextCopy returns, going round from number n, the first number that a packet
// in flight carries and whose fate is open. Its copy is about the oldest.
func (c *sendChannel) nextCopy(n uint64) (uint64, bool) {
	if n < c.base || n >= c.next {
		n = c.base
	}
	for range c.next - c.base {
		if it := c.at(n); it.carriers > 0 && !it.done {
			return n, true
		}
		if n++; n == c.next {
			n = c.base
		}
	}
	return 0, false
}
