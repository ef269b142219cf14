package script

import (
	"cmp"
	"slices"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// fieldEvent is the callback for changed fields of objects.
const fieldEvent = "onFieldChange"

// fieldChanges calls onFieldChange. On a client it compares what packets bring with what they
// brought before, so interpolation and prediction cause no calls. Otherwise it compares the values
// at the ends of ticks. Values are seen first and told afterwards: a change that a handler makes is
// told in the next tick. Changes that wait for the budget of a mod take no memory, because only the
// newest value of a field is kept.
type fieldChanges struct {
	engine   *engine.Host
	dispatch *dispatcher
	entries  map[sim.ID]*fieldEntry
	queue    []*fieldEntry       // with changes that are not told yet
	from     sim.ID              // object to continue with, because its mod had used up its share
	classes  map[*sim.Class]bool // whether onFieldChange is defined for them, in this tick
	blocks   map[sim.Object]bool // of datablocks: whether onFieldChange is defined, in this tick
	args     [3]sim.Value        // of the current call
}

// A fieldEntry has the values of the fields of an object, in the order of its class.
type fieldEntry struct {
	object sim.Object
	class  *sim.Class
	seen   []sim.Value // the newest values
	told   []sim.Value // the values of the last calls
	queued bool
}

func newFieldChanges(host *engine.Host, d *dispatcher) *fieldChanges {
	return &fieldChanges{engine: host, dispatch: d, entries: map[sim.ID]*fieldEntry{}, classes: map[*sim.Class]bool{}, blocks: map[sim.Object]bool{}}
}

// WatchesFields says whether a mod has a function for changes of fields.
func (s *hooks) WatchesFields() bool { return s.chains.has(fieldEvent) }

// FieldsReceived notes values of a ghost that a packet has brought.
func (s *hooks) FieldsReceived(o sim.Object, groups uint32) {
	if e := s.fields.entries[o.Ident().ID()]; e != nil {
		s.fields.see(e, groups)
	}
}

// FieldsDone calls onFieldChange for the ghosts of a packet.
func (s *hooks) FieldsDone() { s.fields.tell() }

// EndTick calls onFieldChange for the objects of this side.
func (s *hooks) EndTick() { s.fields.endTick() }

// endTick sees the objects of this side, and tells their changes.
func (f *fieldChanges) endTick() {
	if !f.dispatch.chains.has(fieldEvent) {
		if len(f.entries) > 0 {
			clear(f.entries)
			clear(f.queue)
			f.queue = f.queue[:0]
		}
		return
	}
	clear(f.classes)
	clear(f.blocks)
	f.engine.World().Each(nil, func(o sim.Object) bool {
		f.visit(o)
		return true
	})
	f.tell()
}

// visit sees an object at the end of a tick. Changes that packets bring are seen when they arrive.
func (f *fieldChanges) visit(o sim.Object) {
	i := o.Ident()
	if !f.watches(o) {
		if f.entries[i.ID()] != nil {
			delete(f.entries, i.ID())
		}
		return
	}
	e := f.entries[i.ID()]
	if e == nil {
		f.begin(o)
		return
	}
	if i.IsGhost() {
		return
	}
	if groups := i.TakeTouched(); groups != 0 {
		f.see(e, groups)
	}
}

// watches reports whether a mod defines onFieldChange for an object.
func (f *fieldChanges) watches(o sim.Object) bool {
	class := o.Ident().Class()
	if class.Kind != sim.NetClass {
		return false
	}
	is, known := f.classes[class]
	if !known {
		is = len(f.dispatch.chains.classChain(class, fieldEvent)) > 0
		f.classes[class] = is
	}
	data := sim.BlockOf(o)
	if is || data == nil {
		return is
	}
	if is, known = f.blocks[data]; !known {
		is = len(f.dispatch.chains.blockChain(data, fieldEvent)) > 0
		f.blocks[data] = is
	}
	return is
}

// begin begins to watch an object. Its present values are no changes.
func (f *fieldChanges) begin(o sim.Object) {
	i := o.Ident()
	i.TakeTouched()
	fields := i.Class().AllFields()
	e := &fieldEntry{object: o, class: i.Class(), seen: make([]sim.Value, len(fields))}
	for n, field := range fields {
		e.seen[n] = field.Get(o)
	}
	e.told = slices.Clone(e.seen)
	f.entries[i.ID()] = e
}

// ghostAdded begins to watch a new ghost: its fields have the values of the packet now.
func (f *fieldChanges) ghostAdded(o sim.Object) {
	if !f.dispatch.chains.has(fieldEvent) {
		return
	}
	clear(f.classes)
	clear(f.blocks)
	if f.watches(o) {
		f.begin(o)
	}
}

// forget ends to watch a deleted object.
func (f *fieldChanges) forget(id sim.ID) {
	if len(f.entries) > 0 {
		delete(f.entries, id)
	}
}

// see notes the values of groups of fields.
func (f *fieldChanges) see(e *fieldEntry, groups uint32) {
	if e.class != e.object.Ident().Class() { // declared again, with other fields
		f.begin(e.object)
		return
	}
	changed := false
	for n, field := range e.class.AllFields() {
		if groups>>field.Group&1 == 0 {
			continue
		}
		if v := field.Get(e.object); v != e.seen[n] {
			e.seen[n], changed = v, true
		}
	}
	if changed && !e.queued {
		e.queued = true
		f.queue = append(f.queue, e)
	}
}

// tell calls onFieldChange for the queued objects in id order. If a mod runs out of its share of
// the tick, the next call of tell begins with its first skipped object.
func (f *fieldChanges) tell() {
	if len(f.queue) == 0 {
		return
	}
	slices.SortFunc(f.queue, func(a, b *fieldEntry) int { return cmp.Compare(a.object.Ident().ID(), b.object.Ident().ID()) })
	all := f.queue
	f.queue = nil // handlers can delete objects, and packets can arrive only later
	first, _ := slices.BinarySearchFunc(all, f.from, func(e *fieldEntry, id sim.ID) int { return cmp.Compare(e.object.Ident().ID(), id) })
	f.from = 0
	var kept []*fieldEntry
	for i := range all {
		e := all[(first+i)%len(all)]
		if e.object.Ident().Alive() && f.dispatch.runtime.Busy() && f.dispatch.mustWait(e.object, fieldEvent) {
			if f.from == 0 {
				f.from = e.object.Ident().ID()
			}
			kept = append(kept, e)
			continue
		}
		e.queued = false
		f.tellOne(e)
	}
	if kept != nil {
		f.queue = kept
		return
	}
	clear(all)
	f.queue = all[:0]
}

// tellOne calls onFieldChange for the changed fields of an object, in the order of its class.
func (f *fieldChanges) tellOne(e *fieldEntry) {
	for n, field := range e.class.AllFields() {
		if e.seen[n] == e.told[n] {
			continue
		}
		old, now := f.alive(e.told[n]), f.alive(e.seen[n])
		e.told[n] = e.seen[n]
		if old == now || !e.object.Ident().Alive() || e.class != e.object.Ident().Class() {
			continue
		}
		f.call(e.object, field, old, now)
	}
}

// call runs the callback of the class, then the one of the datablock.
func (f *fieldChanges) call(o sim.Object, field *sim.Field, old, now sim.Value) {
	f.args = [3]sim.Value{sim.String(field.Name), old, now}
	f.dispatch.callback(o, fieldEvent, payload{plain: f.args[:]})
}

// alive returns a value, or nil for a reference to an object that is gone.
func (f *fieldChanges) alive(v sim.Value) sim.Value {
	if v.Kind() == sim.KindObject && f.engine.World().Find(v.Object()) == nil {
		return sim.Nil()
	}
	return v
}
