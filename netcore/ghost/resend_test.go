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
func (p *paperTale) wait() (waited netcore.Time) {
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
	p := newPaperTale(t)
	p.set(p.one, 1, 0xa5)
	require.Equal(t, []string{"update 0 10"}, bodiesOf(p.pack()))
	p.begin()
	require.Nil(t, p.pack(), "the ack is not overdue yet")
	assert.GreaterOrEqual(t, p.wait(), ackUnsure)
	assert.Equal(t, []string{"update 0 10"}, bodiesOf(p.pack()), "the very same")
	assert.Equal(t, uint64(1), p.from.Stats().Copies)
	p.settle(true)
	assert.Zero(t, p.from.Pending(), "the copy is still on its way")
	p.settle(false)
	assert.Equal(t, netcore.Never, p.wait(), "known to have arrived")
	p.requireEqual()
}

func TestCopyOfWhatArrivedIsNotGivenBack(t *testing.T) {
	p := newPaperTale(t)
	p.set(p.one, 1, 0xa5)
	p.pack()
	p.wait()
	p.pack()
	p.settle(false)
	p.settle(true)
	assert.Zero(t, p.from.Pending())
	assert.Equal(t, netcore.Never, p.wait())
	p.requireEqual()
}

func TestLostCopiesAreGivenBackWhenNothingArrived(t *testing.T) {
	p := newPaperTale(t)
	p.set(p.one, 1, 0xa5)
	p.pack()
	p.wait()
	p.pack()
	p.settle(true)
	p.settle(true)
	assert.Equal(t, 1, p.from.Pending())
	p.begin()
	assert.Equal(t, []string{"update 0 10"}, bodiesOf(p.pack()))
	p.settle(false)
	p.requireEqual()
}

// TestWhatIsNewIsNoCopy checks that newer state is sent as an update instead of a copy. Its loss
// counts as a loss even if the older state is known to have arrived.
func TestWhatIsNewIsNoCopy(t *testing.T) {
	p := newPaperTale(t)
	p.set(p.one, 1, 0xa5)
	p.pack()
	p.wait()
	p.begin()
	p.set(p.one, 2, 0x77)
	assert.Equal(t, []string{"update 0 100"}, bodiesOf(p.pack()))
	assert.Zero(t, p.from.Stats().Copies)
	p.settle(false)
	p.settle(true)
	assert.Equal(t, 1, p.from.Pending())
	p.begin()
	assert.Equal(t, []string{"update 0 100"}, bodiesOf(p.pack()))
	p.settle(false)
	p.requireEqual()
}

// TestCreatesAreSentAgainAndKillsAreNot checks that a create is repeated with all groups. A kill is
// not repeated before it is known to be lost.
func TestCreatesAreSentAgainAndKillsAreNot(t *testing.T) {
	p := newPaperTale(t)
	three := p.object(box)
	p.from.Scope(three)
	require.Equal(t, []string{"create 2 1111"}, bodiesOf(p.pack()))
	p.wait()
	require.Equal(t, []string{"create 2 1111"}, bodiesOf(p.pack()))
	p.settle(true)
	p.settle(false)
	p.from.Unscope(three)
	p.begin()
	require.Equal(t, []string{"kill 2 0"}, bodiesOf(p.pack()))
	p.wait()
	assert.Nil(t, p.pack())
	assert.Equal(t, netcore.Never, p.wait())
	p.settle(false)
	p.requireEqual()
}

// TestSmoothValuesThatComeAgainAreNoNews checks that a repetition is marked in Change.Again,
// because the receiver may have extrapolated the ghost since.
func TestSmoothValuesThatComeAgainAreNoNews(t *testing.T) {
	smooth := NewLayout(6, "Ball", []Group{{}, {Cells: []Cell{{Field: "x", Bits: 12, Smooth: true}}}, {Cells: []Cell{{Field: "y", Bits: 8}}}})
	r := newGhostRig(t, Config{}, smooth)
	ball := r.object(smooth, nil, []uint64{7}, []uint64{9})
	r.from.Scope(ball)
	var again []uint32
	r.to = New(Config{Layout: func(uint16) *Layout { return smooth }, Arrived: func() error {
		for ch := r.to.Next(); ch != nil; ch = r.to.Next() {
			again = append(again, ch.Again)
		}
		return nil
	}})
	for range 3 {
		s := r.pack()
		require.NotNil(t, s)
		require.NoError(t, r.to.Unpack(bitstream.NewReader(s.data), netcore.Incoming{Seq: s.seq}))
		r.now += 2 * ackUnsure
		r.begin()
	}
	assert.Equal(t, []uint32{0, 1 << 1, 1 << 1}, again)
}

// TestOnlyWhatIsOverdueIsSentAgain checks that each packet has its own ack timeout, and that state
// known to have arrived by another packet is not repeated.
func TestOnlyWhatIsOverdueIsSentAgain(t *testing.T) {
	p := newPaperTale(t)
	p.set(p.one, 1, 0xa5)
	p.pack()
	p.now += ackUnsure - tick
	p.begin()
	p.set(p.two, 1, 0x77)
	p.pack()
	p.now += tick
	p.begin()
	assert.Equal(t, []string{"update 0 10"}, bodiesOf(p.pack()))
	p.settle(false)
	p.wait()
	assert.Equal(t, []string{"update 1 10"}, bodiesOf(p.pack()), "ghost 0 has arrived")
	p.settle(false)
	assert.Equal(t, 2, len(p.air), "both are copies")
	p.now += 2 * ackUnsure
	p.begin()
	assert.Nil(t, p.pack())
	p.settle(false)
	p.settle(false)
	p.requireEqual()
}

// TestNoCopyInTheSameTick checks that a ghost is sent once per tick, however long the tick lasts.
func TestNoCopyInTheSameTick(t *testing.T) {
	p := newPaperTale(t)
	p.set(p.one, 1, 0xa5)
	p.pack()
	p.now += 2 * ackUnsure
	assert.Nil(t, p.pack())
	p.settle(false)
	p.requireEqual()
}

// TestOnlyTheNewestIsSentAgain checks that only the newer of two states in flight is repeated. The
// delivery or loss of the older one is always reported before that of a copy.
func TestOnlyTheNewestIsSentAgain(t *testing.T) {
	p := newPaperTale(t)
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
	p.settle(true)
	p.begin()
	assert.Equal(t, []string{"update 0 10"}, bodiesOf(p.pack()), "given back")
	for range 3 {
		p.settle(false)
	}
	p.requireEqual()
}
