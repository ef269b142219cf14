package bots

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// walks steers a body at 10 m/s by a wander with this seed, and returns its final position, the
// distance covered and the ticks of each trigger. wall stops the body where it returns true.
func walks(seed uint64, ticks int, wall func(at sim.Vec3) bool) (at sim.Vec3, far float64, held map[int]int) {
	w, p, held := NewWander(seed), new(engine.Pilot), map[int]int{}
	yaw := uint16(0)
	for range ticks {
		w.Steer(p, at)
		m := p.Move(sim.Place{Position: at, Rotation: sim.Rot{Yaw: sim.Degrees(yaw)}})
		yaw += uint16(m.Yaw)
		ahead := sim.Heading(yaw)
		to := at.Add(ahead.Mul(10 * sim.TickSeconds * m.Forward()))
		if wall == nil || !wall(to) {
			far += to.Sub(at).Len()
			at = to
		}
		for n := range sim.MoveTriggers {
			if m.Trigger(n) {
				held[n]++
			}
		}
	}
	return at, far, held
}

func TestWanderMoves(t *testing.T) {
	const ticks = 20_000
	for seed := range uint64(10) {
		at, far, held := walks(seed, ticks, nil)
		assert.Greater(t, far, 0.8*10*sim.TickSeconds*ticks, "seed %d: it is on its way most of the time", seed)
		assert.Less(t, at.Len(), far/4, "seed %d: not always the same way", seed)
		for _, h := range habits {
			assert.InDelta(t, h.often, float64(held[h.trigger])/ticks, 0.15, "seed %d", seed)
		}
		again, _, _ := walks(seed, ticks, nil)
		assert.Equal(t, at, again)
	}
}

// TestWanderDoesNotStayAtAWall starts in a corner.
func TestWanderDoesNotStayAtAWall(t *testing.T) {
	_, far, _ := walks(3, 20_000, func(at sim.Vec3) bool { return math.Abs(at.X) > 30 || math.Abs(at.Y) > 30 })
	assert.Greater(t, far, 0.4*10*sim.TickSeconds*20_000)
}

func TestWanderAllocatesNothing(t *testing.T) {
	w, p := NewWander(1), new(engine.Pilot)
	assert.Zero(t, testing.AllocsPerRun(1000, func() { w.Steer(p, sim.Vec3{}) }))
}
