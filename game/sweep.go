package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// inside is how deep something may be in a block and still be held at its face,
// in metres; what is deeper goes through it, so that it gets out.
const inside = 1.0 / 64

// trace is what a move meets first.
type trace struct {
	t      float64 // part of the way, 1: nothing is there
	normal sim.Vec3
	axis   int     // across the face of a block, 0…2; or one of the next
	face   float64 // where it is on that axis
	n      uint32  // whose block it is; 0 is the ground
}

// What is no axis.
const (
	groundAxis = -1
	nothing    = 3
)

// gather finds the blocks that whatever stays between lo and hi can meet. Those
// that the traces after it look at are these.
func (s *space) gather(lo, hi sim.Vec3) {
	s.around = s.around[:0]
	half := hi.Sub(lo).Mul(0.5)
	s.found = s.solids.Near(lo.Add(half), half.Len()+inside, s.found[:0])
	for _, n := range s.found {
		if b := &s.places[n].block; b.meets(lo, hi) {
			s.around = append(s.around, *b)
		}
	}
}

// meets reports whether a block and a box touch.
func (b *block) meets(lo, hi sim.Vec3) bool {
	return b.lo.X <= hi.X && b.hi.X >= lo.X && b.lo.Y <= hi.Y && b.hi.Y >= lo.Y && b.lo.Z <= hi.Z && b.hi.Z >= lo.Z
}

// trace moves a box, lo…hi around from, by d, among the blocks that were
// gathered. It meets the ground with the point from. What it tells does not
// depend on the order of the blocks.
func (s *space) trace(lo, hi, from, d sim.Vec3) trace {
	first := s.fall(from, d)
	for i := range s.around {
		b := &s.around[i]
		if t, ok := b.grown(lo, hi).meet(from, d); ok && t.before(&first) {
			t.n = b.n
			first = t
		}
	}
	return first
}

// before reports whether a trace is the one to go by, of two.
func (t *trace) before(u *trace) bool {
	switch {
	case t.t != u.t:
		return t.t < u.t
	case t.axis != u.axis:
		return t.axis < u.axis
	}
	return t.face < u.face
}

// fall is where a point on its way by d meets the ground.
func (s *space) fall(from, d sim.Vec3) trace {
	if len(s.relief.heights) != 0 {
		if t, normal, ok := s.relief.cast(from, d); ok {
			return trace{t: t, normal: normal, axis: groundAxis}
		}
	} else if d.Z < 0 && from.Z+d.Z < 0 {
		return trace{t: min(max(from.Z/-d.Z, 0), 1), normal: sim.Vec3{Z: 1}, axis: groundAxis}
	}
	return trace{t: 1, axis: nothing}
}

// grown is the block for the point that a box, lo…hi around it, is moved by.
func (b *block) grown(lo, hi sim.Vec3) block {
	return block{b.lo.Sub(hi), b.hi.Sub(lo), b.n}
}

// meet is where a point on its way by d meets the block.
func (b block) meet(from, d sim.Vec3) (trace, bool) {
	at, way, low, high := axes(from), axes(d), axes(b.lo), axes(b.hi)
	in, out, axis := math.Inf(-1), 1.0, -1
	for a := range 3 {
		if way[a] == 0 {
			if at[a] <= low[a] || at[a] >= high[a] {
				return trace{}, false
			}
			continue
		}
		near, far := (low[a]-at[a])/way[a], (high[a]-at[a])/way[a]
		if near > far {
			near, far = far, near
		}
		if near > in {
			in, axis = near, a
		}
		out = min(out, far)
	}
	switch {
	case in >= out || out <= 0:
		return trace{}, false
	case in < 0 || axis < 0:
		return b.held(at, way)
	}
	return b.facing(axis, way[axis] < 0, in), true
}

// held is what stops a point in the block that wants to go on: the nearest face,
// if it is near.
func (b *block) held(at, way [3]float64) (trace, bool) {
	low, high := axes(b.lo), axes(b.hi)
	depth, axis, top := inside, -1, false
	for a := range 3 {
		if below := at[a] - low[a]; below < depth {
			depth, axis, top = below, a, false
		}
		if above := high[a] - at[a]; above < depth {
			depth, axis, top = above, a, true
		}
	}
	if axis < 0 || top && way[axis] >= 0 || !top && way[axis] <= 0 {
		return trace{}, false
	}
	return b.facing(axis, top, 0), true
}

// facing is a trace that ends at a face of the block.
func (b *block) facing(axis int, top bool, t float64) trace {
	face, way := axes(b.lo)[axis], -1.0
	if top {
		face, way = axes(b.hi)[axis], 1
	}
	normal := [3]float64{}
	normal[axis] = way
	return trace{t: t, normal: sim.Vec3{X: normal[0], Y: normal[1], Z: normal[2]}, axis: axis, face: face}
}

func axes(v sim.Vec3) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

// end is where a way by d ends.
func (t *trace) end(from, d sim.Vec3) sim.Vec3 {
	if t.t >= 1 {
		return from.Add(d)
	}
	at := from.Add(d.Mul(t.t))
	switch t.axis {
	case 0:
		at.X = t.face
	case 1:
		at.Y = t.face
	case 2:
		at.Z = t.face
	}
	return at
}

// floor is the highest that a box, lo…hi around at, can stand on, at most some
// metres below at.
func (s *space) floor(lo, hi, at sim.Vec3, below float64) (z float64, normal sim.Vec3, ok bool) {
	z, normal = s.ground(at.X, at.Y)
	ok = z >= at.Z-below
	for i := range s.around {
		b := s.around[i].grown(lo, hi)
		top := b.hi.Z
		if top > at.Z+inside || top < at.Z-below || ok && top <= z {
			continue
		}
		if at.X > b.lo.X && at.X < b.hi.X && at.Y > b.lo.Y && at.Y < b.hi.Y {
			z, normal, ok = top, sim.Vec3{Z: 1}, true
		}
	}
	return z, normal, ok
}

// sweep moves an upright box, which stands on the middle of its bottom, and tells
// what of the ground and the solids it meets first. The bottom's middle is what
// meets the ground.
func (s *space) sweep(size, from, to sim.Vec3) (hit, bool) {
	lo, hi := standing(size)
	s.gather(lowest(from, to).Add(lo), highest(from, to).Add(hi))
	d := to.Sub(from)
	first := s.trace(lo, hi, from, d)
	return s.hit(&first, from, d)
}

// hit is a trace as others want to know it.
func (s *space) hit(t *trace, from, d sim.Vec3) (hit, bool) {
	if t.axis == nothing {
		return hit{}, false
	}
	h := hit{object: s.groundObject(), at: t.end(from, d), normal: t.normal, t: t.t}
	if t.n != 0 {
		h.object = s.bodies[t.n]
	}
	return h, true
}

func lowest(a, b sim.Vec3) sim.Vec3 {
	return sim.Vec3{X: min(a.X, b.X), Y: min(a.Y, b.Y), Z: min(a.Z, b.Z)}
}

func highest(a, b sim.Vec3) sim.Vec3 {
	return sim.Vec3{X: max(a.X, b.X), Y: max(a.Y, b.Y), Z: max(a.Z, b.Z)}
}
