package play

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// steepest is the limit of looking up and down, in degrees.
const steepest = 85

// Input is what the player holds.
type Input struct {
	Right, Forward, Up float64 // -1…1
	Triggers           uint32  // bit n: trigger n is held
}

// controls makes moves. Turns between two ticks add up, and the next move has their sum.
type controls struct {
	Input
	tapped     uint32  // triggers that were pressed since the last move
	yaw, pitch float64 // turns that no move has yet, in degrees
}

// hold sets what the player holds. A trigger that is released before the next move is in that move.
func (c *controls) hold(in Input) {
	c.Input = in
	c.tapped |= in.Triggers
}

// turn adds a turn of the view, in degrees. Values that are not finite are ignored.
func (c *controls) turn(yaw, pitch float64) {
	if !math.IsNaN(yaw-yaw) && !math.IsNaN(pitch-pitch) {
		c.yaw, c.pitch = c.yaw+yaw, c.pitch+pitch
	}
}

// limit keeps the view of a body that looks along pitch within steepest.
func (c *controls) limit(pitch float64) {
	c.pitch = min(max(pitch+c.pitch, -steepest), steepest) - pitch
}

// move returns the move of a tick for a body that looks along pitch, in degrees.
func (c *controls) move(pitch float64) (m sim.Move) {
	c.limit(pitch)
	m.X, m.Y, m.Z = axis(c.Right), axis(c.Forward), axis(c.Up)
	m.Yaw, c.yaw = part(c.yaw)
	m.Pitch, c.pitch = part(c.pitch)
	for n := range sim.MoveTriggers {
		m.SetTrigger(n, c.tapped>>n&1 != 0)
	}
	c.tapped = c.Triggers
	return m
}

// axis converts -1…1 to a translation of a move.
func axis(x float64) int8 {
	if math.IsNaN(x) {
		return 0
	}
	return int8(math.Round(min(max(x, -1), 1) * sim.MoveFull))
}

// part returns as much of a turn as a move can have, in units of a move, and the rest in degrees.
func part(degrees float64) (units int16, rest float64) {
	const unit = 360.0 / 65536
	n := math.Round(min(max(degrees/unit, math.MinInt16), math.MaxInt16))
	return int16(n), degrees - n*unit
}
