package sim

import (
	"fmt"
	"math"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// CellKind says what a cell of a group is.
type CellKind uint8

const (
	CellBits CellKind = iota // a number of some bits
	CellText                 // a text
	CellRef                  // a reference to an object
)

// A Cell is one value of a group as the wire sees it: a field, or a part of
// one. All peers that have the class have the same cells.
type Cell struct {
	Field  *Field
	Part   string // "x", "y", "z" or "yaw", "pitch", "roll"; "" is the whole field
	Kind   CellKind
	Bits   int  // of CellBits, 1…64
	Smooth bool // of CellBits: near values have near bits, and angles wrap
	Max    int  // bytes of CellText
}

// Values are what is in the cells of one group.
type Values struct {
	Cells []uint64 // per cell: its bits, an index into Texts, or an object's id, 0 for none
	Texts []string
}

// GroupCoder is what a hand-written coder of a group reads from or writes to.
// The coder describes its group once for both directions and tells, by End,
// after which bit each field ends. A reader must take whatever bits come: it
// calls Fail rather than let a value into the object that does not belong
// there. References to objects cannot be in such a group.
type GroupCoder struct {
	*bitstream.Stream
	End func(field string)
}

// group is the fields of a class that travel together.
type group struct {
	fields []*Field
	cells  []Cell
	coder  func(*GroupCoder, Object)
	refers bool
}

// Groups is the number of groups of a net class, the inherited ones among
// them: its highest, and 1. Group 0 is always there, if only as a creation
// that carries nothing.
func (c *Class) Groups() int { return max(len(c.groups), 1) }

// Cells are the cells of a group, none if it is coded by hand. The slice
// belongs to the class.
func (c *Class) Cells(group int) []Cell {
	if group >= len(c.groups) {
		return nil
	}
	return c.groups[group].cells
}

// Coder is the hand-written coder of a group, nil if it has cells.
func (c *Class) Coder(group int) func(*GroupCoder, Object) {
	if group >= len(c.groups) {
		return nil
	}
	return c.groups[group].coder
}

// Refers reports whether cells of a group refer to objects or datablocks: what
// is in them means something on one side only.
func (c *Class) Refers(group int) bool { return group < len(c.groups) && c.groups[group].refers }

// Quantise makes v the values of a group of o, an object of the class. The
// memory of v is used again.
func (c *Class) Quantise(o Object, group int, v *Values) {
	v.Cells, v.Texts = v.Cells[:0], v.Texts[:0]
	if group >= len(c.groups) {
		return
	}
	for _, f := range c.groups[group].fields {
		f.quantise(o, v)
	}
}

// Restore gives the fields of a group of o these values, which come from a
// peer, and marks the group if they differ from what was there. Values that a
// field does not take are an error, which names the field and changes nothing.
func (c *Class) Restore(o Object, group int, v *Values) error {
	cells := c.Cells(group)
	if len(v.Cells) != len(cells) {
		return fmt.Errorf("group %d of %s has %d values, not %d", group, c.Name, len(cells), len(v.Cells))
	}
	for i := range cells {
		if !cells[i].takes(v, v.Cells[i]) {
			return fmt.Errorf("%s of a %s has a value that it cannot have", cells[i].Field.Name, c.Name)
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

// Settle gives the fields of a group of o the values that Quantise has just
// made of them: what was lost by rounding is lost here too.
func (c *Class) Settle(o Object, group int, v *Values) {
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

// takes reports whether bits can be what is in the cell.
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
		return bits <= f.scale.top // every other code is one of a number in the range
	}
	return f.holds(math.Float64frombits(bits))
}

// makeGroups derives the groups of a net class from its fields and coders.
func (c *Class) makeGroups() error {
	if c.Kind != NetClass {
		return nil
	}
	c.groups = make([]group, 1, MaxGroups+1)
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
		return fmt.Errorf("a coder is nil, or of a group above %d", MaxGroups)
	}
	for i := range c.groups {
		if c.groups[i].coder != nil {
			c.groups[i].fields, c.groups[i].cells, c.groups[i].refers = nil, nil, false
		}
	}
	c.marks = uint32(uint64(1)<<len(c.groups) - 1)
	return c.validGhost()
}

// fieldMarkBits is what follows each field under net.check.
const fieldMarkBits = 32

// validGhost checks that a new ghost always fits into a packet. What is coded by
// hand does not say how large it is.
func (c *Class) validGhost() error {
	bits := 0
	for i := range c.groups {
		for _, f := range c.groups[i].fields {
			bits += f.most() + fieldMarkBits
		}
	}
	if bytes := (bits + 7) / 8; bytes > MaxGhostSize {
		return fmt.Errorf("an object of it could take %d bytes of a packet, %d are possible: give its texts less room, or its numbers a width", bytes, MaxGhostSize)
	}
	return nil
}

// inheritGroups takes over how the parent codes and weighs its groups.
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
				return fmt.Errorf("field %q: its group %d is coded by hand, by a coder that does not know it", f.Name, i)
			}
		}
	}
	return nil
}

func (c *Class) groupAt(i uint8) *group {
	for len(c.groups) <= int(i) {
		c.groups = append(c.groups, group{})
	}
	return &c.groups[i]
}
