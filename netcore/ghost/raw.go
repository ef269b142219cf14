package ghost

import (
	"slices"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// rawReader is the state of reading a hand-written group.
type rawReader struct {
	s    *bitstream.Codec
	l    *Layout
	v    *Values
	from int                // start of the bits that are not copied yet
	end  func(field string) // the end function for CellGroup.Raw, made once
}

// readRaw reads a hand-written group with its Raw function. It keeps the bits without the marks.
func (c *codec) readRaw(s *bitstream.Codec, l *Layout, group *CellGroup, v *Values) {
	r := &c.raw
	if r.end == nil {
		r.end = c.endField
	}
	r.s, r.l, r.v, r.from = s, l, v, s.Pos()
	group.Raw(s, r.end)
	r.copyBits()
}

// endField is the end function that Raw calls after each field.
func (c *codec) endField(field string) {
	r := &c.raw
	r.copyBits()
	r.v.RawEnds = append(r.v.RawEnds, RawEnd{field, r.v.RawBits})
	if c.check {
		c.mark(r.s, r.l, field)
	}
	r.from = r.s.Pos()
}

// copyBits copies the bits that Raw has read since the last call.
func (r *rawReader) copyBits() {
	n := r.s.Pos() - r.from
	bytes := (r.v.RawBits + n + 7) / 8
	r.v.Raw = slices.Grow(r.v.Raw, bytes-len(r.v.Raw))[:bytes]
	r.s.Extract(r.v.Raw, r.v.RawBits, r.from, n)
	r.v.RawBits += n
}

// writeRaw writes the bits of a hand-written group, and the marks if they are on.
func (c *codec) writeRaw(s *bitstream.Codec, l *Layout, v *Values) {
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
