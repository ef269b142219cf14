package netcore

import "time"

// The address of a client can change in mid-game: a router gives it another port, or a phone leaves
// the house. The server's half of a connection follows:
//
//	newest packet from a new address ──▶ a candidate: a challenge to that address, again after each pause
//	answer from that address         ──▶ moved: packets go there, and the client gets another route
//	packet from the old address      ──▶ the old one wins, no candidate
//	no answer                        ──▶ the old address stays, and challenges go on while packets come
//	the owner refuses the address    ──▶ the old address stays, and the owner is asked again after 2 s
//
// Until the answer the new address gets nothing but challenges, at most three bytes for each byte
// that it has sent. The owner can refuse an address.

const (
	challengeWait    = 100 * time.Millisecond // least pause between two challenges; it doubles
	maxChallengeWait = 2 * time.Second
	amplify          = 3 // bytes to an unproven address for each byte from it
	challengeBits    = 64
)

// addressCandidate is an address that the client may have moved to. The zero value means that there
// is none.
type addressCandidate struct {
	to        Addr
	challenge uint64
	received  int  // bytes from the address
	sent      int  // bytes to the address
	allowed   bool // the owner has allowed the address
	asks      bool // a packet came from the address since the last challenge
	wait      Time // pause after the next challenge
	next      Time // when it may be sent, or the owner is asked again
}

// receiveRouted handles a packet that names this connection, from any address.
// The datagram has size bytes.
func (c *Conn) receiveRouted(at Time, from Addr, id uint64, packet []byte, size int) {
	c.from = from
	before := c.newest
	c.Receive(at, packet)
	if c.newest == before || c.end.over {
		return // not authentic, or not the newest packet
	}
	c.usesRoute(id)
	c.heardFrom(from, size)
}

// heardFrom handles the address of the newest packet.
func (c *Conn) heardFrom(from Addr, size int) {
	switch {
	case from == c.cfg.Addr:
		c.candidate = addressCandidate{}
	case from == c.candidate.to:
		c.candidate.received += size
		c.askOwner()
	default:
		c.candidate = addressCandidate{to: from, received: size, next: c.now, wait: max(challengeWait, c.rtt.smooth*3/2)}
		c.askOwner()
	}
}

// askOwner asks whether the client can move to the candidate. After a refusal it asks again from
// time to time: a ban can end.
func (c *Conn) askOwner() {
	p := &c.candidate
	if !p.allowed && c.now >= p.next {
		if p.allowed = c.cfg.MayMove != nil && c.cfg.MayMove(c, p.to); p.allowed {
			p.challenge = c.cfg.Challenge()
		} else {
			p.next = c.now + maxChallengeWait
		}
	}
	p.asks = p.allowed
}

// challengeDue returns when the next challenge is due.
func (c *Conn) challengeDue() Time {
	if !c.candidate.asks {
		return Never
	}
	return c.candidate.next
}

// sendChallenge sends a challenge to the address that the client may have moved to.
func (c *Conn) sendChallenge() {
	p := &c.candidate
	p.asks = false
	p.next, p.wait = c.now+p.wait, min(2*p.wait, maxChallengeWait)
	c.outbox.detour(p.to, amplify*p.received-p.sent)
	c.sendControl(controlPath)
	p.sent += c.outbox.endDetour()
}

// pathAnswerDue returns when the answer to a challenge is due.
func (c *Conn) pathAnswerDue() Time {
	if !c.pathAnswer {
		return Never
	}
	return c.nextPathAnswer
}

// sendPath sends what is due about addresses: an answer to the server, or a challenge to a client.
func (c *Conn) sendPath() {
	if c.now >= c.pathAnswerDue() {
		c.pathAnswer, c.nextPathAnswer = false, c.now+answerPause
		c.sendControl(controlPathAnswer)
	}
	if c.now >= c.challengeDue() {
		c.sendChallenge()
	}
	if c.now >= c.pathSize.answerDue() {
		c.pathSize.answer, c.pathSize.pause = false, c.now+answerPause
		c.pathSize.named = c.pathSize.echo
		c.sendControl(controlSizeAnswer)
	}
	if c.now >= c.pathSize.due(c.sizeGoal()) {
		if c.pathSize.named = c.pathSize.probe(c.now, c.sizeGoal()); c.pathSize.named > 0 {
			c.sendControl(controlSize)
			c.pathSize.probed(c.now, c.rtt.smooth, c.rate.spendProbe(c.now, c.pathSize.named))
		}
	}
}

// handlePathAnswer moves the connection if the answer is right and comes from the probed address.
func (c *Conn) handlePathAnswer(challenge uint64) {
	p := &c.candidate
	if !p.allowed || p.sent == 0 || c.from != p.to || challenge != p.challenge {
		return
	}
	if p.allowed = c.cfg.MayMove(c, p.to); !p.allowed { // refused since the challenge
		p.asks, p.next = false, c.now+maxChallengeWait
		return
	}
	old := c.cfg.Addr
	c.cfg.Addr, c.candidate = p.to, addressCandidate{}
	c.rate.move(c.now, c.cfg.Addr)
	c.pathSize = pathSize{pause: c.pathSize.pause}
	c.Logf(LogConnections, "%v moved to %v", old, c.cfg.Addr)
	if c.cfg.Moved != nil {
		c.cfg.Moved(c, old)
	}
}

// mayMove reports whether a connection can follow its client to another address.
func (e *Endpoint) mayMove(c *Conn, to Addr) bool {
	if e.atConnectionLimit(to, c.Peer()) {
		return false
	}
	return e.cfg.MayMove == nil || e.cfg.MayMove(c, to)
}

// moved files a connection under its new address, and gives the client another route, so that
// nobody who sees the packets of both addresses can tell that they belong together.
func (e *Endpoint) moved(s *connEntry, old Addr) {
	if e.byAddr[old] == s {
		delete(e.byAddr, old)
	}
	e.byAddr[s.conn.Addr()] = s
	if s.conn.rates.route.used && len(e.byID) < maxRoutes {
		r := e.newRoute()
		e.addRoute(s, r)
		s.conn.announceRoute(r)
	}
	if e.cfg.Moved != nil {
		e.cfg.Moved(s.conn, old)
	}
}
