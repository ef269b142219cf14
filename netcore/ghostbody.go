package netcore

import (
	"fmt"
	"math/bits"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// fits writes what a ghost has to tell to the scratch buffer, and puts it into
// the section if there is room; otherwise nothing has happened. only is the one
// group that an update may carry, or noGroup for all.
func (g *Ghosts) fits(id uint16, room, only int) bool {
	p := &g.packet
	m := p.scratch.Mark()
	b := ghostBody{id: id, at: int32(p.scratch.Pos())}
	if !g.compose(&b, only) {
		return false
	}
	b.bits = int32(p.scratch.Pos()) - b.at
	if p.scratch.Err() != nil || p.with(b.kind, int(id), int(b.bits)) > room {
		p.scratch.Rewind(m)
		return false
	}
	p.take(b)
	return true
}

// compose writes a ghost's body. It returns false if there is nothing to write.
func (g *Ghosts) compose(b *ghostBody, only int) bool {
	t, id := &g.table, int(b.id)
	held := t.withheld(id)
	pending := g.pending(id)
	o := &g.images.objects[t.obj[id]]
	b.mask = pending &^ held
	if b.mask&1 != 0 || t.state[id] != GhostLive {
		if only != noGroup {
			return false
		}
		b.kind, b.mask = ghostCreate, o.plan.layout.all()&^held
		b.rest = pending &^ b.mask
		g.composeCreate(o)
		return true
	}
	if only != noGroup {
		b.mask &= 1 << only
	}
	b.kind, b.rest = ghostUpdate, pending&^b.mask
	if b.mask == 0 {
		return false
	}
	g.composeUpdate(o, b)
	return true
}

// composeCreate writes an object in full.
func (g *Ghosts) composeCreate(o *imageObject) {
	w := &g.packet.scratch
	w.WriteBits(uint64(o.plan.layout.ID), classBits)
	for i := range o.groups {
		g.writeGroup(w, o, i)
	}
}

// composeUpdate writes some groups: relative to what the peer has, if that is
// shorter.
func (g *Ghosts) composeUpdate(o *imageObject, b *ghostBody) {
	w, l := &g.packet.scratch, o.plan.layout
	l.codeMask(&w.Stream, &b.mask)
	usable := g.usable(int(b.id), l, b.mask)
	if usable == 0 {
		g.writeGroups(w, o, b.mask, 0, b.id)
		return
	}
	m := w.Mark()
	w.WriteFlag(true)
	if saved := g.writeGroups(w, o, b.mask, usable, b.id); saved > 0 {
		b.relative = usable
		return
	}
	w.Rewind(m)
	w.WriteFlag(false)
	g.writeGroups(w, o, b.mask, 0, b.id)
}

// usable returns which groups of a mask the peer has a value of that is good
// enough to be relative to.
func (g *Ghosts) usable(id int, l *Layout, mask uint32) (usable uint32) {
	if !g.packet.header.based {
		return 0
	}
	for m := mask & l.smooth; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		k := g.table.lines[l.track[i]][id]
		if k.newer != 0 && g.images.tick-k.newer <= relativeAge {
			usable |= 1 << i
		}
	}
	return usable
}

// writeGroups writes the groups of a mask in ascending order, those in relative
// as residuals, and returns how many bits that saved.
func (g *Ghosts) writeGroups(w *bitstream.Writer, o *imageObject, mask, relative uint32, id uint16) (saved int) {
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		if relative>>i&1 == 0 {
			g.writeGroup(w, o, i)
			continue
		}
		from := w.Pos()
		r := g.residual(o, int(id), i)
		g.code.residuals(&w.Stream, o.plan.layout, i, r.values, r.newer, r.older, r.since, r.span, g.packet.header.order)
		saved += o.plan.groups[i].bits - (w.Pos() - from)
	}
	return saved
}

// writeGroup writes a whole group. One that is nothing but bits is spliced.
func (g *Ghosts) writeGroup(w *bitstream.Writer, o *imageObject, i int) {
	image, n := &o.groups[i], o.plan.groups[i].bits
	if n == 0 || g.cfg.Check {
		g.code.whole(&w.Stream, o.plan.layout, i, &image.values)
		return
	}
	for _, word := range image.packed {
		w.WriteBits(word, min(n, 64))
		n -= 64
	}
}

// residual is a smooth group's value, and those that it is relative to.
type residual struct {
	values, newer, older []uint32 // older is nil if there is only one
	since, span          uint32
}

func (g *Ghosts) residual(o *imageObject, id, group int) (r residual) {
	k := g.table.lines[o.plan.layout.track[group]][id]
	h := &o.groups[group].past
	r.values, r.newer, r.since = h.newest(), h.at(k.newer), g.images.tick-k.newer
	if k.older != 0 && g.images.tick-k.older <= relativeAge {
		r.older, r.span = h.at(k.older), k.newer-k.older
	}
	return r
}

// chooseOrder finds, every so many packets, which order makes the residuals of
// some of the updates shortest. The next packets use it.
func (g *Ghosts) chooseOrder() {
	p := &g.packet
	if p.rounds--; p.rounds >= 0 {
		return
	}
	var cost [4]int
	sampled := 0
	for i := range p.bodies {
		b := &p.bodies[i]
		if b.relative == 0 {
			continue
		}
		o := &g.images.objects[g.table.obj[b.id]]
		for m := b.relative; m != 0; m &= m - 1 {
			group := bits.TrailingZeros32(m)
			r := g.residual(o, int(b.id), group)
			for k := range cost {
				cost[k] += g.code.residualBits(o.plan.layout, group, r.values, r.newer, r.older, r.since, r.span, uint8(k))
			}
		}
		if sampled++; sampled == orderSample {
			break
		}
	}
	if sampled == 0 {
		p.rounds = 0
		return
	}
	p.rounds = orderRounds
	for k, c := range cost {
		if c < cost[p.order] {
			p.order = uint8(k)
		}
	}
}

// write puts the lists behind the header, each in the order of ids.
func (g *Ghosts) write(w *bitstream.Writer) {
	p, slot := &g.packet, g.table.slot
	for i := range p.bodies {
		slot[p.bodies[i].id] = uint16(i + 1)
	}
	for kind := range p.lists {
		l := &p.lists[kind]
		n, gap := uint32(l.n), uint8(0)
		if l.n > 0 {
			gap = gapParameter(l.n, l.lowest(), l.high)
		}
		codeCount(&w.Stream, &n, &gap)
		prev := int32(-1)
		for word, ids := range l.ids {
			for ; ids != 0; ids &= ids - 1 {
				id := uint32(word<<6 + bits.TrailingZeros64(ids))
				b := &p.bodies[slot[id]-1]
				slot[id] = 0
				codeGap(&w.Stream, &prev, &id, gap)
				w.Splice(p.buffer, int(b.at), int(b.bits))
			}
		}
	}
	if err := w.Err(); err != nil {
		panic(fmt.Sprintf("BUG: ghosts that were to fit do not: %v", err))
	}
}

// lowest returns the first id of a list that is not empty.
func (l *ghostList) lowest() int {
	word := 0
	for l.ids[word] == 0 {
		word++
	}
	return word<<6 + bits.TrailingZeros64(l.ids[word])
}

// remember records what the section carries, and that it is sent.
func (g *Ghosts) remember(seq Seq) {
	p, t, e := &g.packet, &g.table, &g.epoch
	for i := range p.bodies {
		b := &p.bodies[i]
		id := int(b.id)
		g.count(b)
		g.flight.records.push(ghostRecord{mask: b.mask, id: b.id, kill: b.kind == ghostKill})
		if b.kind == ghostKill {
			t.state[id] = GhostDead
			t.hot.drop(id)
			continue
		}
		t.sent[id], t.owed[id] = g.images.tick, b.rest
		if t.state[id] == GhostNew {
			t.state[id] = GhostCreating
		}
		if b.rest&^t.withheld(id) == 0 {
			t.hot.drop(id)
		}
	}
	e.shown = e.shown || e.owed
	g.flight.packets.push(ghostCarrier{seq, g.images.tick, len(p.bodies), e.owed, e.n})
	g.logGhosts()
}

// count adds a body to the statistics.
func (g *Ghosts) count(b *ghostBody) {
	if b.kind == ghostKill {
		g.stats.Kills++
		return
	}
	c := g.counts.of(g.images.objects[g.table.obj[b.id]].plan.layout.ID)
	c.Bits += uint64(b.bits)
	if b.kind == ghostCreate {
		g.stats.Creates++
		c.Creates++
		return
	}
	g.stats.Updates++
	c.Updates++
	if b.relative != 0 {
		g.stats.Relative++
	}
}
