package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// The suspension of a hovering vehicle: a spring and a damper, for each kilogram of mass. The
// damping is critical.
const (
	hoverSpring    = 25.0 // per second squared
	cushionDamping = 10.0 // per second
)

// A groundSample is the shape of the ground under a vehicle: its height in metres, and its rise per
// metre ahead and to the right.
type groundSample struct{ height, ahead, right float64 }

// hover runs one tick of a hovering vehicle. The vehicle floats at the hoverHeight of its datablock
// while it is near enough to the ground. Otherwise it falls.
func (c *vehicleTick) hover() {
	c.spin.Z = float64(c.steer * c.d.turnRate)
	c.turn()
	s := c.slope()
	over := c.position.Z - s.height
	if over > float64(2*c.d.hoverHeight)+1 {
		c.velocity.Z -= float64(Gravity * sim.TickSeconds)
		c.level(0, 0)
		return
	}
	heading := sim.Heading(c.yaw)
	side := sim.Vec3{X: heading.Y, Y: -heading.X}
	rise := float64(s.ahead*c.velocity.Dot(heading)) + float64(s.right*c.velocity.Dot(side))
	miss, sink := c.d.hoverHeight-over, c.velocity.Z-rise
	lift := Gravity + float64(hoverSpring*miss) - float64(cushionDamping*sink)
	c.velocity.Z += float64((clamp1(max(lift, 0), c.d.lift) - Gravity) * sim.TickSeconds)
	c.hold = 1
	c.normal = side.Mul(-s.right).Sub(heading.Mul(s.ahead)).Add(sim.Vec3{Z: 1}).Normalized()
	// A hovering vehicle slides downhill, because the cushion has no sideways friction.
	c.velocity.X += float64(float64(float64(c.normal.X*c.normal.Z)*Gravity) * sim.TickSeconds)
	c.velocity.Y += float64(float64(float64(c.normal.Y*c.normal.Z)*Gravity) * sim.TickSeconds)
	c.applyTraction()
	c.level(angleOf(s.ahead), -angleOf(s.right))
	if math.Abs(miss) < 0.05 && c.canRest(0) && c.v.drive.turn == 0 {
		c.velocity = sim.Vec3{}
	}
}

// slope samples the ground at the middle and the corners of the vehicle.
func (c *vehicleTick) slope() groundSample {
	x, y := max(max(c.d.size.X, 0)/2, 0.5), max(max(c.d.size.Y, 0)/2, 0.5)
	heading := sim.Heading(c.yaw)
	side := sim.Vec3{X: heading.Y, Y: -heading.X}
	below := c.position.Z + vehicleStepHeight
	at := func(x, y float64) float64 {
		p := c.position.Add(side.Mul(x)).Add(heading.Mul(y))
		z, _ := c.support(p.X, p.Y, below)
		return z
	}
	middle := at(0, 0)
	fl, fr, bl, br := at(-x, y), at(x, y), at(-x, -y), at(x, -y)
	return groundSample{
		height: max(middle, (fl+fr+bl+br)/4),
		ahead:  clamp1((fl+fr-bl-br)/float64(4*y), 1),
		right:  clamp1((fr+br-fl-bl)/float64(4*x), 1),
	}
}

// angleOf returns the angle of a slope in -1…1, in degrees. The approximation is within 0.3
// degrees.
func angleOf(rise float64) float64 {
	return float64(rise/(1+float64(0.28125*float64(rise*rise)))) * degreesPerRadian
}
