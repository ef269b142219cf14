package natsfleet

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHalfABatchWaits: NATS can send the first message of a batch before it has stored the others. The loop
// gets them together. A rest that never comes is not waited for: whoever wrote it has lied.
func TestHalfABatchWaits(t *testing.T) {
	b := &fleetBus{in: newInbox()}
	b.line, b.tally = newLine(b), newTally(b)
	f := &follower{bus: b, bucket: newBucket(b, "shared"), group: coins, loaded: true, passed: make(chan struct{})}
	f.bucket.bus = b
	seq := uint64(0)
	take := func(key string, batch uint64, more bool) {
		seq++
		c := content{owner: "arena-1", batch: stamp{1, batch}, more: more, data: []byte(key)}
		require.NoError(t, f.take(t.Context(), entry{subject: f.bucket.value("coins", key), data: c.encode(), seq: seq}))
	}
	seen := func() (keys []string) {
		for _, n := range b.in.take() {
			keys = append(keys, n.Changed.Key)
		}
		return keys
	}
	take("a", 1, true)
	assert.Empty(t, seen())
	take("b", 1, false)
	assert.Equal(t, []string{"a", "b"}, seen())
	take("c", 2, true)
	take("d", 3, true)
	assert.Equal(t, []string{"c"}, seen(), "another batch ends it")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.wait(ctx, seq)
	assert.Less(t, f.at, seq, "the loop does not have it")
	require.NoError(t, f.idle(t.Context()))
	assert.Equal(t, []string{"d"}, seen())
	assert.Equal(t, seq, f.at)
}
