package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// maxStruck is the maximum number of objects that a vehicle rams in one tick.
const maxStruck = 16

// crash applies the collisions of a tick to the vehicle and to the objects it hit. Only the server
// calls it. Predicting clients receive the results as updates.
func (v *Vehicle) crash(c *course) {
	if c.fastest > 0 {
		v.hurt(c)
	}
	if v.velocity == (sim.Vec3{}) {
		return
	}
	var list [maxStruck]*ShapeBase
	for _, o := range v.inTheWay(list[:0]) {
		v.ram(c.d, o)
	}
}

// hurt applies the hardest impact of the tick. It pushes the body that was hit, if it can be
// pushed, and damages it and the vehicle.
func (v *Vehicle) hurt(c *course) {
	beyond := c.fastest - c.d.minCollisionSpeed
	other, _ := c.struck.(shape)
	if p, ok := c.struck.(pushed); ok && other != nil {
		p.push(other.base().position, c.way.Mul(float64(c.fastest*c.d.mass)))
	}
	if beyond <= 0 {
		return
	}
	amount := float64(beyond * c.d.collisionDamage)
	v.World().Emit(v, "onImpact", sim.Number(c.fastest))
	if other == nil {
		v.damage(nil, amount, "impact")
		return
	}
	v.damage(other, amount, "impact")
	other.base().damage(v, amount, "vehicle")
}

// inTheWay appends the objects that overlap the vehicle and can be pushed, in order of ids. It
// skips mounted objects.
func (v *Vehicle) inTheWay(list []*ShapeBase) []*ShapeBase {
	in := spaceOf(v.World())
	lo, hi := v.box()
	lo, hi = lo.Add(v.position), hi.Add(v.position)
	for _, n := range in.near(v.position, v.Place().Radius+lo.Sub(hi).Len()/2) {
		o, ok := in.body(n).(shape)
		if _, moves := o.(pushed); !ok || !moves || o.base() == &v.ShapeBase || o.base().mount != 0 || !o.Ident().Alive() {
			continue
		}
		oLo, oHi := o.box()
		if at := o.base().position; !meet(lo, hi, oLo.Add(at), oHi.Add(at)) {
			continue
		}
		list = insert(list, o.base())
	}
	return list
}

// insert adds o to a list sorted by id. If the list is full, it drops the object with the highest
// id.
func insert(list []*ShapeBase, o *ShapeBase) []*ShapeBase {
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

// meet reports whether two boxes overlap.
func meet(aLo, aHi, bLo, bHi sim.Vec3) bool {
	return aLo.X < bHi.X && bLo.X < aHi.X && aLo.Y < bHi.Y && bLo.Y < aHi.Y && aLo.Z < bHi.Z && bLo.Z < aHi.Z
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
	o.Object().(pushed).push(at, way.Mul(impulse).Add(sim.Vec3{Z: math.Abs(impulse) / 4}))
	if beyond := closing - d.minCollisionSpeed; beyond > 0 {
		hurt := float64(beyond * d.collisionDamage)
		o.damage(v, hurt, "vehicle")
		if _, both := o.Object().(*Vehicle); both {
			v.damage(o.Object(), hurt, "vehicle")
		}
	}
}
