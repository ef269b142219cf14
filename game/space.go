package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// space is what there is in a world to stand on, to run into and to hit: the
// ground, what blocks the way, and everything that takes room.
//
// Moves of players are done on two machines, which must agree: the ground and the
// solids are the same on both, for each stands where the wire says it does.
// Whatever else is here decides no move.
type space struct {
	world  *sim.World
	alike  alike
	bodies []body  // by number, from 1; nil is free
	places []place // likewise
	free   []uint32
	grid   *sim.Grid // of what is there to be hit or touched, Boxes apart
	solids *sim.Grid // of what blocks the way
	found  []uint32  // by the last query
	around []block   // the solids near a move
	trails trails
	ranks  []ranked // of the last search for the nearest

	touched     []sim.ID // by the body that looked last
	projectiles int      // that fly

	terrains []*TerrainBlock // in the order in which they came
	relief   relief          // of the newest; without squares there is none
}

// body is an object that takes room.
type body interface {
	sim.Interpolated
	scene() *SceneObject
	box() (lo, hi sim.Vec3) // the upright box that it takes up, from its position
}

// A blocking body is in the way of what moves, as long as it says so. It decides
// that by what is alike on both sides.
type blocking interface {
	body
	blocks() bool
}

// place is where a body was when it was last heard of.
type place struct {
	radius float64 // of the sphere around its box
	block  block   // if it is solid
	solid  bool
}

// block is the room that a solid takes, out to the fine grid, so that whatever
// stops at one of its faces is there exactly.
type block struct {
	lo, hi sim.Vec3
	n      uint32 // whose
}

// spaceOf is the space of a world.
func spaceOf(w *sim.World) *space {
	s, ok := w.Game.(*space)
	if !ok {
		s = &space{world: w, alike: newAlike(w.Classes()), bodies: make([]body, 1), places: make([]place, 1), grid: sim.NewGrid(16), solids: sim.NewGrid(16)}
		w.Game = s
	}
	return s
}

// enter takes in a body that has come into the world.
func (s *space) enter(b body) {
	n := uint32(len(s.bodies))
	if last := len(s.free) - 1; last >= 0 {
		n, s.free = s.free[last], s.free[:last]
	} else {
		s.bodies, s.places = append(s.bodies, nil), append(s.places, place{})
	}
	s.bodies[n], s.places[n] = b, place{radius: -1}
	b.scene().spot = n
	s.trails.enter(n, b.scene().position)
	s.moved(b)
}

// leave forgets a body that leaves the world.
func (s *space) leave(b body) {
	n := b.scene().spot
	if n == 0 {
		return
	}
	b.scene().spot = 0
	s.trails.leave(n)
	s.bodies[n], s.places[n] = nil, place{}
	s.free = append(s.free, n)
	s.grid.Remove(n)
	s.solids.Remove(n)
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
	center, radius := o.position.Add(lo).Add(half), half.Len()
	p := &s.places[o.spot]
	if _, wall := b.(*Box); !wall {
		if radius == p.radius {
			s.grid.Move(o.spot, center)
		} else {
			s.grid.Add(o.spot, center, radius)
		}
	}
	p.radius = radius
	s.trails.moved(o.spot, o.position)
	k, ok := b.(blocking)
	s.setSolid(p, o, ok && k.blocks(), lo, hi)
}

// setSolid puts a body into the way of others, or out of it.
func (s *space) setSolid(p *place, o *SceneObject, solid bool, lo, hi sim.Vec3) {
	if !solid {
		if p.solid {
			p.solid, p.block = false, block{}
			s.solids.Remove(o.spot)
		}
		return
	}
	at := s.alike.place(o.position)
	is := block{finer(at.Add(lo), math.Floor), finer(at.Add(hi), math.Ceil), o.spot}
	if p.solid && p.block == is {
		return
	}
	p.solid, p.block = true, is
	half := is.hi.Sub(is.lo).Mul(0.5)
	s.solids.Add(o.spot, is.lo.Add(half), half.Len())
}

// finer is v on the fine grid, in one direction.
func finer(v sim.Vec3, way func(float64) float64) sim.Vec3 {
	return sim.Vec3{X: way(v.X/sim.Fine) * sim.Fine, Y: way(v.Y/sim.Fine) * sim.Fine, Z: way(v.Z/sim.Fine) * sim.Fine}
}

// near is the numbers of the bodies whose spheres meet a sphere, Boxes apart, in
// no order that means anything. The slice is valid until the next query.
func (s *space) near(center sim.Vec3, radius float64) []uint32 {
	s.found = s.grid.Near(center, radius, s.found[:0])
	return s.found
}

// body is the body with this number.
func (s *space) body(n uint32) body { return s.bodies[n] }

// cover makes a terrain the ground, or notes that it has changed.
func (s *space) cover(t *TerrainBlock) {
	known := false
	for _, old := range s.terrains {
		known = known || old == t
	}
	if !known {
		s.terrains = append(s.terrains, t)
	}
	if s.terrains[len(s.terrains)-1] != t {
		return
	}
	if l := s.alike.land(t); len(s.relief.heights) == 0 || l != s.relief.land {
		s.relief.raise(l)
	}
}

// uncover forgets a terrain; the one before it is the ground again.
func (s *space) uncover(t *TerrainBlock) {
	left := s.terrains[:0]
	for _, old := range s.terrains {
		if old != t {
			left = append(left, old)
		}
	}
	s.terrains = left
	if len(left) == 0 {
		s.relief = relief{}
		return
	}
	s.cover(left[len(left)-1])
}

// ground is the height of the ground at a place, and its normal. Without terrain
// it is level, at 0.
func (s *space) ground(x, y float64) (z float64, normal sim.Vec3) {
	if len(s.relief.heights) == 0 {
		return 0, sim.Vec3{Z: 1}
	}
	return s.relief.ground(x, y)
}

// groundObject is the terrain, nil without one.
func (s *space) groundObject() sim.Object {
	if len(s.terrains) == 0 {
		return nil
	}
	return s.terrains[len(s.terrains)-1]
}
