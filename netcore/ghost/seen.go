package ghost

import "math/bits"

// Seen is what the acks of the peer tell of one ghost.
type Seen struct {
	ID      int
	Object  uint32 // its number; 0: the object has left the scope
	Status  Status
	Weight  uint8  // base priority, rounded down to an eighth of an octave
	Pending uint32 // groups that the peer lacks and that no packet in flight carries
	Held    uint32 // groups that Withhold or Hide keeps back
	Sent    uint32 // tick of the newest update in a packet; of an Unsent ghost, of its first wait
	Known   uint32 // tick of the newest state that is known to have arrived; 0: none
}

// EachSeen calls do for every id in use, in ascending order.
func (g *Stream) EachSeen(do func(Seen)) {
	t, inFlight := &g.table, g.flight.ids(len(g.table.used))
	for w := range t.used {
		for ids := t.used[w]; ids != 0; ids &= ids - 1 {
			id := w<<6 + bits.TrailingZeros64(ids)
			s := Seen{ID: id, Object: t.obj[id], Status: t.state[id], Weight: t.weightOf(id), Sent: t.sent[id]}
			if s.Object != 0 {
				s.Held, s.Pending = t.withheld(id), g.pending(id)
			}
			if s.Known = g.newestKnown(id); s.Status == Live && s.Pending == 0 && !inFlight.has(id) {
				s.Known = s.Sent
			}
			do(s)
		}
	}
}

// ids returns the ghosts of the records in flight. words is the number of ids, divided by 64.
func (f *flight) ids(words int) idSet {
	ids := make(idSet, words)
	for i := range f.records.Len() {
		r := f.records.At(i)
		ids[r.word] |= r.ids
	}
	return ids
}

// newestKnown returns the tick of the newest known value of a ghost, 0 if there is none.
func (g *Stream) newestKnown(id int) (tick uint32) {
	smooth := g.smoothOf(id)
	tick = g.table.knownAt(id).newer
	for m := smooth; m != 0; m &= m - 1 {
		tick = max(tick, g.table.knownOf(id, smooth, bits.TrailingZeros32(m)).newer)
	}
	return tick
}

// Waiting returns how many ghosts may have something to send, as of the newest packet. It costs a
// few instructions, where Pending examines every ghost.
func (g *Stream) Waiting() (n int) {
	for _, ids := range g.table.dirty {
		n += bits.OnesCount64(ids)
	}
	return n
}

// SeenCells appends the newest values of a smooth group that the peer is known to have, and returns
// their tick. ok is false if the peer has none, or if they are so old that Snapshots has forgotten
// them.
func (g *Stream) SeenCells(s *Seen, group int, cells []uint32) (all []uint32, tick uint32, ok bool) {
	smooth := g.smoothOf(s.ID)
	if smooth>>group&1 == 0 {
		return cells, 0, false
	}
	tick = g.table.knownOf(s.ID, smooth, group).newer
	h := &g.snapshots.histories[s.Object]
	if tick == 0 || tick < min(h.since, g.snapshots.depth.since) {
		return cells, tick, false
	}
	p := &g.snapshots.objects[s.Object].plan.groups[group]
	return append(cells, h.at(tick)[p.first:][:len(p.cells)]...), tick, true
}

// ChangedAt returns the tick of the newest change of a group of an object; 0 if it has not changed.
func (s *Snapshots) ChangedAt(obj uint32, group int) uint32 { return s.object(obj).changed[group] }
