package admin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/seal"
)

// TestRememberedPlayersAreBounded lets many players leave, and one of them often.
func TestRememberedPlayersAreBounded(t *testing.T) {
	a := new(Admin)
	for i := range 2 * maxLeft {
		a.remember(formerPlayer{id: sim.ID(2 * i), key: seal.Key{1}})
		a.remember(formerPlayer{id: sim.ID(2*i + 1), key: seal.Key{2, byte(i), byte(i >> 8)}})
		require.LessOrEqual(t, len(a.left), maxLeft)
	}
	require.Len(t, a.left, maxLeft)
	assert.Equal(t, sim.ID(4*maxLeft-1), a.left[maxLeft-1].id)
	assert.Equal(t, sim.ID(4*maxLeft-2), a.left[maxLeft-2].id, "the key is in the list once, with its newest place")
	assert.Equal(t, sim.ID(2*maxLeft+3), a.left[0].id)
}
