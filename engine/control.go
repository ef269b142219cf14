package engine

import (
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/move"
)

// Control is the peer's control object on this side. The peer makes moves and applies them
// immediately to its ghost of the object (predict.go). This side applies them on arrival, within
// the peer's credit. This side's result is authoritative: if the peer's checksum differs, this side
// sends the state.
type Control struct {
	Stats ControlStats // of moves in both directions

	conn   *Connection
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

// Set sets the object that this peer controls; nil is none. Without a scope object, it
// is also the peer's scope object. The object must accept moves (sim.Controllable). Ghosts are
// refused, because the host they come from controls them. Another peer that controls the object
// loses it. The rollback of an open change reverts the call.
func (k *Control) Set(o sim.Object) error {
	c := k.conn
	if err := c.Visible.mayLookFrom(o); err != nil {
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
		c.host.claims.onRollback(c.host.claims.of(o), o)
		o.Ident().SetController(c.ID())
		c.host.claims.lose(o, c)
	}
	c.host.claims.onRollback(c, k.object)
	k.object, k.force, k.mismatch = driven, true, false
	k.chain.follow(driven, c.ID(), c.Line.lag())
	c.Visible.camera.control, c.Visible.fresh = o, true
	return nil
}

// controlClaims say which connections of a host control which objects.
type controlClaims struct{ host *Host }

// onRollback makes a rollback give object o back to c. c can be nil.
func (k *controlClaims) onRollback(c *Connection, o sim.Object) {
	k.host.world.OnRollback(func() {
		if c != nil {
			_ = c.Control.Set(living(o))
		}
	})
}

// of returns the connection that controls an object, or nil.
func (k *controlClaims) of(o sim.Object) *Connection {
	for _, c := range k.host.conns {
		if sim.Object(c.Control.object) == o {
			return c
		}
	}
	return nil
}

// lose takes an object away from every connection but except.
func (k *controlClaims) lose(o sim.Object, except *Connection) {
	for _, c := range k.host.conns {
		k := &c.Control
		if c == except || sim.Object(k.object) != o {
			continue
		}
		k.object, k.force = nil, true
		k.chain.follow(nil, c.ID(), 0)
		c.Visible.camera.control, c.Visible.fresh = nil, true
	}
}

// Object returns the object driven by this connection's moves, or nil. On the server side it
// is the object from Set. On the client side it is its ghost.
func (k *Control) Object() sim.Object {
	if o := k.object; o != nil {
		return living(o)
	}
	if o := k.conn.prediction.object; o != nil {
		return living(o)
	}
	return nil
}

// applyMoves applies the moves of this tick.
func (k *Control) applyMoves() {
	c := k.conn
	if !c.bot && (c.moves == nil || !c.sends()) {
		return
	}
	if k.object != nil && !k.object.Ident().Alive() {
		k.object, k.force = nil, true
	}
	k.follow()
	k.credit.tick()
	switch {
	case k.object == nil:
		if !c.bot {
			k.dropMoves(c.moves.Queued())
		}
		return
	case c.bot:
		k.do(c.Pilot.moveOf(k.object))
	default:
		k.doMoves()
	}
	k.follow() // so that a vehicle entered by this move skips its own tick
}

// follow updates the chain. If a link has left it, the peer is told, because the groups of that
// link arrive as updates from then on.
func (k *Control) follow() {
	if k.chain.follow(k.object, k.conn.ID(), k.conn.Line.lag()) {
		k.force = true
	}
}

// doMoves applies the queued moves within the credit.
func (k *Control) doMoves() {
	c := k.conn
	done := 0
	for c.moves.Queued() > 0 && k.object.Ident().Alive() && k.credit.spend() {
		m, sum, summed, _ := c.moves.Next()
		k.do(sim.Move(m))
		done++
		if summed {
			if k.mismatch = sum != checksum(c.refs.control().encode(k.object)); k.mismatch {
				k.Stats.Mismatches++
			}
		}
	}
	if k.credit.needsNullMove(done, c.Line.packetInterval()+c.Line.reorderTicks(), !k.force && !c.moves.StateOwed()) {
		k.Stats.Null++
		k.do(sim.Move{})
	}
	k.dropMoves(k.credit.excess(c.moves.Queued()))
}

// do applies a move.
func (k *Control) do(m sim.Move) {
	k.Stats.Moves++
	if k.conn.Arriving() {
		m = sim.Move{} // the player still plays at another server
	}
	k.object.Control(m.Clamped())
}

// dropMoves drops the oldest queued moves.
func (k *Control) dropMoves(n int) {
	if n > 0 {
		k.Stats.Dropped += n
		k.conn.moves.Drop(n)
	}
}

// tell puts the control state into the next packets, if the peer needs it. It runs at the
// end of the tick, so that the state includes everything since the move.
func (k *Control) tell() {
	c := k.conn
	names, known := k.names()
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
		bits, n := c.refs.control().encode(k.object)
		c.moves.SetState(k.object.Ident().Number(), bits, n, forced)
	}
	k.force, k.sentNames = false, names
}

// names returns the names of the chain's ghosts. known is false if the peer lacks one of
// them; a state would then be useless to it.
func (k *Control) names() (names controlNames, known bool) {
	for i, l := range k.chain.all() {
		if names[i] = k.conn.ghosts.NameOf(l.Ident().Number()); names[i] == 0 {
			return names, false
		}
	}
	return names, true
}

// withhold leaves control groups out of the updates of controlled objects, because the peer's
// prediction is ahead of them. After the peer loses control, updates resume when it has
// acknowledged the loss. All control groups are then sent once, because the peer may have predicted
// changes that never happened here.
func (k *Control) withhold() {
	c := k.conn
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

// release releases all control after the connection has ended.
func (k *Control) release() {
	c := k.conn
	k.chain.follow(nil, c.ID(), 0)
	c.prediction.chain.follow(nil, c.ID(), 0)
	k.object, c.prediction.object, k.withheld = nil, nil, nil
}

// Waiting returns how many moves of the peer wait for their ticks.
func (k *Control) Waiting() int {
	if k.conn.moves == nil {
		return 0
	}
	return k.conn.moves.Queued()
}

// config configures the move stream. The side that receives the other's objects makes the
// moves.
func (k *Control) config() move.Config {
	c := k.conn
	return move.Config{
		SendsMoves:    c.receives(),
		ReceivesMoves: c.sends(),
		Check:         c.net.Check(),
		CopiesPerMove: func() int { return c.host.Settings.copiesPerMove(c.net.Loss()) },
		NameOf:        func(obj uint32) uint32 { return c.ghosts.NameOf(obj) },
		TokenOf:       func(name uint32) uint32 { return c.ghosts.TokenOf(name) },

		OnAnswer: c.prediction.answered,
	}
}
