package fleet

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/script"
)

// TestFullness: those who are on their way count, and a peer without places is full.
func TestFullness(t *testing.T) {
	nobody := func(string) int { return 0 }
	assert.InDelta(t, 0.25, fullness(&script.FleetServer{Max: 32, Free: 24}, nobody), 1e-9)
	assert.InDelta(t, 0.5, fullness(&script.FleetServer{Max: 32, Free: 24}, func(string) int { return 8 }), 1e-9)
	assert.InDelta(t, 0, fullness(&script.FleetServer{}, nobody), 1e-9)
	assert.InDelta(t, 1, fullness(&script.FleetServer{}, func(string) int { return 1 }), 1e-9)
}
