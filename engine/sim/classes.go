package sim

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"

	"github.com/torc-engine/torc/internal/spell"
)

// classBits is the width of a class id on the wire.
const classBits = 10

// Classes are the classes of one process. Go classes must be registered before the first host is
// made. Each host has a Session of them, and more classes can be declared to a Session.
type Classes struct {
	byName    map[string]*Class
	types     map[reflect.Type]*Class // for objects added without Make
	list      []*Class                // by name
	functions []Function              // in order of registration
	wire      []*Class                // net and block classes by name, then the declared ones: the index is the wire id
	foreign   *foreignList            // the numbers are those of a server with other classes; nil: they are its own

	session  bool     // classes can be declared, but not registered
	declared []*Class // in order of declaration
}

// NewClasses returns the classes that every world has: SimObject, SimSet, SimGroup, ScriptObject,
// NetObject and SimDataBlock.
func NewClasses() *Classes {
	cs := &Classes{byName: make(map[string]*Class), types: make(map[reflect.Type]*Class)}
	for _, c := range builtin {
		if err := cs.Register(c); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	return cs
}

// ScriptObject is an object without fields of its own, for scripts.
type ScriptObject struct{ Identity }

// SimObject is an object without fields or behaviour.
type SimObject struct{ Identity }

// NetObject must be embedded by every object that can be a ghost. A class declared at run time
// without another parent makes NetObjects.
type NetObject struct{ Identity }

// bareBlock is a datablock of a class that a server has described and that has no Go struct.
type bareBlock struct{ Block }

var builtin = []Class{
	{Name: "SimObject", New: func() Object { return new(SimObject) }, Doc: "Any object."},
	{Name: "SimSet", Parent: "SimObject", New: func() Object { return new(Set) }, Doc: "Refers to other objects."},
	{Name: "SimGroup", Parent: "SimSet", New: func() Object { return new(Group) }, Doc: "Owns other objects."},
	{Name: "ScriptObject", Parent: "SimObject", New: func() Object { return new(ScriptObject) }, Doc: "An object used only by scripts."},
	{Name: "NetObject", Parent: "SimObject", Kind: NetClass, Abstract: true, New: func() Object { return new(NetObject) }, Doc: "An object that can be a ghost on clients."},
	{Name: "SimDataBlock", Parent: "SimObject", Kind: BlockClass, Abstract: true, Bare: func() Object { return new(bareBlock) }, Doc: "Constant data that many objects share."},
}

// Register adds a class. Its parent must already be registered. Register fails if the name is
// taken, ignoring case, or if the table of fields is invalid.
func (cs *Classes) Register(class Class) error {
	c := &class
	c.Fields = slices.Clone(class.Fields)
	if cs.session {
		return fmt.Errorf("class %s: must be registered before the first host is made", c.Name)
	}
	if !IsName(c.Name) {
		return fmt.Errorf("class %q: the name must consist of letters, digits and _", c.Name)
	}
	if old := cs.Lookup(c.Name); old != nil {
		return fmt.Errorf("class %s is already registered", old.Name)
	}
	if c.Parent != "" {
		if c.parent = cs.Lookup(c.Parent); c.parent == nil {
			return fmt.Errorf("class %s: %w", c.Name, cs.unknown(c.Parent))
		}
	}
	if err := c.resolve(); err != nil {
		return fmt.Errorf("class %s: %w", c.Name, err)
	}
	if c.Kind != PlainClass && len(cs.wire) == 1<<classBits {
		return fmt.Errorf("class %s: too many net and block classes, the maximum is %d", c.Name, 1<<classBits)
	}
	if c.Kind != PlainClass {
		c.agreed = c.describe()
	}
	cs.insert(c)
	return nil
}

func (cs *Classes) insert(c *Class) {
	cs.byName[fold(c.Name)] = c
	cs.list = append(cs.list, c)
	slices.SortFunc(cs.list, byClassName)
	if c.model != nil {
		if t := reflect.TypeOf(c.model); cs.types[t] == nil {
			cs.types[t] = c
		}
	}
	if c.Kind == PlainClass {
		return
	}
	cs.wire = append(cs.wire, c)
	slices.SortFunc(cs.wire, byClassName)
	for i, w := range cs.wire {
		w.wire = i
	}
}

// Lookup returns the class with this name, ignoring case, or nil.
func (cs *Classes) Lookup(name string) *Class { return foldedIn(cs.byName, name) }

// Find is Lookup with an error. The error suggests the nearest existing name.
func (cs *Classes) Find(name string) (*Class, error) {
	if c := cs.Lookup(name); c != nil {
		return c, nil
	}
	return nil, cs.unknown(name)
}

// Nearest returns the class name that is closest to a misspelt name, or "".
func (cs *Classes) Nearest(name string) string { return spell.Nearest(name, cs.names()) }

// ErrUnknownClass is the error for the name of a class that does not exist, or that a client has
// not received yet.
var ErrUnknownClass = errors.New("unknown class")

func (cs *Classes) unknown(name string) error {
	return fmt.Errorf("%w %s%s", ErrUnknownClass, String(name).Literal(), suggestion(name, cs.names()))
}

func (cs *Classes) names() []string {
	names := make([]string, len(cs.list))
	for i, c := range cs.list {
		names[i] = c.Name
	}
	return names
}

// List returns all classes by name. The slice belongs to cs.
func (cs *Classes) List() []*Class { return cs.list }

// WireID returns the number of a net or block class on the wire, -1 for a plain class.
func (cs *Classes) WireID(c *Class) int {
	if c.Kind == PlainClass {
		return -1
	}
	if cs.foreign != nil && c.spec == nil {
		return cs.foreign.number(c)
	}
	return c.wire
}

// ByWire returns the class with this number on the wire, or nil.
func (cs *Classes) ByWire(id int) *Class {
	if id < 0 || id >= len(cs.wire) {
		return nil
	}
	return cs.wire[id]
}

// Hash covers everything that two peers must agree on: the net and block classes, their fields, the
// wire format of these, and their defaults. Peers with unequal hashes compare the Fingerprints of
// the classes. Declared classes do not count, because the server describes them to the client.
func (cs *Classes) Hash() uint64 {
	h := fnv.New64a()
	for _, c := range cs.wire[:cs.registered()] {
		if c != nil { // else the server's list is not complete
			io.WriteString(h, c.agreement())
		}
	}
	return h.Sum64()
}

// IsName reports whether s can be the name of a class or of a field: an identifier of at most
// MaxName bytes.
func IsName(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && s[i] != '_' && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != "" && len(s) <= MaxName
}
