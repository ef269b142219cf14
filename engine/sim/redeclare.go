package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Redeclare declares a class of a name that is declared already, with other
// fields or another parent. It is another class, with the next number on the
// wire; the old one is retired: it is found by its number alone, and its objects
// are of it until a Change commits. Heirs are redeclared with it. A description
// that says what is declared already changes nothing and takes no number.
// Datablocks never move: their classes are Go's, and cannot be declared.
//
// The error is one sentence and changes nothing: besides those of Declare, that
// the parent is an heir, or that an heir cannot live with the new fields.
func (cs *Classes) Redeclare(spec ClassSpec) (*Class, error) {
	old := cs.Lookup(spec.Name)
	switch {
	case old == nil:
		return nil, fmt.Errorf("class %s is not declared, so it cannot be declared anew at %s", spec.Name, spec.Source)
	case old.spec == nil || old.foreign:
		return nil, clash(old, &spec)
	case old.spec.Same(&spec):
		return old, nil
	}
	before := cs.state()
	c, err := cs.redeclare(old, spec)
	if err == nil {
		err = cs.redeclareHeirs(c)
	}
	if err != nil {
		cs.restore(before)
		return nil, err
	}
	return c, nil
}

// Same reports whether two descriptions are of the same parent and fields.
func (s *ClassSpec) Same(other *ClassSpec) bool {
	return strings.EqualFold(s.parent(), other.parent()) && slices.Equal(s.Fields, other.Fields)
}

// parent is the name of the class it inherits from.
func (s *ClassSpec) parent() string {
	if s.Parent == "" {
		return "NetObject"
	}
	return s.Parent
}

// redeclare puts a class into the place of the old one of its name.
func (cs *Classes) redeclare(old *Class, spec ClassSpec) (*Class, error) {
	if parent := cs.Lookup(spec.parent()); parent != nil && parent.IsA(old) {
		return nil, fmt.Errorf("class %s: it cannot inherit from %s, which is itself or an heir", spec.Name, parent.Name)
	}
	d, err := cs.declaration(&spec)
	if err != nil {
		return nil, err
	}
	c, err := cs.declare(d)
	if err != nil {
		return nil, err
	}
	if err := cs.succeeds(old, c); err != nil {
		return nil, fmt.Errorf("class %s: %w", spec.Name, err)
	}
	return c, nil
}

// succeeds reports what speaks against objects of a class becoming those of
// another one: that they would need a datablock of a kind that they do not have.
func (cs *Classes) succeeds(old, c *Class) error {
	switch had := cs.Lookup(old.DataBlock); {
	case c.DataBlock == "" || had.IsA(cs.Lookup(c.DataBlock)):
		return nil
	case had == nil:
		return fmt.Errorf("its objects have no dataBlock, and would need one of class %s; give the class another name", c.DataBlock)
	default:
		return fmt.Errorf("its objects have a dataBlock of class %s, and would need one of class %s; give the class another name", had.Name, c.DataBlock)
	}
}

// redeclareHeirs declares anew whatever inherits from a class that was retired.
// An heir is always declared after what it inherits from, so one pass finds all.
func (cs *Classes) redeclareHeirs(c *Class) error {
	for i := 0; i < len(cs.declared); i++ {
		heir := cs.declared[i]
		if cs.retired(heir) || !cs.retired(heir.parent) {
			continue
		}
		anew, err := cs.redeclare(heir, heir.spec.below(c))
		if err != nil {
			return fmt.Errorf("class %s at %s does not suit its heir of %s: %w", c.Name, c.spec.Source, heir.spec.Source, err)
		}
		anew.follows = true
	}
	return nil
}

// below is the description of an heir of a class as it is now. Fields that the
// class has taken over from its heir are not the heir's own any more, if both
// are of one mod: its files may have moved them.
func (s *ClassSpec) below(c *Class) ClassSpec {
	spec := *s
	if s.Mod != "" && s.Mod == c.spec.Mod {
		spec.Fields = slices.DeleteFunc(slices.Clone(s.Fields), func(f FieldSpec) bool { return c.Lookup(f.Name) != nil })
	}
	return spec
}

// retired reports whether a class has been declared anew since.
func (cs *Classes) retired(c *Class) bool { return c.spec != nil && cs.Lookup(c.Name) != c }

// classesState is which classes there are, to come back to.
type classesState struct {
	count    int // of the wire
	declared int
	byName   map[string]*Class
	list     []*Class
}

func (cs *Classes) state() classesState {
	return classesState{len(cs.wire), len(cs.declared), maps.Clone(cs.byName), slices.Clone(cs.list)}
}

// restore brings back the classes of a state; those declared since are gone,
// and their numbers free.
func (cs *Classes) restore(s classesState) {
	cs.wire = slices.Delete(cs.wire, s.count, len(cs.wire))
	cs.declared = slices.Delete(cs.declared, s.declared, len(cs.declared))
	cs.byName, cs.list = s.byName, s.list
}
