package core

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
)

// TestTicksDoNotDrift checks that late wakeups do not accumulate: ticks keep their average rate.
func TestTicksDoNotDrift(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var p Pacer
	var now netcore.Time
	total := 0
	for now < time.Hour {
		now = max(now, p.Next) + netcore.Time(rnd.Int64N(int64(30*time.Millisecond)))
		ticks, skipped := p.Due(now, engine.TickTime)
		assert.Zero(t, skipped)
		total += ticks
	}
	assert.InDelta(t, float64(now)/float64(engine.TickTime), float64(total), 2)
}

// TestTicksOfAnotherLength checks that ticks of half the length come twice as often, also after a
// change.
func TestTicksOfAnotherLength(t *testing.T) {
	p := Pacer{Next: engine.TickTime}
	ticks, _ := p.Due(4*engine.TickTime, engine.TickTime)
	assert.Equal(t, 4, ticks)
	ticks, _ = p.Due(7*engine.TickTime, engine.TickTime/2)
	assert.Equal(t, 5, ticks, "the first of them was due after a whole tick")
	assert.Equal(t, 7*engine.TickTime+engine.TickTime/2, p.Next)
}

func TestShortDelaysAreCaughtUp(t *testing.T) {
	p := Pacer{Next: engine.TickTime}
	ticks, skipped := p.Due(engine.TickTime-1, engine.TickTime)
	assert.Equal(t, []int{0, 0}, []int{ticks, skipped})
	ticks, skipped = p.Due(20*engine.TickTime, engine.TickTime)
	assert.Equal(t, []int{maxBehind, 0}, []int{ticks, skipped})
	ticks, _ = p.Due(20*engine.TickTime, engine.TickTime)
	assert.Equal(t, maxBehind, ticks, "the rest follows in the next rounds")
	ticks, _ = p.Due(20*engine.TickTime, engine.TickTime)
	assert.Equal(t, 20-2*maxBehind, ticks)

	ticks, skipped = p.Due(10_000*engine.TickTime, engine.TickTime)
	assert.Equal(t, 1, ticks)
	assert.Equal(t, 10_000-21, skipped)
	assert.Greater(t, p.Next, 10_000*engine.TickTime)
}
