package engine

// An entryIndex finds a connection's entries by object number. It is a hash table. Its size depends
// on the number of entries instead of the world, so that a query stays in the CPU cache.
type entryIndex struct {
	slots []entrySlot // length is a power of two; at most half are used
	used  int
}

// An entrySlot maps an object number to the index of its entry. Number 0 means empty.
type entrySlot struct{ number, at uint32 }

// find returns the slot of a number, or the free slot for it.
func (x *entryIndex) find(n uint32) uint32 {
	mask := uint32(len(x.slots) - 1)
	i := hashNumber(n) & mask
	for x.slots[i].number != n && x.slots[i].number != 0 {
		i = (i + 1) & mask
	}
	return i
}

// hashNumber spreads consecutive numbers.
func hashNumber(n uint32) uint32 {
	n *= 0x9e3779b1
	return n ^ n>>15
}

// where returns the index of a number's entry, or -1.
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

// set stores the index of a number's entry.
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

// remove deletes a number. The number must be present. It moves up the slots that the number had
// displaced.
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

// clear deletes all numbers.
func (x *entryIndex) clear() {
	clear(x.slots)
	x.used = 0
}
