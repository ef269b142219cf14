package ghost

import (
	"fmt"
	"slices"
)

const historyTicks = 64 // most values of a smooth group that are kept; above relativeAge

// classPlan is what a layout means for its images, found out once.
type classPlan struct {
	layout *Layout
	graded bool // not all groups are equally urgent
	groups []groupPlan
	smooth int // cells of all smooth groups
}

// groupPlan is the part of a plan that concerns a group.
type groupPlan struct {
	cells  []Cell
	widths []uint8 // of a smooth group's cells
	bits   int     // of all cells, if they are CellBits; else 0
	refs   bool
	raw    bool
	smooth bool
	short  bool // nothing but numbers, and so few bits that shortBits may hold them
	first  int  // of a smooth group: the place of its first cell among the smooth ones
}

// planOf returns the plan of a layout, made at its first use.
func (im *Snapshots) planOf(l *Layout) *classPlan {
	for int(l.ID) >= len(im.plans) {
		im.plans = append(im.plans, nil)
	}
	if p := im.plans[l.ID]; p == nil || p.layout != l { // another class may have had the number, which nobody was told of
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
		}
		p.graded = p.graded || g.Weight != 255
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
		gp.short = gp.bits > 0 && gp.bits <= shortest
	}
	return p
}

// urgency returns the weight of the most urgent of some groups.
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
	packed []uint64 // the bits of a group of CellBits as they travel
}

// init makes an image anew, all zero, and keeps its memory.
func (g *snapshot) init(p *groupPlan) {
	g.values.reset()
	if !p.raw {
		g.values.Cells = resized(g.values.Cells, len(p.cells))
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

// take copies v.
func (g *snapshot) take(p *groupPlan, v *Values) {
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

// check panics about values that the layout cannot carry.
func (p *groupPlan) check(v *Values) {
	if p.raw {
		if v.RawBits < 0 || v.RawBits > 8*len(v.Raw) {
			panic(fmt.Sprintf("BUG: %d bits in %d bytes", v.RawBits, len(v.Raw)))
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

// pack joins the cells of a group of CellBits, to be spliced into packets.
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

// forget makes references to an object that is gone none.
func (g *snapshot) forget(p *groupPlan, obj uint32) {
	for i, c := range p.cells {
		if c.Kind == CellRef && g.values.Cells[i] == uint64(obj) {
			g.values.Cells[i] = 0
		}
	}
}

// history is the newest values of the smooth groups of an object, all of them
// behind the tick from which on they were shown: a ring that grows as they
// change more often.
type history struct {
	ring  []uint32
	width int // of a value with its tick
	mask  int // values the ring has room for, less one; -1: none
	first int // the oldest
	n     int
}

// reset makes zero the value of so many cells from a tick on.
func (h *history) reset(cells int, tick uint32) {
	h.first, h.n = 0, 0
	if h.width != cells+1 {
		*h = history{width: cells + 1, mask: -1}
	}
	if cells > 0 {
		clear(h.push(tick))
	}
}

// stamp is the tick of the value at a place, which may be past the ring's end.
func (h *history) stamp(at int) uint32 { return h.ring[at&h.mask*h.width] }

// set makes cells the value of a group, whose first cell has that place, from
// a tick on. The other groups stay as they are.
func (h *history) set(tick uint32, first int, cells []uint64) {
	to := h.newest()
	if h.stamp(h.first+h.n-1) != tick {
		old := to
		to = h.push(tick)
		copy(to, old) // which may have moved, but was not overwritten
	}
	for i, c := range cells {
		to[first+i] = uint32(c)
	}
}

// push makes room for the value from a tick on and returns its cells.
func (h *history) push(tick uint32) []uint32 {
	for h.n >= 2 && tick-h.stamp(h.first+1) > historyTicks {
		h.drop() // nobody asks for a tick before the second any more
	}
	switch {
	case h.n == historyTicks:
		h.drop()
	case h.n == h.mask+1:
		h.grow()
	}
	h.n++
	to := h.cells(h.first + h.n - 1)
	h.ring[(h.first+h.n-1)&h.mask*h.width] = tick
	return to
}

func (h *history) drop() { h.first, h.n = (h.first+1)&h.mask, h.n-1 }

// grow makes room for another value.
func (h *history) grow() {
	size := max(2, 2*h.n)
	ring := make([]uint32, 0, size*h.width)
	for i := range h.n {
		at := (h.first + i) & h.mask * h.width
		ring = append(ring, h.ring[at:at+h.width]...)
	}
	h.ring, h.mask, h.first = ring[:cap(ring)], size-1, 0
}

// newest returns the value now.
func (h *history) newest() []uint32 { return h.cells(h.first + h.n - 1) }

func (h *history) cells(at int) []uint32 {
	at = at & h.mask * h.width
	return h.ring[at+1 : at+h.width : at+h.width]
}

// at returns the value that was shown at a tick, at most relativeAge ago. There
// is one value per tick at most, so that of something which changes every tick
// is found at once.
func (h *history) at(tick uint32) []uint32 {
	top := h.first + h.n - 1
	i := top
	if behind := int32(h.stamp(top) - tick); behind > 0 {
		i = max(h.first, top-int(behind))
		for i < top && h.stamp(i+1) <= tick {
			i++
		}
	}
	return h.cells(i)
}
