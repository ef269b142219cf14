package move

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// sectionWriter writes move sections by hand.
type sectionWriter struct{ *bitstream.Writer }

// list begins a list of moves at a number.
func (p sectionWriter) list(first uint32) {
	p.WriteBits(3, 2)
	p.WriteBits(uint64(first&63), windowBits)
}

// same writes n more moves equal to the one before.
func (p sectionWriter) same(n int) {
	for range n {
		p.WriteBits(1, 2)
	}
}

// end ends a list and the section.
func (p sectionWriter) end() { p.WriteBits(0, 3) }

// answer begins an answer.
func (p sectionWriter) answer(ack uint32) {
	p.WriteFlag(true)
	p.WriteBits(uint64(ack&31), ackedBits)
}

// state begins a control state of the given length.
func (p sectionWriter) state(name uint64, bits uint64) {
	p.WriteFlag(true)
	p.Var(&name)
	p.WriteBits(bits, stateLengthBits)
}

func requireRule(t *testing.T, err error, says string) {
	t.Helper()
	var r netcore.Reason
	require.True(t, errors.As(err, &r), "%v", err)
	assert.Equal(t, netcore.Violation, r.Code)
	assert.Contains(t, r.Text, says)
}

// TestHostileMoves checks that each broken rule ends with its reason and changes nothing.
func TestHostileMoves(t *testing.T) {
	for _, row := range []struct {
		name  string
		write func(p sectionWriter)
		says  string // "" if the section is only truncated
	}{
		{"nothing at all", func(sectionWriter) {}, ""},
		{"cut short behind the number", func(p sectionWriter) { p.list(11) }, ""},
		{"cut short within a move", func(p sectionWriter) { p.list(11); p.WriteBits(0x3, 3) }, ""},
		{"no end of the list", func(p sectionWriter) { p.list(11); p.WriteFlag(false); p.same(3) }, ""},
		{"cut short within the checksum", func(p sectionWriter) { p.list(11); p.WriteBits(4, 7) }, ""},
		{"cut short within the view", func(p sectionWriter) { p.WriteBits(0xd, 8) }, ""},
		{"translation x", func(p sectionWriter) { p.list(11); p.WriteBits(3|33<<2, 8); p.WriteBits(0, 20) }, "code 33"},
		{"translation y", func(p sectionWriter) { p.list(11); p.WriteBits(5|63<<3, 9); p.WriteBits(0, 20) }, "code 63"},
		{"translation z", func(p sectionWriter) { p.list(11); p.WriteBits(9|48<<4, 10); p.WriteBits(0, 20) }, "code 48"},
		{"31 moves", func(p sectionWriter) { p.list(6); p.WriteFlag(false); p.same(30); p.end() }, "more than 30"},
		{"beyond the window", func(p sectionWriter) { p.list(36); p.WriteFlag(false); p.end() }, "got 36 to 36, expected 6 to 35"},
		{"over the window's end", func(p sectionWriter) { p.list(30); p.WriteFlag(false); p.same(6); p.end() }, "30 to 36"},
		{"before the first", func(p sectionWriter) { p.list(0); p.WriteFlag(false); p.end() }, "0 to 0"},
		{"long before the first", func(p sectionWriter) { p.list(45); p.WriteFlag(false); p.end() }, "-19 to -19"},
		{"from before the first", func(p sectionWriter) { p.list(45); p.WriteFlag(false); p.same(22); p.end() }, "-19 to 3"},
		{"a view of nothing", func(p sectionWriter) { p.WriteBits(0x5|0<<4, 12) }, "0 degrees"},
		{"a view of too much", func(p sectionWriter) { p.WriteBits(0x5|180<<4, 12) }, "180 degrees"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newMoveRig(t, 3, false)
			for range 10 {
				r.push()
			}
			r.sendMoves(false)
			r.take(5)
			before := r.receiver.receiver
			w := bitstream.NewWriter(make([]byte, 100))
			row.write(sectionWriter{w})
			bits := w.Pos()
			in := bitstream.NewReader(append(w.Bytes(), make([]byte, 3)...))
			if row.says == "" {
				in = bitstream.NewReader(w.Bytes()[:bits/8])
			}
			err := r.receiver.Unpack(in, netcore.Incoming{Seq: 2})
			require.Error(t, err)
			if row.says == "" {
				assert.ErrorIs(t, err, bitstream.ErrShort)
			} else {
				requireRule(t, err, row.says)
			}
			assert.Equal(t, []uint32{6, 7, 8, 9, 10}, r.take(99))
			assert.Equal(t, before.received, r.receiver.receiver.received)
			assert.Equal(t, before.view, r.receiver.receiver.view)
		})
	}
}

// Moves at the edges of the window are accepted.
func TestMovesAtTheEdges(t *testing.T) {
	for _, row := range []struct {
		first uint32
		more  int
		want  []uint32
	}{
		{6, 29, []uint32{6, 7, 8, 9, 10, 35}}, // the whole window
		{35, 0, []uint32{6, 7, 8, 9, 10, 35}}, // the last; all moves before it were lost
		{1, 4, []uint32{6, 7, 8, 9, 10, 10}},  // nothing new
		{1, 10, []uint32{6, 7, 8, 9, 10, 11}},
	} {
		r := newMoveRig(t, 3, false)
		for range 10 {
			r.push()
		}
		r.sendMoves(false)
		r.take(5)
		w := bitstream.NewWriter(make([]byte, 100))
		p := sectionWriter{w}
		p.list(row.first)
		p.WriteFlag(false)
		p.same(row.more)
		p.end()
		require.NoError(t, r.receiver.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: 2}))
		var got []uint32
		for r.receiver.Queued() > 0 {
			r.receiver.Next()
			got = append(got, r.receiver.receiver.done)
		}
		assert.Equal(t, row.want[:5], got[:5])
		assert.Equal(t, row.want[5], got[len(got)-1])
	}
}

// A checksum belongs to the move that it came with. If that move was skipped, the checksum is
// ignored.
func TestSumOfSkippedMoveIsIgnored(t *testing.T) {
	taken := &New(Config{ReceivesMoves: true}).receiver
	taken.receive(1, make([]Move, 2), 0, false)
	taken.receive(5, make([]Move, 1), 0, false)
	fresh, lost := taken.receive(3, make([]Move, 2), 99, true)
	assert.Zero(t, fresh)
	assert.Zero(t, lost)
	for taken.n > 0 {
		q := taken.take()
		assert.False(t, q.summed, "move %d", q.number)
	}
}

// TestHostileAnswers does the same for answers.
func TestHostileAnswers(t *testing.T) {
	for _, row := range []struct {
		name  string
		write func(p sectionWriter)
		says  string
	}{
		{"nothing at all", func(sectionWriter) {}, ""},
		{"cut short within the ack", func(p sectionWriter) { p.WriteBits(1, 3) }, ""},
		{"cut short within the name", func(p sectionWriter) { p.answer(5); p.WriteBits(3, 3) }, ""},
		{"a state without its bits", func(p sectionWriter) { p.answer(5); p.state(7, 4095) }, ""},
		{"cut short within the flash", func(p sectionWriter) { p.answer(5); p.WriteBits(2, 8) }, ""},
		{"ack of what was not sent", func(p sectionWriter) { p.answer(9); p.WriteBits(0, 2) }, "ack of move 9: the newest sent move is 8"},
		{"ack from before the last", func(p sectionWriter) { p.answer(3); p.WriteBits(0, 2) }, "ack of move 35"},
		{"ack of what was never made", func(p sectionWriter) { p.answer(30); p.WriteBits(0, 2) }, "ack of move 30"},
		{"a ghost that is not here", func(p sectionWriter) { p.answer(5); p.state(13, 0); p.WriteBits(0, 1) }, "unknown ghost 12"},
		{"a ghost beyond all ids", func(p sectionWriter) { p.answer(5); p.state(1<<40, 0); p.WriteBits(0, 1) }, "unknown ghost"},
		{"a flash beyond the last", func(p sectionWriter) { p.answer(5); p.WriteBits(2|127<<2, 16) }, "127"},
		{"a whiteout beyond the last", func(p sectionWriter) { p.answer(5); p.WriteBits(2|127<<9, 16) }, "127"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newMoveRig(t, 3, false)
			r.sender.cfg.TokenOf = func(name uint32) uint32 {
				if name != 7 {
					return 0
				}
				return 99
			}
			for range 8 {
				r.push()
			}
			r.sendMoves(false)
			r.push() // a move that is not sent
			r.take(4)
			r.sendAnswer(false)
			w := bitstream.NewWriter(make([]byte, 100))
			row.write(sectionWriter{w})
			bits := w.Pos()
			in := bitstream.NewReader(w.Bytes())
			if row.says == "" {
				in = bitstream.NewReader(w.Bytes()[:bits/8])
			}
			err := r.sender.Unpack(in, netcore.Incoming{Seq: 2})
			require.Error(t, err)
			if row.says == "" {
				assert.ErrorIs(t, err, bitstream.ErrShort)
			} else {
				requireRule(t, err, row.says)
			}
			assert.Equal(t, uint32(4), r.sender.sender.acked)
			assert.Equal(t, Answer{Ack: 4}, r.sender.sender.answer)
			assert.Equal(t, 1, r.answered)
		})
	}
}

// An error from OnAnswer ends the connection with that error.
func TestOnAnswerErrorEndsTheConnection(t *testing.T) {
	r := newMoveRig(t, 3, false)
	full := errors.New("the inbox is full")
	r.sender.cfg.OnAnswer = func() error { return full }
	r.push()
	r.sendMoves(false)
	r.take(1)
	w := bitstream.NewWriter(make([]byte, 100))
	r.receiver.Pack(w, netcore.Outgoing{Seq: 1})
	assert.Equal(t, full, r.sender.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: 1}))
}

// With Check a wrong move number is detected immediately.
func TestMoveMarks(t *testing.T) {
	r := newMoveRig(t, 3, true)
	r.push()
	r.sendMoves(false)
	r.take(1)
	r.receiver.SetState(0, stateBits, 20, false)
	r.sender.sender.acked, r.sender.sender.carried = 64, 70
	w := bitstream.NewWriter(make([]byte, 100))
	r.receiver.Pack(w, netcore.Outgoing{Seq: 1})
	requireRule(t, r.sender.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: 1}), "after move 65: mark is ")

	r = newMoveRig(t, 3, true)
	r.push()
	r.receiver.receiver.received, r.receiver.receiver.done = 64, 64
	w = bitstream.NewWriter(make([]byte, 100))
	r.sender.Pack(w, netcore.Outgoing{Seq: 1})
	requireRule(t, r.receiver.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: 1}), "move 65: mark is ")
}
