package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// TestFollow sends a player from one server to another one with a password. The player is in a game
// all the time, keeps the variables that it has set, and sees the HUD and the greeting of the other
// server when it plays there. The client's mods begin anew.
func TestFollow(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{Delay: 25 * time.Millisecond})
	a, b := w.serve("hub", nil), w.serve("arena", func(c *node.Config) { c.Password = "other" })
	c := w.join(a, nil)
	w.run(time.Second)
	assert.Equal(t, "you are in hub", c.hud[1])
	c.line("net.timeout 7")
	c.line("room.loud 3")
	c.said = nil

	a.send(c, b, nil)
	w.until("the second side joins", func() bool { return node.Sides(c.Client) == 2 })
	c.line("net.rate 20")
	w.until("the client has gone over", func() bool { return c.at(b) })
	w.run(2 * time.Second)
	assert.Equal(t, []string{"true"}, a.dones)
	assert.Contains(t, a.said, "drop\tP1\ttransferred to arena")
	assert.Zero(t, c.out, "out of any game")
	assert.Equal(t, "you are in arena", c.hud[1])
	assert.Equal(t, []string{"dropped: transferred to arena", "connected to arena:28000", "accepted", "entered 1", "welcome to arena"}, c.said)
	assert.Equal(t, 1, node.Sides(c.Client), "nothing is left of the first side")
	assert.Equal(t, "7 20 3", c.line("net.timeout")+" "+c.line("net.rate")+" "+c.line("room.loud"))
	assert.Equal(t, `"198.51.100.2:28000"`, c.line("server.address"))
}
