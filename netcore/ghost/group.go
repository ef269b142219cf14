package ghost

import (
	"errors"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

var errResidual = errors.New("a residual exceeds the width of its cell")

// codec codes the groups of ghosts, in both directions. The bits of a group do not depend on the
// bits before it, so the sender can encode it elsewhere and copy it into the packet.
type codec struct {
	// ref maps an object number to ghost id + 1 when writing, and ghost id + 1 to a token when
	// reading. It returns 0 for none.
	ref   func(ref uint32) uint32
	check bool   // a mark follows every field
	ghost uint32 // id of the ghost that the groups belong to, for messages

	marks fieldMarks
	raw   rawReader
}

// whole codes all values of group g. A reader appends them to v, and v must be empty.
func (c *codec) whole(s *bitstream.Codec, l *Layout, g int, v *Values) {
	group := &l.Groups[g]
	s.ForgetText()
	if c.check {
		c.marks.begin(s.Pos())
	}
	switch {
	case group.Raw == nil:
		c.cells(s, l, group, v)
	case s.Reading():
		c.readRaw(s, l, group, v)
	default:
		c.writeRaw(s, l, v)
	}
}

func (c *codec) cells(s *bitstream.Codec, l *Layout, group *CellGroup, v *Values) {
	for i := range group.Cells {
		cell := &group.Cells[i]
		if s.Reading() {
			v.Cells = append(v.Cells, 0)
		}
		switch x := &v.Cells[i]; cell.Kind {
		case CellBits:
			s.Bits(x, cell.Bits)
		case CellText:
			c.text(s, x, v, cell.Max)
		case CellRef:
			c.reference(s, x)
		}
		if c.check && group.ends(i) {
			c.mark(s, l, cell.Field)
		}
	}
}

func (c *codec) text(s *bitstream.Codec, x *uint64, v *Values, most int) {
	if s.Reading() {
		*x = uint64(len(v.Texts))
		v.Texts = append(v.Texts, "")
	}
	s.ForgetText()
	s.Text(&v.Texts[*x], most)
}

func (c *codec) reference(s *bitstream.Codec, x *uint64) {
	ref := uint32(0)
	if !s.Reading() {
		ref = c.ref(uint32(*x))
	}
	some := ref != 0
	if s.Flag(&some) {
		ref--
		s.Uint(&ref, netcore.GhostBits)
		ref++
	}
	if s.Reading() {
		*x = 0
		if some {
			*x = uint64(c.ref(ref))
		}
	}
}

// residuals codes a smooth group as residuals against its baseline. since is the number of ticks
// after newer, and span the number of ticks between older and newer. older is nil if the baseline
// has only one value. Cells with a rate come last, because their prediction needs the value of the
// rate.
func (c *codec) residuals(s *bitstream.Codec, l *Layout, g int, values []uint32, newer, older []uint32, since, span uint32) {
	group := &l.Groups[g]
	if c.check {
		c.marks.begin(s.Pos())
	}
	order := residualOrder(since, span)
	for _, k := range l.places[g].order {
		i := int(k)
		cell := &group.Cells[i]
		at := newer[i]
		if r := cell.Rate; r != nil {
			at = r.predict(at, newer[r.Cell], values[r.Cell], since)
		} else if older != nil {
			at = predict(at, older[i], since, span, cell.Bits)
		}
		u := uint32(0)
		if !s.Reading() {
			u = zigzag(values[i]-at, cell.Bits)
		}
		s.Golomb(&u, order)
		if s.Reading() {
			if uint64(u)>>cell.Bits != 0 {
				s.Fail(errResidual)
			}
			values[i] = (at + unzigzag(u)) & (1<<cell.Bits - 1)
		}
		if c.check && group.ends(i) {
			c.mark(s, l, cell.Field)
		}
	}
}
