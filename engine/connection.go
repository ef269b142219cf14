package engine

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/move"
	"github.com/torc-engine/torc/netcore/seal"
)

// A Connection is one peer of a Host, and an object of its world. It is a group of class
// GameConnection, so its members are deleted with it. It combines a netcore.Conn, its streams, and
// the progress of the join.
type Connection struct {
	sim.Group

	host *Host
	peer
	streams
	joining
	blockTransfer
	replication
	incoming
	watching

	control    control    // the peer's control object on this side
	prediction prediction // this side's control object at the peer
	screen     screen     // of the player
	pilot      Pilot

	PlayerName string    // sent by the peer; scripts can change it
	ServerName string    // from the hello, on the client side
	ServerMods []ModInfo // same

	Stats        ConnectionStats
	ControlStats ControlStats
}

// peer is who is at the other end of a connection.
type peer struct {
	address string
	from    netcore.Addr // of the connect request
	key     seal.Key
	inbound bool         // this side is the server of the connection
	since   netcore.Time // when the join began
	bot     bool         // without a peer
	pace    int          // of the server of this connection, in percent; see Host.TimeScale
	ended   bool

	silentSince netcore.Time // when the line of a player was interrupted; 0 while it works

	logLimiter limiter
}

// streams are the protocol half of a connection. All are nil for a bot.
type streams struct {
	net                 *netcore.Conn
	ownReceive, ownSend netcore.Rate // of SetReceiveRate and SetSendRate; zero for none
	moves               *move.Stream
	events              *event.Stream
	ghosts              *ghost.Stream
}

// ConnectionStats counts a connection's commands.
type ConnectionStats struct {
	Commands        int // dispatched to scripts
	UnknownCommands int // without a handler
	RefusedCommands int // beyond the peer's rate limit
	CutExpansions   int // %n results that were cut
}

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

// post sends one of the engine's own events. It returns false if the connection cannot take it; the
// connection is then ending anyway.
func (c *Connection) post(e event.Event, channel uint8) bool {
	if c.ended || c.net == nil {
		return false
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

// Disconnect sends the reason to the peer and ends the connection.
func (c *Connection) Disconnect(reason string) {
	c.host.world.OnCommit(func() {
		if c.bot && !c.ended {
			c.dismiss(reason)
		}
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

// Addr returns the address of the peer, also while scripts decide about its connect request.
func (c *Connection) Addr() netcore.Addr {
	if c.net == nil {
		return c.from
	}
	return c.net.Addr()
}

// Key returns the peer's public key. It identifies the peer across connections.
func (c *Connection) Key() seal.Key { return c.key }

// Phase returns the phase of the join.
func (c *Connection) Phase() Phase { return c.phase }

// Ping returns the smoothed round-trip time in milliseconds.
func (c *Connection) Ping() int {
	if c.net == nil {
		return 0
	}
	return int(c.net.RTT().Milliseconds())
}

// Loss returns the recent packet loss of this side's packets, 0…1.
func (c *Connection) Loss() float64 {
	if c.net == nil {
		return 0
	}
	return c.net.Loss()
}

// SetReceiveRate changes this side's receive rate for this connection, whatever net.rate and net.size
// say. The next packet announces it to the peer.
func (c *Connection) SetReceiveRate(r netcore.Rate) {
	if c.net != nil {
		c.host.world.OnCommit(func() { c.ownReceive = r; c.applyRates() })
	}
}

// SetSendRate changes the highest send rate to this peer. sv.maxRate and sv.maxSize hold as well.
func (c *Connection) SetSendRate(r netcore.Rate) {
	if c.net != nil {
		c.host.world.OnCommit(func() { c.ownSend = r; c.applyRates() })
	}
}

// applyRates passes the rates of the settings and of this connection to the protocol.
func (c *Connection) applyRates() {
	if c.net == nil {
		return
	}
	s := &c.host.Settings
	receive, send := netcore.Rate{Packets: s.Rate, Size: s.Size}, netcore.Rate{Packets: s.MaxRate, Size: s.MaxSize}
	if c.ownReceive != (netcore.Rate{}) {
		receive = c.ownReceive
	}
	if c.ownSend != (netcore.Rate{}) {
		send = send.Min(c.ownSend)
	}
	c.net.SetReceiveRate(receive)
	c.net.SetMaxSend(send)
}

// Queued returns how many bytes of a mod's commands to this peer are not acknowledged yet. At 512 KiB
// further commands fail.
func (c *Connection) Queued(mod string) (bytes int) {
	lane, used := c.host.lanes[mod] // a question makes no lane: their order decides which command is sent first
	if c.events == nil || !used {
		return 0
	}
	return c.events.QueuedBytes(lane)
}

// SendRate returns the current send rate.
func (c *Connection) SendRate() netcore.Rate {
	if c.net == nil {
		return netcore.Rate{}
	}
	return c.net.SendRate()
}

// SetLink simulates a worse link in both directions, for tests and demonstrations
// (setSimulatedNetParams).
func (c *Connection) SetLink(p netcore.LinkParams) {
	if c.net != nil {
		c.host.world.OnCommit(func() { c.net.SetLink(p) })
	}
}

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

// Bot reports whether this is a bot: a connection without a peer.
func (c *Connection) Bot() bool { return c.bot }

// dismiss ends a bot's connection at the next tick.
func (c *Connection) dismiss(reason string) {
	h := c.host
	h.inbox = append(h.inbox, func() { h.end(c, netcore.Reason{Code: netcore.SelfClosed, Text: reason}) })
}
