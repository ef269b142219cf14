package engine_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/seal"
)

// TestProbe checks that the probe receives the steps of every tick, each once and in order.
func TestProbe(t *testing.T) {
	id, err := seal.NewIdentity(rand.NewChaCha8([32]byte{}))
	require.NoError(t, err)
	classes := sim.NewClasses()
	require.NoError(t, engine.Register(classes))
	var done []engine.Step
	h := engine.NewHost(engine.Config{
		Classes: classes, Identity: id, Entropy: rand.NewChaCha8([32]byte{}),
		Probe: func(s engine.Step) { done = append(done, s) },
	})
	for tick := range 3 {
		h.Tick(engine.TickTime)
		require.Len(t, done, (tick+1)*int(engine.Steps))
		for s := range engine.Steps {
			assert.Equal(t, s, done[tick*int(engine.Steps)+int(s)])
		}
	}
}
