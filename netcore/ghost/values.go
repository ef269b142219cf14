package ghost

import (
	"fmt"
	"slices"
)

// classPlan holds facts about a layout that its snapshots need often. They are computed once per
// layout.
type classPlan struct {
	layout         *Layout
	unequalWeights bool // groups have different weights
	groups         []groupPlan
	smooth         int     // cells of all smooth groups
	smoothWidths   []uint8 // their widths in bits
	smoothBits     int     // the sum of these
}

// groupPlan is the part of a classPlan for one group.
type groupPlan struct {
	cells  []Cell
	widths []uint8 // widths of the cells in bits
	bits   int     // total width if all cells are CellBits; else 0
	refs   bool
	raw    bool
	smooth bool
	short  bool // all cells are CellBits, and together they fit into shortBits
	first  int  // of a smooth group: index of its first cell among all smooth cells
}

// planOf returns the plan of a layout. It makes the plan at the first use.
func (im *Snapshots) planOf(l *Layout) *classPlan {
	for int(l.ID) >= len(im.plans) {
		im.plans = append(im.plans, nil)
	}
	// The number may have belonged to another class that no peer learned about.
	if p := im.plans[l.ID]; p == nil || p.layout != l {
		im.plans[l.ID] = newClassPlan(l)
	}
	return im.plans[l.ID]
}

func newClassPlan(l *Layout) *classPlan {
	p := &classPlan{layout: l, groups: make([]groupPlan, len(l.Groups))}
	for i, g := range l.Groups {
		gp := &p.groups[i]
		*gp = groupPlan{cells: g.Cells, raw: g.Raw != nil, smooth: l.isSmooth(i), first: p.smooth}
		if gp.smooth {
			p.smooth += len(g.Cells)
			p.smoothWidths = append(p.smoothWidths, g.widths...)
		}
		p.unequalWeights = p.unequalWeights || g.Weight != 255
		fixed := !gp.raw
		for _, c := range g.Cells {
			gp.bits += c.Bits
			gp.refs = gp.refs || c.Kind == CellRef
			gp.widths = append(gp.widths, uint8(c.Bits))
			fixed = fixed && c.Kind == CellBits
		}
		if !fixed {
			gp.bits = 0
		}
		gp.short = gp.bits > 0 && gp.bits <= shortCapacity
	}
	for _, width := range p.smoothWidths {
		p.smoothBits += int(width)
	}
	return p
}

// urgency returns the highest weight among some groups, 0 if there are none.
func (p *classPlan) urgency(groups uint32) (weight uint32) {
	for i := range p.layout.Groups {
		if groups>>i&1 != 0 {
			weight = max(weight, uint32(p.layout.Groups[i].Weight))
		}
	}
	return weight
}

// snapshot is the state of one group of one object.
type snapshot struct {
	values Values
	packed []uint64 // the encoded bits of a group of CellBits
}

// init resets the snapshot to zero values and keeps its memory.
func (g *snapshot) init(p *groupPlan) {
	g.values.reset()
	if !p.raw {
		g.values.Cells = resize(g.values.Cells, len(p.cells))
		clear(g.values.Cells)
		g.values.Texts = append(g.values.Texts, "")
	}
	g.pack(p)
}

func (g *snapshot) equal(v *Values) bool {
	a := &g.values
	return slices.Equal(a.Cells, v.Cells) && slices.Equal(a.Texts, v.Texts) && a.RawBits == v.RawBits &&
		slices.Equal(a.Raw, v.Raw) && slices.Equal(a.RawEnds, v.RawEnds)
}

// store copies v.
func (g *snapshot) store(p *groupPlan, v *Values) {
	p.check(v)
	to := &g.values
	to.Cells = append(to.Cells[:0], v.Cells...)
	to.Texts = append(to.Texts[:0], v.Texts...)
	if p.raw {
		to.Raw = append(to.Raw[:0], v.Raw...)
		to.RawEnds = append(to.RawEnds[:0], v.RawEnds...)
		to.RawBits = v.RawBits
	}
	g.pack(p)
}

// check panics if the layout cannot carry the values.
func (p *groupPlan) check(v *Values) {
	if p.raw {
		if v.RawBits < 0 || v.RawBits > 8*len(v.Raw) {
			panic(fmt.Sprintf("BUG: %d raw bits do not fit %d bytes", v.RawBits, len(v.Raw)))
		}
		return
	}
	if len(v.Cells) != len(p.cells) {
		panic(fmt.Sprintf("BUG: %d values for %d cells", len(v.Cells), len(p.cells)))
	}
	for i := range p.cells {
		c, bad := &p.cells[i], false
		switch c.Kind {
		case CellBits:
			bad = v.Cells[i]>>c.Bits != 0
		case CellText:
			bad = v.Cells[i] >= uint64(len(v.Texts)) || len(v.Texts[v.Cells[i]]) > c.Max
		}
		if bad {
			panic(fmt.Sprintf("BUG: the value of field %s is too large for its cell", c.Field))
		}
	}
}

// pack joins the cells of a group of CellBits into words, ready to be copied into packets.
func (g *snapshot) pack(p *groupPlan) {
	if g.packed = g.packed[:0]; p.bits == 0 {
		return
	}
	word, used := uint64(0), 0
	for i, v := range g.values.Cells {
		word |= v << used
		if used += p.cells[i].Bits; used >= 64 {
			g.packed = append(g.packed, word)
			used -= 64
			word = v >> (p.cells[i].Bits - used)
		}
	}
	if used > 0 {
		g.packed = append(g.packed, word)
	}
}

// clearReference sets references to a removed object to none.
func (g *snapshot) clearReference(p *groupPlan, obj uint32) {
	for i, c := range p.cells {
		if c.Kind == CellRef && g.values.Cells[i] == uint64(obj) {
			g.values.Cells[i] = 0
		}
	}
}
