package move

import (
	"encoding/binary"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// The move section of a packet (PROTOCOL.md, Moves). The side that receives moves writes the
// answer; the side that sends moves writes the moves:
//
//	answer  0 | 1 ack state flash
//	  ack   5 low bits
//	  state 0 | 1 var(name of the ghost, or 0) length(12) bits       check: mark
//	  flash 0 | 1 flash(7) whiteout(7)
//	moves   0 | 1 list view
//	  list  0 | 1 first(6) move { 1 move } 0 sum                     check: mark
//	  sum   0 | 1 checksum(16)     of the control state after the last move
//	  view  0 | 1 first person(1) fov(8)
//
// Low bits are enough for both numbers, because a sender has at most Max unacknowledged moves. The
// first move of a packet is at most 29 before and at most 30 after the newest move received. An ack
// is at most 30 after the ack before.

// The maximum bits around a control state and around moves.
const (
	answerHead = 1 + ackedBits + 1 + 19 + stateLengthBits
	answerTail = markBits + 1 + 2*flashBits
	movesHead  = 1 + 1 + windowBits
	movesTail  = 1 + 1 + sumBits + markBits + 1 + 1 + fovBits
)

// writeAnswer writes the newest move done, the control state and the flash.
func (m *Stream) writeAnswer(w *bitstream.Writer, o netcore.Outgoing) bool {
	t := &m.receiver
	name, state := m.stateGhost()
	state = state && o.Now >= m.stateDue()
	other := t.flash.pending || t.sentAck < t.done || t.knownAck < t.done && o.Now >= t.at+m.interval()
	if !state && !other {
		w.WriteFlag(false)
		return false
	}
	start := w.Mark()
	from := w.Pos()
	w.WriteFlag(true)
	w.WriteBits(uint64(t.done&(1<<ackedBits-1)), ackedBits)
	if state = state && m.writeState(w, name); !state {
		w.WriteFlag(false)
	}
	if w.WriteFlag(t.flash.pending) {
		w.WriteBits(uint64(t.flash.flash), flashBits)
		w.WriteBits(uint64(t.flash.whiteout), flashBits)
	}
	if w.Err() != nil || w.Left() == 0 || !state && !other {
		w.Rewind(start)
		w.WriteFlag(false)
		return false
	}
	m.recordAnswer(o, state)
	if m.logs() {
		m.logAnswer("<-", t.done, state, name, t.state.bits, w.Pos()-from)
	}
	return true
}

// recordAnswer records the answer that a packet carries.
func (m *Stream) recordAnswer(o netcore.Outgoing, state bool) {
	t := &m.receiver
	c := answerRecord{seq: o.Seq, ack: t.done}
	if state {
		c.forced = t.forced
		t.state.fresh, t.state.sent = false, o.Now
		m.stats.StatesSent++
	}
	t.packets.Push(c)
	t.sentAck, t.at = t.done, o.Now
	if t.flash.pending {
		t.flash.sent(o.Seq)
	}
}

// writeState writes the control state. It returns false if there is no room.
func (m *Stream) writeState(w *bitstream.Writer, name uint32) bool {
	s := &m.receiver.state
	start := w.Mark()
	w.WriteFlag(true)
	id := uint64(name)
	w.Var(&id)
	w.WriteBits(uint64(s.bits), stateLengthBits)
	w.Splice(s.buf, 0, s.bits)
	if m.cfg.Check {
		w.WriteBits(markOf(m.receiver.done), markBits)
	}
	if w.Err() != nil || w.Left() < answerTail {
		w.Rewind(start)
		return false
	}
	return true
}

// markOf returns the check mark for a move number. Both sides must compute the same one.
func markOf(number uint32) uint64 { return markSalt ^ uint64(number&(1<<markBits-1)) }

// readAnswer reads an answer written by the peer's writeAnswer.
func (m *Stream) readAnswer(r *bitstream.Reader, answered *bool) error {
	k := &m.sender
	from := r.Pos()
	if !r.ReadFlag() {
		return r.Err()
	}
	ack := k.acked + (uint32(r.ReadBits(ackedBits))-k.acked)&(1<<ackedBits-1)
	if r.Err() == nil && ack > k.carried {
		return netcore.Violationf("moves: ack of move %d: the newest sent move is %d", ack, k.carried)
	}
	a := k.answer
	a.Ack = ack
	name, state := uint64(0), r.ReadFlag()
	if state {
		r.Var(&name)
		if err := m.readState(r, &a, uint32(min(name, 1<<32-1))); err != nil {
			return err
		}
		m.stats.StatesReceived++
	}
	if r.ReadFlag() {
		x, y := r.ReadBits(flashBits), r.ReadBits(flashBits)
		if max(x, y) > maxFlash {
			return netcore.Violationf("moves: flash %d and whiteout %d: must be at most %d", x, y, maxFlash)
		}
		a.Flash, a.Whiteout = float64(x)/maxFlash, float64(y)/maxFlash
	}
	if r.Err() != nil {
		return r.Err()
	}
	k.acked, k.answer, k.newAnswer, *answered = ack, a, true, true
	if m.logs() {
		m.logAnswer("->", ack, state, uint32(name), a.Len, r.Pos()-from)
	}
	return nil
}

// readState reads the control state of the ghost with the given name into an answer.
func (m *Stream) readState(r *bitstream.Reader, a *Answer, name uint32) error {
	k := &m.sender
	size := int(r.ReadBits(stateLengthBits))
	if r.Err() != nil || size > r.Left() {
		r.Fail(bitstream.ErrShort)
		return r.Err()
	}
	for at := 0; at < size; at += 64 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], r.ReadBits(min(64, size-at)))
		copy(k.bits[at/8:], word[:])
	}
	if m.cfg.Check {
		if mark := r.ReadBits(markBits); r.Err() == nil && mark != markOf(a.Ack) {
			return netcore.Violationf("moves: control state after move %d: mark is %04x, expected %04x", a.Ack, mark, markOf(a.Ack))
		}
	}
	token := uint32(0)
	if name != 0 {
		if m.cfg.TokenOf != nil {
			token = m.cfg.TokenOf(name)
		}
		if token == 0 {
			return netcore.Violationf("moves: the control object is unknown ghost %d", name-1)
		}
	}
	a.State, a.At, a.Object, a.Bits, a.Len = true, a.Ack, token, k.bits[:(size+7)/8], size
	return nil
}

// writeMoveSection writes the moves that the peer can lack, as many as fit.
func (m *Stream) writeMoveSection(w *bitstream.Writer, o netcore.Outgoing) bool {
	k := &m.sender
	if o.Now < k.due(m.interval()) {
		w.WriteFlag(false)
		return false
	}
	start := w.Mark()
	from := w.Pos()
	w.WriteFlag(true)
	i := k.next(m.copiesPerMove())
	n := m.writeMoves(w, i)
	told := k.view.pending
	if w.WriteFlag(told) {
		w.WriteFlag(k.view.is.firstPerson)
		w.WriteBits(uint64(k.view.is.fov), fovBits)
	}
	if w.Err() != nil || n == 0 && !told {
		w.Rewind(start)
		w.WriteFlag(false)
		return false
	}
	if told {
		k.view.sent(o.Seq)
	}
	if n > 0 {
		m.recordMoves(o, i, n)
	}
	if m.logs() {
		m.logMoves("<-", k.oldest()+uint32(i), n, w.Pos()-from)
	}
	return true
}

// writeMoves writes a list of the moves from index i on. It returns how many fit.
func (m *Stream) writeMoves(w *bitstream.Writer, i int) (n int) {
	k := &m.sender
	start := w.Mark()
	if !w.WriteFlag(i < k.n) {
		return 0
	}
	w.WriteBits(uint64(k.oldest()+uint32(i))&(1<<windowBits-1), windowBits)
	before := &zeroMove
	for j := i; j < k.n; j++ {
		end := w.Mark()
		if j > i {
			w.WriteFlag(true)
		}
		k.moves[j].serialize(&w.Codec, before)
		if w.Err() != nil || w.Left() < movesTail {
			w.Rewind(end)
			break
		}
		before = &k.moves[j]
		n++
	}
	if n == 0 {
		w.Rewind(start)
		w.WriteFlag(false)
		return 0
	}
	w.WriteFlag(false)
	if sum := k.infos[i+n-1].sum; w.WriteFlag(sum != 0) {
		w.WriteBits(uint64(sum), sumBits)
	}
	if m.cfg.Check {
		w.WriteBits(markOf(k.oldest()+uint32(i+n-1)), markBits)
	}
	return n
}

// recordMoves records that a packet carries n moves from index i on.
func (m *Stream) recordMoves(o netcore.Outgoing, i, n int) {
	k := &m.sender
	for j := i; j < i+n; j++ {
		if c := &k.infos[j].copies; *c < 255 {
			*c++
		}
	}
	newest := k.oldest() + uint32(i+n-1)
	k.carried = max(k.carried, newest)
	k.packets.Push(moveRecord{o.Seq, newest})
	k.fresh, k.at = false, o.Now
	m.stats.Copies += uint64(n)
}

// readMoveSection reads moves written by the peer's writeMoveSection.
func (m *Stream) readMoveSection(r *bitstream.Reader) (err error) {
	from := r.Pos()
	if !r.ReadFlag() {
		return r.Err()
	}
	first, n := uint32(0), 0
	if r.ReadFlag() {
		if first, n, err = m.readMoves(r); err != nil {
			return err
		}
	}
	if r.ReadFlag() {
		v := camera{r.ReadFlag(), int(r.ReadBits(fovBits))}
		if r.Err() != nil {
			return r.Err()
		}
		if v.fov == 0 || v.fov > maxFOV {
			return netcore.Violationf("moves: field of view of %d degrees: must be 1…%d", v.fov, maxFOV)
		}
		m.receiver.view = v
	}
	if r.Err() == nil && m.logs() {
		m.logMoves("->", first, n, r.Pos()-from)
	}
	return r.Err()
}

// readMoves reads a list of moves. It stores them only if the whole list is valid.
func (m *Stream) readMoves(r *bitstream.Reader) (first uint32, n int, err error) {
	t := &m.receiver
	base := t.received - (Max - 1)
	first = base + (uint32(r.ReadBits(windowBits))-base)&(1<<windowBits-1)
	var moves [Max]Move
	before := &zeroMove
	for more := true; more && r.Err() == nil; more = r.ReadFlag() {
		if n == Max {
			return first, n, netcore.Violationf("moves: more than %d in one packet", Max)
		}
		moves[n].serialize(&r.Codec, before)
		before = &moves[n]
		n++
	}
	sum, summed := uint16(0), r.ReadFlag()
	if summed {
		sum = uint16(r.ReadBits(sumBits))
	}
	last := first + uint32(n) - 1
	if m.cfg.Check {
		if mark := r.ReadBits(markBits); r.Err() == nil && mark != markOf(last) {
			return first, n, netcore.Violationf("moves: move %d: mark is %04x, expected %04x", last, mark, markOf(last))
		}
	}
	if r.Err() != nil {
		return first, n, r.Err()
	}
	if first == 0 || first > last || last > t.done+Max {
		return first, n, netcore.Violationf("moves: got %d to %d, expected %d to %d", int32(first), int32(last), t.done+1, t.done+Max)
	}
	fresh, lost := t.receive(first, moves[:n], sum, summed)
	m.stats.Received += uint64(fresh)
	m.stats.Duplicates += uint64(n - fresh)
	m.stats.Lost += uint64(lost)
	return first, n, nil
}
