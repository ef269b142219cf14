package ghost

import "math/bits"

// Updates are joined from the bits of groups, which the connections of a worker share
// (encodings.go). A group with a baseline has other bits for each age of the baseline. So these
// bits serve updates with any mask, and with other baselines for each of their groups.

// joined is an update that join made.
type joined struct {
	shortBits
	class    uint16
	relative bool // a group is relative to a baseline
	missed   bool // a group was composed
}

// fill joins the updates of ghosts of a word that the table of updates lacks, and puts them there.
func (g *Stream) fill(w int, ids uint64) {
	table, k, first := &g.packet.encodings, &g.packet.word, w<<6
	lacking := g.lacking(w, ids)
	for ; lacking != 0; lacking &= lacking - 1 {
		i := bits.TrailingZeros64(lacking) & 63
		var u joined
		if !g.join(&u, first+i, k.masks[i]) {
			continue
		}
		if u.missed {
			g.stats.Ways.Filled++
		}
		e := &table.updates[k.places[i]]
		e.low, e.high, e.size, e.kind = u.low, u.high, uint8(u.n), newUpdateKind(u.class, u.relative)
		e.object, e.form, e.mask, e.ages = g.table.obj[first+i], table.form, k.masks[i], k.ages[i]
	}
}

// lacking returns the ghosts of a word whose updates the table of updates lacks, but can hold. It
// brings the values that they are made of into the cache of the processor: these reads wait for
// memory all at once, and those of join would wait one by one.
func (g *Stream) lacking(w int, ids uint64) (lacking uint64) {
	table, t, k, first := &g.packet.encodings, &g.table, &g.packet.word, w<<6
	sum := uint32(0)
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		obj := t.obj[first+i]
		if k.ages[i] == noAges || k.holds(&table.updates[k.places[i]], obj, table.form, i) {
			continue
		}
		lacking |= 1 << i
		if h := &g.snapshots.histories[obj]; h.cells > 0 {
			sum += h.newest()[0] + h.at(t.knownAt(first + i).newer)[0]
		}
	}
	g.packet.loaded = sum
	return lacking
}

// join makes the update of a ghost with some groups. It returns false if a group has no short form,
// or if the update is too long: then composeLong makes it.
func (g *Stream) join(u *joined, id int, mask uint32) bool {
	t := &g.table
	obj := t.obj[id]
	smooth, known := g.snapshots.recent[obj].smooth, t.knownAt(id)
	split := t.split.has(id)
	if !split && mask == smooth && g.joinSmooth(u, obj, mask, known) {
		return true
	}
	*u = joined{}
	saved, usable := 0, false
	for m := mask; m != 0; m &= m - 1 {
		group, since, span := bits.TrailingZeros32(m), uint32(0), uint32(0)
		if smooth>>group&1 != 0 {
			if split {
				known = t.knownOf(id, smooth, group)
			}
			since, span = g.packet.age(known)
			usable = usable || since != 0
		}
		e := g.bitsOf(u, obj, group, since, span)
		if e.size == noShortForm {
			return since != 0 && g.joinWhole(u, obj, mask)
		}
		saved += int(e.saved)
		e.appendTo(&u.shortBits)
	}
	if !usable {
		return g.addLead(u, obj, mask, leadPlain)
	}
	u.relative = saved > 0 && g.addLead(u, obj, mask, leadRelative)
	return u.relative || g.joinWhole(u, obj, mask)
}

// joinWhole makes an update with whole groups, although a group has a baseline.
func (g *Stream) joinWhole(u *joined, obj, mask uint32) bool {
	u.shortBits = shortBits{}
	for m := mask; m != 0; m &= m - 1 {
		e := g.bitsOf(u, obj, bits.TrailingZeros32(m), 0, 0)
		if e.size == noShortForm {
			return false
		}
		e.appendTo(&u.shortBits)
	}
	return g.addLead(u, obj, mask, leadWhole)
}

// lead is what follows the mask of an update.
type lead struct {
	relative uint64 // the flag relative
	n        int    // its bits: none without a group that can be relative
}

var (
	leadPlain    = lead{}
	leadWhole    = lead{0, 1}
	leadRelative = lead{1, 1}
)

// addLead puts the mask and the flag relative before the groups of an update. It returns false if
// the update is too long then.
func (g *Stream) addLead(u *joined, obj, mask uint32, after lead) bool {
	s := shortBits{}
	if usual := g.packet.header.usual; usual != 0 && mask == usual {
		s.add(1, 1)
	} else {
		g.snapshots.objects[obj].plan.layout.addMask(&s, mask, usual != 0)
	}
	s.add(after.relative, after.n)
	if s.n+u.n > shortCapacity {
		return false
	}
	s.add(u.low, min(u.n, 64))
	if u.n > 64 {
		s.add(u.high, u.n-64)
	}
	u.shortBits = s
	return true
}

// bitsOf returns the bits of a group of an object. Without a baseline, since and span are 0.
func (g *Stream) bitsOf(u *joined, obj uint32, group int, since, span uint32) *groupBits {
	key := newGroupKey(group, since, span)
	e := g.packet.encodings.placeOfGroup(obj, key)
	g.stats.Ways.Lookups++
	if e.object != obj || e.key != key || e.tick != g.snapshots.tick {
		g.stats.Ways.Misses++
		u.missed = true
		g.encodeGroup(e, obj, group, since, span)
	}
	u.class = e.class
	return e
}

// countJoined adds an update to the statistics that was joined for this connection only.
func (g *Stream) countJoined(u *joined) {
	g.stats.Ways.Joined++
	if u.missed {
		g.stats.Ways.Filled++
	}
	g.countUpdates(u.class, u.relative, 1, u.n)
}
