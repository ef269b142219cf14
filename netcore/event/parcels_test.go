package event

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// largePosts are the ways in which an event can be large.
var largePosts = []struct {
	post  Post
	bytes int
}{
	{Post{}, 1500},                                       // a command, ahead in pieces
	{Post{Channel: 1}, 600},                              // bulk
	{Post{Guarantee: Guaranteed}, 1300},                  // in channel 1 from the start
	{Post{Guarantee: Guaranteed}, 900},                   // in channel 1 once it does not fit
	{Post{Guarantee: Unguaranteed}, 250},                 // fits one packet
	{Post{Lane: 1}, 700},                                 // a command of another mod
	{Post{Channel: 1, Lane: 1}, 6 * netcore.MaxDatagram}, // bulk of another mod
}

// pairWalk sends two large events at once in each direction.
type pairWalk struct {
	*eventRig
	posted [2][]*note // from a, from b
	posts  [2][]Post
	lost   uint // the packets lost at first: bit n is packet n of a, and packet 4-n of b
}

func (w *pairWalk) postLarge(from int, kinds ...int) {
	for i, k := range kinds {
		v := &note{n: uint64(i), pad: bytes.Repeat([]byte{byte(1 + 16*from + i)}, largePosts[k].bytes)}
		w.post([]*Stream{w.a, w.b}[from], v, largePosts[k].post)
		w.posted[from], w.posts[from] = append(w.posted[from], v), append(w.posts[from], largePosts[k].post)
	}
}

// play runs until everything has arrived. The first packets of both sides are lost as the mask
// says.
func (w *pairWalk) play() {
	for end := w.now + 30*time.Second; w.now < end; {
		w.step(4 * time.Millisecond)
		for i, d := range []*rigDirection{&w.ab, &w.ba} {
			for j := range d.inFlight {
				if n := uint(d.inFlight[j].seq - 1); n < 5 {
					d.inFlight[j].lost = w.lost>>[]uint{n, 4 - n}[i]&1 > 0
				}
			}
		}
		for _, e := range []*Stream{w.a, w.b} {
			joined := 0
			for _, b := range e.pieces.buffers {
				joined += len(b)
			}
			require.Equal(w.t, joined, e.pieces.bytes)
		}
		if w.a.Idle() && w.b.Idle() && len(w.ab.inFlight)+len(w.ab.fates)+len(w.ba.inFlight)+len(w.ba.fates) == 0 {
			return
		}
	}
	w.t.Fatal("not settled")
}

// check checks the events of one direction: each is whole, and comes once and in order.
func (w *pairWalk) check(from int) {
	seen := make([]int, len(w.posted[from]))
	var first *note
	for _, v := range w.got[from] {
		seen[v.n]++
		require.True(w.t, bytes.Equal(w.posted[from][v.n].pad, v.pad), "event %d of side %d", v.n, from)
		if first == nil {
			first = v
		}
	}
	a, b := w.posts[from][0], w.posts[from][1]
	if a.Guarantee == Ordered && b.Guarantee == Ordered && a.Channel == b.Channel && a.Lane == b.Lane {
		require.Zero(w.t, first.n, "order within a lane")
	}
	for i, v := range w.posted[from] {
		require.Len(w.t, v.fates, 1, "event %d of side %d", i, from)
		require.Equal(w.t, v.fates[0], seen[i] == 1)
		require.LessOrEqual(w.t, seen[i], 1)
		require.True(w.t, v.fates[0] || w.posts[from][i].Guarantee == Unguaranteed)
	}
}

// TestTwoLargeEvents walks through each pair of large events in each order, in both directions at
// once, and through the losses of the first five packets.
func TestTwoLargeEvents(t *testing.T) {
	kinds := len(largePosts)
	for n := range kinds * kinds {
		for i := range 4 { // together all masks of losses, each with several pairs
			budget := &Budget{Max: 64 << 10}
			w := pairWalk{eventRig: newEventRig(t, 1, Config{Server: true}, Config{Budget: budget}), lost: uint(5*n+8*i+i) % 32}
			w.size, w.every, w.delay = 700, 8*time.Millisecond, 8*time.Millisecond
			w.postLarge(0, n/kinds, n%kinds)
			w.postLarge(1, n%kinds, n/kinds)
			w.play()
			w.check(0)
			w.check(1)
			require.Zero(t, budget.used)
			w.a.Closed(netcore.Reason{})
			w.check(0) // no fate comes twice
		}
	}
}

// TestParcelsTakeTurns checks that a large command and a bulk event share the pieces of each
// packet.
func TestParcelsTakeTurns(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.post(r.a, &note{n: 0, pad: make([]byte, 20_000)}, Post{Channel: 1})
	require.True(t, r.pack(0, &r.ab))
	r.post(r.a, &note{n: 1, pad: make([]byte, 10_000)}, Post{})
	for range 3 {
		c := &r.a.channel[1]
		first := c.next
		require.True(t, r.pack(0, &r.ab))
		var pieces [parcelKinds]int
		for n := first; n < c.next; n++ {
			pieces[c.at(n).event.(*fragment).parcel]++
		}
		assert.Positive(t, pieces[parcelBulk])
		assert.InDelta(t, pieces[parcelBulk], pieces[parcelLane], 1)
	}
	r.runUntilIdle(time.Minute)
	assert.Equal(t, []uint64{1, 0}, numbers(r.got[0]))
}

// TestLargestAfterBulk checks that a command waits for the end of a bulk event if the peer cannot
// keep the pieces of both.
func TestLargestAfterBulk(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.every = 2 * time.Millisecond
	for i, e := range []*Stream{r.a, r.b} {
		large := []int{serverMaxBytes, clientMaxBytes}[i] - 100
		r.post(e, &note{n: 0, pad: make([]byte, large)}, Post{Channel: 1})
		r.pack(i, []*rigDirection{&r.ab, &r.ba}[i])
		r.post(e, &note{n: 1, pad: make([]byte, large)}, Post{})
		r.post(e, &note{n: 2, pad: make([]byte, large)}, Post{Lane: 1})
	}
	r.runUntilIdle(time.Minute)
	assert.Equal(t, []uint64{0, 1, 2}, numbers(r.got[0]))
	assert.Equal(t, []uint64{0, 1, 2}, numbers(r.got[1]))
}

// TestOldestBesideTheLargest checks that an old command can go ahead in pieces beside the last
// pieces of the largest bulk event.
func TestOldestBesideTheLargest(t *testing.T) {
	r := newServerEventRig(t, 1)
	r.every, r.delay = 2*time.Millisecond, time.Millisecond
	r.post(r.b, &note{n: 0, pad: make([]byte, clientMaxBytes-100)}, Post{Channel: 1})
	r.step(time.Millisecond)
	for r.b.parcels.left() > 1500 {
		r.step(time.Millisecond)
	}
	r.loss = 1
	r.post(r.b, &note{n: 1, pad: make([]byte, 700)}, Post{})
	require.True(t, r.pack(1, &r.ba))
	r.loss, r.size = 0, 64
	r.runUntilIdle(time.Minute)
	assert.Equal(t, []uint64{0, 1}, numbers(r.got[1]))
}

// TestLargerPackets checks that an event that goes ahead in pieces is not sent whole, too, when the
// packets are large enough again.
func TestLargerPackets(t *testing.T) {
	r := newServerEventRig(t, 1)
	for i := range 2 {
		r.post(r.a, &note{n: uint64(i), pad: make([]byte, 700)}, Post{})
		require.True(t, r.pack(0, &r.ab))
	}
	r.ab.inFlight = nil
	r.a.Notify(1, false)
	r.a.Notify(2, false)
	r.size = 64
	require.True(t, r.pack(0, &r.ab))
	require.True(t, r.a.parcels.byKind[parcelOldest].busy)
	r.size = 1100
	require.True(t, r.pack(0, &r.ab))
	assert.Zero(t, r.a.channel[0].at(0).carriers, "its pieces are on the way")
	assert.Equal(t, 1, r.a.channel[0].at(1).carriers)
	r.runUntilIdle(time.Minute)
	assert.Equal(t, []uint64{0, 1}, numbers(r.got[0]))
}

// TestLargeBuffersAreFreed checks that the buffer of pieces is kept for the next event only if it
// is small.
func TestLargeBuffersAreFreed(t *testing.T) {
	r := newServerEventRig(t, 1)
	for _, size := range []int{maxKeptBuffer / 2, 4 * maxKeptBuffer} {
		r.post(r.a, &note{pad: make([]byte, size)}, Post{Channel: 1})
		r.runUntilIdle(time.Minute)
		assert.LessOrEqual(t, cap(r.b.pieces.buffers[parcelBulk]), maxKeptBuffer)
		assert.Equal(t, size < maxKeptBuffer, r.b.pieces.buffers[parcelBulk] != nil)
	}
}

// TestPieceBehindTheLast checks that a piece behind the last one of an unclaimed parcel ends the
// connection.
func TestPieceBehindTheLast(t *testing.T) {
	for _, kind := range []uint32{parcelLane, parcelOldest} {
		r := newEventRig(t, 1, Config{}, Config{Server: true})
		w := sectionWriter{bitstream.NewWriter(make([]byte, 200))}
		w.WriteBits(0, 2)           // nothing unordered, nothing in channel 0
		w.WriteBits(1|farRun<<1, 5) // channel 1 from number 0
		w.WriteBits(0, 8)
		w.piece(kind, true, []byte{1})
		w.WriteFlag(true)
		w.piece(kind, true, []byte{1})
		w.WriteFlag(false)
		err := r.b.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{})
		require.ErrorContains(t, err, "fragment of an unknown or complete event")
	}
}
