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

// takeUpdates puts updates into the section while they fit. It first chooses a few less than
// probably fit, so that none with a high priority is left out. It then fills the rest of the room.
// The next packet begins its walk at the first ghost that did not fit. If one of its groups did
// fit, it begins where this packet has begun.
func (g *Stream) takeUpdates(seq netcore.Seq) {
	p := g.packet
	c, l := &p.updates, &p.lists[kindUpdate]
	misses := 0
	for c.n > 0 && misses < maxMisses && p.room-p.used >= minItemBits {
		fit := (p.room - p.used) / g.updateBits.mean()
		hand := g.updateHand
		most := max(fit-fit/laterItems, 1)
		if c.n > most {
			g.rank()
		}
		next := c.choose(p.keys, most, hand)
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

// missUpdate handles an update that does not fit. The first one of a section without updates sends
// one of its groups instead. If that does not fit either, or if the section has updates, the next
// packet begins its walk there.
func (g *Stream) missUpdate(id, misses int, seq netcore.Seq) {
	p := g.packet
	tried := p.triedBits
	if misses == 0 {
		if len(p.lists[kindUpdate].items) == 0 && g.takeGroup(id, seq) {
			return
		}
		g.updateHand = id
	}
	if p.items() == 0 {
		g.tooLarge(id, tried)
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

// takeUpdate puts an update with some groups into the section. If the object itself has changed, it
// is a create.
func (g *Stream) takeUpdate(id int, mask uint32) bool {
	if mask&1 != 0 {
		return g.takeCreate(id, g.packet.room)
	}
	var u joined
	var it item
	short := !g.cfg.Check && g.join(&u, id, mask)
	if short {
		it = item{u.low, u.high, mask, uint16(u.n), uint16(id)}
	} else {
		it, u.relative = g.composeUpdate(id, mask)
	}
	if !g.packet.add(kindUpdate, it, g.packet.room) {
		return false
	}
	g.sent(id, mask, g.pending(id)&^mask)
	if short {
		g.countJoined(&u)
		return true
	}
	l := g.snapshots.objects[g.table.obj[id]].plan.layout
	g.stats.Ways.Composed[g.causeOf(l, mask)]++
	g.countUpdates(l.ID, u.relative, 1, int(it.size))
	return true
}

// causeOf returns the cause of an update that is not joined.
func (g *Stream) causeOf(l *Layout, mask uint32) Cause {
	switch {
	case g.cfg.Check:
		return CauseCheck
	case mask&^l.plain != 0:
		return CauseReference
	}
	return CauseLong
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
	if since, _ := g.packet.age(t.knownAt(id)); since == 0 {
		return mask
	}
	return usual
}
