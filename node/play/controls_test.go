package play

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine/sim"
)

func TestMoveHasWhatIsHeld(t *testing.T) {
	var c controls
	c.hold(Input{Right: -1, Forward: 0.5, Up: 7, Triggers: 1<<sim.FireTrigger | 1<<sim.JetTrigger | 1<<31})
	m := c.move(0)
	assert.Equal(t, sim.Move{X: -16, Y: 8, Z: 16, Triggers: 1<<sim.FireTrigger | 1<<sim.JetTrigger}, m)
	c.hold(Input{Right: math.NaN()})
	c.move(0)
	assert.Equal(t, sim.Move{}, c.move(0))
}

func TestTapBetweenTwoMovesIsInOneMove(t *testing.T) {
	var c controls
	c.hold(Input{Triggers: 1 << sim.JumpTrigger})
	c.hold(Input{})
	assert.EqualValues(t, 1<<sim.JumpTrigger, c.move(0).Triggers)
	assert.Zero(t, c.move(0).Triggers)
}

// TestTurnsAddUp checks that no part of a turn is lost by the rounding of moves.
func TestTurnsAddUp(t *testing.T) {
	var c controls
	sum := 0
	for range 10_000 {
		c.turn(0.001, 0)
		sum += int(c.move(0).Yaw)
	}
	assert.InDelta(t, 10.0/360*65536, sum, 1)
	c.turn(math.NaN(), 1)
	c.turn(1, math.Inf(1))
	assert.Zero(t, c.move(0).Yaw, "what is not finite is no turn")
}

func TestPitchEndsAtTheSteepest(t *testing.T) {
	var c controls
	c.turn(0, 500)
	assert.InDelta(t, 45, float64(c.move(40).Pitch)*360/65536, 0.01)
	assert.Zero(t, c.move(85).Pitch, "nothing of the rest is kept")
	c.turn(0, -500)
	assert.InDelta(t, -125, float64(c.move(40).Pitch)*360/65536, 0.01)
}
