package netcore

import "github.com/torc-engine/torc/netcore/bitstream"

// closeState is the state of a connection's end:
//
//	open ──Close──▶ over, telling the peer ──answer, or tries used up──▶ done
//	  ├──Fail─────────────────────────────────────────────────────────▶ done
//	  └──drop packet──▶ over, owing an answer ──Send──────────────────▶ done
type closeState struct {
	inCall   bool // inside a call: endCall reports the end to the streams
	over     bool
	reported bool // the streams and the owner were told
	reason   Reason

	tries  int    // drop packets still to send
	next   Time   // when to send the next one
	number uint64 // number of the newest drop packet
	answer bool   // the peer's drop packet must be answered
}

// Close ends the connection and sends the reason to the peer. It repeats the drop packet up to
// eight times, until the peer answers. Packets in flight are reported as dropped, in order. Then
// the streams and the owner are told of the end. Inside a call to a stream, all this waits until
// Receive or Tick returns; after a Send it waits for the next Tick. Later calls of Close and Fail
// do nothing.
func (c *Conn) Close(r Reason) { c.endWith(r, dropTries) }

// Fail ends the connection like Close, but does not tell the peer.
func (c *Conn) Fail(r Reason) { c.endWith(r, 0) }

// Closed returns the reason of the end, and whether the connection has ended.
func (c *Conn) Closed() (Reason, bool) { return c.end.reason, c.end.over }

// Done reports whether the connection has ended and has nothing left to send.
func (c *Conn) Done() bool {
	e := &c.end
	return e.reported && e.tries == 0 && !e.answer && (c.link == nil || c.link.out.Due() == Never)
}

func (c *Conn) endWith(r Reason, tries int) {
	if c.end.over {
		return
	}
	c.end.over, c.end.reason, c.end.tries, c.end.next = true, r, tries, c.now
	if !c.end.inCall {
		c.reportEnd()
	}
}

// beginCall and endCall enclose every call that can call a stream's Notify or Closed.
func (c *Conn) beginCall(now Time) {
	c.now = max(c.now, now)
	c.end.inCall = true
}

func (c *Conn) endCall() {
	c.end.inCall = false
	if c.end.over && !c.end.reported {
		c.reportEnd()
	}
}

// reportEnd tells the streams and then the owner that the connection has ended.
func (c *Conn) reportEnd() {
	c.end.reported = true
	for len(c.held) > 0 {
		c.cfg.Pool.put(c.held.pop().plain)
	}
	c.out.abandon(func(n Seq) { c.reportFate(n, false) })
	for _, s := range c.streams {
		if s, ok := s.(interface{ Closed(Reason) }); ok {
			s.Closed(c.end.reason)
		}
	}
	c.Logf(LogConnections, "%v ended: %v", c.cfg.Addr, c.end.reason)
	if c.cfg.Ended != nil {
		c.cfg.Ended(c, c.end.reason)
	}
}

// sendEnd sends the remaining packets of a connection that has ended.
func (c *Conn) sendEnd() {
	e := &c.end
	if e.answer {
		e.answer = false
		c.sendControl(controlClose)
	}
	if e.tries > 0 && c.now >= e.next {
		e.tries--
		e.next = c.now + min(max(c.rtt.smooth*3/2, minDropWait), maxDropWait)
		e.number++
		w := c.beginPacket(0)
		r := e.reason.forPeer()
		r.serialize(&w.Codec)
		c.seal(kindDrop, e.number, w.Bytes())
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

// receiveDrop handles the peer's drop packet. The peer expects nothing further, so this side stops
// sending drop packets, too.
func (c *Conn) receiveDrop(plain []byte) {
	var r Reason
	c.r.Reset(plain)
	r.serialize(&c.r.Codec)
	if c.r.Err() != nil {
		r = Reason{Code: Closed} // an unreadable drop packet ends the connection all the same
	}
	c.endWith(r.forPeer(), 0)
	c.end.tries, c.end.answer = 0, true
}

// serialize is the wire form of a drop packet.
func (r *Reason) serialize(s *bitstream.Codec) {
	code := uint64(r.Code)
	s.Bits(&code, codeBits)
	r.Code = ReasonCode(code)
	s.Text(&r.Text, MaxReasonText)
}
