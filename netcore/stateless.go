package netcore

import "github.com/torc-engine/torc/netcore/seal"

// Most datagrams of strangers are stateless: an endpoint drops or answers them, and nothing else
// follows. So whoever records the inputs of an endpoint can leave them out, together with the
// answers. Otherwise strangers could fill the record.
//
//	dropped    damaged, with a wrong cookie or solution, for a connection that nobody has or with
//	           a guessed id
//	answered   a challenge, "wait", "no such session", a reset, or the same answer again
//
// The answers are in queues of their own, of which all other datagrams of the endpoint are
// independent.

// ReceiveStateless handles a datagram if it is stateless, and reports whether it is.
// ReceiveStateful handles the others.
func (e *Endpoint) ReceiveStateless(at Time, from Addr, b []byte) bool {
	if len(b) == 0 || len(b) > MaxDatagram {
		return true
	}
	if b[0]&3 != 0 || b[0] == packetReset {
		s := e.byAddr[from]
		return s == nil || s.responder
	}
	now := max(e.now, at)
	switch b[0] {
	case packetRouted, packetShort:
		return e.answerRouted(now, from, b)
	case packetChallengeRequest:
		if nonce, ok := parseChallengeRequest(b); ok && e.cfg.Accepting {
			e.challenges.push(challenge{from: from, nonce: nonce})
		}
	case packetConnectRequest:
		return e.answerConnectRequest(now, from, b)
	case packetIntroduction:
		return e.answerIntroduction(now, from, b)
	case packetChallengeResponse, packetConnectReply, packetVerdict, packetSessionUnknown, packetBusy, packetDeferred:
		return e.pendingTo(from) == nil
	}
	return true
}

// SendStateless passes on the answers to stateless datagrams. Send calls it, too.
func (e *Endpoint) SendStateless(now Time, out func(to Addr, b []byte)) {
	now = max(e.now, now)
	for c, ok := e.challenges.pop(); ok; c, ok = e.challenges.pop() {
		switch {
		case c.unknown:
			out(c.from, appendNonceHead(e.scratch[:0], packetSessionUnknown, c.nonce))
		case c.busy:
			out(c.from, appendBusy(e.scratch[:0], c.nonce, c.ahead))
		default:
			p := seal.Puzzle{Nonce: c.nonce, Difficulty: e.difficulty.level}
			p.Cookie = e.cookies.Make(now, e.addressBytes(c.from), p.Nonce, p.Difficulty)
			out(c.from, appendChallengeResponse(e.scratch[:0], p, e.cfg.Identity.Public))
		}
	}
	e.resets.send(e, out)
	for _, s := range e.repeats {
		out(s.from, s.again)
		s.again = nil
	}
	clear(e.repeats)
	e.repeats = e.repeats[:0]
}

// answerRouted answers a packet of a connection that this side does not have, and drops guesses.
func (e *Endpoint) answerRouted(now Time, from Addr, b []byte) bool {
	s, id, packet, ok := e.routed(b)
	whole := b[0] == packetRouted
	switch {
	case !ok:
		return true
	case s != nil:
		return !whole && e.guessed(now, from, s.conn, packet)
	case whole:
		e.resets.add(now, from, id, e)
	}
	return true
}

// answerConnectRequest answers a connect request that gets no key exchange. It costs no more than
// two MACs and a hash.
func (e *Endpoint) answerConnectRequest(now Time, from Addr, b []byte) bool {
	p, solution, _, ok := parseConnectRequest(b)
	if !ok || !e.cookies.Check(now, e.addressBytes(from), p) {
		return true
	}
	if e.repeatReply(from, p.Cookie) || !e.cfg.Accepting || e.cookies.Spent(p.Cookie) || !p.Solved(solution) {
		return true
	}
	switch {
	case !e.difficulty.accepts(p.Difficulty):
		e.challenges.push(challenge{from: from, nonce: p.Nonce})
	case len(e.waiting) >= maxWaiting:
		e.challenges.push(challenge{from: from, nonce: p.Nonce, busy: true, ahead: len(e.waiting)})
	case !e.limits.Exempt(from) && !e.withinLimits(now, from):
		e.challenges.push(challenge{from: from, nonce: p.Nonce, busy: true})
	default:
		return false
	}
	return true
}

// answerIntroduction answers a packet of an introduction that adds nothing to it.
func (e *Endpoint) answerIntroduction(now Time, from Addr, b []byte) bool {
	nonce, _, ok := parseNonceHead(b, packetIntroduction, 1+1+tagBytes)
	if !ok {
		return true
	}
	if c := e.byAddr[from]; c != nil && c.responder && c.nonce == nonce {
		_, _, _, ok := openPiece(c.conn.cfg.Keys, b)
		return !c.unconfirmed() || !ok
	}
	s := e.halfOpen.byAddr[from]
	if d := e.deferred.byAddr[from]; d != nil && d.nonce == nonce {
		s = d
	}
	switch {
	case s == nil || s.nonce != nonce || s.session == nil:
		if e.cfg.Accepting {
			e.challenges.push(challenge{from: from, nonce: nonce, unknown: true})
		}
	case s.verdict != nil:
		e.repeat(s, s.verdict)
	case s.deferred:
		if now-s.heard >= deferredHear && s.authentic(b) {
			return false
		}
		e.repeat(s, s.deferral)
	case s.place != nil:
		return !s.needs(b)
	case len(e.introduced) > 0:
		e.challenges.push(challenge{from: from, nonce: nonce, busy: true, ahead: s.turn - e.introduced[0].turn})
	}
	return true
}

// needs reports whether b is an authentic piece of the introduction that is missing, or one that
// contradicts the others.
func (s *halfOpen) needs(b []byte) bool {
	index, last, _, ok := openPiece(s.session, b)
	return ok && (last+1 != len(s.pieces) || s.pieces[index] == nil)
}

// authentic reports whether b is a piece of the session's introduction.
func (s *halfOpen) authentic(b []byte) bool {
	_, _, _, ok := openPiece(s.session, b)
	return ok
}

// repeat makes the next Send pass on an answer to a half-open session again.
func (e *Endpoint) repeat(s *halfOpen, answer []byte) {
	if s.again == nil {
		e.repeats = append(e.repeats, s)
	}
	s.again = answer
}
