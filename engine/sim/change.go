package sim

import "slices"

// A Transaction groups changes of a world between Begin and Commit or Rollback, for example a mod
// reload. Either all of its changes stay or none.
type Transaction struct {
	world      *World
	first      ID // id of the first object made since Begin
	classes    classesState
	blocks     blocksState
	onCommit   []func() // run at Commit
	onRollback []func() // run at Rollback, the last first
	order      map[*Set][]Object
}

// InTransaction reports whether a change is open.
func (w *World) InTransaction() bool { return w.change != nil }

// OnCommit runs do, which cannot be undone. If a change is open, do waits for its Commit; a
// Rollback drops it.
func (w *World) OnCommit(do func()) {
	if c := w.change; c != nil {
		c.onCommit = append(c.onCommit, do)
		return
	}
	do()
}

// OnRollback registers undo if a change is open. A Rollback of the change calls it.
func (w *World) OnRollback(undo func()) {
	if c := w.change; c != nil {
		c.onRollback = append(c.onRollback, undo)
	}
}

// PredatesTransaction reports whether a change is open and the object is older than it.
func (i *Identity) PredatesTransaction() bool { return i.older() != nil }

// older returns the open change if the object was in the world before it, else nil.
func (i *Identity) older() *Transaction {
	if i.id == 0 || i.world.change == nil || i.world.change.made(i.id) {
		return nil
	}
	return i.world.change
}

func (c *Transaction) made(id ID) bool { return c.first != 0 && id >= c.first }

// saveMembership saves the members of a set, and the group and sets of o, before they change.
func (c *Transaction) saveMembership(s *Set, o Object) {
	if _, known := c.order[s]; !known {
		c.order[s] = slices.Clone(s.members)
	}
	if i := o.Ident(); !c.made(i.id) {
		group, sets := i.group, slices.Clone(i.sets)
		c.onRollback = append(c.onRollback, func() { i.group, i.sets = group, sets })
	}
}

// Begin starts a change. Until Commit or Rollback, declared datablocks and classes and new objects
// can be rolled back. Call it between ticks, so that no peer receives anything that may be rolled
// back. Only one change can be open at a time.
func (w *World) Begin() *Transaction {
	if w.change != nil {
		panic("BUG: a world change begins while another is open")
	}
	w.change = &Transaction{world: w, first: w.next, classes: w.classes.state(), blocks: w.Blocks.state(), order: map[*Set][]Object{}}
	return w.change
}

// CanRedeclare reports whether a class can be redeclared now: a change is open, and the class has
// not been redeclared in it yet. Redeclaring a class because its parent was redeclared does not
// count.
func (w *World) CanRedeclare(c *Class) bool {
	return w.change != nil && c.spec != nil && (c.redeclaredWithParent || c.wire < w.change.classes.count)
}

// Made returns the ids of the living objects added since Begin, in order of creation, without
// datablocks.
func (c *Transaction) Made() []ID {
	var made []ID
	for _, o := range c.since() {
		if _, block := o.(Datablock); !block && !o.Ident().dead {
			made = append(made, o.Ident().id)
		}
	}
	return made
}

// since returns all objects added after Begin, dead ones included.
func (c *Transaction) since() []Object {
	if c.first == 0 { // no ids were left
		return nil
	}
	at, _ := slices.BinarySearchFunc(c.world.objects, c.first, byID)
	return c.world.objects[at:]
}

// Commit ends the change, keeps it, and runs the functions that Hold deferred. Objects of
// redeclared classes move to the new classes. They keep their ids and their Go state. A field keeps
// its value if the new class has a field of the same name and kind and that field accepts the
// value. Otherwise the field gets its default. Ghosts do not move: the peer moves its own objects.
func (c *Transaction) Commit() {
	c.end()
	for _, do := range c.onCommit {
		do()
	}
	c.world.migrateObjects()
}

// Rollback ends the change and undoes it. Datablocks and classes, and the fields, names and groups
// of objects, return to their state at Begin. The functions that Hold deferred do not run. Objects
// made since Begin disappear at once. OnRolledBack is called for each of them, OnRemoved is not
// called.
func (c *Transaction) Rollback() {
	c.end()
	for _, undo := range slices.Backward(c.onRollback) {
		undo()
	}
	for s, members := range c.order { // any order: each group gets its own members back
		s.reorder(members)
	}
	c.world.Blocks.restore(c.blocks)
	c.world.undo(slices.Clone(c.since()), c.first)
	c.world.classes.restore(c.classes)
}

func (c *Transaction) end() {
	if c.world.change != c {
		panic("BUG: a world change ends that is not open")
	}
	c.world.change = nil
}
