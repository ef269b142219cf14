package natsfleet

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// TestHalfABatchWaits: NATS can send the first message of a batch before it has stored the others.
// The loop gets them together. A rest that never comes is not waited for: whoever wrote it has
// lied.
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
		for _, n := range b.in.take(false) {
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

// TestUnsoundValues: the goroutine of a group looks at the bytes of strangers, and the loop gets
// none that are unsound.
func TestUnsoundValues(t *testing.T) {
	b := &fleetBus{in: newInbox()}
	b.line, b.tally = newLine(b), newTally(b)
	f := &follower{bus: b, bucket: newBucket(b, "shared"), group: coins, loaded: true, passed: make(chan struct{})}
	f.bucket.bus, f.sound = b, func(data []byte) bool { return string(data) != "bad" }
	for seq, data := range []string{"good", "bad"} {
		c := content{owner: "arena-1", batch: stamp{1, uint64(seq)}, data: []byte(data)}
		require.NoError(t, f.take(t.Context(), entry{subject: f.bucket.value("coins", data), data: c.encode(), seq: uint64(seq + 1)}))
	}
	list := b.in.take(false)
	require.Len(t, list, 2)
	assert.Equal(t, []byte("good"), list[0].Changed.Data)
	assert.Equal(t, []byte{}, list[1].Changed.Data)
}

// TestLargeGroupsAreReadSeldom: reading 65,536 values again keeps the loop busy for one part in
// twenty at most.
func TestLargeGroupsAreReadSeldom(t *testing.T) {
	b := &fleetBus{in: newInbox()}
	f := &follower{bus: b, bucket: newBucket(b, "shared"), group: coins, alive: true, values: map[string]bus.Value{}}
	assert.Equal(t, followAgain, f.rest())
	for i := range maxGroupKeys {
		f.values[strconv.Itoa(i)] = bus.Value{Key: strconv.Itoa(i), Data: []byte("v")}
	}
	require.NoError(t, f.tell(t.Context()))
	assert.GreaterOrEqual(t, f.rest(), 20*maxGroupKeys*time.Microsecond)
}

// TestAllValuesComeInParts: however many values a mod has, and however large they are, the loop
// takes a bounded part of them at once. No other news of the group are between the parts. A list
// comes as a whole.
func TestAllValuesComeInParts(t *testing.T) {
	for _, with := range []struct{ values, bytes int }{{0, 0}, {1, maxValue}, {takeValues - 1, 1}, {takeValues, 1}, {maxGroupKeys, 8}, {100, maxValue}} {
		b := &fleetBus{in: newInbox()}
		f := &follower{bus: b, bucket: newBucket(b, "shared"), group: coins, alive: true, values: map[string]bus.Value{}, last: 7}
		data := make([]byte, with.bytes)
		for i := range with.values {
			key := strconv.Itoa(i)
			f.values[key] = bus.Value{Key: key, Data: data}
		}
		require.NoError(t, f.tell(t.Context()))
		b.in.outcome(coins, bus.Outcome{Number: 1})
		last, keys := "", 0
		for more := true; more; {
			list := b.in.take(false)
			l, values, bytes := list[0].Loaded, 0, 0
			for _, v := range l.Values {
				assert.Less(t, last, v.Key)
				last = v.Key
				values++
				bytes += len(v.Data)
			}
			assert.Less(t, values, takeValues)
			assert.LessOrEqual(t, bytes, takeBytes)
			assert.Equal(t, bus.Revision(7), l.Last)
			keys += values
			if more = l.More; !more {
				list = append(list, b.in.take(false)...)
				require.Len(t, list, 2)
				assert.NotNil(t, list[1].Outcome, "it comes behind the last part")
			} else {
				require.Len(t, list, 1)
			}
		}
		assert.Equal(t, with.values, keys)
	}
	b := &fleetBus{in: newInbox()}
	list := bus.Group{Bucket: bus.Lists, Name: "bans"}
	f := &follower{bus: b, bucket: newBucket(b, "lists"), group: list, alive: true, values: map[string]bus.Value{}}
	for i := range 3 * takeValues {
		f.values[strconv.Itoa(i)] = bus.Value{Key: strconv.Itoa(i), Data: []byte("v")}
	}
	require.NoError(t, f.tell(t.Context()))
	assert.Len(t, b.in.take(false)[0].Loaded.Values, 3*takeValues)
}
