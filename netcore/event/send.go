package event

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// The event section of a packet (PROTOCOL.md, Events):
//
//	unordered   { 1 | event } 0
//	channel 0   run
//	channel 1   run
//	  run       0 | 1 width number event { 1 event } 0           consecutive numbers
//	            0 | 1 3 width number event { 1 event | 0 1 number event } 0 0
//	  width     2 bits: the number's 8, 12 or 16 low bits; 3 announces gaps
//	  event     kind | body                                       check: kind | size | body | mark
//
// Each event is first written, then checked, then recorded. If it does not fit, the writer is
// rewound with everything that belongs to the event.

const (
	sectionTail = 5 // bits at the end of the three parts
	checkBits   = 16
	markBits    = 16
	markSalt    = 0x5ac3

	maxCopyScan = 256 // events examined to find one copy
)

// Pack writes the event section: unordered events first, then commands, then bulk. Each part leaves
// a share of the room to the later parts with data.
func (e *Stream) Pack(w *bitstream.Writer, p netcore.Outgoing) bool {
	e.setTime(p.Now, p.Conn)
	e.postWaiting(e.cfg.Scratch.of(p.Worker))
	e.encoder.Codec = &w.Codec
	e.packets.start(p.Seq)
	start := w.Pos()
	end := start + w.Left()
	room := max(0, end-start-sectionTail)
	bulk := e.share(room, &e.channel[1], p.Seq)
	commands := e.share(room-bulk, &e.channel[0], p.Seq)
	copyAge := e.interval()
	if e.anyPending() {
		copyAge = netcore.MinCopyAge
	}

	before := w.Limit(start + room - bulk - commands)
	e.packUnordered(w, start)
	w.Limit(end)
	w.WriteFlag(false)
	for i := range e.channel {
		c := &e.channel[i]
		allowed := end - sectionTail + 1 + 2*i
		if i == 0 {
			allowed -= bulk
		}
		w.Limit(allowed)
		copies := e.copiesWanted(c, copyAge)
		r := e.newRun(c, copies)
		e.packLost(w, &r, start)
		e.packNew(w, &r, start)
		if copies && !e.pending(c) && r.spans(c.base) {
			e.packCopies(w, &r, copyAge)
		}
		w.Limit(end)
		r.close(w)
	}
	w.Limit(before)
	return e.packets.finish()
}

// share returns the bits reserved for a channel: a quarter of the room, and at least a piece. In a
// packet too small for that, the channel gets room in every second packet.
func (e *Stream) share(room int, c *sendChannel, seq netcore.Seq) int {
	if !e.pending(c) {
		return 0
	}
	need := max(room/4, pieceRoom)
	if need > room/2 && seq%2 == netcore.Seq(c.id) {
		return 0
	}
	return min(need, room)
}

// pending reports whether a channel has an item that is not in flight and can be packed.
func (e *Stream) pending(c *sendChannel) bool {
	if c.lost > 0 {
		return true
	}
	if int(c.next-c.base) >= orderWindow || e.inFlight >= maxInFlightBytes {
		return false
	}
	if c.id == 0 {
		return len(e.unannounced) > 0 || c.fair.next() != nil
	}
	return e.parcels.ready() || c.fair.queued > 0 && e.fits(c)
}

func (e *Stream) anyPending() bool {
	for i := range e.unordered {
		if e.unordered[i].n > 0 {
			return true
		}
	}
	return e.queuedMortals() > 0 || e.pending(&e.channel[0]) || e.pending(&e.channel[1])
}

// copiesWanted reports whether an event of a channel is due for a copy, and the room for copies is
// not needed for events that wait.
func (e *Stream) copiesWanted(c *sendChannel, age netcore.Time) bool {
	if c.fair.queued > maxCopyScan || c.id == 0 && e.pending(&e.channel[1]) {
		return false
	}
	_, due := c.nextCopy(c.copyScan, e.now, age)
	return due <= e.now
}

// packUnordered writes unordered events, the highest priority first.
func (e *Stream) packUnordered(w *bitstream.Writer, start int) {
	for p := priorities - 1; p >= 0; p-- {
		if !e.packQueue(w, &e.unordered[p], start) || e.mortal != nil && !e.packQueue(w, &e.mortal[p], start) {
			return
		}
	}
}

// packQueue writes the events of a queue that are not late. It returns false if there is no room
// for the next one.
func (e *Stream) packQueue(w *bitstream.Writer, q *itemQueue, start int) bool {
	for e.dropLate(q); q.n > 0; e.dropLate(q) {
		it := q.at(0)
		m := w.Mark()
		w.WriteFlag(true)
		if !e.write(w, it.kind, it, tagUse{}) {
			w.Rewind(m)
			if w.Pos() == start && w.Left() >= pieceRoom {
				e.tooLarge(q)
				continue
			}
			return false
		}
		e.packets.carryUnordered(it)
		q.popFront()
		e.stats.Sent++
	}
	return true
}

// tooLarge removes an unordered event that no packet of this size can carry. A guaranteed event
// moves to channel 1. Another event is lost.
func (e *Stream) tooLarge(q *itemQueue) {
	it := q.at(0)
	if it.guaranteed {
		it.lane.events--
		it.lane.bytes -= it.bytes
		l := e.channel[1].fair.lane(it.lane.id)
		l.events++
		l.bytes += it.bytes
		to := e.channel[1].fair.push(l)
		moveItem(to, it)
		to.lane = l
		q.popFront()
		return
	}
	e.drop(q)
}

// Sent reports the fate of the events that no packet could carry.
func (e *Stream) Sent() {
	for i, ev := range e.undeliverable {
		e.undeliverable[i] = nil
		e.reportFate(ev, false)
	}
	e.undeliverable = e.undeliverable[:0]
}

// tryPack writes an item under number n. If it does not fit, tryPack leaves w unchanged
// and returns false.
func (e *Stream) tryPack(w *bitstream.Writer, r *run, n uint64, it *item) bool {
	head, size := r.head(n)
	if it.codeBits > 0 {
		if size+int(it.codeBits) > w.Left() {
			return false
		}
		e.writeCode(w, it, head, size)
	} else {
		m := w.Mark()
		w.WriteBits(head, size)
		if !e.write(w, it.kind, it, tagUse{ordered: true, channel: r.c.id}) {
			w.Rewind(m)
			return false
		}
	}
	r.open, r.last = true, n
	return true
}

// writeCode writes the kept bits of an item behind the size bits of head. The caller has checked
// that they fit.
func (e *Stream) writeCode(w *bitstream.Writer, it *item, head uint64, size int) {
	if bits := int(it.codeBits); size+bits <= 64 {
		w.WriteBits(head|it.code<<size, size+bits)
	} else {
		w.WriteBits(head, size)
		w.WriteBits(it.code, bits)
	}
	e.logItem("<-", it.kind, int(it.codeBits))
}

// recordCopy records that the packet carries number n.
func (e *Stream) recordCopy(r *run, n uint64) {
	it := r.c.at(n)
	it.carriers++
	it.sent = e.now
	e.packets.carryOrdered(r.c.id, n, n+1)
}

// packLost sends lost events again, in order of their numbers.
func (e *Stream) packLost(w *bitstream.Writer, r *run, start int) {
	c := r.c
	for n := c.base; c.lost > 0; n++ {
		var ok bool
		if n, ok = c.nextLost(n); !ok {
			break
		}
		if !e.tryPack(w, r, n, c.at(n)) {
			e.sendOldestAhead(w, r, n, start)
			return
		}
		c.lost--
		c.resend = n + 1
		e.recordCopy(r, n)
		e.stats.Resent++
	}
	c.resend = c.next
}

// packCopies sends further copies of events in flight whose newest copy has an age.
func (e *Stream) packCopies(w *bitstream.Writer, r *run, age netcore.Time) {
	for {
		n, due := r.c.nextCopy(r.c.copyScan, e.now, age)
		if due > e.now || !e.tryPack(w, r, n, r.c.at(n)) {
			return
		}
		r.c.copyScan = n + 1
		e.recordCopy(r, n)
		e.stats.Copies++
	}
}

// packNew gives numbers to the queued events and packs them, as far as there is room.
func (e *Stream) packNew(w *bitstream.Writer, r *run, start int) {
	if r.c.lost > 0 {
		return // the lost events alone did not fit
	}
	if r.c.id == 0 && !e.packAnnouncements(w, r) {
		return
	}
	for e.hasWindowRoom(r.c) {
		if r.c.id == 1 && e.parcels.ready() {
			if !e.packPiece(w, r) {
				return
			}
			continue
		}
		l := r.c.fair.next()
		if l == nil {
			return
		}
		it := l.queue.at(0)
		if len(it.tags) > 0 && !e.announceTags(w, r, it.tags) {
			return
		}
		if r.c.id == 1 && it.bytes > pieceBytes {
			if !e.parcels.fits(it.bytes, e.largestSent()) {
				return
			}
			e.split(l)
			continue
		}
		if !e.tryPack(w, r, r.c.next, it) {
			if r.c.id == 1 || w.Pos() > start+1 || w.Left() < pieceRoom {
				return
			}
			e.sendAhead(l)
			continue
		}
		e.addFromLane(r, l, it)
		e.packKept(w, r, l)
	}
}

// packKept packs further events of a lane while their bits are kept and no other lane waits. Such
// events need little of what packNew does for each event.
func (e *Stream) packKept(w *bitstream.Writer, r *run, l *lane) {
	first := r.c.next
	for l.queue.n > 0 && l.queue.n == r.c.fair.queued && e.hasWindowRoom(r.c) {
		it := l.queue.at(0)
		if it.codeBits == 0 || len(it.tags) > 0 || 1+int(it.codeBits) > w.Left() {
			break
		}
		e.writeCode(w, it, 1, 1) // 1: the next number
		e.takeFromLane(r.c, l, it)
	}
	if r.c.next > first {
		r.last = r.c.next - 1
		e.packets.carryOrdered(r.c.id, first, r.c.next)
	}
}

// addFromLane moves the first item of a lane, which was just written, into the window.
func (e *Stream) addFromLane(r *run, l *lane, it *item) {
	n := r.c.next
	e.takeFromLane(r.c, l, it)
	e.packets.carryOrdered(r.c.id, n, n+1)
}

// takeFromLane gives the first item of a lane, which was just written, the next number.
func (e *Stream) takeFromLane(c *sendChannel, l *lane, it *item) {
	_, to := c.number()
	moveItem(to, it)
	c.fair.removeFirst(l, to.bytes)
	if to.cost = to.bytes; to.kind == kindClaim {
		to.cost = 1
	}
	e.inFlight += to.cost
	to.carriers, to.sent = 1, e.now
	e.stats.Sent++
	c.resend = c.next
}

// hasWindowRoom reports whether a channel can give another number.
func (e *Stream) hasWindowRoom(c *sendChannel) bool {
	return int(c.next-c.base) < orderWindow && e.inFlight < maxInFlightBytes
}

// addOwn moves one of the stream's own events, which was just written, into the window.
func (e *Stream) addOwn(r *run, it *item, tags ...uint32) {
	n, to := r.c.number()
	it.tags = append(to.tags[:0], tags...)
	*to = *it
	e.inFlight += to.cost
	e.recordCopy(r, n)
	r.c.resend = r.c.next
}

// write writes one event without the bits of head.
func (e *Stream) write(w *bitstream.Writer, kind KindID, it *item, use tagUse) bool {
	from := w.Pos()
	if !e.writeBody(w, kind, it, use) {
		return false
	}
	e.logItem("<-", kind, w.Pos()-from)
	return true
}

func (e *Stream) writeBody(w *bitstream.Writer, kind KindID, it *item, use tagUse) bool {
	w.WriteBits(uint64(e.wire.out[kind]), e.wire.width)
	if !e.cfg.Check {
		e.body(it, use)
		return w.Err() == nil
	}
	m := w.Mark()
	w.WriteBits(0, checkBits)
	from := w.Pos()
	e.body(it, use)
	if w.Err() != nil {
		return false
	}
	size := w.Pos() - from
	w.Rewind(m)
	w.WriteBits(uint64(size)&(1<<checkBits-1), checkBits) // the low bits of a large event's size
	e.body(it, use)
	w.WriteBits(markSalt^uint64(e.wire.out[kind]), markBits)
	return w.Err() == nil
}

// body writes the event's own description.
func (e *Stream) body(it *item, use tagUse) {
	s := &e.encoder
	if it.kind == kindClaim {
		stuck := it.parcel == 1
		s.Flag(&stuck)
		return
	}
	tags := s.tags
	s.use, s.tags, s.tag = use, it.tags, 0
	it.event.Serialize(s)
	s.tags = tags
}
