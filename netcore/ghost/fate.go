package ghost

import (
	"math/bits"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ring"
)

// Records of the contents of packets, and the handling of delivery and loss.

// record holds the ghosts of a packet that carried the same groups, and whose ids are in the same
// word.
type record struct {
	ids  uint64
	mask uint32 // groups; bit 0 means a create
	word uint16 // id >> 6 of all the ghosts
	kill bool
}

// packetRecord is a packet with an active section.
type packetRecord struct {
	at      netcore.Time
	seq     netcore.Seq
	tick    uint32
	records uint16
	reset   bool // the packet announced the epoch
	epoch   uint8
	scanned bool // takeResends needs not look at its records again
}

// flight holds the packets in flight and their records, in two flat queues.
type flight struct {
	packets        ring.Queue[packetRecord]
	records        ring.Queue[record]
	open           int    // newest records, of the packet under construction
	fates          uint64 // packets with a known fate
	base           packetBase
	nextResendScan netcore.Time                    // time of the next search for records to repeat
	tickAt         func(back uint8) (uint32, bool) // baseTick as a function for codeLead, made once
	lost           []lostRecord                    // memory of Stream.lost
	lostIn         []uint16                        // by word: index + 1 of its first record in lost
}

// lostRecord is a record of a packet that was lost, in a chain of those with the same word.
type lostRecord struct {
	record
	next uint16 // index + 1
}

// packetBase is the newest packet with an active section that is known to have arrived. Values that
// the peer has by then can be baselines.
type packetBase struct {
	seq  netcore.Seq // 0: none
	tick uint32
}

const mergedRecords = 8 // the newest records to which addWord adds ghosts

// baseTick returns the tick of the base. A sender refers to no other packet, so how far back it
// lies does not matter.
func (f *flight) baseTick(uint8) (uint32, bool) { return f.base.tick, true }

// add records that the packet under construction carries some groups of a ghost, or its kill.
func (f *flight) add(id int, mask uint32, kill bool) {
	f.addWord(record{ids: 1 << (id & 63), mask: mask, word: uint16(id >> 6), kill: kill})
}

// addWord records several ghosts at once. It adds them to one of the newest records if that is of
// the same word and the same groups, because fewer records make the fate of the packet cheaper.
func (f *flight) addWord(r record) {
	for back := 1; back <= min(f.open, mergedRecords); back++ {
		earlier := f.records.At(f.records.Len() - back)
		if earlier.word != r.word {
			break
		}
		if earlier.mask == r.mask && earlier.kill == r.kill {
			earlier.ids |= r.ids
			return
		}
	}
	f.records.Push(r)
	f.open++
}

// close ends the packet under construction.
func (f *flight) close(p packetRecord) {
	p.records, f.open = uint16(f.open), 0
	f.packets.Push(p)
}

// forget drops the records of all packets in flight, so that their delivery or loss has no effect.
func (f *flight) forget() {
	for i := range f.packets.Len() {
		f.packets.At(i).records = 0
	}
	f.records.Clear()
}

// apply applies the delivery or the loss of a packet.
func (g *Stream) apply(seq netcore.Seq, delivered bool) {
	f := &g.flight
	if f.fates++; ring.TrimAfter(f.fates) {
		g.trim()
	}
	if f.fates%netcore.Window == 0 {
		g.table.age()
	}
	if f.packets.Len() == 0 || f.packets.Front().seq != seq {
		return // the packet had no active section
	}
	p := f.packets.Pop()
	g.idleTick = 0
	if !delivered {
		g.lost(p)
		return
	}
	f.base = packetBase{p.seq, p.tick}
	if p.reset && p.epoch == g.epoch.n {
		g.epoch.owed = false
	}
	g.arrived(p)
}

// trim gives back the memory that was not needed since the last trim: that for a peer who joined,
// or for a time with lost packets.
func (g *Stream) trim() {
	f, t := &g.flight, &g.table
	f.packets.Trim()
	f.records.Trim()
	t.owed.trim()
	t.updated.trim()
	if len(f.lost) == 0 {
		f.lost, f.lostIn = nil, nil
	}
	f.lost = f.lost[:0]
	for i := range t.tracks {
		t.tracks[i].trim()
	}
}

// arrived applies the records of a delivered packet.
func (g *Stream) arrived(p packetRecord) {
	g.table.countTo(g.snapshots.tick)
	resets, tick := g.epoch.resets, g.table.fromOrigin(p.tick)
	for range p.records {
		r := g.flight.records.Pop()
		if r.kill {
			for ids := r.ids; ids != 0; ids &= ids - 1 {
				g.free(int(r.word)<<6 + bits.TrailingZeros64(ids))
			}
			continue
		}
		g.knowAll(&r, p.tick, tick)
		for ids := r.ids; ids != 0 && r.mask&1 != 0; ids &= ids - 1 {
			g.createArrived(int(r.word)<<6+bits.TrailingZeros64(ids), p.seq)
			if g.epoch.resets != resets {
				return // the remaining records are of ghosts that the Reset deleted
			}
		}
	}
}

// knowAll records the arrival of the state in a record. counted is the tick, counted from the
// origin of the table. A create has all smooth groups, withheld ones included.
func (g *Stream) knowAll(r *record, tick, counted uint32) {
	t, w, groups := &g.table, int(r.word), r.mask
	if resent := r.ids & t.resent[w]; resent != 0 {
		t.resendsArrived(w, resent, tick)
	}
	if groups&1 != 0 {
		groups = 1<<maxGroups - 1
	}
	if smooth := t.smooth[w]; smooth != mixedSmooth {
		t.know(w, r.ids, smooth, smooth&groups, counted)
		return
	}
	objects, recent := (*[64]uint32)(t.obj[w<<6:]), g.snapshots.recent
	for left := r.ids; left != 0; {
		smooth, same := recent[objects[bits.TrailingZeros64(left)&63]].smooth, left&-left
		for others := left &^ same; others != 0; others &= others - 1 {
			if i := bits.TrailingZeros64(others) & 63; recent[objects[i]].smooth == smooth {
				same |= 1 << i
			}
		}
		t.know(w, same, smooth, smooth&groups, counted)
		left &^= same
	}
}

// createArrived handles the delivery of the create of a ghost.
func (g *Stream) createArrived(id int, seq netcore.Seq) {
	t := &g.table
	switch {
	case t.state[id] != Creating:
	case t.obj[id] == 0:
		t.state[id] = Dying
		t.dirty.add(id)
	default:
		t.live(id, seq, !g.snapshots.unequalWeights[t.obj[id]])
		g.resendReferences(t.obj[id])
	}
}

// resendReferences sends the references to an object again, because they were sent as none until
// now.
func (g *Stream) resendReferences(obj uint32) {
	for _, r := range g.snapshots.referrers(obj) {
		g.Owe(r.obj, 1<<r.group)
	}
	if g.cfg.Acked != nil {
		g.cfg.Acked(obj)
	}
}

// lost makes each ghost owe the groups that a lost packet carried, except for those that a later
// packet carries too. One sweep over the later records removes those.
func (g *Stream) lost(p packetRecord) {
	f := &g.flight
	f.lost = f.lost[:0]
	f.lostIn = resize(f.lostIn, len(g.table.used))
	clear(f.lostIn)
	for range p.records {
		r := f.records.Pop()
		f.lost = append(f.lost, lostRecord{r, f.lostIn[r.word]})
		f.lostIn[r.word] = uint16(len(f.lost))
	}
	for i := range f.records.Len() {
		if r := f.records.At(i); int(r.word) < len(f.lostIn) {
			for at := f.lostIn[r.word]; at != 0; at = f.lost[at-1].next {
				f.subtract(int(at-1), r)
			}
		}
	}
	for i := range f.lost {
		r := &f.lost[i].record
		for ids := r.ids; ids != 0; ids &= ids - 1 {
			g.oweLost(int(r.word)<<6+bits.TrailingZeros64(ids), r, p.tick)
		}
	}
}

// subtract removes the groups of a later record from a lost one. If only some of its ghosts are in
// both, the others become a record of their own.
func (f *flight) subtract(at int, later *record) {
	r := &f.lost[at]
	both := r.ids & later.ids
	switch {
	case both == 0 || r.mask&later.mask == 0:
	case r.mask&^later.mask == 0:
		r.ids &^= both
	case both == r.ids:
		r.mask &^= later.mask
	default:
		rest := *r
		rest.ids &^= both
		r.ids, r.mask = both, r.mask&^later.mask
		f.lost = append(f.lost, rest)
		f.lost[at].next = uint16(len(f.lost))
	}
}

// oweLost makes a ghost owe the rest of a lost record. A lost kill is sent again. A lost create is
// sent again too, or frees the id if its object has gone. A lost update changes nothing if the
// object has gone, or if the peer is known to have newer state or the original of a repetition.
func (g *Stream) oweLost(id int, r *record, tick uint32) {
	t := &g.table
	switch {
	case r.kill:
		t.state[id] = Dying
	case t.state[id] == Creating && r.mask&1 != 0: // no other copy of the create is in flight
		if t.obj[id] == 0 {
			g.free(id)
			return
		}
		t.resting.drop(id)
		t.state[id] = Unsent
		t.owe(id, g.snapshots.objects[t.obj[id]].plan.layout.all())
	case t.obj[id] == 0 || t.confirmed.has(id) && tick >= t.updatedAt(id):
		return
	default:
		t.owe(id, t.owedBy(id)|r.mask)
	}
	t.dirty.add(id)
	g.stats.Requeued++
}
