package engine

import (
	"math/bits"

	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/ghost"
)

// maxCoded is the largest size of a hand-written group in bytes.
const maxCoded = 1 << 10

// snapshots holds the snapshots of a host's net objects: a number for each object, and the
// quantised state of every group in ghost.Snapshots.
//
// Once per tick, it takes snapshots of the changed groups of all objects in any connection's scope.
// These are shared by all connections. For other objects it only records the changed groups.
type snapshots struct {
	*ghost.Snapshots
	layouts
	host    *Host
	objects []snapshotObject // by number; 0 is unused

	onChanged func(o sim.Object, groups uint32) // im.changed as a value, made once
	follow    func(o sim.Object, groups uint32) // im.drifted as a value, made once
	values    sim.Values                        // buffer for one group
	wire      ghost.Values
	writer    bitstream.Writer
	room      [maxCoded]byte
	end       func(field string) // records the end of a hand-written field
	swept     []sim.Object       // objects that have left the world in this sweep
	leaving   []uint32           // buffer for their numbers
	taken     int                // marked objects handled in this tick
	ahead     [32]uint32         // buffer for the numbers of the next ones
}

// snapshotObject is the record of a numbered object.
type snapshotObject struct {
	object   sim.Object
	watchers int    // connections that have it in scope
	stale    uint32 // groups changed since their last snapshot
	drift    uint32 // same, for changes that existing ghosts predict
	parked   bool   // nobody sees it, and sim.Identity.Park keeps its changed groups
}

func newSnapshots(h *Host) *snapshots {
	im := &snapshots{Snapshots: ghost.NewSnapshots(), host: h, objects: make([]snapshotObject, 1)}
	im.layouts.world = h.world
	im.onChanged, im.follow = im.changed, im.drifted
	im.end = func(field string) {
		im.wire.RawEnds = append(im.wire.RawEnds, ghost.RawEnd{Field: field, At: im.writer.Pos()})
	}
	return im
}

// serves reports whether any connection of this host sends ghosts.
func (h *Host) serves() bool { return canServe && (h.cfg.Server || h.cfg.Mutual) }

// add gives a net object a number. Other objects get none.
func (im *snapshots) add(o sim.Object) {
	i := o.Ident()
	if !im.host.serves() || i.Class().Kind != sim.NetClass {
		return
	}
	n := im.Add(im.of(uint16(im.world.Classes().WireID(i.Class()))))
	for int(n) >= len(im.objects) {
		im.objects = append(im.objects, snapshotObject{})
	}
	im.objects[n] = snapshotObject{object: o, stale: 1<<i.Class().Groups() - 1}
	i.SetNumber(n)
	im.host.scope.add(n, o)
	for _, r := range im.host.Demos.recorders {
		r.Review(n)
	}
}

// remove frees an object's number, and removes the object from every scope.
func (im *snapshots) remove(o sim.Object) {
	if n := im.leave(o); n != 0 {
		im.host.scope.remove(n)
		im.drop(n)
	}
}

// removeSwept is remove of the objects in swept.
func (im *snapshots) removeSwept() {
	numbers := im.leaving[:0]
	for _, o := range im.swept {
		if n := im.leave(o); n != 0 {
			numbers = append(numbers, n)
		}
	}
	im.host.scope.removeAll(numbers)
	for _, n := range numbers {
		im.drop(n)
	}
	clear(im.swept)
	im.swept, im.leaving = im.swept[:0], numbers
}

// leave returns the number of an object that is about to lose it, or 0 if it has none. The
// recordings learn of it.
func (im *snapshots) leave(o sim.Object) uint32 {
	n := o.Ident().Number()
	if n == 0 || im.objects[n].object != o {
		return 0
	}
	im.unpark(n)
	for _, r := range im.host.Demos.recorders {
		r.Removed(n)
	}
	return n
}

// drop frees a number that no scope has.
func (im *snapshots) drop(n uint32) {
	im.objects[n] = snapshotObject{}
	im.Remove(n)
}

// renumber gives an object a new number, and marks the groups of other objects that refer to it.
func (im *snapshots) renumber(o sim.Object) {
	if n := o.Ident().Number(); n != 0 {
		im.EachReferrer(n, func(by uint32, group int) { im.objects[by].object.Ident().Mark(1 << group) })
	}
	im.remove(o)
	im.add(o)
}

// ObjectOf returns the object with this number, or nil.
func (h *Host) ObjectOf(number uint32) sim.Object {
	if int(number) >= len(h.snapshots.objects) {
		return nil
	}
	return h.snapshots.objects[number].object
}

// takeAll takes the snapshots of a tick: of all marked objects in scope of any connection.
func (im *snapshots) takeAll(tick uint64) {
	im.Begin(uint32(tick))
	im.taken = 0
	im.world.TakeMarks(im.onChanged)
	im.world.TakePredicted(im.follow)
}

// prefetch prepares the snapshots of the next marked objects, whenever the last ones are taken.
func (im *snapshots) prefetch() {
	if im.taken%len(im.ahead) == 0 {
		marked := im.world.Marked()[im.taken:]
		numbers := im.ahead[:0]
		for _, o := range marked[:min(len(im.ahead), len(marked))] {
			numbers = append(numbers, o.Ident().Number())
		}
		im.Prefetch(numbers)
	}
	im.taken++
}

// changed handles changed groups of an object.
func (im *snapshots) changed(o sim.Object, groups uint32) {
	im.prefetch()
	i := o.Ident()
	n := i.Number()
	if n == 0 {
		return
	}
	m := &im.objects[n]
	im.host.scope.update(n)
	if m.watchers == 0 {
		m.parked = true
		i.Park(groups)
		im.host.scope.delay(n)
		return
	}
	m.stale |= groups
	if m.stale&im.blockGroup(i.Class()) != 0 {
		im.recheck(n)
	}
	if m.watchers > 0 {
		im.refresh(n)
	}
}

// unpark ends the time in which the world keeps the marks of an object that nobody sees.
func (im *snapshots) unpark(n uint32) {
	if m := &im.objects[n]; m.parked {
		m.parked = false
		m.stale |= m.object.Ident().Unpark()
	}
}

// watched reports whether a connection has an object in scope.
func (im *snapshots) watched(n uint32) bool { return im.objects[n].watchers > 0 }

// drifted handles changes that existing ghosts predict.
func (im *snapshots) drifted(o sim.Object, groups uint32) {
	if n := o.Ident().Number(); n != 0 {
		im.objects[n].drift |= groups
		if im.watched(n) {
			im.host.Demos.demo.Drift(n, o, groups)
			im.host.scope.update(n)
		} else {
			im.host.scope.delay(n)
		}
	}
}

// recheck holds an object with a new datablock back from the peers without that datablock.
func (im *snapshots) recheck(n uint32) {
	for _, c := range im.host.conns {
		c.Ghosting.gate.recheck(n)
	}
}

// watch counts so many connections more with the object in scope. If there are more, it updates
// the snapshot.
func (im *snapshots) watch(n uint32, more int) {
	m := &im.objects[n]
	m.watchers += more
	if more > 0 {
		im.unpark(n)
		m.stale |= m.drift
		im.refresh(n)
	}
}

// refresh takes a snapshot of every group changed since its last one.
func (im *snapshots) refresh(n uint32) {
	m := &im.objects[n]
	for groups := m.stale; groups != 0; groups &= groups - 1 {
		im.takeGroup(n, m.object, bits.TrailingZeros32(groups))
	}
	m.drift &^= m.stale
	m.stale = 0
}

// takeGroup takes the snapshot of one group.
func (im *snapshots) takeGroup(n uint32, o sim.Object, group int) {
	class := o.Ident().Class()
	im.wire.RawBits, im.wire.RawEnds = 0, im.wire.RawEnds[:0]
	if code := class.Coder(group); code != nil {
		im.encode(n, o, group, code)
		return
	}
	class.Quantise(o, group, &im.values)
	if class.PredictedGroups>>group&1 != 0 {
		class.ApplyRounding(o, group, &im.values)
	}
	if class.Refers(group) {
		for i, cell := range class.Cells(group) {
			if cell.Kind == sim.CellRef {
				im.values.Cells[i] = uint64(im.numberOf(sim.ID(im.values.Cells[i])))
			}
		}
	}
	im.wire.Cells, im.wire.Texts, im.wire.Raw = im.values.Cells, im.values.Texts, nil
	im.set(n, o, group)
}

// set stores the snapshot of a group, and records it.
func (im *snapshots) set(n uint32, o sim.Object, group int) {
	changed := im.Set(n, group, &im.wire)
	for _, r := range im.host.Demos.recorders {
		v := &im.wire
		r.Group(n, o, group, changed, recording.Values{Cells: v.Cells, Texts: v.Texts, Raw: v.Raw, Bits: v.RawBits})
	}
}

// encode takes the snapshot of a hand-written group. If the group is too large, the old snapshot
// stays.
func (im *snapshots) encode(n uint32, o sim.Object, group int, code func(*sim.GroupCoder, sim.Object)) {
	im.writer.Reset(im.room[:])
	im.code(code, &im.writer.Codec, im.end, o)
	if im.writer.Err() != nil {
		im.host.cfg.Log.Warn("a group is too large to send", "object", o.Ident().String(), "group", group, "limit", maxCoded)
		return
	}
	im.wire.Cells, im.wire.Texts = nil, nil
	im.wire.Raw, im.wire.RawBits = im.writer.Bytes(), im.writer.Pos()
	im.set(n, o, group)
}

// numberOf returns the number of a referenced object. It returns 0 if the object is gone or not a
// net object.
func (im *snapshots) numberOf(id sim.ID) uint32 {
	if o := im.world.Find(id); o != nil {
		return o.Ident().Number()
	}
	return 0
}
