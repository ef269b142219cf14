package hidden

import (
	"fmt"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// Everybody stands for all clients without a rule of their own.
const Everybody sim.ID = 0

// Fields are the rules of all objects. The zero value hides nothing.
type Fields struct {
	rules map[sim.ID]map[rule]verdict // by object
}

// A rule is about one field and one client, or Everybody. It names the field, because a reload can
// declare the class again with other groups.
type rule struct {
	client sim.ID
	field  string
}

// A verdict hides a field or shows it. groups are the scope groups of clients that see a hidden
// field.
type verdict struct {
	hide   bool
	groups uint64
}

// Set hides a field of an object from a client, or shows it to this client only. A rule for a
// client takes precedence over the one for Everybody. undo restores the rule before.
func (f *Fields) Set(o sim.Object, client sim.ID, name string, hide bool) (undo func(), err error) {
	return f.set(o, rule{client, name}, verdict{hide: hide})
}

// ShowTo hides a field of an object from everybody but clients with one of these scope groups. A
// rule for a client takes precedence. undo restores the rule before.
func (f *Fields) ShowTo(o sim.Object, groups uint64, name string) (undo func(), err error) {
	return f.set(o, rule{Everybody, name}, verdict{true, groups})
}

func (f *Fields) set(o sim.Object, key rule, v verdict) (undo func(), err error) {
	i := o.Ident()
	field, err := i.Class().Field(key.field)
	switch {
	case err != nil:
		return nil, err
	case field.Group == 0:
		return nil, fmt.Errorf("field %s of class %s cannot be hidden: clients need it to create the object", field.Name, i.Class().Name)
	case i.Class().Coder(int(field.Group)) != nil:
		return nil, fmt.Errorf("field %s of class %s cannot be hidden: the class encodes it by hand", field.Name, i.Class().Name)
	case smooth(i.Class(), field):
		return nil, fmt.Errorf("field %s of class %s cannot be hidden: updates carry its difference from earlier values. Hide the object with inScope", field.Name, i.Class().Name)
	}
	if f.rules == nil {
		f.rules = map[sim.ID]map[rule]verdict{}
	}
	of := f.rules[i.ID()]
	if of == nil {
		of = map[rule]verdict{}
		f.rules[i.ID()] = of
	}
	key.field = field.Name
	was, had := of[key]
	of[key] = v
	return func() {
		if had {
			of[key] = was
		} else {
			delete(of, key)
		}
	}, nil
}

// smooth reports whether updates carry the group of a field as the difference from earlier values.
func smooth(class *sim.Class, field *sim.Field) bool {
	return !slices.ContainsFunc(class.Cells(int(field.Group)), func(c sim.Cell) bool { return !c.Smooth })
}

// Groups returns the mask of an object's groups that are hidden from a client with scope groups. A
// group is hidden if one of its fields is.
func (f *Fields) Groups(o sim.Object, client sim.ID, groups uint64) (mask uint32) {
	of := f.rules[o.Ident().ID()]
	for r, v := range of {
		_, own := of[rule{client, r.field}]
		if !v.hide || v.groups&groups != 0 || r.client != client && (r.client != Everybody || own) {
			continue
		}
		if field := o.Ident().Class().Lookup(r.field); field != nil {
			mask |= 1 << field.Group
		}
	}
	return mask
}

// Secret returns the mask of an object's groups that are hidden from any client.
func (f *Fields) Secret(o sim.Object) (mask uint32) {
	for r, v := range f.rules[o.Ident().ID()] {
		if field := o.Ident().Class().Lookup(r.field); v.hide && field != nil {
			mask |= 1 << field.Group
		}
	}
	return mask
}

// ByGroups yields the objects with a rule about scope groups, in any order.
func (f *Fields) ByGroups(yield func(sim.ID) bool) {
	for id, of := range f.rules { // any order: the caller marks each object by itself
		for _, v := range of { // any order: one rule is enough
			if v.groups != 0 {
				if !yield(id) {
					return
				}
				break
			}
		}
	}
}

// Forget removes the rules of a deleted object, and those about it as a client.
func (f *Fields) Forget(id sim.ID, client bool) {
	delete(f.rules, id)
	if !client {
		return
	}
	for _, of := range f.rules {
		for r := range of {
			if r.client == id {
				delete(of, r)
			}
		}
	}
}
