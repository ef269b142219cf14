package engine

import (
	"strings"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// A Connection is one peer of a Host and an object of its world: a group of
// class GameConnection, so that what it holds goes when it goes. It joins a
// netcore.Conn, its streams, and how far the join has come.
type Connection struct {
	sim.Group

	host   *Host
	net    *netcore.Conn
	moves  *netcore.Moves
	events *netcore.Events
	ghosts *netcore.Ghosts
	called bool // this side was called (it is the server of this connection)
	ended  bool
	bot    bool // there is no peer

	address    string
	key        seal.Key
	PlayerName string    // what the peer calls itself; scripts may change it
	ServerName string    // on the calling side, from the hello
	ServerMods []ModInfo // likewise

	phase      Phase
	played     bool   // it has been in the game
	progressAt int64  // simulation ms at which the join last moved
	delivered  uint64 // what this side sent and has arrived, when last looked at
	transfer   transfer
	peerBlocks *sim.Blocks // what the peer declares, when both sides declare
	received   int         // blocks of the transmission under way, on the calling side
	expected   int         // and how many they will be

	ghostTable              // of the peer's objects, here
	gate       ghostGate    // before this side's objects, there
	sight      sight        // what of this side the peer may see
	always     always       // how far the ghost phase has come
	ghostSeq   uint32       // of the ghost phase
	acked      []sim.Object // of this side, whose ghosts the peer has since the last tick
	ackedCount uint64       // of all ghosts ever
	oversize   bool         // the operator knows of an object that is too large for the peer

	inbox     []inboxItem
	connected bool // scripts know of it
	connArgs  []string
	calls     allowance
	bytes     allowance
	args      []sim.Value // scratch of dispatch

	control    control    // what of this side the peer steers
	prediction prediction // and what of the peer's is steered here
	pilot      Pilot

	Stats        ConnectionStats
	ControlStats ControlStats
}

// ConnectionStats counts what a connection's commands came to.
type ConnectionStats struct {
	Commands        int // dispatched to scripts
	UnknownCommands int // nobody handled
	RefusedCommands int // over the peer's allowance
	CutExpansions   int // %n results that were cut
}

// An inboxItem is something that has come over the wire and waits for Tick.
type inboxItem interface{ run(c *Connection) }

// owner finds the Connection a netcore.Conn belongs to.
func owner(n *netcore.Conn) *Connection { return n.User.(*Connection) }

// maxInbox is how many events of one peer may wait for scripts that are busy.
const maxInbox = 4096

// arrived keeps an event for the next Tick: the world changes only there.
func (c *Connection) arrived(i inboxItem) error {
	if len(c.inbox) >= maxInbox {
		return netcore.Reason{Code: netcore.Overflow, Text: "too many events wait for the scripts"}
	}
	c.inbox = append(c.inbox, i)
	return nil
}

// admits reports whether the sender of a command has allowance left for it.
func (c *Connection) admits(e *command) bool {
	now := c.host.Now()
	if !c.called || c.calls.take(now, 1) && c.bytes.take(now, float64(e.size)) {
		return true
	}
	c.refuse()
	return false
}

// refuse counts a command that is not obeyed.
func (c *Connection) refuse() {
	c.Stats.RefusedCommands++
	c.complain("too many commands", "player", c.PlayerName)
}

// run dispatches a command, unless those before it made so much text out of
// their tags that their sender owes for it.
func (e *command) run(c *Connection) {
	if c.called && !c.bytes.take(c.host.Now(), 0) {
		c.refuse()
		return
	}
	c.Stats.Commands++
	c.dispatch(e)
}

// drain runs what has come since the last tick, in the order it came.
// What scripts have no time left for stays.
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

// ghostAcked hears that the peer has the ghost of an object.
func (c *Connection) ghostAcked(number uint32) {
	c.ackedCount++
	if o := c.host.ObjectOf(number); o != nil {
		c.acked = append(c.acked, o)
	}
}

// drainAcks tells scripts whose ghosts the peer has, if they have time for it.
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

// sends reports whether this side's objects may become ghosts at the peer's,
// receives whether the peer's may become ghosts here.
func (c *Connection) sends() bool    { return c.called || c.host.cfg.Mutual }
func (c *Connection) receives() bool { return !c.called || c.host.cfg.Mutual }

// post sends one of the engine's own events. It reports false when the
// connection cannot take it; then it is ending anyway.
func (c *Connection) post(e netcore.Event, channel uint8) bool {
	if c.ended || c.net == nil {
		return false
	}
	if err := c.events.Post(e, netcore.Post{Channel: channel}); err != nil {
		c.fail(err.Error())
		return false
	}
	return true
}

// fail ends the connection because the peer broke the protocol.
func (c *Connection) fail(text string) {
	if c.net != nil {
		c.net.Close(netcore.Reason{Code: netcore.Violation, Text: text})
	}
}

// Disconnect tells the peer why and ends the connection.
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

// Ghosts is the ghost stream of the connection, for figures.
func (c *Connection) Ghosts() *netcore.Ghosts { return c.ghosts }

// Called reports whether this side was called: it is the server here.
func (c *Connection) Called() bool { return c.called }

// Address is where the peer is, as HOST:PORT, or "local".
func (c *Connection) Address() string { return c.address }

// Key is the peer's public key: the same one each time it comes.
func (c *Connection) Key() seal.Key { return c.key }

// Phase is how far the join has come.
func (c *Connection) Phase() Phase { return c.phase }

// Ping is the smoothed round trip in milliseconds.
func (c *Connection) Ping() int {
	if c.net == nil {
		return 0
	}
	return int(c.net.RTT().Milliseconds())
}

// Loss is the share of this side's packets that were lost lately, 0…1.
func (c *Connection) Loss() float64 {
	if c.net == nil {
		return 0
	}
	return c.net.Loss()
}

// SetRate changes what this side can receive; the peer hears of it with the
// next packet.
func (c *Connection) SetRate(r netcore.Rate) {
	if c.net != nil {
		c.host.world.Hold(func() { c.net.SetReceiveRate(r) })
	}
}

// SetSendRate changes the most this side sends to this peer.
func (c *Connection) SetSendRate(r netcore.Rate) {
	if c.net != nil {
		c.host.world.Hold(func() { c.net.SetMaxSend(r) })
	}
}

// SendRate is the rate in force for what this side sends.
func (c *Connection) SendRate() netcore.Rate {
	if c.net == nil {
		return netcore.Rate{}
	}
	return c.net.SendRate()
}

// SetLink worsens this connection's own link, both ways, for tests and
// demonstrations (setSimulatedNetParams).
func (c *Connection) SetLink(p netcore.LinkParams) {
	if c.net != nil {
		c.host.world.Hold(func() { c.net.SetLink(p) })
	}
}

// Net is the connection's protocol half, for figures.
func (c *Connection) Net() *netcore.Conn { return c.net }

// Events is the connection's event stream, for figures.
func (c *Connection) Events() *netcore.Events { return c.events }

// addressOf is how people see an address.
func addressOf(a netcore.Addr) string {
	if s := a.String(); !strings.HasPrefix(s, "local") {
		return s
	}
	return "local"
}
