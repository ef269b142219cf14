package sim

import "slices"

// A classMigration converts objects of a redeclared class to the class that now has its name.
type classMigration struct {
	from, to             *Class
	newFields, oldFields []*Field // the fields whose values objects keep: in the new class, and in the old
}

// An objectMigration is the move of one object to its new class.
type objectMigration struct {
	*classMigration
	old, new Object  // the same object, unless the new class has another Go type
	values   []Value // the values of rows
}

// newCrossing prepares the move of a class's objects. If the Go type stays the same, the move
// leaves their Go state alone.
func newCrossing(from, to *Class) *classMigration {
	c := &classMigration{from: from, to: to}
	fields := to.fields
	if from.base == to.base {
		fields = fields[len(to.base.fields):]
	}
	for _, f := range fields {
		if old := from.Lookup(f.Name); old != nil && old.Kind == f.Kind && old.block == f.block {
			c.newFields, c.oldFields = append(c.newFields, f), append(c.oldFields, old)
		}
	}
	return c
}

// migrateObjects moves the objects of redeclared classes. All objects get their new class before
// any field is set, because fields may refer to other moved objects.
func (w *World) migrateObjects() {
	var moving []objectMigration
	ways := map[*Class]*classMigration{}
	for _, o := range w.objects {
		i := o.Ident()
		if i.dead || i.ghost || !w.classes.retired(i.class) {
			continue
		}
		way := ways[i.class]
		if way == nil {
			way = newCrossing(i.class, w.classes.Lookup(i.class.Name))
			ways[i.class] = way
		}
		if way.hasRequiredBlock(o) {
			moving = append(moving, objectMigration{classMigration: way, old: o, new: o})
		} else {
			w.markDead(o)
		}
	}
	for k := range moving {
		moving[k].changeClass()
	}
	for k := range moving {
		for n, f := range moving[k].newFields {
			_ = f.Set(moving[k].new, moving[k].values[n]) // a rejected value leaves the default
		}
	}
	w.clearInvalidRefs(moving)
	for k := range moving {
		moving[k].announce()
	}
}

// hasRequiredBlock reports whether an object has the datablock that its new class requires.
// Redeclare guarantees that. A peer that describes a class again may break it.
func (c *classMigration) hasRequiredBlock(o Object) bool {
	if c.to.DataBlock == "" {
		return true
	}
	block := BlockOf(o)
	return block != nil && block.Ident().class.IsA(block.Ident().world.classes.Lookup(c.to.DataBlock))
}

// changeClass gives the object its new class, with default field values.
func (m *objectMigration) changeClass() {
	m.values = make([]Value, len(m.newFields))
	for k, old := range m.oldFields {
		m.values[k] = old.Get(m.old)
	}
	if m.from.base == m.to.base {
		i := m.new.Ident()
		i.class, i.runtimeCells = m.to, m.to.cells()
		if i.predicted &= m.to.marks; i.dirty != 0 { // marks may name groups that the new class does not have
			i.dirty = m.to.marks
		}
		return
	}
	m.replace()
}

// replace puts a new object with the same id into the place of this one.
func (m *objectMigration) replace() {
	old := m.old.Ident()
	w := old.world
	old.dead = true
	if r, ok := m.old.(Lifecycle); ok {
		r.Left()
	}
	m.new = w.Make(m.to)
	i := m.new.Ident()
	i.id, i.name, i.number = old.id, old.name, old.number
	i.group, i.sets = old.group, old.sets
	old.group, old.sets, old.number, old.dirty, old.predicted, old.parked = nil, nil, 0, 0, 0, false
	i.group.replace(m.old, m.new)
	for _, s := range i.sets {
		s.replace(m.old, m.new)
	}
	if i.name != "" {
		w.names.replace(m.new)
	}
	w.byID[i.id] = m.new
	at, _ := slices.BinarySearchFunc(w.objects, i.id, byID)
	w.objects[at] = m.new
	w.replaceTicker(i.id, tickerOf(m.new))
	for k := range w.events {
		if w.events[k].object == m.old {
			w.events[k].object = m.new
		}
	}
}

// replaceTicker makes t run the ticks of an object; a nil t stops them.
func (w *World) replaceTicker(id ID, t Ticker) {
	at, does := slices.BinarySearchFunc(w.tickers, id, func(t Ticker, id ID) int { return byID(t, id) })
	switch {
	case does && t != nil:
		w.tickers[at] = t
	case does:
		w.tickers = slices.Delete(w.tickers, at, at+1)
	case t != nil:
		w.tickers = slices.Insert(w.tickers, at, t)
	}
}

// clearInvalidRefs clears references that are no longer valid: the target has lost an ancestor
// class and is no longer of the class that the field refers to.
func (w *World) clearInvalidRefs(moving []objectMigration) {
	lost := map[ID]bool{}
	for k := range moving {
		for c := moving[k].from.parent; c != nil; c = c.parent {
			if !moving[k].to.IsA(w.classes.Lookup(c.Name)) {
				lost[moving[k].new.Ident().id] = true
			}
		}
	}
	if len(lost) == 0 {
		return
	}
	w.Each(nil, func(o Object) bool {
		for _, f := range o.Ident().class.fields {
			if f.Kind != KindObject || f.block {
				continue
			}
			if v := f.Get(o); lost[v.Object()] && !w.Find(v.Object()).Ident().class.IsA(w.classes.Lookup(f.Class)) {
				_ = f.Set(o, Nil())
			}
		}
		return true
	})
}

// announce announces the object in its new class.
func (m *objectMigration) announce() {
	i := m.new.Ident()
	if r, ok := m.new.(Lifecycle); ok && m.new != m.old {
		r.Entered()
	}
	i.Mark(m.to.marks)
	if i.world.OnClassChanged != nil {
		i.world.OnClassChanged(m.old, m.new)
	}
}

// undo deletes the newest objects, added one after the other, as if they had never been added.
func (w *World) undo(objects []Object, first ID) {
	if len(objects) == 0 {
		return
	}
	for _, o := range objects {
		if !o.Ident().dead {
			w.markDead(o)
		}
	}
	for _, o := range objects {
		if r, ok := o.(Lifecycle); ok {
			r.Left()
		}
		if w.OnRolledBack != nil {
			w.OnRolledBack(o)
		}
	}
	made := func(o Object) bool { return o.Ident().id >= first }
	w.dead = slices.DeleteFunc(w.dead, made)
	w.objects = slices.DeleteFunc(w.objects, made)
	w.tickers = slices.DeleteFunc(w.tickers, func(t Ticker) bool { return made(t) })
	w.sweepMarks()
}
