package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The limits of run-time declarations.
const (
	MaxDeclaredText = 1024   // most bytes of a text: a ghost travels in one packet
	PointRange      = 65_536 // default range of a vec: metres from the origin
)

// ClassSpec describes a net class that is declared at run time.
type ClassSpec struct {
	Name   string
	Parent string // a net class that is not abstract, "" is NetObject
	Doc    string
	Mod    string // the mod that declares it, for example "ctf"
	Source string // where it is declared, for example "ctf shared/flag.lua:3"
	Fields []FieldSpec
}

// FieldSpec describes a field of a ClassSpec. Members that do not apply to the field's kind are
// ignored.
type FieldSpec struct {
	Name    string
	Group   string    // fields of one group are sent together; "" is a separate group
	Kind    ValueKind // bool, number, string, vec, rot or object
	Lo, Hi  float64
	Whole   bool    // only whole numbers
	Bits    int     // as in WithBits, 0 is exact
	Step    float64 // as in WithStep, 0 is none
	Max     int     // most bytes of a text, 1…MaxDeclaredText
	Class   string  // class of the target, "" is NetObject; it can be a block class
	Default Value   // nil: false, "", no object, or the number of the range nearest to 0
}

// Session returns a copy with the registered classes. More classes can be declared to the copy.
// Each host has its own; all of them share the registered classes.
func (cs *Classes) Session() *Classes {
	s := &Classes{byName: make(map[string]*Class), types: cs.types, functions: cs.functions, session: true}
	for _, c := range cs.list {
		if c.spec == nil {
			s.byName[fold(c.Name)] = c
			s.list = append(s.list, c)
		}
	}
	s.wire = slices.Clone(cs.wire[:cs.registered()])
	return s
}

// registered returns the number of net and block classes that were not declared.
func (cs *Classes) registered() int { return len(cs.wire) - len(cs.declared) }

// Declared returns the classes declared since Session or ClearDeclared, in order of declaration.
// Redeclared classes stay in the list and keep their numbers. The wire ids of declared classes
// follow those of all other classes, in the same order. The slice belongs to cs.
func (cs *Classes) Declared() []*Class { return cs.declared }

// ClearDeclared removes the declared classes. Clients call it when they leave a server. No objects
// of these classes may exist.
func (cs *Classes) ClearDeclared() {
	cs.wire = slices.Delete(cs.wire, cs.registered(), len(cs.wire))
	for _, c := range cs.declared {
		delete(cs.byName, fold(c.Name))
	}
	cs.list = slices.DeleteFunc(cs.list, func(c *Class) bool { return c.spec != nil })
	cs.declared = nil
}

// Spec returns the description of a class that was declared at run time, nil for other classes.
func (c *Class) Spec() *ClassSpec { return c.spec }

// Declare adds a net class described by data alone. Its objects are those of its parent with more
// fields. The error is one sentence and names the field if one is invalid.
func (cs *Classes) Declare(spec ClassSpec) (*Class, error) {
	if old := cs.Lookup(spec.Name); old != nil {
		return nil, clash(old, &spec)
	}
	d, err := cs.declaration(&spec)
	if err != nil {
		return nil, err
	}
	return cs.declare(d)
}

// declaration reads a description into a declaration.
func (cs *Classes) declaration(spec *ClassSpec) (*classDeclaration, error) {
	spec.Parent = spec.parent()
	d := &classDeclaration{spec: spec}
	var err error
	if d.parent, err = cs.Find(spec.Parent); err == nil {
		err = d.read(cs)
	}
	if err != nil {
		return nil, fmt.Errorf("class %s: %w", spec.Name, err)
	}
	return d, nil
}

// clash returns the error for a name that is taken. It says where the name is declared.
func clash(old *Class, spec *ClassSpec) error {
	if old.spec == nil {
		return fmt.Errorf("class %s cannot be declared at %s: the engine has a class %s", spec.Name, spec.Source, old.Name)
	}
	return fmt.Errorf("class %s cannot be declared at %s: it is already declared at %s", spec.Name, spec.Source, old.spec.Source)
}

// A classDeclaration is a class that is being declared.
type classDeclaration struct {
	spec     *ClassSpec
	parent   *Class
	rows     []Field
	defaults []Value
}

// read makes the rows from the description. Fields of one group are moved together, to the position
// of the first of them.
func (d *classDeclaration) read(cs *Classes) error {
	groups, next := map[string]int{}, d.parent.Groups()
	for i := range d.spec.Fields {
		fs := &d.spec.Fields[i]
		group, joins := groups[fs.Group]
		if !joins {
			group = next
			next++
			if fs.Group != "" {
				groups[fs.Group] = group
			}
		}
		if group > MaxGroups {
			return fmt.Errorf("field %q: group %d exceeds the maximum %d; join fields with group=name", fs.Name, group, MaxGroups)
		}
		f := fs.row(uint8(group))
		if fs.Class == "" && fs.Kind == KindObject {
			f.Class = "NetObject"
		}
		if err := d.add(cs, f, fs.Default); err != nil {
			return err
		}
	}
	order := make([]int, len(d.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(d.rows[a].Group) - int(d.rows[b].Group) })
	rows, defaults := make([]Field, len(order)), make([]Value, len(order))
	for i, from := range order {
		rows[i], defaults[i] = d.rows[from], d.defaults[from]
	}
	d.rows, d.defaults = rows, defaults
	return nil
}

// row returns the field as a row of a table, with only the members that its kind needs.
func (fs *FieldSpec) row(group uint8) Field {
	f := Field{Name: fs.Name, Group: group, Kind: fs.Kind}
	switch fs.Kind {
	case KindNumber:
		f.Lo, f.Hi, f.Whole, f.Bits, f.Step = fs.Lo, fs.Hi, fs.Whole, fs.Bits, fs.Step
	case KindVec:
		f.Lo, f.Hi, f.Bits, f.Step = fs.Lo, fs.Hi, fs.Bits, fs.Step
		if f.Lo == 0 && f.Hi == 0 {
			f.Lo, f.Hi = -PointRange, PointRange
		}
	case KindRot:
		f.Lo, f.Hi, f.Bits = math.Inf(-1), math.Inf(1), fs.Bits
	case KindString:
		f.Max = fs.Max
	case KindObject:
		f.Class = fs.Class
	}
	return f
}

// add appends a row if it is valid. A nil value means the usual default of the kind.
func (d *classDeclaration) add(cs *Classes, f Field, value Value) error {
	if err := d.validate(cs, &f); err != nil {
		return err
	}
	if value.IsNil() {
		value = f.zeroDefault()
	} else if f.Kind == KindObject {
		return fmt.Errorf("field %q: an object field cannot have a default", f.Name)
	}
	value, err := f.accept(nil, value)
	if err != nil {
		return fmt.Errorf("the default is wrong: %w", err)
	}
	d.rows, d.defaults = append(d.rows, f), append(d.defaults, value)
	return nil
}

// validate completes a row and validates it by itself.
func (d *classDeclaration) validate(cs *Classes, f *Field) (err error) {
	switch f.Kind {
	case KindBool, KindNumber, KindVec, KindRot:
	case KindString:
		if f.Max > MaxDeclaredText {
			return fmt.Errorf("field %q: text of %d bytes: must be at most %d", f.Name, f.Max, MaxDeclaredText)
		}
	case KindObject:
		if err := d.checkTarget(cs, f); err != nil {
			return err
		}
	default:
		return fmt.Errorf("field %q: a field cannot have kind %s", f.Name, f.Kind)
	}
	if err := f.valid(NetClass); err != nil {
		return err
	}
	if f.scale, err = newScale(f); err != nil {
		return fmt.Errorf("field %q: %w", f.Name, err)
	}
	return nil
}

// checkTarget checks the class that a field refers to. It may be the new class.
func (d *classDeclaration) checkTarget(cs *Classes, f *Field) error {
	c, err := cs.Find(f.Class)
	if err != nil && !strings.EqualFold(f.Class, d.spec.Name) {
		return fmt.Errorf("field %q: %w", f.Name, err)
	}
	f.block = c != nil && c.Kind == BlockClass
	if fold(f.Name) == "datablock" && !f.block {
		return fmt.Errorf("field %q: %s is not a datablock class", f.Name, f.Class)
	}
	return nil
}

// declare makes the class, gives it the next wire id, and takes over its name, also from an older
// class. An error changes nothing.
func (cs *Classes) declare(d *classDeclaration) (*Class, error) {
	c := &Class{Name: d.spec.Name, Parent: d.parent.Name, Doc: d.spec.Doc, Kind: NetClass, Fields: d.rows, parent: d.parent, spec: d.spec}
	err := cs.declarable(d)
	if err == nil {
		first := len(c.parent.New().Ident().runtimeCells)
		for i := range c.Fields {
			c.Fields[i].bindCell(first + i)
		}
		c.setConstructor(d.defaults)
		err = c.resolve()
	}
	if err != nil {
		return nil, fmt.Errorf("class %s: %w", c.Name, err)
	}
	c.wire = len(cs.wire)
	cs.wire = append(cs.wire, c)
	cs.declared = append(cs.declared, c)
	old := cs.byName[fold(c.Name)]
	cs.byName[fold(c.Name)] = c
	cs.list = append(slices.DeleteFunc(cs.list, func(o *Class) bool { return o == old }), c)
	slices.SortFunc(cs.list, byClassName)
	return c, nil
}

// subclasses returns the names of the classes that inherit from base and can be made, for an error.
func (cs *Classes) subclasses(base *Class) string {
	var names []string
	for _, c := range cs.list {
		if c.ParentClass() == base && c.New != nil {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}

// declarable returns an error if a class with this name and parent cannot be declared.
func (cs *Classes) declarable(d *classDeclaration) error {
	switch {
	case !cs.session:
		return errors.New("classes can only be declared on a host")
	case !IsName(d.spec.Name):
		return errors.New("the name must consist of letters, digits and _")
	case d.parent.Kind != NetClass:
		return fmt.Errorf("it cannot inherit from %s: only classes with ghosts can be inherited from", d.parent.Name)
	case d.parent.New == nil:
		return fmt.Errorf("it cannot inherit from %s: use one of %s", d.parent.Name, cs.subclasses(d.parent))
	case len(cs.wire) >= 1<<classBits:
		return fmt.Errorf("too many net and block classes: the maximum is %d, and reloads count until the server restarts", 1<<classBits)
	case len(d.rows) > MaxFields:
		return fmt.Errorf("it has %d fields, the maximum is %d", len(d.rows), MaxFields)
	}
	return nil
}
