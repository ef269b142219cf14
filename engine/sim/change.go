package sim

import "slices"

// A Change is what is declared and made between Begin and Commit or Rollback,
// as while a mod is loaded anew: all of it holds, or nothing of it was.
type Change struct {
	world   *World
	first   ID // of the objects made since
	classes classesState
	blocks  blocksState
	rebound []binding
}

// A binding is a reference to a datablock as it was.
type binding struct {
	of    Object
	at    *BlockRef
	was   BlockRef
	group uint8
}

// Changing reports whether a change is open.
func (w *World) Changing() bool { return w.change != nil }

// rebinds notes that a reference of o to a datablock is about to change: the new
// block may be taken back.
func (w *World) rebinds(o Object, at *BlockRef, group uint8) {
	if c := w.change; c != nil {
		c.rebound = append(c.rebound, binding{o, at, *at, group})
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
	w.change = &Change{world: w, first: w.next, classes: w.classes.state(), blocks: w.Blocks.state()}
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

// Commit ends the change and keeps it. Objects of classes that were redeclared
// move to the new ones: they keep their ids and what Go keeps of them, and
// fields keep their values by name and kind, where the new field takes the
// value; else it has its default. Ghosts are left alone, for their peer moves
// the objects that they show.
func (c *Change) Commit() {
	c.end()
	c.world.reclass()
}

// Rollback ends the change and takes it back. Datablocks and classes are as
// they were at Begin, and the objects made since are gone at once: OnUndone
// hears of each, and OnRemoved of none. What was in a group made since is in
// the root group then, unless it is gone too. Fields of other objects that refer
// to a datablock refer to what they did, so that none loses the one that it must
// have.
func (c *Change) Rollback() {
	c.end()
	for _, b := range slices.Backward(c.rebound) {
		*b.at = b.was
		b.of.Ident().Mark(1 << b.group)
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
