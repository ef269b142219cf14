package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// onWheels runs one tick of a vehicle on wheels. Each wheel has a spring and a damper. It pushes
// along the normal of the ground below it:
//
//	  ┌──────────────┐   position: the middle of the bottom of its box
//	──┴─○─────────○──┴─
//	    │         │      a wheel goes up by as much as springLength
//	   (●)       (●)     its rim is wheelRadius below its place
//
// Spring constants are per kilogram of load. The moment of inertia follows from the positions
// of the wheels. No datablock can therefore make the vehicle oscillate with growing amplitude:
// spring·t² + 2·damping·t < 4 in all of their ranges, and the same holds for leaning.
func (c *vehicleTick) onWheels() {
	c.steerWheels()
	c.turn()
	push, tip, tilt := c.springs()
	c.velocity.Z -= float64(Gravity * sim.TickSeconds)
	c.velocity = c.velocity.Add(push.Mul(sim.TickSeconds))
	if c.hold == 0 {
		c.level(0, 0)
		return
	}
	c.applyTraction()
	balance := push.Sub(sim.Vec3{Z: Gravity}).Dot(c.normal)
	if c.canRest(balance) && math.Abs(tip) < maxCalmLean && math.Abs(tilt) < maxCalmLean {
		c.velocity, c.spin.X, c.spin.Y = sim.Vec3{}, 0, 0
		return
	}
	// The tyres absorb a part of the leaning.
	const kept = 0.95
	c.spin.X = float64(kept * (c.spin.X + float64(tip*sim.TickSeconds)))
	c.spin.Y = float64(kept * (c.spin.Y + float64(tilt*sim.TickSeconds)))
}

// maxCalmLean is the maximum angular acceleration of a vehicle at rest, in degrees a second
// squared.
const maxCalmLean = 60.0

// springs returns the acceleration by all wheels in metres a second squared, and the angular
// acceleration of pitch (tip) and roll (tilt) in degrees a second squared. It also sets hold and
// normal.
func (c *vehicleTick) springs() (push sim.Vec3, tip, tilt float64) {
	d, n := c.d, float64(c.d.wheels)
	along, across := float64(d.size.Y*d.size.Y)/12, float64(d.size.X*d.size.X)/12
	along, across = max(along, 0.25), max(across, 0.25)
	var normals sim.Vec3
	touching := 0.0
	var wide, long float64
	for i := range d.wheels {
		at := d.wheel[i]
		wide, long = wide+float64(at.X*at.X)/n, long+float64(at.Y*at.Y)/n
		force, normal := c.spring(i)
		if force < 0 {
			continue
		}
		touching++
		normals = normals.Add(normal)
		push = push.Add(normal.Mul(force / n))
		tip += float64(force*at.Y) / n
		tilt -= float64(force*at.X) / n
	}
	c.hold = touching / n
	if touching > 0 {
		c.normal = normals.Normalized()
	}
	tip, tilt = tip/max(along, long), tilt/max(across, wide)
	return push, float64(tip * degreesPerRadian), float64(tilt * degreesPerRadian)
}

// spring returns the push of wheel i per kilogram of load, and the normal of the ground below it.
// The push is less than 0 if there is no contact.
func (c *vehicleTick) spring(i int) (float64, sim.Vec3) {
	d, arm := c.d, c.frame.at(c.d.wheel[i])
	foot := c.position.Add(arm)
	foot.Z -= d.wheelRadius
	ground, normal := c.support(foot.X, foot.Y, foot.Z+d.springLength+vehicleStepHeight)
	pressed := float64((ground - foot.Z) * normal.Z)
	if pressed < 0 {
		return -1, normal
	}
	// The point above the wheel approaches the ground when the body moves, pitches or rolls, and
	// when the ground rises ahead.
	at := c.velocity
	at.Z += (float64(c.spin.X*c.d.wheel[i].Y) - float64(c.spin.Y*c.d.wheel[i].X)) / degreesPerRadian
	nearer := -at.Dot(normal)
	return max(float64(d.spring[i]*min(pressed, d.springLength))+float64(d.damping[i]*nearer), 0), normal
}

// steerWheels sets the yaw rate from the steered wheels. The turning circle follows from the
// steering angle and the wheelbase. It is no tighter than the grip allows.
func (c *vehicleTick) steerWheels() {
	heading := sim.Heading(c.yaw)
	along := float64(c.velocity.X*heading.X) + float64(c.velocity.Y*heading.Y)
	low, high := 0.0, 0.0
	for i := range c.d.wheels {
		low, high = min(low, c.d.wheel[i].Y), max(high, c.d.wheel[i].Y)
	}
	sin, cos := sim.SinCos(sim.Turn(float64(c.steer * c.d.maxSteer)))
	rate := float64(float64(along*sin)/cos) / max(high-low, 1)
	most := c.d.turnRate
	if speed := math.Abs(along); speed > 1 {
		most = min(most, c.d.grip/speed*degreesPerRadian)
	}
	c.spin.Z = clamp1(float64(rate*degreesPerRadian), most)
}
