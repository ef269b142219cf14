package event

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim/netsimtest"
)

// shared returns a shared note.
func shared(t *testing.T, v *note, p Post) *Shared {
	s := Share(v, p, 64+len(v.pad))
	require.NotNil(t, s)
	return s
}

// TestSharedEventsKeepTheirPlaces checks that what waits arrives in the order of the calls, between
// events that were posted.
func TestSharedEventsKeepTheirPlaces(t *testing.T) {
	r := newServerEventRig(t, 1)
	var want []uint64
	for n := range uint64(200) {
		want = append(want, n)
		v := &note{n: n, tags: []TagRef{{Text: fmt.Sprint("tag ", n%7)}}}
		if n%5 == 0 || !r.a.PostShared(shared(t, v, Post{})) {
			r.post(r.a, v, Post{})
		}
		assert.False(t, r.a.Idle())
		assert.Equal(t, int(n)+1, r.a.Queued())
	}
	r.runUntilIdle(10 * time.Second)
	assert.Equal(t, want, numbers(r.got[0]))
	assert.Zero(t, r.a.QueuedBytes(0))
}

// TestSharedEventsAreDueAtOnce checks that a stream with nothing else wants a packet for them.
func TestSharedEventsAreDueAtOnce(t *testing.T) {
	r := newServerEventRig(t, 1)
	assert.Equal(t, netcore.Time(netcore.Never), r.a.Due(r.now))
	require.True(t, r.a.PostShared(shared(t, &note{n: 1}, Post{Guarantee: Unguaranteed})))
	assert.Equal(t, r.now, r.a.Due(r.now))
	assert.True(t, r.pack(0, &r.ab))
	assert.Zero(t, r.a.Queued())
}

// TestWhatCannotWait checks which events are not shared.
func TestWhatCannotWait(t *testing.T) {
	for name, row := range map[string]struct {
		post Post
		size int
		can  bool
	}{
		"a command":                 {Post{}, mostShared, true},
		"a large one":               {Post{}, mostShared + 1, false},
		"the last lane":             {Post{Lane: sharedLanes - 1}, 1, true},
		"a later lane":              {Post{Lane: sharedLanes}, 1, false},
		"bulk":                      {Post{Channel: 1}, 1, false},
		"with a life":               {Post{Guarantee: Unguaranteed, Life: time.Second}, 1, false},
		"without a guarantee":       {Post{Guarantee: Unguaranteed, Priority: 3}, 1, true},
		"guaranteed, without order": {Post{Guarantee: Guaranteed}, 1, true},
	} {
		assert.Equal(t, row.can, Share(new(note), row.post, row.size) != nil, name)
	}
}

// TestAFullLaneRefusesAtOnce fills a lane. Until the caller hears of it from Post, no event that
// waits gets lost; another lane takes more.
func TestAFullLaneRefusesAtOnce(t *testing.T) {
	for name, row := range map[string]struct {
		pad  int
		text string
	}{
		"by bytes":  {448, "512 KiB of this mod's commands are waiting"},
		"by number": {0, "8,192 of this mod's commands are waiting"},
	} {
		r := newServerEventRig(t, 1)
		r.every = time.Hour
		var refused error
		posted, waited := 0, 0
		for ; refused == nil; posted++ {
			require.Less(t, posted, 10000, name)
			v := &note{n: uint64(posted), pad: make([]byte, row.pad)}
			if r.a.PostShared(shared(t, v, Post{Lane: 3})) {
				waited++
			} else {
				refused = r.a.Post(v, Post{Lane: 3})
			}
		}
		assert.EqualError(t, refused, row.text, name)
		assert.Greater(t, waited, posted/8, name)
		assert.True(t, r.a.PostShared(shared(t, &note{}, Post{Lane: 4})), name)
		r.every = time.Millisecond
		r.runUntilIdle(time.Minute)
		assert.Len(t, r.got[0], posted, name) // all but the refused one, and that of the other lane
		assert.True(t, r.a.PostShared(shared(t, &note{}, Post{Lane: 4})), name)
		r.post(r.a, &note{}, Post{Lane: 3}) // from here on the lane is known to be empty
		assert.True(t, r.a.PostShared(shared(t, &note{}, Post{Lane: 3})), name)
	}
}

// TestWhatWaitsIsBounded checks that a stream keeps mostWaiting shared events, and that each Post
// makes room.
func TestWhatWaitsIsBounded(t *testing.T) {
	r := newServerEventRig(t, 1)
	one := shared(t, &note{n: 1}, Post{})
	for range mostWaiting {
		assert.True(t, r.a.PostShared(one))
	}
	assert.False(t, r.a.PostShared(one))
	r.post(r.a, &note{n: 2}, Post{})
	assert.True(t, r.a.PostShared(one))
	r.runUntilIdle(10 * time.Second)
	assert.Len(t, r.got[0], mostWaiting+2)
}

// TestWhatWaitsEndsWithTheStream checks that each shared event has a fate when the connection ends,
// and that none can be posted then.
func TestWhatWaitsEndsWithTheStream(t *testing.T) {
	r := newServerEventRig(t, 1)
	v := &note{n: 1}
	require.True(t, r.a.PostShared(shared(t, v, Post{})))
	r.a.Closed(netcore.Reason{})
	assert.Equal(t, []bool{false}, v.fates)
	assert.False(t, r.a.PostShared(shared(t, v, Post{})))
}

// TestSharedEventsInParallel sends one event to many clients, whose packets several workers write:
// each client gets all events, in their order.
func TestSharedEventsInParallel(t *testing.T) {
	const clients, rounds = 9, 40
	got := map[uint64]int{}
	onProcess = func(v *note) error {
		got[v.n]++
		return nil
	}
	events := func(server bool) func(*netcore.Conn) []netcore.Stream {
		scratch := new(Scratch)
		return func(c *netcore.Conn) []netcore.Stream {
			return []netcore.Stream{New(Config{Kinds: noteKinds, Server: server, Check: c.Check(), Scratch: scratch})}
		}
	}
	star := netsimtest.NewStar(t, 1, clients, 0.1, func(c *netcore.Config) {
		c.Parallel, c.Streams = netcoretest.Workers(8), events(true)
	}, func(_ int, c *netcore.Config) { c.Streams = events(false) })
	for round := range uint64(rounds) {
		s := shared(t, &note{n: round, tags: []TagRef{{Text: fmt.Sprint("tag ", round%3)}}}, Post{})
		for _, c := range star.Server.Conns() {
			require.True(t, c.Streams()[0].(*Stream).PostShared(s))
		}
		star.Step(32 * time.Millisecond)
	}
	star.Network.Run(star.Network.Now()+5*time.Second, 10*time.Millisecond)
	for round := range uint64(rounds) {
		assert.Equal(t, clients, got[round], "event %d", round)
	}
}
