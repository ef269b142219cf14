package ghost

import "math/bits"

// The values that the peer is known to have. Nearly always all smooth groups of a ghost arrived
// with the same packets, and one pair of ticks serves all of them. A ghost whose groups differ is
// in the set split. It has a pair per group, in a place of its own, until they are equal again.

// knownValues tells which two values of a smooth group are the newest that the peer is known to
// have.
type knownValues struct {
	newer uint32 // the tick of the newest value; 0: none. Ticks begin at 1
	span  uint16 // ticks from the value before it. 0, or such that it began before tick 1: none
}

// spanTo returns the span of a value of a tick that follows one of an earlier tick, 0 if that one
// is none. A value that is too old for any baseline counts as none.
func spanTo(tick, earlier uint32) uint16 {
	if span := tick - earlier; span < 1<<16 {
		return uint16(span)
	}
	return 0
}

// tracks holds the known values per smooth group of the ghosts in split.
type tracks struct {
	width  int            // values per place: the maximum of all ghosts so far
	values []knownValues  // by place, then by track
	place  sparse[uint16] // of the ghosts in split
	free   []uint16       // places
	used   bool           // a place was taken since the last trim
}

// at returns the values of a ghost in split, by track. smooth are all smooth groups of its class,
// as in the functions below.
func (k *tracks) at(id int, smooth uint32) []knownValues {
	return k.values[int(*k.place.at(id))*k.width:][:bits.OnesCount32(smooth)]
}

// take gives a ghost a place with some values.
func (k *tracks) take(id int, smooth uint32, all knownValues) {
	k.used = true
	k.widen(bits.OnesCount32(smooth))
	if len(k.free) == 0 {
		n := len(k.values) / k.width
		k.values = growTo(k.values, max(8, 2*n)*k.width)
		for place := len(k.values)/k.width - 1; place >= n; place-- {
			k.free = append(k.free, uint16(place))
		}
	}
	last := len(k.free) - 1
	k.place.set(id, k.free[last])
	k.free = k.free[:last]
	for i := range k.at(id, smooth) {
		k.at(id, smooth)[i] = all
	}
}

// trim gives back all memory if every place is free and none was taken since the last trim.
func (k *tracks) trim() {
	if !k.used && len(k.free)*k.width == len(k.values) {
		*k = tracks{}
	}
	k.used = false
}

// widen makes room for more values per place.
func (k *tracks) widen(width int) {
	if width <= k.width {
		return
	}
	var wider []knownValues
	for place := 0; place*k.width < len(k.values); place++ {
		wider = append(wider, growTo(k.values[place*k.width:][:k.width], width)...)
	}
	k.values, k.width = wider, width
}

// knownAt returns the known values of all smooth groups of a ghost that is not in split.
func (t *table) knownAt(id int) knownValues { return knownValues{t.newer[id], t.span[id]} }

// knownOf returns the known values of a smooth group of a ghost.
func (t *table) knownOf(id int, smooth uint32, group int) knownValues {
	if !t.split.has(id) {
		return t.knownAt(id)
	}
	return t.tracks.at(id, smooth)[trackOf(smooth, group)]
}

// know records the arrival of a ghost as of a tick, with some of its smooth groups. Of a ghost in
// split, newer has the tick of the newest arrival, as of any other ghost.
func (t *table) know(id int, smooth, groups, tick uint32) {
	if !t.split.has(id) {
		if groups == smooth {
			t.newer[id], t.span[id] = tick, spanTo(tick, t.newer[id])
			return
		}
		t.tracks.take(id, smooth, t.knownAt(id))
		t.split.add(id)
	}
	t.newer[id] = tick
	values := t.tracks.at(id, smooth)
	for m := groups; m != 0; m &= m - 1 {
		k := &values[trackOf(smooth, bits.TrailingZeros32(m))]
		*k = knownValues{tick, spanTo(tick, k.newer)}
	}
	if groups == smooth {
		t.rejoin(id, values)
	}
}

// rejoin takes a ghost out of split if all of its values are the same. The newest arrival must have
// carried all smooth groups.
func (t *table) rejoin(id int, values []knownValues) {
	for _, k := range values {
		if k != values[0] {
			return
		}
	}
	t.newer[id], t.span[id] = values[0].newer, values[0].span
	t.endSplit(id)
}

// endSplit takes a ghost out of split.
func (t *table) endSplit(id int) {
	if t.split.has(id) {
		t.split.drop(id)
		t.tracks.free = append(t.tracks.free, *t.tracks.place.at(id))
		if t.split[id>>6] == 0 {
			t.tracks.place.drop(id >> 6)
		}
	}
}

// trackOf returns the index of a smooth group among the smooth groups of its class.
func trackOf(smooth uint32, group int) int { return bits.OnesCount32(smooth & (1<<group - 1)) }
