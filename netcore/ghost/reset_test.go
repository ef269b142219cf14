package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
)

// TestResetIsAnnouncedOnceAtATime checks that a reset alone justifies only one packet at a time.
// Every packet with other content also announces it, until one of them arrives.
func TestResetIsAnnouncedOnceAtATime(t *testing.T) {
	r := newGhostRig(t, Config{}, box)
	r.from.Scope(r.object(box))
	r.runUntilIdle(5)
	r.from.Reset()
	r.begin()
	assert.Equal(t, netcore.Time(0), r.from.Due(0))
	require.NotNil(t, r.pack())
	assert.Greater(t, r.from.Due(0), netcore.Time(0))
	require.Nil(t, r.pack(), "it is on its way")
	r.ack(true)
	assert.Equal(t, netcore.Time(0), r.from.Due(0))
	require.NotNil(t, r.pack(), "once more")
	r.from.Scope(r.object(box))
	r.begin()
	s := r.pack()
	require.Equal(t, []string{"create 0 1111"}, bodiesOf(s))
	assert.EqualValues(t, 0b11, r.section[0]&0b11, "what begins anew says so itself")
	r.ack(true)
	r.ack(false)
	assert.False(t, r.from.epoch.owed)
	r.runUntilIdle(5)
}
