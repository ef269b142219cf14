package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// maxRammed is the maximum number of objects that a vehicle rams in one tick.
const maxRammed = 16

// crash applies the collisions of a tick to the vehicle and to the objects it hit. Only the server
// calls it. Predicting clients receive the results as updates.
func (v *Vehicle) crash(c *vehicleTick) {
	if c.impactSpeed > 0 {
		v.applyImpact(c)
	}
	if v.velocity == (sim.Vec3{}) {
		return
	}
	var list [maxRammed]*ShapeBase
	for _, o := range v.overlappingShapes(list[:0]) {
		v.ram(c.d, o)
	}
}

// applyImpact applies the hardest impact of the tick. It pushes the body that was hit, if it can be
// pushed, and damages it and the vehicle.
func (v *Vehicle) applyImpact(c *vehicleTick) {
	beyond := c.impactSpeed - c.d.minCollisionSpeed
	other, _ := c.impactBody.(shape)
	if p, ok := c.impactBody.(impulseTarget); ok && other != nil {
		p.push(other.base().position, c.impactDirection.Mul(float64(c.impactSpeed*c.d.mass)))
	}
	if beyond <= 0 {
		return
	}
	amount := float64(beyond * c.d.collisionDamage)
	v.World().Emit(v, "onImpact", sim.Number(c.impactSpeed))
	if other == nil {
		v.applyDamage(nil, amount, "impact")
		return
	}
	v.applyDamage(other, amount, "impact")
	other.base().applyDamage(v, amount, "vehicle")
}

// overlappingShapes appends the objects that overlap the vehicle and can be pushed, in order of
// ids. It skips mounted objects.
func (v *Vehicle) overlappingShapes(list []*ShapeBase) []*ShapeBase {
	in := spaceOf(v.World())
	lo, hi := v.box()
	lo, hi = lo.Add(v.position), hi.Add(v.position)
	for _, n := range in.near(v.position, v.Place().Radius+lo.Sub(hi).Len()/2) {
		o, ok := in.body(n).(shape)
		if _, moves := o.(impulseTarget); !ok || !moves || o.base() == &v.ShapeBase || o.base().mount != 0 || !o.Ident().Alive() {
			continue
		}
		oLo, oHi := o.box()
		if at := o.base().position; !boxesOverlap(lo, hi, oLo.Add(at), oHi.Add(at)) {
			continue
		}
		list = insertByID(list, o.base())
	}
	return list
}

// insertByID adds o to a list sorted by id. If the list is full, it drops the object with the
// highest id.
func insertByID(list []*ShapeBase, o *ShapeBase) []*ShapeBase {
	if len(list) == cap(list) {
		if list[len(list)-1].ID() < o.ID() {
			return list
		}
		list = list[:len(list)-1]
	}
	list = append(list, o)
	for i := len(list) - 1; i > 0 && list[i].ID() < list[i-1].ID(); i-- {
		list[i], list[i-1] = list[i-1], list[i]
	}
	return list
}

// ram applies a collision with o. Both objects get velocities that separate them, and damage
// according to their closing speed. Objects that already separate are skipped, so each collision
// counts once.
func (v *Vehicle) ram(d *VehicleData, o *ShapeBase) {
	other := o.shapeData()
	if other == nil {
		return
	}
	way := o.position.Sub(v.position)
	if way.Z = 0; way == (sim.Vec3{}) {
		way = sim.Heading(sim.Turn(v.rotation.Yaw))
	}
	way = way.Normalized()
	closing := v.velocity.Sub(o.velocity).Dot(way)
	if closing <= calmSpeed {
		return
	}
	impulse := float64(closing*(1+d.elasticity)) / (1/d.mass + 1/other.mass)
	at := o.position
	v.push(at, way.Mul(-impulse))
	o.Object().(impulseTarget).push(at, way.Mul(impulse).Add(sim.Vec3{Z: math.Abs(impulse) / 4}))
	if beyond := closing - d.minCollisionSpeed; beyond > 0 {
		hurt := float64(beyond * d.collisionDamage)
		o.applyDamage(v, hurt, "vehicle")
		if _, both := o.Object().(drivable); both {
			v.applyDamage(o.Object(), hurt, "vehicle")
		}
	}
}
