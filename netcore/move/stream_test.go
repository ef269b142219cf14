package move

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// Each move goes into the configured number of consecutive packets. Without new moves only the
// newest is repeated, until an ack or a fate arrives.
func TestSendsPerMove(t *testing.T) {
	for _, row := range []struct {
		sends int
		want  [][]uint32 // per tick; the first four make a move
	}{
		{1, [][]uint32{{1}, {2}, {3}, {4}, {4}, {4}}},
		{2, [][]uint32{{1}, {1, 2}, {2, 3}, {3, 4}, {4}, {4}}},
		{3, [][]uint32{{1}, {1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4}, {4}, {4}}},
		{0, [][]uint32{{1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}},
	} {
		r := newMoveRig(t, row.sends, false)
		for i, want := range row.want {
			if i < 4 {
				r.push()
			}
			r.ship(true)
			assert.Equal(t, want, r.numbers(), "%d sends, tick %d", row.sends, i)
			r.now += moveTick
		}
	}
}

// By default three packets carry each move.
func TestUsualSends(t *testing.T) {
	r := newMoveRig(t, 0, false)
	r.made.cfg.Sends = nil
	for range 6 {
		r.push()
		r.ship(true)
		r.now += moveTick
	}
	assert.Equal(t, []uint32{4, 5, 6}, r.numbers())
}

// A change of Sends applies to the waiting moves, too, even after many copies.
func TestSendsAreChanged(t *testing.T) {
	r := newMoveRig(t, 0, false)
	for range 4 {
		r.push()
	}
	for range 257 {
		r.ship(true)
		r.now += moveTick
	}
	copies := r.made.Stats().Copies
	require.EqualValues(t, 4*257, copies)
	r.made.cfg.Sends = func() int { return 3 }
	r.ship(true)
	assert.Equal(t, copies+1, r.made.Stats().Copies, "the newest alone")
}

// A move known to have arrived is never sent again, whether by the fate of its packet or by an ack.
func TestArrivedMovesAreNotSentAgain(t *testing.T) {
	for name, by := range map[string]func(r *moveRig, fate func()){
		"fate": func(_ *moveRig, fate func()) { fate() },
		"ack":  func(r *moveRig, _ func()) { r.do(9); r.answer(false) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newMoveRig(t, 0, false)
			r.push()
			r.push()
			by(r, r.ship(false))
			r.now += moveTick
			assert.Nil(t, r.ship(false), "nothing is left to say")
			assert.Equal(t, netcore.Never, r.made.Due(r.now))
			r.push()
			r.ship(false)
			assert.Equal(t, []uint32{3}, r.numbers())
			assert.Zero(t, r.took.Stats().Again)
		})
	}
}

// A new move is due immediately; a waiting one is due after the interval.
func TestMovesAreDue(t *testing.T) {
	r := newMoveRig(t, 3, false)
	assert.Equal(t, netcore.Never, r.made.Due(0))
	r.push()
	assert.Equal(t, r.now, r.made.Due(r.now))
	r.ship(true)
	assert.Equal(t, r.now+netcore.LeastCopyAge, r.made.Due(r.now))
	assert.Nil(t, r.ship(true), "several packets at once do not carry the same")
	r.now += netcore.LeastCopyAge
	assert.NotNil(t, r.ship(true))
}

// A sender with a full window makes no moves. It continues after an ack, even if every packet was
// lost for a long time, because the newest move is still repeated.
func TestHaltWithoutDeadlock(t *testing.T) {
	for _, sends := range []int{0, 1, 3, Max} {
		r := newMoveRig(t, sends, false)
		for !r.made.Full() {
			r.push()
			r.ship(true)()
			r.now += moveTick
		}
		assert.Equal(t, uint32(Max), r.made.sender.newest)
		assert.Panics(t, func() { r.push() })
		for range 2 * Max {
			r.now += moveTick
			require.NotNil(t, r.ship(true), "it goes on asking")
		}
		r.now += moveTick
		r.ship(false)()
		done := r.do(99)
		assert.Equal(t, uint32(Max), done[len(done)-1])
		if sends == 0 {
			assert.Len(t, done, Max)
		}
		assert.EqualValues(t, Max-len(done), r.took.Stats().Lost)
		r.answer(false)
		a, ok := r.settle()
		require.True(t, ok)
		assert.Equal(t, uint32(Max), a.Ack)
		assert.False(t, r.made.Full())
		r.push()
		r.now += moveTick
		r.ship(false)
		assert.Equal(t, []uint32{Max + 1}, r.do(9))
	}
}

// The receiver never has more moves than a window, and never takes a move twice.
func TestTakenOnce(t *testing.T) {
	r := newMoveRig(t, 0, true)
	var done []uint32
	for i := range 400 {
		if !r.made.Full() {
			r.push()
		}
		r.ship(i%3 == 0)
		r.ship(false)
		require.LessOrEqual(t, r.took.Queued(), Max)
		if i%50 > 40 {
			done = append(done, r.do(4)...)
		}
		if i%50 > 30 {
			r.answer(i%2 == 0)
			r.settle()
		}
		r.now += moveTick
	}
	require.Greater(t, len(done), 150)
	for i, n := range done {
		require.EqualValues(t, i+1, n)
	}
	assert.NotZero(t, r.took.Stats().Again)
}

// Dropped moves are acknowledged.
func TestDropAcknowledges(t *testing.T) {
	r := newMoveRig(t, 3, false)
	for range 5 {
		r.push()
	}
	r.ship(false)
	r.took.Drop(3)
	r.answer(false)
	a, ok := r.settle()
	assert.True(t, ok)
	assert.Equal(t, uint32(3), a.Ack)
	first, waiting := r.made.Waiting()
	assert.Equal(t, uint32(4), first)
	assert.Equal(t, []Move{numbered(4), numbered(5)}, waiting)
	r.took.Drop(99)
	assert.Zero(t, r.took.Queued())
	assert.EqualValues(t, 5, r.took.Stats().Dropped)
	assert.Equal(t, uint32(5), r.took.receiver.done)
}

// An ack is repeated until it is known to have arrived, and then no more.
func TestAckUntilItArrives(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.push()
	r.ship(false)
	assert.Equal(t, netcore.Never, r.took.Due(r.now), "received is not done")
	r.do(1)
	first := r.answer(true)
	require.NotNil(t, first)
	assert.Nil(t, r.answer(false), "not twice at once")
	first()
	r.now += moveTick
	second := r.answer(false)
	require.NotNil(t, second)
	r.now += moveTick
	require.NotNil(t, r.answer(false), "its fate is not known")
	second()
	r.now += moveTick
	assert.Nil(t, r.answer(false))
	assert.Equal(t, netcore.Never, r.took.Due(r.now))
}

// Unpack settles nothing: the owner can still read the acknowledged moves.
func TestSettleIsTheOwners(t *testing.T) {
	r := newMoveRig(t, 3, false)
	for range 4 {
		r.push()
	}
	r.made.Settle(4)
	_, waiting := r.made.Waiting()
	assert.Len(t, waiting, 4, "nothing is acknowledged")
	r.ship(false)
	r.do(2)
	r.answer(false)
	_, waiting = r.made.Waiting()
	assert.Len(t, waiting, 4)
	r.made.Settle(1)
	first, waiting := r.made.Waiting()
	assert.Equal(t, uint32(2), first)
	assert.Len(t, waiting, 3)
	r.made.Settle(1)
	r.made.Settle(9)
	first, _ = r.made.Waiting()
	assert.Equal(t, uint32(3), first)
}

// A checksum belongs to the newest move of a packet. SetSum can still correct it.
func TestChecksums(t *testing.T) {
	r := newMoveRig(t, 0, true)
	r.made.Push(Move{X: 1}, 11)
	r.made.Push(Move{X: 2}, 12)
	r.ship(false)
	r.made.SetSum(2, 22)
	r.made.SetSum(3, 33)
	r.now += moveTick
	r.ship(false)
	r.made.Push(Move{X: 3}, 0)
	r.ship(false)
	for _, want := range []struct {
		sum    uint16
		summed bool
	}{{0, false}, {22, true}, {0, false}} {
		_, sum, summed, ok := r.took.Next()
		assert.True(t, ok)
		assert.Equal(t, want.sum, sum)
		assert.Equal(t, want.summed, summed)
	}
	_, _, _, ok := r.took.Next()
	assert.False(t, ok)
}

// The view is sent when it changes, and again after a loss.
func TestViewArrives(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.made.SetView(true, 90)
	assert.Nil(t, r.ship(false), "that is how it is")
	r.made.SetView(false, 300)
	lost := r.ship(true)
	require.NotNil(t, lost)
	r.now += moveTick
	assert.Nil(t, r.ship(false), "told, and the fate is open")
	lost()
	require.NotNil(t, r.ship(false))
	first, fov := r.took.View()
	assert.False(t, first)
	assert.Equal(t, 179, fov)

	r.made.SetView(true, 1)
	old := r.ship(true)
	r.made.SetView(true, 60)
	r.ship(false)
	old()
	assert.Nil(t, r.ship(false), "a newer one was told since")
	first, fov = r.took.View()
	assert.True(t, first)
	assert.Equal(t, 60, fov)
}

// The flash is sent when it changes, and again after a loss.
func TestFlashArrives(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.took.SetFlash(0, -1)
	assert.Nil(t, r.answer(false))
	r.took.SetFlash(0.5, 7)
	r.answer(true)()
	r.answer(false)
	a, ok := r.made.Answer()
	assert.True(t, ok)
	assert.Equal(t, 0.5, a.Flash)
	assert.Equal(t, 1., a.Whiteout)
	assert.Equal(t, 1, r.answered)
	_, ok = r.made.Answer()
	assert.False(t, ok)
	nan := 0.
	r.took.SetFlash(nan/nan, 0)
	r.answer(false)
	a, _ = r.made.Answer()
	assert.Zero(t, a.Flash)
	assert.Zero(t, a.Whiteout)
}

// A small packet carries the moves that fit; the rest follows.
func TestMovesInASmallPacket(t *testing.T) {
	for _, check := range []bool{false, true} {
		r := newMoveRig(t, 0, check)
		r.size = 32
		for n := range Max {
			r.made.Push(Move{X: int8(n % 5), Y: 1, Z: 2, Yaw: int16(n * 99), Pitch: int16(n), Roll: 3, Triggers: uint8(n), FreeLook: true}, 7)
		}
		for range Max {
			if fate := r.ship(false); fate != nil {
				require.Less(t, len(r.carried), 6)
				fate()
			}
			r.now += moveTick
		}
		assert.Equal(t, Max, r.took.Queued())
		assert.Zero(t, r.took.Stats().Lost)
	}
}

// Without room for a single move or an ack, the section is empty and records nothing.
func TestMovesWithoutRoom(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.push()
	r.ship(false)
	r.do(1)
	r.push()
	for m, most := range map[*Stream]int{r.made: 40, r.took: 7} {
		for bits := 1; bits <= most; bits++ {
			w := bitstream.NewWriter(make([]byte, 10))
			w.Limit(bits)
			require.False(t, m.Pack(w, netcore.Outgoing{Seq: 9}), "%d bits", bits)
			require.NoError(t, w.Err())
			require.Equal(t, 1, w.Pos())
		}
	}
	r.ship(false)
	assert.Equal(t, []uint32{1, 2}, r.numbers())
	require.NotNil(t, r.answer(false))
}

// Between two sides that both send and receive moves, the answer leaves room to say that there are
// no moves.
func TestBothHalvesWithoutRoom(t *testing.T) {
	for bits := 2; bits <= 40; bits++ {
		r := newMoveRig(t, 3, false)
		r.push()
		r.ship(false)
		r.do(1)
		both := r.took
		both.cfg.Makes = true
		both.Push(Move{X: 1}, 0)
		w := bitstream.NewWriter(make([]byte, 10))
		w.Limit(bits)
		both.Pack(w, netcore.Outgoing{Seq: 9})
		require.NoError(t, w.Err(), "%d bits", bits)
	}
}
