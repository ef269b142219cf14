package ghost

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// The ghost section of a packet (PROTOCOL.md, Ghosts):
//
//	0 | 1 header  kills: ids  creates: { id class groups }  updates: { id mask relative groups }
//
// The sender chooses ghosts by priority. It walks them in the order of ids, beginning at the hand
// of the connection, and adds each to its list while there is room. The next walk begins at the
// first ghost that did not fit. A list is written in ascending order of ids, because ids are cheap
// in that order.

// itemKind is one of the three lists of a section.
type itemKind uint8

const (
	kindKill itemKind = iota
	kindCreate
	kindUpdate
)

func (k itemKind) String() string { return [...]string{"kill", "create", "update"}[k] }

const (
	gapBitsWidth    = 4     // width of the gap parameter of a list
	maxItems        = 65535 // per list
	maxMisses       = 4     // number of ghosts that do not fit, after which the section counts as full
	noGroup         = -1
	minTryBits      = 8  // bits that must be left for a create or a repetition to be tried
	minItemBits     = 8  // least estimate of the size of an item
	minUsualUpdates = 8  // with fewer updates, the section announces no usual mask
	firstItemBits   = 64 // estimate of the size of an item before the first one was sent
	laterItems      = 16 // one in so many of the ghosts that probably fit is chosen when the room for it is known
)

// Pack writes the ghost section. It takes kills first, then creates, then updates, then the
// remaining creates. If updates wait, the first creates get only half of the room left after the
// kills.
func (g *Stream) Pack(w *bitstream.Writer, o netcore.Outgoing) bool {
	g.attach(o.Conn)
	g.ApplyFates()
	g.tellFull()
	g.packet = g.snapshots.packetOf(o.Worker)
	start := w.Mark()
	from := w.Pos()
	if g.active || g.epoch.owed {
		g.writeHeader(w, o.Seq)
		if w.Err() == nil && w.Left() >= len(g.packet.lists) {
			g.choose(w.Left(), o)
			if g.packet.items() > 0 || g.owesReset() {
				g.packet.write(w)
				g.recordSection(o)
				g.stats.Bits += uint64(w.Pos() - from)
				return true
			}
		}
		w.Rewind(start)
	}
	w.WriteFlag(false)
	return false
}

// writeHeader writes the header before the lists.
func (g *Stream) writeHeader(w *bitstream.Writer, seq netcore.Seq) {
	h, base := &g.packet.header, g.flight.base
	*h = header{reset: g.epoch.owed, epoch: g.epoch.n, tick: g.snapshots.tick, age: g.snapshots.age, usual: g.usual}
	if back := seq - base.seq; base.seq != 0 && back <= 255 && !g.cfg.NoBaselines {
		h.based, h.back = true, uint8(back)
	}
	w.WriteFlag(true)
	h.codeLead(&w.Codec, g.flight.tickAt)
}

// choose chooses the ghosts of the section and encodes them. A chosen ghost counts as sent.
func (g *Stream) choose(room int, o netcore.Outgoing) {
	p := g.packet
	granted := g.minBytes
	g.minBytes = 0
	p.reset(len(g.table.used), room-usualBits(p.header.usual))
	if !g.active {
		return
	}
	p.oldest = p.header.oldestBaseline()
	p.encodings.begin(packetForm{g.snapshots.tick, p.header.usual, p.oldest})
	g.ageGhosts()
	g.refresh()
	g.weigh()
	g.gather()
	waiting, updates := len(p.kills)+p.creates.n+p.updates.n, p.updates.n
	g.takeKills()
	g.takeCreates(g.createRoom(), o.Seq%2 == 0)
	g.takeUpdates(o.Seq)
	g.takeCreates(p.room, true)
	g.takeResends(o.Now)
	if p.items() == 0 && g.minBytes <= granted && waiting > 0 {
		g.idleTick = g.snapshots.tick
	}
	if l := &p.lists[kindUpdate]; len(l.items) > 0 {
		g.measureRound(updates, len(l.items))
	}
	g.usual = p.lists[kindUpdate].usualMask(g.usual)
}

// createRoom returns the limit for the first creates, in bits from the start of the lists. If
// updates wait, it leaves them half of the room that the kills left.
func (g *Stream) createRoom() int {
	p := g.packet
	if p.updates.n == 0 {
		return p.room
	}
	return p.room - (p.room-p.used)/2
}

// takeKills puts kills into the section while they fit.
func (g *Stream) takeKills() {
	p, t := g.packet, &g.table
	for _, id := range p.kills {
		if !p.add(kindKill, item{id: id}, p.room) {
			return
		}
		g.flight.add(int(id), 0, true)
		t.state[id] = Dead
		t.dirty.drop(int(id))
		g.stats.Kills++
	}
}

// takeCreates puts creates into the section while the lists stay within share bits. With wide set,
// the first create can use the whole room, because it may be larger than the share. Only a create
// for which the whole room was too small counts as too large.
func (g *Stream) takeCreates(share int, wide bool) {
	p := g.packet
	c := &p.creates
	for c.n > 0 {
		left := share - p.used
		if left < minTryBits && !wide {
			return
		}
		most := max(left/g.createBits.mean(), 1)
		if c.n > most {
			g.rank()
		}
		next := c.choose(p.keys, most, g.createHand)
		for id := range c.round(g.createHand) {
			switch {
			case g.takeCreate(id, share) || wide && g.takeCreate(id, p.room):
				c.chosen.drop(id)
			case p.items() > 0 || share < p.room && !wide:
				g.createHand = id
				c.putBack()
				return
			default:
				g.tooLarge(id, p.triedBits)
			}
			wide = false
		}
		g.createHand = next
	}
}

// takeCreate puts the complete state of a ghost into the section if it takes at most room bits.
func (g *Stream) takeCreate(id, room int) bool {
	t, p := &g.table, g.packet
	o := &g.snapshots.objects[t.obj[id]]
	mask := o.plan.layout.all() &^ t.withheld(id)
	w := p.begin()
	g.composeCreate(w, o, t.hiddenOf(id))
	it := p.end(id, mask)
	g.createBits.add(int(it.size) + gapBitsWidth)
	if !p.add(kindCreate, it, room) {
		return false
	}
	if t.state[id] == Unsent {
		t.state[id] = Creating
	}
	g.sent(id, mask, (g.pending(id)|t.hiddenOf(id))&^mask) // a repeated create blanks what the peer had
	g.stats.Creates++
	g.counts.of(o.plan.layout.ID).add(kindCreate, int(it.size))
	return true
}

// sent records that a packet carries some groups of a ghost, and which groups it owes afterwards.
func (g *Stream) sent(id int, mask, remaining uint32) {
	t := &g.table
	g.flight.add(id, mask, false)
	t.sent[id] = g.snapshots.tick
	t.fresh.add(id)
	t.resting.add(id)
	t.endResend(id)
	t.owe(id, remaining)
	if remaining&^t.withheld(id) == 0 {
		t.dirty.drop(id)
	}
}

// recordSection records the section that was just written.
func (g *Stream) recordSection(o netcore.Outgoing) {
	e := &g.epoch
	e.sent = e.sent || e.owed
	g.flight.nextResendScan = min(g.flight.nextResendScan, o.Now+g.ackTimeout())
	g.flight.close(packetRecord{seq: o.Seq, at: o.Now, tick: g.snapshots.tick, reset: e.owed, epoch: e.n})
	g.logGhosts()
}
