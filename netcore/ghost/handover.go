package ghost

// An object may come back into scope before the peer has lost the ghost it had.
// Its new ghost then waits for that: nobody sees an object twice.

// handover is what a ghost that is on its way out leaves behind.
type handover struct {
	obj  uint32
	left uint32 // the tick in which the object left the scope
	heir uint16 // the next ghost of the object, if it waits
	some bool
}

// depart notes that a ghost of an object is on its way out.
func (t *table) depart(obj uint32, id int, tick uint32) {
	if t.leaving == nil {
		t.leaving, t.handovers = make(map[uint32]uint16), make(map[uint16]handover)
	}
	t.leaving[obj] = uint16(id)
	t.handovers[uint16(id)] = handover{obj: obj, left: tick}
}

// takeOver lets a new ghost wait for an older one of its object. An object that
// was born when that had left is another with the same number.
func (t *table) takeOver(id int, born uint32) {
	older, ok := t.leaving[t.obj[id]]
	h := t.handovers[older]
	if !ok || h.left < born {
		return
	}
	h.heir, h.some = uint16(id), true
	t.handovers[older] = h
	t.late.add(id)
	t.hot.drop(id)
}

// disinherit ends the waiting of a ghost that becomes free, or for it.
func (t *table) disinherit(id int) {
	if t.late.has(id) {
		t.late.drop(id)
		older := t.leaving[t.obj[id]]
		h := t.handovers[older]
		h.some = false
		t.handovers[older] = h
	}
	h, ok := t.handovers[uint16(id)]
	if !ok {
		return
	}
	delete(t.handovers, uint16(id))
	if t.leaving[h.obj] == uint16(id) {
		delete(t.leaving, h.obj)
	}
	if h.some {
		t.late.drop(int(h.heir))
		t.hot.add(int(h.heir))
	}
}
