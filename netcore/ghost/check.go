package ghost

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// With net.check on, every field of a group is followed by a mark: a fixed number and the bit
// position within the group.
const (
	fieldMark     = 0x746F
	fieldMarkBits = 32
	fieldMarkFar  = 8191 // bits from the start of a group: limit of the search for a mark
)

// fieldMarks holds the positions of marks in a group.
type fieldMarks struct {
	start int   // start of the group
	last  int   // end of the last valid mark
	bad   error // the error for the first invalid mark
}

func (m *fieldMarks) begin(pos int) { m.start, m.last = pos, pos }

// at returns the mark for bit pos of the stream.
func (m *fieldMarks) at(pos int) uint32 { return fieldMark | uint32(pos-m.start)<<16 }

// find returns the position in the group of the first mark after the last valid one. It skips
// position here: the mark there is invalid, but it can be the beginning of a mark that the end of
// the packet cuts off.
func (m *fieldMarks) find(s *bitstream.Codec, here int) (bit int, ok bool) {
	for pos := m.last; pos <= m.start+fieldMarkFar; pos++ {
		if bit = pos - m.start; bit != here && uint32(s.Peek(pos)) == m.at(pos) {
			return bit, true
		}
	}
	return 0, false
}

// mark codes the mark after a field. A reader that does not find the mark at its position reports
// the position at which the sender wrote it. This replaces an earlier read error, because a reader
// at a wrong position often fails before it reaches a mark.
func (c *codec) mark(s *bitstream.Codec, l *Layout, field string) {
	m, here := &c.marks, s.Pos()
	want := m.at(here)
	got := want
	s.Uint(&got, fieldMarkBits)
	switch {
	case s.Err() == nil && got == want:
		m.last = s.Pos()
	case s.Reading() && m.bad == nil:
		m.bad = c.mismatch(s, l, field, here-m.start)
		s.Fail(m.bad)
	}
}

// mismatch returns an error with the field and both positions. It returns nil if the packet ended
// early and no mark is found.
func (c *codec) mismatch(s *bitstream.Codec, l *Layout, field string, here int) error {
	sender, ok := c.marks.find(s, here)
	switch {
	case ok:
		return netcore.Violationf("ghost %d (%s), field %s: the sender is at bit %d, the receiver at bit %d", c.ghost, l.Name, field, sender, here)
	case s.Err() != nil:
		return nil // the read error is more precise
	}
	return netcore.Violationf("ghost %d (%s), field %s: the receiver is at bit %d, the sender at another bit", c.ghost, l.Name, field, here)
}
