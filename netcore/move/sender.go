package move

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ring"
)

// sender is the half of a move stream that makes moves.
//
//	 settled    acknowledged    known to have arrived       carried   newest
//	────────|═════════|══════════════════|═════════════════════|════════|
//	         moves, at most Max
type sender struct {
	moves   [Max]Move // not settled, the oldest first
	notes   [Max]sentNote
	n       int
	newest  uint32       // its number
	acked   uint32       // done or passed over by the peer
	arrived uint32       // the newest in a packet that is known to have arrived
	carried uint32       // the newest that any packet carried
	fresh   bool         // one was made since the newest packet with moves
	at      netcore.Time // of that packet
	packets ring.Queue[moveRecord]
	view    struct {
		debt
		is view
	}

	answer Answer
	news   bool // the answer was not taken yet
	bits   [(MaxControlState + 7) / 8]byte
}

// sentNote is what is known of a move besides itself.
type sentNote struct {
	sum    uint16
	copies uint8 // packets that carried it; 255 is that or more
}

// moveRecord is a packet with moves.
type moveRecord struct {
	seq    netcore.Seq
	newest uint32
}

// view is how a player looks at the world.
type view struct {
	firstPerson bool
	fov         int
}

var usualView = view{firstPerson: true, fov: 90}

// Answer is what came back of moves that were made.
type Answer struct {
	Ack uint32 // the newest move that the peer has done or given up

	State  bool   // a control state has come,
	At     uint32 // as it was after move At, which is Ack or before it
	Object uint32 // the token of the control object's ghost; 0: there is none any more
	Bits   []byte // the state; good until the next Unpack
	Len    int    // its bits

	Flash, Whiteout float64 // of pain and of light, 0..1
}

// Full reports whether Max wait for their acknowledgement: then none may be made.
func (m *Stream) Full() bool { return m.sender.n == Max }

// Push takes a move over and returns its number. It must not be Full. A value
// that is out of range goes as the nearest that is not. sum is the checksum of
// the control state after the move, 0 for none.
func (m *Stream) Push(v Move, sum uint16) (number uint32) {
	k := &m.sender
	if m.Full() {
		panic("BUG: a move is made while as many as may be wait")
	}
	k.moves[k.n], k.notes[k.n] = v.inRange(), sentNote{sum: sum}
	k.n++
	k.newest++
	k.fresh = true
	m.stats.Made++
	return k.newest
}

// SetSum gives a move that is not settled another checksum.
func (m *Stream) SetSum(number uint32, sum uint16) {
	if i := m.sender.index(number); i >= 0 && i < m.sender.n {
		m.sender.notes[i].sum = sum
	}
}

// Waiting returns the moves that are not settled, the oldest first, and its
// number. They are good until the next Push or Settle.
func (m *Stream) Waiting() (first uint32, moves []Move) {
	return m.sender.oldest(), m.sender.moves[:m.sender.n]
}

// Settle forgets the moves up to a number, as far as they are acknowledged.
func (m *Stream) Settle(ack uint32) {
	k := &m.sender
	i := k.index(min(ack, k.acked)) + 1
	if i <= 0 {
		return
	}
	copy(k.moves[:], k.moves[i:k.n])
	copy(k.notes[:], k.notes[i:k.n])
	k.n -= i
}

// Answer returns what has come since the last call, and whether something has:
// the newest of all, and the newest control state, though newer answers may have
// had none.
func (m *Stream) Answer() (a Answer, ok bool) {
	k := &m.sender
	a, ok = k.answer, k.news
	k.answer, k.news = Answer{Ack: a.Ack, Flash: a.Flash, Whiteout: a.Whiteout}, false
	return a, ok
}

// SetView says how this side looks at the world: from the control object or from
// behind it, and how many degrees it sees, 1..179. Until then that is true and 90.
func (m *Stream) SetView(firstPerson bool, fov int) {
	v := view{firstPerson, min(max(fov, 1), mostFOV)}
	if v != m.sender.view.is {
		m.sender.view.is, m.sender.view.owed = v, true
	}
}

func (k *sender) oldest() uint32 { return k.newest - uint32(k.n) + 1 }

// index is where a move is among those that are not settled; below 0, or n and
// above, for one that is not.
func (k *sender) index(number uint32) int { return int(int32(number - k.oldest())) }

// next is the first move that a packet carries: the first of which nobody knows
// that it has arrived and which fewer than so many packets have carried, but at
// least the newest: or else, with all of them lost, either side would wait for
// the other.
func (k *sender) next(sends int) (i int) {
	i = max(k.index(max(k.acked, k.arrived)+1), 0)
	for sends > 0 && i < k.n-1 && int(k.notes[i].copies) >= sends {
		i++
	}
	return i
}

// due is when moves, or how they are seen, should be told.
func (k *sender) due(interval netcore.Time) netcore.Time {
	switch {
	case k.fresh || k.view.owed:
		return 0
	case max(k.acked, k.arrived) < k.newest:
		return k.at + interval
	}
	return netcore.Never
}

func (k *sender) notify(seq netcore.Seq, delivered bool) {
	k.view.notify(seq, delivered)
	if k.packets.Len() == 0 || k.packets.Front().seq != seq {
		return
	}
	if p := k.packets.Pop(); delivered {
		k.arrived = max(k.arrived, p.newest)
	}
}
