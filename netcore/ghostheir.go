package netcore

// An object may come back into scope before the peer has lost the ghost it had.
// Its new ghost then waits for that: nobody sees an object twice.

// ghostHeir is what a ghost that is on its way out leaves behind.
type ghostHeir struct {
	obj  uint32
	left uint32 // the tick in which the object left the scope
	heir uint16 // the next ghost of the object, if it waits
	some bool
}

// depart notes that a ghost of an object is on its way out.
func (t *ghostTable) depart(obj uint32, id int, tick uint32) {
	if t.leaving == nil {
		t.leaving, t.heirs = make(map[uint32]uint16), make(map[uint16]ghostHeir)
	}
	t.leaving[obj] = uint16(id)
	t.heirs[uint16(id)] = ghostHeir{obj: obj, left: tick}
}

// inherit lets a new ghost wait for an older one of its object. An object that
// was born when that had left is another with the same number.
func (t *ghostTable) inherit(id int, born uint32) {
	older, ok := t.leaving[t.obj[id]]
	h := t.heirs[older]
	if !ok || h.left < born {
		return
	}
	h.heir, h.some = uint16(id), true
	t.heirs[older] = h
	t.late.add(id)
	t.hot.drop(id)
}

// disinherit ends the waiting of a ghost that becomes free, or for it.
func (t *ghostTable) disinherit(id int) {
	if t.late.has(id) {
		t.late.drop(id)
		older := t.leaving[t.obj[id]]
		h := t.heirs[older]
		h.some = false
		t.heirs[older] = h
	}
	h, ok := t.heirs[uint16(id)]
	if !ok {
		return
	}
	delete(t.heirs, uint16(id))
	if t.leaving[h.obj] == uint16(id) {
		delete(t.leaving, h.obj)
	}
	if h.some {
		t.late.drop(int(h.heir))
		t.hot.add(int(h.heir))
	}
}
