package ghost

import (
	"math/bits"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// composeCreate writes a complete object, with blank values for its hidden groups.
func (g *Stream) composeCreate(w *bitstream.Writer, o *object, hidden uint32) {
	w.WriteBits(uint64(o.plan.layout.ID), classBits)
	for i := range o.plan.groups {
		if hidden>>i&1 != 0 {
			g.code.whole(&w.Codec, o.plan.layout, i, o.plan.layout.Groups[i].Blank)
		} else {
			g.writeGroup(w, o, i)
		}
	}
}

// composeUpdate encodes some groups of a Live ghost, in its general form. It encodes them relative
// to the baseline if that is shorter. The item is the newest one in the scratch buffer if it is
// long.
func (g *Stream) composeUpdate(id int, mask uint32) (it item, relative bool) {
	p := g.packet
	w := p.begin()
	relative = g.composeLong(w, &g.snapshots.objects[g.table.obj[id]], id, mask)
	return p.end(id, mask), relative
}

// composeLong writes some groups of a Live ghost.
func (g *Stream) composeLong(w *bitstream.Writer, o *object, id int, mask uint32) (relative bool) {
	o.plan.layout.codeMaskOf(&w.Codec, &mask, g.packet.header.usual)
	m := w.Mark()
	if usable := g.usable(id, mask); usable != 0 {
		w.WriteFlag(true)
		if g.writeGroups(w, o, id, mask, usable) > 0 {
			return true
		}
		w.Rewind(m)
		w.WriteFlag(false)
	}
	g.writeGroups(w, o, id, mask, 0)
	return false
}

// usable returns the groups of a mask that have a baseline: the peer has a value that is not too
// old.
func (g *Stream) usable(id int, mask uint32) (usable uint32) {
	smooth := g.smoothOf(id)
	for m := mask & smooth; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		if since, _ := g.packet.age(g.table.knownOf(id, smooth, i)); since != 0 {
			usable |= 1 << i
		}
	}
	return usable
}

// smoothOf returns the smooth groups of a ghost's class, 0 if its object is gone.
func (g *Stream) smoothOf(id int) uint32 { return g.snapshots.recent[g.table.obj[id]].smooth }

// age returns the ticks from the newer known value to this packet, and from the older to the newer
// one. Without a baseline since is 0. With only the newer value span is 0.
func (p *packet) age(k knownValues) (since, span uint32) {
	if since = p.header.tick - k.newer; since > p.oldest {
		return 0, 0
	}
	if since+uint32(k.span) <= p.oldest {
		span = uint32(k.span)
	}
	return since, span
}

// oldestBaseline returns the highest age of a baseline in the packet under construction. It is 0 if
// the packet can have none. An unknown value has tick 0, so it is always older.
func (h *header) oldestBaseline() uint32 {
	if !h.near {
		return 0
	}
	return min(h.oldest(), h.tick-1)
}

// writeGroups writes the groups of a mask in ascending order, and those in relative as residuals.
// It returns the number of bits that residuals saved.
func (g *Stream) writeGroups(w *bitstream.Writer, o *object, id int, mask, relative uint32) (saved int) {
	r := residual{}
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		if relative>>i&1 == 0 {
			g.writeGroup(w, o, i)
			continue
		}
		from := w.Pos()
		g.findBaseline(&r, o, id, i)
		p := &o.plan.groups[i]
		values, newer, older := r.cells(p.first, len(p.cells))
		g.code.residuals(&w.Codec, o.plan.layout, i, values, newer, older, r.since, r.span)
		saved += o.plan.groups[i].bits - (w.Pos() - from)
	}
	return saved
}

// writeGroup writes a whole group. It copies the packed bits of a plain group.
func (g *Stream) writeGroup(w *bitstream.Writer, o *object, i int) {
	p := &o.plan.groups[i]
	if !p.plain || g.cfg.Check {
		g.code.whole(&w.Codec, o.plan.layout, i, o.values(i, g.checked))
		return
	}
	for n, at := p.bits, p.place; n > 0; n, at = n-64, at+1 {
		w.WriteBits(o.packed[at], min(n, 64))
	}
}

// residual holds the smooth values of an object and the baseline of one or more of its groups.
type residual struct {
	values, newer, older []uint32 // of all smooth groups; older can be nil
	since, span          uint32
	known                knownValues // the ticks of newer and older
}

// findBaseline finds the baseline of a group. If another group of the same object has the same
// baseline ticks, it keeps the values in r. Most groups are sent together, so this is common.
func (g *Stream) findBaseline(r *residual, o *object, id, group int) {
	k := g.table.knownOf(id, g.smoothOf(id), group)
	if r.values != nil && r.known == k {
		return
	}
	since, span := g.packet.age(k)
	r.find(&g.snapshots.histories[g.table.obj[id]], g.snapshots.tick, since, span)
	r.known = k
}

// find finds the values of a baseline with an age.
func (r *residual) find(h *history, tick, since, span uint32) {
	r.since, r.span = since, span
	r.values, r.newer, r.older = h.newest(), h.at(tick-since), nil
	if span != 0 {
		r.older = h.at(tick - since - span)
	}
}

// cells returns n cells of the values and of the baseline, from an index on.
func (r *residual) cells(from, n int) (values, newer, older []uint32) {
	if older = r.older; older != nil {
		older = older[from : from+n]
	}
	return r.values[from : from+n], r.newer[from : from+n], older
}
