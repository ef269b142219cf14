package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChecksumsOfStates checks that no checksum is 0, because 0 means no checksum. States of
// different lengths have different checksums, even if all their bits are 0.
func TestChecksumsOfStates(t *testing.T) {
	zeros := 0
	for n := range 1 << 20 {
		state := []byte{byte(n), byte(n >> 8), byte(n >> 16)}
		if uint16(stateHash(state, 24)) == 0 {
			zeros++
			assert.EqualValues(t, 1, checksum(state, 24))
		}
	}
	require.NotZero(t, zeros)
	assert.NotEqual(t, stateHash([]byte{0}, 1), stateHash([]byte{0}, 2))
}

// TestVisibleCorrections checks that corrections of more than 0.1 m count as visible.
func TestVisibleCorrections(t *testing.T) {
	var s ControlStats
	for _, size := range []float64{0, 0.1, 0.11, 3, 0.2} {
		s.countCorrection(size)
	}
	assert.Equal(t, ControlStats{Corrections: 5, Visible: 3, LargestWarp: 3}, s)
}
