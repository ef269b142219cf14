package engine

import (
	"strings"

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

	host   *Host
	net    *netcore.Conn
	moves  *move.Stream
	events *event.Stream
	ghosts *ghost.Stream
	called bool // inbound: this side is the server of the connection
	ended  bool
	bot    bool // without a peer

	address    string
	key        seal.Key
	PlayerName string    // sent by the peer; scripts can change it
	ServerName string    // from the hello, on the client side
	ServerMods []ModInfo // same

	phase      Phase
	played     bool   // it has entered the game before
	progressAt int64  // simulation time of the join's last progress in ms
	delivered  uint64 // delivered events and acked ghosts at the last check
	transfer   transfer
	peerBlocks *sim.Blocks // the peer's datablocks, if both sides declare some
	received   int         // blocks received in this transmission, on the client side
	expected   int         // total blocks of this transmission

	ghostTable              // ghosts of the peer's objects on this side
	gate       ghostGate    // gate for this side's objects
	sight      sight        // visible set of the peer
	always     always       // progress of the ghost phase
	ghostSeq   uint32       // sequence number of the ghost phase
	acked      []sim.Object // this side's objects with ghosts acked since the last tick
	ackedCount uint64       // total of acked ghosts
	oversize   bool         // an object too large for the peer was logged

	inbox     []inboxItem
	connected bool // announced to scripts
	connArgs  []string
	calls     allowance
	bytes     allowance
	args      []sim.Value // buffer of dispatch

	control    control    // the peer's control object on this side
	prediction prediction // this side's control object at the peer
	pilot      Pilot

	Stats        ConnectionStats
	ControlStats ControlStats
}

// ConnectionStats counts a connection's commands.
type ConnectionStats struct {
	Commands        int // dispatched to scripts
	UnknownCommands int // without a handler
	RefusedCommands int // beyond the peer's rate limit
	CutExpansions   int // %n results that were cut
}

// An inboxItem is a received event that waits for Tick.
type inboxItem interface{ run(c *Connection) }

// owner returns the Connection of a netcore.Conn.
func owner(n *netcore.Conn) *Connection { return n.User.(*Connection) }

// maxInbox is the most events of one peer that can wait for scripts.
const maxInbox = 4096

// arrived queues an event for the next Tick, because only Tick changes the world.
func (c *Connection) arrived(i inboxItem) error {
	if len(c.inbox) >= maxInbox {
		return netcore.Reason{Code: netcore.Overflow, Text: "too many events wait for the scripts"}
	}
	c.inbox = append(c.inbox, i)
	return nil
}

// admits reports whether a command is within its sender's rate limit.
func (c *Connection) admits(e *command) bool {
	now := c.host.Now()
	if !c.called || c.calls.take(now, 1) && c.bytes.take(now, float64(e.size)) {
		return true
	}
	c.refuse()
	return false
}

// refuse counts a command beyond the rate limit.
func (c *Connection) refuse() {
	c.Stats.RefusedCommands++
	c.complain("too many commands", "player", c.PlayerName)
}

// run dispatches a command. It refuses the command if the expansion of earlier ones has used up the
// sender's byte allowance.
func (e *command) run(c *Connection) {
	if c.called && !c.bytes.take(c.host.Now(), 0) {
		c.refuse()
		return
	}
	c.Stats.Commands++
	c.dispatch(e)
}

// drain runs the queued events in order of arrival. Without script time, the rest waits for the
// next tick.
func (c *Connection) drain() {
	done := 0
	for ; done < len(c.inbox) && !c.ended && !c.host.scripts.Busy(); done++ {
		c.inbox[done].run(c)
		c.progress()
	}
	rest := copy(c.inbox, c.inbox[done:])
	clear(c.inbox[rest:])
	c.inbox = c.inbox[:rest]
	c.drainAcks()
}

// ghostAcked records that the peer has the ghost of an object.
func (c *Connection) ghostAcked(number uint32) {
	c.ackedCount++
	if o := c.host.ObjectOf(number); o != nil {
		c.acked = append(c.acked, o)
	}
}

// drainAcks reports acked ghosts to scripts while they have time.
func (c *Connection) drainAcks() {
	done := 0
	for ; done < len(c.acked) && !c.ended && !c.host.scripts.Busy(); done++ {
		if o := c.acked[done]; !o.Ident().Dead() {
			c.host.scripts.GhostAcked(c, o)
		}
	}
	rest := copy(c.acked, c.acked[done:])
	clear(c.acked[rest:])
	c.acked = c.acked[:rest]
}

// The two ordered channels of the event stream.
const (
	commands uint8 = 0
	bulk     uint8 = 1
)

// sends reports whether this side's objects can become ghosts at the peer. receives reports whether
// the peer's objects can become ghosts on this side.
func (c *Connection) sends() bool    { return c.called || c.host.cfg.Mutual }
func (c *Connection) receives() bool { return !c.called || c.host.cfg.Mutual }

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
	c.host.world.Hold(func() {
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

// Called reports whether the connection is inbound: this side is its server.
func (c *Connection) Called() bool { return c.called }

// Address returns the peer's address as HOST:PORT, or "local".
func (c *Connection) Address() string { return c.address }

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

// SetRate changes this side's receive rate. The next packet announces it to the peer.
func (c *Connection) SetRate(r netcore.Rate) {
	if c.net != nil {
		c.host.world.Hold(func() { c.net.SetReceiveRate(r) })
	}
}

// SetSendRate changes the highest send rate to this peer.
func (c *Connection) SetSendRate(r netcore.Rate) {
	if c.net != nil {
		c.host.world.Hold(func() { c.net.SetMaxSend(r) })
	}
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
		c.host.world.Hold(func() { c.net.SetLink(p) })
	}
}

// Net returns the netcore connection, for statistics.
func (c *Connection) Net() *netcore.Conn { return c.net }

// Events returns the event stream of the connection, for statistics.
func (c *Connection) Events() *event.Stream { return c.events }

// addressOf formats an address for display.
func addressOf(a netcore.Addr) string {
	if s := a.String(); !strings.HasPrefix(s, "local") {
		return s
	}
	return "local"
}
