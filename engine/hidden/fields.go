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
	rules map[sim.ID]map[rule]bool // by object; true: hidden
}

// A rule is about one field and one client, or Everybody. It names the field, because a reload can
// declare the class again with other groups.
type rule struct {
	client sim.ID
	field  string
}

// Set hides a field of an object from a client, or shows it to this client only. A rule for a client takes
// precedence over the one for Everybody. undo restores the rule before.
func (f *Fields) Set(o sim.Object, client sim.ID, name string, hide bool) (undo func(), err error) {
	i := o.Ident()
	field, err := i.Class().Field(name)
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
		f.rules = map[sim.ID]map[rule]bool{}
	}
	of := f.rules[i.ID()]
	if of == nil {
		of = map[rule]bool{}
		f.rules[i.ID()] = of
	}
	key := rule{client, field.Name}
	was, had := of[key]
	of[key] = hide
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

// Groups returns the mask of an object's groups that are hidden from a client. A group is hidden if one of
// its fields is.
func (f *Fields) Groups(o sim.Object, client sim.ID) (mask uint32) {
	of := f.rules[o.Ident().ID()]
	for r, hide := range of {
		_, own := of[rule{client, r.field}]
		if !hide || r.client != client && (r.client != Everybody || own) {
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
	for r, hide := range f.rules[o.Ident().ID()] {
		if field := o.Ident().Class().Lookup(r.field); hide && field != nil {
			mask |= 1 << field.Group
		}
	}
	return mask
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
