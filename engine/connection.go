package engine

import (
	"cmp"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/move"
	"github.com/torc-engine/torc/netcore/seal"
)

// A Connection is one peer of a Host, and an object of its world. It is a group of class
// GameConnection, so its members are deleted with it. It combines a netcore.Conn, its streams, and
// values that each have a part of the work.
type Connection struct {
	sim.Group

	host *Host
	peer
	streams

	Line       Line          // the way to the peer
	Join       Join          // progress of the join
	Server     ServerInfo    // of the client side: what the server told of itself
	Blocks     BlockTransfer // datablocks and descriptions of classes
	Visible    VisibleSet    // objects of this side that the peer sees
	Ghosting   Ghosting      // their way to the peer
	PeerGhosts PeerGhosts    // ghosts of the peer's objects
	Control    Control       // the peer's control object on this side
	prediction prediction    // this side's control object at the peer
	Pilot      Pilot         // makes the moves of a bot. On a client it makes the moves unless Host.SetMoves is set
	Camera     PlayerCamera  // of the player
	Tints      Tints         // of the player's screen
	Commands   Commands      // remote calls
	Watching   Watching      // of a spectator
	inbox      inbox         // events of the peer that wait for Tick
	voice      *Voice        // what it says and hears; nil: nothing yet
	forms      *Forms        // that it shows, and its binds; nil: none yet
	refs       references    // objects in events and control states

	PlayerName string // sent by the peer; scripts can change it
	logLimiter limiter
}

// peer says who is at the other end of a connection.
type peer struct {
	address string
	key     seal.Key
	inbound bool // this side is the server of the connection
	bot     bool // without a peer
	ended   bool // scripts know

	dismissed bool // a bot that ends in the next tick
	spectator bool // the client only watches

	rare *rare // what few peers have; nil: nothing
}

// rare is the part of a peer that most peers lack.
type rare struct {
	language string   // of the player; "" is DefaultLanguage
	foreign  *foreign // the peer has other classes or events
	handoff  *handoff // to another server, the last one
	arrival  *arrival // from another server
}

// foreign returns the part of a peer with other classes or events, nil of one with the same.
func (c *Connection) foreign() *foreign {
	if c.rare == nil {
		return nil
	}
	return c.rare.foreign
}

// setRare changes what few peers have.
func (c *Connection) setRare(change func(r *rare)) {
	if c.rare == nil {
		c.rare = new(rare)
	}
	change(c.rare)
}

// streams are the protocol half of a connection. All are nil for a bot.
type streams struct {
	net    *netcore.Conn
	moves  *move.Stream
	events *event.Stream
	ghosts *ghost.Stream
}

// Register adds the engine's own classes.
func Register(classes *sim.Classes) error {
	return classes.Register(sim.Class{
		Name:     "GameConnection",
		Parent:   "SimGroup",
		Doc:      "One peer: a client on a server, the server on a client. What it holds goes when it goes.",
		Abstract: true,
		New:      func() sim.Object { return new(Connection) },
	})
}

// newConnection returns a connection without a protocol half. Bots, and players whom scripts still
// decide about, have all its values too: scripts can bind objects to them.
func (h *Host) newConnection(inbound bool) *Connection {
	c := &Connection{host: h, peer: peer{inbound: inbound}}
	c.Line.conn, c.Join.conn = c, c
	c.Blocks.conn, c.PeerGhosts.conn = c, c
	c.Ghosting.conn, c.Ghosting.gate.conn = c, c
	c.Control.conn, c.prediction.conn = c, c
	c.Camera.conn, c.Tints.conn = c, c
	c.Commands.conn, c.inbox.conn = c, c
	c.Watching.conn, c.refs.conn = c, c
	c.Server.pace = 100
	c.Visible.attach(h.scope, c, &c.Ghosting.gate)
	c.Join.progress()
	return c
}

// Host returns the host of this side.
func (c *Connection) Host() *Host { return c.host }

// owner returns the Connection of a netcore.Conn.
func owner(n *netcore.Conn) *Connection { return n.User.(*Connection) }

// The two ordered channels of the event stream.
const (
	commands uint8 = 0
	bulk     uint8 = 1
)

// sends reports whether this side's objects can become ghosts at the peer. receives reports whether
// the peer's objects can become ghosts on this side.
func (c *Connection) sends() bool    { return c.inbound || c.host.cfg.Mutual }
func (c *Connection) receives() bool { return !c.inbound || c.host.cfg.Mutual }

// post sends one of the engine's own events, unless the peer lacks its kind. It returns false if
// the connection cannot take it; the connection is then ending anyway.
func (c *Connection) post(e event.Event, channel uint8) bool {
	if c.ended || c.net == nil {
		return false
	}
	if !c.events.Knows(e.KindID()) {
		return true
	}
	if err := c.events.Post(e, event.Post{Channel: channel}); err != nil {
		c.fail(err.Error())
		return false
	}
	return true
}

// fail ends the connection because the peer violated the protocol.
func (c *Connection) fail(text string) {
	if c.net != nil {
		c.net.Close(netcore.Reason{Code: netcore.Violation, Text: text})
	}
}

// Disconnect sends the reason to the peer and ends the connection. Scripts learn of it in the next
// tick. If a change of the world is open, the connection ends with its commit. A deferred connect
// request is refused.
func (c *Connection) Disconnect(reason string) {
	c.host.world.OnCommit(func() {
		if c.bot && !c.over() {
			c.host.dismiss(c, reason)
		}
		c.Join.Decide(cmp.Or(reason, endedText)) // if it is deferred
		if c.net != nil && !c.ended {
			c.net.Close(netcore.Reason{Code: netcore.SelfClosed, Text: reason})
		}
	})
}

// Ghosts returns the ghost stream of the connection, for statistics.
func (c *Connection) Ghosts() *ghost.Stream { return c.ghosts }

// Inbound reports whether the connection is inbound: this side is its server.
func (c *Connection) Inbound() bool { return c.inbound }

// Address returns the peer's address as HOST:PORT, or "local".
func (c *Connection) Address() string { return c.address }

// Key returns the peer's public key. It identifies the peer across connections.
func (c *Connection) Key() seal.Key { return c.key }

// Net returns the netcore connection, for statistics.
func (c *Connection) Net() *netcore.Conn { return c.net }

// Events returns the event stream of the connection, for statistics.
func (c *Connection) Events() *event.Stream { return c.events }

// logPeer logs a problem caused by a peer, at most ten times per second for each cause.
func (c *Connection) logPeer(cause, key, text string) {
	if c.logLimiter.allow(cause, c.host.Now()) {
		c.host.cfg.Log.Warn(cause, "connection", uint32(c.ID()), key, text)
	}
}

// over reports whether the connection has ended, also before the next tick reports its end.
func (c *Connection) over() bool {
	over := c.ended || c.dismissed
	if c.net != nil && !over {
		_, over = c.net.Closed()
	}
	return over
}

// Bot reports whether this is a bot: a connection without a peer.
func (c *Connection) Bot() bool { return c.bot }

// Spectator reports whether the client of this connection only watches.
func (c *Connection) Spectator() bool { return c.spectator }

var _ sim.Object = (*Connection)(nil)
