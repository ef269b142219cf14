package natsfleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/natstest"
)

// TestAServerLeavesANodeThatAnswersNothing: the node can have lost the others. A node that answers
// is not left, and a fleet of one node has no other one.
func TestAServerLeavesANodeThatAnswersNothing(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	n := c.Nodes[0]
	a := join(t, Config{URLs: []string{c.Line(n).URL, c.Line(n).URL}}, "arena-1")
	b := a.bus.(*fleetBus)
	before := b.nc.ConnectedUrl()
	b.line.answered(time.Now(), false)
	assert.NotZero(t, silent(b))
	b.line.answered(time.Now(), true)
	assert.Zero(t, silent(b), "it has answered meanwhile")
	long := time.Now().Add(-moveAfter)
	b.line.answered(long, false)
	a.until("has gone to the other one", func() bool {
		at := b.nc.ConnectedUrl()
		return at != "" && at != before
	})

	alone := join(t, config(c), "arena-2").bus.(*fleetBus)
	number, _, _ := alone.line.state()
	alone.line.answered(long, false)
	alone.line.leave(time.Now())
	assert.Equal(t, long, silent(alone))
	assert.True(t, alone.line.on(number))
}

func silent(b *fleetBus) time.Time {
	b.line.mu.Lock()
	defer b.line.mu.Unlock()
	return b.line.silent
}
