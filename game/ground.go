package game

import "github.com/torc-engine/torc/engine/sim"

// Ground is the terrain of a world, for who draws it.
type Ground struct{ space *space }

// GroundOf is the terrain of w; ok is false without one.
func GroundOf(w *sim.World) (g Ground, ok bool) {
	g.space, ok = w.Game.(*space)
	return g, ok && g.space.groundObject() != nil
}

// Height is how high it is at a place, in metres.
func (g Ground) Height(x, y float64) float64 {
	z, _ := g.space.ground(x, y)
	return z
}

// Range is its lowest and its highest height, in metres.
func (g Ground) Range() (low, high float64) { return g.space.relief.low, g.space.relief.high }
