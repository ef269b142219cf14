package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/ring"
)

// kept returns how many records and items a stream has memory for.
func (e *Stream) kept() (n int) {
	queues := []*itemQueue{&e.packets.unordered}
	for i := range e.channel {
		c := &e.channel[i]
		n += len(c.window)
		for _, l := range c.fair.lanes {
			queues = append(queues, &l.queue)
		}
	}
	for i := range e.unordered {
		queues = append(queues, &e.unordered[i])
	}
	for _, q := range queues {
		n += len(q.ring)
	}
	for i := range e.incoming {
		n += itemPage*len(e.incoming[i].items) + cap(e.incoming[i].order)
	}
	return n + len(e.free.announces) + len(e.free.fragments) + len(e.free.claims)
}

// TestTrim checks that the memory of a burst of all sorts of events is free again after a while of
// quiet traffic, and that the traffic goes on.
func TestTrim(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.loss = 0.2
	posts := []Post{{}, {Channel: 1}, {Guarantee: Guaranteed}, {Guarantee: Unguaranteed, Priority: 3}}
	for n := range 400 {
		for _, p := range posts {
			r.post(r.a, &note{n: uint64(n), tags: []TagRef{{Text: "one"}}}, p)
		}
	}
	r.post(r.a, &note{pad: make([]byte, 10<<10)}, Post{Channel: 1})
	r.runUntilIdle(time.Minute)
	require.Greater(t, r.a.kept(), 400)
	require.Greater(t, r.b.kept(), 2*itemPage)
	r.loss = 0
	for range 2 * 1024 {
		for _, p := range posts {
			r.post(r.a, &note{}, p)
		}
		r.post(r.b, &note{}, Post{})
		r.runUntilIdle(time.Second)
	}
	assert.LessOrEqual(t, r.a.kept(), 8*ring.Size(1))
	assert.LessOrEqual(t, r.b.kept(), 2*ring.Size(1))
	assert.Equal(t, ring.Size(1), len(r.a.channel[0].window))
}

// TestTrimKeepsWhatIsUsed checks that bursts at short intervals keep their memory.
func TestTrimKeepsWhatIsUsed(t *testing.T) {
	r := newServerEventRig(t, 1)
	burst := func() {
		for n := range 50 {
			r.post(r.a, &note{n: uint64(n)}, Post{})
		}
		r.runUntilIdle(time.Second)
	}
	burst()
	window := &r.a.channel[0].window[0]
	for range 2 * 1024 {
		burst()
	}
	assert.Same(t, window, &r.a.channel[0].window[0])
}

// TestSharedScratch checks that streams with one Scratch keep the codes of their events apart.
func TestSharedScratch(t *testing.T) {
	var s Scratch
	a := New(Config{Kinds: smallKinds, Server: true, Scratch: &s})
	b := New(Config{Kinds: smallKinds, Server: true, Scratch: &s})
	require.NoError(t, a.Post(&small{n: 1, bits: 8}, Post{}))
	require.NoError(t, b.Post(&small{n: 2, bits: 8}, Post{}))
	own := New(Config{Kinds: smallKinds, Server: true})
	require.NoError(t, own.Post(&small{n: 1, bits: 8}, Post{}))
	first := func(e *Stream) *item { return e.channel[0].fair.lanes[0].queue.at(0) }
	assert.Equal(t, first(own).code, first(a).code)
	assert.NotEqual(t, first(own).code, first(b).code)
	assert.NotEmpty(t, s.owner.buffer)
}
