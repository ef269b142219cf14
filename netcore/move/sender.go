package move

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ring"
)

// sender is the state of a move stream that sends moves.
//
//	 settled    acknowledged    known to have arrived       carried   newest
//	────────|═════════|══════════════════|═════════════════════|════════|
//	         moves, at most Max
type sender struct {
	moves   []Move // not settled, the oldest first; Max places, none if this side sends no moves
	infos   []moveInfo
	n       int
	newest  uint32       // the number of the newest move
	acked   uint32       // the newest move done or skipped by the peer
	arrived uint32       // the newest move in a packet known to have arrived
	carried uint32       // the newest move in any packet
	fresh   bool         // a move was pushed after the newest packet with moves
	at      netcore.Time // the time of that packet
	packets ring.Queue[moveRecord]
	view    struct {
		pendingUpdate
		is camera
	}

	answer    Answer
	newAnswer bool   // the answer has not been returned yet
	bits      []byte // of a control state; room for the largest
}

// moveInfo holds data about a move that is not part of the move.
type moveInfo struct {
	sum    uint16
	copies uint8 // packets with this move; 255 means 255 or more
}

// moveRecord is a packet with moves.
type moveRecord struct {
	seq    netcore.Seq
	newest uint32
}

// camera is a player's camera.
type camera struct {
	firstPerson bool
	fov         int
}

var defaultCamera = camera{firstPerson: true, fov: 90}

// Answer is the peer's answer to moves.
type Answer struct {
	Ack uint32 // the newest move that the peer has done or given up

	State  bool   // the answer has a control state
	At     uint32 // the state is as after this move; at most Ack
	Object uint32 // the token of the control object's ghost; 0: there is no control object
	Bits   []byte // the state; valid until the next Unpack
	Len    int    // length of the state in bits

	Flash, Whiteout float64 // by pain and by light, 0..1
}

// Full reports whether Max moves are unsettled. Push must not be called then.
func (m *Stream) Full() bool { return m.sender.n == Max }

// Push queues a move and returns its number. It panics if the stream is Full. Values out of range
// are replaced by the nearest valid value. sum is the checksum of the control state after the move,
// 0 for none.
func (m *Stream) Push(v Move, sum uint16) (number uint32) {
	k := &m.sender
	if m.Full() {
		panic("BUG: Push on a full move stream")
	}
	k.moves[k.n], k.infos[k.n] = v.clamp(), moveInfo{sum: sum}
	k.n++
	k.newest++
	k.fresh = true
	m.stats.Pushed++
	return k.newest
}

// SetSum replaces the checksum of an unsettled move.
func (m *Stream) SetSum(number uint32, sum uint16) {
	if i := m.sender.index(number); i >= 0 && i < m.sender.n {
		m.sender.infos[i].sum = sum
	}
}

// Pending returns the unsettled moves, the oldest first, and the number of the first. They are
// valid until the next Push or Forget.
func (m *Stream) Pending() (first uint32, moves []Move) {
	return m.sender.oldest(), m.sender.moves[:m.sender.n]
}

// Forget removes the moves up to number ack. It does not remove unacknowledged moves.
func (m *Stream) Forget(ack uint32) {
	k := &m.sender
	i := k.index(min(ack, k.acked)) + 1
	if i <= 0 {
		return
	}
	copy(k.moves, k.moves[i:k.n])
	copy(k.infos, k.infos[i:k.n])
	k.n -= i
}

// Answer returns the newest answer, and whether an answer has arrived since the last call. It
// returns the newest control state that arrived since then, even if later answers had none.
func (m *Stream) Answer() (a Answer, ok bool) {
	k := &m.sender
	a, ok = k.answer, k.newAnswer
	k.answer, k.newAnswer = Answer{Ack: a.Ack, Flash: a.Flash, Whiteout: a.Whiteout}, false
	return a, ok
}

// SetView sets this side's camera: first or third person, and the field of view in degrees, 1..179.
// The default is first person with 90 degrees.
func (m *Stream) SetView(firstPerson bool, fov int) {
	v := camera{firstPerson, min(max(fov, 1), maxFOV)}
	if v != m.sender.view.is {
		m.sender.view.is, m.sender.view.pending = v, true
	}
}

// OwnView returns this side's camera, as SetView has set it.
func (m *Stream) OwnView() (firstPerson bool, fov int) {
	return m.sender.view.is.firstPerson, m.sender.view.is.fov
}

func (k *sender) oldest() uint32 { return k.newest - uint32(k.n) + 1 }

// index returns the index of a move among the unsettled moves. For other moves the result is below
// 0, or at least n.
func (k *sender) index(number uint32) int { return int(int32(number - k.oldest())) }

// next returns the index of the first move in the next packet. This is the first move not known to
// have arrived that fewer than sends packets have carried; sends = 0 means no limit. It is at most
// the index of the newest move. If a packet could be without the newest move, and all packets with
// that move were lost, both sides would wait for each other.
func (k *sender) next(sends int) (i int) {
	i = max(k.index(max(k.acked, k.arrived)+1), 0)
	for sends > 0 && i < k.n-1 && int(k.infos[i].copies) >= sends {
		i++
	}
	return i
}

// due returns when moves or the view should be sent.
func (k *sender) due(interval netcore.Time) netcore.Time {
	switch {
	case k.fresh || k.view.pending:
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
