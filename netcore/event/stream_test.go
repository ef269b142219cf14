package event

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

func TestKinds(t *testing.T) {
	make := func() Event { return new(note) }
	a := NewKinds(Kind{Name: "b", New: make}, Kind{Name: "a", New: make})
	b := NewKinds(Kind{Name: "a", New: make}, Kind{Name: "b", New: make})
	assert.Equal(t, a.Hash(), b.Hash(), "the order of registration does not matter")
	assert.Equal(t, "a", a.Name(a.ID("a")))
	assert.Less(t, a.ID("a"), a.ID("b"))
	assert.NotEqual(t, a.Hash(), NewKinds(Kind{Name: "a", New: make}, Kind{Name: "b", New: make, Dir: ToServer}).Hash())
	assert.Panics(t, func() { a.ID("c") })
	assert.Panics(t, func() { NewKinds(Kind{Name: "a", New: make}, Kind{Name: "a", New: make}) })
	assert.Panics(t, func() { NewKinds(Kind{Name: "a"}) })
	assert.Panics(t, func() { New(Config{}) })
}

// TestBits counts the bits of a section. Without events it has 3 bits. An event costs 1 bit, its
// kind and its body. A packet with events costs 2 bits more, and up to 20 with many events in
// flight.
func TestBits(t *testing.T) {
	const body = 2 + 24 // kind and three integers
	pack := func(c *counterStreams, events, seq int) int {
		c.perRound = events
		for range events {
			require.NoError(t, c.a.Post(c.out.New(), Post{}))
		}
		w := bitstream.NewWriter(make([]byte, 1<<15))
		wrote := c.a.Pack(w, netcore.Outgoing{Seq: netcore.Seq(seq)})
		require.Equal(t, events > 0, wrote)
		return w.Pos()
	}
	t.Run("none", func(t *testing.T) { assert.Equal(t, 3, pack(newCounterStreams(), 0, 1)) })
	for _, n := range []int{1, 2, 100, 330} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			assert.Equal(t, 3+2+n*(1+body), pack(newCounterStreams(), n, 1))
		})
	}
	for inFlight, number := range map[int]int{1: 2 + 2, 3: 2 + 2, 4: 2 + 6, 63: 2 + 6, 64: 4 + 8, 127: 4 + 8, 128: 4 + 12, 3000: 4 + 16} {
		t.Run(fmt.Sprint(inFlight, " in flight"), func(t *testing.T) {
			c := newCounterStreams()
			pack(c, inFlight, 1)
			assert.Equal(t, 3+number+10*(1+body), pack(c, 10, 2))
			c.a.Notify(1, true)
			c.a.Notify(2, true)
			assert.Equal(t, 3+2+10*(1+body), pack(c, 10, 3), "all are settled")
		})
	}
	t.Run("after a loss", func(t *testing.T) {
		c := newCounterStreams()
		pack(c, 10, 1)
		pack(c, 10, 2)
		c.a.Notify(1, false)
		c.a.Notify(2, true)
		assert.LessOrEqual(t, pack(c, 10, 3), 3+12+14+20*(1+body))
	})
}

func TestGuarantees(t *testing.T) {
	r := newServerEventRig(t, 1)
	ordered, guaranteed, unguaranteed := &note{n: 1}, &note{n: 2}, &note{n: 3}
	r.post(r.a, ordered, Post{})
	r.post(r.a, guaranteed, Post{Guarantee: Guaranteed})
	r.post(r.a, unguaranteed, Post{Guarantee: Unguaranteed})
	r.loss = 1
	r.step(time.Millisecond)
	r.loss = 0
	r.runUntilIdle(time.Second)
	assert.ElementsMatch(t, []uint64{1, 2}, numbers(r.got[0]), "what is not guaranteed is not sent again")
	assert.Equal(t, []bool{true}, ordered.fates)
	assert.Equal(t, []bool{true}, guaranteed.fates)
	assert.Equal(t, []bool{false}, unguaranteed.fates)
}

func TestPrioritySortsOnlyUnorderedEvents(t *testing.T) {
	r := newServerEventRig(t, 1)
	for i := range 4 {
		r.post(r.a, &note{n: uint64(i)}, Post{Guarantee: Guaranteed, Priority: uint8(i)})
		r.post(r.a, &note{n: uint64(10 + i)}, Post{Priority: uint8(i)})
	}
	r.runUntilIdle(time.Second)
	assert.Equal(t, []uint64{3, 2, 1, 0, 10, 11, 12, 13}, numbers(r.got[0]))
}

// TestLostUnorderedKeepTheirOrder checks that lost events are sent again before newer events.
func TestLostUnorderedKeepTheirOrder(t *testing.T) {
	r := newServerEventRig(t, 1)
	for i := range 3 {
		r.post(r.a, &note{n: uint64(i)}, Post{Guarantee: Guaranteed})
	}
	r.loss = 1
	r.step(time.Millisecond)
	r.loss = 0
	r.every = time.Hour
	r.step(60 * time.Millisecond)
	r.step(60 * time.Millisecond)
	r.post(r.a, &note{n: 3}, Post{Guarantee: Guaranteed})
	r.every = 0
	r.runUntilIdle(time.Second)
	assert.Equal(t, []uint64{0, 1, 2, 3}, numbers(r.got[0]))
}

// TestLostEventsAreSentAtOnce checks that an event whose packets are all lost goes into the next
// packet, before a copy of it would be due.
func TestLostEventsAreSentAtOnce(t *testing.T) {
	e := New(Config{Kinds: noteKinds, Server: true})
	require.NoError(t, e.Post(&note{n: 7}, Post{}))
	pack := func(seq netcore.Seq) bool {
		return e.Pack(bitstream.NewWriter(make([]byte, 100)), netcore.Outgoing{Seq: seq, Now: time.Millisecond})
	}
	require.True(t, pack(1))
	require.False(t, pack(2))
	require.Greater(t, e.Due(time.Millisecond), time.Millisecond)
	e.Notify(1, false)
	assert.LessOrEqual(t, e.Due(time.Millisecond), time.Millisecond)
	assert.True(t, pack(3))
	assert.Equal(t, uint64(1), e.Stats().Resent)
}

// TestCopies checks that an event in flight is sent again while nothing new is queued. It is
// processed once, and it is delivered when its first copy is.
func TestCopies(t *testing.T) {
	r := newServerEventRig(t, 1)
	v := &note{n: 7}
	r.every = time.Millisecond
	r.post(r.a, v, Post{})
	r.loss = 1
	r.step(time.Millisecond)
	r.loss = 0
	for range 75 {
		r.step(time.Millisecond)
	}
	assert.Equal(t, []uint64{7}, numbers(r.got[0]), "a copy arrived before the loss was known")
	assert.Equal(t, uint64(3), r.a.Stats().Copies, "after 10, 30 and 70 ms")
	assert.Empty(t, v.fates)
	r.runUntilIdle(time.Second)
	assert.Equal(t, []bool{true}, v.fates)
	assert.Equal(t, []uint64{7}, numbers(r.got[0]))
	assert.Zero(t, r.a.Stats().Resent, "it was never requeued: a carrier arrived")
	assert.NotZero(t, r.b.Stats().Duplicates)
}

func TestLanesShareFairly(t *testing.T) {
	r := newServerEventRig(t, 1)
	for i := range 500 {
		r.post(r.a, &note{n: uint64(i), pad: make([]byte, 20)}, Post{Lane: 1})
	}
	for i := range 20 {
		r.post(r.a, &note{n: uint64(1000 + i), pad: make([]byte, 20)}, Post{Lane: 2})
	}
	r.pack(0, &r.ab)
	r.step(r.delay)
	quiet := 0
	for _, v := range r.got[0] {
		if v.n >= 1000 {
			quiet++
		}
	}
	assert.InDelta(t, len(r.got[0])-quiet, quiet, 10, "half of the first packet is the second lane's")
	r.runUntilIdle(10 * time.Second)
}

// TestIdleLaneEarnsNoCredit checks that a lane that was idle for long does not block the other
// lanes later.
func TestIdleLaneEarnsNoCredit(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.post(r.a, &note{}, Post{Lane: 2})
	for range 500 {
		r.post(r.a, &note{pad: make([]byte, 20)}, Post{Lane: 1})
	}
	r.runUntilIdle(10 * time.Second)
	r.got[0] = nil
	for i := range 100 {
		r.post(r.a, &note{n: 1, pad: make([]byte, 20)}, Post{Lane: 1})
		r.post(r.a, &note{n: 2 + uint64(i), pad: make([]byte, 20)}, Post{Lane: 2})
	}
	r.pack(0, &r.ab)
	r.step(r.delay)
	ones := 0
	for _, v := range r.got[0] {
		if v.n == 1 {
			ones++
		}
	}
	assert.InDelta(t, len(r.got[0])/2, ones, 2)
}

// TestSmallPacketsShareChannels checks packets in which a quarter is too little for a piece: bulk
// gets room in every second packet.
func TestSmallPacketsShareChannels(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.size = 64
	for range 500 {
		r.post(r.a, &note{pad: make([]byte, 20)}, Post{})
		r.post(r.a, &note{pad: make([]byte, 20)}, Post{Channel: 1})
	}
	for range 20 {
		require.True(t, r.pack(0, &r.ab))
	}
	assert.GreaterOrEqual(t, r.a.channel[0].next, uint64(10))
	assert.GreaterOrEqual(t, r.a.channel[1].next, uint64(10))
}

// TestSenderStaysBelowReceiverLimit checks the memory of a receiver with one event missing. At any
// speed of the sender, the early events stay below the receiver's limit.
func TestSenderStaysBelowReceiverLimit(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.every = 0
	r.delay = 100 * time.Millisecond
	for i := range 500 {
		r.post(r.a, &note{n: uint64(i), pad: make([]byte, 900)}, Post{})
	}
	r.loss = 1
	r.pack(0, &r.ab)
	r.loss = 0
	for range 99 {
		r.pack(0, &r.ab)
	}
	r.runUntilIdle(10 * time.Second)
	assert.Len(t, r.got[0], 500)
}

// TestBulkYields checks that commands go first, and that bulk still gets a quarter of every packet.
func TestBulkYields(t *testing.T) {
	r := newServerEventRig(t, 1)
	for i := range 1000 {
		r.post(r.a, &note{n: uint64(i), pad: make([]byte, 20)}, Post{})
		r.post(r.a, &note{n: uint64(i), pad: make([]byte, 20)}, Post{Channel: 1, Lane: 3})
	}
	r.pack(0, &r.ab)
	commands, bulk := r.a.channel[0].next, r.a.channel[1].next
	assert.InDelta(t, 3, float64(commands)/float64(bulk), 0.3)
	assert.Positive(t, r.a.QueuedBulk())
	r.runUntilIdle(time.Minute)
	assert.Zero(t, r.a.QueuedBulk())
}

func TestPostRefuses(t *testing.T) {
	r := newServerEventRig(t, 1)
	big := func(n int) *note { return &note{pad: make([]byte, n)} }
	for _, row := range []struct {
		name string
		e    *Stream
		v    *note
		p    Post
		says string
	}{
		{"server's largest", r.a, big(256 << 10), Post{}, "256 KiB"},
		{"client's largest", r.b, big(64 << 10), Post{}, "64 KiB"},
		{"unguaranteed", r.a, big(1000), Post{Guarantee: Unguaranteed}, "1000 bytes"},
		{"tag", r.a, &note{tags: []TagRef{{Text: strings.Repeat("x", 1025)}}}, Post{}, "1024 bytes"},
		{"tag of the post", r.a, &note{}, Post{Tags: []string{strings.Repeat("x", 1025)}}, "1024 bytes"},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.ErrorContains(t, row.e.Post(row.v, row.p), row.says)
			assert.True(t, row.e.Idle())
		})
	}
	require.NoError(t, r.a.Post(big(255<<10), Post{}))
	require.NoError(t, r.a.Post(big(255<<10), Post{}))
	require.EqualError(t, r.a.Post(big(3<<10), Post{}), "512 KiB of this mod's commands are waiting")
	require.NoError(t, r.a.Post(big(3<<10), Post{Lane: 1}), "another mod's lane has room")
	for range maxQueuedEvents {
		require.NoError(t, r.b.Post(&note{}, Post{}))
	}
	require.EqualError(t, r.b.Post(&note{}, Post{}), "8,192 of this mod's commands are waiting")
	for i := range r.a.sent.slots {
		require.Zero(t, r.a.sent.slots[i].holds)
	}
}

// TestLanesAreBounded posts to a peer that acknowledges nothing. A lane takes no more than its
// bytes, and has room again when the peer has acknowledged.
func TestLanesAreBounded(t *testing.T) {
	r := newServerEventRig(t, 1)
	for r.a.Post(&note{pad: make([]byte, 900)}, Post{}) == nil {
		require.LessOrEqual(t, r.a.QueuedBytes(0), maxQueuedBytes)
	}
	assert.Greater(t, r.a.QueuedBytes(0), maxQueuedBytes-1000)
	r.runUntilIdle(time.Minute)
	assert.Zero(t, r.a.QueuedBytes(0))
	assert.NoError(t, r.a.Post(&note{pad: make([]byte, 900)}, Post{}))
}

// TestStalledQueueEndsTheConnection checks the end after 45 s with a full queue and no progress.
func TestStalledQueueEndsTheConnection(t *testing.T) {
	r := newServerEventRig(t, 1)
	for r.a.Post(&note{pad: make([]byte, 900)}, Post{}) == nil {
	}
	r.now = 44999 * time.Millisecond
	r.pack(0, &r.ab)
	_, stalled := r.a.stalled()
	assert.False(t, stalled)
	r.now = 45 * time.Second
	r.pack(0, &r.ab)
	reason, stalled := r.a.stalled()
	assert.True(t, stalled)
	assert.Equal(t, netcore.Overflow, reason.Code)

	r.a.Notify(1, true)
	_, stalled = r.a.stalled()
	assert.False(t, stalled, "that was progress")
}

func TestClosedReportsAllEvents(t *testing.T) {
	r := newServerEventRig(t, 1)
	var all []*note
	for i := range 40 {
		v := &note{pad: make([]byte, 100*(i%12))}
		p := Post{Guarantee: Guarantee(i % 3), Channel: uint8(i % 2), Lane: uint16(i % 4)}
		if p.Guarantee == Unguaranteed {
			v.pad = nil
			p.Life = netcore.Time(i%2) * time.Hour
		}
		r.post(r.a, v, p)
		all = append(all, v)
		if i == 20 || i == 25 {
			r.pack(0, &r.ab)
		}
	}
	r.a.Notify(1, false) // as a Conn does before the end
	r.a.Notify(2, false)
	r.a.Closed(netcore.Reason{Code: netcore.TimedOut})
	r.a.Closed(netcore.Reason{Code: netcore.TimedOut})
	for i, v := range all {
		require.Equal(t, []bool{false}, v.fates, "event %d", i)
	}
	assert.Error(t, r.a.Post(&note{}, Post{}))
	assert.True(t, r.a.Idle())
}

// TestCheckNamesTheEvent checks the error for an event that reads less than it wrote: it contains
// the event's name and both positions.
func TestCheckNamesTheEvent(t *testing.T) {
	check := Config{Server: true, Check: true}
	r := newEventRig(t, 1, check, Config{Check: true})
	r.post(r.a, &note{bad: true}, Post{})
	w := bitstream.NewWriter(make([]byte, 100))
	require.True(t, r.a.Pack(w, netcore.Outgoing{Seq: 1}))
	err := r.b.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: 1})
	require.ErrorContains(t, err, "event note at bit 23: its sender wrote 20 bits, to bit 43; 19 were read, to bit 42")
	assert.Empty(t, r.got[0])
}

func TestProcessErrorsAreReasons(t *testing.T) {
	for _, row := range []struct {
		err  error
		want netcore.Reason
	}{
		{errors.New("no such thing"), netcore.Reason{Code: netcore.Violation, Text: "event note: no such thing"}},
		{netcore.Reason{Code: netcore.Kicked, Text: "out"}, netcore.Reason{Code: netcore.Kicked, Text: "out"}},
	} {
		r := newServerEventRig(t, 1)
		onProcess = func(*note) error { return row.err }
		r.post(r.a, &note{}, Post{})
		w := bitstream.NewWriter(make([]byte, 100))
		require.True(t, r.a.Pack(w, netcore.Outgoing{Seq: 1}))
		assert.Equal(t, row.want, r.b.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: 1}))
	}
}

type doublingRefs struct{}

func (doublingRefs) ToWire(obj uint32) uint32  { return obj * 2 }
func (doublingRefs) FromWire(id uint32) uint32 { return id * 5 }

// TestObjects checks that references are translated when packed and when unpacked, again for each
// copy.
func TestObjects(t *testing.T) {
	r := newEventRig(t, 1, Config{Server: true, Refs: doublingRefs{}}, Config{Refs: doublingRefs{}})
	r.post(r.a, &note{object: 3}, Post{})
	r.runUntilIdle(time.Second)
	assert.Equal(t, uint32(30), r.got[0][0].object)

	r = newServerEventRig(t, 1)
	r.post(r.a, &note{object: 3}, Post{})
	r.runUntilIdle(time.Second)
	assert.Zero(t, r.got[0][0].object, "without references every object is none")
}

// TestLargeCommandDelaysOnlyItsLane checks that a large command goes ahead in pieces and is
// processed in its place.
func TestLargeCommandDelaysOnlyItsLane(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.post(r.a, &note{n: 1}, Post{})
	r.post(r.a, &note{n: 2, pad: make([]byte, 50<<10)}, Post{})
	r.post(r.a, &note{n: 3}, Post{})
	r.post(r.a, &note{n: 100}, Post{Lane: 1})
	r.runUntilIdle(30 * time.Second)
	got := numbers(r.got[0])
	assert.Equal(t, []uint64{1, 100, 2, 3}, got)
	assert.Len(t, r.got[0][2].pad, 50<<10)
}

// TestSmallerPackets checks that events still arrive when packets have become too small for them.
func TestSmallerPackets(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.loss = 1
	for i := range 10 {
		r.post(r.a, &note{n: uint64(i), pad: make([]byte, 700)}, Post{})
		r.post(r.a, &note{n: uint64(100 + i), pad: make([]byte, 700)}, Post{Guarantee: Guaranteed})
		for range 33 {
			r.step(time.Millisecond)
		}
	}
	r.loss, r.size = 0, 64
	u := &note{n: 200, pad: make([]byte, 700)}
	r.post(r.a, u, Post{Guarantee: Unguaranteed})
	r.runUntilIdle(5 * time.Minute)
	ordered := slices.DeleteFunc(numbers(r.got[0]), func(n uint64) bool { return n >= 100 })
	assert.Equal(t, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, ordered)
	assert.Len(t, r.got[0], 20)
	assert.Equal(t, []bool{false}, u.fates, "nothing can carry it")
}

// TestOnlyTheOldestGoesAhead checks that only the oldest number goes ahead in pieces. A newer one
// would wait for the older one, and the older one can need the same parcel.
func TestOnlyTheOldestGoesAhead(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.loss = 1
	for i := range 2 {
		r.post(r.a, &note{n: uint64(i), pad: make([]byte, 700)}, Post{})
		require.True(t, r.pack(0, &r.ab))
	}
	r.now += netcore.MinCopyAge
	require.True(t, r.pack(0, &r.ab)) // the first again
	r.loss, r.size = 0, 64
	r.a.Notify(1, false)
	r.a.Notify(2, false) // the second is lost, the first is not yet
	r.pack(0, &r.ab)
	assert.False(t, r.a.parcels.byKind[parcelOldest].busy)
	r.ab.inFlight = r.ab.inFlight[2:]
	r.runUntilIdle(time.Minute)
	assert.Equal(t, []uint64{0, 1}, numbers(r.got[0]))
}

// TestLargestEvents sends the largest events in both channels at once: 256 KiB from a server, 64
// KiB from a client.
func TestLargestEvents(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.every = 2 * time.Millisecond
	for _, row := range []struct {
		e   *Stream
		max int
	}{{r.a, 256 << 10}, {r.b, 64 << 10}} {
		for c := range uint8(2) {
			r.post(row.e, &note{n: uint64(c), pad: make([]byte, row.max-16)}, Post{Channel: c})
		}
	}
	r.runUntilIdle(time.Minute)
	assert.Len(t, r.got[0], 2)
	assert.Len(t, r.got[1], 2)
}
