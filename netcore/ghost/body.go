package ghost

import (
	"fmt"
	"math/bits"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// tryAdd encodes the groups that a ghost owes and puts them into the section if they take at most
// room bits. Otherwise it changes nothing. only is the one group that an update can carry, or
// noGroup for all groups.
func (g *Stream) tryAdd(id uint16, room, only int) bool {
	p := &g.packet
	b := p.next()
	*b = encodedGhost{id: id}
	composed := g.compose(b, only)
	if p.triedBits = b.bits(); p.scratch.Err() != nil {
		p.triedBits = 8 * netcore.MaxDatagram
	} else if composed && p.take(room) {
		return true
	}
	if b.long > 0 {
		p.scratch.Rewind(p.mark)
	}
	return false
}

// compose builds the body of a ghost. It returns false if there is nothing to send.
func (g *Stream) compose(b *encodedGhost, only int) bool {
	t, id := &g.table, int(b.id)
	held := t.withheld(id)
	pending := g.pending(id)
	o := &g.snapshots.objects[t.obj[id]]
	b.class = o.plan.layout.ID
	b.mask = pending &^ held
	if b.mask&1 != 0 || t.state[id] != Live {
		if only != noGroup {
			return false
		}
		b.kind, b.mask = kindCreate, o.plan.layout.all()&^held
		b.remaining = pending &^ b.mask
		g.composeCreate(o, b)
		return true
	}
	if only != noGroup {
		b.mask &= 1 << only
	}
	b.kind, b.remaining = kindUpdate, pending&^b.mask
	if b.mask == 0 {
		return false
	}
	g.composeUpdate(o, b)
	return true
}

// composeCreate writes a complete object, with blank values for its hidden groups.
func (g *Stream) composeCreate(o *object, b *encodedGhost) {
	w := g.packet.begin(b)
	w.WriteBits(uint64(b.class), classBits)
	hidden := g.table.hiddenOf(int(b.id))
	for i := range o.groups {
		if hidden>>i&1 != 0 {
			g.code.whole(&w.Codec, o.plan.layout, i, o.plan.layout.Groups[i].Blank)
		} else {
			g.writeGroup(w, o, i)
		}
	}
	b.long = int32(w.Pos()) - b.at
}

// composeUpdate encodes some groups of an object. It encodes them relative to the baseline if that
// is shorter.
func (g *Stream) composeUpdate(o *object, b *encodedGhost) {
	if !g.cfg.Check && g.composeShared(o, b) {
		return
	}
	usable := g.usable(int(b.id), o.plan.layout, b.mask)
	if g.cfg.Check || !g.composeShort(o, b, usable) {
		b.short = shortBits{}
		g.composeLong(o, b, usable)
	}
}

// composeLong is the general form of composeUpdate.
func (g *Stream) composeLong(o *object, b *encodedGhost, usable uint32) {
	w, l := g.packet.begin(b), o.plan.layout
	l.codeMaskOf(&w.Codec, &b.mask, g.packet.header.usual)
	m := w.Mark()
	if usable != 0 {
		w.WriteFlag(true)
		if saved := g.writeGroups(w, o, b.mask, usable, b.id); saved > 0 {
			b.relative = usable
		} else {
			w.Rewind(m)
			w.WriteFlag(false)
			usable = 0
		}
	}
	if usable == 0 {
		g.writeGroups(w, o, b.mask, 0, b.id)
	}
	b.long = int32(w.Pos()) - b.at
}

// usable returns the groups of a mask that have a baseline: the peer has a value that is not too
// old.
func (g *Stream) usable(id int, l *Layout, mask uint32) (usable uint32) {
	if !g.packet.header.near {
		return 0
	}
	lines, oldest := g.table.knownTicksOf(id), g.packet.header.oldest()
	for m := mask & l.smooth; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		k := lines[l.track[i]]
		if k.newer != 0 && g.snapshots.tick-k.newer <= oldest {
			usable |= 1 << i
		}
	}
	return usable
}

// writeGroups writes the groups of a mask in ascending order, and those in relative as residuals.
// It returns the number of bits that residuals saved.
func (g *Stream) writeGroups(w *bitstream.Writer, o *object, mask, relative uint32, id uint16) (saved int) {
	r := residual{}
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		if relative>>i&1 == 0 {
			g.writeGroup(w, o, i)
			continue
		}
		from := w.Pos()
		g.findBaseline(&r, o, int(id), i)
		values, newer, older := r.group(&o.plan.groups[i])
		g.code.residuals(&w.Codec, o.plan.layout, i, values, newer, older, r.since, r.span)
		saved += o.plan.groups[i].bits - (w.Pos() - from)
	}
	return saved
}

// writeGroup writes a whole group. It copies the packed bits if all cells are CellBits.
func (g *Stream) writeGroup(w *bitstream.Writer, o *object, i int) {
	image, n := &o.groups[i], o.plan.groups[i].bits
	if n == 0 || g.cfg.Check {
		g.code.whole(&w.Codec, o.plan.layout, i, &image.values)
		return
	}
	for _, word := range image.packed {
		w.WriteBits(word, min(n, 64))
		n -= 64
	}
}

// residual holds the smooth values of an object and the baseline of one or more of its groups.
type residual struct {
	values, newer, older []uint32 // of all smooth groups; older can be nil
	since, span          uint32
	known                knownValues // the ticks of newer and older
}

// findBaseline finds the baseline of a group. If another group of the same object has the same baseline
// ticks, relate reuses the values in r. Most groups are sent together, so this is common.
func (g *Stream) findBaseline(r *residual, o *object, id, group int) {
	k := g.table.knownTicksOf(id)[o.plan.layout.track[group]]
	if r.values != nil && r.known == k {
		return
	}
	r.values, r.newer, r.older = o.history.newest(), o.history.at(k.newer), nil
	r.since, r.span, r.known = g.snapshots.tick-k.newer, 0, k
	if k.older != 0 && g.snapshots.tick-k.older <= g.packet.header.oldest() {
		r.older, r.span = o.history.at(k.older), k.newer-k.older
	}
}

// group returns the part of r that belongs to a group.
func (r *residual) group(p *groupPlan) (values, newer, older []uint32) {
	from, to := p.first, p.first+len(p.cells)
	if older = r.older; older != nil {
		older = older[from:to]
	}
	return r.values[from:to], r.newer[from:to], older
}

// chooseUsual picks the mask that more than half of the updates of the section carry. It picks none
// if there are too few updates to save bits. The next section announces the mask. The result can
// also be a less common mask, and then it only costs bits.
func (p *packet) chooseUsual() {
	votes := 0
	p.usual = 0
	if p.lists[kindUpdate].n < minUsualUpdates {
		return
	}
	for i := range p.bodies {
		switch b := &p.bodies[i]; {
		case b.kind != kindUpdate:
		case votes == 0:
			p.usual, votes = b.mask, 1
		case b.mask == p.usual:
			votes++
		default:
			votes--
		}
	}
}

// write writes the lists after the header, each in ascending order of ids.
func (g *Stream) write(w *bitstream.Writer) {
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
		codeCount(&w.Codec, &n, &gap)
		if itemKind(kind) == kindUpdate && n > 0 {
			codeUsual(&w.Codec, &p.header.usual)
		}
		prev := int32(-1)
		for word, ids := range l.ids {
			for ; ids != 0; ids &= ids - 1 {
				id := uint32(word<<6 + bits.TrailingZeros64(ids))
				b := &p.bodies[slot[id]-1]
				slot[id] = 0
				b.write(w, id-uint32(prev+1), gap, p.buffer)
				prev = int32(id)
			}
		}
	}
	if err := w.Err(); err != nil {
		panic(fmt.Sprintf("BUG: the selected ghosts do not fit the packet: %v", err))
	}
}

// lowest returns the lowest id of a list. The list must not be empty.
func (l *encodedList) lowest() int {
	word := 0
	for l.ids[word] == 0 {
		word++
	}
	return word<<6 + bits.TrailingZeros64(l.ids[word])
}

// recordSection records the contents of the section that was just sent.
func (g *Stream) recordSection(o netcore.Outgoing) {
	p, t, e := &g.packet, &g.table, &g.epoch
	for i := range p.bodies {
		b := &p.bodies[i]
		id := int(b.id)
		g.count(b)
		g.flight.records.Push(record{mask: b.mask, id: b.id, kill: b.kind == kindKill})
		if b.kind == kindKill {
			t.state[id] = Dead
			t.dirty.drop(id)
			continue
		}
		t.sent[id], t.owed[id] = g.snapshots.tick, b.remaining
		if !b.copy {
			t.updated[id] = g.snapshots.tick
			t.confirmed.drop(id)
		}
		if t.state[id] == Unsent {
			t.state[id] = Creating
		}
		if b.remaining&^t.withheld(id) == 0 {
			t.dirty.drop(id)
		}
	}
	e.sent = e.sent || e.owed
	g.flight.nextCopyScan = min(g.flight.nextCopyScan, o.Now+g.ackTimeout())
	g.flight.packets.Push(packetRecord{o.Seq, o.Now, g.snapshots.tick, len(p.bodies), e.owed, e.n})
	g.logGhosts()
}

// count adds a body to the statistics.
func (g *Stream) count(b *encodedGhost) {
	if b.kind == kindKill {
		g.stats.Kills++
		return
	}
	g.counts.of(b.class).add(b.kind, b.bits())
	if b.kind == kindCreate {
		g.stats.Creates++
		return
	}
	g.stats.Updates++
	if b.relative != 0 {
		g.stats.Relative++
	}
}
