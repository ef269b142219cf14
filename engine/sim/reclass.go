package sim

import "slices"

// A crossing converts objects of a redeclared class to the class that now has its name.
type crossing struct {
	from, to   *Class
	rows, olds []*Field // the fields whose values objects keep: in the new class, and in the old
}

// A reclassing is the move of one object to its new class.
type reclassing struct {
	*crossing
	was, is Object  // the same object, unless the new class has another Go type
	kept    []Value // the values of rows
}

// newCrossing prepares the move of a class's objects. If the Go type stays the same, the move
// leaves their Go state alone.
func newCrossing(from, to *Class) *crossing {
	c := &crossing{from: from, to: to}
	fields := to.fields
	if from.base == to.base {
		fields = fields[len(to.base.fields):]
	}
	for _, f := range fields {
		if old := from.Lookup(f.Name); old != nil && old.Kind == f.Kind && old.block == f.block {
			c.rows, c.olds = append(c.rows, f), append(c.olds, old)
		}
	}
	return c
}

// reclass moves the objects of redeclared classes. All objects get their new class before any field
// is set, because fields may refer to other moved objects.
func (w *World) reclass() {
	var moving []reclassing
	ways := map[*Class]*crossing{}
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
		if way.open(o) {
			moving = append(moving, reclassing{crossing: way, was: o, is: o})
		} else {
			w.kill(o)
		}
	}
	for k := range moving {
		moving[k].turn()
	}
	for k := range moving {
		for n, f := range moving[k].rows {
			_ = f.Set(moving[k].is, moving[k].kept[n]) // a rejected value leaves the default
		}
	}
	w.unbind(moving)
	for k := range moving {
		moving[k].arrive()
	}
}

// open reports whether an object has the datablock that its new class requires. Redeclare
// guarantees that. A peer that describes a class again may break it.
func (c *crossing) open(o Object) bool {
	if c.to.DataBlock == "" {
		return true
	}
	block := BlockOf(o)
	return block != nil && block.Ident().class.IsA(block.Ident().world.classes.Lookup(c.to.DataBlock))
}

// turn gives the object its new class, with default field values.
func (m *reclassing) turn() {
	m.kept = make([]Value, len(m.rows))
	for k, old := range m.olds {
		m.kept[k] = old.Get(m.was)
	}
	if m.from.base == m.to.base {
		i := m.is.Ident()
		i.class, i.ext = m.to, m.to.cells()
		if i.drift &= m.to.marks; i.dirty != 0 { // marks may name groups that the new class does not have
			i.dirty = m.to.marks
		}
		return
	}
	m.replace()
}

// replace puts a new object with the same id into the place of this one.
func (m *reclassing) replace() {
	old := m.was.Ident()
	w := old.world
	old.dead = true
	if r, ok := m.was.(Resident); ok {
		r.Left()
	}
	m.is = w.Make(m.to)
	i := m.is.Ident()
	i.id, i.name, i.number = old.id, old.name, old.number
	i.group, i.sets = old.group, old.sets
	old.group, old.sets, old.number, old.dirty, old.drift = nil, nil, 0, 0, 0
	i.group.replace(m.was, m.is)
	for _, s := range i.sets {
		s.replace(m.was, m.is)
	}
	if i.name != "" {
		w.names.replace(m.is)
	}
	w.byID[i.id] = m.is
	at, _ := slices.BinarySearchFunc(w.objects, i.id, byID)
	w.objects[at] = m.is
	w.retick(i.id, tickerOf(m.is))
	for k := range w.events {
		if w.events[k].object == m.was {
			w.events[k].object = m.is
		}
	}
}

// retick makes t run the ticks of an object; a nil t stops them.
func (w *World) retick(id ID, t Ticker) {
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

// unbind clears references that are no longer valid: the target has lost an ancestor class and is
// no longer of the class that the field refers to.
func (w *World) unbind(moving []reclassing) {
	lost := map[ID]bool{}
	for k := range moving {
		for c := moving[k].from.parent; c != nil; c = c.parent {
			if !moving[k].to.IsA(w.classes.Lookup(c.Name)) {
				lost[moving[k].is.Ident().id] = true
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

// arrive announces the object in its new class.
func (m *reclassing) arrive() {
	i := m.is.Ident()
	if r, ok := m.is.(Resident); ok && m.is != m.was {
		r.Entered()
	}
	i.Mark(m.to.marks)
	if i.world.OnMoved != nil {
		i.world.OnMoved(m.was, m.is)
	}
}

// undo deletes the newest objects, added one after the other, as if they had never been added.
func (w *World) undo(objects []Object, first ID) {
	if len(objects) == 0 {
		return
	}
	for _, o := range objects {
		if !o.Ident().dead {
			w.kill(o)
		}
	}
	for _, o := range objects {
		if r, ok := o.(Resident); ok {
			r.Left()
		}
		if w.OnUndone != nil {
			w.OnUndone(o)
		}
	}
	made := func(o Object) bool { return o.Ident().id >= first }
	w.dead = slices.DeleteFunc(w.dead, made)
	w.objects = slices.DeleteFunc(w.objects, made)
	w.tickers = slices.DeleteFunc(w.tickers, func(t Ticker) bool { return made(t) })
	w.sweepMarks()
}
