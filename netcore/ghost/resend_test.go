package ghost

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// wait advances the time by ticks until the stream wants a packet. It returns the time that passed.
func (p *paperReplay) wait() (waited netcore.Time) {
	p.t.Helper()
	for range 100 {
		p.now += tick
		waited += tick
		p.begin()
		if p.from.Due(p.now) <= p.now {
			return waited
		}
		require.Nil(p.t, p.pack(), "nothing is due, and nothing is there")
	}
	return netcore.Never
}

const tick = 32 * time.Millisecond

func TestNewestStateIsSentAgainWhenItsAckIsOverdue(t *testing.T) {
	p := newPaperReplay(t)
	p.set(p.one, 1, 0xa5)
	require.Equal(t, []string{"update 0 10"}, bodiesOf(p.pack()))
	p.begin()
	require.Nil(t, p.pack(), "the ack is not overdue yet")
	assert.GreaterOrEqual(t, p.wait(), ackTimeoutWithoutRTT)
	assert.Equal(t, []string{"update 0 10"}, bodiesOf(p.pack()), "the very same")
	assert.Equal(t, uint64(1), p.from.Stats().Resends)
	p.ack(true)
	assert.Zero(t, p.from.Pending(), "the copy is still on its way")
	p.ack(false)
	assert.Equal(t, netcore.Never, p.wait(), "known to have arrived")
	p.requireEqual()
}

func TestLostCopyOfArrivedStateIsNotOwed(t *testing.T) {
	p := newPaperReplay(t)
	p.set(p.one, 1, 0xa5)
	p.pack()
	p.wait()
	p.pack()
	p.ack(false)
	p.ack(true)
	assert.Zero(t, p.from.Pending())
	assert.Equal(t, netcore.Never, p.wait())
	p.requireEqual()
}

func TestLostCopiesAreOwedWhenNothingArrived(t *testing.T) {
	p := newPaperReplay(t)
	p.set(p.one, 1, 0xa5)
	p.pack()
	p.wait()
	p.pack()
	p.ack(true)
	p.ack(true)
	assert.Equal(t, 1, p.from.Pending())
	p.begin()
	assert.Equal(t, []string{"update 0 10"}, bodiesOf(p.pack()))
	p.ack(false)
	p.requireEqual()
}

// TestNewerStateReplacesCopy checks that newer state is sent as an update instead of a copy. Its
// loss counts as a loss even if the older state is known to have arrived.
func TestNewerStateReplacesCopy(t *testing.T) {
	p := newPaperReplay(t)
	p.set(p.one, 1, 0xa5)
	p.pack()
	p.wait()
	p.begin()
	p.set(p.one, 2, 0x77)
	assert.Equal(t, []string{"update 0 100"}, bodiesOf(p.pack()))
	assert.Zero(t, p.from.Stats().Resends)
	p.ack(false)
	p.ack(true)
	assert.Equal(t, 1, p.from.Pending())
	p.begin()
	assert.Equal(t, []string{"update 0 100"}, bodiesOf(p.pack()))
	p.ack(false)
	p.requireEqual()
}

// TestCreatesAreSentAgainAndKillsAreNot checks that a create is repeated with all groups. A kill is
// not repeated before it is known to be lost.
func TestCreatesAreSentAgainAndKillsAreNot(t *testing.T) {
	p := newPaperReplay(t)
	three := p.object(box)
	p.from.Scope(three)
	require.Equal(t, []string{"create 2 1111"}, bodiesOf(p.pack()))
	p.wait()
	require.Equal(t, []string{"create 2 1111"}, bodiesOf(p.pack()))
	p.ack(true)
	p.ack(false)
	p.from.Unscope(three)
	p.begin()
	require.Equal(t, []string{"kill 2 0"}, bodiesOf(p.pack()))
	p.wait()
	assert.Nil(t, p.pack())
	assert.Equal(t, netcore.Never, p.wait())
	p.ack(false)
	p.requireEqual()
}

// TestRepeatedSmoothValuesAreMarked checks that a repetition is marked in Change.Again,
// because the receiver may have extrapolated the ghost since.
func TestRepeatedSmoothValuesAreMarked(t *testing.T) {
	smooth := NewLayout(6, "Ball", []CellGroup{{}, {Cells: []Cell{{Field: "x", Bits: 12, Smooth: true}}}, {Cells: []Cell{{Field: "y", Bits: 8}}}})
	r := newGhostRig(t, Config{}, smooth)
	ball := r.object(smooth, nil, []uint64{7}, []uint64{9})
	r.from.Scope(ball)
	var again []uint32
	r.to = New(Config{Layout: func(uint16) *Layout { return smooth }, Arrived: func() error {
		for ch := r.to.Next(); ch != nil; ch = r.to.Next() {
			again = append(again, ch.Repeated)
		}
		return nil
	}})
	for range 3 {
		s := r.pack()
		require.NotNil(t, s)
		require.NoError(t, r.to.Unpack(bitstream.NewReader(s.data), netcore.Incoming{Seq: s.seq}))
		r.now += 2 * ackTimeoutWithoutRTT
		r.begin()
	}
	assert.Equal(t, []uint32{0, 1 << 1, 1 << 1}, again)
}

// TestOnlyOverdueStateIsRepeated checks that each packet has its own ack timeout, and that state
// known to have arrived by another packet is not repeated.
func TestOnlyOverdueStateIsRepeated(t *testing.T) {
	p := newPaperReplay(t)
	p.set(p.one, 1, 0xa5)
	p.pack()
	p.now += ackTimeoutWithoutRTT - tick
	p.begin()
	p.set(p.two, 1, 0x77)
	p.pack()
	p.now += tick
	p.begin()
	assert.Equal(t, []string{"update 0 10"}, bodiesOf(p.pack()))
	p.ack(false)
	p.wait()
	assert.Equal(t, []string{"update 1 10"}, bodiesOf(p.pack()), "ghost 0 has arrived")
	p.ack(false)
	assert.Equal(t, 2, len(p.inFlight), "both are copies")
	p.now += 2 * ackTimeoutWithoutRTT
	p.begin()
	assert.Nil(t, p.pack())
	p.ack(false)
	p.ack(false)
	p.requireEqual()
}

// TestNoCopyInTheSameTick checks that a ghost is sent once per tick, however long the tick lasts.
func TestNoCopyInTheSameTick(t *testing.T) {
	p := newPaperReplay(t)
	p.set(p.one, 1, 0xa5)
	p.pack()
	p.now += 2 * ackTimeoutWithoutRTT
	assert.Nil(t, p.pack())
	p.begin()
	assert.Nil(t, p.pack(), "it is tried again after a timeout")
	p.now += ackTimeoutWithoutRTT
	assert.Equal(t, []string{"update 0 10"}, bodiesOf(p.pack()))
	p.ack(false)
	p.ack(false)
	p.requireEqual()
}

// TestCopiesThatDoNotFitFollow checks that each packet carries the copies that fit, until all were
// sent. A packet whose records need no copies is not looked through again.
func TestCopiesThatDoNotFitFollow(t *testing.T) {
	const count = 40
	r := newGhostRig(t, Config{}, box)
	objs := r.scopeAll(box, count)
	r.runUntilIdle(9)
	r.begin()
	r.changeCell(1, objs...)
	require.Len(t, r.pack().bodies, count)
	r.size = 30
	copied := map[uint16]bool{}
	for packets := 1; len(copied) < count; packets++ {
		require.Less(t, packets, count)
		require.False(t, r.from.flight.packets.At(0).scanned, "%d ghosts", len(copied))
		r.now += 2 * ackTimeoutWithoutRTT
		r.begin()
		for _, b := range r.pack().bodies {
			copied[b.id] = true
		}
	}
	assert.True(t, r.from.flight.packets.At(0).scanned)
	for len(r.inFlight) > 0 {
		r.ack(false)
	}
	r.runUntilIdle(9)
}

// TestOnlyNewestStateIsRepeated checks that only the newer of two states in flight is repeated. The
// delivery or loss of the older one is always reported before that of a copy.
func TestOnlyNewestStateIsRepeated(t *testing.T) {
	p := newPaperReplay(t)
	p.set(p.one, 1, 0xa5)
	p.pack()
	p.now += tick
	p.begin()
	p.set(p.one, 2, 0x77)
	p.pack()
	p.wait()
	assert.Nil(t, p.pack())
	p.wait()
	assert.Equal(t, []string{"update 0 100"}, bodiesOf(p.pack()))
	p.ack(true)
	p.begin()
	assert.Equal(t, []string{"update 0 10"}, bodiesOf(p.pack()), "given back")
	for range 3 {
		p.ack(false)
	}
	p.requireEqual()
}
