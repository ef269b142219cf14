package game

import (
	"cmp"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// explosion is an explosion. It damages and pushes nearby bodies. The effect falls off linearly with
// the distance to the nearest part of the body, and walls block it.
type explosion struct {
	source sim.Object // the object that caused it, or nil
	at     sim.Vec3
	kind   string

	radius, damage, impulse float64 // radius of the effect in metres, and damage and impulse at the centre

	direct       sim.Object // the body that was hit directly; it also takes directDamage, in the same damage event
	directDamage float64
}

// strike applies the explosion. A body that was hit directly counts as being at the centre, even if
// lag compensation hit it at an earlier position.
func (b explosion) strike(s *space) {
	direct, is := b.direct.(body)
	if is {
		b.applyTo(direct, b.directDamage+float64(b.damage*b.falloff(0)), float64(b.impulse*b.falloff(0)))
	}
	for _, r := range s.ranked(b.at, b.radius) {
		if r.body != direct && s.reaches(b.at, r.body) {
			b.applyTo(r.body, float64(b.damage*b.falloff(r.distance)), float64(b.impulse*b.falloff(r.distance)))
		}
	}
}

// falloff returns the remaining part of the effect at a distance, 0…1.
func (b explosion) falloff(distance float64) float64 {
	if distance >= b.radius {
		return 0
	}
	return 1 - distance/b.radius
}

// applyTo damages a body and pushes it away.
func (b explosion) applyTo(o body, damage, impulse float64) {
	if p, is := o.(impulseTarget); is && impulse > 0 {
		p.push(b.at, directionOrUp(boxCenter(o).Sub(b.at)).Mul(impulse))
	}
	if s, is := o.(shape); is && damage > 0 {
		s.base().applyDamage(b.source, damage, b.kind)
	}
}

// directionOrUp returns the direction of v, or up if v is zero.
func directionOrUp(v sim.Vec3) sim.Vec3 {
	if v == (sim.Vec3{}) {
		return sim.Vec3{Z: 1}
	}
	return v.Normalized()
}

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

// distanceToBox returns the distance from a point to a box, in metres.
func distanceToBox(p, lo, hi sim.Vec3) float64 {
	return sim.Vec3{
		X: max(lo.X-p.X, 0, p.X-hi.X), Y: max(lo.Y-p.Y, 0, p.Y-hi.Y), Z: max(lo.Z-p.Z, 0, p.Z-hi.Z),
	}.Len()
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

// isMoving reports whether a body is of a class that moves around. Turrets and static shapes are
// not.
func isMoving(o sim.Object) bool {
	switch o.(type) {
	case *Turret:
		return false
	case *Item, sim.Controllable:
		return true
	}
	return false
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
