package sim

import "slices"

// Mark marks groups of fields as changed: bit g is group g. Any code that changes a net object,
// other than through Field.Set, must call it, or MarkLeap; otherwise peers do not receive the
// change. A call costs almost nothing and can be repeated in a tick. The end of the tick compares
// the actual values.
//
// A new net object is marked in all groups when it is added. Mark ignores objects that are not net
// objects and groups that the class does not have.
func (i *Identity) Mark(groups uint32) {
	if i.class == nil || i.id == 0 || i.dead {
		return
	}
	groups &= i.class.marks
	if i.dirty == 0 && groups != 0 {
		i.world.marked = append(i.world.marked, i.self)
	}
	i.dirty |= groups
	i.touched |= groups
}

// Dirty returns the marked groups, those of Park included.
func (i *Identity) Dirty() uint32 { return i.dirty }

// TakeTouched returns the groups marked since the last call, by Mark or MarkPredicted. It serves a
// watcher of the values that looks at its own times: TakeMarks, Park and Unpark do not count.
func (i *Identity) TakeTouched() (groups uint32) {
	groups, i.touched = i.touched, 0
	return groups
}

// Marked returns the net objects with marks, in the order of their first mark, but no parked ones.
// The slice belongs to the world. It includes deleted objects until Sweep.
func (w *World) Marked() []Object { return w.marked }

// ClearMarks clears all marks.
func (w *World) ClearMarks() {
	for _, o := range w.marked {
		o.Ident().dirty = 0
	}
	clear(w.marked)
	w.marked = w.marked[:0]
}

// TakeMarks clears all marks and calls do with each marked object and its groups, in the order of
// their first mark. Marks made meanwhile stay for the next call.
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

// MarkLeap is Mark for an object that moves in a way that no one expects, as a script moves it. It
// ends Park, so that its new place is known in this tick.
func (i *Identity) MarkLeap(groups uint32) {
	if i.parked {
		groups |= i.Unpark()
	}
	i.Mark(groups)
}

// Park marks groups without listing the object: TakeMarks does not pass it on again, and Mark costs
// nothing, until Unpark or MarkLeap. It is for an object that TakeMarks has just passed on.
func (i *Identity) Park(groups uint32) { i.dirty, i.parked = i.dirty|groups, true }

// Unpark ends Park. It returns the groups marked since then, and those of Park.
func (i *Identity) Unpark() (groups uint32) {
	groups, i.dirty, i.parked = i.dirty, 0, false
	return groups
}

// MarkPredicted reports a change of groups that ghosts compute by themselves (MotionRule.Predict).
// Existing ghosts need no update, but a client that first sees the object later needs its current
// state. The groups must be among those of Class.PredictedGroups.
func (i *Identity) MarkPredicted(groups uint32) {
	if i.class == nil || i.id == 0 || i.dead {
		return
	}
	groups &= i.class.marks
	if i.predicted == 0 && groups != 0 {
		i.world.predictedList = append(i.world.predictedList, i.self)
	}
	i.predicted |= groups
	i.touched |= groups
}

// TakePredicted is TakeMarks for the marks of MarkPredicted.
func (w *World) TakePredicted(do func(o Object, groups uint32)) {
	for _, o := range w.predictedList {
		i := o.Ident()
		groups := i.predicted
		i.predicted = 0
		do(o, groups)
	}
	clear(w.predictedList)
	w.predictedList = w.predictedList[:0]
}

// sweepMarks removes the marks of dead objects.
func (w *World) sweepMarks() {
	w.predictedList = slices.DeleteFunc(w.predictedList, func(o Object) bool { return o.Ident().dead })
	w.marked = slices.DeleteFunc(w.marked, func(o Object) bool { return o.Ident().dead })
}
