package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReusedNumberDoesNotWait checks that an object that reuses a removed object's number does not
// wait for the removed object's ghost.
func TestReusedNumberDoesNotWait(t *testing.T) {
	r := newGhostRig(t, Config{}, box, mixedLayout(6))
	first := r.object(box)
	r.from.Scope(first)
	r.runUntilIdle(2)
	r.from.Unscope(first)
	r.images.Remove(first)
	r.begin()
	require.NotNil(t, r.pack(), "the kill is on its way")
	r.begin()
	second := r.object(box)
	require.Equal(t, first, second)
	r.begin()
	r.from.Scope(second)
	s := r.pack()
	require.NotNil(t, s)
	require.Len(t, s.bodies, 1)
	assert.Equal(t, kindCreate, s.bodies[0].kind)
	r.ack(true)
	r.ack(false)
	r.runUntilIdle(3)
	assert.True(t, r.from.Live(second))
	assert.Len(t, r.mirrors, 1)
}
