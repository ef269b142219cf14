package sim

import "slices"

// A reclassing is an object on its way from a class that was redeclared to the
// one that has its name now.
type reclassing struct {
	was, is  Object // the same one, unless the new class is made of other Go
	from, to *Class
	kept     []Value // of the fields that it brings along: those of rows
	rows     []*Field
}

// reclass moves the objects of redeclared classes. All of them are of their new
// classes before a field is set, for fields may refer to them.
func (w *World) reclass() {
	var moving []reclassing
	for _, o := range w.objects {
		i := o.Ident()
		if i.dead || i.ghost || !w.classes.retired(i.class) {
			continue
		}
		m := reclassing{was: o, is: o, from: i.class, to: w.classes.Lookup(i.class.Name)}
		if !m.possible(w) {
			w.kill(o)
			continue
		}
		moving = append(moving, m)
	}
	for k := range moving {
		moving[k].turn()
	}
	for k := range moving {
		for n, f := range moving[k].rows {
			_ = f.Set(moving[k].is, moving[k].kept[n]) // what it does not take stays its default
		}
	}
	w.unbind(moving)
	for k := range moving {
		moving[k].arrive()
	}
}

// possible reports whether the object has the datablock that one of its new
// class must have. A class that Redeclare retired sees to that; one that a peer
// described anew may not.
func (m *reclassing) possible(w *World) bool {
	if m.to.DataBlock == "" {
		return true
	}
	block := BlockOf(m.was)
	return block != nil && block.Ident().class.IsA(w.classes.Lookup(m.to.DataBlock))
}

// turn makes the object one of the new class, with the defaults of its fields.
// What Go keeps of it is left alone as long as it is of the same Go.
func (m *reclassing) turn() {
	fields := m.to.fields
	same := m.from.base == m.to.base
	if same {
		fields = fields[len(m.to.base.fields):]
	}
	for _, f := range fields {
		if old := m.from.Lookup(f.Name); old != nil && old.Kind == f.Kind && old.block == f.block {
			m.rows, m.kept = append(m.rows, f), append(m.kept, old.Get(m.was))
		}
	}
	if same {
		i := m.is.Ident()
		i.class, i.ext = m.to, m.to.cells()
		return
	}
	m.replace()
}

// replace puts another object, with the same id, into the place of this one.
func (m *reclassing) replace() {
	old := m.was.Ident()
	w := old.world
	old.dead = true
	if r, ok := m.was.(Resident); ok {
		r.Left()
	}
	m.is = w.Make(m.to)
	i := m.is.Ident()
	i.id, i.name, i.number, i.controller, i.lag = old.id, old.name, old.number, old.controller, old.lag
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

// retick has t do the ticks of an object, nil nobody.
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

// unbind has nobody refer any more to what has lost an ancestor and is none of
// the class that the field refers to.
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

// arrive tells of the object in its new class.
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

// undo deletes objects that were added one after the other, the newest of all,
// as if they had not been. What they own and was there before goes to the root
// group.
func (w *World) undo(objects []Object, first ID) {
	if len(objects) == 0 {
		return
	}
	for _, o := range objects {
		if g, ok := o.(interface{ owner() *Group }); ok {
			for _, member := range g.owner().Members(nil) {
				if member.Ident().id < first {
					w.Root.own(member)
				}
			}
		}
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
