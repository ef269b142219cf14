package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Redeclare declares a class again under the same name, with other fields or another parent. The
// result is a new class with the next number on the wire. The old class is retired: only its number
// still finds it, and its objects keep it until a Transaction commits. Subclasses are redeclared as
// well. A description equal to the current one changes nothing and takes no number. Datablocks
// never move, because their classes are Go classes and cannot be declared.
//
// The error is one sentence, and an error changes nothing. Redeclare fails like Declare, and also
// if the parent is a subclass of the class, or if a subclass conflicts with the new fields.
func (cs *Classes) Redeclare(spec ClassSpec) (*Class, error) {
	old := cs.Lookup(spec.Name)
	switch {
	case old == nil:
		return nil, fmt.Errorf("class %s is not declared, so %s cannot redeclare it", spec.Name, spec.Source)
	case old.spec == nil || old.remote:
		return nil, clash(old, &spec)
	case old.spec.Same(&spec):
		return old, nil
	}
	before := cs.state()
	c, err := cs.redeclare(old, spec)
	if err == nil {
		err = cs.redeclareSubclasses(c)
	}
	if err != nil {
		cs.restore(before)
		return nil, err
	}
	return c, nil
}

// Same reports whether two descriptions have the same parent and fields.
func (s *ClassSpec) Same(other *ClassSpec) bool {
	return strings.EqualFold(s.parent(), other.parent()) && slices.Equal(s.Fields, other.Fields)
}

// parent returns the name of the parent class.
func (s *ClassSpec) parent() string {
	if s.Parent == "" {
		return "NetObject"
	}
	return s.Parent
}

// redeclare replaces the old class by a new one with its name.
func (cs *Classes) redeclare(old *Class, spec ClassSpec) (*Class, error) {
	if parent := cs.Lookup(spec.parent()); parent != nil && parent.IsA(old) {
		return nil, fmt.Errorf("class %s: it cannot inherit from %s, because that is itself or a subclass", spec.Name, parent.Name)
	}
	d, err := cs.declaration(&spec)
	if err != nil {
		return nil, err
	}
	c, err := cs.declare(d)
	if err != nil {
		return nil, err
	}
	if err := cs.checkSuccessor(old, c); err != nil {
		return nil, fmt.Errorf("class %s: %w", spec.Name, err)
	}
	return c, nil
}

// checkSuccessor returns an error if objects of the old class cannot move to the new one, because
// they would need a datablock of a class that they do not have.
func (cs *Classes) checkSuccessor(old, c *Class) error {
	switch had := cs.Lookup(old.DataBlock); {
	case c.DataBlock == "" || had.IsA(cs.Lookup(c.DataBlock)):
		return nil
	case had == nil:
		return fmt.Errorf("its objects have no dataBlock but would need one of class %s; use another class name", c.DataBlock)
	default:
		return fmt.Errorf("its objects have a dataBlock of class %s but would need one of class %s; use another class name", had.Name, c.DataBlock)
	}
}

// redeclareSubclasses redeclares every class that inherits from a retired class. A class is always
// declared after its parent, so one pass finds all.
func (cs *Classes) redeclareSubclasses(c *Class) error {
	for i := 0; i < len(cs.declared); i++ {
		heir := cs.declared[i]
		if cs.retired(heir) || !cs.retired(heir.parent) {
			continue
		}
		anew, err := cs.redeclare(heir, heir.spec.forParent(c))
		if err != nil {
			return fmt.Errorf("class %s at %s conflicts with its subclass at %s: %w", c.Name, c.spec.Source, heir.spec.Source, err)
		}
		anew.redeclaredWithParent = true
	}
	return nil
}

// forParent returns the description of a subclass for the current class c. If both are of one mod,
// fields that c now declares are removed from the subclass: the mod's files may have moved them.
func (s *ClassSpec) forParent(c *Class) ClassSpec {
	spec := *s
	if s.Mod != "" && s.Mod == c.spec.Mod {
		spec.Fields = slices.DeleteFunc(slices.Clone(s.Fields), func(f FieldSpec) bool { return c.Lookup(f.Name) != nil })
	}
	return spec
}

// retired reports whether a class has been redeclared since.
func (cs *Classes) retired(c *Class) bool { return c.spec != nil && cs.Lookup(c.Name) != c }

// classesState is a copy of the class table, for a rollback.
type classesState struct {
	count    int // of the wire classes
	declared int
	byName   map[string]*Class
	list     []*Class
}

func (cs *Classes) state() classesState {
	return classesState{len(cs.wire), len(cs.declared), maps.Clone(cs.byName), slices.Clone(cs.list)}
}

// restore sets the class table back to the state s. It removes classes declared since then and
// frees their numbers.
func (cs *Classes) restore(s classesState) {
	cs.wire = slices.Delete(cs.wire, s.count, len(cs.wire))
	cs.declared = slices.Delete(cs.declared, s.declared, len(cs.declared))
	cs.byName, cs.list = s.byName, s.list
}
