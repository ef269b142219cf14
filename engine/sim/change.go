package sim

import "slices"

// A Change is what is done to a world between Begin and Commit or Rollback, as
// while a mod is loaded anew: all of it holds, or nothing of it was.
type Change struct {
	world   *World
	first   ID // of the objects made since
	classes classesState
	blocks  blocksState
	held    []func() // to be done when it holds
	undoing []func() // when it does not, the last first
	order   map[*Set][]Object
}

// Changing reports whether a change is open.
func (w *World) Changing() bool { return w.change != nil }

// Hold does something that cannot be taken back: now, or while a change is open
// when it is committed, and never if it is rolled back.
func (w *World) Hold(do func()) {
	if c := w.change; c != nil {
		c.held = append(c.held, do)
		return
	}
	do()
}

// OnRollback notes what takes back something that is done now, if a change is
// open.
func (w *World) OnRollback(undo func()) {
	if c := w.change; c != nil {
		c.undoing = append(c.undoing, undo)
	}
}

// Older reports whether a change is open, and the object was there before it.
func (i *Identity) Older() bool { return i.older() != nil }

// older is the change that is open, if o was in the world before it; else nil.
func (i *Identity) older() *Change {
	if i.id == 0 || i.world.change == nil || i.world.change.made(i.id) {
		return nil
	}
	return i.world.change
}

func (c *Change) made(id ID) bool { return c.first != 0 && id >= c.first }

// regroups notes who the members of a set are, and where o belongs, before that
// changes.
func (c *Change) regroups(s *Set, o Object) {
	if _, known := c.order[s]; !known {
		c.order[s] = slices.Clone(s.members)
	}
	if i := o.Ident(); !c.made(i.id) {
		group, sets := i.group, slices.Clone(i.sets)
		c.undoing = append(c.undoing, func() { i.group, i.sets = group, sets })
	}
}

// Begin starts a change of what is declared: until Commit or Rollback,
// datablocks and classes that are declared, and objects that are made, can be
// taken back. It is called between ticks, so that no peer hears of what may be
// taken back; there is one change at a time.
func (w *World) Begin() *Change {
	if w.change != nil {
		panic("BUG: a change of the world begins while another is open")
	}
	w.change = &Change{world: w, first: w.next, classes: w.classes.state(), blocks: w.Blocks.state(), order: map[*Set][]Object{}}
	return w.change
}

// CanRedeclare reports whether a class may be declared anew now: a change is
// open in which that has not been done yet. Heirs that were redeclared with
// their parent count as not done.
func (w *World) CanRedeclare(c *Class) bool {
	return w.change != nil && c.spec != nil && (c.follows || c.wire < w.change.classes.count)
}

// Made is the objects made since Begin that are alive, in that order, without
// datablocks.
func (c *Change) Made() []ID {
	var made []ID
	for _, o := range c.since() {
		if _, block := o.(Datablock); !block && !o.Ident().dead {
			made = append(made, o.Ident().id)
		}
	}
	return made
}

// since is all objects that were added after Begin, the dead too.
func (c *Change) since() []Object {
	if c.first == 0 { // no ids were left
		return nil
	}
	at, _ := slices.BinarySearchFunc(c.world.objects, c.first, byID)
	return c.world.objects[at:]
}

// Commit ends the change and keeps it, and does what was held back. Objects of classes that were redeclared
// move to the new ones: they keep their ids and what Go keeps of them, and
// fields keep their values by name and kind, where the new field takes the
// value; else it has its default. Ghosts are left alone, for their peer moves
// the objects that they show.
func (c *Change) Commit() {
	c.end()
	for _, do := range c.held {
		do()
	}
	c.world.reclass()
}

// Rollback ends the change and takes it back. Datablocks and classes are as
// they were at Begin, and so are the fields, names and groups of objects; what
// was held back is not done. The objects made since are gone at once: OnUndone
// hears of each, and OnRemoved of none.
func (c *Change) Rollback() {
	c.end()
	for _, undo := range slices.Backward(c.undoing) {
		undo()
	}
	for s, members := range c.order {
		s.reorder(members)
	}
	c.world.Blocks.restore(c.blocks)
	c.world.undo(slices.Clone(c.since()), c.first)
	c.world.classes.restore(c.classes)
}

func (c *Change) end() {
	if c.world.change != c {
		panic("BUG: a change of the world ends that is not open")
	}
	c.world.change = nil
}
