package game

import (
	"cmp"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// bodyDistance is a body with the distance to its nearest part, in metres.
type bodyDistance struct {
	body     body
	distance float64
}

// A search is a question for the bodies in a sphere or a box. The sphere of a box is around it.
type search struct {
	center   sim.Vec3
	radius   float64 // of the sphere, in metres
	box      bool
	lo, hi   sim.Vec3 // the box
	classes  classMask
	examined int // answer: the number of bodies that the index returned
}

// newBoxSearch returns the search in the box between two opposite corners.
func newBoxSearch(corner, opposite sim.Vec3) search {
	lo, hi := lowest(corner, opposite), highest(corner, opposite)
	half := hi.Sub(lo).Mul(0.5)
	return search{center: lo.Add(half), radius: half.Len(), box: true, lo: lo, hi: hi}
}

// distance returns the distance from the centre to a body, and whether the search finds it.
func (q *search) distance(b body) (distance float64, found bool) {
	lo, hi := b.box()
	at := b.scene().position
	is := solidBox{lo: at.Add(lo), hi: at.Add(hi)}
	distance = distanceToBox(q.center, is.lo, is.hi)
	if q.box {
		return distance, is.overlaps(q.lo, q.hi)
	}
	return distance, distance < q.radius
}

// find returns the bodies that a search finds, nearest first, with ties in order of ids. It finds
// Boxes only if the search names a class of them. The slice is valid until the next call.
func (s *space) find(q *search) []bodyDistance {
	s.ranks = s.ranks[:0]
	if !q.box && !(q.radius > 0) {
		return nil
	}
	s.rank(q, s.near(q.center, q.radius), false)
	if q.classes.walls {
		s.nearNumbers = s.solids.Near(q.center, q.radius, s.nearNumbers[:0])
		s.rank(q, s.nearNumbers, true)
	}
	slices.SortFunc(s.ranks, func(a, b bodyDistance) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.body.Ident().ID(), b.body.Ident().ID()))
	})
	return s.ranks
}

// rank adds those of the bodies that a search finds: only the walls, or all but the walls.
func (s *space) rank(q *search, numbers []uint32, walls bool) {
	q.examined += len(numbers)
	for _, n := range numbers {
		b := s.body(n)
		if _, is := b.(wall); is != walls || b.Ident().Dead() || !q.classes.has(b) {
			continue
		}
		if distance, found := q.distance(b); found {
			s.ranks = append(s.ranks, bodyDistance{b, distance})
		}
	}
}

// ranked returns the bodies that a sphere touches, as find.
func (s *space) ranked(center sim.Vec3, radius float64) []bodyDistance {
	return s.find(&search{center: center, radius: radius})
}

// boxCenter returns the middle of a body's box.
func boxCenter(b body) sim.Vec3 {
	lo, hi := b.box()
	return b.scene().position.Add(lo.Add(hi).Mul(0.5))
}

// reaches reports whether an explosion has a line of sight to the middle, the top or the bottom of
// a body.
func (s *space) reaches(from sim.Vec3, b body) bool {
	lo, hi := b.box()
	middle := boxCenter(b)
	half := float64((hi.Z - lo.Z) * 0.45)
	for _, up := range [...]float64{0, half, -half} {
		if s.sees(from, middle.Add(sim.Vec3{Z: up}), b) {
			return true
		}
	}
	return false
}

// sees reports whether no ground and no other solid is between a point and a point of body b.
func (s *space) sees(from, to sim.Vec3, b sim.Object) bool {
	h, is := s.sweep(sim.Vec3{}, from, to)
	return !is || h.object == b
}
