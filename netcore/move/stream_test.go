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
func TestCopiesPerMove(t *testing.T) {
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
			r.sendMoves(true)
			assert.Equal(t, want, r.numbers(), "%d sends, tick %d", row.sends, i)
			r.now += moveTick
		}
	}
}

// By default three packets carry each move.
func TestDefaultCopies(t *testing.T) {
	r := newMoveRig(t, 0, false)
	r.sender.cfg.CopiesPerMove = nil
	for range 6 {
		r.push()
		r.sendMoves(true)
		r.now += moveTick
	}
	assert.Equal(t, []uint32{4, 5, 6}, r.numbers())
}

// A change of Sends applies to the waiting moves, too, even after many copies.
func TestCopiesPerMoveCanChange(t *testing.T) {
	r := newMoveRig(t, 0, false)
	for range 4 {
		r.push()
	}
	for range 257 {
		r.sendMoves(true)
		r.now += moveTick
	}
	copies := r.sender.Stats().Copies
	require.EqualValues(t, 4*257, copies)
	r.sender.cfg.CopiesPerMove = func() int { return 3 }
	r.sendMoves(true)
	assert.Equal(t, copies+1, r.sender.Stats().Copies, "the newest alone")
}

// A move known to have arrived is never sent again, whether by the fate of its packet or by an ack.
func TestArrivedMovesAreNotSentAgain(t *testing.T) {
	for name, by := range map[string]func(r *moveRig, fate func()){
		"fate": func(_ *moveRig, fate func()) { fate() },
		"ack":  func(r *moveRig, _ func()) { r.take(9); r.sendAnswer(false) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newMoveRig(t, 0, false)
			r.push()
			r.push()
			by(r, r.sendMoves(false))
			r.now += moveTick
			assert.Nil(t, r.sendMoves(false), "nothing is left to say")
			assert.Equal(t, netcore.Never, r.sender.Due(r.now))
			r.push()
			r.sendMoves(false)
			assert.Equal(t, []uint32{3}, r.numbers())
			assert.Zero(t, r.receiver.Stats().Duplicates)
		})
	}
}

// A new move is due immediately; a waiting one is due after the interval.
func TestMovesAreDue(t *testing.T) {
	r := newMoveRig(t, 3, false)
	assert.Equal(t, netcore.Never, r.sender.Due(0))
	r.push()
	assert.Equal(t, r.now, r.sender.Due(r.now))
	r.sendMoves(true)
	assert.Equal(t, r.now+netcore.MinCopyAge, r.sender.Due(r.now))
	assert.Nil(t, r.sendMoves(true), "several packets at once do not carry the same")
	r.now += netcore.MinCopyAge
	assert.NotNil(t, r.sendMoves(true))
}

// A sender with a full window makes no moves. It continues after an ack, even if every packet was
// lost for a long time, because the newest move is still repeated.
func TestFullSenderResumes(t *testing.T) {
	for _, sends := range []int{0, 1, 3, Max} {
		r := newMoveRig(t, sends, false)
		for !r.sender.Full() {
			r.push()
			r.sendMoves(true)()
			r.now += moveTick
		}
		assert.Equal(t, uint32(Max), r.sender.sender.newest)
		assert.Panics(t, func() { r.push() })
		for range 2 * Max {
			r.now += moveTick
			require.NotNil(t, r.sendMoves(true), "it goes on asking")
		}
		r.now += moveTick
		r.sendMoves(false)()
		done := r.take(99)
		assert.Equal(t, uint32(Max), done[len(done)-1])
		if sends == 0 {
			assert.Len(t, done, Max)
		}
		assert.EqualValues(t, Max-len(done), r.receiver.Stats().Lost)
		r.sendAnswer(false)
		a, ok := r.settle()
		require.True(t, ok)
		assert.Equal(t, uint32(Max), a.Ack)
		assert.False(t, r.sender.Full())
		r.push()
		r.now += moveTick
		r.sendMoves(false)
		assert.Equal(t, []uint32{Max + 1}, r.take(9))
	}
}

// The receiver never has more moves than a window, and never takes a move twice.
func TestMovesAreTakenOnce(t *testing.T) {
	r := newMoveRig(t, 0, true)
	var done []uint32
	for i := range 400 {
		if !r.sender.Full() {
			r.push()
		}
		r.sendMoves(i%3 == 0)
		r.sendMoves(false)
		require.LessOrEqual(t, r.receiver.Queued(), Max)
		if i%50 > 40 {
			done = append(done, r.take(4)...)
		}
		if i%50 > 30 {
			r.sendAnswer(i%2 == 0)
			r.settle()
		}
		r.now += moveTick
	}
	require.Greater(t, len(done), 150)
	for i, n := range done {
		require.EqualValues(t, i+1, n)
	}
	assert.NotZero(t, r.receiver.Stats().Duplicates)
}

// Dropped moves are acknowledged.
func TestDropAcknowledges(t *testing.T) {
	r := newMoveRig(t, 3, false)
	for range 5 {
		r.push()
	}
	r.sendMoves(false)
	r.receiver.Drop(3)
	r.sendAnswer(false)
	a, ok := r.settle()
	assert.True(t, ok)
	assert.Equal(t, uint32(3), a.Ack)
	first, waiting := r.sender.Pending()
	assert.Equal(t, uint32(4), first)
	assert.Equal(t, []Move{numbered(4), numbered(5)}, waiting)
	r.receiver.Drop(99)
	assert.Zero(t, r.receiver.Queued())
	assert.EqualValues(t, 5, r.receiver.Stats().Dropped)
	assert.Equal(t, uint32(5), r.receiver.receiver.done)
}

// An ack is repeated until it is known to have arrived, and then no more.
func TestAckUntilItArrives(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.push()
	r.sendMoves(false)
	assert.Equal(t, netcore.Never, r.receiver.Due(r.now), "received is not done")
	r.take(1)
	first := r.sendAnswer(true)
	require.NotNil(t, first)
	assert.Nil(t, r.sendAnswer(false), "not twice at once")
	first()
	r.now += moveTick
	second := r.sendAnswer(false)
	require.NotNil(t, second)
	r.now += moveTick
	require.NotNil(t, r.sendAnswer(false), "its fate is not known")
	second()
	r.now += moveTick
	assert.Nil(t, r.sendAnswer(false))
	assert.Equal(t, netcore.Never, r.receiver.Due(r.now))
}

// Unpack settles nothing: the owner can still read the acknowledged moves.
func TestUnpackKeepsAcknowledgedMoves(t *testing.T) {
	r := newMoveRig(t, 3, false)
	for range 4 {
		r.push()
	}
	r.sender.Forget(4)
	_, waiting := r.sender.Pending()
	assert.Len(t, waiting, 4, "nothing is acknowledged")
	r.sendMoves(false)
	r.take(2)
	r.sendAnswer(false)
	_, waiting = r.sender.Pending()
	assert.Len(t, waiting, 4)
	r.sender.Forget(1)
	first, waiting := r.sender.Pending()
	assert.Equal(t, uint32(2), first)
	assert.Len(t, waiting, 3)
	r.sender.Forget(1)
	r.sender.Forget(9)
	first, _ = r.sender.Pending()
	assert.Equal(t, uint32(3), first)
}

// A checksum belongs to the newest move of a packet. SetSum can still correct it.
func TestChecksums(t *testing.T) {
	r := newMoveRig(t, 0, true)
	r.sender.Push(Move{X: 1}, 11)
	r.sender.Push(Move{X: 2}, 12)
	r.sendMoves(false)
	r.sender.SetSum(2, 22)
	r.sender.SetSum(3, 33)
	r.now += moveTick
	r.sendMoves(false)
	r.sender.Push(Move{X: 3}, 0)
	r.sendMoves(false)
	for _, want := range []struct {
		sum    uint16
		summed bool
	}{{0, false}, {22, true}, {0, false}} {
		_, sum, summed, ok := r.receiver.Next()
		assert.True(t, ok)
		assert.Equal(t, want.sum, sum)
		assert.Equal(t, want.summed, summed)
	}
	_, _, _, ok := r.receiver.Next()
	assert.False(t, ok)
}

// The view is sent when it changes, and again after a loss.
func TestViewArrives(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.sender.SetView(true, 90)
	assert.Nil(t, r.sendMoves(false), "that is how it is")
	r.sender.SetView(false, 300)
	lost := r.sendMoves(true)
	require.NotNil(t, lost)
	r.now += moveTick
	assert.Nil(t, r.sendMoves(false), "told, and the fate is open")
	lost()
	require.NotNil(t, r.sendMoves(false))
	first, fov := r.receiver.View()
	assert.False(t, first)
	assert.Equal(t, 179, fov)

	r.sender.SetView(true, 1)
	old := r.sendMoves(true)
	r.sender.SetView(true, 60)
	r.sendMoves(false)
	old()
	assert.Nil(t, r.sendMoves(false), "a newer one was told since")
	first, fov = r.receiver.View()
	assert.True(t, first)
	assert.Equal(t, 60, fov)
}

// The flash is sent when it changes, and again after a loss.
func TestFlashArrives(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.receiver.SetFlash(0, -1)
	assert.Nil(t, r.sendAnswer(false))
	r.receiver.SetFlash(0.5, 7)
	r.sendAnswer(true)()
	r.sendAnswer(false)
	a, ok := r.sender.Answer()
	assert.True(t, ok)
	assert.Equal(t, 0.5, a.Flash)
	assert.Equal(t, 1., a.Whiteout)
	assert.Equal(t, 1, r.answered)
	_, ok = r.sender.Answer()
	assert.False(t, ok)
	nan := 0.
	r.receiver.SetFlash(nan/nan, 0)
	r.sendAnswer(false)
	a, _ = r.sender.Answer()
	assert.Zero(t, a.Flash)
	assert.Zero(t, a.Whiteout)
}

// A small packet carries the moves that fit; the rest follows.
func TestMovesInASmallPacket(t *testing.T) {
	for _, check := range []bool{false, true} {
		r := newMoveRig(t, 0, check)
		r.size = 32
		for n := range Max {
			r.sender.Push(Move{X: int8(n % 5), Y: 1, Z: 2, Yaw: int16(n * 99), Pitch: int16(n), Roll: 3, Triggers: uint8(n), FreeLook: true}, 7)
		}
		for range Max {
			if fate := r.sendMoves(false); fate != nil {
				require.Less(t, len(r.carried), 6)
				fate()
			}
			r.now += moveTick
		}
		assert.Equal(t, Max, r.receiver.Queued())
		assert.Zero(t, r.receiver.Stats().Lost)
	}
}

// Without room for a single move or an ack, the section is empty and records nothing.
func TestMovesWithoutRoom(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.push()
	r.sendMoves(false)
	r.take(1)
	r.push()
	for m, most := range map[*Stream]int{r.sender: 40, r.receiver: 7} {
		for bits := 1; bits <= most; bits++ {
			w := bitstream.NewWriter(make([]byte, 10))
			w.Limit(bits)
			require.False(t, m.Pack(w, netcore.Outgoing{Seq: 9}), "%d bits", bits)
			require.NoError(t, w.Err())
			require.Equal(t, 1, w.Pos())
		}
	}
	r.sendMoves(false)
	assert.Equal(t, []uint32{1, 2}, r.numbers())
	require.NotNil(t, r.sendAnswer(false))
}

// Between two sides that both send and receive moves, the answer leaves room to say that there are
// no moves.
func TestBothRolesWithoutRoom(t *testing.T) {
	for bits := 2; bits <= 40; bits++ {
		r := newMoveRig(t, 3, false)
		r.push()
		r.sendMoves(false)
		r.take(1)
		both := r.receiver
		both.cfg.SendsMoves, both.sender = true, New(Config{SendsMoves: true}).sender
		both.Push(Move{X: 1}, 0)
		w := bitstream.NewWriter(make([]byte, 10))
		w.Limit(bits)
		both.Pack(w, netcore.Outgoing{Seq: 9})
		require.NoError(t, w.Err(), "%d bits", bits)
	}
}
