package engine

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/move"
)

// Kinds is the table of the engine's events, for tests that speak it by hand.
var Kinds = kinds

// Watched is how many connections all objects of a host are in scope of, in sum.
func Watched(h *Host) (n int) {
	for _, m := range h.snapshots.objects {
		n += m.watchers
	}
	return n
}

// LayoutOf is what a host's class is on the wire.
func LayoutOf(h *Host, class string) *ghost.Layout {
	classes := h.world.Classes()
	return h.snapshots.of(uint16(classes.WireID(classes.Lookup(class))))
}

// LooksFrom is the control object from which a connection looks, nil for none.
func LooksFrom(c *Connection) sim.Object { return c.sight.camera.control }

// Steer is the part of a tick in which moves are done and made.
func Steer(h *Host) { h.steer() }

// Correct corrects what a connection controls: by the state that it has, before
// all moves that wait.
func Correct(c *Connection) {
	o := c.prediction.object
	state, n := c.controlState(o)
	first, _ := c.moves.Pending()
	c.adoptState(o, &move.Answer{State: true, At: first - 1, Bits: append(c.host.scratch[:0], state...), Len: n})
}
