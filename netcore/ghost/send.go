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
// Who is in it is chosen first, by priority: what a ghost would carry is written
// to a scratch buffer, and counts with the most that its id can cost. Then the
// lists are put together in the order of ids, which makes ids cheap. Nothing
// that was chosen is cut: in the order of ids that would always hit the same.

// itemKind is which list of a section a ghost is in.
type itemKind uint8

const (
	kindKill itemKind = iota
	kindCreate
	kindUpdate
)

func (k itemKind) String() string { return [...]string{"kill", "create", "update"}[k] }

const (
	gapBitsWidth = 4     // of a list's parameter
	mostBodies   = 65535 // in a section
	misses       = 4     // ghosts that do not fit, after which a section is full
	orderRounds  = 16    // packets between two choices of the order of residuals
	orderSample  = 12    // updates the choice looks at
	noGroup      = -1
	leastCopy    = 8 // bits that must be left for a copy to be tried
	usualFrom    = 8 // updates that pay for telling what most of them carry
)

// body is a ghost that is chosen, and its bits.
type body struct {
	short    shortBits // if there are any,
	at, long int32     // else so many of the scratch buffer
	relative uint32    // groups written as residuals
	mask     uint32    // what it carries
	rest     uint32    // what it then still owes
	id       uint16
	class    uint16
	kind     itemKind
	copy     bool // of what is in flight
}

func (b *body) bits() int { return b.short.n + int(b.long) }

// write appends the ghost to a packet: the gap before its id, as codeGap would,
// and the body.
func (b *body) write(w *bitstream.Writer, gap uint32, k uint8, scratch []byte) {
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

// bodyList is one of the three lists of a section.
type bodyList struct {
	ids  idSet
	n    int
	high int // the highest id
	bits int // of the bodies
	gap  int // parameter of the gaps that most reckons with
	cost int // most, as it is
}

// packet is the section that is being built.
type packet struct {
	header  header
	lists   [3]bodyList
	bodies  []body
	scratch bitstream.Writer
	mark    bitstream.Mark // of scratch, before the next body
	buffer  []byte
	room    int // bits for the lists
	used    int // of them, at most
	tried   int // bits of the newest body that was to fit
	order   uint8
	usual   uint32 // the groups that most updates of the newest section carried
	rounds  int    // until the order is chosen again
	typical int    // bits of an update in the newest section that had one
}

// most returns the most bits that a list can take when a ghost joins it. Its
// gaps cost at most what any parameter makes them cost; one that suits is near
// the one that suited before.
func (l *bodyList) most(id, body int) int {
	n, high := l.n+1, max(l.high, id)
	left := high + 1 - n // ids in between
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
		*l = bodyList{ids: resized(l.ids, words), cost: 1}
		clear(l.ids)
	}
	p.bodies = p.bodies[:0]
	if need := room/8 + netcore.MaxDatagram; len(p.buffer) < need { // so that what does not fit can be measured
		p.buffer = make([]byte, need)
	}
	p.scratch.Reset(p.buffer)
	p.room, p.used = room, len(p.lists)
}

// Pack writes the ghost section: kills, then creates, of which half the room is
// kept if updates wait, then updates, then the creates that are left.
func (g *Stream) Pack(w *bitstream.Writer, o netcore.Outgoing) bool {
	g.attach(o.Conn)
	start := w.Mark()
	from := w.Pos()
	if g.active || g.epoch.owed {
		g.lead(w, o.Seq)
		if w.Err() == nil && w.Left() >= len(g.packet.lists) {
			g.choose(w.Left(), o)
			if len(g.packet.bodies) > 0 || g.owesReset() {
				g.write(w)
				g.remember(o)
				g.stats.Bits += uint64(w.Pos() - from)
				return true
			}
		}
		w.Rewind(start)
	}
	w.WriteFlag(false)
	return false
}

// lead writes what stands before the lists.
func (g *Stream) lead(w *bitstream.Writer, seq netcore.Seq) {
	h, base := &g.packet.header, g.flight.base
	*h = header{reset: g.epoch.owed, epoch: g.epoch.n, tick: g.snapshots.tick, order: g.packet.order, usual: g.packet.usual}
	if back := seq - base.seq; base.seq != 0 && back <= 255 && !g.cfg.Whole {
		h.based, h.back = true, uint8(back)
	}
	w.WriteFlag(true)
	h.lead(&w.Stream, g.flight.tickAt)
}

// choose finds what goes into the section, and writes its bodies.
func (g *Stream) choose(room int, o netcore.Outgoing) {
	seq := o.Seq
	p, s := &g.packet, &g.selection
	granted := g.least
	g.least = 0
	room -= usualBits(p.header.usual)
	p.reset(len(g.table.used), room)
	if !g.active {
		return
	}
	g.refresh()
	g.weigh()
	g.gather()
	for _, id := range s.kills {
		if *p.next() = (body{id: id, kind: kindKill}); !p.take(room) {
			break
		}
	}
	s.creates.sort(room / 8)
	s.updates.sort(2*room/max(p.typical, 8) + 16)
	created := g.takeCreates(s.creates.order, g.share(), seq%2 == 0)
	g.takeUpdates(s.updates.order, seq)
	g.takeCreates(s.creates.order[created:], room, true)
	g.takeAgain(o.Now)
	if len(p.bodies) == 0 && g.least <= granted && len(s.creates.found)+len(s.updates.found)+len(s.kills) > 0 {
		g.idle = g.snapshots.tick
	}
	if l := &p.lists[kindUpdate]; l.n > 0 {
		p.typical = l.bits / l.n
	}
	g.chooseOrder()
	p.chooseUsual()
}

// share returns the room within which creates must stay: half of what the kills
// left, if updates wait.
func (g *Stream) share() int {
	p, s := &g.packet, &g.selection
	if len(s.updates.order) == 0 {
		return p.room
	}
	return p.room - (p.room-p.used)/2
}

// takeCreates puts ghosts that the peer does not have yet into the section, as
// far as they fit into a share of the room, and returns how many. The first may
// have all of the room if wide is set: one that is larger than the share needs it.
func (g *Stream) takeCreates(ids []uint16, share int, wide bool) (n int) {
	p := &g.packet
	for ; n < len(ids) && len(p.bodies) < mostBodies; n++ {
		if g.fits(ids[n], share, noGroup) || n == 0 && wide && g.fits(ids[n], p.room, noGroup) {
			g.selection.creates.hand = ids[n] + 1
		} else if len(p.bodies) > 0 {
			break
		} else {
			g.tooLarge(ids[n], p.tried)
		}
	}
	return n
}

// takeUpdates puts what has changed into the section, as far as it fits. The
// first that does not fit goes group by group.
func (g *Stream) takeUpdates(ids []uint16, seq netcore.Seq) {
	p := &g.packet
	for n, left := 0, misses; n < len(ids) && left > 0 && len(p.bodies) < mostBodies; n++ {
		fits := g.fits(ids[n], p.room, noGroup)
		if tried := p.tried; !fits && !(n == 0 && g.fitsGroup(ids[n], seq)) {
			if left--; len(p.bodies) == 0 {
				g.tooLarge(ids[n], tried)
			}
			continue
		}
		g.selection.updates.hand = ids[n] + 1
	}
}

// fitsGroup puts one group of a ghost into the section, in each packet another.
func (g *Stream) fitsGroup(id uint16, seq netcore.Seq) bool {
	var groups [maxGroups]int
	n := 0
	for m := g.pending(int(id)) &^ g.table.withheld(int(id)); m != 0; m &= m - 1 {
		groups[n] = bits.TrailingZeros32(m)
		n++
	}
	for i := range n {
		if g.fits(id, g.packet.room, groups[(int(seq)+i)%n]) {
			return true
		}
	}
	return false
}

// begin has a body written to the scratch buffer.
func (p *packet) begin(b *body) *bitstream.Writer {
	p.mark = p.scratch.Mark()
	b.at = int32(p.scratch.Pos())
	return &p.scratch
}

// next is the place of the body that may be taken next.
func (p *packet) next() *body {
	n := len(p.bodies)
	if n == cap(p.bodies) {
		p.bodies = append(p.bodies, body{})[:n]
	}
	return &p.bodies[:n+1][n]
}

// take adds the next body to its list, if the section then fits into a room.
func (p *packet) take(room int) bool {
	b := p.next()
	l := &p.lists[b.kind]
	cost := l.most(int(b.id), b.bits())
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
