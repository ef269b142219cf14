package netcore

import (
	"bytes"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
)

// The server's half of the handshake, after the key exchange: the introduction of the player, and
// the decision about it.

// ConnectRequest is a client's request to connect. The client's address and key are proven, and it
// has the session's keys. Asked returns one, and Answer decides on it. Meanwhile the owner can set
// Welcome, User, Later and Deferred.
type ConnectRequest struct {
	From           Addr
	Key            seal.Key // the client's key
	Name, Password string
	Args           []string // at most 16
	Rate           Rate     // how much the client can receive
	Roles          byte     // ConnectOptions.Roles of the client
	Language       string   // what the client says is its player's language, at most 16 bytes of any kind
	Ticket         []byte   // of the server that sends the player, at most seal.MaxTicket bytes, unchecked; empty: there is none
	Other          bool     // the client's hash of classes is another one, and Parts are its fingerprints
	Parts          []uint32 // at most 1024, in any order
	Later          bool     // there is no answer yet; it is asked again after the next Tick, for at most 2 s
	Deferred       string   // not "": the owner answers at any later time. The client shows this text meanwhile
	Welcome        []byte   // sent to the client with the accept; at most 1000 bytes
	Conn           *Conn    // nil until accepted
	User           any      // becomes Conn.User

	session *halfOpen
	check   bool // the client requests marks
}

// maxDecision is how long the owner can put off an answer.
const maxDecision = 2 * time.Second

// handleIntroduction handles a packet of an introduction to which answerIntroduction has no answer.
// A complete introduction waits for the next Send.
func (e *Endpoint) handleIntroduction(now Time, from Addr, b []byte) {
	nonce, _, _ := parseNonceHead(b, packetIntroduction, 1+1+tagBytes)
	if c := e.byAddr[from]; c != nil && c.responder && c.nonce == nonce {
		c.repeatVerdict(now)
		return
	}
	if s := e.deferred.byAddr[from]; s != nil && s.nonce == nonce {
		e.hearDeferred(now, s)
		return
	}
	e.takePiece(now, e.halfOpen.byAddr[from], b)
}

// repeatVerdict answers a repeated packet of an introduction. The client still asks, so its
// timeouts begin anew.
func (s *connEntry) repeatVerdict(now Time) {
	s.replyDue, s.opened, s.conn.heard = true, now, now
}

// takePiece adds a piece to an introduction. When it is complete, the session counts as heard.
func (e *Endpoint) takePiece(now Time, s *halfOpen, b []byte) {
	index, last, piece, _ := openPiece(s.session, b)
	if len(s.pieces) == 0 {
		s.pieces = make([][]byte, last+1)
	}
	if last+1 != len(s.pieces) {
		e.halfOpen.drop(s)
		return
	}
	s.pieces[index] = piece
	for _, p := range s.pieces {
		if p == nil {
			return
		}
	}
	s.heard, s.turn = now, e.introductions
	e.introductions++
	e.halfOpen.hear(s)
	e.halfOpen.release(s)
	e.introduced = append(e.introduced, s)
}

// Asked returns the oldest introduction that waits for a decision, or nil. The owner asks after
// Send, lets Answer decide, and sends again. No frame of the endpoint is on the stack while it
// makes up its mind: it can receive, tick and send meanwhile, and Asked returns nil. One that is
// put off stays the oldest, and the others wait, too.
func (e *Endpoint) Asked(now Time) *ConnectRequest {
	now = e.advance(now)
	for len(e.introduced) > 0 && !e.putOff && e.asked == nil {
		if r := e.question(now, e.introduced[0]); r != nil {
			e.asked = r.session
			return r
		}
		e.introduced = slices.Delete(e.introduced, 0, 1)
	}
	return nil
}

// question returns the question that an introduction puts to the owner, or nil if the endpoint
// itself has the answer.
func (e *Endpoint) question(now Time, s *halfOpen) *ConnectRequest {
	if s.gone {
		return nil
	}
	if e.dialsPeer(now, s.from, s.key) { // since the key exchange
		e.halfOpen.drop(s)
		return nil
	}
	o, err := unpackIntroduction(bytes.Join(s.pieces, nil), s.other)
	r := &ConnectRequest{
		From: s.from, Key: s.key, Name: o.Name, Password: o.Password, Args: o.Args, Rate: o.Rate, Roles: o.Roles, Language: o.Language, Ticket: o.Ticket, Other: o.Other, Parts: o.Parts,
		session: s, check: o.Check,
	}
	refuse := ""
	if err != nil {
		refuse = err.Error()
	} else if refuse = e.noRoom(s); refuse == "" {
		return r
	}
	e.refuse(now, r, refuse)
	return nil
}

// Answer decides on a request that Asked has returned: "" accepts it, another text refuses it. With
// r.Later set, Asked returns it again after the next Tick. With r.Deferred set, the others go on,
// and the owner calls Answer again: with another text, or without one to decide. Then the limits of
// connections are asked again. If the client has gone meanwhile, or Close has ended the endpoint,
// r.Conn stays nil.
func (e *Endpoint) Answer(now Time, r *ConnectRequest, refuse string) {
	now = e.advance(now)
	s := r.session
	if e.asked == s {
		e.asked = nil
	}
	if s.deferred && refuse == "" && r.Deferred == "" {
		refuse = e.noRoom(s)
	}
	switch {
	case s.gone || s.verdict != nil:
	case r.Later && now-s.heard < maxDecision:
		e.putOff = true
		return
	case r.Later:
		e.refuse(now, r, "the server checks too many connect requests at the moment: try again")
	case refuse != "":
		e.refuse(now, r, refuse)
	case r.Deferred != "":
		e.deferAnswer(now, r)
	case s.deferred && e.dialsPeer(now, s.from, s.key): // since the question
		e.deferred.drop(s)
	default:
		e.accept(now, r)
	}
	if at := slices.Index(e.introduced, r.session); at >= 0 { // Close can have emptied it meanwhile
		e.introduced = slices.Delete(e.introduced, at, at+1)
	}
}

// standstill is more than the time between two Ticks of a slow game, and longer than a usual tick.
const standstill = 500 * time.Millisecond

// excuse adds the time in which the owner stood still, or a tick of it lasted too long, to the
// deadlines of requests without a decision. The packets that their clients sent meanwhile are still
// to be received.
func (e *Endpoint) excuse(now Time) {
	late := now - e.turned - standstill
	e.turned = now
	if late <= 0 {
		return
	}
	e.halfOpen.excuse(now, late)
	for _, list := range [][]*halfOpen{e.introduced, e.deferred.order} {
		for _, s := range list {
			s.heard = min(s.heard+late, now)
		}
	}
}

// acceptAll accepts all introductions, for an owner that is not asked.
func (e *Endpoint) acceptAll(now Time) {
	for r := e.Asked(now); r != nil; r = e.Asked(now) {
		e.Answer(now, r, "")
	}
}

// refuse answers an introduction with a refusal, and keeps the answer for a while.
func (e *Endpoint) refuse(now Time, r *ConnectRequest, refuse string) {
	s, refuse := r.session, plainText(refuse)
	s.refuse(refuse)
	s.pieces = nil
	e.deferred.remove(s)
	if e.halfOpen.byAddr[s.from] == nil {
		e.halfOpen.byAddr[s.from] = s
	}
	e.halfOpen.keep(now, s)
	e.owe(s, s.verdict)
	e.reportRefusal(r, refuse)
}

// refuse seals a refusal, the last packet of the session.
func (s *halfOpen) refuse(why string) {
	s.verdict = sealVerdict(s.session, s.nonce, &verdict{Refusal: why})
	s.session.Erase()
}

// refuseAll refuses the clients whose introduction is not decided yet. It returns the sessions with
// an answer that is due.
func (e *Endpoint) refuseAll(r Reason) (due []*halfOpen) {
	why := plainText(r.forPeer().String())
	tell := func(s *halfOpen) {
		if s.session != nil && s.verdict == nil && !s.gone {
			s.refuse(why)
			s.due = s.verdict
		}
		if s.due != nil {
			due = append(due, s)
		}
	}
	for at := e.halfOpen.order.Front(); at != nil; at = at.Next() {
		tell(at.Value.(*halfOpen))
	}
	for _, s := range slices.Concat(e.introduced, e.deferred.order) {
		tell(s)
	}
	return due
}

// accept turns a session into a connection.
func (e *Endpoint) accept(now Time, r *ConnectRequest) {
	s := r.session
	if len(r.Welcome) > maxWelcome {
		panic("BUG: the welcome exceeds 1000 bytes")
	}
	if p := e.pendingTo(s.from); p != nil {
		e.fail(p, Reason{Code: Replaced})
	}
	route := e.newRoute()
	v := verdict{Accepted: true, Route: route, Check: r.check || e.cfg.Check, Rate: e.cfg.RecvRate.withDefaults(DefaultRate), Welcome: r.Welcome}
	c := &connEntry{nonce: s.nonce, reply: sealVerdict(s.session, s.nonce, &v), replyDue: true, responder: true}
	e.deferred.remove(s)
	e.halfOpen.remove(s)
	r.Conn = e.open(now, c, ConnConfig{
		Addr: s.from, Keys: s.session, Peer: s.key, PeerRate: r.Rate, Check: v.Check,
		MayMove: e.mayMove, Challenge: e.seed, Moved: func(_ *Conn, old Addr) { e.moved(c, old) },
	}, r.User)
	r.Conn.rates.route.next = route
	e.addRoute(c, route)
	if e.cfg.Connected != nil {
		e.cfg.Connected(r.Conn, r.Welcome)
	}
}

// atConnectionLimit reports whether the address of a client has its maximum of connections and
// deferred requests. Those that the client would replace do not count: that of the same address and
// port, and those of the same key.
func (e *Endpoint) atConnectionLimit(from Addr, key seal.Key) bool {
	if e.limits.Exempt(from) {
		return false
	}
	n, host := 0, from.Host()
	count := func(a Addr, k seal.Key) {
		if a != from && a.Host() == host && k != key {
			n++
		}
	}
	for _, s := range e.ordered {
		if _, ended := s.conn.Closed(); !ended {
			count(s.conn.Addr(), s.conn.Peer())
		}
	}
	for _, s := range e.deferred.order {
		count(s.from, s.key)
	}
	return n >= e.limits.Connections
}

// unconfirmed reports whether no authentic packet has arrived yet from the client. Until then the
// verdict can be lost.
func (s *connEntry) unconfirmed() bool {
	if !s.responder {
		return false
	}
	_, ended := s.conn.Closed()
	seen := s.conn.Stats()
	return !ended && seen.Received+seen.Held+seen.ControlReceived == 0
}

// owe makes the next Send pass on an answer to a half-open session.
func (e *Endpoint) owe(s *halfOpen, answer []byte) {
	if s.due == nil {
		e.owed = append(e.owed, s)
	}
	s.due = answer
}
