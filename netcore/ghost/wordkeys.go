package ghost

import "math/bits"

// The first step of the updates of a word of the table: which update does each ghost need? Each
// question about the ghosts has a short loop of its own, because the columns of a connection are
// not in the cache of the processor. In a short loop it waits for many of them at once.

// wordKeys tells the updates of the ghosts of a word apart.
type wordKeys struct {
	masks  [64]uint32 // the groups of the update
	later  [64]uint32 // withheld groups, which are owed after the update; only of ghosts in holding
	ages   [64]uint64 // of the baselines of the groups, see pairOfAges and findAges
	places [64]uint32 // see placeOf
	usual  uint64     // ghosts whose update has the usual mask, which the header announces
	filled bool       // fill has put all updates of the word into the table that it can hold
}

// noAges stands for the ages of an update that the table cannot hold, or of one that is a create.
const noAges = 1<<64 - 1

// pairOfAges returns the ages of an update whose smooth groups have the same known values. now is
// the tick of the packet, counted from the origin of the table. Packets of one form treat all
// values beyond the same age as none, so the key of such a value can be any.
func pairOfAges(known knownPair, now uint32) uint64 {
	return 1<<63 | uint64(known.since(now))<<16 | uint64(known.span())
}

// findKeys finds the keys of the updates of ghosts of a word.
func (g *Stream) findKeys(w int, ids uint64) {
	t, k := &g.table, &g.packet.word
	k.filled = false
	k.usual = g.findUsual(w, ids&^(t.split[w]|t.owing[w]|t.holding[w]))
	if ids &^= k.usual; ids == 0 {
		return
	}
	g.findMasks(w, ids)
	if holding := ids & t.holding[w]; holding != 0 {
		g.holdBack(w, holding)
	}
	g.findPairs(w, ids&^t.split[w])
	if split := ids & t.split[w]; split != 0 {
		g.findAges(w, split)
	}
}

// findUsual finds the keys of ghosts that are not in split, owing or holding, if their updates have
// the usual mask. It returns those. In a world where everything moves, they are nearly all.
func (g *Stream) findUsual(w int, ids uint64) (found uint64) {
	t, p, first := &g.table, g.packet, w<<6
	objects, sent := (*[64]uint32)(t.obj[first:]), (*[64]uint32)(t.sent[first:])
	known, now := (*[64]knownPair)(t.known[first:]), p.header.tick-t.origin
	k, usual, shift, recent := &p.word, p.header.usual, p.encodings.shift, g.snapshots.recent
	if usual == 0 {
		return 0
	}
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		c := &recent[objects[i]]
		n := c.last - sent[i] - 1
		if n >= recentTicks || c.groups[n] != usual {
			continue
		}
		ages := pairOfAges(known[i], now)
		k.masks[i], k.ages[i] = usual, ages
		k.places[i] = placeOf(objects[i], usual, ages, shift)
		found |= 1 << i
	}
	return found
}

// findMasks finds the groups that ghosts owe.
func (g *Stream) findMasks(w int, ids uint64) {
	t, first := &g.table, w<<6
	objects, sent, masks := (*[64]uint32)(t.obj[first:]), (*[64]uint32)(t.sent[first:]), &g.packet.word.masks
	recent, others := g.snapshots.recent, uint64(0)
	for rest := ids; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) & 63
		c := &recent[objects[i]]
		if n := c.last - sent[i] - 1; n < recentTicks {
			masks[i] = c.groups[n]
		} else {
			others |= 1 << i
		}
	}
	for ; others != 0; others &= others - 1 {
		i := bits.TrailingZeros64(others)
		masks[i] = g.snapshots.since(objects[i], sent[i])
	}
	if ids &= t.owing[w]; ids != 0 {
		for owed := t.owed.pages[w]; ids != 0; ids &= ids - 1 {
			i := bits.TrailingZeros64(ids) & 63
			masks[i] |= owed[i]
		}
	}
}

// holdBack takes withheld groups out of the masks.
func (g *Stream) holdBack(w int, ids uint64) {
	t, k, first := &g.table, &g.packet.word, w<<6
	held, hidden := (*[64]uint32)(t.held[first:]), (*[64]uint32)(t.hidden[first:])
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		withheld := held[i] | hidden[i]
		k.masks[i], k.later[i] = k.masks[i]&^withheld, k.masks[i]&withheld
	}
}

// findPairs finds the ages and places of ghosts that are not in split, and completes their masks.
func (g *Stream) findPairs(w int, ids uint64) {
	t, k, first := &g.table, &g.packet.word, w<<6
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		k.masks[i] = g.completed(first+i, k.masks[i])
		g.setKey(w, i, pairOfAges(t.known[first+i], g.packet.header.tick-t.origin))
	}
}

// findAges finds the ages and places of ghosts in split. The ages hold those of the smooth groups
// of the mask, one behind the other.
func (g *Stream) findAges(w int, ids uint64) {
	t, p, k := &g.table, g.packet, &g.packet.word
	var tracks [maxGroups]*[64]knownPair
	for track := range len(t.tracks) + 1 {
		tracks[track] = t.track(w, track)
	}
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		ages, shift, largest := uint64(0), 0, uint32(0)
		track := 0
		for smooth := g.snapshots.recent[t.obj[w<<6+i]].smooth; smooth != 0; smooth &= smooth - 1 {
			since, span := p.age(t.values(tracks[track&(maxGroups-1)][i]))
			carried := int(k.masks[i]>>(bits.TrailingZeros32(smooth)&31)) & 1 // no branch: it would be a guess
			largest |= (since | span) & uint32(-carried)
			ages |= uint64(since|span<<(ageBits/2)) & uint64(-carried) << (shift & 63)
			shift += carried * ageBits
			track++
		}
		if shift > mostAges*ageBits || largest >= 1<<(ageBits/2) {
			ages = noAges
		}
		g.setKey(w, i, ages)
	}
}

// setKey completes the key of a ghost whose mask is known.
func (g *Stream) setKey(w, i int, ages uint64) {
	p, k := g.packet, &g.packet.word
	mask := k.masks[i]
	switch {
	case mask == p.header.usual:
		k.usual |= 1 << i
	case mask&1 != 0:
		ages = noAges
	}
	k.ages[i], k.places[i] = ages, placeOf(g.table.obj[w<<6+i], mask, ages, p.encodings.shift)
}

// holds reports whether an entry of the table is the update of ghost i.
func (k *wordKeys) holds(e *encoding, object, form uint32, i int) bool {
	return e.object == object && e.form == form && e.ages == k.ages[i] && e.mask == k.masks[i]
}
