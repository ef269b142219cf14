package ghost

import "math/bits"

// Updates are put into the section word by word of the table: a word is 64 ids, one after the
// other. A word takes four steps. findKeys finds out which update each ghost needs (wordkeys.go).
// copyRun copies the updates from the table that the connections of a worker share, up to one that
// the table lacks. Then fill joins all that it lacks (join.go), and copyRun goes on. recordRun
// records what was sent. Updates that the table cannot hold, and those that may not fit, go one by
// one (takeUpdate).

// takeWord puts updates of ghosts of a word of the table into the section, in order, up to the
// first that does not fit. It returns that one and those behind it.
func (g *Stream) takeWord(w int, ids uint64) (left uint64) {
	g.findKeys(w, ids)
	k := &g.packet.word
	for left = ids; left != 0; left &= left - 1 {
		if !g.cfg.Check {
			if left = g.takeRun(w, left); left == 0 {
				break
			}
		}
		i := bits.TrailingZeros64(left) & 63
		if !g.takeUpdate(w<<6+i, k.masks[i]) {
			break
		}
	}
	return left
}

// takeRun puts updates of ghosts of a word into the section, in order. It stops at one that the
// table cannot hold, or that may not fit. It returns that ghost and those behind it.
func (g *Stream) takeRun(w int, ids uint64) (rest uint64) {
	p := g.packet
	k, l, r := &p.word, &p.lists[kindUpdate], wordRun{word: w}
	r.items, r.left = p.grow(l, w<<6+63-bits.LeadingZeros64(ids))
	for rest = ids; rest != 0; {
		copied := g.copyRun(&r, rest)
		if rest &^= copied; copied != 0 {
			continue
		}
		if k.filled {
			break
		}
		g.fill(w, rest)
		k.filled = true
	}
	if r.n > 0 {
		g.recordRun(&r, ids&^rest)
		p.extend(l, r.n, r.size)
	}
	return rest
}

// wordRun holds the updates of a word that takeRun has made so far.
type wordRun struct {
	word    int
	items   *[64]item
	n, size int // the items in use, and their bits
	left    int // bits that the next items can take, each with its gap
}

// copyRun copies updates of one kind, in order. It stops at a ghost whose update is of another kind
// or not in the table, and at one that may not fit. It returns the ghosts before. The loop has so
// few variables that all of them are in registers.
func (g *Stream) copyRun(r *wordRun, ids uint64) (copied uint64) {
	p, first := g.packet, r.word<<6
	objects, k := (*[64]uint32)(g.table.obj[first:]), &p.word
	entries, form, to := p.encodings.updates, p.encodings.form, r.items
	kind := entries[k.places[bits.TrailingZeros64(ids)&63]].kind
	end, size, rest := r.n, 0, ids
	for ; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) & 63
		e := &entries[k.places[i]]
		if !k.holds(e, objects[i], form, i) || e.kind != kind {
			break
		}
		it := &to[end&63]
		it.low, it.high = e.low, e.high // as one literal, the item would be copied twice
		it.mask, it.size, it.id = e.mask, uint16(e.size), uint16(first+i)
		size += int(e.size)
		end++
	}
	copied = ids &^ rest
	gapBits := p.lists[kindUpdate].gapBits()
	for ; end > r.n && size+(end-r.n)*gapBits > r.left; end-- { // the last ones may not fit
		it := &to[(end-1)&63]
		size -= int(it.size)
		copied &^= 1 << (it.id & 63)
	}
	if n := end - r.n; n > 0 {
		r.n, r.size, r.left = end, r.size+size, r.left-size-n*gapBits
		g.stats.Ways.Looped, g.stats.Ways.Lookups = g.stats.Ways.Looped+uint64(n), g.stats.Ways.Lookups+uint64(n)
		g.countUpdates(kind.class(), kind.relative(), n, size)
	}
	return copied
}

// recordRun records the updates of a run, which are those of some ghosts of the word.
func (g *Stream) recordRun(r *wordRun, ids uint64) {
	t, k, first := &g.table, &g.packet.word, r.word<<6
	usual := ids & k.usual
	for rest := ids &^ usual; rest != 0; rest &= rest - 1 {
		g.flight.addWord(record{ids: rest & -rest, mask: k.masks[bits.TrailingZeros64(rest)&63], word: uint16(r.word)})
	}
	if usual != 0 {
		g.flight.addWord(record{ids: usual, mask: g.packet.header.usual, word: uint16(r.word)})
		g.packet.lists[kindUpdate].usual += bits.OnesCount64(usual)
	}
	tick, sent := g.snapshots.tick, (*[64]uint32)(t.sent[first:])
	for i := range r.items[:r.n] {
		sent[r.items[i].id&63] = tick
	}
	owing := uint64(0)
	for rest := ids & t.holding[r.word]; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) & 63
		if later := k.later[i]; later != 0 {
			t.owe(first+i, later)
			owing |= 1 << i
		}
	}
	t.sentAll(r.word, ids, owing)
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
