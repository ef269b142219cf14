package netcore

import (
	"bytes"
	"fmt"

	"github.com/torc-engine/torc/netcore/seal"
)

// The server's half of the handshake. requested makes the cheap checks immediately. admit does the
// key exchange later, within a rate limit.

// handleConnectRequest handles a connect request. Until all checks here pass, the request costs no more than
// two MACs.
func (e *Endpoint) handleConnectRequest(now Time, from Addr, b []byte) {
	nonce, cookie, first, ok := parseConnectRequest(b)
	if !ok || !e.cookies.Check(now, e.addressBytes(from), nonce, cookie) {
		return
	}
	if e.answerRepetition(now, from, cookie) || !e.cfg.Accepting || e.cookies.Spent(cookie) {
		return
	}
	if len(e.halfOpen)+e.countUnconfirmed() >= e.limits.HalfOpen {
		return
	}
	if !e.limits.Exempt(from) && !e.withinLimits(now, from) {
		return
	}
	e.halfOpen = append(e.halfOpen, pendingRequest{from, nonce, cookie, bytes.Clone(first)})
}

// answerRepetition answers a request that was seen before. It sends the same bytes again.
func (e *Endpoint) answerRepetition(now Time, from Addr, cookie seal.Cookie) bool {
	if s := e.byAddr[from]; s != nil && s.responder && s.cookie == cookie {
		if s.replyDue = s.unconfirmed(); s.replyDue { // until the client is heard
			s.opened = now // the client still asks: restart its timeout
		}
		return true
	}
	for i := range e.refused {
		if r := &e.refused[i]; r.from == from && r.cookie == cookie && r.reply != nil {
			r.due = true
			return true
		}
	}
	for i := range e.halfOpen {
		if e.halfOpen[i].from == from && e.halfOpen[i].cookie == cookie {
			return true
		}
	}
	return false
}

// withinLimits applies the limits by address. Requests above a limit are dropped without an answer.
// The client can ask again.
func (e *Endpoint) withinLimits(now Time, from Addr) bool {
	host, open := from.Host(), 0
	for i := range e.halfOpen {
		if e.halfOpen[i].from.Host() == host {
			open++
		}
	}
	for _, s := range e.ordered {
		if s.unconfirmed() && s.conn.Addr().Host() == host {
			open++
		}
	}
	return open < e.limits.HalfOpenByAddress && e.addressLimiter.take(now, host, e.limits.RateByAddress)
}

// unconfirmed reports whether no authentic packet has arrived yet from the client. Until then the
// accept can be lost.
func (s *connEntry) unconfirmed() bool {
	if !s.responder {
		return false
	}
	_, ended := s.conn.Closed()
	seen := s.conn.Stats()
	return !ended && seen.Received+seen.Held+seen.ControlReceived == 0
}

func (e *Endpoint) countUnconfirmed() (n int) {
	for _, s := range e.ordered {
		if s.unconfirmed() {
			n++
		}
	}
	return n
}

// admit completes the waiting handshakes, oldest first, as far as the rate limit allows.
func (e *Endpoint) admit(now Time) {
	burst := max(e.limits.Rate/16, 1) // the rate of two ticks
	done := 0
	for done < len(e.halfOpen) && e.handshakeBucket.take(now, e.limits.Rate, burst) {
		e.completeHandshake(now, e.halfOpen[done])
		done++
	}
	if done > 0 && done <= len(e.halfOpen) { // Close can have emptied it meanwhile
		kept := copy(e.halfOpen, e.halfOpen[done:])
		clear(e.halfOpen[kept:])
		e.halfOpen = e.halfOpen[:kept]
	}
}

// completeHandshake completes one handshake: it decrypts the request, decides on it and stores the answer.
func (e *Endpoint) completeHandshake(now Time, w pendingRequest) {
	r, err := seal.NewResponder(e.cfg.Entropy, e.cfg.Identity, prologue(w.nonce, w.cookie))
	if err != nil {
		return
	}
	payload, key, err := r.Read(w.first)
	if err != nil || e.dialsPeer(now, w.from, key) || !e.cookies.Spend(now, w.cookie) {
		return // forged, unwanted or replayed; an authentic request can still use the cookie
	}
	if p := e.pendingTo(w.from); p != nil {
		e.fail(p, Reason{Code: Replaced})
	}
	request, o, refuse := e.decide(w.from, key, payload)
	a := connectAnswer{Accepted: refuse == "", Check: o.Check || e.cfg.Check, Rate: e.cfg.RecvRate.withDefaults(DefaultRate), Refusal: plainText(refuse)}
	if a.Accepted {
		if len(request.Welcome) > maxWelcome {
			panic("BUG: the welcome exceeds 1000 bytes")
		}
		a.Welcome = request.Welcome
	}
	reply, pair, err := r.Write(appendConnectReplyHead(nil, w.nonce), packAnswer(&a))
	if err != nil {
		return
	}
	if !a.Accepted {
		if e.cfg.Refused != nil {
			e.cfg.Refused(request, a.Refusal)
		}
		e.refused[e.nextRefuse] = refusal{w.from, w.cookie, reply, true}
		e.nextRefuse = (e.nextRefuse + 1) % maxRefusals
		return
	}
	s := &connEntry{cookie: w.cookie, reply: reply, replyDue: true, responder: true}
	request.Conn = e.open(now, s, ConnConfig{
		Addr: w.from, Keys: pair, Peer: key, PeerRate: o.Rate, Check: a.Check,
	}, request.User)
	if e.cfg.Connected != nil {
		e.cfg.Connected(request.Conn, request.Welcome)
	}
}

// dialsPeer reports whether this side makes the connection to a peer that also asks for one. When two
// endpoints dial each other, the one with the lower key dials and the other answers. The peer's
// request can still arrive after this side's handshake is complete.
func (e *Endpoint) dialsPeer(now Time, from Addr, key seal.Key) bool {
	if bytes.Compare(e.cfg.Identity.Public[:], key[:]) >= 0 {
		return false
	}
	if e.pendingTo(from) != nil {
		return true
	}
	s := e.byAddr[from]
	if s == nil || s.responder || s.conn.Peer() != key || now-s.opened >= connectTimeout {
		return false
	}
	_, ended := s.conn.Closed()
	return !ended
}

// decide reads an offer and decides on it. The returned text is the refusal; it is empty when the
// offer is accepted.
func (e *Endpoint) decide(from Addr, key seal.Key, payload []byte) (*ConnectRequest, offer, string) {
	o, err := unpackOffer(payload, e.cfg.Version)
	r := &ConnectRequest{
		From: from, Key: key, Name: o.Name, Password: o.Password,
		Args: o.Args, Rate: o.Rate, Roles: o.Roles,
	}
	switch {
	case err != nil:
		return r, o, err.Error()
	case o.Version != e.cfg.Version:
		return r, o, fmt.Sprintf("protocol version %d, the server has %d", o.Version, e.cfg.Version)
	case o.Game != e.cfg.Game:
		return r, o, fmt.Sprintf("the server plays %q, not %q", e.cfg.Game, o.Game)
	case o.Classes != e.cfg.Classes:
		return r, o, "the class lists differ: client and server are different builds"
	case e.atConnectionLimit(from):
		return r, o, fmt.Sprintf("too many connections from this address (%d)", e.limits.Connections)
	case e.cfg.Decide == nil:
		return r, o, ""
	}
	return r, o, e.cfg.Decide(r)
}

// atConnectionLimit reports whether an address has its maximum of connections. The connection that the
// request would replace does not count.
func (e *Endpoint) atConnectionLimit(from Addr) bool {
	if e.limits.Exempt(from) {
		return false
	}
	n, host := 0, from.Host()
	for _, s := range e.ordered {
		_, ended := s.conn.Closed()
		if a := s.conn.Addr(); !ended && a != from && a.Host() == host {
			n++
		}
	}
	return n >= e.limits.Connections
}
