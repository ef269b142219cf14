package move

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/netcoretest"
)

// moveRound is one tick of a player and its server: one move and one packet in each direction, and
// a control state in every states-th packet. Acks arrive two rounds late.
type moveRound struct {
	sender, receiver *Stream
	w                bitstream.Writer
	r                bitstream.Reader
	buf              [400]byte
	seq              netcore.Seq
	now              netcore.Time
	states           netcore.Seq
	bits             [2]int
	err              error
}

func newMoveRound(sends int, states netcore.Seq) *moveRound {
	return &moveRound{
		sender: New(Config{
			SendsMoves: true, CopiesPerMove: func() int { return sends },
			TokenOf: func(name uint32) uint32 { return name }, OnAnswer: func() error { return nil },
		}),
		receiver: New(Config{ReceivesMoves: true, NameOf: func(obj uint32) uint32 { return obj }}),
		states:   states,
	}
}

var benchState [80]byte

func (x *moveRound) round() {
	x.seq++
	x.now += moveTick
	if a, ok := x.sender.Answer(); ok {
		x.sender.Forget(a.Ack)
	}
	if !x.sender.Full() {
		n := x.sender.Push(Move{Y: 16, Yaw: int16(x.seq * 77), Pitch: int16(x.seq % 5), Triggers: uint8(x.seq >> 3 & 1)}, uint16(x.seq))
		x.sender.SetSum(n, uint16(x.seq)+1)
	}
	x.send(0, x.sender, x.receiver)
	for x.receiver.Queued() > 2 {
		x.receiver.Next()
	}
	if x.states > 0 && x.seq%x.states == 0 {
		x.receiver.SetState(5, benchState[:], 500, x.seq%64 == 0)
	}
	x.receiver.SetFlash(float64(x.seq%64)/64, 0)
	x.send(1, x.receiver, x.sender)
}

func (x *moveRound) send(side int, from, to *Stream) {
	x.w.Reset(x.buf[:])
	if from.Pack(&x.w, netcore.Outgoing{Seq: x.seq, Now: x.now}) {
		x.r.Reset(x.w.Bytes())
		if err := to.Unpack(&x.r, netcore.Incoming{Seq: x.seq, Now: x.now}); err != nil {
			x.err = err
		}
	}
	x.bits[side] += x.w.Pos()
	if x.seq > 2 {
		from.Notify(x.seq-2, true)
	}
}

func TestNoAllocationPerMove(t *testing.T) {
	for _, sends := range []int{0, 3} {
		x := newMoveRound(sends, 3)
		for range 300 {
			x.round()
		}
		assert.Zero(t, testing.AllocsPerRun(2000, x.round), "%d sends", sends)
		require.NoError(t, x.err)
		assert.Greater(t, x.receiver.Stats().Received, uint64(2000))
		assert.Greater(t, x.sender.Stats().StatesReceived, uint64(500))
	}
}

// Connections with moves allocate nothing either.
func TestNoAllocationPerPacketOfMoves(t *testing.T) {
	x := newMoveRound(3, 5)
	ka, kb := netcoretest.Pairs(1)
	a := netcore.NewConn(0, netcore.ConnConfig{Keys: ka, Streams: func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{x.sender} }})
	b := netcore.NewConn(0, netcore.ConnConfig{Keys: kb, Streams: func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{x.receiver} }})
	toA := func(_ netcore.Addr, d []byte) { a.Receive(x.now, d) }
	toB := func(_ netcore.Addr, d []byte) { b.Receive(x.now, d) }
	round := func() {
		x.now += moveTick
		a.Tick(x.now)
		if n, ok := x.sender.Answer(); ok {
			x.sender.Forget(n.Ack)
		}
		if !x.sender.Full() {
			x.sender.Push(Move{X: 3}, 4)
		}
		a.Send(x.now, toB)
		b.Tick(x.now)
		x.receiver.Next()
		x.receiver.SetState(5, benchState[:], 500, true)
		b.Send(x.now, toA)
	}
	for range 2000 {
		round()
	}
	assert.Zero(t, testing.AllocsPerRun(2000, round))
	assert.Greater(t, x.receiver.Stats().Received, uint64(4000))
	assert.Greater(t, x.sender.Stats().StatesReceived, uint64(4000))
}

// One operation packs and unpacks one section of moves and one answer.
func BenchmarkMoves(b *testing.B) {
	for _, row := range []struct {
		name   string
		sends  int
		states netcore.Seq
	}{{"three", 3, 0}, {"window", 0, 0}, {"state", 3, 1}} {
		b.Run(row.name, func(b *testing.B) {
			x := newMoveRound(row.sends, row.states)
			for range 100 {
				x.round()
			}
			x.bits = [2]int{}
			b.ReportAllocs()
			for b.Loop() {
				x.round()
			}
			b.ReportMetric(float64(x.bits[0])/float64(b.N), "bits/moves")
			b.ReportMetric(float64(x.bits[1])/float64(b.N), "bits/answer")
		})
	}
}

// One operation is a list of 30 moves, each different from the one before.
func BenchmarkMovesWhole(b *testing.B) {
	var moves [Max]Move
	for i := range moves {
		moves[i] = Move{X: int8(i - 15), Y: int8(15 - i), Z: int8(i % 7), Yaw: int16(i * 999), Pitch: int16(i), Roll: int16(-i), Triggers: uint8(i), FreeLook: i%2 == 0}
	}
	buf := make([]byte, 400)
	w := bitstream.NewWriter(buf)
	pass := func(s *bitstream.Codec, into []Move) {
		before := &zeroMove
		for i := range into {
			into[i].serialize(s, before)
			before = &into[i]
		}
	}
	b.Run("Pack", func(b *testing.B) {
		for b.Loop() {
			w.Reset(buf)
			pass(&w.Codec, moves[:])
		}
	})
	w.Reset(buf)
	pass(&w.Codec, moves[:])
	b.Run("Unpack", func(b *testing.B) {
		var r bitstream.Reader
		var got [Max]Move
		for b.Loop() {
			r.Reset(w.Bytes())
			pass(&r.Codec, got[:])
		}
		require.Equal(b, moves, got)
	})
}
