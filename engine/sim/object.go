package sim

import (
	"fmt"
	"strconv"
)

// ID names an object of one world. It is never used again in a run; 0 is none.
// Every process has ids of its own.
type ID uint32

// Object is anything that lives in a World. Every class embeds Identity.
type Object interface {
	Ident() *Identity
}

// Ticker is an object that does something in every tick.
type Ticker interface {
	Object
	Tick(n uint64) // n counts the ticks of this run; one is TickMs long
}

// TickMs is the length of a tick in milliseconds.
const TickMs = 32

// TickSeconds is TickMs in seconds.
const TickSeconds = TickMs / 1000.0

// Identity is who an object is: what every object has, whatever its class.
type Identity struct {
	id    ID
	dead  bool
	fixed bool // a block or one of the world's own groups: cannot be deleted or moved by hand
	name  string
	self  Object
	class *Class
	world *World
	group *Group
	sets  []*Set // that hold this object, besides its group

	ext    []any  // pointers to the values of the fields declared at run time
	dirty  uint32 // groups marked as changed
	drift  uint32 // groups that have changed as its ghosts know by themselves
	number uint32
	ghost  bool

	controller ID    // the connection that drives it
	lag        uint8 // ticks that its view is behind
}

// Ident is the identity itself, so that embedding it makes an Object.
func (i *Identity) Ident() *Identity { return i }

// ID is the object's id, 0 before it is added to a world.
func (i *Identity) ID() ID { return i.id }

// Name is the object's name, "" if it has none.
func (i *Identity) Name() string { return i.name }

// Class is the object's class, nil before it has a world.
func (i *Identity) Class() *Class { return i.class }

// World is the world the object was made for, nil for one made by hand and
// not added yet.
func (i *Identity) World() *World { return i.world }

// Group is the group that owns the object, nil for the root and for the dead.
func (i *Identity) Group() *Group { return i.group }

// Object is the object whose identity this is, nil before it has a world.
func (i *Identity) Object() Object { return i.self }

// Dead reports whether the object has been deleted.
func (i *Identity) Dead() bool { return i.dead }

// Alive reports whether the object is in a world and has not been deleted.
func (i *Identity) Alive() bool { return i.id != 0 && !i.dead }

// Number is the object's number among the images that the host's connections
// send, 0 while it has none. It is the engine's.
func (i *Identity) Number() uint32 { return i.number }

// SetNumber gives the object its number.
func (i *Identity) SetNumber(n uint32) { i.number = n }

// IsGhost reports whether the object is a ghost: it shows an object of a peer.
func (i *Identity) IsGhost() bool { return i.ghost }

// SetGhost makes the object a ghost, before it is added to a world.
func (i *Identity) SetGhost(is bool) { i.ghost = is }

// SetName names the object, "" takes its name away. A name has at most MaxName
// bytes; that of a datablock cannot change.
func (i *Identity) SetName(name string) error {
	if len(name) > MaxName {
		return fmt.Errorf("a name has at most %d bytes, %q... has %d", MaxName, name[:20], len(name))
	}
	if i.fixed {
		return fmt.Errorf("%s cannot be renamed", i)
	}
	if c, was := i.older(), i.name; c != nil {
		c.undoing = append(c.undoing, func() { i.rename(was) })
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

// String is how messages speak of the object: its class, and its name or id.
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
