package engine_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// TestProfiles checks that a profile sets rate, packet size and the number of moves per packet.
func TestProfiles(t *testing.T) {
	h := engine.NewHost(engine.Config{Classes: sim.NewClasses(), Entropy: rand.NewChaCha8([32]byte{})})
	c := console.New(func(string) {})
	require.NoError(t, h.Bind(c))
	for _, p := range []struct {
		name  string
		rate  float64
		size  int
		moves int
	}{{"auto", 1e6, 1400, engine.AutoMoves}, {"modem", 10, 200, 5}, {"dsl", 20, 450, engine.AutoMoves}, {"lan", 31.25, 1200, engine.AutoMoves}} {
		require.NoError(t, c.Set("net.profile", p.name))
		s := h.Settings
		assert.Equal(t, p.rate, s.Rate)
		assert.Equal(t, p.size, s.Size)
		assert.Equal(t, p.moves, s.Moves)
	}
	require.NoError(t, c.Set("net.moves", "0"))
	assert.ErrorContains(t, c.Set("net.profile", "pigeon"), "auto, modem, dsl or lan")
	assert.Zero(t, h.Settings.Moves)
}
