package ghost

import (
	"fmt"
	"slices"
)

const (
	keptPasses  = 64 // number of passes with a list of changed objects
	recentTicks = 5  // number of ticks before the newest change with a mask of the changes since
)

// Snapshots is the state of all objects of a world in the form that packets carry. For each group
// of each object it holds the quantised values and the tick of their newest change. The owner fills
// it once per tick. All connections share it, and each connection derives from it the groups that
// it owes its peer. Nothing is pushed to a connection.
//
// The owner changes it only between Begin and the first Send of a tick. While connections Send,
// they only read it, and any number of them can do so at once. The packets under construction are
// the only exception: they belong to the workers that pack.
type Snapshots struct {
	tick           uint32
	objects        []object     // by object number; 0 is no object
	last           []uint32     // by object number: the tick of the newest change
	recent         []changes    // by object number
	histories      []history    // by object number
	unequalWeights []bool       // by object number: its groups have different weights
	plans          []*classPlan // by class number

	free, leaving, gone []uint32 // object numbers: reusable; removed before Begin; since
	live                int
	moved               int // live objects that changed in this tick

	depth depth // of the histories
	age   uint8 // the highest age of baselines that all histories hold

	packets [maxWorkers]*packet // by worker; each worker uses only its own
	loaded  uint32              // what Prefetch has read; without it, the compiler would drop the reads

	passes [keptPasses]pass // a ring buffer
	pass   int              // index of the newest pass
}

// object is the snapshot of one object.
type object struct {
	plan      *classPlan // nil: no such object
	addedTick uint32     // the object was added after this tick
	changed   []uint32   // by group: the tick of the newest change
	packed    []uint64   // the values of the plain groups, see groupPlan.pack
	general   []Values   // those of the other groups
	referrers []referrer
}

// changes holds facts about an object that each update needs.
type changes struct {
	last   uint32              // the tick of the newest change, as in Snapshots.last
	smooth uint32              // the smooth groups of its class; 0 for no object
	light  uint32              // the light groups of its class, see Layout
	groups [recentTicks]uint32 // entry n: the groups that changed in the n+1 ticks up to the newest change
}

// pass lists the objects that changed in a tick, each once.
type pass struct {
	tick    uint32
	objects []uint32
}

// referrer is a group of an object that refers to another object.
type referrer struct {
	obj   uint32
	group uint8
}

// NewSnapshots returns the snapshots of an empty world, before its first Begin.
func NewSnapshots() *Snapshots {
	return &Snapshots{objects: make([]object, 1), last: make([]uint32, 1), recent: make([]changes, 1), histories: make([]history, 1), unequalWeights: make([]bool, 1)}
}

// Begin opens the pass of a tick. Every later Set is stamped with this tick. Ticks begin at 1 and
// must increase. Add can reuse numbers that were removed before the previous Begin.
func (s *Snapshots) Begin(tick uint32) {
	if tick <= s.tick {
		panic(fmt.Sprintf("BUG: snapshots of tick %d after tick %d", tick, s.tick))
	}
	s.tick = tick
	s.reviewDepth()
	s.pass = (s.pass + 1) % keptPasses
	p := &s.passes[s.pass]
	p.tick, p.objects, s.moved = tick, p.objects[:0], 0
	s.free = append(s.free, s.leaving...)
	s.leaving, s.gone = s.gone, s.leaving[:0]
}

// Tick returns the tick of the newest pass, 0 before the first.
func (s *Snapshots) Tick() uint32 { return s.tick }

// Len returns the number of objects.
func (s *Snapshots) Len() int { return s.live }

// Add adds an object and returns its number, from 1. Until Set, numbers are 0, texts are empty and
// references are none. A hand-written group must be Set before any connection takes the object into
// scope.
func (s *Snapshots) Add(l *Layout) uint32 {
	var n uint32
	if k := len(s.free); k > 0 {
		n, s.free = s.free[k-1], s.free[:k-1]
	} else {
		n = uint32(len(s.objects))
		s.objects = append(s.objects, object{})
		s.last, s.unequalWeights = append(s.last, 0), append(s.unequalWeights, false)
		s.recent, s.histories = append(s.recent, changes{}), append(s.histories, history{})
	}
	o := &s.objects[n]
	o.plan, o.addedTick = s.planOf(l), s.tick
	o.changed = resize(o.changed, len(l.Groups))
	o.packed, o.general = resize(o.packed, o.plan.words), resize(o.general, o.plan.general)
	clear(o.changed)
	clear(o.packed)
	for g := range o.plan.groups {
		if p := &o.plan.groups[g]; !p.plain {
			o.general[p.place].init(p)
		}
	}
	s.histories[n].reset(o.plan.smooth, s.tick)
	s.last[n], s.recent[n], s.unequalWeights[n] = 0, changes{smooth: l.smooth, light: l.light}, o.plan.unequalWeights
	s.live++
	return n
}

// Remove removes an object. The object must not be in scope of any connection. All references to it
// become none.
func (s *Snapshots) Remove(obj uint32) {
	o := s.object(obj)
	for _, r := range o.referrers {
		from := &s.objects[r.obj]
		p := &from.plan.groups[r.group]
		from.general[p.place].clearReference(p, obj)
	}
	o.referrers = o.referrers[:0]
	for g := range o.plan.groups {
		s.removeReferrer(obj, g)
	}
	if s.last[obj] == s.tick {
		s.moved--
	}
	o.plan, s.last[obj], s.recent[obj] = nil, 0, changes{}
	s.gone = append(s.gone, obj)
	s.live--
}

// object returns an existing object. It panics if there is none.
func (s *Snapshots) object(obj uint32) *object {
	if obj == 0 || int(obj) >= len(s.objects) || s.objects[obj].plan == nil {
		panic(fmt.Sprintf("BUG: object %d is not in the snapshots", obj))
	}
	return &s.objects[obj]
}

// Layout returns the layout of an object, nil if there is no such object.
func (s *Snapshots) Layout(obj uint32) *Layout {
	if int(obj) >= len(s.objects) || s.objects[obj].plan == nil {
		return nil
	}
	return s.objects[obj].plan.layout
}

// Prefetch brings the values of objects into the cache of the processor, for the next calls of Set.
// The values of a large world are too many for it, and each Set would wait for memory. The reads of
// Prefetch wait all at once.
func (s *Snapshots) Prefetch(objs []uint32) {
	sum := uint32(0)
	for _, obj := range objs {
		if h := &s.histories[obj]; h.cells > 0 {
			was, next := h.newest(), h.entry(s.tick)
			sum += was[0] + was[len(was)-1] + next[0] + next[len(next)-1]
		}
		if o := &s.objects[obj]; len(o.packed) > 0 {
			sum += o.changed[0] + uint32(o.packed[0])
		}
	}
	s.loaded = sum
}

// Set copies v as the state of a group. It returns false if v equals the previous values. After a
// change of group 0, connections send the whole object again.
func (s *Snapshots) Set(obj uint32, group int, v *Values) (changed bool) {
	o := s.object(obj)
	p := &o.plan.groups[group]
	switch {
	case !p.plain:
		return s.setGeneral(o, obj, group, v)
	case !p.pack(o.packed, v.Cells):
		return false
	case p.smooth:
		s.histories[obj].set(s.tick, p.first, v.Cells, s.depth.ticks())
	}
	s.touch(obj, group)
	return true
}

// setGeneral is Set for a group that is not plain.
func (s *Snapshots) setGeneral(o *object, obj uint32, group int, v *Values) (changed bool) {
	p := &o.plan.groups[group]
	g := &o.general[p.place]
	if g.equal(v) {
		return false
	}
	if p.refs {
		s.removeReferrer(obj, group)
	}
	g.store(p, v)
	if p.refs {
		s.addReferrer(obj, group)
	}
	s.touch(obj, group)
	return true
}

// values returns the values of a group of an object. Those of a plain group are put into buffer.
func (o *object) values(group int, buffer *Values) *Values {
	p := &o.plan.groups[group]
	if !p.plain {
		return &o.general[p.place]
	}
	buffer.reset()
	buffer.Cells = p.unpack(o.packed, buffer.Cells)
	return buffer
}

// touch records a change of a group in this tick.
func (s *Snapshots) touch(obj uint32, group int) {
	s.objects[obj].changed[group] = s.tick
	recent := &s.recent[obj].groups
	if since := s.tick - s.last[obj]; since != 0 {
		older := *recent
		*recent = [recentTicks]uint32{}
		if since < recentTicks {
			copy(recent[since:], older[:])
		}
		s.last[obj], s.recent[obj].last = s.tick, s.tick
		p := &s.passes[s.pass]
		p.objects = append(p.objects, obj)
		s.moved++
	}
	for i := range recent {
		recent[i] |= 1 << group
	}
}

// since returns the mask of the groups of an object that changed after a tick.
func (s *Snapshots) since(obj, tick uint32) (groups uint32) {
	last := s.last[obj]
	if last <= tick {
		return 0
	}
	if n := last - tick; n <= recentTicks {
		return s.recent[obj].groups[n-1]
	}
	for g, at := range s.objects[obj].changed {
		if at > tick {
			groups |= 1 << g
		}
	}
	return groups
}

// changes calls do with the list of each pass after a tick, the newest first. It returns false, and
// calls nothing, if the lists have more than most entries in total or if a pass after the tick is
// no longer kept.
func (s *Snapshots) changes(tick uint32, most int, do func(objs []uint32)) bool {
	n := 0
	for ; n < keptPasses; n++ {
		p := s.passBefore(n)
		if p.tick <= tick {
			break
		}
		if most -= len(p.objects); most < 0 {
			return false
		}
	}
	if n == keptPasses {
		return false
	}
	for i := range n {
		do(s.passBefore(i).objects)
	}
	return true
}

// passBefore returns the pass n before the newest.
func (s *Snapshots) passBefore(n int) *pass {
	return &s.passes[(s.pass+keptPasses-n)%keptPasses]
}

// referrers lists the groups that refer to an object. The caller must not change the list.
func (s *Snapshots) referrers(obj uint32) []referrer { return s.objects[obj].referrers }

// EachReferrer calls do with each group that refers to obj.
func (s *Snapshots) EachReferrer(obj uint32, do func(obj uint32, group int)) {
	for _, r := range s.referrers(obj) {
		do(r.obj, int(r.group))
	}
}

// addReferrer adds a group to the referrers of each object that it refers to.
func (s *Snapshots) addReferrer(obj uint32, group int) {
	r := referrer{obj, uint8(group)}
	for target := range s.targets(obj, group) {
		t := &s.objects[target]
		if !slices.Contains(t.referrers, r) {
			t.referrers = append(t.referrers, r)
		}
	}
}

// removeReferrer removes a group from the referrers of each object that it refers to.
func (s *Snapshots) removeReferrer(obj uint32, group int) {
	r := referrer{obj, uint8(group)}
	for target := range s.targets(obj, group) {
		t := &s.objects[target]
		if i := slices.Index(t.referrers, r); i >= 0 {
			t.referrers = slices.Delete(t.referrers, i, i+1)
		}
	}
}

// targets ranges over the objects that a group refers to. It panics if a reference holds the number
// of an object that does not exist.
func (s *Snapshots) targets(obj uint32, group int) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		o := &s.objects[obj]
		if !o.plan.groups[group].refs {
			return
		}
		v := &o.general[o.plan.groups[group].place]
		for i, c := range o.plan.layout.Groups[group].Cells {
			if c.Kind != CellRef || i >= len(v.Cells) || v.Cells[i] == 0 {
				continue
			}
			if t := v.Cells[i]; s.Layout(uint32(min(t, 1<<32-1))) == nil {
				panic(fmt.Sprintf("BUG: object %d, field %s refers to object %d, which is not in the snapshots", obj, c.Field, t))
			} else if !yield(uint32(t)) {
				return
			}
		}
	}
}
