package move

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// moveTick is the time between two moves, and between two packets.
const moveTick = 32 * time.Millisecond

// moveRig is a sender and a receiver of moves. The test decides for each packet whether it is lost.
type moveRig struct {
	t                testing.TB
	sender, receiver *Stream
	now              netcore.Time
	seq, reported    [2]netcore.Seq // newest packet of each side, and the newest with a fate
	open             [2][]bool
	carried          []uint32 // numbers of the moves in the sender's newest packet
	bits             int      // of the newest packet
	live             map[uint32]bool
	birth            uint32 // of the ghosts
	answered         int
	size             int // size of a packet in bytes
}

func newMoveRig(t testing.TB, sends int, check bool) *moveRig {
	r := &moveRig{t: t, live: map[uint32]bool{}, birth: 7, size: 400}
	r.sender = New(Config{
		SendsMoves: true, Check: check,
		CopiesPerMove: func() int { return sends },
		TokenOf:       func(name uint32) uint32 { return name + 1000 },
		OnAnswer:      func() error { r.answered++; return nil },
	})
	r.receiver = New(Config{
		ReceivesMoves: true, Check: check,
		NameOf: func(obj uint32) uint32 {
			if !r.live[obj] {
				return 0
			}
			return (obj + 1) | r.birth<<netcore.NameBits
		},
	})
	return r
}

// pass packs a packet at one side and, unless it is lost, unpacks it at the other. It returns a
// function that reports the fates up to this packet, or nil if there was nothing to send.
func (r *moveRig) pass(from, to *Stream, side int, lost bool) func() {
	r.t.Helper()
	w := bitstream.NewWriter(make([]byte, r.size))
	worth := r.now >= from.Due(r.now)
	wrote := from.Pack(w, netcore.Outgoing{Seq: r.seq[side] + 1, Now: r.now})
	require.NoError(r.t, w.Err())
	require.Equal(r.t, worth, wrote, "what is due is worth a packet, and nothing else")
	r.bits = w.Pos()
	if !wrote {
		require.Equal(r.t, 1, w.Pos(), "a section without news is one bit")
		return nil
	}
	r.seq[side]++
	seq := r.seq[side]
	if !lost {
		in := bitstream.NewReader(w.Bytes())
		require.NoError(r.t, to.Unpack(in, netcore.Incoming{Seq: seq, Now: r.now}))
		require.Equal(r.t, w.Pos(), in.Pos(), "read to its end")
	}
	r.open[side] = append(r.open[side], !lost)
	return func() {
		for r.reported[side] < seq { // in the order of sending
			r.reported[side]++
			from.Notify(r.reported[side], r.open[side][r.reported[side]-1])
		}
	}
}

// sendMoves sends a packet from the sender.
func (r *moveRig) sendMoves(lost bool) (fate func()) {
	r.t.Helper()
	before := slices.Clone(r.sender.sender.infos)
	n := r.sender.sender.n
	fate = r.pass(r.sender, r.receiver, 0, lost)
	r.carried = r.carried[:0]
	for i := range n {
		if r.sender.sender.infos[i].copies != before[i].copies {
			r.carried = append(r.carried, r.sender.sender.oldest()+uint32(i))
		}
	}
	return fate
}

// sendAnswer sends a packet from the receiver.
func (r *moveRig) sendAnswer(lost bool) (fate func()) {
	r.t.Helper()
	return r.pass(r.receiver, r.sender, 1, lost)
}

// push makes a move whose content identifies its number.
func (r *moveRig) push() uint32 {
	n := r.sender.sender.newest + 1
	return r.sender.Push(numbered(n), uint16(n))
}

// numbered returns the move with the content of a number.
func numbered(n uint32) Move { return Move{Y: int8(n % 17), Yaw: int16(n), FreeLook: n%3 == 0} }

// take takes the n oldest moves and returns their numbers according to their content.
func (r *moveRig) take(n int) (numbers []uint32) {
	for range n {
		v, sum, summed, ok := r.receiver.Next()
		if !ok {
			break
		}
		number := uint32(uint16(v.Yaw))
		require.Equal(r.t, numbered(number), v)
		require.Equal(r.t, number, r.receiver.receiver.done)
		if summed {
			require.Equal(r.t, uint16(number), sum)
		}
		numbers = append(numbers, number)
	}
	return numbers
}

func (r *moveRig) numbers() []uint32 { return slices.Clone(r.carried) }

// settle lets the sender take the answer and settle its moves.
func (r *moveRig) settle() (a Answer, ok bool) {
	if a, ok = r.sender.Answer(); ok {
		r.sender.Forget(a.Ack)
	}
	return a, ok
}
