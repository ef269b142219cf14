package engine

// An entryIndex finds a connection's entries by object number. It is a hash table of places in the
// list of entries, which has the numbers. Its size depends on the number of entries instead of the
// world, so that a query stays in the CPU cache.
type entryIndex struct {
	slots []uint32 // place + 1 of an entry, 0 for none; length is a power of two; at most half are used
	used  int
}

// find returns the slot of a number, or the free slot for it.
func (x *entryIndex) find(n uint32, entries []visibleEntry) uint32 {
	mask := uint32(len(x.slots) - 1)
	i := hashNumber(n) & mask
	for x.slots[i] != 0 && entries[x.slots[i]-1].number != n {
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
	return int(x.slots[x.find(n, entries)]) - 1
}

// add adds the last entry.
func (x *entryIndex) add(entries []visibleEntry) {
	if x.used++; 2*x.used > len(x.slots) {
		x.grow(entries)
		return
	}
	x.put(len(entries)-1, entries)
}

func (x *entryIndex) put(at int, entries []visibleEntry) {
	x.slots[x.find(entries[at].number, entries)] = uint32(at + 1)
}

// grow doubles the table, and puts all entries into it.
func (x *entryIndex) grow(entries []visibleEntry) {
	x.slots = make([]uint32, max(16, 2*len(x.slots)))
	for at := range entries {
		x.put(at, entries)
	}
}

// remove deletes a number. The number must be present. It moves up the slots that the number had
// displaced.
func (x *entryIndex) remove(n uint32, entries []visibleEntry) {
	mask := uint32(len(x.slots) - 1)
	hole := x.find(n, entries)
	x.used--
	for i := (hole + 1) & mask; x.slots[i] != 0; i = (i + 1) & mask {
		home := hashNumber(entries[x.slots[i]-1].number) & mask
		if (i-home)&mask >= (i-hole)&mask {
			x.slots[hole] = x.slots[i]
			hole = i
		}
	}
	x.slots[hole] = 0
}

// clear deletes all numbers.
func (x *entryIndex) clear() {
	clear(x.slots)
	x.used = 0
}
