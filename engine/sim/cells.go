package sim

import (
	"fmt"
	"math"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// CellKind is the kind of a cell of a group.
type CellKind uint8

const (
	CellBits CellKind = iota // a number of 1 to 64 bits
	CellText                 // a text
	CellRef                  // a reference to an object
)

// A Cell is one value of a group on the wire: a field, or a part of a field. All peers with the
// class have the same cells.
type Cell struct {
	Field  *Field
	Part   string // "x", "y", "z" or "yaw", "pitch", "roll"; "" is the whole field
	Kind   CellKind
	Bits   int  // of CellBits, 1…64
	Smooth bool // of CellBits: near values have near codes, and angles wrap
	Max    int  // of CellText: most bytes
	Rate   *CellRate
}

// CellRate tells that a cell changes at the rate of another one of its group.
type CellRate struct {
	Cell  int    // index of the rate in the group
	Zero  uint32 // the code of the rate 0
	Scale uint32 // change of the code per tick and code of the rate, in 2^-20
}

// Values are the values of the cells of one group.
type Values struct {
	Cells []uint64 // per cell: its bits, an index into Texts, or an object's id, 0 for none
	Texts []string
}

// GroupCoder is the stream that a hand-written coder of a group reads from or writes to. The coder
// describes its group once for both directions. It calls End after each field, with the field's
// name.
//
// A reader must cope with any bits: it calls Fail before an invalid value reaches the object. Such
// a group cannot hold references to objects.
type GroupCoder struct {
	*bitstream.Codec
	End func(field string)
}

// fieldGroup is a set of fields that are sent together.
type fieldGroup struct {
	fields []*Field
	cells  []Cell
	coder  func(*GroupCoder, Object)
	refers bool

	firstNumber int // index of its first number among those of the class
}

// Groups returns the number of groups of a net class: its highest group plus 1, inherited groups
// included. Group 0 always exists. It may be empty: the creation then carries no fields.
func (c *Class) Groups() int { return max(len(c.groups), 1) }

// Cells returns the cells of a group, none if the group has a hand-written coder. The slice belongs
// to the class.
func (c *Class) Cells(group int) []Cell {
	if group >= len(c.groups) {
		return nil
	}
	return c.groups[group].cells
}

// Coder returns the hand-written coder of a group, nil if the group has cells.
func (c *Class) Coder(group int) func(*GroupCoder, Object) {
	if group >= len(c.groups) {
		return nil
	}
	return c.groups[group].coder
}

// Refers reports whether cells of a group refer to objects or datablocks. Such values are valid on
// one side only and must be translated.
func (c *Class) Refers(group int) bool { return group < len(c.groups) && c.groups[group].refers }

// Quantise sets v to the quantised values of a group of o, an object of the class. It reuses the
// memory of v.
func (c *Class) Quantise(o Object, group int, v *Values) {
	v.Cells, v.Texts = v.Cells[:0], v.Texts[:0]
	if group >= len(c.groups) {
		return
	}
	for _, f := range c.groups[group].fields {
		f.quantise(o, v)
	}
}

// Restore sets the fields of a group of o from values received from a peer. It marks the group if a
// value changed. If a field does not accept its value, the error names the field and nothing
// changes.
func (c *Class) Restore(o Object, group int, v *Values) error {
	cells := c.Cells(group)
	if len(v.Cells) != len(cells) {
		return fmt.Errorf("group %d of %s must have %d values, got %d", group, c.Name, len(cells), len(v.Cells))
	}
	for i := range cells {
		if !cells[i].takes(v, v.Cells[i]) {
			return cells[i].outOfRange(c)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	rest, changed := v.Cells, false
	for _, f := range c.groups[group].fields {
		n := f.parts()
		changed = f.restore(o, rest[:n], v.Texts) || changed
		rest = rest[n:]
	}
	if changed {
		o.Ident().Mark(1 << group)
	}
	return nil
}

// ApplyRounding sets the fields of a group of o to the values that Quantise has just computed for
// them. The object then has the same rounding errors as its ghosts.
func (c *Class) ApplyRounding(o Object, group int, v *Values) {
	if group >= len(c.groups) {
		return
	}
	rest := v.Cells
	for _, f := range c.groups[group].fields {
		n := f.parts()
		f.restore(o, rest[:n], v.Texts)
		rest = rest[n:]
	}
}

// Number returns the number that valid bits of the cell stand for: of a number, or of a part of a
// vector or a rotation.
func (c *Cell) Number(bits uint64) float64 { return c.Field.scale.at(bits) }

// takes reports whether bits are valid for the cell.
func (c *Cell) takes(v *Values, bits uint64) bool {
	f := c.Field
	switch {
	case c.Kind == CellText:
		return bits < uint64(len(v.Texts)) && len(v.Texts[bits]) <= c.Max
	case c.Kind == CellRef:
		return bits <= math.MaxUint32
	case f.Kind == KindBool:
		return bits <= 1
	case f.block:
		return bits <= MaxBlocks
	}
	if f.scale.form != exactForm {
		return bits <= f.scale.top // every code up to top is a number in the range
	}
	return f.holds(math.Float64frombits(bits))
}

// makeGroups derives the groups of a net class from its fields and coders.
func (c *Class) makeGroups() error {
	if c.Kind != NetClass {
		return nil
	}
	c.groups = make([]fieldGroup, 1, MaxGroups+1)
	for _, f := range c.fields {
		g := c.groupAt(f.Group)
		g.fields = append(g.fields, f)
		g.cells = append(g.cells, f.cells()...)
		g.refers = g.refers || f.Kind == KindObject
	}
	if err := c.inheritGroups(); err != nil {
		return err
	}
	own := 0
	for i := range MaxGroups + 1 {
		if coder := c.Coders[uint8(i)]; coder != nil {
			c.groupAt(uint8(i)).coder = coder
			own++
		}
	}
	if own != len(c.Coders) {
		return fmt.Errorf("a coder is nil or its group is above %d", MaxGroups)
	}
	for i := range c.groups {
		if c.groups[i].coder != nil {
			c.groups[i].fields, c.groups[i].cells, c.groups[i].refers = nil, nil, false
		}
	}
	if err := c.planRates(); err != nil {
		return err
	}
	c.planNumbers()
	c.marks = uint32(uint64(1)<<len(c.groups) - 1)
	return c.validGhost()
}

// fieldMarkBits is the size of the check value after each field when net.check is on.
const fieldMarkBits = 32

// validGhost checks that a new ghost always fits into a packet. The size of groups with a
// hand-written coder is unknown and not counted.
func (c *Class) validGhost() error {
	bits := 0
	for i := range c.groups {
		for _, f := range c.groups[i].fields {
			bits += f.maxBits() + fieldMarkBits
		}
	}
	if bytes := (bits + 7) / 8; bytes > MaxGhostSize {
		return fmt.Errorf("an object can take %d bytes of a packet, the maximum is %d: shorten its texts or give its numbers a width", bytes, MaxGhostSize)
	}
	return nil
}

// inheritGroups copies the coders and the weights of the parent's groups.
func (c *Class) inheritGroups() error {
	if c.parent == nil {
		return nil
	}
	for i := range c.parent.groups {
		if c.GroupWeight[i] == 0 {
			c.GroupWeight[i] = c.parent.GroupWeight[i]
		}
		coder := c.parent.groups[i].coder
		if coder == nil {
			continue
		}
		c.groupAt(uint8(i)).coder = coder
		for k := range c.Fields {
			if f := &c.Fields[k]; int(f.Group) == i && c.Coders[f.Group] == nil {
				return fmt.Errorf("field %q: its inherited group %d has a hand-written coder", f.Name, i)
			}
		}
	}
	return nil
}

func (c *Class) groupAt(i uint8) *fieldGroup {
	for len(c.groups) <= int(i) {
		c.groups = append(c.groups, fieldGroup{})
	}
	return &c.groups[i]
}
