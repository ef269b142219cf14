package move

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ring"
)

// receiver is the state of a move stream that receives moves.
//
//	 done                received
//	────|═══════════════════|
//	     queue, maybe with gaps
type receiver struct {
	queue    []receivedMove // a ring of Max places; none if this side receives no moves
	first, n int
	done     uint32 // the newest move taken or given up
	received uint32 // the newest move received
	view     camera

	sentAck, knownAck uint32       // the newest ack packed, and the newest known to have arrived
	at                netcore.Time // when the newest answer was packed
	packets           ring.Queue[answerRecord]
	state             controlState
	forced            uint32 // number of forced states set
	arrivedForced     uint32 // the newest forced state that arrived, itself or as a later state
	flash             struct {
		pendingUpdate
		flash, whiteout uint8
	}
}

// receivedMove is a move that waits for Next.
type receivedMove struct {
	Move
	number uint32
	sum    uint16 // checksum of the sender's control state after the move
	summed bool
}

// answerRecord is a packet with an answer.
type answerRecord struct {
	seq    netcore.Seq
	ack    uint32
	forced uint32 // its state covers the forced states up to here; 0 without a state
}

// controlState is the state of the control object to send.
type controlState struct {
	set   bool
	fresh bool         // no packet has carried it
	obj   uint32       // 0: there is no control object
	name  uint32       // of its ghost, birth included; 0 if the peer was not known to have it
	at    uint32       // the state is as after this move
	sent  netcore.Time // when the newest packet with a state was packed
	bits  int
	buf   []byte // grows to the size of the largest state so far
}

// Queued returns how many moves wait for Next.
func (m *Stream) Queued() int { return m.receiver.n }

// Next returns the oldest waiting move, which then counts as done. If the sender attached a
// checksum, summed is true and sum is the checksum of the control state after the move.
func (m *Stream) Next() (v Move, sum uint16, summed, ok bool) {
	if m.receiver.n == 0 {
		return Move{}, 0, false, false
	}
	q := m.receiver.take()
	return q.Move, q.sum, q.summed, true
}

// Drop gives up the n oldest moves. They count as done.
func (m *Stream) Drop(n int) {
	for ; n > 0 && m.receiver.n > 0; n-- {
		m.receiver.take()
		m.stats.Dropped++
	}
}

// SetState sets the state of the control object after the newest move taken: n bits, at most
// MaxControlState. One packet carries it. If another move is taken first, no packet carries it. obj
// is the object's number in ghost.Snapshots, 0 for no control object. The state belongs to the
// ghost that the peer is known to have of the object now. Without one, and from the moment that
// this ghost is deleted, no packet carries the state: the number can soon be that of another
// object.
//
// A forced state, or a state set later, must arrive. Until one has arrived, StateOwed returns true
// and the stream repeats the newest state each send interval. The caller must keep setting the
// state during that time, forced or not. Each forced state must arrive anew.
func (m *Stream) SetState(obj uint32, bits []byte, n int, forced bool) {
	if n < 0 || n > MaxControlState || n > 8*len(bits) {
		panic("BUG: the control state exceeds its buffer or MaxControlState")
	}
	s := &m.receiver.state
	s.set, s.fresh = true, true
	s.obj, s.name = obj, m.nameOf(obj)
	s.at, s.bits = m.receiver.done, n
	s.buf = append(s.buf[:0], bits[:(n+7)/8]...)
	if forced {
		m.receiver.forced++
	}
}

// ClearState removes the state. If a forced state is owed, one that is set later stands for it.
func (m *Stream) ClearState() { m.receiver.state.set = false }

// StateOwed reports whether a forced state is not yet known to have arrived.
func (m *Stream) StateOwed() bool { return m.receiver.arrivedForced < m.receiver.forced }

// SetFlash sets how much pain and light obscure the player's view, each 0..1. They are sent in
// steps of 1/126.
func (m *Stream) SetFlash(flash, whiteout float64) {
	f := &m.receiver.flash
	x, y := flashCode(flash), flashCode(whiteout)
	if x != f.flash || y != f.whiteout {
		f.flash, f.whiteout, f.pending = x, y, true
	}
}

// flashCode returns the nearest step. For NaN it returns 0.
func flashCode(v float64) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(float64(min(v, 1)*maxFlash) + 0.5)
}

// View returns the peer's camera: whether it is in first person, and its field of view in degrees,
// 1..179.
func (m *Stream) View() (firstPerson bool, fov int) {
	return m.receiver.view.firstPerson, m.receiver.view.fov
}

func (t *receiver) slot(i int) *receivedMove { return &t.queue[(t.first+i)%Max] }

// take removes and returns the oldest move.
func (t *receiver) take() *receivedMove {
	q := t.slot(0)
	t.first = (t.first + 1) % Max
	t.n--
	t.done = q.number
	return q
}

// receive stores the new ones among consecutive moves from a packet. If summed is true, sum is the
// checksum after the last of them. receive returns the number of new moves and the number of lost
// moves before them.
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

// answerDue returns when an answer should be sent.
func (m *Stream) answerDue() netcore.Time {
	t := &m.receiver
	due := netcore.Never
	if t.knownAck < t.done {
		due = t.at + m.interval()
	}
	if t.sentAck < t.done || t.flash.pending {
		due = 0
	}
	if _, ready := m.stateGhost(); ready {
		due = min(due, m.stateDue())
	}
	return due
}

// stateDue returns when the state should be sent.
func (m *Stream) stateDue() netcore.Time {
	s := &m.receiver.state
	switch {
	case s.fresh:
		return 0
	case m.StateOwed():
		return s.sent + m.interval()
	}
	return netcore.Never
}

// stateGhost returns the name of the control object's ghost. ready reports whether a packet can
// carry the state: no move was taken since SetState, and the peer is known to have the same ghost.
func (m *Stream) stateGhost() (name uint32, ready bool) {
	s := &m.receiver.state
	switch {
	case !s.set || s.at != m.receiver.done:
		return 0, false
	case s.obj == 0:
		return 0, true
	}
	return s.name & netcore.NameMask, s.name != 0 && s.name == m.nameOf(s.obj)
}

// nameOf returns the name of the peer's ghost of an object, 0 if the peer is not known to have one.
func (m *Stream) nameOf(obj uint32) uint32 {
	if obj == 0 || m.cfg.NameOf == nil {
		return 0
	}
	return m.cfg.NameOf(obj)
}

func (t *receiver) notify(seq netcore.Seq, delivered bool) {
	t.flash.notify(seq, delivered)
	if t.packets.Len() == 0 || t.packets.Front().seq != seq {
		return
	}
	if p := t.packets.Pop(); delivered {
		t.knownAck = max(t.knownAck, p.ack)
		t.arrivedForced = max(t.arrivedForced, p.forced)
	}
}
