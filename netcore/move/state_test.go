package move

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

var stateBits = []byte{0xa5, 0x5a, 0xff, 0x0f, 1, 2, 3, 4, 5, 0x83}

// After each SetState the state is sent once, as it is after the newest move taken.
func TestStateIsSentOnce(t *testing.T) {
	for _, check := range []bool{false, true} {
		r := newMoveRig(t, 3, check)
		r.live[5] = true
		r.push()
		r.sendMoves(false)
		r.take(1)
		for _, n := range []int{0, 1, 63, 64, 65, 76} {
			r.receiver.SetState(5, stateBits, n, false)
			require.NotNil(t, r.sendAnswer(false))
			a, ok := r.settle()
			require.True(t, ok)
			assert.Equal(t, Answer{Ack: 1, State: true, At: 1, Object: 1006, Bits: a.Bits, Len: n}, a)
			require.Len(t, a.Bits, (n+7)/8)
			for i := range n {
				require.Equal(t, stateBits[i/8]>>(i%8)&1, a.Bits[i/8]>>(i%8)&1, "bit %d of %d", i, n)
			}
			assert.Nil(t, r.sendAnswer(false), "once")
		}
		assert.EqualValues(t, 6, r.receiver.Stats().StatesSent)
		assert.EqualValues(t, 6, r.sender.Stats().StatesReceived)
	}
}

// A state that belongs to an older move is not sent. A state removed by ClearState is not sent
// either.
func TestStaleStateIsNotSent(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.push()
	r.push()
	r.sendMoves(false)
	r.take(1)
	r.receiver.SetState(0, stateBits, 8, true)
	r.take(1)
	assert.Zero(t, r.receiver.Least())
	r.sendAnswer(false)
	a, _ := r.sender.Answer()
	assert.Equal(t, uint32(2), a.Ack)
	assert.False(t, a.State)
	assert.True(t, r.receiver.StateOwed())
	r.receiver.ClearState()
	r.receiver.SetState(0, stateBits, 8, false)
	r.sendAnswer(false)()
	a, _ = r.sender.Answer()
	assert.True(t, a.State)
	assert.Equal(t, uint32(2), a.At)
	assert.False(t, r.receiver.StateOwed())

	r.receiver.SetState(0, stateBits, 8, false)
	r.receiver.ClearState()
	assert.Nil(t, r.sendAnswer(false))
}

// A forced state is repeated until it, or a later one, is known to have arrived.
func TestForcedStateArrives(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.receiver.SetState(0, stateBits, 20, true)
	r.sendAnswer(true)()
	assert.Nil(t, r.sendAnswer(false), "not twice at once")
	var first func()
	for i := range 6 {
		r.now += moveTick
		fate := r.sendAnswer(i < 3)
		require.NotNil(t, fate)
		if i < 3 {
			fate()
		} else if i == 3 {
			first = fate
		}
		assert.True(t, r.receiver.StateOwed())
	}
	first()
	assert.False(t, r.receiver.StateOwed())
	r.now += moveTick
	assert.Nil(t, r.sendAnswer(false))

	r.receiver.SetState(0, stateBits, 20, true)
	old := r.sendAnswer(false)
	r.receiver.SetState(0, stateBits, 30, true)
	old()
	assert.True(t, r.receiver.StateOwed(), "what arrived was forced earlier")
	r.receiver.SetState(0, stateBits, 40, false)
	newest := r.sendAnswer(false)
	a, _ := r.sender.Answer()
	assert.Equal(t, 40, a.Len)
	newest()
	assert.False(t, r.receiver.StateOwed(), "it stands for the one that was forced")
}

// A forced state that was removed is not sent, and another one stands for it.
func TestClearedStateStaysOwed(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.receiver.SetState(0, stateBits, 20, true)
	r.sendAnswer(true)()
	r.receiver.ClearState()
	r.now += time.Second
	assert.Nil(t, r.sendAnswer(false))
	assert.True(t, r.receiver.StateOwed())
	r.receiver.SetState(0, stateBits, 30, false)
	r.sendAnswer(false)()
	a, _ := r.settle()
	assert.Equal(t, 30, a.Len)
	assert.False(t, r.receiver.StateOwed())
}

// A state belongs to a ghost, not to the number of its object, which another object can get. The
// state of a ghost that is gone is not sent, and it does not go to the next ghost of the number.
func TestStateIsOfOneGhost(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.live[5] = true
	r.receiver.SetState(5, stateBits, 20, true)
	r.sendAnswer(true)()
	r.now += time.Second
	require.Equal(t, r.now, r.receiver.Due(r.now), "it is repeated")
	r.live[5] = false
	assert.Nil(t, r.sendAnswer(false))
	r.live[5], r.birth = true, 8
	assert.Nil(t, r.sendAnswer(false), "another ghost")
	assert.Zero(t, r.receiver.Least())
	r.receiver.SetState(5, stateBits, 20, false)
	r.sendAnswer(false)()
	a, _ := r.settle()
	assert.True(t, a.State)
	assert.False(t, r.receiver.StateOwed())
}

// While the peer does not have the ghost, no packet carries a state of it, and none is asked for.
func TestStateWaitsForItsGhost(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.receiver.SetState(5, stateBits, 20, true)
	assert.Equal(t, netcore.Never, r.receiver.Due(r.now))
	assert.Nil(t, r.sendAnswer(false))
	r.push()
	r.sendMoves(false)
	r.take(1)
	r.receiver.SetState(5, stateBits, 20, false)
	r.sendAnswer(false)()
	a, _ := r.settle()
	assert.False(t, a.State)
	assert.True(t, r.receiver.StateOwed())
	r.live[5] = true
	assert.Equal(t, netcore.Never, r.receiver.Due(r.now), "the state is that of no ghost")
	r.receiver.SetState(5, stateBits, 20, false)
	assert.Equal(t, r.now, r.receiver.Due(r.now))
	r.sendAnswer(false)()
	a, _ = r.settle()
	assert.True(t, a.State)
	assert.Equal(t, uint32(1006), a.Object)
	assert.False(t, r.receiver.StateOwed())
}

// Answer keeps the newest state even if newer answers have none.
func TestAnswerKeepsTheState(t *testing.T) {
	r := newMoveRig(t, 3, false)
	r.push()
	r.push()
	r.sendMoves(false)
	r.take(1)
	r.receiver.SetState(0, stateBits, 12, false)
	r.sendAnswer(false)
	r.take(1)
	r.sendAnswer(false)
	assert.Equal(t, 2, r.answered)
	a, ok := r.sender.Answer()
	require.True(t, ok)
	assert.Equal(t, Answer{Ack: 2, State: true, At: 1, Bits: []byte{0xa5, 0x0a}, Len: 12}, a)
	a, ok = r.sender.Answer()
	assert.False(t, ok)
	assert.Equal(t, Answer{Ack: 2}, a)
}

// A packet gets the room that the largest state needs. Without that room the answer is sent without
// a state.
func TestStateNeedsRoom(t *testing.T) {
	r := newMoveRig(t, 3, true)
	big := make([]byte, 600)
	assert.Panics(t, func() { r.receiver.SetState(0, big, MaxControlState+1, false) })
	assert.Panics(t, func() { r.receiver.SetState(0, big[:4], 33, false) })
	assert.Panics(t, func() { r.receiver.SetState(0, big, -1, false) })
	r.receiver.SetState(0, big, MaxControlState, true)
	r.size = 200
	w := r.receiver.Least()
	assert.Greater(t, w, MaxControlState/8)
	r.push()
	r.sendMoves(false)
	r.take(1)
	r.receiver.SetState(0, big, MaxControlState, false)
	r.sendAnswer(false)()
	a, _ := r.sender.Answer()
	assert.Equal(t, uint32(1), a.Ack)
	assert.False(t, a.State)
	assert.True(t, r.receiver.StateOwed())
	r.size = w
	r.sendAnswer(false)()
	a, _ = r.sender.Answer()
	assert.Equal(t, MaxControlState, a.Len)
	assert.False(t, r.receiver.StateOwed())
	assert.Zero(t, r.receiver.Least())
}

// Without NameOf and TokenOf no state of a ghost is sent.
func TestMovesWithoutGhosts(t *testing.T) {
	made, took := New(Config{SendsMoves: true, ReceivesMoves: true}), New(Config{SendsMoves: true, ReceivesMoves: true})
	r := &moveRig{t: t, sender: made, receiver: took, size: 200}
	took.SetState(9, nil, 0, true)
	assert.Equal(t, netcore.Never, took.Due(0))
	made.Push(Move{X: 99, Z: -99, Triggers: 255}, 0)
	took.Push(Move{Y: 3}, 5)
	made.SetView(false, 40)
	r.pass(made, took, 0, false)
	v, _, _, _ := took.Next()
	assert.Equal(t, Move{X: 16, Z: -16, Triggers: 63}, v)
	took.SetState(0, nil, 0, true)
	r.pass(took, made, 1, false)
	a, ok := made.Answer()
	assert.True(t, ok)
	assert.True(t, a.State)
	v, sum, _, _ := made.Next()
	assert.Equal(t, Move{Y: 3}, v, "both sides may make moves")
	assert.EqualValues(t, 5, sum)
}

// In any room an answer contains as much as fits. The state is included if it leaves enough room
// for the rest. With the room from Least, everything fits, and one move as well.
func TestStateInAnyRoom(t *testing.T) {
	largest := Move{X: 1, Y: 2, Z: 3, Yaw: 4, Pitch: 5, Roll: 6, Triggers: 7, FreeLook: true}
	side := func() *Stream {
		return New(Config{SendsMoves: true, ReceivesMoves: true, Check: true, NameOf: func(uint32) uint32 { return 60000 }})
	}
	told := false
	for limit := 30; ; limit++ {
		m := side()
		other := side()
		other.Push(largest, 1)
		w := bitstream.NewWriter(make([]byte, 200))
		require.True(t, other.Pack(w, netcore.Outgoing{Seq: 1}))
		require.NoError(t, m.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: 1}))
		m.Next()
		m.Push(largest, 1)
		m.SetView(false, 1)
		m.SetFlash(1, 1)
		m.SetState(5, stateBits, 80, true)
		least := 8 * m.Least()
		w = bitstream.NewWriter(make([]byte, 200))
		w.Limit(limit)
		require.True(t, m.Pack(w, netcore.Outgoing{Seq: 1}), "%d bits", limit)
		require.NoError(t, w.Err())
		require.Equal(t, uint32(1), m.receiver.sentAck, "the ack goes in any case")
		require.False(t, m.receiver.flash.pending)
		if m.stats.StatesSent > 0 {
			told = true
		}
		require.Equal(t, told, m.stats.StatesSent > 0, "the more room, the more is told")
		if limit == least {
			require.True(t, told)
			require.EqualValues(t, 1, m.stats.Copies, "%d bits", limit)
			require.False(t, m.sender.view.pending)
			return
		}
	}
}
