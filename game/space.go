package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// space is the spatial index of a world: the ground, the solids and all bodies.
//
// Player moves run on two machines and must give the same result on both. Moves therefore depend
// only on the ground and the solids. Both are identical on both machines, because their positions
// are rounded to the precision of the wire.
type space struct {
	world       *sim.World
	alike       wireRounding
	bodies      []body      // by number, from 1; nil is free
	places      []bodyEntry // likewise
	free        []uint32
	grid        *sim.Grid  // bodies except Boxes, for hits and touches
	solids      *sim.Grid  // bodies that block movement
	nearNumbers []uint32   // result of the last query
	nearSolids  []solidBox // solids near the current move
	trails      positionHistory
	ticked      uint64         // the newest complete tick
	ranks       []bodyDistance // result of the last call of ranked

	touchBuffer []sim.ID // result of the last call of touch
	projectiles int      // number of projectiles in the world

	terrains []*TerrainBlock // in the order in which they were added
	relief   heightField     // of the newest terrain; without heights there is no terrain
}

// body is an object with a bounding box.
type body interface {
	sim.Interpolator
	scene() *SceneObject
	box() (lo, hi sim.Vec3) // the axis-aligned bounding box, relative to the position
}

// A solid is a body that can stop others. Its answer must be the same on both machines.
type solid interface {
	body
	blocks() bool
}

// A wall is a Box: a body that is in solids only.
type wall interface {
	body
	isWall()
}

// bodyEntry is the last known location of a body.
type bodyEntry struct {
	radius float64  // of the bounding sphere of its box
	block  solidBox // valid if it is solid
	solid  bool
}

// solidBox is the box of a solid, rounded outwards to the fine grid. A position at one of its faces
// is therefore exact.
type solidBox struct {
	lo, hi sim.Vec3
	n      uint32 // body number
}

// spaceOf returns the space of a world. It creates the space if necessary.
func spaceOf(w *sim.World) *space {
	s, ok := w.Game.(*space)
	if !ok {
		s = &space{world: w, alike: newAlike(w.Classes()), bodies: make([]body, 1), places: make([]bodyEntry, 1), grid: sim.NewGrid(16), solids: sim.NewGrid(16)}
		w.Game = s
	}
	return s
}

// enter adds a body.
func (s *space) enter(b body) {
	n := uint32(len(s.bodies))
	if last := len(s.free) - 1; last >= 0 {
		n, s.free = s.free[last], s.free[:last]
	} else {
		s.bodies, s.places = append(s.bodies, nil), append(s.places, bodyEntry{})
	}
	s.bodies[n], s.places[n] = b, bodyEntry{radius: -1}
	b.scene().bodyNumber = n
	s.trails.enter(n, b.scene().position)
	s.update(b)
}

// leave removes a body.
func (s *space) leave(b body) {
	n := b.scene().bodyNumber
	if n == 0 {
		return
	}
	b.scene().bodyNumber = 0
	s.trails.leave(n)
	s.bodies[n], s.places[n] = nil, bodyEntry{}
	s.free = append(s.free, n)
	s.grid.Remove(n)
	s.solids.Remove(n)
}

// update updates the index with the current position and box of a body. Moving objects call it at
// the end of their tick.
func (s *space) update(b body) {
	o := b.scene()
	if o.bodyNumber == 0 {
		return
	}
	lo, hi := b.box()
	half := hi.Sub(lo).Mul(0.5)
	center, radius := o.position.Add(lo).Add(half), half.Len()
	p := &s.places[o.bodyNumber]
	if _, is := b.(wall); !is {
		if radius == p.radius {
			s.grid.Move(o.bodyNumber, center)
		} else {
			s.grid.Add(o.bodyNumber, center, radius)
		}
	}
	p.radius = radius
	s.trails.moved(o.bodyNumber, o.position)
	k, ok := b.(solid)
	s.setSolid(p, o, ok && k.blocks(), lo, hi)
}

// setSolid adds a body to the solids, updates it there or removes it.
func (s *space) setSolid(p *bodyEntry, o *SceneObject, solid bool, lo, hi sim.Vec3) {
	if !solid {
		if p.solid {
			p.solid, p.block = false, solidBox{}
			s.solids.Remove(o.bodyNumber)
		}
		return
	}
	at := s.alike.place(o.position)
	is := solidBox{roundVec(at.Add(lo), math.Floor), roundVec(at.Add(hi), math.Ceil), o.bodyNumber}
	if p.solid && p.block == is {
		return
	}
	p.solid, p.block = true, is
	half := is.hi.Sub(is.lo).Mul(0.5)
	s.solids.Add(o.bodyNumber, is.lo.Add(half), half.Len())
}

// roundVec rounds v to the fine grid (sim.Coder.Fine) with the function way.
func roundVec(v sim.Vec3, way func(float64) float64) sim.Vec3 {
	return sim.Vec3{X: way(v.X/sim.FineStep) * sim.FineStep, Y: way(v.Y/sim.FineStep) * sim.FineStep, Z: way(v.Z/sim.FineStep) * sim.FineStep}
}

// near returns the numbers of the bodies with bounding spheres that touch a sphere, without Boxes
// and in no defined order. The slice is valid until the next query.
func (s *space) near(center sim.Vec3, radius float64) []uint32 {
	s.nearNumbers = s.grid.Near(center, radius, s.nearNumbers[:0])
	return s.nearNumbers
}

// body returns the body with this number.
func (s *space) body(n uint32) body { return s.bodies[n] }

// setTerrain makes a new terrain the ground, or updates the relief after a change.
func (s *space) setTerrain(t *TerrainBlock) {
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
	if l := s.alike.land(t); len(s.relief.heights) == 0 || l != s.relief.terrainParams {
		s.relief.generate(l)
	}
}

// removeTerrain removes a terrain. The previous one becomes the ground again.
func (s *space) removeTerrain(t *TerrainBlock) {
	left := s.terrains[:0]
	for _, old := range s.terrains {
		if old != t {
			left = append(left, old)
		}
	}
	s.terrains = left
	if len(left) == 0 {
		s.relief = heightField{}
		return
	}
	s.setTerrain(left[len(left)-1])
}

// ground returns the height and the normal of the ground at a place. Without terrain the ground is
// flat, at height 0.
func (s *space) ground(x, y float64) (z float64, normal sim.Vec3) {
	if len(s.relief.heights) == 0 {
		return 0, sim.Vec3{Z: 1}
	}
	return s.relief.ground(x, y)
}

// groundObject returns the newest terrain, or nil.
func (s *space) groundObject() sim.Object {
	if len(s.terrains) == 0 {
		return nil
	}
	return s.terrains[len(s.terrains)-1].Object()
}

// A loose body is an Item.
type loose interface {
	body
	isLoose()
}

// A fixture is a Turret: it turns and does not move.
type fixture interface {
	shape
	isFixture()
}

// isMoving reports whether a body is of a class that moves around. Turrets and static shapes are
// not.
func isMoving(o sim.Object) bool {
	switch o.(type) {
	case fixture:
		return false
	case loose, sim.Controllable:
		return true
	}
	return false
}
