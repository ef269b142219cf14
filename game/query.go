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

// ranked returns the bodies that a sphere touches, nearest first, with ties in order of ids. The
// slice is valid until the next call.
func (s *space) ranked(center sim.Vec3, radius float64) []bodyDistance {
	s.ranks = s.ranks[:0]
	if !(radius > 0) {
		return nil
	}
	for _, n := range s.near(center, radius) {
		b := s.body(n)
		if b.Ident().Dead() {
			continue
		}
		lo, hi := b.box()
		at := b.scene().position
		if distance := distanceToBox(center, at.Add(lo), at.Add(hi)); distance < radius {
			s.ranks = append(s.ranks, bodyDistance{b, distance})
		}
	}
	slices.SortFunc(s.ranks, func(a, b bodyDistance) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.body.Ident().ID(), b.body.Ident().ID()))
	})
	return s.ranks
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
