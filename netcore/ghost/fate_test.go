package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLossInATickThatStandsStill checks that the arrival of one packet of a tick tells nothing
// about another packet of the same tick.
func TestLossInATickThatStandsStill(t *testing.T) {
	r := newGhostRig(t, Config{}, box)
	one := r.scopeAll(box, 1)[0]
	r.runUntilIdle(9)
	r.begin()
	r.set(one, 1, 0xa5)
	require.Equal(t, []string{"update 0 10"}, bodiesOf(r.pack()))
	r.from.StandStill()
	r.from.Owe(one, 1<<2)
	require.Equal(t, []string{"update 0 100"}, bodiesOf(r.pack()))
	r.ack(false)
	r.ack(true)
	assert.Equal(t, 1, r.from.Pending())
	r.begin()
	assert.Equal(t, []string{"update 0 100"}, bodiesOf(r.pack()))
}
