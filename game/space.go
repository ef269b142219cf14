package game

import "github.com/torc-engine/torc/engine/sim"

// space is what there is in a world to stand on, to run into and to hit: the
// ground, what blocks the way, and everything that takes room.
//
// Moves of players are done on two machines, which must agree: ground and solids
// are the same on both, for each stands where the wire says it does. Whatever
// else is here decides no move.
type space struct {
	world  *sim.World
	bodies []body // by their number; nil is free
	free   []uint32
	grid   *sim.Grid // of bodies
	found  []uint32
}

// body is an object that takes room.
type body interface {
	sim.Placed
	scene() *SceneObject
	box() (lo, hi sim.Vec3) // the upright box that it takes up, from its position
}

// hit is where a ray or a sweep has met something first.
type hit struct {
	object sim.Object // nil: the ground of a world without terrain
	at     sim.Vec3
	normal sim.Vec3
	t      float64 // part of the way, 0…1
}

// spaceOf is the space of a world.
func spaceOf(w *sim.World) *space {
	s, ok := w.Game.(*space)
	if !ok {
		s = &space{world: w, bodies: make([]body, 1), grid: sim.NewGrid(16)}
		w.Game = s
	}
	return s
}

// enter takes in a body that has come into the world.
func (s *space) enter(b body) {
	n := uint32(len(s.bodies))
	if last := len(s.free) - 1; last >= 0 {
		n, s.free = s.free[last], s.free[:last]
		s.bodies[n] = b
	} else {
		s.bodies = append(s.bodies, b)
	}
	b.scene().spot = n
	s.moved(b)
}

// leave forgets a body that leaves the world.
func (s *space) leave(b body) {
	n := b.scene().spot
	if n == 0 {
		return
	}
	b.scene().spot = 0
	s.bodies[n] = nil
	s.free = append(s.free, n)
	s.grid.Remove(n)
}

// moved takes note of where a body is now. Whatever moves calls it at the end of
// its tick.
func (s *space) moved(b body) {
	o := b.scene()
	if o.spot == 0 {
		return
	}
	lo, hi := b.box()
	half := hi.Sub(lo).Mul(0.5)
	s.grid.Add(o.spot, o.position.Add(lo).Add(half), half.Len())
}

// near is the bodies whose spheres meet a sphere, in no order that means
// anything. The slice is valid until the next call.
func (s *space) near(center sim.Vec3, radius float64) []uint32 {
	s.found = s.grid.Near(center, radius, s.found[:0])
	return s.found
}

// ground is the height of the ground at a place, and its normal.
func (s *space) ground(x, y float64) (z float64, normal sim.Vec3) {
	return 0, sim.Vec3{Z: 1}
}

// sweep moves an upright box, which stands on the middle of its bottom, and tells
// what of the ground and the solids it meets first.
func (s *space) sweep(size, from, to sim.Vec3) (hit, bool) {
	return hit{}, false
}

// ray is what a straight line meets first: ground, solids, and bodies as they
// were lag ticks ago. except, which may be nil, it goes through.
func (s *space) ray(from, to sim.Vec3, except sim.Object, lag int) (hit, bool) {
	return hit{}, false
}
