package netcore

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/torc-engine/torc/netcore/congestion"
)

// Receive handles a datagram from the peer's address. It only counts a datagram that is forged,
// damaged or a repetition. An authentic packet that breaks a rule ends the connection. Receive does
// not keep the datagram.
//
// at is when the datagram arrived. It can be before the last Tick or Send: then the owner was late
// to take it. The measured round-trip times do not contain that delay, and the acks tell the peer
// of it.
func (c *Conn) Receive(at Time, datagram []byte) {
	c.beginCall(at)
	c.arrivedAt = at
	if c.link != nil {
		c.link.in.Push(c.now, datagram)
		c.receiveFromLink()
	} else {
		c.receive(datagram)
	}
	c.endCall()
}

// Tick lets time pass: it processes held packets that have waited long enough, and ends the
// connection after the timeout. Call it about every 32 ms.
func (c *Conn) Tick(now Time) {
	c.beginCall(now)
	if c.link != nil {
		c.receiveFromLink()
	}
	if !c.end.over {
		c.releaseHeld()
		c.renewKeys()
		c.pendingAck.tick()
		if silence := c.now - c.heard; silence >= c.cfg.Timeout {
			c.Close(Reason{TimedOut, fmt.Sprintf("no packet received for %v", silence.Truncate(time.Second))})
		}
	}
	c.endCall()
}

// releaseHeld processes the packets that have waited long enough behind a gap. On a line that does
// not reorder, a single held packet waits only for the next Tick, because at a steady rate it
// carries the player's next moves. Several held packets are a burst: the missing packets probably
// follow at once.
func (c *Conn) releaseHeld() {
	if len(c.held) == 1 && c.reorder.hold == minHold {
		c.flush(c.now)
		return
	}
	c.flush(c.now - c.reorder.hold)
	if r := &c.reorder; r.awaited > c.in.closedTo && c.now-r.since >= r.hold && !c.end.over {
		c.closeWindow(r.awaited)
		c.pendingAck.received++ // the peer waits for the verdicts
	}
}

// receive dispatches a datagram by its kind. It drops numbers that cannot be new before it does the
// work of decryption.
func (c *Conn) receive(d []byte) {
	clear, kind, last, ok := c.parse(d)
	if !ok {
		c.stats.Forged++
		return
	}
	n, fresh := expand(last, clear>>2)
	if !fresh || kind == kindData && !c.isOpen(Seq(n)) {
		c.stats.Late++
		if kind == kindData && !fresh {
			c.receiveLate(d, before(last, clear>>2))
		}
		return
	}
	room := c.cfg.Pool.take()
	plain, err := c.cfg.Keys.Open(room, d[:clearBytes], d[clearBytes:], kind, n)
	if err != nil {
		c.stats.Forged++
		c.cfg.Pool.put(room)
		return
	}
	c.heard = c.now
	c.noteNewest(kind, n)
	c.stats.ReceivedBytes += uint64(len(d))
	switch kind {
	case kindData:
		c.ping.dataAt = c.now
		c.receiveData(heldPacket{Seq(n), c.arrivedAt, plain})
		return // receiveData owns the buffer now
	case kindControl:
		c.in.control = n
		c.receiveControl(n, plain)
	case kindDrop:
		c.in.drop = n
		c.receiveDrop(plain)
	}
	c.cfg.Pool.put(plain)
}

// parse returns the clear bits of a datagram, its kind, and the last number of that kind.
func (c *Conn) parse(d []byte) (clear uint16, kind byte, last uint64, ok bool) {
	if len(d) < clearBytes+tagBytes || len(d) > MaxDatagram {
		return 0, 0, 0, false
	}
	clear = binary.LittleEndian.Uint16(d)
	switch kind = byte(clear & 3); kind {
	case kindData:
		last = uint64(c.in.closedTo)
	case kindControl:
		last = c.in.control
	case kindDrop:
		last = c.in.drop
	default:
		return 0, 0, 0, false
	}
	return clear, kind, last, true
}

// opens reports whether a datagram is authentic and not an old one. It counts nothing.
func (c *Conn) opens(d []byte) bool {
	clear, kind, last, ok := c.parse(d)
	if !ok {
		return false
	}
	n, fresh := expand(last, clear>>2)
	if !fresh || kind == kindData && !c.isOpen(Seq(n)) {
		return false
	}
	room := c.cfg.Pool.take()
	_, err := c.cfg.Keys.Open(room, d[:clearBytes], d[clearBytes:], kind, n)
	c.cfg.Pool.put(room)
	return err == nil
}

// noteNewest counts an authentic packet that is newer than all before it. An older one can come
// from an address that the peer has left.
func (c *Conn) noteNewest(kind byte, n uint64) {
	switch {
	case kind != kindData: // older ones were dropped
	case Seq(n) > c.newestSeq:
		c.newestSeq = Seq(n)
	default:
		return
	}
	c.newest++
}

// isOpen reports whether a data packet can still be processed.
func (c *Conn) isOpen(n Seq) bool {
	_, found := c.held.find(n)
	return !found && !c.end.over
}

// receiveData processes the next packet immediately and holds a packet that comes after a gap. When
// more than maxHeld packets are held, it gives up the gap. It owns the packet's buffer.
func (c *Conn) receiveData(p heldPacket) {
	if c.in.outside(p.seq) {
		c.cfg.Pool.put(p.plain)
		c.violation("packet %d is beyond the end of the window (%d)", p.seq, c.in.closedTo+Window)
		return
	}
	c.reorder.arrived(p.at, p.seq)
	if p.seq != c.in.closedTo+1 {
		c.stats.Held++
		c.held.insert(p)
		if len(c.held) <= maxHeld {
			return
		}
		p = c.held.pop()
	}
	c.process(p)
	c.flush(math.MinInt64)
}

// flush processes held packets in order: those that arrived by until, and those that follow them
// without a gap.
func (c *Conn) flush(until Time) {
	for len(c.held) > 0 && !c.end.over && (c.held[0].at <= until || c.held[0].seq == c.in.closedTo+1) {
		c.process(c.held.pop())
	}
}

// process gives p and all numbers before it their verdicts. Then it reads p, unless a stream is
// blocked.
func (c *Conn) process(p heldPacket) {
	c.in.closeTo(p.seq - 1)
	blocked := c.blocked()
	c.in.close(!blocked)
	c.in.lastAt = p.at
	c.pendingAck.received++
	if blocked {
		c.stats.Refused++
	} else {
		c.stats.Received++
		c.readData(p)
	}
	c.cfg.Pool.put(p.plain)
}

// blocked reports whether a stream can read no more. A peer that sends faster than the owner of
// this side takes then slows down, as on a slow line.
func (c *Conn) blocked() bool {
	for _, s := range c.streams {
		if b, ok := s.(interface{ Blocked() bool }); ok && b.Blocked() {
			return true
		}
	}
	return false
}

func (c *Conn) readData(p heldPacket) {
	text, marks, ok := c.cutMarks(p.plain)
	if !ok {
		return
	}
	c.r.Reset(text)
	var h dataHeader
	h.serialize(&c.r.Codec, c.in.ackBase)
	if err := c.r.Err(); err != nil {
		c.Close(Reason{BadPacket, "header: " + err.Error()})
		return
	}
	c.in.ackBase = h.acks.ack
	c.processAcks(p.at, &h.acks, h.delay)
	start := c.r.Pos()
	c.marks = c.marks[:0]
	for i := 0; i <= len(c.streams) && !c.end.over; i++ {
		c.readSection(i, marks, Incoming{p.seq, c.now, c})
	}
	if c.end.over {
		return
	}
	if left := c.r.Left(); left >= 8 {
		c.Close(Reason{BadPacket, fmt.Sprintf("%d bits left after the last section", left)})
		return
	}
	c.logPacket("->", p.seq, h.acks.ack, start, len(p.plain)+clearBytes+tagBytes)
}

// readSection lets the i-th stream read its section. With Check it compares where the stream ended
// with the mark that the peer sent.
func (c *Conn) readSection(i int, marks []byte, in Incoming) {
	err, code := c.section(i).Unpack(&c.r, in), Violation
	if bad := c.r.Err(); bad != nil {
		code = BadPacket
		if err == nil { // the stream's own error explains more
			err = bad
		}
	}
	c.marks = append(c.marks, c.r.Pos())
	if _, told := err.(Reason); c.Check() && !told { // a Reason explains more than a mark
		wrote := int(binary.LittleEndian.Uint16(marks[i*markBytes:]))
		if read := c.r.Pos(); read != wrote {
			c.Close(Reason{BadPacket, fmt.Sprintf("section %s: written up to bit %d, read up to bit %d", c.sectionName(i), wrote, read)})
			return
		}
	}
	if err != nil {
		c.Close(ReasonOf(err, code, "section "+c.sectionName(i)))
	}
}

// cutMarks separates a data packet's text from its marks. Only packets with Check have marks.
func (c *Conn) cutMarks(plain []byte) (text, marks []byte, ok bool) {
	cut := len(plain) - c.marksSize()
	if cut < 0 {
		c.Close(Reason{BadPacket, "the check marks are missing"})
		return nil, nil, false
	}
	return plain[:cut], plain[cut:], true
}

// processAcks tells the streams which packets a reports as delivered or lost, and measures the
// line. The acks came in a packet that arrived at the time at. delay is their ack delay in ms.
func (c *Conn) processAcks(at Time, a *ackBlock, delay uint64) {
	before := c.out.ackedTo
	var told congestion.Ack
	err := c.out.ack(a, func(n Seq, delivered bool, p sentPacket) {
		size := int(p.size)
		told.Add(delivered, size+congestion.HeaderBytes)
		c.pathSize.fate(at, p.sent, size, delivered)
		if n == a.ack && delivered && delay < delayUnknown {
			told.Time(p.sent, Time(delay)*time.Millisecond)
		}
		c.reportFate(n, delivered)
	})
	if err != nil {
		c.violation("%v", err)
	}
	if c.out.ackedTo == before {
		return
	}
	c.ping.progress(c.now)
	c.ping.asked = 0
	c.rate.acked(at, told)
	if told.Timed {
		c.sampleRTT(at - told.Sent - told.Delay)
	}
}

// reportFate reports whether packet n was delivered: to the streams in order, then to the owner.
func (c *Conn) reportFate(n Seq, delivered bool) {
	c.stats.fate(delivered)
	for i := range len(c.streams) + 1 {
		c.section(i).Notify(n, delivered)
	}
	if c.cfg.Notified != nil {
		c.cfg.Notified(c, n, delivered)
	}
}

func (c *Conn) sampleRTT(t Time) {
	c.rtt.sample(c.now, t)
	c.ping.sampledAt = c.now
}

// receiveControl handles a control packet immediately. Older control packets were already dropped,
// because the newer one contains all their information.
func (c *Conn) receiveControl(number uint64, plain []byte) {
	c.stats.ControlReceived++
	c.r.Reset(plain)
	var h controlHeader
	h.serialize(&c.r.Codec)
	if err := c.r.Err(); err != nil || c.r.Left() >= 8 && h.kind != controlSize {
		c.Close(Reason{BadPacket, "malformed control packet"})
		return
	}
	if c.end.over {
		if h.kind == controlClose {
			c.end.tries = 0
		}
		return
	}
	c.processAcks(c.arrivedAt, &h.acks, h.delay)
	switch h.kind {
	case controlPing:
		c.handlePing(Seq(h.newest))
		c.ping.pong, c.ping.pongEcho, c.ping.pongAt = true, uint16(number&(1<<clearBits-1)), c.arrivedAt
	case controlPath:
		if c.cfg.Route.ID != 0 { // only a server asks, because only addresses of clients change
			c.pathAnswer, c.pathEcho = true, h.challenge
		}
	case controlPathAnswer:
		c.handlePathAnswer(h.challenge)
	case controlSize:
		c.pathSize.answer, c.pathSize.echo = true, int(h.size)
	case controlSizeAnswer:
		c.pathSize.answered(c.now, int(h.size), c.sizeGoal())
	case controlPong:
		if t, ok := c.ping.answered(c.arrivedAt, h.echo); ok && h.waited < delayUnknown {
			c.sampleRTT(t - Time(h.waited)*time.Millisecond)
		}
	}
}

// handlePing closes the window up to the newest packet that the peer has sent, and the answer to
// the ping says so. On a line that reorders, the ping has perhaps overtaken packets: they get their
// time.
func (c *Conn) handlePing(newest Seq) {
	switch {
	case c.in.outside(newest):
		c.violation("ping for packet %d is beyond the end of the window (%d)", newest, c.in.closedTo+Window)
	case c.reorder.hold == minHold:
		c.closeWindow(newest)
	case c.reorder.awaited <= c.in.closedTo && newest > c.in.closedTo:
		c.reorder.awaited, c.reorder.since = newest, c.now
	}
}

// closeWindow processes the held packets up to a number. Packets missing then are lost for good.
func (c *Conn) closeWindow(newest Seq) {
	for len(c.held) > 0 && c.held[0].seq <= newest && !c.end.over {
		c.process(c.held.pop())
	}
	c.in.closeTo(newest)
	c.flush(math.MinInt64)
}

func (c *Conn) violation(format string, args ...any) {
	c.Close(Reason{Violation, fmt.Sprintf(format, args...)})
}
