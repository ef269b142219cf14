package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// turnRoll is the roll of a flying vehicle in a full turn, in degrees.
const turnRoll = 30.0

// fly runs one tick of a flying vehicle. Lift grows with the square of the speed and is full from
// the stallSpeed of the datablock on. The wings turn the velocity towards the nose. Without a pilot
// the engine is off, and a vehicle with stallSpeed 0 sinks slowly.
func (c *vehicleTick) fly() {
	w := &c.v.drive
	s := c.slope()
	grounded := c.position.Z-s.height < landedHeight
	c.spin.Z = float64(c.steer * c.d.turnRate)
	switch {
	case grounded && w.throttle == 0 && w.rise == 0:
		c.spin.Z = 0
		c.level(angleOf(s.ahead), -angleOf(s.right))
	case w.brake:
		c.level(0, 0)
	default:
		pitch, _ := c.tilt()
		c.level(pitch, -float64(c.steer*turnRoll))
		c.spin.X = float64(w.dip * c.d.turnRate)
	}
	c.turn()
	c.applyAerodynamics()
	if grounded && c.canRest(0) {
		c.velocity = sim.Vec3{}
	}
}

// applyAerodynamics applies engine, wings and gravity to the velocity.
func (c *vehicleTick) applyAerodynamics() {
	w, nose := &c.v.drive, c.frame.ahead
	along := c.velocity.Dot(nose)
	wing := c.wing(along)
	c.hold = 1
	c.velocity = c.velocity.Add(nose.Mul(c.nextSpeed(along) - along))
	// Wings remove velocity across the nose. With the brake held, the vertical part is kept so that
	// the vehicle can descend.
	slip := c.velocity.Sub(nose.Mul(c.velocity.Dot(nose)))
	if w.brake {
		slip.Z = 0
	}
	if speed := slip.Len(); speed > 0 {
		most := float64(float64(c.d.grip*wing) * sim.TickSeconds)
		c.velocity = c.velocity.Sub(slip.Mul(min(most/speed, 1)))
	}
	fall := float64(Gravity * (1 - wing))
	if w.brake && c.d.stallSpeed == 0 {
		fall = min(Gravity, max(0, float64((c.velocity.Z+sinkSpeed)/sim.TickSeconds)))
	}
	c.velocity.Z += float64((float64(w.rise*c.d.lift) - fall) * sim.TickSeconds)
	if speed := c.velocity.Len(); speed > c.maxSpeed && !w.brake {
		c.velocity = c.velocity.Mul(moveTowards(speed, c.maxSpeed, float64(c.d.brake*sim.TickSeconds)) / speed)
	}
}

// wing returns the part of the weight that the wings carry at a speed, 0…1.
func (c *vehicleTick) wing(speed float64) float64 {
	if c.d.stallSpeed == 0 {
		return 1
	}
	part := max(speed, 0) / c.d.stallSpeed
	return math.Min(float64(part*part), 1)
}
