package node_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/nodetest"
)

// TestBannedAddressesAreNotFollowed lets a player move to a banned address: the server stays with
// the old one. Only Linux has 127.0.0.2 without further steps.
func TestBannedAddressesAreNotFollowed(t *testing.T) {
	t.Parallel()
	c := newCommuter(t)
	heard := func() uint64 {
		n := c.seat().Net().Stats()
		return n.Received + n.ControlReceived
	}
	var before uint64
	require.NoError(t, c.server.Do(func() {
		before = heard()
		_, err := c.server.Console().Exec("ban 127.0.0.2")
		assert.NoError(t, err)
	}))
	c.move("127.0.0.2:0")
	nodetest.Eventually(t, c.server.Do, "the server hears the player", func() bool { return heard() > before+3 })
	require.NoError(t, c.server.Do(func() { assert.Regexp(t, `^127\.0\.0\.1:`, c.seat().Address()) }))
	c.follows(c.move("127.0.0.1:0"))
	assert.True(t, c.player.Ready())
}
