package game

import "github.com/torc-engine/torc/engine/sim"

// Ground gives drawing code access to the terrain of a world.
type Ground struct{ space *space }

// GroundOf returns the terrain of w. ok is false if w has none.
func GroundOf(w *sim.World) (g Ground, ok bool) {
	g.space, ok = w.Game.(*space)
	return g, ok && g.space.groundObject() != nil
}

// Height returns the height of the terrain at a place, in metres.
func (g Ground) Height(x, y float64) float64 {
	z, _ := g.space.ground(x, y)
	return z
}

// Range returns the lowest and the highest height of the terrain, in metres.
func (g Ground) Range() (low, high float64) { return g.space.relief.low, g.space.relief.high }

// Relief describes the terrain: squares of Square metres, Size on each side, whose first corner is
// at Corner. They repeat endlessly. The diagonal of a square goes from its first to its last
// corner.
type Relief struct {
	Size    int
	Square  float64
	Corner  sim.Vec3
	Version uint32 // another one after each change
}

// Relief returns the description of the terrain.
func (g Ground) Relief() Relief {
	r := &g.space.relief
	return Relief{r.size, r.square, r.corner, r.version}
}

// Heights returns the heights of the corners above the Corner, row by row from south to north, in
// metres. The slice belongs to the terrain.
func (g Ground) Heights() []float32 { return g.space.relief.heights }
