package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
)

func living(now, life netcore.Time, priority uint8) Post {
	return Post{Guarantee: Unguaranteed, Priority: priority, Life: life, Now: now}
}

// TestLifeEnds checks that an event is sent until the last nanosecond of its life, and then dropped
// with its fate and count.
func TestLifeEnds(t *testing.T) {
	for _, row := range []struct {
		at   netcore.Time
		sent bool
	}{{0, true}, {60*time.Millisecond - 1, true}, {60 * time.Millisecond, false}, {time.Hour, false}} {
		r := newServerEventRig(t, 1)
		r.now = time.Hour // the stream has heard of no time yet
		v := &note{n: 1}
		r.post(r.a, v, living(r.now, 60*time.Millisecond, 0))
		assert.False(t, r.a.Idle())
		assert.Equal(t, 1, r.a.Queued())
		assert.Equal(t, r.now, r.a.Due(r.now))
		r.now += row.at
		assert.Equal(t, row.sent, r.pack(0, &r.ab), "%v", row.at)
		r.runUntilIdle(time.Second)
		assert.Equal(t, []bool{row.sent}, v.fates, "%v", row.at)
		want := uint64(1)
		if row.sent {
			want = 0
		}
		assert.Equal(t, want, r.a.Stats().Late)
		assert.Zero(t, r.a.QueuedBytes(0), "its lane has its room again")
	}
}

// TestLateEventIsNotSentAgain checks that a life changes nothing after the packet.
func TestLateEventIsNotSentAgain(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.loss = 1
	v := &note{n: 1}
	r.post(r.a, v, living(0, time.Hour, 3))
	r.step(time.Millisecond)
	r.loss = 0
	r.runUntilIdle(time.Second)
	assert.Empty(t, r.got[0])
	assert.Equal(t, []bool{false}, v.fates)
	assert.Zero(t, r.a.Stats().Late, "it was sent in time")
}

// TestEventsWithALifeWaitForOthers checks the order of a packet: by priority, and within one the
// events without a life first.
func TestEventsWithALifeWaitForOthers(t *testing.T) {
	r := newServerEventRig(t, 1)
	for _, p := range []uint8{0, 1} {
		r.post(r.a, &note{n: 10 + uint64(p)}, living(0, time.Second, p))
		r.post(r.a, &note{n: uint64(p)}, Post{Guarantee: Unguaranteed, Priority: p})
	}
	r.runUntilIdle(time.Second)
	assert.Equal(t, []uint64{1, 11, 0, 10}, numbers(r.got[0]))
}

// TestLateEventsAreDroppedWithoutPackets posts to a connection that cannot send. Late events make
// room, and never count as a queue without progress.
func TestLateEventsAreDroppedWithoutPackets(t *testing.T) {
	r := newServerEventRig(t, 1)
	dead := &note{n: 1, pad: make([]byte, 900)}
	r.post(r.a, dead, Post{Guarantee: Unguaranteed}) // it waits in front of them for ever
	var all []*note
	for i := range maxQueuedEvents + 10 {
		v := &note{n: uint64(i)}
		all = append(all, v)
		r.post(r.a, v, living(netcore.Time(i)*20*time.Millisecond, 60*time.Millisecond, 0))
		require.LessOrEqual(t, r.a.Queued(), 4)
	}
	for i, v := range all[:len(all)-3] {
		require.Equal(t, []bool{false}, v.fates, "event %d", i)
	}
	assert.Equal(t, uint64(len(all)-3), r.a.Stats().Late)
	for range maxQueuedEvents {
		if r.a.Post(&note{}, living(0, time.Hour, 0)) != nil {
			break
		}
	}
	require.ErrorContains(t, r.a.Post(&note{}, living(0, time.Hour, 0)), "8,192")
	assert.False(t, r.a.full, "a queue that empties itself ends no connection")
}

func TestGuaranteedEventHasNoLife(t *testing.T) {
	r := newServerEventRig(t, 1)
	for _, g := range []Guarantee{Ordered, Guaranteed} {
		assert.Panics(t, func() { _ = r.a.Post(&note{}, Post{Guarantee: g, Life: 1}) })
	}
}
