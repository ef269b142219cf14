package ghost

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// Under net.check every field of a ghost's group ends in a mark: a number that
// is rare, and how many bits of the group are before it.
const (
	fieldMark     = 0x746F
	fieldMarkBits = 32
	fieldMarkFar  = 8191 // bits into a group, up to which a sender's mark is looked for
)

// fieldMarks knows where in a group the marks are.
type fieldMarks struct {
	start int   // where the group begins
	last  int   // where its last good mark ends
	bad   error // what the first bad one means
}

func (m *fieldMarks) begin(pos int) { m.start, m.last = pos, pos }

// at is the mark that belongs at bit pos of the stream.
func (m *fieldMarks) at(pos int) uint32 { return fieldMark | uint32(pos-m.start)<<16 }

// find returns the first bit of the group, behind the last good mark, at which
// there is another. At here there is none, but maybe the beginning of one that
// is cut short.
func (m *fieldMarks) find(s *bitstream.Stream, here int) (bit int, ok bool) {
	for pos := m.last; pos <= m.start+fieldMarkFar; pos++ {
		if bit = pos - m.start; bit != here && uint32(s.Peek(pos)) == m.at(pos) {
			return bit, true
		}
	}
	return 0, false
}

// mark describes the mark behind a field. A reader that does not find it where
// it is says where its sender put it. That may be all there is to tell about an
// earlier error, of a reader that was led astray.
func (c *codec) mark(s *bitstream.Stream, l *Layout, field string) {
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

// mismatch names the field after which the reader is at a bit of the group at
// which its sender was not; nil if there is nothing to be found.
func (c *codec) mismatch(s *bitstream.Stream, l *Layout, field string, here int) error {
	sender, ok := c.marks.find(s, here)
	switch {
	case ok:
		return netcore.Violationf("ghost %d (%s), field %s: the sender is at bit %d, this side at bit %d", c.ghost, l.Name, field, sender, here)
	case s.Err() != nil:
		return nil // cut short, or worse: the error says so
	}
	return netcore.Violationf("ghost %d (%s), field %s: this side is at bit %d, and the sender elsewhere", c.ghost, l.Name, field, here)
}
