package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// rayHit is the first hit of a ray or a sweep.
type rayHit struct {
	object sim.Object // nil: the ground of a world without terrain
	at     sim.Vec3
	normal sim.Vec3
	t      float64 // part of the path, 0…1
}

// linesPerCell is the number of lines of the terrain's grid that a ray crosses in a cell, at most.
const linesPerCell = 3

// maxRewindDistance is the distance that a body can have moved in historyTicks ticks and still be
// found at its earlier position, in metres.
const maxRewindDistance = 32.0

// A rayQuery is a straight line and a choice of what it can hit.
type rayQuery struct {
	from, to sim.Vec3
	except   sim.Object // it passes through this object
	lag      int        // bodies count at their positions so many ticks ago, up to historyTicks
	classes  classMask
	examined int // answer: the number of bodies and parts of the ground that were looked at
}

// ray returns the first hit of a straight line with the ground, solids and bodies. Bodies count at
// their positions lag ticks ago, up to historyTicks. The ray passes through except.
func (s *space) ray(from, to sim.Vec3, except sim.Object, lag int) (rayHit, bool) {
	return s.cast(&rayQuery{from: from, to: to, except: except, lag: lag})
}

// hits reports whether a ray can hit an object.
func (q *rayQuery) hits(o sim.Object) bool {
	return o != q.except && !o.Ident().Dead() && q.classes.has(o)
}

// cast returns the first hit of a ray.
func (s *space) cast(q *rayQuery) (rayHit, bool) {
	from, d := q.from, q.to.Sub(q.from)
	first := sweepTrace{t: 1, axis: nothing}
	if !q.classes.named || q.classes.hasClass(s.world.Classes().Lookup(terrainBlockClass.Name)) {
		first = s.traceGround(from, d)
		q.examined += int(float64(s.relief.perMetre*linesPerCell) * float64(first.t*math.Hypot(d.X, d.Y)))
	}
	s.gather(lowest(from, q.to), highest(from, q.to))
	q.examined += len(s.nearNumbers)
	for i := range s.nearSolids {
		b := &s.nearSolids[i]
		if t, ok := b.trace(from, d); ok && t.before(&first) && q.hits(s.bodies[b.n]) {
			t.n = b.n
			first = t
		}
	}
	reach := d.Len() / 2
	if q.lag > 0 {
		reach += maxRewindDistance
	}
	near := s.near(from.Add(d.Mul(0.5)), reach)
	q.examined += len(near)
	for _, n := range near {
		b := s.bodies[n]
		if s.places[n].solid || !q.hits(b) {
			continue
		}
		lo, hi := b.box()
		at := b.scene().before(q.lag)
		is := solidBox{lo: at.Add(lo), hi: at.Add(hi)}
		if t, ok := is.trace(from, d); ok && t.before(&first) {
			t.n = n
			first = t
		}
	}
	return s.hit(&first, from, d)
}

// maxThrough is the maximum number of bodies that a ray passes through.
const maxThrough = 16

// rayThrough is like ray, but continues through bodies for which passes returns true.
func (s *space) rayThrough(from, to sim.Vec3, lag int, passes func(sim.Object) bool) (rayHit, bool) {
	var except sim.Object
	way := to.Sub(from)
	length := way.Len()
	if length == 0 {
		return rayHit{}, false
	}
	at := from
	for range maxThrough {
		h, is := s.ray(at, to, except, lag)
		if !is {
			return rayHit{}, false
		}
		if h.object == nil || !passes(h.object) {
			h.t = min(h.at.Sub(from).Len()/length, 1)
			return h, true
		}
		// A ray that starts well inside a body does not hit that body again.
		except, at = h.object, h.at.Add(way.Mul(2*maxDepth/length))
		if at.Sub(from).Len() >= length {
			return rayHit{}, false
		}
	}
	return rayHit{}, false
}
