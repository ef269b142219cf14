package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// maxStruck is how many things a vehicle runs into in one tick.
const maxStruck = 16

// crash is what a tick of a vehicle does to itself and to others. It happens on
// its owner's side alone: those who predict it hear of it.
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

// hurt is the damage by the hardest of what it has run into, to itself and to
// that, which it pushes if that can be.
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

// inTheWay appends what overlaps it, can be pushed, and does not sit on it, by id.
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

// insert puts o into a list that is in the order of ids and does not grow.
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

// ram runs into o: both change their velocities so that they part, and are
// damaged by how fast they met. What parts already is left alone, so that each
// time they meet counts once.
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
