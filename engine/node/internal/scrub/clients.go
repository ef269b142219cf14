package scrub

import (
	"encoding/binary"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// Clients are the made-up clients of the second server.
type Clients struct {
	Words  *Words
	Watch  *Watch // of the replayed server; it is ahead by the present call
	Joins  Joins
	Server seal.Key                                           // of the second server
	Host   *engine.Host                                       // the second server
	Give   func(at netcore.Time, from netcore.Addr, b []byte) // gives it a datagram

	all     []*client
	byNonce map[seal.Nonce]*client
	byRoute map[uint64]*client
	byAddr  map[netcore.Addr]*client // by the address that the server sees
	n       int                      // datagrams so far
}

// NewClients returns the clients with these attempts to join. The caller sets Server, Host and Give.
func NewClients(words *Words, joins Joins, watch *Watch) *Clients {
	return &Clients{Words: words, Joins: joins, Watch: watch, byNonce: map[seal.Nonce]*client{}, byRoute: map[uint64]*client{}, byAddr: map[netcore.Addr]*client{}}
}

// Receive takes a datagram that the replayed server has got. In its place the client sends one of its own.
func (c *Clients) Receive(at netcore.Time, from netcore.Addr, b []byte) {
	c.n++
	nonce, stage := netcore.Stage(b)
	if stage == netcore.Connected {
		if who := c.routed(from, b); who != nil {
			c.speak(who, at, from)
		}
		return
	}
	j := c.Joins[nonce]
	if j == nil || stage == netcore.Introducing && c.n != j.done {
		return // nobody joins by it
	}
	who := c.byNonce[nonce]
	if who == nil {
		who = newClient(c, at, from, j)
		c.all, c.byNonce[nonce] = append(c.all, who), who
		c.speak(who, at, from) // it asks for a challenge, of which a journal has nothing
		c.Host.SendStateless(at, func(to netcore.Addr, b []byte) { c.Sent(at, to, b) })
	}
	if stage > who.stage { // a repetition gets no answer of its own
		who.stage = stage
		c.speak(who, at, from)
	}
}

// speak lets a client send from an address.
func (c *Clients) speak(who *client, at netcore.Time, from netcore.Addr) {
	who.at = c.Words.Addr(from)
	c.byAddr[who.at.Remote()] = who
	who.speak(at, func(b []byte) { c.Give(at, who.at, b) })
}

// routed returns the client of a packet of a connection.
func (c *Clients) routed(from netcore.Addr, b []byte) *client {
	id := binary.LittleEndian.Uint64(b[1:])
	if who := c.byRoute[id]; who != nil {
		return who
	}
	for i := len(c.all) - 1; i >= 0; i-- {
		who := c.all[i]
		if who.heard == nil && who.from == from {
			who.heard = c.newest(from)
		}
		if who.heard != nil && who.heard.conn != nil && who.heard.conn.Addr() == from {
			c.byRoute[id] = who
			return who
		}
	}
	return nil
}

// newest returns the newest connection of an address.
func (c *Clients) newest(from netcore.Addr) *heard {
	for i := len(c.Watch.heard) - 1; i >= 0; i-- {
		if h := c.Watch.heard[i]; h.conn != nil && h.conn.Addr() == from {
			return h
		}
	}
	return nil
}

// Tick lets those clients send whose packets waited in the replayed server for this tick.
func (c *Clients) Tick(now netcore.Time) {
	for _, who := range c.all {
		if who.heard != nil && len(who.heard.moves)+len(who.heard.events) > 0 {
			who.speak(now, func(b []byte) { c.Give(now, who.at, b) })
		}
	}
}

// Sent takes a datagram of the second server.
func (c *Clients) Sent(now netcore.Time, to netcore.Addr, b []byte) {
	if who := c.byAddr[to.Remote()]; who != nil {
		who.waiting = append(who.waiting, message{now, append([]byte(nil), b...)})
	}
}
