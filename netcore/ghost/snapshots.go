package ghost

import (
	"fmt"
	"slices"
)

const keptPasses = 64 // passes whose changes are remembered

// Snapshots is the state of the objects of a world as it travels: of each group of
// each object its quantised values, and the tick of their newest change. It is
// made once per tick and shared by all connections, which derive from it what
// they owe their peers; nothing is ever pushed to a connection.
//
// The owner changes it between Begin and the first Send of a tick. While
// connections Send it is only read, by any number of them at once.
type Snapshots struct {
	tick    uint32
	objects []object     // by number; 0 is nobody
	last    []uint32     // by number: the tick of the newest change
	graded  []bool       // by number: not all its groups are equally urgent
	plans   []*classPlan // by the numbers of classes

	free, leaving, gone []uint32 // numbers: reusable; removed before the newest Begin; since
	live                int

	passes [keptPasses]pass // a ring
	pass   int              // the newest of them
}

// object is one object's images.
type object struct {
	plan      *classPlan // nil: no such object
	born      uint32     // the tick after which it was added
	changed   []uint32   // by group: the tick of the newest change
	groups    []snapshot
	past      history // of the smooth groups
	referrers []referrer
}

// pass lists what changed in a tick, each object once.
type pass struct {
	tick    uint32
	objects []uint32
}

// referrer is a group of an object that names another object.
type referrer struct {
	obj   uint32
	group uint8
}

// NewSnapshots returns the images of an empty world, before its first Begin.
func NewSnapshots() *Snapshots {
	return &Snapshots{objects: make([]object, 1), last: make([]uint32, 1), graded: make([]bool, 1)}
}

// Begin opens the pass of a tick: what is Set from now on is stamped with it.
// Ticks begin at 1 and grow. Numbers that were removed before the previous
// Begin may be given again.
func (im *Snapshots) Begin(tick uint32) {
	if tick <= im.tick {
		panic(fmt.Sprintf("BUG: images of tick %d after those of %d", tick, im.tick))
	}
	im.tick = tick
	im.pass = (im.pass + 1) % keptPasses
	p := &im.passes[im.pass]
	p.tick, p.objects = tick, p.objects[:0]
	im.free = append(im.free, im.leaving...)
	im.leaving, im.gone = im.gone, im.leaving[:0]
}

// Tick returns the tick of the newest pass, 0 before the first.
func (im *Snapshots) Tick() uint32 { return im.tick }

// Len returns how many objects there are.
func (im *Snapshots) Len() int { return im.live }

// Add takes an object in and returns its number, from 1. Its groups are zero,
// empty and none until they are Set; a hand-written one must be Set before the
// object is put in a scope.
func (im *Snapshots) Add(l *Layout) uint32 {
	var n uint32
	if k := len(im.free); k > 0 {
		n, im.free = im.free[k-1], im.free[:k-1]
	} else {
		n = uint32(len(im.objects))
		im.objects = append(im.objects, object{})
		im.last, im.graded = append(im.last, 0), append(im.graded, false)
	}
	o := &im.objects[n]
	o.plan, o.born = im.planOf(l), im.tick
	o.changed = resized(o.changed, len(l.Groups))
	o.groups = resized(o.groups, len(l.Groups))
	for g := range o.groups {
		o.changed[g] = 0
		o.groups[g].init(&o.plan.groups[g])
	}
	o.past.reset(o.plan.smooth, im.tick)
	im.last[n], im.graded[n] = 0, o.plan.graded
	im.live++
	return n
}

// resized returns s with length n; what its elements hold is kept for reuse.
func resized[T any](s []T, n int) []T {
	return slices.Grow(s[:0], n)[:n]
}

// Remove takes an object out. It must be in no connection's scope any more.
// References to it read as none from now on.
func (im *Snapshots) Remove(obj uint32) {
	o := im.object(obj)
	for _, r := range o.referrers {
		from := &im.objects[r.obj]
		from.groups[r.group].forget(&from.plan.groups[r.group], obj)
	}
	o.referrers = o.referrers[:0]
	for g := range o.groups {
		im.release(obj, g)
	}
	o.plan = nil
	im.gone = append(im.gone, obj)
	im.live--
}

// object returns an object that must exist.
func (im *Snapshots) object(obj uint32) *object {
	if obj == 0 || int(obj) >= len(im.objects) || im.objects[obj].plan == nil {
		panic(fmt.Sprintf("BUG: there is no object %d in the images", obj))
	}
	return &im.objects[obj]
}

// Layout returns the layout of an object, nil if there is no such object.
func (im *Snapshots) Layout(obj uint32) *Layout {
	if int(obj) >= len(im.objects) || im.objects[obj].plan == nil {
		return nil
	}
	return im.objects[obj].plan.layout
}

// Set makes v the state of a group, and keeps a copy. Values equal to those
// before are no change. A change of group 0 is shown by sending the whole
// object again.
func (im *Snapshots) Set(obj uint32, group int, v *Values) (changed bool) {
	o := im.object(obj)
	p, g := &o.plan.groups[group], &o.groups[group]
	if g.equal(v) {
		return false
	}
	if p.refs {
		im.release(obj, group)
	}
	g.take(p, v)
	if p.smooth {
		o.past.set(im.tick, p.first, v.Cells)
	}
	if p.refs {
		im.refer(obj, group)
	}
	o.changed[group] = im.tick
	if p := &im.passes[im.pass]; im.last[obj] != im.tick {
		im.last[obj] = im.tick
		p.objects = append(p.objects, obj)
	}
	return true
}

// since returns the groups of an object that changed after a tick.
func (im *Snapshots) since(obj, tick uint32) (groups uint32) {
	if im.last[obj] <= tick {
		return 0
	}
	for g, at := range im.objects[obj].changed {
		if at > tick {
			groups |= 1 << g
		}
	}
	return groups
}

// changes calls do with the lists of all passes after a tick, the newest first.
// It returns false, after none, if they are longer than most in sum, or not all
// of them are kept.
func (im *Snapshots) changes(tick uint32, most int, do func(objs []uint32)) bool {
	n := 0
	for ; n < keptPasses; n++ {
		p := im.back(n)
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
		do(im.back(i).objects)
	}
	return true
}

// back returns the pass n before the newest.
func (im *Snapshots) back(n int) *pass {
	return &im.passes[(im.pass+keptPasses-n)%keptPasses]
}

// referrers lists who names an object in a reference. Only to be read.
func (im *Snapshots) referrers(obj uint32) []referrer { return im.objects[obj].referrers }

// EachReferrer calls do with each group of an object that names this one.
func (im *Snapshots) EachReferrer(obj uint32, do func(obj uint32, group int)) {
	for _, r := range im.referrers(obj) {
		do(r.obj, int(r.group))
	}
}

// refer enters a group into the lists of those it names.
func (im *Snapshots) refer(obj uint32, group int) {
	r := referrer{obj, uint8(group)}
	for target := range im.named(obj, group) {
		t := &im.objects[target]
		if !slices.Contains(t.referrers, r) {
			t.referrers = append(t.referrers, r)
		}
	}
}

// release takes a group out of the lists of those it names.
func (im *Snapshots) release(obj uint32, group int) {
	r := referrer{obj, uint8(group)}
	for target := range im.named(obj, group) {
		t := &im.objects[target]
		if i := slices.Index(t.referrers, r); i >= 0 {
			t.referrers = slices.Delete(t.referrers, i, i+1)
		}
	}
}

// named ranges over the objects that a group names. A number without an object
// is made none.
func (im *Snapshots) named(obj uint32, group int) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		o := &im.objects[obj]
		if !o.plan.groups[group].refs {
			return
		}
		v := &o.groups[group].values
		for i, c := range o.plan.layout.Groups[group].Cells {
			if c.Kind != CellRef || i >= len(v.Cells) || v.Cells[i] == 0 {
				continue
			}
			if t := v.Cells[i]; im.Layout(uint32(min(t, 1<<32-1))) == nil {
				panic(fmt.Sprintf("BUG: object %d, %s, refers to %d, which is not in the images", obj, c.Field, t))
			} else if !yield(uint32(t)) {
				return
			}
		}
	}
}
