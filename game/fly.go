package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// bank is how far a flying vehicle leans into a turn, in degrees.
const bank = 30.0

// fly is a tick of a vehicle in the air. Its wings carry it in the measure of
// the square of its speed, fully from the stallSpeed of its datablock on, and
// make it go where its nose points. Without a pilot its engine is off, and what
// needs no speed to be carried goes down slowly.
func (c *course) fly() {
	w := &c.v.drive
	s := c.slope()
	grounded := c.position.Z-s.height < flyingRoom
	c.spin.Z = float64(c.steer * c.d.turnRate)
	switch {
	case grounded && w.throttle == 0 && w.rise == 0:
		c.spin.Z = 0
		c.level(angleOf(s.ahead), -angleOf(s.right))
	case w.brake:
		c.level(0, 0)
	default:
		pitch, _ := c.leaning()
		c.level(pitch, -float64(c.steer*bank))
		c.spin.X = float64(w.dip * c.d.turnRate)
	}
	c.turn()
	c.soar()
	if grounded && c.calm(0) {
		c.velocity = sim.Vec3{}
	}
}

// soar is what engine, wings and gravity do to its velocity.
func (c *course) soar() {
	w, nose := &c.v.drive, c.frame.ahead
	along := c.velocity.Dot(nose)
	wing := c.wing(along)
	c.hold = 1
	c.velocity = c.velocity.Add(nose.Mul(c.paced(along) - along))
	// Wings let it go nowhere but along the nose, and down if it is to land.
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
	if speed := c.velocity.Len(); speed > c.limit && !w.brake {
		c.velocity = c.velocity.Mul(approach(speed, c.limit, float64(c.d.brake*sim.TickSeconds)) / speed)
	}
}

// wing is the part of its weight that its wings carry at a speed.
func (c *course) wing(speed float64) float64 {
	if c.d.stallSpeed == 0 {
		return 1
	}
	part := max(speed, 0) / c.d.stallSpeed
	return math.Min(float64(part*part), 1)
}
