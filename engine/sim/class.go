package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// ClassKind says how the network treats the objects of a class.
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
	MaxGroups    = 31        // number of the last group; group 0 is sent on creation only
	MaxBlockSize = 256 << 10 // most bytes of a datablock on the wire
	MaxGhostSize = 1100      // most bytes of a new ghost on the wire: it travels in one packet
)

// A Class describes a kind of object: its constructor and the table of its fields. Fill it in once
// and pass it to Classes.Register. It must not change afterwards.
type Class struct {
	Name     string
	Parent   string // the class to inherit fields from, "" for none
	Doc      string // one sentence for people
	Kind     ClassKind
	Abstract bool          // no objects, only a base of other classes
	New      func() Object // makes an object with its defaults; nil only if Abstract
	Bare     func() Object // of an abstract class: makes the objects of classes that a server describes and that inherit from it
	Fields   []Field       // own fields, without inherited ones

	Motion   MotionRule // how ghosts move between updates; zero: the parent's rule
	Interest float64    // how important its objects are to viewers, 0…1; 0: the parent's value

	// GroupWeight is the urgency of a change of a group, 1…255; 255 is full. 0 inherits the
	// parent's weight; without one it is 255.
	GroupWeight [MaxGroups + 1]uint8

	// Coders are the hand-written coders of some groups. Subclasses inherit them. The table does
	// not code the fields of such a group.
	Coders map[uint8]func(c *GroupCoder, o Object)

	// Control is a bit mask of the groups that the control state of a Controllable holds. These
	// groups are not sent to the object's controller. 0 inherits the parent's mask.
	Control uint32

	// PredictedGroups is a bit mask of the groups that ghosts compute themselves exactly as the
	// object does (Identity.MarkPredicted). The object takes the quantised values of its snapshots,
	// so that object and ghosts continue from the same numbers. 0 inherits the parent's mask.
	PredictedGroups uint32

	// Always keeps its objects, and those of its subclasses, in scope of every client at any
	// distance, unless scripts say otherwise. Use it for objects that moves depend on everywhere.
	Always bool

	// Moves says that Go code of this class takes part in moves, so a client needs that code. A
	// client that lacks the class, or has another one of this name, cannot join. A Controllable
	// need not say it. Subclasses do not inherit it.
	Moves bool

	Methods []Method   // own methods, without inherited ones
	Events  []EventDoc // events that its objects emit, as documentation: own, without inherited ones

	// DataBlock is the class of the datablock that an object of this class must have, "" for none.
	// Register takes it from the field named dataBlock.
	DataBlock string

	parent *Class
	fields []*Field // inherited first
	byName map[string]*Field
	model  Object // holds the defaults
	data   *Field // the field dataBlock
	wire   int
	groups []fieldGroup
	marks  uint32 // mask of the groups of a net class

	agreed string // describe of a registered net or block class

	numberGroups uint32       // mask of the groups of numbers, see planNumbers
	numbers      []numberPlan // of their cells

	// Of a class declared at run time, or described by a server:
	spec                 *ClassSpec
	base                 *Class       // the Go class that it inherits from
	cells                func() []any // makes the cells of the fields without a Go struct field, with their defaults
	redeclaredWithParent bool         // it was redeclared only because its parent was
	remote               bool         // described by a peer
}

// reserved are the names, besides fields, that every object has.
var reserved = []string{"id", "name", "className", "own"}

// AllFields returns the inherited fields, from the root class down, and then the class's own.
func (c *Class) AllFields() []*Field { return c.fields }

// Lookup returns the field with this name, ignoring case, or nil.
func (c *Class) Lookup(name string) *Field { return foldedIn(c.byName, name) }

// Field is Lookup with an error. The error suggests the nearest existing name.
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

// ParentClass returns the class that c inherits from, or nil.
func (c *Class) ParentClass() *Class { return c.parent }

// Default returns the value of a field in a new object. It is nil for an abstract class.
func (c *Class) Default(f *Field) Value {
	if c.model == nil {
		return Nil()
	}
	return f.Get(c.model)
}

// resolve completes the class from its parent and validates it.
func (c *Class) resolve() error {
	if c.New == nil && !c.Abstract {
		return errors.New("New is missing")
	}
	if err := c.inheritKind(); err != nil {
		return err
	}
	if !(c.Interest >= 0 && c.Interest <= 1) {
		return fmt.Errorf("field Interest must be 0…1, got %g", c.Interest)
	}
	c.byName = make(map[string]*Field)
	if c.parent != nil {
		if c.Motion == (MotionRule{}) {
			c.Motion = c.parent.Motion
		}
		c.Interest = cmp.Or(c.Interest, c.parent.Interest)
		c.Control = cmp.Or(c.Control, c.parent.Control)
		c.PredictedGroups = cmp.Or(c.PredictedGroups, c.parent.PredictedGroups)
		c.Always = c.Always || c.parent.Always
		c.fields = slices.Clone(c.parent.fields)
	}
	if err := c.addFields(); err != nil {
		return err
	}
	for _, f := range c.fields {
		if c.byName[fold(f.Name)] != nil {
			return fmt.Errorf("duplicate field %q", f.Name)
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

// addFields appends the class's own fields to the inherited ones.
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
		return fmt.Errorf("its kind differs from that of its parent %s", c.Parent)
	}
	return nil
}

// validWire checks the limits of classes that cross the wire.
func (c *Class) validWire() error {
	if len(c.fields) > MaxFields {
		return fmt.Errorf("it has %d fields, the maximum is %d", len(c.fields), MaxFields)
	}
	var seen [MaxGroups + 1]bool
	for i, f := range c.Fields {
		if seen[f.Group] && c.Fields[i-1].Group != f.Group {
			return fmt.Errorf("the fields of group %d must be adjacent", f.Group)
		}
		seen[f.Group] = true
	}
	bits := blockHeaderBits
	for _, f := range c.fields {
		bits += f.maxBits()
	}
	if c.Kind == BlockClass && bits > 8*MaxBlockSize {
		return fmt.Errorf("a datablock can take %d bytes, the maximum is %d", (bits+7)/8, MaxBlockSize)
	}
	return nil
}

// makeModel makes the object that keeps the defaults, and checks the fields on it.
func (c *Class) makeModel() error {
	if c.New == nil {
		return nil
	}
	c.model = c.New()
	if _, ok := c.model.(Datablock); ok != (c.Kind == BlockClass) {
		return errors.New("objects must embed Block if, and only if, the class is a block class")
	}
	for _, f := range c.fields {
		if !f.fits(c.model) {
			return fmt.Errorf("field %q does not belong to a %T", f.Name, c.model)
		}
		if _, err := f.accept(c.model, f.Get(c.model)); err != nil {
			return fmt.Errorf("the default is wrong: %w", err)
		}
	}
	return nil
}
