package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// advance moves the vehicle by its velocity. Solids stop it, and no corner of its bottom ends below
// the ground.
func (c *vehicleTick) advance() {
	was := c.position
	c.velocity = clamp(c.velocity, maxVehicleSpeed)
	c.slideTo(c.position.Add(c.velocity.Mul(sim.TickSeconds)))
	c.liftAboveGround(max(was.Z, c.position.Z))
}

// gatherSolids gathers the solids that the vehicle can touch in this tick, in any direction.
func (c *vehicleTick) gatherSolids() {
	x, y := max(c.d.size.X, 0)/2, max(c.d.size.Y, 0)/2
	wide, high := math.Sqrt(float64(x*x)+float64(y*y)), max(c.d.size.Z, 0)
	if c.d.kind == wheeledKind {
		for i := range c.d.wheels {
			wide = max(wide, c.d.wheel[i].Len())
		}
	}
	wide += 1 + vehicleStepHeight
	down := wide + c.d.wheelRadius + float64(2*c.d.hoverHeight)
	reach := sim.Vec3{X: wide, Y: wide, Z: max(wide, high) + c.d.springLength}
	to := c.position.Add(c.velocity.Mul(sim.TickSeconds))
	lo, hi := lowest(c.position, to).Sub(reach), highest(c.position, to).Add(reach)
	lo.Z -= down
	c.space.gather(lo, hi)
}

// support returns the height and normal of the surface below a point: the ground, or the top of a
// higher solid at or below z.
func (c *vehicleTick) support(x, y, z float64) (height float64, normal sim.Vec3) {
	height, normal = c.space.ground(x, y)
	for i := range c.space.nearSolids {
		b := &c.space.nearSolids[i]
		if b.hi.Z > height && b.hi.Z <= z && x > b.lo.X && x < b.hi.X && y > b.lo.Y && y < b.hi.Y && !c.isOwnOrRider(b.n) {
			height, normal = b.hi.Z, sim.Vec3{Z: 1}
		}
	}
	return height, normal
}

// isOwnOrRider reports whether a solid is the vehicle itself or one of its riders.
func (c *vehicleTick) isOwnOrRider(n uint32) bool {
	if n == c.v.bodyNumber {
		return true
	}
	s, ok := c.space.body(n).(shape)
	return ok && s.base().mount == c.v.ID()
}

// slideTo moves the vehicle to a point, and along the solids in its path.
func (c *vehicleTick) slideTo(to sim.Vec3) {
	lo, hi := c.body()
	for range 3 {
		way := to.Sub(c.position)
		if way == (sim.Vec3{}) {
			return
		}
		t := c.traceBody(lo, hi, way)
		c.position = t.end(c.position, way)
		if t.t >= 1 && t.n == 0 {
			return
		}
		c.bounce(t.normal, c.space.body(t.n))
		left := way.Mul(1 - t.t)
		to = c.position.Add(left.Sub(t.normal.Mul(min(left.Dot(t.normal), 0))))
	}
}

// traceBody returns the first solid that the box lo…hi around the vehicle hits on the path way.
func (c *vehicleTick) traceBody(lo, hi, way sim.Vec3) sweepTrace {
	first := sweepTrace{t: 1, axis: nothing}
	for i := range c.space.nearSolids {
		b := &c.space.nearSolids[i]
		if c.isOwnOrRider(b.n) {
			continue
		}
		if t, ok := b.expanded(lo, hi).trace(c.position, way); ok && t.before(&first) {
			t.n = b.n
			first = t
		}
	}
	return first
}

// body returns the axis-aligned box that solids stop. Its sides are the mean of the vehicle's width
// and length, independent of the orientation. Its bottom is raised by the step height.
func (c *vehicleTick) body() (lo, hi sim.Vec3) {
	s := c.d.size
	half, high := (max(s.X, 0)+max(s.Y, 0))/4, max(s.Z, 0)
	return sim.Vec3{X: -half, Y: -half, Z: min(vehicleStepHeight, high/2)}, sim.Vec3{X: half, Y: half, Z: high}
}

// bounce removes the velocity into a surface with this normal, and reflects part of it by
// elasticity.
func (c *vehicleTick) bounce(normal sim.Vec3, what body) {
	into := -c.velocity.Dot(normal)
	if into <= 0 {
		return
	}
	if into > c.impactSpeed {
		c.impactSpeed, c.impactBody, c.impactDirection = into, what, normal.Neg()
	}
	back := 0.0
	if into > restSpeed {
		back = float64(into * c.d.elasticity)
	}
	c.velocity = c.velocity.Add(normal.Mul(into + back))
}

// liftAboveGround lifts the vehicle until its bottom is above the ground. highest is the greatest
// height of the vehicle in this tick, in metres.
func (c *vehicleTick) liftAboveGround(highest float64) {
	x, y := max(c.d.size.X, 0)/2, max(c.d.size.Y, 0)/2
	depth, under := 0.0, sim.Vec3{Z: 1}
	for i := range 5 {
		at := sim.Vec3{}
		if i < 4 {
			at = sim.Vec3{X: x, Y: y}
			if i&1 != 0 {
				at.X = -x
			}
			if i&2 != 0 {
				at.Y = -y
			}
		}
		arm := c.frame.at(at)
		p := c.position.Add(arm)
		ground, normal := c.support(p.X, p.Y, highest+max(arm.Z, 0)+vehicleStepHeight)
		if ground-p.Z > depth {
			depth, under = ground-p.Z, normal
		}
	}
	if depth == 0 {
		return
	}
	c.position.Z += depth
	c.spin.X, c.spin.Y = c.spin.X/2, c.spin.Y/2 // a scraping edge damps rocking
	pressed := max(-c.velocity.Dot(under), 0)
	c.bounce(under, nil)
	c.applyBottomFriction(under, pressed)
}

// bottomFriction is the speed that the bottom loses to ground friction, per metre a second of
// contact speed.
const bottomFriction = 0.8

// applyBottomFriction applies the friction of the bottom on the ground.
func (c *vehicleTick) applyBottomFriction(normal sim.Vec3, pressed float64) {
	along := c.velocity.Sub(normal.Mul(c.velocity.Dot(normal)))
	if speed := along.Len(); speed > 0 {
		c.velocity = c.velocity.Sub(along.Mul(min(float64(bottomFriction*pressed)/speed, 1)))
	}
}
