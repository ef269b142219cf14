package dissect

import (
	"fmt"
	"math/bits"
	"slices"
)

const (
	ghostBits   = 16
	idCount     = 1 << ghostBits
	relativeAge = 60 // ticks
	plainMask   = 4  // groups besides 0 that a class can have for a mask of plain bits
)

// ghostFlow is the state of the receiver of ghosts.
type ghostFlow struct {
	ghosts   map[uint32]*ghost
	epoch    uint64
	base     uint64       // the newest base that a packet named
	sections [256]section // by packet
}

// section is a section that was received.
type section struct {
	seq  uint64
	tick uint32
}

// ghost is a received ghost.
type ghost struct {
	class  *class
	birth  uint64           // the packet of its first create
	values map[int][]sample // of smooth groups, oldest first: those that can still be baselines
}

// sample is the values of a smooth group in a packet.
type sample struct {
	seq   uint64
	tick  uint32
	cells []uint32
}

// ghostSection is what one section says before its lists.
type ghostSection struct {
	tick   uint32
	near   bool
	base   uint64
	oldest uint32 // age in ticks
	usual  uint32
}

// readGhosts reads the ghost section.
func (r *reading) readGhosts() {
	defer r.within("ghosts")()
	if !r.flag("active") {
		return
	}
	reset, epoch := r.flag("reset"), uint64(0)
	if reset {
		epoch = r.bits("epoch", 8)
	}
	var h ghostSection
	r.readTick(&h)
	h.oldest = relativeAge << r.bits("age", 3)
	if !r.ok() {
		return
	}
	if r.applies {
		r.ghosts.base = h.base
		if reset && epoch != r.ghosts.epoch {
			r.ghosts.epoch = epoch
			clear(r.ghosts.ghosts)
		}
	}
	r.list("kills", nil, r.kill)
	r.list("creates", nil, func(id uint32) { r.create(&h, id) })
	r.list("updates", func() { h.usual = uint32(r.gamma("usual", 1)) << 1 }, func(id uint32) { r.update(&h, id) })
	if r.ok() && r.applies {
		r.ghosts.sections[r.seq%256] = section{r.seq, h.tick}
	}
}

// readTick reads the tick of the section, and its base.
func (r *reading) readTick(h *ghostSection) {
	h.base = r.ghosts.base
	if !r.flag("based") {
		h.tick = uint32(r.bits("tick", 32))
		return
	}
	back := r.bits("back", 8)
	base := r.ghosts.sections[(r.seq-back)%256]
	if r.ok() && (back == 0 || back > r.seq || base.seq != r.seq-back || base.seq == 0) {
		r.fail("back", "the receiver has no section %d packets before", back)
	}
	from, since := r.pos(), uint64(0)
	r.r.Gamma(&since)
	since--
	if r.ok() && since > 1<<32-1-uint64(base.tick) {
		r.fail("tick", "the tick exceeds 32 bits")
	}
	h.base, h.tick = base.seq, base.tick+uint32(since)
	h.near = back <= relativeAge || since <= relativeAge
	r.add("tick", from, h.tick)
	if r.ok() && h.base < r.ghosts.base {
		r.fail("back", "the base is before that of an earlier packet")
	}
}

// list reads a list of ghosts. before reads what precedes the items.
func (r *reading) list(name string, before func(), item func(id uint32)) {
	defer r.within(name)()
	n := r.gamma("count", 1)
	if n > idCount {
		r.fail("count", "%d ghosts in a list", n)
	}
	if n == 0 || !r.ok() {
		return
	}
	k := int(r.bits("k", 4))
	if before != nil {
		before()
	}
	next := uint64(0)
	for i := 0; uint64(i) < n && r.ok(); i++ {
		leave := r.withinItem(i)
		from, skipped := r.pos(), uint32(0)
		r.r.Rice(&skipped, k)
		id := next + uint64(skipped)
		r.add("id", from, id)
		if id >= idCount {
			r.fail("id", "a ghost id of %d", id)
		}
		next = id + 1
		if r.ok() {
			item(uint32(id))
		}
		leave()
	}
}

func (r *reading) kill(id uint32) {
	g := r.ghosts.ghosts[id]
	if g == nil {
		r.fail("id", "a kill of ghost %d, which is not there", id)
		return
	}
	r.fields[len(r.fields)-1].Means = g.class.Name
	if r.applies {
		delete(r.ghosts.ghosts, id)
	}
}

// create reads a complete ghost.
func (r *reading) create(h *ghostSection, id uint32) {
	number := int(r.bits("class", classBits))
	if !r.ok() {
		return
	}
	c := r.s.classes.ghost(number)
	if c == nil {
		r.fail("class", "there is no class %d of ghosts", number)
		return
	}
	r.fields[len(r.fields)-1].Means = c.Name
	g := r.ghosts.ghosts[id]
	if g != nil && g.class != c {
		r.fail("class", "ghost %d is a %s", id, g.class.Name)
		return
	}
	if g == nil {
		g = &ghost{class: c, birth: r.seq, values: map[int][]sample{}}
		if r.applies {
			r.ghosts.ghosts[id] = g
		}
	}
	for i := range c.groups {
		r.whole(h, g, i)
	}
}

// update reads some groups of a ghost.
func (r *reading) update(h *ghostSection, id uint32) {
	g := r.ghosts.ghosts[id]
	if g == nil {
		r.fail("id", "an update of ghost %d, which is not there", id)
		return
	}
	r.fields[len(r.fields)-1].Means = g.class.Name
	mask := r.mask(g.class, h.usual)
	usable := uint32(0)
	for m := mask; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m); r.hasBaseline(h, g, i) {
			usable |= 1 << i
		}
	}
	if usable != 0 && !r.flag("relative") {
		usable = 0
	}
	for m := mask; m != 0 && r.ok(); m &= m - 1 {
		if i := bits.TrailingZeros32(m); usable>>i&1 != 0 {
			r.relative(h, g, i)
		} else {
			r.whole(h, g, i)
		}
	}
}

// mask reads the mask of an update.
func (r *reading) mask(c *class, usual uint32) (mask uint32) {
	from := r.pos()
	if usual != 0 && r.r.ReadFlag() {
		mask = usual
	} else if groups := len(c.groups) - 1; groups > plainMask && r.r.ReadFlag() {
		mask = 2 << r.r.ReadBits(bits.Len(uint(groups-1)))
	} else {
		mask = uint32(r.r.ReadBits(groups)) << 1
	}
	r.add("mask", from, mask)
	if r.ok() && (mask == 0 || mask&^c.all() != 0) {
		r.fail("mask", "the class %s has no groups %#x", c.Name, mask)
	}
	return mask
}

// whole reads a whole group.
func (r *reading) whole(h *ghostSection, g *ghost, i int) {
	group := &g.class.groups[i]
	if group.byHand {
		r.fail(fmt.Sprintf("group%d", i), "the group %d of %s is written by hand", i, g.class.Name)
	}
	values, start := make([]uint32, len(group.cells)), r.pos()
	for k := range group.cells {
		c := &group.cells[k]
		if !r.ok() {
			return
		}
		switch c.kind {
		case cellBits:
			from, code := r.pos(), r.r.ReadBits(c.bits)
			r.add(c.name(), from, code).Means = r.meaning(c, code)
			values[k] = uint32(code)
		case cellText:
			r.r.ForgetText()
			r.text(c.name(), c.field.Max)
		case cellRef:
			r.reference(c.name())
		}
		r.fieldMark(group, k, start)
	}
	r.keep(h, g, i, values)
}

// reference reads a reference to a ghost.
func (r *reading) reference(name string) {
	from := r.pos()
	if !r.r.ReadFlag() {
		r.add(name, from, nil)
		return
	}
	id := uint32(r.r.ReadBits(ghostBits))
	f := r.add(name, from, id)
	if g := r.ghosts.ghosts[id]; g != nil {
		f.Means = g.class.Name
	}
}

// fieldMark reads the mark behind a field.
func (r *reading) fieldMark(g *group, k, start int) {
	if !r.s.check || k+1 < len(g.cells) && g.cells[k+1].field == g.cells[k].field {
		return
	}
	wrote := r.pos() - start
	if mark := r.bits(g.cells[k].field.Name+".mark", 32); r.ok() && mark != 0x746F|uint64(wrote)<<16 {
		r.fail(g.cells[k].field.Name+".mark", "the mark is %08x", mark)
	}
}

// meaning returns the value of a cell of bits in units of the game.
func (r *reading) meaning(c *cell, code uint64) any {
	switch {
	case c.block:
		if b := r.blocks[code-1]; code > 0 && b != nil {
			return b.name
		}
		return nil
	case c.scale.bits == 0:
		return nil
	}
	return c.scale.number(code)
}

// hasBaseline reports whether a group has a baseline in this section.
func (r *reading) hasBaseline(h *ghostSection, g *ghost, i int) bool {
	if !h.near || i == 0 || !g.class.groups[i].smooth {
		return false
	}
	newer, _ := g.baseline(i, h.base)
	return newer != nil && h.tick-newer.tick <= h.oldest
}

// baseline returns the newest values of a group from packets up to the base, and those before. They
// are nil where there are none.
func (g *ghost) baseline(i int, base uint64) (newer, older *sample) {
	all := g.values[i]
	n := 0
	for n < len(all) && all[n].seq <= base {
		n++
	}
	if n > 0 {
		newer = &all[n-1]
	}
	if n > 1 {
		older = &all[n-2]
	}
	return newer, older
}

// relative reads a group as residuals against its baseline.
func (r *reading) relative(h *ghostSection, g *ghost, i int) {
	group := &g.class.groups[i]
	newer, older := g.baseline(i, h.base)
	since, span := h.tick-newer.tick, uint32(0)
	if older != nil && h.tick-older.tick <= h.oldest {
		span = newer.tick - older.tick
	}
	r.derive(fmt.Sprintf("group%d.newer", i), newer.tick)
	if span > 0 {
		r.derive(fmt.Sprintf("group%d.older", i), older.tick)
	}
	order, start := residualOrder(since, span), r.pos()
	values := make([]uint32, len(group.cells))
	for _, k := range group.order() {
		c := &group.cells[k]
		at := newer.cells[k]
		if rate := c.rate; rate != nil {
			at = rate.predict(at, newer.cells[rate.cell], values[rate.cell], since)
		} else if span > 0 {
			at += extrapolate(newer.cells[k]-older.cells[k], c.bits, since, span)
		}
		from, u := r.pos(), uint32(0)
		if r.r.Golomb(&u, order); uint64(u)>>c.bits != 0 {
			r.fail(c.name(), "a residual exceeds the width of its cell")
		}
		if !r.ok() {
			r.note(c.name())
			return
		}
		values[k] = (at + (u>>1 ^ -(u & 1))) & uint32(1<<c.bits-1)
		residual := uint64(u)
		f := r.add(c.name(), from, values[k])
		f.Residual, f.Means = &residual, c.scale.number(uint64(values[k]))
		r.fieldMark(group, k, start)
	}
	r.keep(h, g, i, values)
}

// order returns the cells in the order of their residuals: those with a rate are last.
func (g *group) order() (order []int) {
	for _, rated := range []bool{false, true} {
		for k := range g.cells {
			if g.cells[k].rate != nil == rated {
				order = append(order, k)
			}
		}
	}
	return order
}

// predict returns the prediction of a cell with a rate.
func (r *cellRate) predict(newer, rateNewer, rate, since uint32) uint32 {
	sum := (int64(rate)-int64(r.zero))*int64(since+1) + (int64(rateNewer)-int64(r.zero))*int64(since-1)
	return newer + uint32(sum*int64(r.scale)>>21)
}

// extrapolate returns the change since the newer value, from the difference to the older one.
func extrapolate(difference uint32, width int, since, span uint32) uint32 {
	signed := int64(int32(difference<<(32-width)) >> (32 - width))
	return uint32(signed * int64(since) / int64(span))
}

// residualOrder returns the order of the residuals.
func residualOrder(since, span uint32) int {
	for order := range 3 {
		if uint64(since) <= uint64(span)<<(order+1) {
			return order
		}
	}
	return 3
}

// keep keeps the values of a smooth group, for baselines. It drops those that cannot be baselines
// any more.
func (r *reading) keep(h *ghostSection, g *ghost, i int, values []uint32) {
	if !r.ok() || !r.applies || i == 0 || !g.class.groups[i].smooth {
		return
	}
	all := g.values[i]
	n := 0
	for n+2 < len(all) && all[n+2].seq <= h.base {
		n++
	}
	g.values[i] = append(slices.Delete(all, 0, n), sample{r.seq, h.tick, values})
}
