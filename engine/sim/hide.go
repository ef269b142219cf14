package sim

// hiding is what an object loses while it is hidden.
type hiding struct {
	object Object
	group  *Group
	sets   []*Set
}

// Hide makes older objects look deleted until the returned function is called: nothing finds them,
// by id, by name, by class, or in groups and sets. Nothing ticks meanwhile. Shown again, they are
// the last members of their groups and sets, or at their places after a Rollback.
func (c *Transaction) Hide(objects []Object) (show func()) {
	var all []hiding
	for _, o := range objects {
		if o.Ident().Alive() {
			all = append(all, c.world.hide(o))
		}
	}
	return func() {
		for _, h := range all {
			c.world.show(h)
		}
	}
}

func (w *World) hide(o Object) hiding {
	i := o.Ident()
	h := hiding{o, i.group, i.sets}
	i.dead = true
	delete(w.byID, i.id)
	if i.name != "" {
		w.names.remove(o)
	}
	if h.group != nil {
		h.group.erase(o)
	}
	for _, s := range h.sets {
		s.erase(o)
	}
	i.group, i.sets = nil, nil
	return h
}

func (w *World) show(h hiding) {
	i := h.object.Ident()
	i.dead = false
	w.byID[i.id] = h.object
	if i.name != "" {
		w.names.add(h.object)
	}
	if h.group != nil {
		h.group.insert(h.object)
	}
	for _, s := range h.sets {
		s.insert(h.object)
	}
	i.group, i.sets = h.group, h.sets
}
