package move

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// moveTick is the time from one move to the next, and from packet to packet.
const moveTick = 32 * time.Millisecond

// moveRig is one that makes moves, one that takes them, and packets between
// them, each of which is lost or not as a test likes.
type moveRig struct {
	t          testing.TB
	made, took *Stream
	now        netcore.Time
	seq, told  [2]netcore.Seq // of the newest packet of each side, and of the newest with a fate
	open       [2][]bool
	carried    []uint32 // numbers of the moves in the newest packet of the maker
	bits       int      // of the newest packet
	live       map[uint32]bool
	answered   int
	size       int // bytes of a packet
}

func newMoveRig(t testing.TB, sends int, check bool) *moveRig {
	r := &moveRig{t: t, live: map[uint32]bool{}, size: 400}
	r.made = New(Config{
		Makes: true, Check: check,
		Sends:    func() int { return sends },
		Named:    func(name uint32) uint32 { return name + 1000 },
		Answered: func() error { r.answered++; return nil },
	})
	r.took = New(Config{
		Takes: true, Check: check,
		NameOf: func(obj uint32) uint32 {
			if !r.live[obj] {
				return 0
			}
			return (obj + 1) | 7<<netcore.NameBits
		},
	})
	return r
}

// pass has a packet built at one side and read at the other, unless it is lost,
// and returns what tells its fate, and before it that of earlier ones; nil if it was not worth building.
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
		for r.told[side] < seq { // in the order of sending
			r.told[side]++
			from.Notify(r.told[side], r.open[side][r.told[side]-1])
		}
	}
}

// ship has the maker send a packet.
func (r *moveRig) ship(lost bool) (fate func()) {
	r.t.Helper()
	before := r.made.sender.notes
	n := r.made.sender.n
	fate = r.pass(r.made, r.took, 0, lost)
	r.carried = r.carried[:0]
	for i := range n {
		if r.made.sender.notes[i].copies != before[i].copies {
			r.carried = append(r.carried, r.made.sender.oldest()+uint32(i))
		}
	}
	return fate
}

// answer has the taker send a packet.
func (r *moveRig) answer(lost bool) (fate func()) {
	r.t.Helper()
	return r.pass(r.took, r.made, 1, lost)
}

// push makes a move that is told by its number.
func (r *moveRig) push() uint32 {
	n := r.made.sender.newest + 1
	return r.made.Push(numbered(n), uint16(n))
}

// numbered is a move that no other number has.
func numbered(n uint32) Move { return Move{Y: int8(n % 17), Yaw: int16(n), FreeLook: n%3 == 0} }

// do takes the oldest moves, and returns their numbers as they tell them.
func (r *moveRig) do(n int) (numbers []uint32) {
	for range n {
		v, sum, summed, ok := r.took.Next()
		if !ok {
			break
		}
		number := uint32(uint16(v.Yaw))
		require.Equal(r.t, numbered(number), v)
		require.Equal(r.t, number, r.took.receiver.done)
		if summed {
			require.Equal(r.t, uint16(number), sum)
		}
		numbers = append(numbers, number)
	}
	return numbers
}

func (r *moveRig) numbers() []uint32 { return slices.Clone(r.carried) }

// settle has the maker take the answer and forget what is done.
func (r *moveRig) settle() (a Answer, ok bool) {
	if a, ok = r.made.Answer(); ok {
		r.made.Settle(a.Ack)
	}
	return a, ok
}
