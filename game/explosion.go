package game

import (
	"cmp"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// blast is an explosion: what is near takes damage and is pushed away, less with
// the distance of the nearest part of it, and not at all behind a wall.
type blast struct {
	source sim.Object // who has done it, which may be nil
	at     sim.Vec3
	kind   string

	radius, damage, impulse float64 // where it ends, and what it does in the middle

	direct       sim.Object // what was hit; it takes directDamage besides, in one
	directDamage float64
}

// strike does it. What was hit is in the middle, also if it was hit where it was
// some ticks ago.
func (b blast) strike(s *space) {
	direct, is := b.direct.(body)
	if is {
		b.harm(direct, b.directDamage+float64(b.damage*b.part(0)), float64(b.impulse*b.part(0)))
	}
	for _, r := range s.ranked(b.at, b.radius) {
		if r.body != direct && s.reaches(b.at, r.body) {
			b.harm(r.body, float64(b.damage*b.part(r.distance)), float64(b.impulse*b.part(r.distance)))
		}
	}
}

// part is how much of the explosion is left at a distance.
func (b blast) part(distance float64) float64 {
	if distance >= b.radius {
		return 0
	}
	return 1 - distance/b.radius
}

// harm does damage to a body and pushes it away.
func (b blast) harm(o body, damage, impulse float64) {
	if p, is := o.(pushed); is && impulse > 0 {
		p.push(b.at, away(centre(o).Sub(b.at)).Mul(impulse))
	}
	if s, is := o.(shape); is && damage > 0 {
		s.base().damage(b.source, damage, b.kind)
	}
}

// away is the direction of v, up if it has none.
func away(v sim.Vec3) sim.Vec3 {
	if v == (sim.Vec3{}) {
		return sim.Vec3{Z: 1}
	}
	return v.Normalized()
}

// ranked is a body, and how far the nearest part of it is.
type ranked struct {
	body     body
	distance float64
}

// ranked is the bodies that a sphere meets, the nearest first. The slice is valid
// until the next call.
func (s *space) ranked(center sim.Vec3, radius float64) []ranked {
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
		if distance := beside(center, at.Add(lo), at.Add(hi)); distance < radius {
			s.ranks = append(s.ranks, ranked{b, distance})
		}
	}
	slices.SortFunc(s.ranks, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.body.Ident().ID(), b.body.Ident().ID()))
	})
	return s.ranks
}

// beside is the distance of a point from a box.
func beside(p, lo, hi sim.Vec3) float64 {
	return sim.Vec3{
		X: max(lo.X-p.X, 0, p.X-hi.X), Y: max(lo.Y-p.Y, 0, p.Y-hi.Y), Z: max(lo.Z-p.Z, 0, p.Z-hi.Z),
	}.Len()
}

// centre is the middle of a body.
func centre(b body) sim.Vec3 {
	lo, hi := b.box()
	return b.scene().position.Add(lo.Add(hi).Mul(0.5))
}

// reaches reports whether an explosion does: it sees the middle of a body, its
// top or its bottom.
func (s *space) reaches(from sim.Vec3, b body) bool {
	lo, hi := b.box()
	middle := centre(b)
	half := float64((hi.Z - lo.Z) * 0.45)
	for _, up := range [...]float64{0, half, -half} {
		if s.sees(from, middle.Add(sim.Vec3{Z: up}), b) {
			return true
		}
	}
	return false
}

// sees reports whether nothing that stands is between a point and one of a body.
func (s *space) sees(from, to sim.Vec3, b sim.Object) bool {
	h, is := s.sweep(sim.Vec3{}, from, to)
	return !is || h.object == b
}

// isMoving reports whether a body is one of those that go about: all but what
// stands where it was put.
func isMoving(o sim.Object) bool {
	switch o.(type) {
	case *Turret:
		return false
	case *Item, sim.Controlled:
		return true
	}
	return false
}

// maxThrough is how many bodies a ray goes through.
const maxThrough = 16

// rayThrough is ray, but goes on through the bodies that passes says.
func (s *space) rayThrough(from, to sim.Vec3, lag int, passes func(sim.Object) bool) (hit, bool) {
	var except sim.Object
	way := to.Sub(from)
	length := way.Len()
	if length == 0 {
		return hit{}, false
	}
	at := from
	for range maxThrough {
		h, is := s.ray(at, to, except, lag)
		if !is {
			return hit{}, false
		}
		if h.object == nil || !passes(h.object) {
			h.t = min(h.at.Sub(from).Len()/length, 1)
			return h, true
		}
		// A ray that begins well inside of a body does not hit it again.
		except, at = h.object, h.at.Add(way.Mul(2*inside/length))
		if at.Sub(from).Len() >= length {
			return hit{}, false
		}
	}
	return hit{}, false
}
