package netcore

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/congestion"
)

const (
	markBytes       = 2  // a mark is the bit position at which a section ends
	reservedBits    = 8  // bits reserved for each later section, so that it can say "nothing"
	minSectionBytes = 32 // bytes reserved for the sections, however long the gap list is
)

// Send builds and encrypts as many packets as rate, window and streams allow. It passes them to
// out; out must not keep them. Send can be called at any time after a Tick, and any number of
// times. It sends no packets without need.
//
// The connections of an Endpoint do not call Send: they share the memory of their packets.
func (c *Conn) Send(now Time, out func(to Addr, datagram []byte)) {
	if c.alone == nil {
		c.alone = new(outbox)
	}
	c.outbox = c.alone
	c.pack(now, 0)
	c.deliver(now, out)
}

// pack is the part of Send that can run on any goroutine. It changes nothing outside the
// connection, its streams and its outbox. It leaves the packets in the outbox and the log lines in
// c.lines.
func (c *Conn) pack(now Time, worker int) {
	c.now, c.worker = max(c.now, now), worker
	c.packing, c.whole = true, c.Unanswered(c.now) > 2*c.rtt.smooth+wholeIDAfter
	if c.end.over {
		c.sendEnd()
	} else {
		c.sendOpen()
	}
	c.packing = false
}

// deliver is the part of Send that runs on the owner's goroutine. It passes on the packets and then
// calls the Sent methods of the streams.
func (c *Conn) deliver(now Time, out func(to Addr, datagram []byte)) {
	c.now = max(c.now, now)
	c.printLines()
	if c.outbox != nil {
		c.outbox.flush(c.cfg.Addr, out)
		c.outbox = nil
	}
	if c.link != nil {
		c.link.out.Pop(c.now, func(d []byte) { out(c.cfg.Addr, d) })
	}
	for _, s := range c.streams {
		if s, ok := s.(interface{ Sent() }); ok {
			s.Sent()
		}
	}
}

// canSend reports whether there can be something to pack. If only the streams can have data, wakes
// asks whether rate and window allow a packet.
func (c *Conn) canSend(now Time) bool {
	now = max(c.now, now)
	switch {
	case c.end.over:
		return c.endDue(now) <= now
	case now >= c.controlDue():
		return true
	}
	return c.rate.grant.left > 0 && (c.out.room() || c.ackDue()) && c.rate.ready(now)
}

func (c *Conn) sendOpen() {
	c.end.inCall = true // a stream can close the connection; the next Tick reports that
	if c.now >= c.ping.pongDue() {
		c.sendControl(controlPong)
		c.ping.ponged(c.now)
	}
	c.sendPath()
	unsettled := c.out.inFlight() > 0
	if c.now >= c.ping.due(unsettled, c.rtt.smooth) {
		c.ping.sent(c.now, c.sendControl(controlPing), unsettled, c.rtt.smooth)
	}
	for c.out.room() && c.mayPack() && c.sendData() {
	}
	if c.out.room() && !c.rate.ready(c.now) && c.streamsDue(c.now) <= c.now {
		c.rate.wait(c.now)
	}
	if c.ackDue() && c.mayPack() {
		c.sendControl(controlAck)
		c.rate.spendAck(c.now)
	}
	c.end.inCall = false
}

// mayPack reports whether the rate and the budget of the endpoint allow a packet.
func (c *Conn) mayPack() bool { return c.rate.grant.left > 0 && c.rate.ready(c.now) }

// sendData builds and sends a packet. If no stream has data, it changes nothing and returns false.
func (c *Conn) sendData() bool {
	n := c.out.next()
	ack, start := c.writeHeader()
	if !c.packSections(n) || c.end.over {
		return false
	}
	plain := c.outbox.w.Bytes()
	if c.Check() {
		for _, m := range c.marks {
			plain = binary.LittleEndian.AppendUint16(plain, uint16(m))
		}
	}
	size := c.seal(kindData, uint64(n), plain)
	c.out.sent(c.now, ack, size)
	c.rate.spend(c.now, size)
	c.pendingAck = pendingAck{}
	c.ping.progress(c.now)
	c.ping.dataAt = c.now
	c.stats.Sent++
	c.stats.HeaderBits += uint64(8*(c.head()+clearBytes) + start)
	c.logPacket("<-", n, ack, start, size)
	return true
}

// writeHeader begins a packet and limits the writer to the packet size of the rate. A long gap list
// can exceed a small size; the sections still get minSectionBytes bytes. writeHeader returns the
// ack in the header, and the size of the header.
func (c *Conn) writeHeader() (ack Seq, bits int) {
	w := c.beginPacket(c.marksSize())
	h := dataHeader{delay: c.delaySince(c.in.lastAt)}
	c.in.acks(c.out.ackAck, &h.acks)
	h.serialize(&w.Codec, c.out.ackAck)
	bits = w.Pos()
	size := min(c.rate.size(), c.pathSize.limit()) - c.head() - clearBytes - tagBytes - c.marksSize()
	w.Limit(min(max(8*size, bits+8*minSectionBytes), bits+w.Left()))
	return h.acks.ack, bits
}

// delaySince returns how long a packet that arrived at a time has waited for its answer, in ms.
func (c *Conn) delaySince(at Time) uint64 {
	return uint64(min(max(c.now-at, 0)/time.Millisecond, delayUnknown))
}

// packSections lets every stream write its section. It reports whether a stream had something worth
// a packet.
func (c *Conn) packSections(n Seq) (wrote bool) {
	o, w := Outgoing{n, c.now, c, c.worker}, &c.outbox.w
	whole := w.Pos() + w.Left()
	c.marks = c.marks[:0]
	for i := range len(c.streams) + 1 {
		spare := reservedBits * (len(c.streams) - i)
		if s, ok := c.section(i).(interface{ Least() int }); ok {
			if n := s.Least(); n > 0 {
				whole = max(whole, min(w.Pos()+8*n+spare, 8*(c.pathSize.limit()-c.head()-clearBytes-tagBytes-c.marksSize())))
			}
		}
		w.Limit(whole - spare)
		if c.section(i).Pack(w, o) {
			wrote = true
		}
		if err := w.Err(); err != nil {
			panic(fmt.Sprintf("BUG: section %s left an error in its packet: %v", c.sectionName(i), err))
		}
		c.marks = append(c.marks, w.Pos())
	}
	return wrote
}

// section returns the i-th section. Section 0 belongs to the connection: rate changes.
func (c *Conn) section(i int) Stream {
	if i == 0 {
		return &c.rates
	}
	return c.streams[i-1]
}

func (c *Conn) marksSize() int {
	if !c.cfg.Check {
		return 0
	}
	return markBytes * (len(c.streams) + 1)
}

// sendControl sends a control packet and returns its number.
func (c *Conn) sendControl(kind uint64) uint64 {
	c.out.control++
	h := controlHeader{kind: kind, newest: uint64(c.out.newest), delay: c.delaySince(c.in.lastAt), challenge: c.pathEcho}
	switch kind {
	case controlPong:
		h.echo, h.waited = uint64(c.ping.pongEcho), c.delaySince(c.ping.pongAt)
	case controlPath:
		h.challenge = c.candidate.challenge
	case controlSize, controlSizeAnswer:
		h.size = uint64(c.pathSize.named)
	}
	c.in.acks(c.out.ackAck, &h.acks)
	w := c.beginPacket(0)
	h.serialize(&w.Codec)
	if kind == controlSize {
		c.padTo(w, c.pathSize.named)
	}
	c.seal(kindControl, c.out.control, w.Bytes())
	c.pendingAck = pendingAck{}
	c.stats.ControlSent++
	return c.out.control
}

// padTo fills the packet begun last with zeros, so that its datagram has a size.
func (c *Conn) padTo(w *bitstream.Writer, size int) {
	end := 8 * (size - c.head() - clearBytes - tagBytes)
	for w.Pos() < end {
		w.WriteBits(0, min(end-w.Pos(), 64))
	}
}

// beginPacket begins the text of a packet in the outbox, after its clear bytes. It leaves spare
// bytes free at the end.
func (c *Conn) beginPacket(spare int) *bitstream.Writer {
	o := c.outbox
	o.wire = o.room()
	o.w.Reset(o.wire[c.head()+clearBytes : clearBytes+MaxPlain-spare])
	return &o.w
}

// head returns the length of what precedes the clear bytes.
func (c *Conn) head() int {
	switch {
	case c.cfg.Route.ID == 0:
		return 0
	case c.whole:
		return routeBytes
	}
	return shortBytes
}

// seal encrypts and sends the packet begun last, whose text is plain. It returns the size of the
// datagram.
func (c *Conn) seal(kind byte, number uint64, plain []byte) int {
	head, wire := c.head(), c.outbox.wire
	switch head {
	case routeBytes:
		appendRoute(wire[:0], c.cfg.Route.ID)
	case shortBytes:
		appendShortRoute(wire[:0], c.cfg.Route.ID)
	}
	clear := wire[head : head+clearBytes]
	binary.LittleEndian.PutUint16(clear, uint16(kind)|uint16(number<<2))
	d := wire[:head+len(c.cfg.Keys.Seal(clear, clear, plain, kind, number))]
	c.stats.SentBytes += uint64(len(d))
	c.rate.grant.spend(len(d) + congestion.HeaderBytes)
	if c.link != nil && !c.outbox.aside.on {
		c.link.out.Push(c.now, d)
	} else {
		c.outbox.add(len(d))
	}
	return len(d)
}

// Due returns when Send next has something to do. A Tick or Receive can make that time earlier.
func (c *Conn) Due(now Time) Time { return c.dueAfter(now, 0) }

// dueAfter is Due if packets that the budget of the endpoint counts cannot be sent before hold.
func (c *Conn) dueAfter(now, hold Time) Time {
	due := Never
	if c.link != nil {
		due = c.link.out.Due()
	}
	if c.end.over {
		return min(due, c.endDue(now))
	}
	due = min(due, c.controlDue())
	wanted := Never
	if c.out.room() {
		wanted = c.streamsDue(now)
	}
	if c.ackDue() {
		wanted = now
	}
	if wanted != Never {
		wanted = max(wanted, c.rate.due(), hold)
	}
	return max(now, min(due, wanted))
}

// controlDue returns when the next control packet is due, except an ack.
func (c *Conn) controlDue() Time {
	return min(c.pathAnswerDue(), c.ping.pongDue(), c.pathSize.answerDue(), c.challengeDue(), c.pathSize.due(c.sizeGoal()), c.ping.due(c.out.inFlight() > 0, c.rtt.smooth))
}

func (c *Conn) streamsDue(now Time) Time {
	if c.rates.wants() {
		return now
	}
	due := Never
	for _, s := range c.streams {
		if d, ok := s.(interface{ Due(now Time) Time }); ok {
			due = min(due, d.Due(now))
		}
	}
	return due
}

// pendingAck counts the packets processed since the last ack was sent. The next data packet carries
// the ack. A control packet carries it instead if no data packet comes by the first Send after a
// Tick, or after maxUnacked packets.
type pendingAck struct {
	received int
	ticked   bool
}

// ackDue reports whether an ack is due. The first packets of a connection that arrive together are
// acknowledged at once: they show the peer a fast line.
func (c *Conn) ackDue() bool {
	return c.pendingAck.due() || c.pendingAck.received >= firstUnacked && c.in.closedTo < maxUnacked
}

func (a *pendingAck) tick()     { a.ticked = a.received > 0 }
func (a *pendingAck) due() bool { return a.ticked || a.received >= maxUnacked }
