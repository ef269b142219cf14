package game

import "github.com/torc-engine/torc/engine/sim"

// explosion is an explosion. It damages and pushes nearby bodies. The effect falls off linearly
// with the distance to the nearest part of the body, and walls block it.
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
