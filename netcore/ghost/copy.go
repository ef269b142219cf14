package ghost

import "math/bits"

// Updates are put into the section word by word of the table. Many ghosts are plain: they owe the
// changes since they were sent and nothing else, nothing is withheld, and their smooth groups have
// the same known values. Three numbers of such a ghost tell which update it needs: when it was
// sent, and the two ticks of the known values. So copyRun finds the update without a look at the
// object. It calls no functions, so that the compiler keeps its variables in registers. The updates
// of all others are joined (join.go).

// takeWord puts updates of ghosts of a word of the table into the section, in order, up to the
// first that does not fit. It returns that one and those behind it.
func (g *Stream) takeWord(w int, ids uint64) (left uint64) {
	for ids != 0 {
		if !g.cfg.Check {
			if ids = g.takeRun(w, ids); ids == 0 {
				return 0
			}
		}
		id := w<<6 + bits.TrailingZeros64(ids)
		if mask := g.completed(id, g.pending(id)&^g.table.withheld(id)); mask == 0 {
			g.takeNothing(id)
		} else if !g.takeUpdate(id, mask) {
			return ids
		}
		ids &= ids - 1
	}
	return 0
}

// takeRun puts updates of ghosts of a word into the section, in order. It stops at one that join
// does not make, or that may not fit. It returns that ghost and those behind it.
func (g *Stream) takeRun(w int, ids uint64) (rest uint64) {
	t, p := &g.table, g.packet
	l, r := &p.lists[kindUpdate], wordRun{word: w, plain: ids &^ (t.owing[w] | t.split[w] | t.holding[w])}
	r.items, r.left = p.grow(l, w<<6+63-bits.LeadingZeros64(ids))
	found := false
	for rest = ids; rest != 0; {
		if first := rest & -rest; r.plain&first != 0 {
			other := rest &^ r.plain
			copied := g.copyRun(&r, rest&(other&-other-1)) // those before the first other one
			if rest &^= copied; copied != 0 {
				continue
			}
			if !found {
				g.findPlain(w, rest&r.plain)
				found = true
				continue
			}
		}
		if !g.joinOne(&r, bits.TrailingZeros64(rest)) {
			break
		}
		rest &= rest - 1
	}
	if r.n > 0 {
		g.recordRun(&r, ids&^rest&^r.empty)
		p.extend(l, r.n, r.size)
	}
	return rest
}

// wordRun holds the updates of a word that takeRun has made so far.
type wordRun struct {
	word    int
	plain   uint64 // the plain ghosts
	usual   uint64 // ghosts whose item has the usual mask
	empty   uint64 // ghosts without an item: they have nothing to send
	owing   uint64 // ghosts that owe withheld groups afterwards
	items   []item
	n, size int // the items in use, and their bits
	left    int // bits that the next items can take, each with its gap
}

// copyRun copies updates of one kind and of at most shortItem bits, in order, and records that
// their ghosts were sent. It stops at a ghost whose update is another one or not in the table, and
// at one that may not fit. It returns the ghosts before.
func (g *Stream) copyRun(r *wordRun, ids uint64) (copied uint64) {
	t, p, first := &g.table, g.packet, r.word<<6
	objects, sent := (*[64]uint32)(t.obj[first:]), (*[64]uint32)(t.sent[first:])
	newer, spans := (*[64]uint32)(t.newer[first:]), (*[64]uint16)(t.span[first:])
	table, gapBits, usual, tick := &p.encodings, p.lists[kindUpdate].gapBits(), p.header.usual, g.snapshots.tick
	entries, shift, form := table.updates, table.shift, table.form
	to, left := r.items[r.n:], r.left
	n, total, same, kind, rest := 0, 0, uint64(0), updateKind(0), ids
	for ; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) & 63
		key := newUpdateKey(objects[i], form, tick-newer[i], spans[i])
		e := &entries[key.place(shift)]
		size := int(e.size)
		if !e.holds(key) || !e.serves(sent[i]) || n >= len(to) { // the last spares a bounds check
			break
		}
		if e.kind != kind {
			if n > 0 {
				break
			}
			kind = e.kind
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
	if n > 0 {
		r.usual, r.n, r.size, r.left = r.usual|same, r.n+n, r.size+total, r.left-total-n*gapBits
		g.stats.Ways.Looped, g.stats.Ways.Lookups = g.stats.Ways.Looped+uint64(n), g.stats.Ways.Lookups+uint64(n)
		g.countUpdates(kind.class(), kind.relative(), n, total)
	}
	return ids &^ rest
}

// joinOne joins the update of ghost i of a word, and records that it was sent. It returns false if
// join does not make the update, or if it may not fit.
func (g *Stream) joinOne(r *wordRun, i int) bool {
	t, p, id := &g.table, g.packet, r.word<<6+i
	pending := g.pending(id)
	mask := g.completed(id, pending&^t.withheld(id))
	var u joined
	if mask == 0 {
		g.takeNothing(id)
		r.empty |= 1 << i
		return true
	}
	if mask&1 != 0 || !g.join(&u, id, mask) {
		return false
	}
	size := u.n + p.lists[kindUpdate].gapBits()
	if size > r.left || r.n == len(r.items) {
		return false
	}
	r.items[r.n] = p.shortItem(id, mask, &u.shortBits)
	r.n, r.size, r.left = r.n+1, r.size+u.n, r.left-size
	if mask == p.header.usual {
		r.usual |= 1 << i
	}
	t.sent[id] = g.snapshots.tick
	if remaining := pending &^ mask; remaining != 0 {
		t.owe(id, remaining)
		r.owing |= 1 << i
	}
	g.countJoined(&u)
	return true
}

// takeNothing records that a ghost has nothing to send.
func (g *Stream) takeNothing(id int) {
	g.table.dirty.drop(id)
	g.packet.empty++
}

// recordRun records the updates of a run, which are those of some ghosts of the word.
func (g *Stream) recordRun(r *wordRun, ids uint64) {
	mask := g.packet.header.usual
	if r.usual != ids {
		for i := range r.items[:r.n] {
			if it := &r.items[i]; it.mask != mask {
				g.flight.addWord(record{ids: 1 << (it.id & 63), mask: it.mask, word: uint16(r.word)})
			}
		}
	}
	if r.usual != 0 {
		g.flight.addWord(record{ids: r.usual, mask: mask, word: uint16(r.word)})
		g.packet.lists[kindUpdate].usual += bits.OnesCount64(r.usual)
	}
	g.table.sentAll(r.word, ids, r.owing)
}

// findPlain puts the updates of plain ghosts of a word into the table, where copyRun finds them.
func (g *Stream) findPlain(w int, ids uint64) {
	t, table, first := &g.table, &g.packet.encodings, w<<6
	for ; ids != 0; ids &= ids - 1 {
		id := first + bits.TrailingZeros64(ids)
		known := t.knownAt(id)
		key := newUpdateKey(t.obj[id], table.form, g.snapshots.tick-known.newer, known.span)
		e := &table.updates[key.place(table.shift)]
		if e.holds(key) && e.serves(t.sent[id]) {
			continue
		}
		mask := g.completed(id, g.pending(id))
		if mask&1 == 0 && (e.holds(key) && e.mask == mask || g.joinPlain(e, key, id, mask)) {
			e.sent, e.reach = g.reach(id, e)
		}
	}
}

// joinPlain joins the update of a plain ghost into an entry. It returns false if it is too long for
// that.
func (g *Stream) joinPlain(e *encoding, key updateKey, id int, mask uint32) bool {
	var u joined
	if !g.encodeSmooth(&u, g.table.obj[id], mask, g.table.knownAt(id)) && !g.join(&u, id, mask) {
		return false
	}
	if u.missed {
		g.stats.Ways.Filled++ // joinOne, which serves a longer one, misses nothing any more
	}
	if u.n > shortItem {
		return false
	}
	*e = encoding{bits: u.low, objectForm: key.objectForm, age: key.age, mask: mask, kind: newUpdateKind(u.class, u.relative), size: uint8(u.n)}
	return true
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

// countJoined adds a joined update to the statistics.
func (g *Stream) countJoined(u *joined) {
	g.stats.Ways.Joined++
	if u.missed {
		g.stats.Ways.Filled++
	}
	g.countUpdates(u.class, u.relative, 1, u.n)
}

// countUpdates adds updates of a class, and their total size, to the statistics.
func (g *Stream) countUpdates(class uint16, relative bool, n, size int) {
	c := g.counts.of(class)
	c.Updates, c.UpdateBits = c.Updates+uint64(n), c.UpdateBits+uint64(size)
	g.stats.Updates += uint64(n)
	if relative {
		g.stats.Relative += uint64(n)
	}
}
