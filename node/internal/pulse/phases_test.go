package pulse

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
)

// TestPhasesAreMeasuredOnlyWhileSomebodyLooks counts the readings of the clock.
func TestPhasesAreMeasuredOnlyWhileSomebodyLooks(t *testing.T) {
	reads := 0
	p := Phases{Now: func() time.Duration { reads++; return time.Duration(reads*reads) * time.Millisecond }}
	turn := func() {
		p.Start()
		p.End(Receive)
		p.Start()
		for s := range engine.Steps {
			p.Step(s)
		}
		p.Start()
		p.End(Send)
	}
	turn()
	assert.Zero(t, reads)
	p.Look()
	turn()
	assert.Equal(t, 10, reads)
	ms := time.Millisecond
	assert.Equal(t, [PhaseCount]time.Duration{3 * ms, 7 * ms, 9 * ms, 11 * ms, 13 * ms, 15 * ms, 19 * ms}, p.Time)
	assert.Equal(t, uint64(1), p.Ticks)
	for range 2 * lookTicks {
		turn()
	}
	assert.Equal(t, uint64(lookTicks), p.Ticks, "nobody looks any more")
	before := reads
	turn()
	assert.Equal(t, before, reads)
	for _, name := range PhaseNames {
		assert.NotEmpty(t, name)
	}
}
