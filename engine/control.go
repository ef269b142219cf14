package engine

import (
	"fmt"
	"math"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/move"
)

// control is the peer's control object on this side. The peer makes moves and applies them
// immediately to its ghost of the object (predict.go). This side applies them on arrival, within
// the peer's credit. This side's result is authoritative: if the peer's checksum differs, this side
// sends the state.
type control struct {
	object sim.Controllable // nil: none
	chain  chain
	credit credit

	mismatch  bool         // the peer's newest checksum differs
	force     bool         // the peer must receive the state in any case
	sentNames controlNames // names in the last state sent

	withheld []sim.Object // objects whose control groups are left out of updates
}

// controlNames are the peer's names for the ghosts of a chain.
type controlNames [maxChain]uint32

// SetControlObject sets the object that this peer controls; nil is none. Without a scope object, it
// is also the peer's scope object. The object must accept moves (sim.Controllable). Ghosts are
// refused, because the host they come from controls them. Another peer that controls the object
// loses it. The rollback of an open change reverts the call.
func (c *Connection) SetControlObject(o sim.Object) error {
	if err := c.mayLookFrom(o); err != nil {
		return err
	}
	driven, ok := o.(sim.Controllable)
	switch {
	case o == nil:
	case !ok:
		return fmt.Errorf("%s cannot be controlled: a %s accepts no moves", o.Ident(), o.Ident().Class().Name)
	case o.Ident().IsGhost():
		return fmt.Errorf("%s cannot be controlled: it is a ghost", o.Ident())
	case o.Ident().Number() == 0:
		return fmt.Errorf("%s cannot be controlled: it has no ghosts", o.Ident())
	case c.ended:
		return fmt.Errorf("%s cannot be controlled: the connection has ended", o.Ident())
	default:
		c.host.controlOnRollback(c.host.controllerOf(o), o)
		o.Ident().SetController(c.ID())
		c.host.loseControl(o, c)
	}
	k := &c.control
	c.host.controlOnRollback(c, k.object)
	k.object, k.force, k.mismatch = driven, true, false
	k.chain.follow(driven, c.ID(), c.peerLag())
	c.visible.camera.control, c.visible.fresh = o, true
	return nil
}

// controlOnRollback makes a rollback give object o back to c. c can be nil.
func (h *Host) controlOnRollback(c *Connection, o sim.Object) {
	h.world.OnRollback(func() {
		if c != nil {
			_ = c.SetControlObject(living(o))
		}
	})
}

// controllerOf returns the connection that controls an object, or nil.
func (h *Host) controllerOf(o sim.Object) *Connection {
	for _, c := range h.conns {
		if sim.Object(c.control.object) == o {
			return c
		}
	}
	return nil
}

// loseControl takes an object away from every connection but except.
func (h *Host) loseControl(o sim.Object, except *Connection) {
	for _, c := range h.conns {
		k := &c.control
		if c == except || sim.Object(k.object) != o {
			continue
		}
		k.object, k.force = nil, true
		k.chain.follow(nil, c.ID(), 0)
		c.visible.camera.control, c.visible.fresh = nil, true
	}
}

// ControlObject returns the object driven by this connection's moves, or nil. On the server side it
// is the object from SetControlObject. On the client side it is its ghost.
func (c *Connection) ControlObject() sim.Object {
	if o := c.control.object; o != nil {
		return living(o)
	}
	if o := c.prediction.object; o != nil {
		return living(o)
	}
	return nil
}

// peerLag returns the age of the peer's view in ticks.
func (c *Connection) peerLag() int {
	if c.net == nil {
		return 0
	}
	return int(c.host.ticksIn(c.net.RTT()) + 0.5)
}

// applyMoves applies the moves of this tick.
func (c *Connection) applyMoves() {
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
			c.dropMoves(c.moves.Queued())
		}
		return
	case c.bot:
		c.do(c.pilotMove(k.object))
	default:
		c.doMoves()
	}
	c.follow() // so that a vehicle entered by this move skips its own tick
}

// follow updates the chain. If a link has left it, the peer is told, because the groups of that
// link arrive as updates from then on.
func (c *Connection) follow() {
	k := &c.control
	if k.chain.follow(k.object, c.ID(), c.peerLag()) {
		k.force = true
	}
}

// doMoves applies the queued moves within the credit.
func (c *Connection) doMoves() {
	k := &c.control
	done := 0
	for c.moves.Queued() > 0 && k.object.Ident().Alive() && k.credit.spend() {
		m, sum, summed, _ := c.moves.Next()
		c.do(sim.Move(m))
		done++
		if summed {
			if k.mismatch = sum != checksum(c.controlState(k.object)); k.mismatch {
				c.ControlStats.Mismatches++
			}
		}
	}
	if k.credit.needsNullMove(done, c.packetInterval()+c.reorderTicks(), !k.force && !c.moves.StateOwed()) {
		c.ControlStats.Null++
		c.do(sim.Move{})
	}
	c.dropMoves(k.credit.excess(c.moves.Queued()))
}

// do applies a move.
func (c *Connection) do(m sim.Move) {
	c.ControlStats.Moves++
	c.control.object.Control(m.Clamped())
}

// dropMoves drops the oldest queued moves.
func (c *Connection) dropMoves(n int) {
	if n > 0 {
		c.ControlStats.Dropped += n
		c.moves.Drop(n)
	}
}

// packetInterval returns the interval of the peer's packets in ticks.
func (c *Connection) packetInterval() int {
	return int(math.Ceil(c.host.ticksIn(time.Second) / c.net.ReceiveRate().Packets))
}

// reorderTicks returns how many ticks packets of the peer wait for reordered ones.
func (c *Connection) reorderTicks() int { return int(c.host.ticksIn(c.net.Hold())) }

// tellControl puts the control state into the next packets, if the peer needs it. It runs at the
// end of the tick, so that the state includes everything since the move.
func (c *Connection) tellControl() {
	k := &c.control
	names, known := c.controlNames()
	if !known {
		c.moves.ClearState()
		return
	}
	forced := k.force || names != k.sentNames
	always := k.object != nil && c.host.Settings.Control == "always"
	if !forced && !k.mismatch && !always && !c.moves.StateOwed() {
		c.moves.ClearState()
		return
	}
	if k.object == nil {
		c.moves.SetState(0, nil, 0, forced)
	} else {
		bits, n := c.controlState(k.object)
		c.moves.SetState(k.object.Ident().Number(), bits, n, forced)
	}
	k.force, k.sentNames = false, names
}

// controlNames returns the names of the chain's ghosts. known is false if the peer lacks one of
// them; a state would then be useless to it.
func (c *Connection) controlNames() (names controlNames, known bool) {
	for i, l := range c.control.chain.all() {
		if names[i] = c.ghosts.NameOf(l.Ident().Number()); names[i] == 0 {
			return names, false
		}
	}
	return names, true
}

// withhold leaves control groups out of the updates of controlled objects, because the peer's
// prediction is ahead of them. After the peer loses control, updates resume when it has
// acknowledged the loss. All control groups are then sent once, because the peer may have predicted
// changes that never happened here.
func (c *Connection) withhold() {
	k := &c.control
	if len(k.withheld) == 0 && k.chain.n == 0 {
		return
	}
	owes, kept := k.force || c.moves.StateOwed(), k.withheld[:0]
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

// releaseControl releases all control after the connection has ended.
func (c *Connection) releaseControl() {
	c.control.chain.follow(nil, c.ID(), 0)
	c.prediction.chain.follow(nil, c.ID(), 0)
	c.control.object, c.prediction.object, c.control.withheld = nil, nil, nil
}

// MovesWaiting returns how many moves of the peer wait for their ticks.
func (c *Connection) MovesWaiting() int {
	if c.moves == nil {
		return 0
	}
	return c.moves.Queued()
}

// movesConfig configures the move stream. The side that receives the other's objects makes the
// moves.
func (c *Connection) movesConfig() move.Config {
	return move.Config{
		SendsMoves:    c.receives(),
		ReceivesMoves: c.sends(),
		Check:         c.net.Check(),
		CopiesPerMove: func() int { return c.host.Settings.copiesPerMove(c.net.Loss()) },
		NameOf:        func(obj uint32) uint32 { return c.ghosts.NameOf(obj) },
		TokenOf:       func(name uint32) uint32 { return c.ghosts.TokenOf(name) },

		OnAnswer: c.answered,
	}
}
