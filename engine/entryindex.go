package engine

// An entryIndex finds a connection's entries by object number: a hash table
// whose size goes with the entries, not with the world, so that what one
// connection's query touches stays in the cache.
type entryIndex struct {
	slots []entrySlot // a power of two, at most half of them used
	used  int
}

// An entrySlot says where the entry of an object is; number 0 is none.
type entrySlot struct{ number, at uint32 }

// find is the slot of a number, or the free one where it would be.
func (x *entryIndex) find(n uint32) uint32 {
	mask := uint32(len(x.slots) - 1)
	i := hashNumber(n) & mask
	for x.slots[i].number != n && x.slots[i].number != 0 {
		i = (i + 1) & mask
	}
	return i
}

// hashNumber spreads numbers that were given out one after the other.
func hashNumber(n uint32) uint32 {
	n *= 0x9e3779b1
	return n ^ n>>15
}

// where is the place of a number's entry, -1 if it has none.
func (x *entryIndex) where(n uint32) int {
	if x.used == 0 {
		return -1
	}
	slot := x.slots[x.find(n)]
	if slot.number != n {
		return -1
	}
	return int(slot.at)
}

// set says where the entry of a number is.
func (x *entryIndex) set(n uint32, at int) {
	if 2*x.used >= len(x.slots) {
		x.grow()
	}
	slot := &x.slots[x.find(n)]
	if slot.number == 0 {
		x.used++
	}
	*slot = entrySlot{n, uint32(at)}
}

func (x *entryIndex) grow() {
	old := x.slots
	x.slots = make([]entrySlot, max(16, 2*len(old)))
	for _, s := range old {
		if s.number != 0 {
			x.slots[x.find(s.number)] = s
		}
	}
}

// remove forgets a number that is there, and moves up what had to give way
// to it.
func (x *entryIndex) remove(n uint32) {
	mask := uint32(len(x.slots) - 1)
	hole := x.find(n)
	x.used--
	for i := (hole + 1) & mask; x.slots[i].number != 0; i = (i + 1) & mask {
		home := hashNumber(x.slots[i].number) & mask
		if (i-home)&mask >= (i-hole)&mask {
			x.slots[hole] = x.slots[i]
			hole = i
		}
	}
	x.slots[hole] = entrySlot{}
}

// clear forgets all.
func (x *entryIndex) clear() {
	clear(x.slots)
	x.used = 0
}
