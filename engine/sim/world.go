package sim

import (
	"fmt"
	"reflect"
	"slices"
)

// World holds the objects of one side of one game.
type World struct {
	// Root is the group of all objects that are in no other group. It contains the next three
	// groups, named as in scripts. None of the four can be deleted.
	Root, Clients, Mission, DataBlocks *Group

	// Blocks are the datablocks.
	Blocks *Blocks

	// OnAdded is called with a new object once it has its id, its group and its fields. OnRemoved
	// is called in Sweep, when the object is dead but still complete.
	OnAdded, OnRemoved func(Object)

	// OnRolledBack is called, instead of OnRemoved, for each object that a Rollback removes.
	// OnClassChanged is called for each object that has moved to another class. was and is are the
	// same object if the new class has the same Go type. Otherwise was is dead, and is has its id
	// and number.
	OnRolledBack   func(Object)
	OnClassChanged func(was, is Object)

	// Spares reports whether nothing can harm an object now; nil: it can. A game asks before
	// damage, and a field WithHarm before it takes a higher value.
	Spares func(o Object) bool

	// Game is state that the classes of a game attach to this world. No other code uses it.
	Game any

	// Checker asks scripts before some events of the game happen; nil asks nobody.
	Checker Checker

	// SkipGhostTicks means that no viewer uses the ghosts of this world. Ghosts then skip their
	// ticks and keep the place of the last update.
	SkipGhostTicks bool

	// CompleteGhosts means that all values of ghosts come in every tick in which they change, as
	// from a demo. Ghosts then compute none by themselves.
	CompleteGhosts bool

	// Work is the work of functions of scripts since a caller has set it to 0: the number of
	// objects and places that they looked at.
	Work int

	// DroppedEvents counts the events that Emit dropped because the queue was full.
	DroppedEvents int

	classes       *Classes
	next          ID
	byID          map[ID]Object
	names         nameIndex
	objects       []Object // in id order, including dead objects until Sweep
	tickers       []Ticker // the same
	dead          []Object // deleted since the last Sweep, in that order
	marked        []Object // with marks, in the order of the first mark
	predictedList []Object // the same, with drift

	change    *Transaction  // the open change, or nil
	events    []queuedEvent // not delivered yet
	replaying bool
	late      float64 // see Late
	tick      uint64  // see BeginTick
}

// NewWorld makes a world with its four groups and no other objects.
func NewWorld(classes *Classes) *World {
	w := &World{classes: classes, next: 1, byID: make(map[ID]Object), names: make(nameIndex)}
	w.Blocks = newBlocks(w)
	w.Root = w.newBuiltinGroup("RootGroup")
	w.Clients = w.newBuiltinGroup("ClientGroup")
	w.Mission = w.newBuiltinGroup("MissionGroup")
	w.DataBlocks = w.newBuiltinGroup("DataBlockGroup")
	return w
}

func (w *World) newBuiltinGroup(name string) *Group {
	g := new(Group)
	g.name = name
	w.Add(g)
	g.fixed = true
	return g
}

// Classes returns the classes that objects of this world can have.
func (w *World) Classes() *Classes { return w.classes }

// Make makes an object for this world without adding it: its class and its world are set, it has no
// id.
func (w *World) Make(class *Class) Object {
	o := class.New()
	i := o.Ident()
	i.self, i.class, i.world = o, class, w
	return o
}

// New makes an object of a class, calls init to set its fields, and adds it. init may be nil. If
// init fails or a datablock is missing, nothing changes.
func (w *World) New(class string, init func(Object) error) (Object, error) {
	c, err := w.classes.Find(class)
	switch {
	case err != nil:
		return nil, err
	case c.Abstract:
		return nil, fmt.Errorf("cannot create a %s: it is only a base of other classes", c.Name)
	case c.Kind == BlockClass:
		return nil, fmt.Errorf(`%s is a datablock class: declare one with datablock "%s" "name" { ... }`, c.Name, c.Name)
	}
	o := w.Make(c)
	if init != nil {
		if err := init(o); err != nil {
			return nil, err
		}
	}
	if c.DataBlock != "" && c.data.Get(o).IsNil() {
		return nil, fmt.Errorf("a new %s needs a dataBlock of class %s", c.Name, c.DataBlock)
	}
	if w.Add(o) == 0 {
		return nil, fmt.Errorf("all object ids are used: restart the server")
	}
	return o, nil
}

// TickListener is implemented by a World.Game to be called after all objects have ticked.
type TickListener interface {
	Ticked(n uint64)
}

// Lifecycle is an object that is notified when it enters and leaves a world. Entered is called once
// it has its id. Left is called when it is dead but still complete.
type Lifecycle interface {
	Object
	Entered()
	Left()
}

// Add gives an object, made by Make or directly, its id and puts it into the root group. It returns
// the id. An object that is already in the world keeps its id. Add returns 0 once all ids are
// used, because ids are never reused.
func (w *World) Add(o Object) ID {
	i := o.Ident()
	if i.id != 0 {
		return i.id
	}
	if w.next == 0 {
		return 0
	}
	if i.class == nil {
		i.class = w.classes.types[reflect.TypeOf(o)]
		if i.class == nil {
			panic(fmt.Sprintf("BUG: no class is registered for %T", o))
		}
	}
	i.self, i.world, i.id = o, w, w.next
	w.next = w.next.following()
	w.byID[i.id] = o
	w.objects = append(w.objects, o)
	if t := tickerOf(o); t != nil {
		w.tickers = append(w.tickers, t)
	}
	if i.name != "" {
		w.names.add(o)
	}
	if w.Root != nil {
		w.Root.take(o)
	}
	i.Mark(i.class.marks)
	if r, ok := o.(Lifecycle); ok {
		r.Entered()
	}
	if w.OnAdded != nil {
		w.OnAdded(o)
	}
	return i.id
}

// Ids are short on a young server, because people type them. Ids from shortIDs to longIDs are
// skipped: Lua would treat a script table indexed by such ids as a list, and allocate every value
// before the first one set.
const (
	shortIDs ID = 1 << 14
	longIDs  ID = 1 << 20
)

// following returns the next id, 0 after the last.
func (id ID) following() ID {
	if id++; id == shortIDs {
		return longIDs
	}
	return id
}

// Delete marks o and everything that it owns as dead. o leaves its group and its sets at once, and
// the world at the next Sweep. Delete fails for built-in objects: datablocks and the groups that
// every world has. It does nothing for dead objects and for objects that were never added. While a
// change is open, older objects are only deleted when the change commits.
func (w *World) Delete(o Object) error {
	i := o.Ident()
	if !i.Alive() {
		return nil
	}
	if i.fixed {
		return fmt.Errorf("%s cannot be deleted", i)
	}
	w.markDead(i.self)
	return nil
}

func (w *World) markDead(o Object) {
	i := o.Ident()
	if i.older() != nil {
		w.OnCommit(func() { _ = w.Delete(o) })
		return
	}
	i.dead = true
	delete(w.byID, i.id)
	if i.name != "" {
		w.names.remove(o)
	}
	w.dead = append(w.dead, o)
	if i.group != nil {
		i.group.erase(o)
		i.group = nil
	}
	for _, s := range i.sets {
		s.erase(o)
	}
	i.sets = nil
	if g, ok := o.(interface{ owner() *Group }); ok {
		for _, member := range g.owner().Members(nil) {
			if member.Ident().Alive() {
				w.markDead(member)
			}
		}
	} else if s, ok := o.(interface{ set() *Set }); ok {
		s.set().clear()
	}
}

// Sweep removes the dead objects and returns their number. It is the last step of a tick. Never
// call it while iterating over objects.
func (w *World) Sweep() int {
	n := 0
	for ; n < len(w.dead); n++ { // OnRemoved may delete more
		if r, ok := w.dead[n].(Lifecycle); ok {
			r.Left()
		}
		if w.OnRemoved != nil {
			w.OnRemoved(w.dead[n])
		}
	}
	if n == 0 {
		return 0
	}
	clear(w.dead)
	w.dead = w.dead[:0]
	w.objects = slices.DeleteFunc(w.objects, func(o Object) bool { return o.Ident().dead })
	w.tickers = slices.DeleteFunc(w.tickers, func(t Ticker) bool { return t.Ident().dead })
	w.sweepMarks()
	return n
}

// ghostTicker runs the ticks of a ghost.
type ghostTicker struct{ Interpolator }

func (g ghostTicker) Tick(n uint64) { g.Interpolate(n) }

// tickerOf returns the Ticker that runs the ticks of o, nil if o has no ticks.
func tickerOf(o Object) Ticker {
	if o.Ident().ghost {
		if g, ok := o.(Interpolator); ok {
			return ghostTicker{g}
		}
		return nil
	}
	t, _ := o.(Ticker)
	return t
}

// BeginTick notes that tick n begins. Tick does it too, if nothing happens before it.
func (w *World) BeginTick(n uint64) { w.tick = n }

// TickNumber returns the number of the tick that has begun.
func (w *World) TickNumber() uint64 { return w.tick }

// Tick runs the tick of each Ticker, in id order. Objects added meanwhile start with the next tick.
// A ghost follows its original instead: an Interpolator is interpolated, any other ghost does
// nothing. An object with a controller ticks with its moves, not here.
func (w *World) Tick(n uint64) {
	w.BeginTick(n)
	for i, last := 0, len(w.tickers); i < last; i++ {
		t := w.tickers[i]
		if id := t.Ident(); !id.dead && id.controller == 0 && !(id.ghost && w.SkipGhostTicks) {
			t.Tick(n)
		}
	}
	if g, ok := w.Game.(TickListener); ok {
		g.Ticked(n)
	}
}

// Find returns the living object with this id, or nil.
func (w *World) Find(id ID) Object { return w.byID[id] }

// FindName returns the newest living object with this name, ignoring case, or nil.
func (w *World) FindName(name string) Object { return w.names.find(name) }

// NameOf returns the name of a living object, or "".
func (w *World) NameOf(id ID) string {
	if o := w.byID[id]; o != nil {
		return o.Ident().name
	}
	return ""
}

// Len returns the number of living objects, including the world's built-in groups.
func (w *World) Len() int { return len(w.byID) }

// Each calls do with each living object of a class and its subclasses, in id order, until do
// returns false. A nil class means all classes. Objects added meanwhile are not visited.
func (w *World) Each(class *Class, do func(Object) bool) {
	for i, last := 0, len(w.objects); i < last; i++ {
		o := w.objects[i]
		id := o.Ident()
		if !id.dead && (class == nil || id.class.IsA(class)) && !do(o) {
			return
		}
	}
}
