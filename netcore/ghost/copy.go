package ghost

import "math/bits"

// Copies of bodies that are in the table of encodings. The ghosts of a word of the connection's
// table go through four steps: demand (which groups, against which baseline), search in the table
// of encodings, encoding of what is missing there, and the copy. Each step is a loop of its own.
// The loops for nearly all ghosts call no functions, so that the compiler keeps their variables in
// registers.

// wordBodies describes the bodies for the ghosts of a word.
type wordBodies struct {
	wanted [64]groupsAge // the update
	places [64]uint32    // its entry in the table of encodings
}

// takeWord puts updates of ghosts of a word of the table into the section, in order, up to the
// first that does not fit. It returns that one and those behind it.
func (g *Stream) takeWord(w int, ids uint64) (left uint64) {
	found := g.findBodies(w, ids)
	for ids != 0 {
		other := ids &^ found
		copyable := ids & (other&-other - 1) // those before the first other one
		copied := copyable &^ g.copyBodies(w, copyable)
		if ids &^= copied; ids == 0 {
			return 0
		}
		id := w<<6 + bits.TrailingZeros64(ids)
		if !g.takeUpdate(id, g.completed(id, g.pending(id)&^g.table.withheld(id))) {
			return ids
		}
		ids &= ids - 1
	}
	return 0
}

// findBodies finds the bodies of the updates of some ghosts of a word in the table of encodings,
// and encodes those that are missing. It returns the ghosts with a body in the table. The updates
// of the others cannot be there, see demand.
func (g *Stream) findBodies(w int, ids uint64) (found uint64) {
	if g.cfg.Check {
		return 0
	}
	t, p, first := &g.table, g.packet, w<<6
	found = g.demandWord(w, ids&^(t.owing[w]|t.split[w]|t.holding[w]))
	for rest := ids &^ found; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) & 63
		if what, ok := g.demand(first + i); ok {
			p.bodies.wanted[i] = what
			found |= 1 << i
		}
	}
	objects, tick := (*[64]uint32)(t.obj[first:]), g.snapshots.tick
	missing := p.encodings.search(&p.bodies, objects, tick, found)
	for m := missing; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		g.encode(p.bodies.places[i], first+i, p.bodies.wanted[i])
	}
	return found &^ p.encodings.replaced(&p.bodies, objects, missing, found)
}

// demandWord is the fast form of demand. The ghosts have the changes since they were sent and
// nothing else to send, nothing is withheld, and they are not in split. It fills in wanted, and
// returns the ghosts for which it has done so.
func (g *Stream) demandWord(w int, ids uint64) (found uint64) {
	t, p, first := &g.table, g.packet, w<<6
	objects, sent := (*[64]uint32)(t.obj[first:]), (*[64]uint32)(t.sent[first:])
	newer, spans := (*[64]uint32)(t.newer[first:]), (*[64]uint16)(t.span[first:])
	recent, tick, usual, oldest, wanted := g.snapshots.recent, g.snapshots.tick, p.header.usual, g.oldest(), &p.bodies.wanted
	found = ids
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		changes := &recent[objects[i]]
		n := changes.last - sent[i] - 1 // index in groups; too large also for a ghost without changes
		if n >= recentTicks || changes.groups[n]&1 != 0 {
			found &^= 1 << i
			continue
		}
		mask, age := changes.groups[n], groupsAge(0)
		if since := tick - newer[i]; since <= oldest && mask&changes.smooth != 0 {
			if age = groupsAge(since) << 16; since+uint32(spans[i]) <= oldest {
				age |= groupsAge(spans[i])
			}
			if completes(mask, usual, changes.light) {
				mask = usual
			}
		}
		wanted[i] = groupsAge(mask)<<32 | age
	}
	return found
}

// demand returns the groups of an update of a ghost, and the age of its baseline. It returns false
// if the update cannot be in the table of encodings: the object must be created anew, groups are
// kept back, or the groups have different baselines.
func (g *Stream) demand(id int) (what groupsAge, ok bool) {
	t := &g.table
	mask, changes := g.pending(id), &g.snapshots.recent[t.obj[id]]
	if mask&1 != 0 || t.holding.has(id) {
		return 0, false
	}
	groups := mask & changes.smooth
	if groups == 0 {
		return newGroupsAge(mask, 0, 0), true
	}
	k, ok := t.commonKnown(id, changes.smooth, groups)
	since, span := g.age(k)
	return newGroupsAge(g.completed(id, mask), since, span), ok
}

// copyBodies is the fast form of takeUpdate for ghosts of a word with a body in the table of
// encodings. It copies the bodies in order. It stops at a body that is too long, and at one that
// may not fit. It returns that ghost and those behind it.
func (g *Stream) copyBodies(w int, ids uint64) (rest uint64) {
	if ids == 0 {
		return 0
	}
	p, first := g.packet, w<<6
	l := &p.lists[kindUpdate]
	items, left := p.grow(l, first+63-bits.LeadingZeros64(ids))
	n, size := 0, 0
	for rest = ids; rest != 0; {
		run := p.copyRun(items[n:], first, rest, left)
		if run.n == 0 {
			if run = p.copyLong(items[n:], first, rest, left); run.n == 0 {
				break
			}
		}
		g.countUpdates(run)
		rest, left, n, size = run.rest, left-run.bits-run.n*l.gapBits(), n+run.n, size+run.bits
	}
	if n > 0 {
		g.sentWord(w, ids&^rest, items[:n])
		p.encodings.used += uint64(n)
		p.extend(l, n, size)
	}
	return rest
}

// copiedRun is the result of copyRun.
type copiedRun struct {
	n, bits  int    // items, and their size
	rest     uint64 // the other ghosts
	class    uint16
	relative bool
}

// copyRun copies bodies of one class and of at most 64 bits to items, in order. It stops at another
// body, and at one that takes more than the bits left.
func (p *packet) copyRun(to []item, first int, ids uint64, left int) (run copiedRun) {
	entries, places, usual := p.encodings.entries, &p.bodies.places, p.header.usual
	gapBits, kind, lead := p.lists[kindUpdate].gapBits(), entries[places[bits.TrailingZeros64(ids)&63]].kind, 0
	if usual != 0 {
		lead = 1 // the first bit of a mask tells whether it is the usual one
	}
	n, total := 0, 0
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		e := &entries[places[i]]
		mask, code, codeSize := e.groupsAge.mask(), uint64(1), 1
		if mask != usual {
			code, codeSize = uint64(e.code)<<(lead&1), int(e.codeSize)+lead
		}
		size := codeSize + int(e.size)
		left -= size + gapBits
		if left < 0 || size > shortItem || e.kind != kind || n >= len(to) { // the last spares a bounds check
			break
		}
		to[n] = item{bits: e.bits<<(codeSize&63) | code, mask: mask, size: uint16(size), id: uint16(first + i)}
		n++
		total += size
	}
	return copiedRun{n, total, ids, kind.class(), kind.relative()}
}

// copyLong copies the body of the first ghost, as copyRun does, if it is of 65 to shortCapacity
// bits.
func (p *packet) copyLong(to []item, first int, ids uint64, left int) (run copiedRun) {
	i, usual := bits.TrailingZeros64(ids)&63, p.header.usual
	place := p.bodies.places[i]
	e := &p.encodings.entries[place]
	mask, code, n := e.groupsAge.mask(), uint64(1), 1
	if mask != usual {
		code, n = e.maskCode(usual)
	}
	size := n + int(e.size)
	if size+p.lists[kindUpdate].gapBits() > left || e.size == longBody || n >= longMask {
		return copiedRun{rest: ids}
	}
	w := p.begin()
	w.WriteBits(code, n)
	w.WriteBits(e.bits, min(int(e.size), 64))
	if e.size > 64 {
		w.WriteBits(p.encodings.high[place], int(e.size)-64)
	}
	to[0] = item{bits: uint64(p.from), mask: mask, size: uint16(size), id: uint16(first + i)}
	return copiedRun{1, size, ids & (ids - 1), e.kind.class(), e.kind.relative()}
}

// sentWord records that the packet carries some items, the ghosts taken of a word.
func (g *Stream) sentWord(w int, taken uint64, items []item) {
	t, usual, tick, same := &g.table, g.packet.header.usual, g.snapshots.tick, uint64(0)
	sent := (*[64]uint32)(t.sent[w<<6:])
	for i := range items {
		at := items[i].id & 63
		sent[at] = tick
		if items[i].mask == usual {
			same |= 1 << at
		}
	}
	if same != taken {
		for i := range items {
			if it := &items[i]; it.mask != usual {
				g.flight.addWord(record{ids: 1 << (it.id & 63), mask: it.mask, word: uint16(w)})
			}
		}
	}
	if g.packet.lists[kindUpdate].usual += bits.OnesCount64(same); same != 0 {
		g.flight.addWord(record{ids: same, mask: usual, word: uint16(w)})
	}
	t.sentAll(w, taken)
}

// countUpdates adds copied updates to the statistics.
func (g *Stream) countUpdates(run copiedRun) {
	class := g.counts.of(run.class)
	class.Updates, class.UpdateBits = class.Updates+uint64(run.n), class.UpdateBits+uint64(run.bits)
	g.stats.Updates += uint64(run.n)
	if run.relative {
		g.stats.Relative += uint64(run.n)
	}
}
