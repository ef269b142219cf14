package ghost

import (
	"cmp"
	"fmt"
	"slices"
)

// classPlan holds facts about a layout that its snapshots need often. They are computed once per
// layout.
type classPlan struct {
	layout         *Layout
	unequalWeights bool             // groups have different weights
	weights        []weightedGroups // from the highest weight to the lowest
	groups         []groupPlan
	words          int     // of the plain groups of an object
	general        int     // groups that are not plain
	smooth         int     // cells of all smooth groups
	smoothFars     []uint8 // 32 minus their widths, for residual.encodeQuick; nil if it does not apply
	smoothBits     int     // the sum of the widths
}

// weightedGroups are the groups of a class with the same weight.
type weightedGroups struct{ weight, groups uint32 }

// groupPlan is the part of a classPlan for one group.
type groupPlan struct {
	cells  []Cell
	widths []uint8 // widths of the cells in bits
	order  []uint8 // see groupPlace
	fars   []uint8 // 32 minus the widths, for residual.encodeQuick; nil if it does not apply
	plain  bool    // all cells are CellBits
	bits   int     // of a plain group: the total width of the cells
	place  int     // of a plain group: its first word in object.packed; else its place in object.general
	refs   bool
	raw    bool
	smooth bool
	short  bool // all cells are CellBits, and together they fit into shortBits
	first  int  // of a smooth group: index of its first cell among all smooth cells
}

// planOf returns the plan of a layout. It makes the plan at the first use.
func (s *Snapshots) planOf(l *Layout) *classPlan {
	for int(l.ID) >= len(s.plans) {
		s.plans = append(s.plans, nil)
	}
	// The number may have belonged to another class that no peer learned about.
	if p := s.plans[l.ID]; p == nil || p.layout != l {
		s.plans[l.ID] = newClassPlan(l)
	}
	return s.plans[l.ID]
}

func newClassPlan(l *Layout) *classPlan {
	p := &classPlan{layout: l, groups: make([]groupPlan, len(l.Groups))}
	for i, g := range l.Groups {
		gp := &p.groups[i]
		*gp = groupPlan{cells: g.Cells, order: l.places[i].order, raw: g.Raw != nil, smooth: l.isSmooth(i), first: p.smooth}
		if gp.smooth {
			p.smooth += len(g.Cells)
		}
		p.unequalWeights = p.unequalWeights || g.Weight != 255
		p.weigh(i, g.Weight)
		gp.plain = !gp.raw
		for _, c := range g.Cells {
			gp.bits += c.Bits
			gp.refs = gp.refs || c.Kind == CellRef
			gp.widths = append(gp.widths, uint8(c.Bits))
			gp.plain = gp.plain && c.Kind == CellBits
		}
		if gp.plain {
			gp.place, p.words = p.words, p.words+(gp.bits+63)/64
		} else {
			gp.bits, gp.place, p.general = 0, p.general, p.general+1
		}
		gp.short = gp.bits > 0 && gp.bits <= shortCapacity
		gp.fars = farsOf(&g)
	}
	p.smoothFars, p.smoothBits = smoothFars(p)
	return p
}

// smoothFars returns farsOf all smooth groups of a class, and the sum of their widths.
func smoothFars(p *classPlan) (fars []uint8, size int) {
	for i := range p.groups {
		switch gp := &p.groups[i]; {
		case !gp.smooth:
		case gp.fars == nil:
			return nil, 0
		default:
			fars, size = append(fars, gp.fars...), size+gp.bits
		}
	}
	return fars, size
}

// farsOf returns 32 minus the widths of the cells, nil if residual.encodeQuick does not apply.
func farsOf(g *CellGroup) (fars []uint8) {
	for _, c := range g.Cells {
		if c.Bits > quickMost || c.Rate != nil {
			return nil
		}
		fars = append(fars, uint8(32-c.Bits))
	}
	return fars
}

// weigh adds a group to those with its weight.
func (p *classPlan) weigh(group int, weight uint8) {
	i, found := slices.BinarySearchFunc(p.weights, uint32(weight), func(w weightedGroups, weight uint32) int { return cmp.Compare(weight, w.weight) })
	if !found {
		p.weights = slices.Insert(p.weights, i, weightedGroups{weight: uint32(weight)})
	}
	p.weights[i].groups |= 1 << group
}

// urgency returns the highest weight among some groups, 0 if there are none.
func (p *classPlan) urgency(groups uint32) (weight uint32) {
	for i := range p.weights {
		if w := &p.weights[i]; groups&w.groups != 0 {
			return w.weight
		}
	}
	return 0
}

// init resets the values of a general group to zero and keeps their memory.
func (v *Values) init(p *groupPlan) {
	v.reset()
	if !p.raw {
		v.Cells = resize(v.Cells, len(p.cells))
		clear(v.Cells)
		v.Texts = append(v.Texts, "")
	}
}

func (v *Values) equal(to *Values) bool {
	return slices.Equal(v.Cells, to.Cells) && slices.Equal(v.Texts, to.Texts) && v.RawBits == to.RawBits &&
		slices.Equal(v.Raw, to.Raw) && slices.Equal(v.RawEnds, to.RawEnds)
}

// store copies the values of a general group.
func (v *Values) store(p *groupPlan, from *Values) {
	p.check(from)
	v.Cells = append(v.Cells[:0], from.Cells...)
	v.Texts = append(v.Texts[:0], from.Texts...)
	if p.raw {
		v.Raw = append(v.Raw[:0], from.Raw...)
		v.RawEnds = append(v.RawEnds[:0], from.RawEnds...)
		v.RawBits = from.RawBits
	}
}

// check panics if the layout cannot carry the values of a general group.
func (p *groupPlan) check(v *Values) {
	if p.raw {
		if v.RawBits < 0 || v.RawBits > 8*len(v.Raw) {
			panic(fmt.Sprintf("BUG: %d raw bits do not fit %d bytes", v.RawBits, len(v.Raw)))
		}
		return
	}
	p.checkNumber(v.Cells)
	for i := range p.cells {
		c, bad := &p.cells[i], false
		switch c.Kind {
		case CellBits:
			bad = v.Cells[i]>>c.Bits != 0
		case CellText:
			bad = v.Cells[i] >= uint64(len(v.Texts)) || len(v.Texts[v.Cells[i]]) > c.Max
		}
		if bad {
			c.tooLarge()
		}
	}
}

func (p *groupPlan) checkNumber(cells []uint64) {
	if len(cells) != len(p.cells) {
		panic(fmt.Sprintf("BUG: %d values for %d cells", len(cells), len(p.cells)))
	}
}

func (c *Cell) tooLarge() {
	panic(fmt.Sprintf("BUG: the value of field %s is too large for its cell", c.Field))
}

// pack joins the cells of a plain group into words, ready to be copied into packets. It reports
// whether that changes the words.
func (p *groupPlan) pack(words []uint64, cells []uint64) (changed bool) {
	p.checkNumber(cells)
	word, used, at, differs := uint64(0), 0, p.place, uint64(0)
	for i, v := range cells {
		width := int(p.widths[i])
		if v>>width != 0 {
			p.cells[i].tooLarge()
		}
		word |= v << used
		if used += width; used >= 64 {
			differs |= words[at] ^ word
			words[at] = word
			at++
			used -= 64
			word = v >> (width - used)
		}
	}
	if used > 0 {
		differs |= words[at] ^ word
		words[at] = word
	}
	return differs != 0
}

// unpack appends the cells of a plain group.
func (p *groupPlan) unpack(words, cells []uint64) []uint64 {
	at := 64 * p.place
	for _, width := range p.widths {
		v, from := words[at/64]>>(at%64), 64-at%64
		if from < int(width) {
			v |= words[at/64+1] << from
		}
		cells = append(cells, v&(1<<width-1))
		at += int(width)
	}
	return cells
}

// clearReference sets references to a removed object to none.
func (v *Values) clearReference(p *groupPlan, obj uint32) {
	for i, c := range p.cells {
		if c.Kind == CellRef && v.Cells[i] == uint64(obj) {
			v.Cells[i] = 0
		}
	}
}
