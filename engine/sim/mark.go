package sim

import "slices"

// Mark says that groups of fields have changed: bit g is group g. Whatever
// changes a net object other than through Field.Set marks it, or peers will
// not see the change. It costs next to nothing, however often it is done in a
// tick; whether anything really differs is found out at the end of that.
//
// A new net object is marked in all groups when it is added. Marks of what is
// no net object, and of groups that its class has not, are ignored.
func (i *Identity) Mark(groups uint32) {
	if i.class == nil || i.id == 0 || i.dead {
		return
	}
	groups &= i.class.marks
	if i.dirty == 0 && groups != 0 {
		i.world.marked = append(i.world.marked, i.self)
	}
	i.dirty |= groups
}

// Dirty is the groups marked since the last ClearMarks.
func (i *Identity) Dirty() uint32 { return i.dirty }

// Marked is the net objects with marks, in the order of their first mark. The
// slice belongs to the world. Those deleted since are in it until Sweep.
func (w *World) Marked() []Object { return w.marked }

// ClearMarks takes all marks away.
func (w *World) ClearMarks() {
	for _, o := range w.marked {
		o.Ident().dirty = 0
	}
	clear(w.marked)
	w.marked = w.marked[:0]
}

// TakeMarks takes all marks away and calls do with each object that had some,
// and with its groups, in the order of their first mark. Marks that are made
// meanwhile are for the next time.
func (w *World) TakeMarks(do func(o Object, groups uint32)) {
	n := len(w.marked)
	for k := range n {
		o := w.marked[k]
		i := o.Ident()
		groups := i.dirty
		i.dirty = 0
		do(o, groups)
	}
	left := copy(w.marked, w.marked[n:])
	clear(w.marked[left:])
	w.marked = w.marked[:left]
}

// Drift says that groups of fields have changed in the way in which ghosts
// change them by themselves (MotionRule.Predict): whoever has one needs no
// update, but who comes to see the object later must see it as it is then. The
// groups are among those of Class.Drifts.
func (i *Identity) Drift(groups uint32) {
	if i.class == nil || i.id == 0 || i.dead {
		return
	}
	groups &= i.class.marks
	if i.drift == 0 && groups != 0 {
		i.world.drifted = append(i.world.drifted, i.self)
	}
	i.drift |= groups
}

// TakeDrifts is TakeMarks for Drift.
func (w *World) TakeDrifts(do func(o Object, groups uint32)) {
	for _, o := range w.drifted {
		i := o.Ident()
		groups := i.drift
		i.drift = 0
		do(o, groups)
	}
	clear(w.drifted)
	w.drifted = w.drifted[:0]
}

// sweepMarks forgets the marks of the dead.
func (w *World) sweepMarks() {
	w.drifted = slices.DeleteFunc(w.drifted, func(o Object) bool { return o.Ident().dead })
	w.marked = slices.DeleteFunc(w.marked, func(o Object) bool { return o.Ident().dead })
}
