package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnotherObjectDoesNotWait checks that an object that reuses a removed object's number does not
// wait for the removed object's ghost.
func TestAnotherObjectDoesNotWait(t *testing.T) {
	r := newGhostRig(t, Config{}, box, soup(6))
	first := r.object(box)
	r.from.Scope(first)
	r.rest(2)
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
	r.settle(true)
	r.settle(false)
	r.rest(3)
	assert.True(t, r.from.Live(second))
	assert.Len(t, r.mirrors, 1)
}
