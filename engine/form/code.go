package form

import (
	"errors"
	"math"

	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/netcore/bitstream"
)

var (
	errBytes  = errors.New("the texts of a form are too long")
	errNumber = errors.New("a number of a form is none")
)

// A coder codes the parts of forms. Texts that are read draw on left: a text can be far longer than
// its bits.
type coder struct {
	*bitstream.Codec
	left int // bytes
}

// text codes a text of at most max bytes.
func (c *coder) text(v *string, max int) {
	c.Text(v, max)
	c.spend(len(*v))
}

// spend takes bytes from what a reader accepts.
func (c *coder) spend(n int) {
	if !c.Reading() {
		return
	}
	if c.left -= n; c.left < 0 {
		c.Fail(errBytes)
	}
}

// texts codes a list. A reader grows it as the texts come.
func (c *coder) texts(list *[]string, n, max int) {
	if !c.Reading() {
		for i := range *list {
			c.text(&(*list)[i], max)
		}
		return
	}
	*list = nil
	for range n {
		var s string
		c.spend(1)
		if c.text(&s, max); c.Err() != nil {
			return
		}
		*list = append(*list, s)
	}
}

// number codes a finite number.
//
//	flag whole: flag negative, var below 2^53   or   float64
func (c *coder) number(v *float64) {
	whole := *v == math.Trunc(*v) && math.Abs(*v) < 1<<53
	if !c.Flag(&whole) {
		c.Float64(v)
		if !finite(*v) {
			c.Fail(errNumber)
		}
		return
	}
	negative, n := *v < 0, uint64(math.Abs(*v))
	c.Flag(&negative)
	c.Var(&n)
	if n >= 1<<53 {
		c.Fail(errNumber)
		return
	}
	if c.Reading() {
		if *v = float64(n); negative {
			*v = -*v
		}
	}
}

// pick codes a whole number of 0…n.
func (c *coder) pick(v *float64, n int) {
	i := int(*v)
	c.Int(&i, 0, n)
	*v = float64(i)
}

// row codes a row.
//
//	ranged 0..8 kind | text(1,024) text | flag named, [text(32) name] | the rest by kind
//
// The flag is there for the kinds that can have a name.
func (c *coder) row(r *Row) {
	kind := int(r.Kind)
	c.Int(&kind, 0, int(Kinds)-1)
	r.Kind = Kind(kind)
	c.spend(rowBytes)
	c.text(&r.Text, MaxText)
	if r.Kind.named() {
		named := r.Name != ""
		if c.Flag(&named) {
			c.text(&r.Name, MaxName)
		}
	}
	if c.Err() != nil {
		return
	}
	switch r.Kind {
	case Field:
		c.field(r)
	case Choice:
		n := len(r.Choices)
		c.Int(&n, 1, MaxChoices)
		c.texts(&r.Choices, n, MaxText)
		c.pick(&r.Value, n)
	case Slider:
		c.slider(r)
	case Table:
		c.table(r)
	case Bar:
		c.Float(&r.Value, barBits)
	case Look:
		c.Int(&r.Block, 0, math.MaxUint16)
	case Image:
		picture.Number(c.Codec, &r.Image)
	}
}

// barBits are the bits of the part of a Bar.
const barBits = 10

// field codes the rest of a Field.
//
//	flag numeric: flag integer, number min, max, value   or   ranged 1..1,024 length, text(1,024) value
func (c *coder) field(r *Row) {
	if c.Flag(&r.Numeric) {
		c.Flag(&r.Integer)
		c.number(&r.Min)
		c.number(&r.Max)
		c.number(&r.Value)
		return
	}
	c.Int(&r.Length, 1, MaxInput)
	c.text(&r.Input, MaxInput)
}

// slider codes the rest of a Slider: number min, max, step, value.
func (c *coder) slider(r *Row) {
	c.number(&r.Min)
	c.number(&r.Max)
	c.number(&r.Step)
	c.number(&r.Value)
}

// table codes the rest of a Table.
//
//	ranged 1..16 columns, ranged 0..255 rows | text(1,024) for each column,
//	then for each cell | the chosen row, ranged 0..rows
func (c *coder) table(r *Row) {
	columns, rows := len(r.Choices), r.Lines()
	c.Int(&columns, 1, MaxColumns)
	c.Int(&rows, 0, MaxChoices)
	c.texts(&r.Choices, columns, MaxText)
	c.texts(&r.Cells, columns*rows, MaxText)
	c.pick(&r.Value, rows)
}
