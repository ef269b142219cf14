package natsfleet

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// TestValuesOnOneNode plays the life of values between two servers on one nats-server.
func TestValuesOnOneNode(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a, b := join(t, config(c), "arena-1").follow(coins), join(t, config(c), "arena-2").follow(coins)
	assert.Equal(t, a.loaded[coins].Epoch, b.loaded[coins].Epoch)
	assert.Equal(t, uint64(1), a.loaded[coins].Epoch.Count)

	revs := a.must(coins, set("ann", "1", 0), set("bob", "2", 0))
	b.until("sees both", func() bool { return b.text(coins, "ann") == "1" && b.text(coins, "bob") == "2" })
	assert.Equal(t, revs[0], b.values[coins]["ann"].Rev)
	assert.Equal(t, "arena-1", b.values[coins]["bob"].Owner)

	// The revision that the writer saw decides.
	b.must(coins, set("ann", "5", revs[0]))
	out := a.outcome(a.commit(coins, set("ann", "9", revs[0]), set("bob", "9", revs[1])))
	assert.Equal(t, bus.Outcome{Number: out.Number, Conflict: true, Err: "another server has changed the value"}, out)
	assert.Equal(t, "5", a.text(coins, "ann"), "the loser sees the value before it hears of the conflict")
	assert.Equal(t, "2", a.text(coins, "bob"), "all or none")

	// A deleted value agrees with a writer that saw none.
	a.must(coins, bus.Write{Key: "bob", Base: revs[1]})
	b.until("sees the deletion", func() bool { return b.text(coins, "bob") == "" })
	late := join(t, config(c), "arena-3").follow(coins)
	assert.NotContains(t, late.values[coins], "bob")
	late.must(coins, set("bob", "7", 0))
	a.until("sees the new value", func() bool { return a.text(coins, "bob") == "7" })
}
