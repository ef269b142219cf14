package engine

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/ghost"
)

// Ghosting brings objects of this side to the peer: those of its visible set that the gate passes.
// It begins with the always-ghosts of a join.
type Ghosting struct {
	conn       *Connection
	gate       ghostGate
	always     ghostPhase   // progress of the ghost phase
	confirmed  bool         // the peer has confirmed the ghost phase
	oversize   bool         // an object too large for the peer was logged
	seq        uint32       // of the ghost phase
	acked      []sim.Object // objects with ghosts acked since the last tick
	ackedCount uint64       // total of acked ghosts
}

// Activate starts the ghost phase of the join. The peer first receives the always-ghosts.
// When it has them all, GhostAlwaysDone is called on this side. Then the objects in scope by
// distance follow.
func (g *Ghosting) Activate() { g.conn.host.world.OnCommit(g.activate) }

func (g *Ghosting) activate() {
	c := g.conn
	if c.ended || c.net == nil || !c.sends() {
		return
	}
	g.forgetScope()
	if c.Join.phase != PhaseGame {
		c.Join.setPhase(PhaseGhosts)
	}
	g.seq++
	g.always = alwaysBegun
	g.confirmed = false
	c.ghosts.Activate(true)
	c.Visible.begin()
}

// Reset ends ghosting for a map change. The peer deletes its ghosts, and the join starts
// again.
func (g *Ghosting) Reset() { g.conn.host.world.OnCommit(g.reset) }

func (g *Ghosting) reset() {
	c := g.conn
	if c.ended || c.net == nil || !c.sends() {
		return
	}
	g.forgetScope()
	c.Join.setPhase(PhaseJoining)
	g.seq++
	c.post(&phaseStep{stepGhostsEnd, g.seq, 0}, commands)
}

// forgetScope removes everything from the peer's scope.
func (g *Ghosting) forgetScope() {
	c := g.conn
	g.always = alwaysOff
	c.Visible.reset()
	g.gate.reset()
	c.ghosts.Activate(false)
	c.ghosts.Reset()
}

// ghostPhase is the progress of a connection's always-ghosts.
type ghostPhase uint8

const (
	alwaysOff   ghostPhase = iota // not started
	alwaysBegun                   // ghosting begins with this tick
	alwaysSent                    // announced to the peer, being sent
	alwaysNamed                   // the peer knows which ones they are
	alwaysThere                   // the peer has them and is asked to confirm
	alwaysDone                    // confirmed
)

// stepAlways advances the ghost phase. It announces the start to the peer when this tick has found
// the objects that are always in scope, and names their ghosts when no more come. So the peer can
// confirm them without a further message. If they have arrived and the peer has not confirmed them,
// it is told. This does not wait for objects that the gate holds back.
func (g *Ghosting) stepAlways() {
	c := g.conn
	if g.always == alwaysBegun {
		g.always = alwaysSent
		c.post(&phaseStep{stepGhostsStart, g.seq, uint64(c.ghosts.Len())}, commands)
	}
	if g.always == alwaysSent && c.Visible.settled(func(uint32) bool { return true }) {
		g.always = alwaysNamed
		c.post(&phaseStep{stepGhostsDone, g.seq, namedGhosts(c.ghosts.Len(), c.ghosts.Epoch())}, commands)
	}
	if g.always != alwaysNamed || !g.arrived() {
		return
	}
	if g.confirmed { // more objects have come meanwhile
		c.inbox.items = append(c.inbox.items, ghostsArrived{})
		return
	}
	g.always = alwaysThere
	c.post(&phaseStep{stepGhostsDone, g.seq, 0}, commands)
}

// confirm handles the peer's confirmation that it has the always-ghosts. One that nobody waits for
// is ignored.
func (g *Ghosting) confirm() {
	if g.always == alwaysNamed || g.always == alwaysThere {
		g.confirmed = true
		ghostsArrived{}.run(g.conn)
	}
}

// ghostsArrived ends the ghost phase of a peer that has confirmed it and has the ghosts. A peer can
// confirm what it has not received.
type ghostsArrived struct{}

func (ghostsArrived) run(c *Connection) {
	g := &c.Ghosting
	if g.confirmed && (g.always == alwaysThere || g.always == alwaysNamed && g.arrived()) {
		g.always = alwaysDone
		c.Visible.open()
		c.host.scripts.GhostAlwaysDone(c)
	}
}

// arrived reports whether the peer has all always-ghosts.
func (g *Ghosting) arrived() bool {
	return g.conn.Visible.settled(func(n uint32) bool { return g.conn.ghosts.Live(n) || !g.gate.passed.has(n) })
}

// countAck records that the peer has the ghost of an object.
func (g *Ghosting) countAck(number uint32) {
	g.ackedCount++
	if !g.conn.host.watchesAcks {
		return
	}
	if o := g.conn.host.ObjectOf(number); o != nil {
		g.acked = append(g.acked, o)
	}
}

// watchSize logs, once per connection, an object too large for a packet. Only hand-written groups
// can be that large.
func (g *Ghosting) watchSize() {
	c := g.conn
	if o := c.host.ObjectOf(c.ghosts.Oversize()); o != nil && !g.oversize {
		g.oversize = true
		c.logPeer("object too large for a packet: not sent to the player", "object", o.Ident().String())
	}
}

// config configures the ghost stream for sending, receiving or both.
func (g *Ghosting) config() ghost.Config {
	c := g.conn
	h := c.host
	o := ghost.Config{
		Check:       c.net.Check(),
		NoBaselines: h.cfg.NoDeltas,
		Acked:       g.countAck,
		Arrived:     c.PeerGhosts.arrived,
	}
	if c.sends() {
		o.Snapshots, o.Weigh = h.snapshots.Snapshots, c.Visible.weigh
	}
	if c.receives() {
		o.Layout = h.snapshots.of
	}
	return o
}

const keptAcks = 64 // acked ghosts whose memory a connection keeps

// drainAcks reports acked ghosts to scripts while they have time.
func (g *Ghosting) drainAcks() {
	c := g.conn
	done := 0
	for ; done < len(g.acked) && !c.ended && !c.inbox.mustWait(); done++ {
		if o := g.acked[done]; !o.Ident().Dead() {
			c.host.scripts.GhostAcked(c, o)
		}
	}
	rest := copy(g.acked, g.acked[done:])
	clear(g.acked[rest:])
	if g.acked = g.acked[:rest]; rest == 0 && cap(g.acked) > keptAcks {
		g.acked = nil // it was long after the join
	}
}
