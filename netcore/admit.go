package netcore

import (
	"bytes"
	"fmt"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore/seal"
)

// The server's half of the handshake, up to the key exchange. answerConnectRequest makes the cheap
// checks immediately. admit does the key exchange later, within a rate limit.

// maxWaiting is how many requests can wait for their key exchange: a quarter of a second's at the
// default rate.
const maxWaiting = 256

// shares are how much the ranges of an address can use: a whole IPv6 /48 four times as much as one
// address. See Addr.Ranges.
var shares = [...]int{1, 4}

// pendingRequest is a connect request with a proven address, before the key exchange.
type pendingRequest struct {
	from   Addr
	puzzle seal.Puzzle
	first  []byte
	told   bool // the client knows that it waits
}

// handleConnectRequest handles a connect request that passed all checks of answerConnectRequest.
func (e *Endpoint) handleConnectRequest(now Time, from Addr, b []byte) {
	p, _, first, _ := parseConnectRequest(b)
	if !e.limits.Exempt(from) {
		e.useLimits(now, from)
	}
	e.halfOpen.count(from, 1)
	e.waiting = append(e.waiting, pendingRequest{from: from, puzzle: p, first: bytes.Clone(first)})
}

// repeatReply answers a connect request that was seen before. It sends the same bytes again, or the
// place in the queue.
func (e *Endpoint) repeatReply(from Addr, cookie seal.Cookie) bool {
	if s := e.halfOpen.byAddr[from]; s != nil && s.cookie == cookie {
		e.repeat(s, s.reply)
		return true
	}
	for i := range e.waiting {
		if w := &e.waiting[i]; w.from == from && w.puzzle.Cookie == cookie {
			e.challenges.push(challenge{from: from, nonce: w.puzzle.Nonce, busy: true, ahead: i})
			return true
		}
	}
	return false
}

// withinLimits applies the limits by address. Requests above a limit are dropped, and their clients
// are told to wait. The client can ask again. A dropped request uses nothing: an address above its
// own limit takes nothing from the others of its site.
func (e *Endpoint) withinLimits(now Time, from Addr) bool {
	for i, at := range from.Ranges() {
		if e.halfOpen.counts[at] >= shares[i]*e.limits.HalfOpenByAddress || !e.addressLimiter.allows(now, at, e.rateOf(i)) {
			return false
		}
	}
	return true
}

// useLimits counts a request that is within the limits.
func (e *Endpoint) useLimits(now Time, from Addr) {
	for i, at := range from.Ranges() {
		e.addressLimiter.take(now, at, e.rateOf(i))
	}
}

// rateOf returns the handshakes per second of the i-th range of an address.
func (e *Endpoint) rateOf(i int) float64 { return float64(shares[i]) * e.limits.RateByAddress }

// admit completes the waiting key exchanges, oldest first, as far as the rate limit allows.
func (e *Endpoint) admit(now Time) {
	limit := rate.Limit{PerSecond: e.limits.Rate, Burst: max(e.limits.Rate/16, 1)} // at once: the rate of two ticks
	crowded := len(e.waiting) >= maxWaiting
	done := 0
	for done < len(e.waiting) && e.handshakeBucket.Take(now, limit, 1) {
		e.exchangeKeys(now, e.waiting[done])
		done++
	}
	if done > 0 && done <= len(e.waiting) { // Close can have emptied it meanwhile
		kept := copy(e.waiting, e.waiting[done:])
		clear(e.waiting[kept:])
		e.waiting = e.waiting[:kept]
	}
	crowded = crowded || len(e.waiting) > 0 || 2*e.halfOpen.order.Len() > e.limits.HalfOpen
	e.difficulty.update(now, crowded)
}

// tellWaiting tells each client that must wait its place, once. Later it learns its place when it
// repeats its packets. The clients behind the last one that knows are new. Introductions wait only
// if the owner lets them: else it decides on them after this Send.
func (e *Endpoint) tellWaiting() {
	for i := len(e.waiting) - 1; i >= 0 && !e.waiting[i].told; i-- {
		w := &e.waiting[i]
		w.told = true
		e.challenges.push(challenge{from: w.from, nonce: w.puzzle.Nonce, busy: true, ahead: i})
	}
	for i := len(e.introduced) - 1; i >= 0 && !e.introduced[i].told && (e.putOff || e.asked != nil); i-- {
		s := e.introduced[i]
		s.told = true
		e.challenges.push(challenge{from: s.from, nonce: s.nonce, busy: true, ahead: i})
	}
}

const unequalLists = "the class lists differ: client and server are different builds"

// exchangeKeys completes one key exchange: it decrypts the greeting, compares it with this side's
// program, and stores the answer.
func (e *Endpoint) exchangeKeys(now Time, w pendingRequest) {
	e.halfOpen.count(w.from, -1)
	r, err := seal.NewResponder(e.cfg.Entropy, e.cfg.Identity, prologue(w.puzzle))
	if err != nil {
		return
	}
	payload, key, err := r.Read(w.first)
	if err != nil || e.dialsPeer(now, w.from, key) || !e.cookies.Spend(now, w.puzzle.Cookie) {
		return // forged, unwanted or replayed; an authentic request can still use the cookie
	}
	r.Reveal = e.reveal(w.from)
	var v verdict
	v.Other, v.Refusal = e.compare(payload)
	v.Accepted = v.Refusal == ""
	reply, session, err := r.Write(appendNonceHead(nil, packetConnectReply, w.puzzle.Nonce), packGreetingVerdict(&v))
	if err != nil {
		return
	}
	s := &halfOpen{from: w.from, key: key, nonce: w.puzzle.Nonce, cookie: w.puzzle.Cookie, reply: reply, other: v.Other}
	e.halfOpen.add(now, s, e.limits.HalfOpen)
	if v.Accepted {
		s.session = session
	} else {
		e.halfOpen.hear(s)
		e.reportRefusal(&ConnectRequest{From: w.from, Key: key}, v.Refusal)
	}
	e.owe(s, s.reply)
}

// compare reads a greeting and compares the client's program with this one. It returns why they do
// not fit together, or "". other means that they have unequal lists.
func (e *Endpoint) compare(payload []byte) (other bool, refuse string) {
	g, err := unpackGreeting(payload, e.cfg.Version)
	switch {
	case err != nil:
		return false, err.Error()
	case g.Version != e.cfg.Version:
		older := "your program is older"
		if g.Version > e.cfg.Version {
			older = "the server is older"
		}
		return false, fmt.Sprintf("protocol version %d, the server has %d: %s", g.Version, e.cfg.Version, older)
	case g.Game != e.cfg.Game:
		return false, plainText(fmt.Sprintf("the server plays %q, not %q", e.cfg.Game, g.Game))
	case g.Classes != e.cfg.Classes && e.cfg.Parts == nil:
		return false, unequalLists
	}
	return g.Classes != e.cfg.Classes, ""
}

// dialsPeer reports whether this side makes the connection to a peer that also asks for one. When
// two endpoints dial each other, the one with the lower key dials and the other answers. The peer's
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

func (e *Endpoint) reportRefusal(r *ConnectRequest, refuse string) {
	if e.cfg.Refused != nil {
		e.cfg.Refused(r, refuse)
	}
}
