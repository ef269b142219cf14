package ghost

import (
	"slices"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// rawReader is a hand-written group while its coder reads past it.
type rawReader struct {
	s    *bitstream.Stream
	l    *Layout
	v    *Values
	from int                // where what is not copied yet begins
	end  func(field string) // what the coder calls, made once
}

// readRaw has a hand-written group read by its coder, and keeps its bits
// without the marks.
func (c *codec) readRaw(s *bitstream.Stream, l *Layout, group *Group, v *Values) {
	r := &c.raw
	if r.end == nil {
		r.end = c.endField
	}
	r.s, r.l, r.v, r.from = s, l, v, s.Pos()
	group.Raw(s, r.end)
	r.keep()
}

// endField is called by a coder after each field it has read.
func (c *codec) endField(field string) {
	r := &c.raw
	r.keep()
	r.v.RawEnds = append(r.v.RawEnds, RawEnd{field, r.v.RawBits})
	if c.check {
		c.mark(r.s, r.l, field)
	}
	r.from = r.s.Pos()
}

// keep copies what the coder has read since.
func (r *rawReader) keep() {
	n := r.s.Pos() - r.from
	bytes := (r.v.RawBits + n + 7) / 8
	r.v.Raw = slices.Grow(r.v.Raw, bytes-len(r.v.Raw))[:bytes]
	r.s.Extract(r.v.Raw, r.v.RawBits, r.from, n)
	r.v.RawBits += n
}

// writeRaw writes the bits of a hand-written group.
func (c *codec) writeRaw(s *bitstream.Stream, l *Layout, v *Values) {
	at := 0
	for _, e := range v.RawEnds {
		s.Splice(v.Raw, at, e.At-at)
		at = e.At
		if c.check {
			c.mark(s, l, e.Field)
		}
	}
	s.Splice(v.Raw, at, v.RawBits-at)
}
