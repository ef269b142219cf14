package ghost

import "math/bits"

// The values that the peer is known to have. Nearly always all smooth groups of a ghost arrived with
// the same packets, and one pair of ticks serves all of them. A ghost whose groups differ is in the
// set split, and has a pair per group until they are equal again.

// knownValues holds the ticks of the two newest values of a smooth group that the peer is known to
// have. 0 means none. Ticks begin at 1.
type knownValues struct{ newer, older uint32 }

// knownOf returns the known values of a smooth group of a ghost. smooth are all smooth groups of its
// class, as in the functions below.
func (t *table) knownOf(id int, smooth uint32, group int) knownValues {
	if !t.split.has(id) {
		return t.known[id]
	}
	return t.tracksOf(id, smooth)[trackOf(smooth, group)]
}

// commonKnown returns the known values of some smooth groups of a ghost if all of them have the same.
func (t *table) commonKnown(id int, smooth, groups uint32) (k knownValues, ok bool) {
	if !t.split.has(id) {
		return t.known[id], true
	}
	tracks := t.tracksOf(id, smooth)
	k = tracks[trackOf(smooth, bits.TrailingZeros32(groups))]
	for m := groups & (groups - 1); m != 0; m &= m - 1 {
		if tracks[trackOf(smooth, bits.TrailingZeros32(m))] != k {
			return k, false
		}
	}
	return k, true
}

// know records that the peer has some smooth groups of a ghost as of a tick.
func (t *table) know(id int, smooth, groups, tick uint32) {
	switch {
	case groups == 0:
		return
	case !t.split.has(id) && groups == smooth:
		t.known[id] = knownValues{tick, t.known[id].newer}
		return
	case !t.split.has(id):
		t.makeTracks(bits.OnesCount32(smooth))
		for i := range t.tracksOf(id, smooth) {
			t.tracksOf(id, smooth)[i] = t.known[id]
		}
		t.split.add(id)
	}
	tracks := t.tracksOf(id, smooth)
	for m := groups; m != 0; m &= m - 1 {
		k := &tracks[trackOf(smooth, bits.TrailingZeros32(m))]
		*k = knownValues{tick, k.newer}
	}
	t.rejoin(id, smooth)
}

// rejoin takes a ghost out of split if its smooth groups have the same known values.
func (t *table) rejoin(id int, smooth uint32) {
	tracks := t.tracksOf(id, smooth)
	for _, k := range tracks {
		if k != tracks[0] {
			return
		}
	}
	t.known[id] = tracks[0]
	t.split.drop(id)
}

// trackOf returns the index of a smooth group among the smooth groups of its class.
func trackOf(smooth uint32, group int) int { return bits.OnesCount32(smooth & (1<<group - 1)) }

// tracksOf returns the known values of a ghost in split, by track.
func (t *table) tracksOf(id int, smooth uint32) []knownValues {
	return t.knownTicks[id*t.tracks:][:bits.OnesCount32(smooth)]
}

// makeTracks makes room for ghosts in split that have some smooth groups.
func (t *table) makeTracks(tracks int) {
	if tracks <= t.tracks {
		return
	}
	wider := make([]knownValues, t.rows()*tracks)
	for id := range t.rows() {
		copy(wider[id*tracks:], t.knownTicks[id*t.tracks:][:t.tracks])
	}
	t.knownTicks, t.tracks = wider, tracks
}
