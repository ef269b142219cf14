package engine

import (
	"fmt"
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// control is what a connection's peer steers on this side. The peer makes moves
// and does them at once on its ghost of the control object (predict.go); here
// they are done when they come, as far as its credit goes, and what comes of
// that counts: where the peer's checksum differs, it is told the state.
type control struct {
	object sim.Controlled // nil: none
	chain  chain
	credit credit

	differs bool         // the peer has got another state by the newest move of which it told that
	force   bool         // the peer must be told, whatever it believes
	told    controlNames // what the peer was forced to know last

	withheld []sim.Object // whose control groups are not sent as updates
}

// controlNames are what the ghosts of a chain are called at the peer's.
type controlNames [maxChain]uint32

// SetControlObject sets the object that this peer steers; nil is none. It is the
// scope object of a connection that has no other. It must be one that moves can
// drive, and no ghost: those are steered where they come from. Another peer that
// steers it loses it. A change of the world that is rolled back takes it back.
func (c *Connection) SetControlObject(o sim.Object) error {
	if err := c.mayLookFrom(o); err != nil {
		return err
	}
	driven, ok := o.(sim.Controlled)
	switch {
	case o == nil:
	case !ok:
		return fmt.Errorf("%s cannot be controlled: moves do not drive a %s", o.Ident(), o.Ident().Class().Name)
	case o.Ident().IsGhost():
		return fmt.Errorf("%s cannot be controlled: it is a ghost, which is steered where it comes from", o.Ident())
	case o.Ident().Number() == 0:
		return fmt.Errorf("%s cannot be controlled: it has no ghosts", o.Ident())
	case c.ended:
		return fmt.Errorf("%s cannot be controlled: the connection has ended", o.Ident())
	default:
		c.host.restores(c.host.steersOf(o), o)
		o.Ident().SetController(c.ID())
		c.host.loseControl(o, c)
	}
	k := &c.control
	c.host.restores(c, k.object)
	k.object, k.force, k.differs = driven, true, false
	k.chain.follow(driven, c.ID(), c.lag())
	c.sight.camera.control, c.sight.fresh = o, true
	return nil
}

// restores has a rollback give an object back to who controls it now; nil is
// none.
func (h *Host) restores(c *Connection, o sim.Object) {
	h.world.OnRollback(func() {
		if c != nil {
			_ = c.SetControlObject(living(o))
		}
	})
}

// steersOf is who controls an object, nil if nobody does.
func (h *Host) steersOf(o sim.Object) *Connection {
	for _, c := range h.conns {
		if sim.Object(c.control.object) == o {
			return c
		}
	}
	return nil
}

// loseControl takes an object away from whoever controls it, except from one.
func (h *Host) loseControl(o sim.Object, except *Connection) {
	for _, c := range h.conns {
		k := &c.control
		if c == except || sim.Object(k.object) != o {
			continue
		}
		k.object, k.force = nil, true
		k.chain.follow(nil, c.ID(), 0)
		c.sight.camera.control, c.sight.fresh = nil, true
	}
}

// ControlObject is what moves of this connection drive, nil if nothing: on the
// side that was called what SetControlObject has set, on the other its ghost.
func (c *Connection) ControlObject() sim.Object {
	if o := c.control.object; o != nil {
		return living(o)
	}
	if o := c.prediction.object; o != nil {
		return living(o)
	}
	return nil
}

// lag is how many ticks ago the peer saw what it does now.
func (c *Connection) lag() int {
	if c.net == nil {
		return 0
	}
	return int((c.net.RTT() + TickTime/2) / TickTime)
}

// steer does the moves of this tick.
func (c *Connection) steer() {
	if !c.bot && (c.moves == nil || !c.sends()) {
		return
	}
	k := &c.control
	if k.object != nil && !k.object.Ident().Alive() {
		k.object, k.force = nil, true
	}
	c.follow()
	k.credit.tick()
	switch {
	case k.object == nil:
		if !c.bot {
			c.giveUp(c.moves.Queued())
		}
		return
	case c.bot:
		c.do(c.pilotMove(k.object))
	default:
		c.doMoves()
	}
	c.follow() // who has just got into something must not see it do its own tick
}

// follow brings the chain up to date. When it has lost a link the peer is told,
// so that it knows from when on the groups of that come as updates again.
func (c *Connection) follow() {
	k := &c.control
	if k.chain.follow(k.object, c.ID(), c.lag()) {
		k.force = true
	}
}

// doMoves does what has come, as far as the credit goes.
func (c *Connection) doMoves() {
	k := &c.control
	done := 0
	for c.moves.Queued() > 0 && k.object.Ident().Alive() && k.credit.spend() {
		m, sum, summed, _ := c.moves.Next()
		c.do(sim.Move(m))
		done++
		if summed {
			if k.differs = sum != checksum(c.controlState(k.object)); k.differs {
				c.ControlStats.Mismatches++
			}
		}
	}
	if k.credit.misses(done, c.packetInterval(), !k.force && !c.moves.Owes()) {
		c.ControlStats.Null++
		c.do(sim.Move{})
	}
	c.giveUp(k.credit.surplus(c.moves.Queued()))
}

// do does a move.
func (c *Connection) do(m sim.Move) {
	c.ControlStats.Moves++
	c.control.object.Control(m.Clamped())
}

// giveUp gives up the oldest moves that wait.
func (c *Connection) giveUp(n int) {
	if n > 0 {
		c.ControlStats.Dropped += n
		c.moves.Drop(n)
	}
}

// packetInterval is how many ticks the peer's packets are apart.
func (c *Connection) packetInterval() int {
	return int(math.Ceil(1000 / (TickMs * c.net.ReceiveRate().Packets)))
}

// tellControl has the next packets tell the peer what has become of the control
// object, where it must be told. It is the connection's part at the end of a
// tick, so what has happened to the object since its move is told with it.
func (c *Connection) tellControl() {
	k := &c.control
	names, known := c.controlNames()
	if !known {
		c.moves.ClearState()
		return
	}
	forced := k.force || names != k.told
	always := k.object != nil && c.host.Settings.Control == "always"
	if !forced && !k.differs && !always && !c.moves.Owes() {
		c.moves.ClearState()
		return
	}
	if k.object == nil {
		c.moves.SetState(0, nil, 0, forced)
	} else {
		bits, n := c.controlState(k.object)
		c.moves.SetState(k.object.Ident().Number(), bits, n, forced)
	}
	k.force, k.told = false, names
}

// controlNames are the names of what the peer controls, and whether it knows
// all of that: before, its state would say nothing to it.
func (c *Connection) controlNames() (names controlNames, known bool) {
	for i, l := range c.control.chain.all() {
		if names[i] = c.ghosts.NameOf(l.Ident().Number()); names[i] == 0 {
			return names, false
		}
	}
	return names, true
}

// withhold keeps what is control state out of the updates of what the peer
// controls, for it is ahead of them. What it controls no longer comes as
// updates again when it is known to have heard of that; and at once, for it may
// have got ahead of what has changed nothing here.
func (c *Connection) withhold() {
	k := &c.control
	if len(k.withheld) == 0 && k.chain.n == 0 {
		return
	}
	owes, kept := k.force || c.moves.Owes(), k.withheld[:0]
	for _, o := range k.withheld {
		switch {
		case k.chain.has(o):
		case !owes || !o.Ident().Alive():
			c.ghosts.Withhold(o.Ident().Number(), 0)
			c.ghosts.Owe(o.Ident().Number(), o.Ident().Class().Control)
		default:
			kept = append(kept, o)
		}
	}
	for _, l := range k.chain.all() {
		kept = append(kept, l)
	}
	for _, o := range kept {
		c.ghosts.Withhold(o.Ident().Number(), o.Ident().Class().Control)
	}
	if len(kept) < len(k.withheld) {
		clear(k.withheld[len(kept):])
	}
	k.withheld = kept
}

// releaseControl lets go of everything: the connection has ended.
func (c *Connection) releaseControl() {
	c.control.chain.follow(nil, c.ID(), 0)
	c.prediction.chain.follow(nil, c.ID(), 0)
	c.control.object, c.prediction.object, c.control.withheld = nil, nil, nil
}
