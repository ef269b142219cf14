package ghost

import "math/bits"

// The values that the peer is known to have. Nearly always all smooth groups of a ghost arrived
// with the same packets, and one pair of ticks serves all of them. A ghost whose groups differ is
// in the set split. It has a pair per group until they are equal again.
//
// A column of a table has these pairs for the first smooth group of each ghost. The other smooth
// groups have columns of their own, with memory only for words with a ghost in split. So the pairs
// of a group lie side by side for the 64 ghosts of a word, and an arrival walks along them.

// knownValues tells which two values of a smooth group are the newest that the peer is known to
// have.
type knownValues struct {
	newer uint32 // the tick of the newest value; 0: none. Ticks begin at 1
	span  uint16 // ticks from the value before it. 0, or such that it began before tick 1: none
}

// knownPair holds knownValues in the memory of a table: the span in the lowest spanBits bits, and
// above it the tick of the newer value, counted from table.origin. 0 is none.
type knownPair uint32

const (
	spanBits = 9
	mostSpan = 1<<spanBits - 1      // above the age of any baseline; a longer span counts as none
	mostTick = 1<<(32-spanBits) - 1 // the highest tick, counted from the origin: three days
)

// next returns the pair after the arrival of a value of a tick, counted from the origin.
func (k knownPair) next(tick uint32) knownPair {
	span := tick - uint32(k>>spanBits)
	if span > mostSpan {
		span = 0
	}
	return knownPair(tick<<spanBits | span)
}

// since returns the ticks from the newer value to a tick, counted from the origin. Without a value
// it is more than the age of any baseline.
func (k knownPair) since(tick uint32) uint32 { return tick - uint32(k>>spanBits) }

// span returns the ticks between the two values, 0 for none.
func (k knownPair) span() uint16 { return uint16(k & mostSpan) }

// values returns the known values of a pair.
func (t *table) values(k knownPair) knownValues {
	if k == 0 {
		return knownValues{}
	}
	return knownValues{t.origin + uint32(k>>spanBits), k.span()}
}

// fromOrigin returns a tick counted from the origin.
func (t *table) fromOrigin(tick uint32) uint32 { return max(tick, t.origin) - t.origin }

// countTo moves the origin if a tick is too far from it. The values before the new origin are
// forgotten: they are much too old for a baseline.
func (t *table) countTo(tick uint32) {
	if tick-t.origin <= mostTick {
		return
	}
	origin := tick - mostTick/2
	by := knownPair(min(origin-t.origin, mostTick)) << spanBits
	t.origin = origin
	forget := func(pairs []knownPair) {
		for i, k := range pairs {
			if pairs[i] = 0; k > by|mostSpan {
				pairs[i] = k - by
			}
		}
	}
	forget(t.known)
	for i := range t.tracks {
		t.tracks[i].each(func(page *[64]knownPair) { forget(page[:]) })
	}
}

// knownAt returns the known values of all smooth groups of a ghost that is not in split.
func (t *table) knownAt(id int) knownValues { return t.values(t.known[id]) }

// knownOf returns the known values of a smooth group of a ghost. smooth are all smooth groups of
// its class, as in the functions below.
func (t *table) knownOf(id int, smooth uint32, group int) knownValues {
	track := 0
	if t.split.has(id) {
		track = trackOf(smooth, group)
	}
	return t.values(t.track(id>>6, track)[id&63])
}

// track returns the pairs of the ghosts of a word for a track. Only a ghost in split has them for a
// track above 0: nil if the word has none.
func (t *table) track(word, track int) *[64]knownPair {
	if track == 0 {
		return (*[64]knownPair)(t.known[word<<6:])
	}
	if pages := t.tracks[track-1].pages; word < len(pages) {
		return pages[word]
	}
	return nil
}

// know records the arrival of some smooth groups of ghosts of a word, which are of one class. tick
// is counted from the origin.
func (t *table) know(word int, ids uint64, smooth, groups, tick uint32) {
	if groups == smooth {
		whole := ids &^ t.split[word]
		arrive(t.track(word, 0), whole, tick)
		ids &^= whole
	}
	if ids == 0 || smooth == 0 {
		return
	}
	if whole := ids &^ t.split[word]; whole != 0 {
		t.beginSplit(word, whole, smooth)
	}
	for m := groups; m != 0; m &= m - 1 {
		arrive(t.track(word, trackOf(smooth, bits.TrailingZeros32(m))), ids, tick)
	}
	if groups == smooth {
		t.rejoin(word, ids, smooth)
	}
}

// mixedSmooth stands for the smooth groups of ghosts of different classes. Group 0 is never smooth.
const mixedSmooth = 1

// addSmooth records the smooth groups of a new ghost.
func (t *table) addSmooth(id int, smooth uint32) {
	word := id >> 6
	if t.used[word] == 1<<(id&63) {
		t.smooth[word] = smooth // it is the only ghost of the word
	} else if t.smooth[word] != smooth {
		t.smooth[word] = mixedSmooth
	}
}

// arrive records the arrival of the values of some ghosts.
func arrive(pairs *[64]knownPair, ids uint64, tick uint32) {
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		pairs[i] = pairs[i].next(tick)
	}
}

// beginSplit puts ghosts of a word into split.
func (t *table) beginSplit(word int, ids uint64, smooth uint32) {
	t.split[word] |= ids
	first, tracks := t.track(word, 0), bits.OnesCount32(smooth)
	for len(t.tracks) < tracks-1 {
		t.tracks = append(t.tracks, sparse[knownPair]{})
	}
	for track := 1; track < tracks; track++ {
		pairs := t.tracks[track-1].page(word)
		for m := ids; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			pairs[i] = first[i]
		}
	}
}

// rejoin takes those ghosts out of split whose pairs are all the same. Their newest arrival must
// have carried all smooth groups.
func (t *table) rejoin(word int, ids uint64, smooth uint32) {
	first := t.track(word, 0)
	for track := bits.OnesCount32(smooth) - 1; track > 0; track-- {
		pairs := t.track(word, track)
		for m := ids; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros64(m) & 63; pairs[i] != first[i] {
				ids &^= 1 << i
			}
		}
	}
	t.endSplit(word, ids)
}

// endSplit takes ghosts of a word out of split.
func (t *table) endSplit(word int, ids uint64) {
	if t.split[word]&ids == 0 {
		return
	}
	if t.split[word] &^= ids; t.split[word] == 0 {
		for i := range t.tracks {
			t.tracks[i].drop(word)
		}
	}
}

// trackOf returns the index of a smooth group among the smooth groups of its class.
func trackOf(smooth uint32, group int) int { return bits.OnesCount32(smooth & (1<<group - 1)) }
