package ghost

import (
	"math/bits"

	"github.com/torc-engine/torc/netcore"
)

// meanBits is a mean size of items, in bits.
type meanBits struct{ sixteenths int }

// add moves the mean a sixteenth of the way to the size of an item.
func (m *meanBits) add(bits int) {
	if m.sixteenths == 0 {
		m.sixteenths = 16 * bits
	}
	m.sixteenths += bits - m.sixteenths/16
}

// mean returns the mean, at least minItemBits.
func (m *meanBits) mean() int {
	if m.sixteenths == 0 {
		return firstItemBits
	}
	return max(m.sixteenths/16, minItemBits)
}

// takeUpdates puts updates into the section while they fit. It first chooses a few less than probably
// fit, so that none with a high priority is left out. It then fills the rest of the room. The ghost
// that does not fit is the first one of the next packet.
func (g *Stream) takeUpdates(seq netcore.Seq) {
	p := g.packet
	c, l := &p.updates, &p.lists[kindUpdate]
	misses := 0
	for c.n > 0 && misses < maxMisses && p.room-p.used >= minItemBits {
		fit := (p.room - p.used) / g.updateBits.mean()
		hand := g.updateHand
		next := c.choose(max(fit-fit/laterItems, 1), hand)
		words := len(c.chosen)
		for step := 0; step <= words && misses < maxMisses; step++ {
			w, part := roundStep(hand, step, words)
			for ids := c.chosen[w] & part; ids != 0 && misses < maxMisses; {
				missed := g.takeWord(w, ids)
				if missed == 0 {
					break
				}
				id := w<<6 + bits.TrailingZeros64(missed)
				g.missUpdate(id, misses, seq)
				misses++
				ids = missed & (missed - 1)
			}
		}
		if misses == 0 {
			g.updateHand = next
		}
		if n := len(l.items); n > 0 {
			g.updateBits = meanBits{16 * (l.cost) / n}
		}
	}
}

// missUpdate handles an update that does not fit.
func (g *Stream) missUpdate(id, misses int, seq netcore.Seq) {
	p := g.packet
	if tried := p.triedBits; misses > 0 || len(p.lists[kindUpdate].items) > 0 || !g.takeGroup(id, seq) {
		if misses == 0 {
			g.updateHand = id
		}
		if p.items() == 0 {
			g.tooLarge(id, tried)
		}
	}
}

// takeGroup puts one group of a ghost into the section. Each packet starts with another group.
func (g *Stream) takeGroup(id int, seq netcore.Seq) bool {
	pending := g.pending(id) &^ g.table.withheld(id)
	n := bits.OnesCount32(pending)
	if pending&1 != 0 {
		return false // the object must be created anew
	}
	for i := range n {
		m := pending
		for range (int(seq) + i) % n {
			m &= m - 1
		}
		if g.takeUpdate(id, m&-m) {
			return true
		}
	}
	return false
}

// takeUpdate puts an update with some groups into the section. If the object itself has changed, it is
// a create.
func (g *Stream) takeUpdate(id int, mask uint32) bool {
	if mask&1 != 0 {
		return g.takeCreate(id, g.packet.room)
	}
	it, relative := g.composeUpdate(id, mask)
	if !g.packet.add(kindUpdate, it, g.packet.room) {
		return false
	}
	g.sent(id, mask, g.pending(id)&^mask)
	g.stats.Updates++
	if relative {
		g.stats.Relative++
	}
	g.counts.of(g.snapshots.objects[g.table.obj[id]].plan.layout.ID).add(kindUpdate, int(it.size))
	return true
}

// takeWord puts updates of ghosts of a word of the table into the section, in order, up to the first
// that does not fit. It returns that one and those behind it.
func (g *Stream) takeWord(w int, ids uint64) (left uint64) {
	for ids != 0 {
		if ids = g.copyWord(w, ids); ids == 0 {
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

// copyWord is the fast form of takeUpdate for ghosts of a word of the table. It copies the bodies
// in order from the table of encodings. It stops at a ghost whose update cannot be in the table,
// because the object must be created anew, groups are kept back, or its groups have different
// baselines. It also stops at a body that is too long, and at one that may not fit. It returns that
// ghost and those behind it.
func (g *Stream) copyWord(w int, ids uint64) (rest uint64) {
	t, p, s := &g.table, g.packet, g.snapshots
	if g.cfg.Check {
		return ids
	}
	l, first, all := &p.lists[kindUpdate], w<<6, ids
	objects, sent, known := (*[64]uint32)(t.obj[first:]), (*[64]uint32)(t.sent[first:]), (*[64]knownValues)(t.known[first:])
	last, recent, tick, usual, table, oldest := s.last, s.recent, s.tick, p.header.usual, &p.encodings, uint32(0)
	if p.header.near {
		oldest = p.header.oldest()
	}
	items, n, size, left := p.grow(l, first+63-bits.LeadingZeros64(ids))
	owing, split, holding := t.owing[w], t.split[w], t.holding[w]
	same, counter := uint64(0), updateCounter{stream: g, n: n, bits: size}
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		obj := objects[i]
		changes := &recent[obj]
		mask := uint32(0) // as pending returns
		if n := last[obj] - sent[i] - 1; n < recentTicks {
			mask = changes.groups[n]
		} else {
			mask = s.since(obj, sent[i])
		}
		if owing>>i&1 != 0 {
			mask |= t.owed[first+i]
		}
		if mask&1 != 0 || holding>>i&1 != 0 {
			break
		}
		since, span := uint32(0), uint32(0) // as age returns
		if groups := mask & changes.smooth; groups != 0 {
			k, one := known[i], split>>i&1 == 0
			if !one {
				var common bool
				if k, common = t.commonKnown(first+i, changes.smooth, groups); !common {
					break
				}
			}
			if k.newer != 0 && tick-k.newer <= oldest {
				if since = tick - k.newer; k.older != 0 && tick-k.older <= oldest {
					span = k.newer - k.older
				}
				if one && completes(mask, usual, changes.light) {
					mask = usual
				}
			}
		}
		// its body, encoded once per tick and worker
		what := newGroupsAge(mask, since, span)
		e, ok := table.at(obj, tick, what)
		if !ok {
			table.misses++
			g.encode(e, obj, first+i, what)
		}
		code, bits := uint64(1), 1
		if mask != usual {
			code, bits = e.maskCode(usual)
		}
		sum := bits + int(e.size)
		if sum+1+l.gap > left || e.size == longBody || bits >= longMask {
			break
		}
		left -= sum + 1 + l.gap
		body := e.bits<<bits | code
		if sum > shortItem {
			body = p.addLong(e, code, bits)
		}
		// the update is taken
		items[n] = item{bits: body, mask: mask, size: uint16(sum), id: uint16(first + i)}
		n++
		size += sum
		sent[i] = tick
		if mask == usual {
			same |= 1 << i
		} else {
			g.flight.addWord(record{ids: 1 << i, mask: mask, word: uint16(w)})
		}
		if counter.class != e.class {
			counter.flush(n-1, size-sum)
			counter.class = e.class
		}
		if !e.relative {
			counter.whole++
		}
	}
	counter.flush(n, size)
	if taken := all &^ ids; taken != 0 {
		if l.usual += bits.OnesCount64(same); same != 0 {
			g.flight.addWord(record{ids: same, mask: usual, word: uint16(w)})
		}
		t.sentAll(w, taken)
		table.used += uint64(n - len(l.items))
		p.extend(l, items[:n], first+63-bits.LeadingZeros64(taken), size)
	}
	return ids
}

// lightCells is the most cells of a smooth group that an update carries although they have not
// changed.
const lightCells = 2

// completes reports whether an update with a mask becomes one with the usual mask. This adds only
// light groups. Their residuals take about as many bits as the longer code of another mask, and all
// smooth groups of the ghost keep the same baseline.
func completes(mask, usual, light uint32) bool {
	return mask != usual && mask&^usual == 0 && usual&^mask&^light == 0
}

// completed returns the mask of an update, completed to the usual one if a baseline makes that
// cheap.
func (g *Stream) completed(id int, mask uint32) uint32 {
	t, usual := &g.table, g.packet.header.usual
	changes := &g.snapshots.recent[t.obj[id]]
	if mask&changes.smooth == 0 || t.split.has(id) || !completes(mask, usual, changes.light) || usual&t.withheld(id) != 0 {
		return mask
	}
	if !g.packet.header.near {
		return mask
	}
	if since, _ := g.age(t.known[id]); since == 0 {
		return mask
	}
	return usual
}

// updateCounter counts the updates of a list, and adds them to the statistics class by class.
type updateCounter struct {
	stream  *Stream
	class   uint16
	n, bits int // of the list, when it was flushed last
	whole   int // updates since then without a group relative to a baseline
}

// flush counts the updates up to a length and a size of the list.
func (c *updateCounter) flush(n, bits int) {
	if n == c.n {
		return
	}
	updates, size := uint64(n-c.n), uint64(bits-c.bits)
	class, stats := c.stream.counts.of(c.class), &c.stream.stats
	class.Updates, class.UpdateBits = class.Updates+updates, class.UpdateBits+size
	stats.Updates, stats.Relative = stats.Updates+updates, stats.Relative+updates-uint64(c.whole)
	c.n, c.bits, c.whole = n, bits, 0
}
