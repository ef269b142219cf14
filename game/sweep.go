package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// maxDepth is the maximum depth in a block at which its face still stops a point, in metres. A
// point that is deeper can move freely, so that it can get out.
const maxDepth = 1.0 / 64

// sweepTrace is the first hit of a movement.
type sweepTrace struct {
	t      float64 // part of the path; 1 is no hit
	normal sim.Vec3
	axis   int     // axis perpendicular to the face of the block, 0…2, or a constant below
	face   float64 // coordinate of the face on that axis
	n      uint32  // body number of the block; 0 is the ground
}

// Values of trace.axis for no block.
const (
	groundAxis = -1
	nothing    = 3
)

// gather finds the blocks that can be hit between lo and hi. The following traces test only these
// blocks.
func (s *space) gather(lo, hi sim.Vec3) {
	s.nearSolids = s.nearSolids[:0]
	half := hi.Sub(lo).Mul(0.5)
	s.nearNumbers = s.solids.Near(lo.Add(half), half.Len()+maxDepth, s.nearNumbers[:0])
	for _, n := range s.nearNumbers {
		if b := &s.places[n].block; b.overlaps(lo, hi) {
			s.nearSolids = append(s.nearSolids, *b)
		}
	}
}

// overlaps reports whether a block and a box touch.
func (b *solidBox) overlaps(lo, hi sim.Vec3) bool {
	return b.lo.X <= hi.X && b.hi.X >= lo.X && b.lo.Y <= hi.Y && b.hi.Y >= lo.Y && b.lo.Z <= hi.Z && b.hi.Z >= lo.Z
}

// trace moves the box lo…hi around from by d, and returns the first hit with the gathered blocks or
// the ground. Only the point from hits the ground. The result does not depend on the order of the
// blocks.
func (s *space) trace(lo, hi, from, d sim.Vec3) sweepTrace {
	first := s.traceGround(from, d)
	for i := range s.nearSolids {
		b := &s.nearSolids[i]
		if t, ok := b.expanded(lo, hi).trace(from, d); ok && t.before(&first) {
			t.n = b.n
			first = t
		}
	}
	return first
}

// before reports whether t comes before u. Ties in time are decided by axis and face.
func (t *sweepTrace) before(u *sweepTrace) bool {
	switch {
	case t.t != u.t:
		return t.t < u.t
	case t.axis != u.axis:
		return t.axis < u.axis
	}
	return t.face < u.face
}

// traceGround returns the hit of a point with the ground on its path by d.
func (s *space) traceGround(from, d sim.Vec3) sweepTrace {
	if len(s.relief.heights) != 0 {
		if t, normal, ok := s.relief.cast(from, d); ok {
			return sweepTrace{t: t, normal: normal, axis: groundAxis}
		}
	} else if d.Z < 0 && from.Z+d.Z < 0 {
		return sweepTrace{t: min(max(from.Z/-d.Z, 0), 1), normal: sim.Vec3{Z: 1}, axis: groundAxis}
	}
	return sweepTrace{t: 1, axis: nothing}
}

// expanded returns the block, enlarged so that moving the box lo…hi against b is the same as moving
// a point against the result.
func (b *solidBox) expanded(lo, hi sim.Vec3) solidBox {
	return solidBox{b.lo.Sub(hi), b.hi.Sub(lo), b.n}
}

// trace returns the hit of a point with the block on its path by d.
func (b solidBox) trace(from, d sim.Vec3) (sweepTrace, bool) {
	at, way, low, high := axes(from), axes(d), axes(b.lo), axes(b.hi)
	in, out, axis := math.Inf(-1), 1.0, -1
	for a := range 3 {
		if way[a] == 0 {
			if at[a] <= low[a] || at[a] >= high[a] {
				return sweepTrace{}, false
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
		return sweepTrace{}, false
	case in < 0 || axis < 0:
		return b.traceInside(at, way)
	}
	return b.faceTrace(axis, way[axis] < 0, in), true
}

// traceInside returns the hit of a point that is already in the block and moves further in: the
// nearest face, if the depth is less than inside.
func (b *solidBox) traceInside(at, way [3]float64) (sweepTrace, bool) {
	low, high := axes(b.lo), axes(b.hi)
	depth, axis, top := maxDepth, -1, false
	for a := range 3 {
		if below := at[a] - low[a]; below < depth {
			depth, axis, top = below, a, false
		}
		if above := high[a] - at[a]; above < depth {
			depth, axis, top = above, a, true
		}
	}
	if axis < 0 || top && way[axis] >= 0 || !top && way[axis] <= 0 {
		return sweepTrace{}, false
	}
	return b.faceTrace(axis, top, 0), true
}

// faceTrace returns a trace that ends at a face of the block.
func (b *solidBox) faceTrace(axis int, top bool, t float64) sweepTrace {
	face, way := axes(b.lo)[axis], -1.0
	if top {
		face, way = axes(b.hi)[axis], 1
	}
	normal := [3]float64{}
	normal[axis] = way
	return sweepTrace{t: t, normal: sim.Vec3{X: normal[0], Y: normal[1], Z: normal[2]}, axis: axis, face: face}
}

// end returns the position at the end of a movement by d.
func (t *sweepTrace) end(from, d sim.Vec3) sim.Vec3 {
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

// floor returns the highest surface that the box lo…hi around at can stand on, at most below metres
// below at.
func (s *space) floor(lo, hi, at sim.Vec3, below float64) (z float64, normal sim.Vec3, ok bool) {
	z, normal = s.ground(at.X, at.Y)
	ok = z >= at.Z-below
	for i := range s.nearSolids {
		b := s.nearSolids[i].expanded(lo, hi)
		top := b.hi.Z
		if top > at.Z+maxDepth || top < at.Z-below || ok && top <= z {
			continue
		}
		if at.X > b.lo.X && at.X < b.hi.X && at.Y > b.lo.Y && at.Y < b.hi.Y {
			z, normal, ok = top, sim.Vec3{Z: 1}, true
		}
	}
	return z, normal, ok
}

// sweep moves an axis-aligned box and returns its first hit with the ground or a solid. from and to
// are positions of the middle of its bottom face, the only point that hits the ground.
func (s *space) sweep(size, from, to sim.Vec3) (rayHit, bool) {
	lo, hi := boxOnGround(size)
	s.gather(lowest(from, to).Add(lo), highest(from, to).Add(hi))
	d := to.Sub(from)
	first := s.trace(lo, hi, from, d)
	return s.hit(&first, from, d)
}

// hit converts a trace to a hit.
func (s *space) hit(t *sweepTrace, from, d sim.Vec3) (rayHit, bool) {
	if t.axis == nothing {
		return rayHit{}, false
	}
	h := rayHit{object: s.groundObject(), at: t.end(from, d), normal: t.normal, t: t.t}
	if t.n != 0 {
		h.object = s.bodies[t.n]
	}
	return h, true
}

// boxesOverlap reports whether two boxes overlap.
func boxesOverlap(aLo, aHi, bLo, bHi sim.Vec3) bool {
	return aLo.X < bHi.X && bLo.X < aHi.X && aLo.Y < bHi.Y && bLo.Y < aHi.Y && aLo.Z < bHi.Z && bLo.Z < aHi.Z
}
