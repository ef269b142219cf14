package sim

import (
	"errors"
	"fmt"
	"strconv"
)

// ID identifies an object of one world. Ids are never reused in a run; 0 is none. Every process has
// its own ids.
type ID uint32

// Object is anything that lives in a World. Every class embeds Identity.
type Object interface {
	Ident() *Identity
}

// Ticker is an object with work to do in every tick.
type Ticker interface {
	Object
	Tick(n uint64) // n counts the ticks of this run; a tick lasts TickMs
}

// TickMs is the length of a tick in milliseconds.
const TickMs = 32

// TickSeconds is TickMs in seconds.
const TickSeconds = TickMs / 1000.0

// Identity is the state that every object has, whatever its class.
type Identity struct {
	id    ID
	dead  bool
	fixed bool // a block or one of the world's built-in groups: Delete and Group.Add refuse it
	name  string
	self  Object
	class *Class
	world *World
	group *Group
	sets  []*Set // the sets that contain this object, besides its group

	runtimeCells []any  // pointers to the values of the fields declared at run time
	dirty        uint32 // groups marked as changed
	predicted    uint32 // changed groups that its ghosts compute themselves
	touched      uint32 // groups marked since TakeTouched
	number       uint32
	ghost        bool
	parked       bool  // see Park
	lag          uint8 // delay of the controller's view in ticks
	controller   ID    // the connection that controls it
}

// Ident returns the identity itself, so that any struct that embeds Identity is an Object.
func (i *Identity) Ident() *Identity { return i }

// ID returns the object's id, 0 before it is added to a world.
func (i *Identity) ID() ID { return i.id }

// Name returns the object's name, "" if it has none.
func (i *Identity) Name() string { return i.name }

// Class returns the object's class. It is nil for an object made without Make and not added yet.
func (i *Identity) Class() *Class { return i.class }

// World returns the world that the object was made for. It is nil for an object made without Make
// and not added yet.
func (i *Identity) World() *World { return i.world }

// spared reports whether nothing can harm the object now.
func (i *Identity) spared() bool {
	return i.world != nil && i.world.Spares != nil && i.world.Spares(i.self)
}

// Group returns the group that owns the object, nil for the root and for dead objects.
func (i *Identity) Group() *Group { return i.group }

// Object returns the object that embeds this identity. It is nil for an object made without Make
// and not added yet.
func (i *Identity) Object() Object { return i.self }

// Dead reports whether the object has been deleted.
func (i *Identity) Dead() bool { return i.dead }

// Alive reports whether the object is in a world and has not been deleted.
func (i *Identity) Alive() bool { return i.id != 0 && !i.dead }

// Number returns the object's number among the snapshots that the host's connections send, 0 while
// it has none. Package engine assigns it.
func (i *Identity) Number() uint32 { return i.number }

// SetNumber sets the object's number.
func (i *Identity) SetNumber(n uint32) { i.number = n }

// IsGhost reports whether the object is a ghost: it shows an object of a peer.
func (i *Identity) IsGhost() bool { return i.ghost }

// SetGhost makes the object a ghost. Call it before the object is added to a world.
func (i *Identity) SetGhost(is bool) { i.ghost = is }

var errNoClass = errors.New("the object has no class yet: make it with World.New, or add it to a world first")

// SetField sets the field with this name, ignoring case. The error is one sentence: there is no
// such field, or it does not accept the value. A change reaches the other machines in this tick.
func (i *Identity) SetField(name string, v Value) error {
	if i.class == nil {
		return errNoClass
	}
	f, err := i.class.Field(name)
	if err != nil {
		return err
	}
	return f.Set(i.self, v)
}

// GetField returns the value of the field with this name, ignoring case. The error says that there
// is no such field, and suggests the nearest one.
func (i *Identity) GetField(name string) (Value, error) {
	if i.class == nil {
		return Nil(), errNoClass
	}
	f, err := i.class.Field(name)
	if err != nil {
		return Nil(), err
	}
	return f.Get(i.self), nil
}

// SetName sets the object's name, "" removes it. A name has at most MaxName bytes. Datablocks
// cannot be renamed.
func (i *Identity) SetName(name string) error {
	if len(name) > MaxName {
		return fmt.Errorf("a name must have at most %d bytes, %q... has %d", MaxName, name[:20], len(name))
	}
	if i.fixed {
		return fmt.Errorf("%s cannot be renamed", i)
	}
	if c, was := i.older(), i.name; c != nil {
		c.onRollback = append(c.onRollback, func() { i.rename(was) })
	}
	i.rename(name)
	return nil
}

func (i *Identity) rename(name string) {
	listed := i.Alive()
	if listed && i.name != "" {
		i.world.names.remove(i.self)
	}
	i.name = name
	if listed && name != "" {
		i.world.names.add(i.self)
	}
}

// String returns the object's class and its name or id, for messages.
func (i *Identity) String() string {
	class := "object"
	if i.class != nil {
		class = i.class.Name
	}
	if i.name != "" {
		return class + " " + strconv.Quote(i.name)
	}
	return class + " " + strconv.FormatUint(uint64(i.id), 10)
}
