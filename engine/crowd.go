package engine

import "slices"

// The bounds of the work for a full ghost table, in a tick.
const (
	crowdWindow = 1024 // entries that are looked at on each side
	crowdSwaps  = 32   // objects that may wait for the ids of others at once
	crowdMargin = 8    // by how much an object must be more urgent to take another's id
)

// crowd is what a sight does while the ghost table is full: the most urgent
// have the ids. What waits takes an id that is free, the most urgent first,
// and else that of an object in scope that is less urgent.
//
// An id is free again only when the peer has confirmed that its ghost is gone.
// Until then those it was taken for are heirs, and nobody else is let in.
type crowd struct {
	on      bool
	heirs   []uint32
	out, in window // over the entries that wait, and over those in scope
	calm    int    // entries looked at in a row of which none was refused
	numbers []uint32
	weights []uint8
	ranked  []uint64
}

// A window goes round over a part of the entries.
type window struct{ next int }

// take moves the window on over [from, to) and returns how many entries it now
// covers, beginning at from + the old next; it never goes over the end.
func (w *window) take(from, to int) (lo, hi int) {
	if from+w.next >= to {
		w.next = 0
	}
	lo = from + w.next
	hi = min(to, lo+crowdWindow)
	w.next += hi - lo
	return lo, hi
}

// full notes that the table is full.
func (w *crowd) full(v *sight) {
	if !w.on {
		w.on = true
		v.conn.complain("the ghost table is full, the most important objects have it", "player", v.conn.PlayerName)
	}
	w.calm = 0
}

// step lets in who waits, as far as there is room.
func (w *crowd) step(v *sight) {
	if !w.on || !w.inherit(v) {
		return
	}
	lo, hi := w.out.take(v.in, len(v.entries))
	waiting := w.sorted(v, lo, hi, v.waiting)
	for i, n := range waiting {
		if !v.admit(v.where(n)) {
			w.displace(v, waiting[i:])
			return
		}
	}
	if w.calm += hi - lo; w.calm >= len(v.entries)-v.in {
		w.on = false
	}
}

// inherit gives free ids to those for whom they were taken; true if none of
// them waits any more.
func (w *crowd) inherit(v *sight) bool {
	for len(w.heirs) > 0 {
		at := v.where(w.heirs[0])
		if at >= v.in && v.waiting(at) && !v.admit(at) {
			return false
		}
		w.heirs = slices.Delete(w.heirs, 0, 1)
	}
	return true
}

// displace takes ids from the least urgent objects in scope for the more
// urgent among those that wait, which are the most urgent first.
func (w *crowd) displace(v *sight, waiting []uint32) {
	waiting = slices.Clone(waiting[:min(len(waiting), crowdSwaps)])
	lo, hi := w.in.take(0, v.in)
	least := w.sorted(v, lo, hi, v.mayGo)
	for i, n := range waiting {
		if i >= len(least) {
			return
		}
		m := least[len(least)-1-i]
		if int(v.weight(n)) < int(v.weight(m))+crowdMargin {
			return
		}
		v.door.expel(m)
		v.exclude(v.where(m))
		w.heirs = append(w.heirs, n)
	}
}

// sorted are the objects of entries [lo, hi) that pass, the most urgent first.
func (w *crowd) sorted(v *sight, lo, hi int, pass func(at int) bool) []uint32 {
	w.numbers = w.numbers[:0]
	for at := lo; at < hi; at++ {
		if pass(at) {
			w.numbers = append(w.numbers, v.entries[at].number)
		}
	}
	w.weights = slices.Grow(w.weights[:0], len(w.numbers))[:len(w.numbers)]
	v.weigh(w.numbers, w.weights)
	w.ranked = w.ranked[:0]
	for i, n := range w.numbers {
		w.ranked = append(w.ranked, uint64(255-w.weights[i])<<32|uint64(n))
	}
	slices.Sort(w.ranked)
	for i, r := range w.ranked {
		w.numbers[i] = uint32(r)
	}
	return w.numbers
}

// waiting reports whether an entry would be in scope if there were room.
func (v *sight) waiting(at int) bool {
	e := &v.entries[at]
	return e.seen == v.serial && !v.hides(e) && !v.unasked(e)
}

// mayGo reports whether an entry has been in scope for long enough to be
// displaced. The camera's own object never is, for nothing is more urgent.
func (v *sight) mayGo(at int) bool { return v.scope.tick-v.entries[at].since >= scopeStay }
