package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

// TestJoinTimeoutIsRealTime: a player who stands still for 4 s of a join has joined in the end, at
// any pace of the game.
func TestJoinTimeoutIsRealTime(t *testing.T) {
	t.Parallel()
	for _, scale := range []string{"0.1", "1", "4"} {
		w := newTown(t, netcore.LinkParams{Delay: 20 * time.Millisecond})
		a := w.serve("a", nil)
		a.exec("sv.timeScale " + scale)
		c := w.client(a, nil)
		w.until("the server has let the client in", func() bool { return a.of(c) != nil })
		first := a.of(c)
		c.still = true
		w.run(4 * time.Second)
		c.still = false
		w.until("the client is in the game", func() bool { return c.body() })
		assert.Same(t, first, a.of(c), scale)
	}
}
