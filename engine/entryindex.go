package engine

import "math/bits"

// A visibleEntry is what a visible set knows about an object. The ticks in it have 8 bits. So they
// count only while a flag is set, and each query clears the flags of those that are scopeStay ticks
// old.
type visibleEntry struct {
	number uint32
	since  uint8 // tick at which it came into scope
	asked  uint8 // tick of the scripts' last answer
	flags  entryFlags
}

type entryFlags uint8

const (
	entryHidden   entryFlags = 1 << iota // scripts hide it
	entryQueued                          // it is in asks
	entryAnswered                        // scripts have answered
	entryYoung                           // since counts
	entryRecent                          // asked counts
	entryNear                            // the last query found it
)

func (e *visibleEntry) is(f entryFlags) bool { return e.flags&f != 0 }

func (e *visibleEntry) set(f entryFlags, on bool) {
	if e.flags &^= f; on {
		e.flags |= f
	}
}

// An entryIndex finds a connection's entries by object number. It is a hash table of places in the
// list of entries, which has the numbers. Its size depends on the number of entries instead of the
// world, so that a query stays in the CPU cache.
type entryIndex struct {
	low  []uint16 // low bits of place + 1 of an entry, 0 for none; length is a power of two; at most half are used
	high []uint16 // the bits above; nil until an entry has a place that needs them
	used int
}

const lowPlaces = 1<<16 - 1 // places that need no high bits

// at returns the place in a slot, or -1.
func (x *entryIndex) at(slot uint32) int {
	place := int(x.low[slot])
	if x.high != nil {
		place |= int(x.high[slot]) << 16
	}
	return place - 1
}

// set puts a place into a slot; -1 empties the slot.
func (x *entryIndex) set(slot uint32, place int) {
	if place >= lowPlaces && x.high == nil {
		x.high = make([]uint16, len(x.low))
	}
	x.low[slot] = uint16(place + 1)
	if x.high != nil {
		x.high[slot] = uint16((place + 1) >> 16)
	}
}

// find returns the slot of a number, or the free slot for it.
func (x *entryIndex) find(n uint32, entries []visibleEntry) uint32 {
	mask := uint32(len(x.low) - 1)
	i := hashNumber(n) & mask
	for at := x.at(i); at >= 0 && entries[at].number != n; at = x.at(i) {
		i = (i + 1) & mask
	}
	return i
}

// hashNumber spreads consecutive numbers.
func hashNumber(n uint32) uint32 {
	n *= 0x9e3779b1
	return n ^ n>>15
}

// where returns the place of a number's entry, or -1.
func (x *entryIndex) where(n uint32, entries []visibleEntry) int {
	if x.used == 0 {
		return -1
	}
	return x.at(x.find(n, entries))
}

// add adds the last entry.
func (x *entryIndex) add(entries []visibleEntry) {
	if x.used++; 2*x.used > len(x.low) {
		x.grow(entries)
		return
	}
	x.put(len(entries)-1, entries)
}

func (x *entryIndex) put(at int, entries []visibleEntry) {
	x.set(x.find(entries[at].number, entries), at)
}

// grow doubles the table, and puts all entries into it.
func (x *entryIndex) grow(entries []visibleEntry) { x.fill(max(16, 2*len(x.low)), entries) }

// build makes the index of a list anew, as small as possible.
func (x *entryIndex) build(entries []visibleEntry) {
	*x = entryIndex{used: len(entries)}
	if len(entries) > 0 {
		x.fill(max(16, 1<<bits.Len(uint(2*len(entries)-1))), entries)
	}
}

func (x *entryIndex) fill(size int, entries []visibleEntry) {
	x.low, x.high = make([]uint16, size), nil
	for at := range entries {
		x.put(at, entries)
	}
}

// remove deletes a number. The number must be present. It moves up the slots that the number had
// displaced.
func (x *entryIndex) remove(n uint32, entries []visibleEntry) {
	mask := uint32(len(x.low) - 1)
	hole := x.find(n, entries)
	x.used--
	i := (hole + 1) & mask
	for at := x.at(i); at >= 0; at = x.at(i) {
		home := hashNumber(entries[at].number) & mask
		if (i-home)&mask >= (i-hole)&mask {
			x.set(hole, at)
			hole = i
		}
		i = (i + 1) & mask
	}
	x.set(hole, -1)
}
