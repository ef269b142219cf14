package ghost

import (
	"math/bits"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// The ghost section of a packet (PROTOCOL.md, Ghosts):
//
//	0 | 1 header  kills: ids  creates: { id class groups }  updates: { id mask relative groups }
//
// The sender first chooses ghosts by priority. It encodes the body of each ghost into a scratch
// buffer. It adds the highest possible cost of the id to the size of the body. Then it writes the
// lists in ascending order of ids, because ids are cheap in that order. A chosen ghost is never cut
// afterwards. Cutting in id order would always hit the same ghosts.

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
	maxBodies       = 65535 // per section
	maxMisses       = 4     // number of ghosts that do not fit, after which the section counts as full
	noGroup         = -1
	minCopyBits     = 8 // bits that must be left for a copy to be tried
	minUsualUpdates = 8 // with fewer updates, the section announces no usual mask
)

// encodedGhost is a chosen ghost and its encoded bits.
type encodedGhost struct {
	short     shortBits // the bits, if they fit
	at, long  int32     // else start and length of the bits in the scratch buffer
	relative  uint32    // groups written as residuals
	mask      uint32    // groups that it carries
	remaining uint32    // groups that are owed afterwards
	id        uint16
	class     uint16
	kind      itemKind
	copy      bool // a repetition of a record in flight
}

func (b *encodedGhost) bits() int { return b.short.n + int(b.long) }

// write appends the ghost to a packet: first the gap before its id in the encoding of codeGap, then
// the body.
func (b *encodedGhost) write(w *bitstream.Writer, gap uint32, k uint8, scratch []byte) {
	ones := gap >> k
	n := int(ones) + 1 + int(k)
	if ones > 31 || n+b.short.n > 64 {
		w.Rice(&gap, int(k))
		b.short.write(w)
	} else {
		code := uint64(gap&(1<<k-1))<<(ones+1) | 1<<ones - 1
		w.WriteBits(code|b.short.low<<n, n+b.short.n)
	}
	if b.long > 0 {
		w.Splice(scratch, int(b.at), int(b.long))
	}
}

// encodedList is one of the three lists of a section.
type encodedList struct {
	ids  idSet
	n    int
	high int // the highest id
	bits int // total bits of the bodies
	gap  int // gap parameter that the estimate of most uses
	cost int // upper bound of the list's size in bits
}

// packet is the section under construction.
type packet struct {
	header         header
	lists          [3]encodedList
	bodies         []encodedGhost
	scratch        bitstream.Writer
	mark           bitstream.Mark // position in scratch before the next body
	buffer         []byte
	room           int    // bits available for the lists
	used           int    // upper bound of the bits of room in use
	triedBits      int    // size of the last body that fits tried, in bits
	usual          uint32 // most common mask of the updates of the newest section
	meanUpdateBits int    // mean size of an update, in bits, in the newest section with updates
}

// maxCost returns an upper bound of the bits of a list after one more ghost joins it. The real gap
// parameter is the cheapest one, so the cost with any parameter is an upper bound. The search for a
// good parameter starts at the previous one.
func (l *encodedList) maxCost(id, body int) int {
	n, high := l.n+1, max(l.high, id)
	left := high + 1 - n // number of unused ids in between
	for l.gap > 0 && n<<l.gap > left {
		l.gap--
	}
	for n<<(l.gap+1) <= left {
		l.gap++
	}
	return 2*bits.Len(uint(n+1)) - 1 + gapBitsWidth + n*(1+l.gap) + left>>l.gap + l.bits + body
}

// reset empties the section.
func (p *packet) reset(words, room int) {
	for i := range p.lists {
		l := &p.lists[i]
		*l = encodedList{ids: resize(l.ids, words), cost: 1}
		clear(l.ids)
	}
	p.bodies = p.bodies[:0]
	// Larger than room, so that a body that does not fit can still be measured.
	if need := room/8 + netcore.MaxDatagram; len(p.buffer) < need {
		p.buffer = make([]byte, need)
	}
	p.scratch.Reset(p.buffer)
	p.room, p.used = room, len(p.lists)
}

// Pack writes the ghost section. It takes kills first, then creates, then updates, then the
// remaining creates. If updates wait, the first creates get only half of the room left after the
// kills.
func (g *Stream) Pack(w *bitstream.Writer, o netcore.Outgoing) bool {
	g.attach(o.Conn)
	g.encodings = g.snapshots.table(o.Worker)
	start := w.Mark()
	from := w.Pos()
	if g.active || g.epoch.owed {
		g.writeHeader(w, o.Seq)
		if w.Err() == nil && w.Left() >= len(g.packet.lists) {
			g.choose(w.Left(), o)
			if len(g.packet.bodies) > 0 || g.owesReset() {
				g.write(w)
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
	*h = header{reset: g.epoch.owed, epoch: g.epoch.n, tick: g.snapshots.tick, age: g.snapshots.age, usual: g.packet.usual}
	if back := seq - base.seq; base.seq != 0 && back <= 255 && !g.cfg.NoBaselines {
		h.based, h.back = true, uint8(back)
	}
	w.WriteFlag(true)
	h.codeLead(&w.Codec, g.flight.tickAt)
}

// choose chooses the ghosts of the section and encodes their bodies.
func (g *Stream) choose(room int, o netcore.Outgoing) {
	seq := o.Seq
	p, s := &g.packet, &g.selection
	granted := g.minBytes
	g.minBytes = 0
	room -= usualBits(p.header.usual)
	p.reset(len(g.table.used), room)
	if !g.active {
		return
	}
	g.refresh()
	g.weigh()
	g.gather()
	for _, id := range s.kills {
		if *p.next() = (encodedGhost{id: id, kind: kindKill}); !p.take(room) {
			break
		}
	}
	s.creates.sort(room / 8)
	s.updates.sort(2*room/max(p.meanUpdateBits, 8) + 16)
	created := g.takeCreates(s.creates.order, g.createRoom(), seq%2 == 0)
	g.takeUpdates(s.updates.order, seq)
	g.takeCreates(s.creates.order[created:], room, true)
	g.takeCopies(o.Now)
	if len(p.bodies) == 0 && g.minBytes <= granted && len(s.creates.found)+len(s.updates.found)+len(s.kills) > 0 {
		g.idleTick = g.snapshots.tick
	}
	if l := &p.lists[kindUpdate]; l.n > 0 {
		p.meanUpdateBits = l.bits / l.n
		g.measureRound(len(s.updates.found), l.n)
	}
	p.chooseUsual()
}

// createRoom returns the limit for the first creates, in bits from the start of the lists. If updates
// wait, it leaves them half of the room that the kills left.
func (g *Stream) createRoom() int {
	p, s := &g.packet, &g.selection
	if len(s.updates.order) == 0 {
		return p.room
	}
	return p.room - (p.room-p.used)/2
}

// takeCreates puts creates into the section while the lists stay within share bits. It returns how
// many it put. With wide set, the first create can use the whole room, because it may be larger
// than the share.
func (g *Stream) takeCreates(ids []uint16, share int, wide bool) (n int) {
	p := &g.packet
	for ; n < len(ids) && len(p.bodies) < maxBodies; n++ {
		if g.tryAdd(ids[n], share, noGroup) || n == 0 && wide && g.tryAdd(ids[n], p.room, noGroup) {
			g.selection.creates.rotation = ids[n] + 1
		} else if len(p.bodies) > 0 {
			break
		} else {
			g.tooLarge(ids[n], p.triedBits)
		}
	}
	return n
}

// takeUpdates puts updates into the section while they fit. If the first one does not fit, it sends
// one group of that ghost.
func (g *Stream) takeUpdates(ids []uint16, seq netcore.Seq) {
	p := &g.packet
	for n, left := 0, maxMisses; n < len(ids) && left > 0 && len(p.bodies) < maxBodies; n++ {
		fits := g.tryAdd(ids[n], p.room, noGroup)
		if tried := p.triedBits; !fits && !(n == 0 && g.tryAddGroup(ids[n], seq)) {
			if left--; len(p.bodies) == 0 {
				g.tooLarge(ids[n], tried)
			}
			continue
		}
		g.selection.updates.rotation = ids[n] + 1
	}
}

// tryAddGroup puts one group of a ghost into the section. Each packet starts with another group.
func (g *Stream) tryAddGroup(id uint16, seq netcore.Seq) bool {
	var groups [maxGroups]int
	n := 0
	for m := g.pending(int(id)) &^ g.table.withheld(int(id)); m != 0; m &= m - 1 {
		groups[n] = bits.TrailingZeros32(m)
		n++
	}
	for i := range n {
		if g.tryAdd(id, g.packet.room, groups[(int(seq)+i)%n]) {
			return true
		}
	}
	return false
}

// begin starts a body in the scratch buffer.
func (p *packet) begin(b *encodedGhost) *bitstream.Writer {
	p.mark = p.scratch.Mark()
	b.at = int32(p.scratch.Pos())
	return &p.scratch
}

// next returns the place of the next body.
func (p *packet) next() *encodedGhost {
	n := len(p.bodies)
	if n == cap(p.bodies) {
		p.bodies = append(p.bodies, encodedGhost{})[:n]
	}
	return &p.bodies[:n+1][n]
}

// take adds the next body to its list if all lists then take at most room bits.
func (p *packet) take(room int) bool {
	b := p.next()
	l := &p.lists[b.kind]
	cost := l.maxCost(int(b.id), b.bits())
	if p.used-l.cost+cost > room {
		return false
	}
	l.ids.add(int(b.id))
	l.n++
	l.high = max(l.high, int(b.id))
	l.bits += b.bits()
	p.used += cost - l.cost
	l.cost = cost
	p.bodies = p.bodies[:len(p.bodies)+1]
	return true
}
