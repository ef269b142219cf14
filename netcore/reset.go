package netcore

import (
	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore/seal"
)

// A stateless reset ends a connection that the server does not have: its process was restarted. The
// server needs no memory of the connection, because the token follows from its identity and from
// the id in the client's packet. A reset is always shorter than the packet that it answers, so it
// amplifies nothing, and two endpoints cannot answer each other's resets for ever.

// resetSize is the size of a reset: the type and the token.
const resetSize = 1 + len(seal.ResetToken{})

const (
	resetsByAddress = 5   // per second to one address
	maxResets       = 256 // between two Sends
)

// allResets limits the resets to all addresses: about 1 % of a core.
var allResets = rate.Limit{PerSecond: 2000, Burst: 200}

// pendingReset is a reset that the next Send passes on.
type pendingReset struct {
	to Addr
	id uint64
}

// resets are the resets of a server that are due, and their limits.
type resets struct {
	due       []pendingReset
	total     rate.Bucket
	addresses AddressLimiter
}

// add answers a packet that names no connection of e.
func (r *resets) add(now Time, to Addr, id uint64, e *Endpoint) {
	if !e.cfg.Accepting || len(r.due) >= maxResets || !r.total.Has(now, allResets, 1) {
		return
	}
	if !e.limits.Exempt(to) && !r.addresses.take(now, to.Host(), resetsByAddress) {
		return
	}
	r.total.Take(now, allResets, 1)
	r.due = append(r.due, pendingReset{to, id})
}

// send passes on the resets that are due.
func (r *resets) send(e *Endpoint, out func(to Addr, b []byte)) {
	for _, d := range r.due {
		token := e.tokens.Token(d.id)
		out(d.to, append(append(e.scratch[:0], packetReset), token[:]...))
	}
	r.due = r.due[:0]
}

// handleReset ends the connection to the server that sent a reset with the connection's token.
func (e *Endpoint) handleReset(now Time, from Addr, b []byte) {
	s := e.byAddr[from]
	if s == nil || s.responder || len(b) != resetSize {
		return
	}
	s.conn.reset(now, seal.ResetToken(b[1:]))
}

// reset ends the connection if the token is that of its newest route. A server that lives tells the
// token of an older one to everybody who repeats an old packet.
func (c *Conn) reset(now Time, t seal.ResetToken) {
	if c.cfg.Route.ID == 0 || !t.Equal(c.cfg.Route.Reset) {
		c.stats.Forged++
		return
	}
	c.beginCall(now)
	c.Fail(Reason{Code: Forgotten, Text: "the server was restarted"})
	c.endCall()
}
