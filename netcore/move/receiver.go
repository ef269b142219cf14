package move

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ring"
)

// receiver is the half of a move stream that takes moves.
//
//	 done                received
//	────|═══════════════════|
//	     queue, maybe with gaps
type receiver struct {
	queue    [Max]receivedMove // a ring
	first, n int
	done     uint32 // the newest move that was taken or given up
	received uint32 // the newest that has come
	view     view
	incoming [Max]Move // of the packet at hand

	told, known uint32       // the newest ack packed, and known to have arrived
	at          netcore.Time // when the newest answer was packed
	packets     ring.Queue[answerRecord]
	state       controlState
	forced      uint32 // counts the states that must arrive
	heard       uint32 // of those, the newest that did or was followed by one that did
	flash       struct {
		debt
		flash, whiteout uint8
	}
}

// receivedMove is a move that waits to be done.
type receivedMove struct {
	Move
	number uint32
	sum    uint16 // of the control state that its maker has after it
	summed bool
}

// answerRecord is a packet with an answer.
type answerRecord struct {
	seq    netcore.Seq
	ack    uint32
	forced uint32 // up to here all that is forced is told by its state; 0: it has none
}

// controlState is the state of the control object as packets tell it.
type controlState struct {
	set   bool
	fresh bool         // no packet has told it
	obj   uint32       // 0: there is no control object
	at    uint32       // the move after which it is so
	sent  netcore.Time // when the newest packet with a state was packed
	bits  int
	buf   [(MaxControlState + 7) / 8]byte
}

// Queued returns how many moves wait to be done.
func (m *Stream) Queued() int { return m.receiver.n }

// Next takes the oldest move, and the checksum of the control state that its
// maker has after it, if that was told. It counts as done from here on.
func (m *Stream) Next() (v Move, sum uint16, summed, ok bool) {
	if m.receiver.n == 0 {
		return Move{}, 0, false, false
	}
	q := m.receiver.take()
	return q.Move, q.sum, q.summed, true
}

// Drop gives up the n oldest moves: they count as done.
func (m *Stream) Drop(n int) {
	for ; n > 0 && m.receiver.n > 0; n-- {
		m.receiver.take()
		m.stats.Dropped++
	}
}

// SetState says what the state of the control object is after the newest move
// taken: n bits, at most MaxControlState. One packet tells it, unless another
// move is taken first. obj is the object's number among the Images, 0 for no
// control object. Nothing is told while the peer is not known to have its ghost.
//
// A state that is forced must arrive, it or one set later: this stream Owes it
// until one has, and the newest set is told again and again. So keep setting it,
// forced or not, while it is owed; what is forced anew is owed anew.
func (m *Stream) SetState(obj uint32, bits []byte, n int, forced bool) {
	if n < 0 || n > MaxControlState || n > 8*len(bits) {
		panic("BUG: a control state has more bits than there are, or may be")
	}
	s := &m.receiver.state
	s.set, s.fresh = true, true
	s.obj, s.at, s.bits = obj, m.receiver.done, n
	copy(s.buf[:], bits[:(n+7)/8])
	if forced {
		m.receiver.forced++
	}
}

// ClearState takes back the state that no packet has told, unless a forced one
// is owed.
func (m *Stream) ClearState() {
	if !m.Owes() {
		m.receiver.state.set = false
	}
}

// Owes reports whether a forced state is not known to have arrived.
func (m *Stream) Owes() bool { return m.receiver.heard < m.receiver.forced }

// SetFlash says how much the player's sight is clouded by pain and by light,
// each 0..1. What is told of it is in steps of 1/126.
func (m *Stream) SetFlash(flash, whiteout float64) {
	f := &m.receiver.flash
	x, y := flashCode(flash), flashCode(whiteout)
	if x != f.flash || y != f.whiteout {
		f.flash, f.whiteout, f.owed = x, y, true
	}
}

// flashCode is the nearest step; NaN is 0.
func flashCode(v float64) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(float64(min(v, 1)*flashFull) + 0.5)
}

// View returns how the peer looks at the world, as it says: from its control
// object or from behind, and how many degrees it sees, 1..179.
func (m *Stream) View() (firstPerson bool, fov int) {
	return m.receiver.view.firstPerson, m.receiver.view.fov
}

func (t *receiver) slot(i int) *receivedMove { return &t.queue[(t.first+i)%Max] }

// take removes the oldest.
func (t *receiver) take() *receivedMove {
	q := t.slot(0)
	t.first = (t.first + 1) % Max
	t.n--
	t.done = q.number
	return q
}

// receive takes moves with consecutive numbers that came in one packet, of which
// the newest has a checksum, and returns how many are new, and how many before
// them will not come any more.
func (t *receiver) receive(first uint32, moves []Move, sum uint16, summed bool) (fresh, lost int) {
	for i, v := range moves {
		number := first + uint32(i)
		if number <= t.received {
			continue
		}
		lost += int(number - t.received - 1)
		fresh++
		t.received = number
		*t.slot(t.n) = receivedMove{Move: v, number: number}
		t.n++
	}
	last := first + uint32(len(moves)) - 1
	for i := t.n - 1; i >= 0 && summed; i-- {
		if q := t.slot(i); q.number == last {
			q.sum, q.summed = sum, true
			break
		}
	}
	return fresh, lost
}

// answerDue is when an answer should be told.
func (m *Stream) answerDue() netcore.Time {
	t := &m.receiver
	due := netcore.Never
	if t.known < t.done {
		due = t.at + m.interval()
	}
	if t.told < t.done || t.flash.owed {
		due = 0
	}
	if _, ready := m.stateName(); ready {
		due = min(due, m.stateDue())
	}
	return due
}

// stateDue is when a packet should tell the state, if it can.
func (m *Stream) stateDue() netcore.Time {
	s := &m.receiver.state
	switch {
	case s.fresh:
		return 0
	case m.Owes():
		return s.sent + m.interval()
	}
	return netcore.Never
}

// stateName is the name of the control object's ghost, and whether a packet can
// tell its state: it is still as after the newest move, and the name is known.
func (m *Stream) stateName() (name uint32, ready bool) {
	s := &m.receiver.state
	if !s.set || s.at != m.receiver.done {
		return 0, false
	}
	if s.obj == 0 {
		return 0, true
	}
	if m.cfg.NameOf != nil {
		name = m.cfg.NameOf(s.obj) & netcore.NameMask
	}
	return name, name != 0
}

func (t *receiver) notify(seq netcore.Seq, delivered bool) {
	t.flash.notify(seq, delivered)
	if t.packets.Len() == 0 || t.packets.Front().seq != seq {
		return
	}
	if p := t.packets.Pop(); delivered {
		t.known = max(t.known, p.ack)
		t.heard = max(t.heard, p.forced)
	}
}
