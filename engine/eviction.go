package engine

import (
	"math/bits"
	"slices"
)

// Limits for the work in a tick while the ghost table is full.
const (
	crowdWindow = 1024 // entries examined on each side
	crowdSwaps  = 32   // evictions in progress at once
	crowdMargin = 8    // an object needs this much more priority to evict another
)

// eviction manages the visible set while the ghost table is full: the objects with the highest
// priority get the ghost ids. Free ids go to the waiting objects of highest priority. When no id is
// free, an object in scope with lower priority is evicted.
//
// The id of an evicted object is free only after the peer has acknowledged the kill. Until then no
// other object is admitted. The heirs are the objects that wait for these ids.
type eviction struct {
	on        bool
	told      bool // the log has it that the table is full
	claimants []uint32
	out       scanWindow // over the entries
	in        scanWindow // over the words of the objects in scope
	unrefused int        // entries examined in a row without a refusal
}

// A ranking sorts objects by priority. The connections of a worker use the same one.
type ranking struct {
	numbers []uint32
	weights []uint8
	keys    []uint64
}

// A scanWindow iterates over a part of the entries, a piece per tick.
type scanWindow struct{ next int }

// take advances the window over [from, to) by up to crowdWindow entries. It returns the bounds of
// the new piece. A piece never wraps around the end.
func (w *scanWindow) take(from, to int) (lo, hi int) {
	if from+w.next >= to {
		w.next = 0
	}
	lo = from + w.next
	hi = min(to, lo+crowdWindow)
	w.next += hi - lo
	return lo, hi
}

// members advances the window over the words of a set by about crowdWindow members, and appends
// those that pass. A piece never wraps around the end.
func (w *scanWindow) members(s bitSet, pass func(n uint32) bool, to []uint32) []uint32 {
	if w.next >= len(s) {
		w.next = 0
	}
	for examined := 0; w.next < len(s) && examined+64 <= crowdWindow; w.next++ {
		examined += bits.OnesCount64(s[w.next])
		for word := s[w.next]; word != 0; word &= word - 1 {
			if n := uint32(w.next<<6 + bits.TrailingZeros64(word)); pass(n) {
				to = append(to, n)
			}
		}
	}
	return to
}

// markFull marks the table as full.
func (w *eviction) markFull() {
	w.on, w.unrefused = true, 0
}

// tell logs that the table is full.
func (w *eviction) tell(v *VisibleSet) {
	if w.on && !w.told {
		v.conn.logPeer("the ghost table is full: only the most important objects are sent", "player", v.conn.PlayerName)
	}
	w.told = w.on
}

// step admits waiting objects while there is room.
func (w *eviction) step(v *VisibleSet) {
	if !w.on || !w.inherit(v) {
		return
	}
	lo, hi := w.out.take(0, len(v.entries))
	waiting := v.sorted(func(r *ranking) {
		for at := lo; at < hi; at++ {
			if v.waiting(at) {
				r.numbers = append(r.numbers, v.entries[at].number)
			}
		}
	})
	for i, n := range waiting {
		if !v.admit(v.where(n)) {
			w.evict(v, waiting[i:])
			return
		}
	}
	if w.unrefused += hi - lo; w.unrefused >= len(v.entries) {
		w.on = false
	}
}

// inherit admits the objects that evicted others. It returns true if none of them is still waiting.
func (w *eviction) inherit(v *VisibleSet) bool {
	for len(w.claimants) > 0 {
		at := v.where(w.claimants[0])
		if at >= 0 && v.waiting(at) && !v.admit(at) {
			return false
		}
		w.claimants = slices.Delete(w.claimants, 0, 1)
	}
	return true
}

// evict evicts objects of low priority for waiting objects of higher priority. waiting is sorted
// by descending priority.
func (w *eviction) evict(v *VisibleSet, waiting []uint32) {
	waiting = slices.Clone(waiting[:min(len(waiting), crowdSwaps)])
	least := v.sorted(func(r *ranking) { r.numbers = w.in.members(v.in, v.evictable, r.numbers) })
	for i, n := range waiting {
		if i >= len(least) {
			return
		}
		m := least[len(least)-1-i]
		if int(v.weight(n)) < int(v.weight(m))+crowdMargin {
			return
		}
		v.exclude(m)
		w.claimants = append(w.claimants, n)
	}
}

// sorted returns the objects that add adds to a ranking, by descending priority. They are valid
// until the next call.
func (v *VisibleSet) sorted(add func(r *ranking)) []uint32 {
	r := &v.memory.ranking
	r.numbers = r.numbers[:0]
	add(r)
	r.weights = slices.Grow(r.weights[:0], len(r.numbers))[:len(r.numbers)]
	v.weigh(r.numbers, r.weights)
	r.keys = r.keys[:0]
	for i, n := range r.numbers {
		r.keys = append(r.keys, uint64(255-r.weights[i])<<32|uint64(n))
	}
	slices.Sort(r.keys)
	for i, key := range r.keys {
		r.numbers[i] = uint32(key)
	}
	return r.numbers
}

// waiting reports whether an entry would be in scope if there were room.
func (v *VisibleSet) waiting(at int) bool {
	e := &v.entries[at]
	return e.is(entryNear) && !v.in.has(e.number) && !v.hides(e) && !v.unasked(e)
}

// evictable reports whether an object has been in scope long enough to be evicted. The camera's own
// object is never evicted because it has the highest priority.
func (v *VisibleSet) evictable(n uint32) bool {
	var e *visibleEntry
	if at := v.where(n); at >= 0 {
		e = &v.entries[at]
	}
	return !v.young(n, e)
}
