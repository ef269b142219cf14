package form

import (
	"errors"
	"math"
	"slices"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// Use is what a Change says about an element.
type Use int

// The uses of a Change.
const (
	Whole Use = iota // the element is new, or all of it is
	Parts            // some of its rows are new, in part or whole
	Gone             // the element is over
	uses
)

// A Change is what a server sends of an element.
type Change struct {
	Element // of Whole; its Number counts always
	Use     Use
	Parts   []Part // of Parts
}

// A Part is news of a row of an element.
type Part struct {
	Row   int // from 0
	How   how
	New   Row     // of partRow
	Value float64 // of partValue, 0…1
	Cells []Cell  // of partCells
}

// how is which part of a row is new.
type how int

const (
	partRow   how = iota // all of it
	partValue            // the value of a Bar
	partCells            // some cells of a Table
	partKinds
)

// A Cell is the new text of a cell of a Table, counted row by row from 0.
type Cell struct {
	At   int
	Text string
}

const (
	maxCells = MaxColumns * MaxChoices
	barSteps = 1<<barBits - 2 // of the value of a Bar, as the wire has it
)

var errPart = errors.New("a change does not fit its row")

// Serialize codes a change.
//
//	var number | ranged 0..2 use
//	0: ranged 0..8 place, text(32) name, ranged 1..32 rows, the rows | 1: ranged 1..32 parts, the parts | 2: nothing
func (c *Change) Serialize(s *bitstream.Codec) {
	k, use := &coder{s, MaxElementBytes}, int(c.Use)
	Number(s, &c.Number)
	s.Int(&use, 0, int(uses)-1)
	switch c.Use = Use(use); c.Use {
	case Whole:
		at := int(c.At)
		s.Int(&at, 0, int(Places)-1)
		c.At = Place(at)
		k.text(&c.Name, MaxName)
		list(k, &c.Rows, k.row)
	case Parts:
		list(k, &c.Parts, k.part)
	}
}

// list codes 1 to MaxElementRows items. A reader grows the list as they come.
func list[T any](c *coder, items *[]T, code func(*T)) {
	n := len(*items)
	c.Int(&n, 1, MaxElementRows)
	if !c.Reading() {
		for i := range *items {
			code(&(*items)[i])
		}
		return
	}
	for range n {
		var item T
		if code(&item); c.Err() != nil {
			return
		}
		*items = append(*items, item)
	}
}

// part codes a part.
//
//	ranged 0..31 row | ranged 0..2 how | 0: the row | 1: float(10) value
//	| 2: ranged 1..4,080 cells: ranged 0..4,079 cell, text(1,024) each
func (c *coder) part(p *Part) {
	kind := int(p.How)
	c.Int(&p.Row, 0, MaxElementRows-1)
	c.Int(&kind, 0, int(partKinds)-1)
	switch p.How = how(kind); p.How {
	case partRow:
		c.row(&p.New)
	case partValue:
		c.Float(&p.Value, barBits)
	case partCells:
		c.cells(&p.Cells)
	}
}

func (c *coder) cells(list *[]Cell) {
	n := len(*list)
	c.Int(&n, 1, maxCells)
	for i := range n {
		var v Cell
		if !c.Reading() {
			v = (*list)[i]
		}
		c.spend(1)
		c.Int(&v.At, 0, maxCells-1)
		c.text(&v.Text, MaxText)
		switch {
		case c.Err() != nil:
			return
		case c.Reading():
			*list = append(*list, v)
		}
	}
}

// apply changes a row. The lists of the rows are those of an older element, so they are copied.
func (p *Part) apply(rows []Row) error {
	if p.Row >= len(rows) {
		return errPart
	}
	r := &rows[p.Row]
	switch {
	case p.How == partRow:
		*r = p.New
	case p.How == partValue && r.Kind == Bar:
		r.Value = p.Value
	case p.How == partCells && r.Kind == Table:
		r.Cells = slices.Clone(r.Cells)
		for _, c := range p.Cells {
			if c.At >= len(r.Cells) {
				return errPart
			}
			r.Cells[c.At] = c.Text
		}
	default:
		return errPart
	}
	return nil
}

// ChangeFrom returns the change of a client that has an element, nil for none, to this one. It is
// nil if nothing is new.
func (e *Element) ChangeFrom(old *Element) *Change {
	whole := &Change{Element: *e, Use: Whole}
	if old == nil || e.At != old.At || e.Name != old.Name || len(e.Rows) != len(old.Rows) {
		return whole
	}
	c := &Change{Use: Parts}
	c.Number = e.Number
	for i := range e.Rows {
		if p, is := e.Rows[i].partFrom(&old.Rows[i]); is {
			p.Row = i
			c.Parts = append(c.Parts, p)
		}
	}
	if len(c.Parts) == 0 {
		return nil
	}
	return c
}

// partFrom returns what is new in a row, if something is.
func (r *Row) partFrom(old *Row) (p Part, is bool) {
	p.New = *r
	if r.Kind != old.Kind || r.Text != old.Text || r.Value != old.Value && r.Kind != Bar || r.Block != old.Block || r.Image != old.Image ||
		!slices.Equal(r.Choices, old.Choices) || len(r.Cells) != len(old.Cells) {
		return p, true
	}
	if r.Kind == Bar {
		return Part{How: partValue, Value: r.Value}, math.Round(r.Value*barSteps) != math.Round(old.Value*barSteps)
	}
	for i, text := range r.Cells {
		if text != old.Cells[i] {
			p.Cells = append(p.Cells, Cell{i, text})
		}
	}
	if 2*len(p.Cells) > len(r.Cells) {
		p.Cells = nil
		return p, true
	}
	return Part{How: partCells, Cells: p.Cells}, len(p.Cells) > 0
}

// Bytes returns a change as bytes, for recordings.
func (c *Change) Bytes() []byte {
	w := bitstream.NewWriter(make([]byte, 2*MaxElementBytes))
	c.Serialize(&w.Codec)
	return w.Bytes()
}

// ReadChange reads the bytes of a change.
func ReadChange(b []byte) (*Change, error) {
	c, r := new(Change), bitstream.NewReader(b)
	c.Serialize(&r.Codec)
	return c, r.Err()
}
