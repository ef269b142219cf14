package sim

import (
	"fmt"
	"reflect"
	"slices"
)

// World holds the objects of one side of one game.
type World struct {
	// Root is the group of everything that is in no other group. The next
	// three are in it, named as in scripts; none of them can be deleted.
	Root, Clients, Mission, DataBlocks *Group

	// Blocks are the datablocks.
	Blocks *Blocks

	// OnAdded is told of an object when it has its id, its group and its
	// fields; OnRemoved in Sweep, when it is dead but still whole.
	OnAdded, OnRemoved func(Object)

	// OnUndone is told, instead of OnRemoved, of an object that a Rollback takes
	// back. OnMoved is told of an object that is of another class from now on, and
	// which it was before: the same one, or if its new class is made of other Go,
	// one that is dead and whose id and number it has.
	OnUndone func(Object)
	OnMoved  func(was, is Object)

	// Game is what the classes of a game keep of this world, theirs alone.
	Game any

	// Unseen says that nobody looks at the ghosts of this world: they do no
	// ticks, and stand where they were told last.
	Unseen bool

	// LostEvents counts what Emit had no room for.
	LostEvents int

	classes *Classes
	next    ID
	byID    map[ID]Object
	names   names
	objects []Object // in id order; the dead stay until Sweep
	tickers []Ticker // likewise
	dead    []Object // deleted since the last Sweep, in that order
	marked  []Object // with marks, in the order of the first
	drifted []Object // likewise, with drift

	change    *Change     // under way
	events    []happening // to be told
	replaying bool
}

// NewWorld makes a world with its four groups and nothing else.
func NewWorld(classes *Classes) *World {
	w := &World{classes: classes, next: 1, byID: make(map[ID]Object), names: make(names)}
	w.Blocks = newBlocks(w)
	w.Root = w.ownGroup("RootGroup")
	w.Clients = w.ownGroup("ClientGroup")
	w.Mission = w.ownGroup("MissionGroup")
	w.DataBlocks = w.ownGroup("DataBlockGroup")
	return w
}

func (w *World) ownGroup(name string) *Group {
	g := new(Group)
	g.name = name
	w.Add(g)
	g.fixed = true
	return g
}

// Classes are the classes objects of this world may have.
func (w *World) Classes() *Classes { return w.classes }

// Make makes an object that belongs to this world but is not in it yet: its
// class and its world are known, it has no id.
func (w *World) Make(class *Class) Object {
	o := class.New()
	i := o.Ident()
	i.self, i.class, i.world = o, class, w
	return o
}

// New makes an object of a class, lets init set its fields, and adds it. init
// may be nil. An error of init, or a missing datablock, leaves no trace.
func (w *World) New(class string, init func(Object) error) (Object, error) {
	c, err := w.classes.Find(class)
	switch {
	case err != nil:
		return nil, err
	case c.Abstract:
		return nil, fmt.Errorf("%s is only a base of other classes, no object can be one", c.Name)
	case c.Kind == BlockClass:
		return nil, fmt.Errorf(`%s is a class of datablocks: declare one with datablock "%s" "name" { ... }`, c.Name, c.Name)
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
		return nil, fmt.Errorf("no object ids are left in this run")
	}
	return o, nil
}

// Ticked is a World.Game that wants to hear when all objects have done a tick.
type Ticked interface {
	Ticked(n uint64)
}

// Resident is an object that wants to know when it is in a world: Entered is
// called when it has its id, Left when it leaves, dead and whole.
type Resident interface {
	Object
	Entered()
	Left()
}

// Add gives an object made by Make, or by hand, its id and puts it into the
// root group. It returns the id; that of an object which is already here does
// not change. It returns 0 when 2^32 objects have been, for ids are never used
// again.
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
		w.Root.own(o)
	}
	i.Mark(i.class.marks)
	if r, ok := o.(Resident); ok {
		r.Entered()
	}
	if w.OnAdded != nil {
		w.OnAdded(o)
	}
	return i.id
}

// Ids are short as long as a server is young, for people type them. Those from shortIDs to longIDs are left out: a table
// of a script by id would be a list to Lua, which makes all the values before one that is set.
const (
	shortIDs ID = 1 << 14
	longIDs  ID = 1 << 20
)

// following is the id that comes after this one, 0 after the last.
func (id ID) following() ID {
	if id++; id == shortIDs {
		return longIDs
	}
	return id
}

// Delete marks o dead, and all that it owns. It is out of its group and its
// sets at once and leaves the world at the next Sweep. It fails for what
// belongs to the world itself: datablocks and the groups every world has.
// Deleting the dead, or what was never added, does nothing. What was there before
// a change that is open is deleted when that is committed.
func (w *World) Delete(o Object) error {
	i := o.Ident()
	if !i.Alive() {
		return nil
	}
	if i.fixed {
		return fmt.Errorf("%s cannot be deleted", i)
	}
	w.kill(o)
	return nil
}

func (w *World) kill(o Object) {
	i := o.Ident()
	if i.older() != nil {
		w.Hold(func() { _ = w.Delete(o) })
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
				w.kill(member)
			}
		}
	} else if s, ok := o.(interface{ set() *Set }); ok {
		s.set().disband()
	}
}

// Sweep removes the dead and returns how many they were. It is the last step
// of a tick, never called from inside of anything that walks through objects.
func (w *World) Sweep() int {
	n := 0
	for ; n < len(w.dead); n++ { // OnRemoved may delete more
		if r, ok := w.dead[n].(Resident); ok {
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

// ghostTicker is the ticks of a ghost.
type ghostTicker struct{ Interpolated }

func (g ghostTicker) Tick(n uint64) { g.Interpolate(n) }

// tickerOf is what does the ticks of o, nil if nothing does.
func tickerOf(o Object) Ticker {
	if o.Ident().ghost {
		if g, ok := o.(Interpolated); ok {
			return ghostTicker{g}
		}
		return nil
	}
	t, _ := o.(Ticker)
	return t
}

// Tick lets each Ticker do its tick, in id order. What is added meanwhile
// begins with the next. A ghost follows its original instead: it is
// interpolated if it can be, and does nothing of its own. What has a controller
// does the ticks of its moves.
func (w *World) Tick(n uint64) {
	for i, last := 0, len(w.tickers); i < last; i++ {
		t := w.tickers[i]
		if id := t.Ident(); !id.dead && id.controller == 0 && !(id.ghost && w.Unseen) {
			t.Tick(n)
		}
	}
	if g, ok := w.Game.(Ticked); ok {
		g.Ticked(n)
	}
}

// Find is the living object with this id, or nil.
func (w *World) Find(id ID) Object { return w.byID[id] }

// FindName is the newest living object with this name, in any case, or nil.
func (w *World) FindName(name string) Object { return w.names.find(name) }

// NameOf is the name of a living object, or "".
func (w *World) NameOf(id ID) string {
	if o := w.byID[id]; o != nil {
		return o.Ident().name
	}
	return ""
}

// Len is the number of living objects, the world's own groups among them.
func (w *World) Len() int { return len(w.byID) }

// Each calls do with each living object of a class and its heirs, in id order,
// until it returns false. A nil class is every class. What is added meanwhile
// is not visited.
func (w *World) Each(class *Class, do func(Object) bool) {
	for i, last := 0, len(w.objects); i < last; i++ {
		o := w.objects[i]
		id := o.Ident()
		if !id.dead && (class == nil || id.class.IsA(class)) && !do(o) {
			return
		}
	}
}
