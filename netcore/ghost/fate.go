package ghost

import (
	"math/bits"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ring"
)

// Records of the contents of packets, and the handling of delivery and loss.

// record holds the groups of a ghost that a packet carried.
type record struct {
	mask uint32 // groups; bit 0 means a create
	id   uint16
	kill bool
}

// packetRecord is a packet with an active section.
type packetRecord struct {
	seq     netcore.Seq
	at      netcore.Time
	tick    uint32
	records int
	reset   bool // the packet announced the epoch
	epoch   uint8
}

// flight holds the packets in flight and their records, in two flat queues.
type flight struct {
	packets      ring.Queue[packetRecord]
	records      ring.Queue[record]
	base         packetBase
	nextCopyScan netcore.Time                    // time of the next search for records to repeat
	tickAt       func(back uint8) (uint32, bool) // baseTick, bound to this flight
}

// packetBase is the newest packet with an active section that is known to have arrived. Values that
// the peer has by then can be baselines.
type packetBase struct {
	seq  netcore.Seq // 0: none
	tick uint32
}

func (f *flight) baseTick(uint8) (uint32, bool) { return f.base.tick, true }

func (f *flight) record(i int) *record {
	return f.records.At(i)
}

// forget drops the records of all packets in flight, so that their delivery or loss has no effect.
func (f *flight) forget() {
	for i := range f.packets.Len() {
		f.packets.At(i).records = 0
	}
	f.records.Clear()
}

// Notify handles the delivery or the loss of a packet.
func (g *Stream) Notify(seq netcore.Seq, delivered bool) {
	f := &g.flight
	if f.packets.Len() == 0 || f.packets.Front().seq != seq {
		return // the packet had no active section
	}
	p := f.packets.Pop()
	g.idleTick = 0
	g.snapshots.depth.want(g.round)
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

// arrived applies the records of a delivered packet.
func (g *Stream) arrived(p packetRecord) {
	t, resets := &g.table, g.epoch.resets
	for range p.records {
		r := g.flight.records.Pop()
		id := int(r.id)
		if r.kill {
			g.free(id)
			continue
		}
		g.recordKnown(id, r.mask, p.tick)
		if p.tick >= t.updated[id] {
			t.confirmed.add(id)
		}
		if r.mask&1 == 0 || t.state[id] != Creating {
			continue
		}
		if t.obj[id] == 0 {
			t.state[id] = Dying
			t.dirty.add(id)
			continue
		}
		t.live(id, p.seq)
		if g.resendReferences(t.obj[id]); g.epoch.resets != resets {
			return // the remaining records are of ghosts that the Reset deleted
		}
	}
}

// resendReferences sends the references to an object again, because they were sent as none until now.
func (g *Stream) resendReferences(obj uint32) {
	for _, r := range g.snapshots.referrers(obj) {
		g.Owe(r.obj, 1<<r.group)
	}
	if g.cfg.Acked != nil {
		g.cfg.Acked(obj)
	}
}

// recordKnown records that the peer has the smooth groups of a mask as of a tick. A create carries every
// group.
func (g *Stream) recordKnown(id int, mask, tick uint32) {
	t := &g.table
	if t.obj[id] == 0 || g.cfg.NoBaselines {
		return
	}
	l := g.snapshots.objects[t.obj[id]].plan.layout
	m := l.smooth
	if mask&1 == 0 {
		m &= mask
	}
	lines := t.knownTicksOf(id)
	for ; m != 0; m &= m - 1 {
		k := &lines[l.track[bits.TrailingZeros32(m)]]
		k.older, k.newer = k.newer, tick
	}
}

// lost makes each ghost owe the groups that a lost packet carried, except for those that a later
// packet carries too. One sweep over the later records removes those.
func (g *Stream) lost(p packetRecord) {
	f, slot := &g.flight, g.table.slot
	for i := range p.records {
		slot[f.record(i).id] = uint16(i + 1)
	}
	for i := p.records; i < f.records.Len(); i++ {
		if r := f.record(i); slot[r.id] != 0 {
			f.record(int(slot[r.id] - 1)).mask &^= r.mask
		}
	}
	for range p.records {
		r := f.records.Pop()
		slot[r.id] = 0
		g.oweLost(r, p.tick)
	}
}

// oweLost makes a ghost owe the rest of a lost record. It does nothing if the record was a copy
// and the peer is known to have newer state or the original.
func (g *Stream) oweLost(r record, tick uint32) {
	t, id := &g.table, int(r.id)
	switch {
	case r.kill:
		t.state[id] = Dying
	case t.state[id] == Creating && r.mask&1 != 0: // no other copy of the create is in flight
		if t.obj[id] == 0 {
			g.free(id)
			return
		}
		t.state[id] = Unsent
		t.owed[id] = g.snapshots.objects[t.obj[id]].plan.layout.all()
	case t.obj[id] == 0 || r.mask == 0 || t.confirmed.has(id) && tick >= t.updated[id]:
		return
	default:
		t.owed[id] |= r.mask
	}
	t.dirty.add(id)
	g.stats.Requeued++
}
