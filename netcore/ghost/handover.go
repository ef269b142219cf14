package ghost

// An object can come back into scope before the peer has deleted its previous ghost. The new ghost
// then waits for that, so the peer never shows an object twice.

// handover describes a ghost that is being deleted at the peer.
type handover struct {
	obj     uint32
	left    uint32 // the tick in which the object left the scope
	next    uint16 // the next ghost of the object, if some is set
	hasNext bool
}

// addHandover records that the ghost of an object is being deleted.
func (t *table) addHandover(obj uint32, id int, tick uint32) {
	if t.leaving == nil {
		t.leaving, t.handovers = make(map[uint32]uint16), make(map[uint16]handover)
	}
	t.leaving[obj] = uint16(id)
	t.handovers[uint16(id)] = handover{obj: obj, left: tick}
}

// deferToPrevious makes a new ghost wait until the previous ghost of its object is deleted. An
// object that was added after the previous one left the scope only reuses its number, so its ghost
// does not wait.
func (t *table) deferToPrevious(id int, born uint32) {
	older, ok := t.leaving[t.obj[id]]
	h := t.handovers[older]
	if !ok || h.left < born {
		return
	}
	h.next, h.hasNext = uint16(id), true
	t.handovers[older] = h
	t.deferred.add(id)
	t.dirty.drop(id)
}

// endHandover is called when a ghost becomes free. It cancels the wait of the ghost, or ends the
// wait for it.
func (t *table) endHandover(id int) {
	if t.deferred.has(id) {
		t.deferred.drop(id)
		older := t.leaving[t.obj[id]]
		h := t.handovers[older]
		h.hasNext = false
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
	if h.hasNext {
		t.deferred.drop(int(h.next))
		t.dirty.add(int(h.next))
	}
}
