package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// ClassKind says what the objects of a class are to the network.
type ClassKind uint8

const (
	// PlainClass objects never leave their process.
	PlainClass ClassKind = iota
	// NetClass objects can be ghosts on other machines.
	NetClass
	// BlockClass objects are datablocks.
	BlockClass
)

// The limits of a class.
const (
	MaxFields    = 64        // of a net or block class, own and inherited
	MaxGroups    = 31        // of fields that are sent together; group 0 is sent on creation only
	MaxBlockSize = 256 << 10 // bytes of a datablock on the wire, at most
	MaxGhostSize = 1100      // bytes of a new ghost on the wire, at most: it travels in one packet
)

// A Class is a kind of objects: what makes one, and the table of its fields.
// It is filled in once, handed to Classes.Register and not changed after.
type Class struct {
	Name     string
	Parent   string // the class it inherits fields from, "" for none
	Doc      string // one sentence for people
	Kind     ClassKind
	Abstract bool          // only a base of others
	New      func() Object // makes one with its defaults; nil only if Abstract
	Fields   []Field       // its own, without the inherited

	Motion   MotionRule // how its ghosts are moved between updates; zero is its parent's
	Interest float64    // how much viewers care for one, 0…1; 0 is its parent's

	// GroupWeight is how urgent a change of a group is, 1…255 of 255; 0 is what
	// its parent says, at last 255.
	GroupWeight [MaxGroups + 1]uint8

	// Coders are the hand-written coders of some groups, and of those of its
	// heirs. The group's fields are then not coded by the table.
	Coders map[uint8]func(c *GroupCoder, o Object)

	// Control are the groups that the control state of a Controlled holds, a
	// bit for each: they are not sent to who drives it. 0 is its parent's.
	Control uint32

	// Drifts are the groups that ghosts change by themselves exactly as the
	// object does, a bit for each (Identity.Drift). The object takes on what its
	// images carry, so that all go on from the same numbers. 0 is its parent's.
	Drifts uint32

	// Always says that its objects, and those of its heirs, are in scope of
	// everybody whatever the distance, unless scripts say otherwise: what moves
	// depend on wherever they are.
	Always bool

	Methods []Method // its own, without the inherited
	Events  []Event  // what is told of its objects, for people: its own, without the inherited

	// DataBlock is the class of the datablock an object of this class must
	// have, "" for none. Register takes it from the field named dataBlock.
	DataBlock string

	parent *Class
	fields []*Field // inherited first
	byName map[string]*Field
	model  Object // holds the defaults
	data   *Field // dataBlock
	wire   int
	groups []group
	marks  uint32 // the groups of a net class

	// Of a class declared at run time:
	spec    *ClassSpec
	base    *Class       // the class of Go that it inherits from
	cells   func() []any // makes the values of the fields that Go has not, with their defaults
	follows bool         // it was redeclared only because its parent was
	foreign bool         // a peer has described it
}

// reserved are what every object answers to besides its fields.
var reserved = []string{"id", "name", "className", "own"}

// AllFields are the inherited fields, from the root down, and the class's own.
func (c *Class) AllFields() []*Field { return c.fields }

// Lookup is the field of this name, in any case, or nil.
func (c *Class) Lookup(name string) *Field { return c.byName[fold(name)] }

// Field is Lookup with an error that names the nearest field there is.
func (c *Class) Field(name string) (*Field, error) {
	if f := c.Lookup(name); f != nil {
		return f, nil
	}
	names := make([]string, len(c.fields))
	for i, f := range c.fields {
		names[i] = f.Name
	}
	return nil, fmt.Errorf("unknown field %s of %s%s", String(name).Literal(), c.Name, suggestion(name, names))
}

// IsA reports whether c is other or inherits from it.
func (c *Class) IsA(other *Class) bool {
	for ; c != nil; c = c.parent {
		if c == other {
			return true
		}
	}
	return false
}

// ParentClass is the class it inherits from, or nil.
func (c *Class) ParentClass() *Class { return c.parent }

// Default is the value of a field in a new object, nil for an abstract class.
func (c *Class) Default(f *Field) Value {
	if c.model == nil {
		return Nil()
	}
	return f.Get(c.model)
}

// resolve completes the class from its parent and checks what can be checked.
func (c *Class) resolve() error {
	if c.New == nil && !c.Abstract {
		return errors.New("it needs New")
	}
	if err := c.inheritKind(); err != nil {
		return err
	}
	if !(c.Interest >= 0 && c.Interest <= 1) {
		return fmt.Errorf("its interest is %g and not from 0 to 1", c.Interest)
	}
	c.byName = make(map[string]*Field)
	if c.parent != nil {
		if c.Motion == (MotionRule{}) {
			c.Motion = c.parent.Motion
		}
		c.Interest = cmp.Or(c.Interest, c.parent.Interest)
		c.Control = cmp.Or(c.Control, c.parent.Control)
		c.Drifts = cmp.Or(c.Drifts, c.parent.Drifts)
		c.Always = c.Always || c.parent.Always
		c.fields = slices.Clone(c.parent.fields)
	}
	if err := c.addFields(); err != nil {
		return err
	}
	for _, f := range c.fields {
		if c.byName[fold(f.Name)] != nil {
			return fmt.Errorf("it has two fields %q", f.Name)
		}
		c.byName[fold(f.Name)] = f
	}
	if c.data = c.Lookup("dataBlock"); c.data != nil {
		c.DataBlock = c.data.Class
	}
	if c.Kind != PlainClass {
		if err := c.validWire(); err != nil {
			return err
		}
	}
	if err := c.makeModel(); err != nil {
		return err
	}
	return c.makeGroups()
}

// addFields puts the class's own fields after the inherited ones.
func (c *Class) addFields() error {
	for i := range c.Fields {
		f := &c.Fields[i]
		if err := f.valid(c.Kind); err != nil {
			return err
		}
		var err error
		if f.scale, err = newScale(f); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
		c.fields = append(c.fields, f)
	}
	return nil
}

func (c *Class) inheritKind() error {
	if c.parent == nil || c.parent.Kind == PlainClass {
		return nil
	}
	if c.Kind == PlainClass {
		c.Kind = c.parent.Kind
	}
	if c.Kind != c.parent.Kind {
		return fmt.Errorf("it is of another kind than its parent %s", c.Parent)
	}
	return nil
}

// validWire checks what only matters for classes that cross the wire.
func (c *Class) validWire() error {
	if len(c.fields) > MaxFields {
		return fmt.Errorf("it has %d fields, %d are possible", len(c.fields), MaxFields)
	}
	var seen [MaxGroups + 1]bool
	for i, f := range c.Fields {
		if seen[f.Group] && c.Fields[i-1].Group != f.Group {
			return fmt.Errorf("the fields of group %d are not side by side", f.Group)
		}
		seen[f.Group] = true
	}
	bits := blockHeaderBits
	for _, f := range c.fields {
		bits += f.most()
	}
	if c.Kind == BlockClass && bits > 8*MaxBlockSize {
		return fmt.Errorf("one could take %d bytes, %d are possible", (bits+7)/8, MaxBlockSize)
	}
	return nil
}

// makeModel makes the object that keeps the defaults, and tries the fields on it.
func (c *Class) makeModel() error {
	if c.New == nil {
		return nil
	}
	c.model = c.New()
	if _, ok := c.model.(Datablock); ok != (c.Kind == BlockClass) {
		return errors.New("only the objects of a block class embed Block, and they must")
	}
	for _, f := range c.fields {
		if !f.fits(c.model) {
			return fmt.Errorf("field %q is not one of a %T", f.Name, c.model)
		}
		if _, err := f.accept(c.model, f.Get(c.model)); err != nil {
			return fmt.Errorf("the default is wrong: %w", err)
		}
	}
	return nil
}
