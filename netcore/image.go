package netcore

import (
	"fmt"
	"slices"
)

const historyTicks = 64 // most values of a smooth group that are kept; above relativeAge

// imagePlan is what a layout means for its images, found out once.
type imagePlan struct {
	layout *Layout
	graded bool // not all groups are equally urgent
	groups []groupPlan
}

// groupPlan is the part of a plan that concerns a group.
type groupPlan struct {
	cells  []Cell
	bits   int // of all cells, if they are CellBits; else 0
	refs   bool
	raw    bool
	smooth bool
}

// planOf returns the plan of a layout, made at its first use.
func (im *Images) planOf(l *Layout) *imagePlan {
	for _, p := range im.plans {
		if p.layout == l {
			return p
		}
	}
	p := newImagePlan(l)
	im.plans = append(im.plans, p)
	return p
}

func newImagePlan(l *Layout) *imagePlan {
	p := &imagePlan{layout: l, groups: make([]groupPlan, len(l.Groups))}
	for i, g := range l.Groups {
		gp := &p.groups[i]
		*gp = groupPlan{cells: g.Cells, raw: g.Raw != nil, smooth: l.isSmooth(i)}
		p.graded = p.graded || g.Weight != 255
		fixed := !gp.raw
		for _, c := range g.Cells {
			gp.bits += c.Bits
			gp.refs = gp.refs || c.Kind == CellRef
			fixed = fixed && c.Kind == CellBits
		}
		if !fixed {
			gp.bits = 0
		}
	}
	return p
}

// urgency returns the weight of the most urgent of some groups.
func (p *imagePlan) urgency(groups uint32) (weight uint32) {
	for i := range p.layout.Groups {
		if groups>>i&1 != 0 {
			weight = max(weight, uint32(p.layout.Groups[i].Weight))
		}
	}
	return weight
}

// image is the state of one group of one object.
type image struct {
	values Values
	packed []uint64 // the bits of a group of CellBits as they travel
	past   history  // of a smooth group
}

// init makes an image anew, all zero, and keeps its memory.
func (g *image) init(p *groupPlan, tick uint32) {
	g.values.reset()
	if !p.raw {
		g.values.Cells = resized(g.values.Cells, len(p.cells))
		clear(g.values.Cells)
		g.values.Texts = append(g.values.Texts, "")
	}
	g.pack(p)
	if p.smooth {
		g.past.reset(len(p.cells))
		g.past.push(tick, g.values.Cells)
	}
}

func (g *image) equal(v *Values) bool {
	a := &g.values
	return slices.Equal(a.Cells, v.Cells) && slices.Equal(a.Texts, v.Texts) && a.RawBits == v.RawBits &&
		slices.Equal(a.Raw, v.Raw) && slices.Equal(a.RawEnds, v.RawEnds)
}

// take copies v.
func (g *image) take(p *groupPlan, v *Values, tick uint32) {
	p.check(v)
	to := &g.values
	to.Cells = append(to.Cells[:0], v.Cells...)
	to.Texts = append(to.Texts[:0], v.Texts...)
	to.Raw = append(to.Raw[:0], v.Raw...)
	to.RawEnds = append(to.RawEnds[:0], v.RawEnds...)
	to.RawBits = v.RawBits
	g.pack(p)
	if p.smooth {
		g.past.push(tick, v.Cells)
	}
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
	for i, c := range p.cells {
		bad := false
		switch c.Kind {
		case CellBits:
			bad = c.Bits < 64 && v.Cells[i]>>c.Bits != 0
		case CellText:
			bad = v.Cells[i] >= uint64(len(v.Texts)) || len(v.Texts[v.Cells[i]]) > c.Max
		}
		if bad {
			panic(fmt.Sprintf("BUG: the value of field %s is too large for its cell", c.Field))
		}
	}
}

// pack joins the cells of a group of CellBits, to be spliced into packets.
func (g *image) pack(p *groupPlan) {
	g.packed = resized(g.packed, (p.bits+63)/64)
	clear(g.packed)
	at := 0
	for i := range p.cells {
		if p.bits == 0 {
			return
		}
		v, n := g.values.Cells[i], p.cells[i].Bits
		g.packed[at/64] |= v << (at % 64)
		if at%64+n > 64 {
			g.packed[at/64+1] = v >> (64 - at%64)
		}
		at += n
	}
}

// forget makes references to an object that is gone none.
func (g *image) forget(p *groupPlan, obj uint32) {
	for i, c := range p.cells {
		if c.Kind == CellRef && g.values.Cells[i] == uint64(obj) {
			g.values.Cells[i] = 0
		}
	}
}

// history is the newest values of a smooth group, with the tick from which on
// each was shown: a ring that grows as the values change more often.
type history struct {
	stamps []uint32
	cells  []uint32 // width of each
	width  int
	first  int // the oldest
	n      int
}

func (h *history) reset(width int) {
	h.first, h.n = 0, 0
	if h.width != width {
		*h = history{width: width}
	}
}

// push makes cells the value from a tick on.
func (h *history) push(tick uint32, cells []uint64) {
	if h.n > 0 && h.stamps[h.index(h.n-1)] == tick {
		h.n--
	}
	for h.n >= 2 && tick-h.stamps[h.index(1)] > historyTicks {
		h.first, h.n = h.index(1), h.n-1 // nobody asks for a tick before the second any more
	}
	if h.n == len(h.stamps) {
		h.grow()
	}
	at := h.index(h.n)
	h.stamps[at] = tick
	to := h.cells[at*h.width:]
	for i, c := range cells {
		to[i] = uint32(c)
	}
	h.n++
}

// index returns where in the ring the i-th oldest value is.
func (h *history) index(i int) int { return (h.first + i) & (len(h.stamps) - 1) }

// grow makes room for another value, or drops the oldest.
func (h *history) grow() {
	old := *h
	if old.n == historyTicks {
		h.first, h.n = h.index(1), h.n-1
		return
	}
	h.stamps, h.cells, h.first = make([]uint32, max(2, 2*old.n)), make([]uint32, max(2, 2*old.n)*h.width), 0
	for i := range old.n {
		at := old.index(i)
		h.stamps[i] = old.stamps[at]
		copy(h.cells[i*h.width:(i+1)*h.width], old.cells[at*h.width:])
	}
}

// newest returns the value now.
func (h *history) newest() []uint32 {
	at := h.index(h.n-1) * h.width
	return h.cells[at : at+h.width : at+h.width]
}

// at returns the value that was shown at a tick, at most relativeAge ago. There
// is one value per tick at most, so that of something which changes every tick
// is found at once.
func (h *history) at(tick uint32) []uint32 {
	mask, top := len(h.stamps)-1, h.first+h.n-1
	i := top
	if behind := int32(h.stamps[top&mask] - tick); behind > 0 {
		i = max(h.first, top-int(behind))
		for i < top && h.stamps[(i+1)&mask] <= tick {
			i++
		}
	}
	i = i & mask * h.width
	return h.cells[i : i+h.width : i+h.width]
}
