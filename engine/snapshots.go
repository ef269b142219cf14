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

	onChanged func(o sim.Object, groups uint32) // s.changed as a value, made once
	follow    func(o sim.Object, groups uint32) // s.drifted as a value, made once
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
	s := &snapshots{Snapshots: ghost.NewSnapshots(), host: h, objects: make([]snapshotObject, 1)}
	s.layouts.world = h.world
	s.onChanged, s.follow = s.changed, s.drifted
	s.end = func(field string) {
		s.wire.RawEnds = append(s.wire.RawEnds, ghost.RawEnd{Field: field, At: s.writer.Pos()})
	}
	return s
}

// serves reports whether any connection of this host sends ghosts.
func (h *Host) serves() bool { return canServe && (h.cfg.Server || h.cfg.Mutual) }

// add gives a net object a number. Other objects get none.
func (s *snapshots) add(o sim.Object) {
	i := o.Ident()
	if !s.host.serves() || i.Class().Kind != sim.NetClass {
		return
	}
	n := s.Add(s.of(uint16(s.world.Classes().WireID(i.Class()))))
	for int(n) >= len(s.objects) {
		s.objects = append(s.objects, snapshotObject{})
	}
	s.objects[n] = snapshotObject{object: o, stale: 1<<i.Class().Groups() - 1}
	i.SetNumber(n)
	s.host.scope.add(n, o)
	for _, r := range s.host.Demos.recorders {
		r.Review(n)
	}
}

// remove frees an object's number, and removes the object from every scope.
func (s *snapshots) remove(o sim.Object) {
	if n := s.leave(o); n != 0 {
		s.host.scope.remove(n)
		s.drop(n)
	}
}

// removeSwept is remove of the objects in swept.
func (s *snapshots) removeSwept() {
	numbers := s.leaving[:0]
	for _, o := range s.swept {
		if n := s.leave(o); n != 0 {
			numbers = append(numbers, n)
		}
	}
	s.host.scope.removeAll(numbers)
	for _, n := range numbers {
		s.drop(n)
	}
	clear(s.swept)
	s.swept, s.leaving = s.swept[:0], numbers
}

// leave returns the number of an object that is about to lose it, or 0 if it has none. The
// recordings learn of it.
func (s *snapshots) leave(o sim.Object) uint32 {
	n := o.Ident().Number()
	if n == 0 || s.objects[n].object != o {
		return 0
	}
	s.unpark(n)
	for _, r := range s.host.Demos.recorders {
		r.Removed(n)
	}
	return n
}

// drop frees a number that no scope has.
func (s *snapshots) drop(n uint32) {
	s.objects[n] = snapshotObject{}
	s.Remove(n)
}

// renumber gives an object a new number, and marks the groups of other objects that refer to it.
func (s *snapshots) renumber(o sim.Object) {
	if n := o.Ident().Number(); n != 0 {
		s.EachReferrer(n, func(by uint32, group int) { s.objects[by].object.Ident().Mark(1 << group) })
	}
	s.remove(o)
	s.add(o)
}

// ObjectOf returns the object with this number, or nil.
func (h *Host) ObjectOf(number uint32) sim.Object {
	if int(number) >= len(h.snapshots.objects) {
		return nil
	}
	return h.snapshots.objects[number].object
}

// takeAll takes the snapshots of a tick: of all marked objects in scope of any connection.
func (s *snapshots) takeAll(tick uint64) {
	s.Begin(uint32(tick))
	s.taken = 0
	s.world.TakeMarks(s.onChanged)
	s.world.TakePredicted(s.follow)
}

// prefetch prepares the snapshots of the next marked objects, whenever the last ones are taken.
func (s *snapshots) prefetch() {
	if s.taken%len(s.ahead) == 0 {
		marked := s.world.Marked()[s.taken:]
		numbers := s.ahead[:0]
		for _, o := range marked[:min(len(s.ahead), len(marked))] {
			numbers = append(numbers, o.Ident().Number())
		}
		s.Prefetch(numbers)
	}
	s.taken++
}

// changed handles changed groups of an object.
func (s *snapshots) changed(o sim.Object, groups uint32) {
	s.prefetch()
	i := o.Ident()
	n := i.Number()
	if n == 0 {
		return
	}
	m := &s.objects[n]
	s.host.scope.update(n)
	if m.watchers == 0 {
		m.parked = true
		i.Park(groups)
		s.host.scope.delay(n)
		return
	}
	m.stale |= groups
	if m.stale&s.blockGroup(i.Class()) != 0 {
		s.recheck(n)
	}
	if m.watchers > 0 {
		s.refresh(n)
	}
}

// unpark ends the time in which the world keeps the marks of an object that nobody sees.
func (s *snapshots) unpark(n uint32) {
	if m := &s.objects[n]; m.parked {
		m.parked = false
		m.stale |= m.object.Ident().Unpark()
	}
}

// watched reports whether a connection has an object in scope.
func (s *snapshots) watched(n uint32) bool { return s.objects[n].watchers > 0 }

// drifted handles changes that existing ghosts predict.
func (s *snapshots) drifted(o sim.Object, groups uint32) {
	if n := o.Ident().Number(); n != 0 {
		s.objects[n].drift |= groups
		if s.watched(n) {
			s.host.Demos.demo.Drift(n, o, groups)
			s.host.scope.update(n)
		} else {
			s.host.scope.delay(n)
		}
	}
}

// recheck holds an object with a new datablock back from the peers without that datablock.
func (s *snapshots) recheck(n uint32) {
	for _, c := range s.host.conns {
		c.Ghosting.gate.recheck(n)
	}
}

// watch counts so many connections more with the object in scope. If there are more, it updates
// the snapshot.
func (s *snapshots) watch(n uint32, more int) {
	m := &s.objects[n]
	m.watchers += more
	if more > 0 {
		s.unpark(n)
		m.stale |= m.drift
		s.refresh(n)
	}
}

// refresh takes a snapshot of every group changed since its last one.
func (s *snapshots) refresh(n uint32) {
	m := &s.objects[n]
	for groups := m.stale; groups != 0; groups &= groups - 1 {
		s.takeGroup(n, m.object, bits.TrailingZeros32(groups))
	}
	m.drift &^= m.stale
	m.stale = 0
}

// takeGroup takes the snapshot of one group.
func (s *snapshots) takeGroup(n uint32, o sim.Object, group int) {
	class := o.Ident().Class()
	s.wire.RawBits, s.wire.RawEnds = 0, s.wire.RawEnds[:0]
	if code := class.Coder(group); code != nil {
		s.encode(n, o, group, code)
		return
	}
	class.Quantise(o, group, &s.values)
	if class.PredictedGroups>>group&1 != 0 {
		class.ApplyRounding(o, group, &s.values)
	}
	if class.Refers(group) {
		for i, cell := range class.Cells(group) {
			if cell.Kind == sim.CellRef {
				s.values.Cells[i] = uint64(s.numberOf(sim.ID(s.values.Cells[i])))
			}
		}
	}
	s.wire.Cells, s.wire.Texts, s.wire.Raw = s.values.Cells, s.values.Texts, nil
	s.set(n, o, group)
}

// set stores the snapshot of a group, and records it.
func (s *snapshots) set(n uint32, o sim.Object, group int) {
	changed := s.Set(n, group, &s.wire)
	for _, r := range s.host.Demos.recorders {
		v := &s.wire
		r.Group(n, o, group, changed, recording.Values{Cells: v.Cells, Texts: v.Texts, Raw: v.Raw, Bits: v.RawBits})
	}
}

// encode takes the snapshot of a hand-written group. If the group is too large, the old snapshot
// stays.
func (s *snapshots) encode(n uint32, o sim.Object, group int, code func(*sim.GroupCoder, sim.Object)) {
	s.writer.Reset(s.room[:])
	s.code(code, &s.writer.Codec, s.end, o)
	if s.writer.Err() != nil {
		s.host.cfg.Log.Warn("a group is too large to send", "object", o.Ident().String(), "group", group, "limit", maxCoded)
		return
	}
	s.wire.Cells, s.wire.Texts = nil, nil
	s.wire.Raw, s.wire.RawBits = s.writer.Bytes(), s.writer.Pos()
	s.set(n, o, group)
}

// numberOf returns the number of a referenced object. It returns 0 if the object is gone or not a
// net object.
func (s *snapshots) numberOf(id sim.ID) uint32 {
	if o := s.world.Find(id); o != nil {
		return o.Ident().Number()
	}
	return 0
}
