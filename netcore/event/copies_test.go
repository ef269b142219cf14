package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// TestOldestEventGetsCopies checks that the oldest event is found, however many events behind it
// have arrived: all of them wait for it.
func TestOldestEventGetsCopies(t *testing.T) {
	c := &sendChannel{}
	for range 3 * maxCopyScan {
		_, it := c.number()
		it.carriers, it.delivered, it.sent = 1, true, 0
	}
	c.at(c.base).delivered = false
	n, due := c.nextCopy(maxCopyScan, 0, time.Second)
	assert.Equal(t, c.base, n)
	assert.Equal(t, time.Second, due)
	n, due = c.nextCopy(maxCopyScan, time.Minute, time.Second)
	assert.Equal(t, c.base, n)
	assert.LessOrEqual(t, due, time.Minute)

	last := c.at(c.next - 1)
	last.delivered = false
	c.at(c.base).delivered = true
	n, _ = c.nextCopy(c.next-maxCopyScan, time.Minute, time.Second)
	assert.Equal(t, c.next-1, n)
	_, due = c.nextCopy(maxCopyScan, time.Minute, time.Second)
	assert.Equal(t, netcore.Never, due, "it is not among the examined ones")
	_, due = new(sendChannel).nextCopy(0, 0, time.Second)
	assert.Equal(t, netcore.Never, due)
}

// exchanged packs a section of a stream 32 ms after the one before, and lets the peer read it.
func (r *eventRig) exchanged() Stats {
	before := *r.a.Stats()
	r.now += 32 * time.Millisecond
	require.True(r.t, r.pack(0, &r.ab))
	p := r.ab.inFlight[len(r.ab.inFlight)-1]
	r.current = 0
	require.NoError(r.t, r.b.Unpack(bitstream.NewReader(p.data), netcore.Incoming{Seq: p.seq, Now: r.now}))
	after := *r.a.Stats()
	return Stats{Sent: after.Sent - before.Sent, Copies: after.Copies - before.Copies}
}

// TestCopiesRideAlong: a packet with a new event repeats the events in flight, and the peer
// processes each once. Copies displace no event: they have the room that is left.
func TestCopiesRideAlong(t *testing.T) {
	r := newServerEventRig(t, 1)
	post := func(p Post, size int) {
		r.post(r.a, &note{n: r.a.Stats().Sent, pad: make([]byte, size)}, p)
	}
	post(Post{}, 10)
	assert.Equal(t, Stats{Sent: 1}, r.exchanged())
	post(Post{}, 10)
	assert.Equal(t, Stats{Sent: 1, Copies: 1}, r.exchanged())
	post(Post{}, 10)
	assert.Equal(t, Stats{Sent: 1, Copies: 2}, r.exchanged(), "the first one again: 32 ms are twice as long as 10 ms")
	post(Post{Guarantee: Guaranteed}, 10)
	assert.Equal(t, Stats{Sent: 1, Copies: 2}, r.exchanged(), "also beside an unordered event")
	assert.EqualValues(t, 5, r.b.Stats().Duplicates)
	assert.Len(t, r.got[0], 4)

	for range 2 {
		post(Post{}, 700)
	}
	assert.Equal(t, Stats{Sent: 1}, r.exchanged(), "an event waits")
	post(Post{Channel: 1}, 4000)
	post(Post{}, 1)
	assert.Zero(t, r.exchanged().Copies, "bulk waits")
}

// TestEventsWithoutCopies: packets with new events do not repeat an event that wants no copies,
// whole or in pieces, and neither does it ask for a packet. Its pieces are sent again after a loss.
func TestEventsWithoutCopies(t *testing.T) {
	r := newServerEventRig(t, 1)
	post := func(p Post, size int) {
		r.post(r.a, &note{n: r.a.Stats().Sent, pad: make([]byte, size)}, p)
	}
	post(Post{Channel: 1, NoCopies: true}, 200)
	r.exchanged()
	assert.Equal(t, netcore.Never, r.a.Due(r.now+time.Second))
	post(Post{}, 10)
	assert.Zero(t, r.exchanged().Copies)
	post(Post{}, 10)
	assert.Equal(t, uint64(1), r.exchanged().Copies, "of the command")
	post(Post{Channel: 1}, 200)
	r.exchanged()
	assert.NotEqual(t, netcore.Never, r.a.Due(r.now+time.Second), "those of others have copies")
	assert.Zero(t, r.a.Stats().Resent)
	r.a.Notify(r.ab.inFlight[0].seq, false)
	assert.Less(t, r.a.Due(r.now), netcore.Never)
	r.exchanged()
	assert.Positive(t, r.a.Stats().Resent)
}

// TestCopiesBehindManyNewEvents: the peer has processed all new events of a packet when it reads
// the copies behind them. So a copy needs a number wide enough for both.
func TestCopiesBehindManyNewEvents(t *testing.T) {
	for _, many := range []int{20, 60, 100, 127, 128, 200} {
		r := newServerEventRig(t, 1)
		posted := 0
		for range 4 {
			for range many {
				r.post(r.a, &note{n: uint64(posted)}, Post{})
				posted++
			}
			r.exchanged()
		}
		require.Len(t, r.got[0], posted)
		for i, n := range numbers(r.got[0]) {
			require.EqualValues(t, i, n)
		}
		require.Equal(t, r.a.Stats().Copies, r.b.Stats().Duplicates)
		require.Positive(t, r.a.Stats().Copies)
	}
}
