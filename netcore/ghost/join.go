package ghost

import "math/bits"

// Updates are joined from the bits of groups, which the connections of a worker share
// (encodings.go). A group with a baseline has other bits for each age of the baseline, so a ghost
// can have any mask, and other baselines for each of its groups.

// joined is an update that join made.
type joined struct {
	shortBits
	class    uint16
	relative bool // a group is relative to a baseline
	missed   bool // a group was not in the table
}

// join makes the update of a ghost with some groups. It returns false if a group has no short form,
// or if the update is too long: then composeLong makes it.
func (g *Stream) join(u *joined, id int, mask uint32) bool {
	t := &g.table
	obj := t.obj[id]
	smooth, known := g.snapshots.recent[obj].smooth, t.knownAt(id)
	var tracks []knownValues
	if t.split.has(id) {
		tracks = t.tracks.at(id, smooth)
	}
	*u = joined{}
	saved, usable := 0, false
	for m := mask; m != 0; m &= m - 1 {
		group, since, span := bits.TrailingZeros32(m), uint32(0), uint32(0)
		if smooth>>group&1 != 0 {
			if tracks != nil {
				known = tracks[trackOf(smooth, group)]
			}
			since, span = g.packet.age(known)
			usable = usable || since != 0
		}
		e := g.groupBits(u, obj, group, since, span)
		if e.size == noShortForm {
			return since != 0 && g.joinWhole(u, obj, mask)
		}
		saved += int(e.saved)
		e.appendTo(&u.shortBits)
	}
	if !usable {
		return g.addLead(u, obj, mask, 0, 0)
	}
	u.relative = saved > 0 && g.addLead(u, obj, mask, 1, 1)
	return u.relative || g.joinWhole(u, obj, mask)
}

// joinWhole makes an update with whole groups, although a group has a baseline.
func (g *Stream) joinWhole(u *joined, obj, mask uint32) bool {
	u.shortBits = shortBits{}
	for m := mask; m != 0; m &= m - 1 {
		e := g.groupBits(u, obj, bits.TrailingZeros32(m), 0, 0)
		if e.size == noShortForm {
			return false
		}
		e.appendTo(&u.shortBits)
	}
	return g.addLead(u, obj, mask, 0, 1)
}

// addLead puts the mask and up to one more bit before the groups of an update. It returns false if
// the update is too long then.
func (g *Stream) addLead(u *joined, obj, mask uint32, bit uint64, n int) bool {
	s := shortBits{}
	if usual := g.packet.header.usual; usual != 0 && mask == usual {
		s.add(1, 1)
	} else {
		g.snapshots.objects[obj].plan.layout.addMask(&s, mask, usual != 0)
	}
	s.add(bit, n)
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

// groupBits returns the bits of a group of an object. Without a baseline, since and span are 0.
func (g *Stream) groupBits(u *joined, obj uint32, group int, since, span uint32) *groupBits {
	e, key := g.packet.encodings.group(obj, group, since, span), newGroupKey(group, since, span)
	g.stats.Ways.Lookups++
	if e.object != obj || e.key != key || e.tick != g.snapshots.tick {
		g.stats.Ways.Misses++
		u.missed = true
		g.encodeGroup(e, obj, group, since, span)
	}
	u.class = e.class
	return e
}
