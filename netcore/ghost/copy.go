package ghost

import "math/bits"

// Copies of updates that are in the table of encodings. Nearly all ghosts of a packet are plain:
// they owe the changes since they were sent and nothing else, nothing is withheld, and their smooth
// groups have the same known values. Three numbers of such a ghost tell which update it needs: when
// it was sent, and the two ticks of the known values. So copyRun finds the update without a look at
// the object. It calls no functions, so that the compiler keeps its variables in registers.

// takeWord puts updates of ghosts of a word of the table into the section, in order, up to the
// first that does not fit. It returns that one and those behind it.
func (g *Stream) takeWord(w int, ids uint64) (left uint64) {
	t := &g.table
	plain := ids &^ (t.owing[w] | t.split[w] | t.holding[w])
	if g.cfg.Check {
		plain = 0
	}
	for found := false; ids != 0; {
		other := ids &^ plain
		copyable := ids & (other&-other - 1) // those before the first other one
		copied := copyable &^ g.copyPlain(w, copyable)
		if ids &^= copied; ids == 0 {
			return 0
		}
		if copyable != copied && !found {
			g.findPlain(w, ids&plain)
			found = true
			continue
		}
		if !g.takeOne(w<<6 + bits.TrailingZeros64(ids)) {
			return ids
		}
		ids &= ids - 1
	}
	return 0
}

// takeOne puts an update of a ghost into the section. It is for updates that copyPlain does not
// take.
func (g *Stream) takeOne(id int) bool {
	t, pending := &g.table, g.pending(id)
	mask := g.completed(id, pending&^t.withheld(id))
	if g.cfg.Check || mask&1 != 0 {
		return g.takeUpdate(id, mask, CauseOther)
	}
	smooth := g.snapshots.recent[t.obj[id]].smooth
	known, common := t.commonKnown(id, smooth, mask&smooth)
	if !common {
		return g.takeUpdate(id, mask, CauseSplit)
	}
	place := g.find(id, mask, known)
	g.stats.Ways.Lookups++
	if g.packet.encodings.entries[place].size == longUpdate {
		return g.takeUpdate(id, mask, g.longCause(id, mask))
	}
	return g.copyOne(id, place, pending&^mask)
}

// longCause returns the cause of an update that is not in the table.
func (g *Stream) longCause(id int, mask uint32) Cause {
	if mask&^g.snapshots.objects[g.table.obj[id]].plan.layout.plain != 0 {
		return CauseReference
	}
	return CauseLong
}

// findPlain puts the updates of plain ghosts of a word into the table, where copyPlain finds them.
func (g *Stream) findPlain(w int, ids uint64) {
	t, table, first := &g.table, &g.packet.encodings, w<<6
	for ; ids != 0; ids &= ids - 1 {
		id := first + bits.TrailingZeros64(ids)
		known := t.knownAt(id)
		key := newUpdateKey(t.obj[id], table.form, g.snapshots.tick-known.newer, known.span)
		if e := &table.entries[key.place(table.shift)]; e.holds(key) && e.serves(t.sent[id]) {
			continue
		}
		if mask := g.pending(id); mask&1 == 0 {
			e := &table.entries[g.find(id, g.completed(id, mask), known)]
			e.sent, e.reach = g.reach(id, e)
		}
	}
}

// find returns the place of an update of a ghost in the table of encodings. It encodes the update
// if it is missing. All smooth groups of the mask have the same known values.
func (g *Stream) find(id int, mask uint32, known knownValues) (place uint32) {
	table := &g.packet.encodings
	key := newUpdateKey(g.table.obj[id], table.form, g.snapshots.tick-known.newer, known.span)
	place = key.place(table.shift)
	if e := &table.entries[place]; !e.holds(key) || e.mask != mask {
		g.encode(place, id, mask, key, known)
	}
	return place
}

// reach returns the newest tick, and the number of ticks before it, in which a plain ghost can have
// been sent so that it needs the update of an entry. The given ghost needs it.
func (g *Stream) reach(id int, e *encoding) (newest uint32, before uint8) {
	c, sent, usual := &g.snapshots.recent[g.table.obj[id]], g.table.sent[id], g.packet.header.usual
	n := c.last - sent - 1 // index in groups
	if n >= recentTicks {
		return sent, 0
	}
	first, last, mask := n, n, c.groups[n]
	needs := func(groups uint32) bool {
		return groups == mask || groups == e.mask || e.kind.relative() && e.mask == usual && groups&c.smooth != 0 && completes(groups, usual, c.light)
	}
	for first > 0 && needs(c.groups[first-1]) {
		first--
	}
	for last+1 < recentTicks && needs(c.groups[last+1]) {
		last++
	}
	return c.last - 1 - first, uint8(last - first)
}

// copyPlain copies the updates of plain ghosts of a word, in order. It stops at one that is not in
// the table, is too long for copyRun, or may not fit. It returns that ghost and those behind it.
func (g *Stream) copyPlain(w int, ids uint64) (rest uint64) {
	if ids == 0 {
		return 0
	}
	p := g.packet
	l := &p.lists[kindUpdate]
	items, left := p.grow(l, w<<6+63-bits.LeadingZeros64(ids))
	n, size, usual := 0, 0, uint64(0)
	for rest = ids; rest != 0; {
		run := g.copyRun(items[n:], w, rest, left)
		if run.n == 0 {
			break
		}
		g.countUpdates(run.kind, run.n, run.bits)
		rest, usual, left = run.rest, usual|run.usual, left-run.bits-run.n*l.gapBits()
		n, size = n+run.n, size+run.bits
	}
	if n > 0 {
		g.recordCopies(w, ids&^rest, usual, items[:n])
		g.stats.Ways.Looped, g.stats.Ways.Lookups = g.stats.Ways.Looped+uint64(n), g.stats.Ways.Lookups+uint64(n)
		p.extend(l, n, size)
	}
	return rest
}

// copiedRun is the result of copyRun.
type copiedRun struct {
	n, bits int    // items, and their size
	usual   uint64 // ghosts whose item has the usual mask
	rest    uint64 // ghosts that are not copied
	kind    updateKind
}

// copyRun copies updates of one kind and of at most shortItem to items, in order, and records that
// their ghosts were sent. It stops at another update, and at one that takes more than the bits
// left.
func (g *Stream) copyRun(to []item, w int, ids uint64, left int) (run copiedRun) {
	t, p, first := &g.table, g.packet, w<<6
	objects, sent := (*[64]uint32)(t.obj[first:]), (*[64]uint32)(t.sent[first:])
	newer, spans := (*[64]uint32)(t.newer[first:]), (*[64]uint16)(t.span[first:])
	table, gapBits, usual, tick := &p.encodings, p.lists[kindUpdate].gapBits(), p.header.usual, g.snapshots.tick
	entries, shift, form := table.entries, table.shift, table.form
	n, total, same := 0, 0, uint64(0)
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		key := newUpdateKey(objects[i], form, tick-newer[i], spans[i])
		e := &entries[key.place(shift)]
		size := int(e.size)
		if !e.holds(key) || !e.serves(sent[i]) || size > shortItem || n >= len(to) { // the last spares a bounds check
			break
		}
		if e.kind != run.kind {
			if n > 0 {
				break
			}
			run.kind = e.kind
		}
		if left -= size + gapBits; left < 0 {
			break
		}
		to[n] = item{bits: e.bits, mask: e.mask, size: uint16(size), id: uint16(first + i)}
		n++
		total += size
		sent[i] = tick
		if e.mask == usual {
			same |= 1 << i
		}
	}
	run.n, run.bits, run.usual, run.rest = n, total, same, ids
	return run
}

// recordCopies records the items that copyRun made for some ghosts of a word. Those of the ghosts
// in usual have the usual mask.
func (g *Stream) recordCopies(w int, copied, usual uint64, items []item) {
	mask := g.packet.header.usual
	if usual != copied {
		for i := range items {
			if it := &items[i]; it.mask != mask {
				g.flight.addWord(record{ids: 1 << (it.id & 63), mask: it.mask, word: uint16(w)})
			}
		}
	}
	if usual != 0 {
		g.flight.addWord(record{ids: usual, mask: mask, word: uint16(w)})
		g.packet.lists[kindUpdate].usual += bits.OnesCount64(usual)
	}
	g.table.sentAll(w, copied)
}

// copyOne copies an update in the table to the section. remaining are the groups that the ghost
// owes afterwards. It returns false if the update does not fit.
func (g *Stream) copyOne(id int, place, remaining uint32) bool {
	p := g.packet
	l, e := &p.lists[kindUpdate], &p.encodings.entries[place]
	it := p.shortItem(id, e.mask, &shortBits{e.bits, p.encodings.high[place], int(e.size)})
	if !p.add(kindUpdate, it, p.room) {
		return false
	}
	if it.mask == p.header.usual {
		l.usual++
	}
	g.stats.Ways.Joined++
	g.sent(id, it.mask, remaining)
	g.countUpdates(e.kind, 1, int(it.size))
	return true
}

// countUpdates adds copied updates of a kind to the statistics.
func (g *Stream) countUpdates(kind updateKind, n, size int) {
	class := g.counts.of(kind.class())
	class.Updates, class.UpdateBits = class.Updates+uint64(n), class.UpdateBits+uint64(size)
	g.stats.Updates += uint64(n)
	if kind.relative() {
		g.stats.Relative += uint64(n)
	}
}
