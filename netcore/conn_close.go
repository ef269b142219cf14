package netcore

import "github.com/torc-engine/torc/netcore/bitstream"

// ending is how a connection ends:
//
//	open ──Close──▶ over, telling the peer ──answer, or tries used up──▶ done
//	  ├──Fail─────────────────────────────────────────────────────────▶ done
//	  └──drop packet──▶ over, owing an answer ──Send──────────────────▶ done
type ending struct {
	busy     bool // inside a call: streams are told at its end
	over     bool
	reported bool // the streams and the owner know
	reason   Reason

	tries  int    // drop packets still to send
	next   Time   // when
	number uint64 // of the newest
	answer bool   // the peer's drop packet wants one
}

// Close ends the connection and tells the peer why, several times if need be.
// What is in flight is reported dropped, in order; then the streams and the
// owner hear of the end. Within a stream's call all that waits until its
// Receive or Tick is over, or after a Send for the next Tick. A connection
// ends once; later reasons are ignored.
func (c *Conn) Close(r Reason) { c.finish(r, dropTries) }

// Fail ends the connection as Close does, but without a word to the peer.
func (c *Conn) Fail(r Reason) { c.finish(r, 0) }

// Closed returns why the connection ended, once it has.
func (c *Conn) Closed() (Reason, bool) { return c.end.reason, c.end.over }

// Done reports whether the connection has ended and has nothing left to send.
func (c *Conn) Done() bool {
	e := &c.end
	return e.reported && e.tries == 0 && !e.answer && (c.link == nil || c.link.out.Due() == Never)
}

func (c *Conn) finish(r Reason, tries int) {
	if c.end.over {
		return
	}
	c.end.over, c.end.reason, c.end.tries, c.end.next = true, r, tries, c.now
	if !c.end.busy {
		c.report()
	}
}

// enter and leave bracket every call that may tell streams something.
func (c *Conn) enter(now Time) {
	c.now = max(c.now, now)
	c.end.busy = true
}

func (c *Conn) leave() {
	c.end.busy = false
	if c.end.over && !c.end.reported {
		c.report()
	}
}

// report tells everybody who is concerned, in order.
func (c *Conn) report() {
	c.end.reported = true
	for len(c.held) > 0 {
		c.cfg.Pool.put(c.held.pop().plain)
	}
	c.out.abandon(func(n Seq) { c.fate(n, false) })
	for _, s := range c.streams {
		if s, ok := s.(interface{ Closed(Reason) }); ok {
			s.Closed(c.end.reason)
		}
	}
	c.Logf(LogLife, "%v ended: %v", c.cfg.Addr, c.end.reason)
	if c.cfg.Ended != nil {
		c.cfg.Ended(c, c.end.reason)
	}
}

// sendEnd sends what a connection that is over still has to say.
func (c *Conn) sendEnd() {
	e := &c.end
	if e.answer {
		e.answer = false
		c.sendControl(controlClose)
	}
	if e.tries > 0 && c.now >= e.next {
		e.tries--
		e.next = c.now + min(max(c.rtt.smooth*3/2, dropFirst), dropMost)
		e.number++
		c.beginPacket(0)
		r := e.reason.told()
		r.serialize(&c.w.Stream)
		c.seal(kindDrop, e.number, c.w.Bytes())
	}
}

func (c *Conn) endDue(now Time) Time {
	switch {
	case c.end.answer:
		return now
	case c.end.tries > 0:
		return max(now, c.end.next)
	}
	return Never
}

// receiveDrop obeys the peer's farewell. It has nothing more to say to us, so
// we stop telling it anything either.
func (c *Conn) receiveDrop(plain []byte) {
	var r Reason
	c.r.Reset(plain)
	r.serialize(&c.r.Stream)
	if c.r.Err() != nil {
		r = Reason{Code: Closed} // it ended all the same
	}
	c.finish(r.told(), 0)
	c.end.tries, c.end.answer = 0, true
}

// serialize is the text of a drop packet.
func (r *Reason) serialize(s *bitstream.Stream) {
	code := uint64(r.Code)
	s.Bits(&code, codeBits)
	r.Code = ReasonCode(code)
	s.Text(&r.Text, MaxReasonText)
}
