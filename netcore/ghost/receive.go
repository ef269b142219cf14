package ghost

import (
	"math/bits"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// sectionTick is the tick of a received section.
type sectionTick struct {
	seq  netcore.Seq
	tick uint32
}

// receiver is the receiving half of a ghost stream. It holds the peer's ghosts by id and queues
// their changes.
type receiver struct {
	cfg     *Config
	conn    *netcore.Conn // nil before the first packet
	code    codec
	ghosts  receivedGhosts
	changes changeQueue
	window  valueWindow
	counts  classCounts
	plans   maskPlans

	epoch    uint8
	base     netcore.Seq // the newest base that a packet named
	newest   uint32      // tick of the newest section
	sections [256]sectionTick
	tickOf   func(back uint8) (uint32, bool)

	// State of the packet that is being read.
	in       *bitstream.Reader
	bytes    quickBytes // of in
	quick    bool       // the fast path can read the updates
	quickest uint32     // limit of the age of a baseline on the fast path in ticks
	seq      netcore.Seq
	header   header
	oldest   uint32 // limit of the age of a baseline in ticks
	batch    *changeBatch
	values   Values // of a group

	received, newer, older []uint32 // cells of a group
}

func openReceiver(cfg *Config) *receiver {
	r := &receiver{cfg: cfg}
	r.code.ref, r.code.check = r.ghosts.fromWire, cfg.Check
	r.tickOf = r.sectionTick
	return r
}

// Next takes the next change of the oldest queued packet. It returns nil at the end of each packet
// and when the queue is empty. The Change is valid until the next call.
func (g *Stream) Next() *Change {
	if g.recv == nil {
		return nil
	}
	return g.recv.changes.next()
}

// Blocked reports whether so many changes are queued that the owner must take some first. It
// implements netcore.Stream.
func (g *Stream) Blocked() bool { return g.recv != nil && g.recv.changes.size >= changeBytes }

// FromWire returns the token of the current ghost with an id, given as id + 1. It returns 0 if
// there is none. The low 16 bits of a token are the id. The bits above count the creates of the id:
// 1..65535, then 1 again.
func (g *Stream) FromWire(id uint32) uint32 {
	if g.recv == nil {
		return 0
	}
	return g.recv.ghosts.fromWire(id)
}

// received returns the peer's ghost with an id, nil if there is none.
func (g *Stream) received(id uint32) *receivedGhost {
	if g.recv == nil {
		return nil
	}
	return g.recv.ghosts.find(id)
}

// sectionTick returns the tick of the section that is back packets before the one being read.
func (r *receiver) sectionTick(back uint8) (tick uint32, ok bool) {
	e := r.sections[uint8(r.seq)-back]
	return e.tick, e.seq != 0 && e.seq+netcore.Seq(back) == r.seq
}

// unpack reads a section after its active flag. It reports whether there are changes to take. The
// table already includes them.
func (r *receiver) unpack(s *bitstream.Reader, seq netcore.Seq) (changed bool, err error) {
	r.in, r.seq, r.header = s, seq, header{}
	r.header.codeLead(&s.Codec, r.tickOf)
	r.oldest = r.header.oldest()
	r.checkOrder(&s.Codec)
	r.batch = r.changes.batch(seq, r.header.tick)
	r.toBaselines()
	r.lists(&s.Codec)
	r.batch.measure()
	if len(r.batch.smooth) > 0 {
		r.window.push(r.batch)
	}
	if err := r.failure(s); err != nil {
		return false, err
	}
	r.sections[uint8(seq)] = sectionTick{seq, r.header.tick}
	r.newest = r.header.tick
	if len(r.batch.changes) == 0 {
		r.changes.release(r.batch)
		return false, nil
	}
	r.changes.push(r.batch)
	return true, nil
}

// failure returns an error if the section could not be read or exceeds a limit.
func (r *receiver) failure(s *bitstream.Reader) error {
	switch err := s.Err(); {
	case r.code.marks.bad != nil:
		return r.code.marks.bad
	case err != nil:
		return netcore.ReasonOf(err, netcore.BadPacket, "ghosts")
	case r.kept() > valueBytes:
		return netcore.Reason{Code: netcore.Overflow, Text: "too many bytes of ghost baselines"}
	}
	return nil
}

// checkOrder fails the section if its tick or its base is before that of an earlier section.
func (r *receiver) checkOrder(s *bitstream.Codec) {
	h := &r.header
	base := r.base
	if h.based {
		base = r.seq - netcore.Seq(h.back)
	}
	switch {
	case s.Err() != nil:
	case h.tick < r.newest:
		s.Fail(netcore.Violationf("ghosts of tick %d after tick %d", h.tick, r.newest))
	case base < r.base:
		s.Fail(netcore.Violationf("ghosts with base packet %d after base packet %d", base, r.base))
	default:
		r.base = base
	}
}

func (r *receiver) lists(s *bitstream.Codec) {
	h := &r.header
	if h.reset && h.epoch != r.epoch && s.Err() == nil {
		r.epoch = h.epoch
		r.ghosts.clear()
		r.window.drop(len(r.window.batches), &r.changes)
		r.batch.change(Reset, nil, uint32(r.epoch), nil, 0)
	}
	codeCount(s, &h.kills, &h.killGap)
	r.list(s, h.kills, h.killGap, r.kill)
	codeCount(s, &h.creates, &h.createGap)
	r.list(s, h.creates, h.createGap, r.create)
	codeCount(s, &h.updates, &h.updateGap)
	if h.updates > 0 {
		codeUsual(s, &h.usual)
	}
	r.updates(s)
}

// list reads a list: the id of each ghost, then its body with read.
func (r *receiver) list(s *bitstream.Codec, n uint32, gap uint8, read func(s *bitstream.Codec, id uint32)) {
	prev, id := int32(-1), uint32(0)
	for i := uint32(0); i < n && s.Err() == nil; i++ {
		codeGap(s, &prev, &id, gap)
		if s.Err() != nil {
			return
		}
		r.code.ghost = id
		read(s, id)
	}
}

// updates reads the list of updates.
func (r *receiver) updates(s *bitstream.Codec) {
	r.startQuick()
	next, left := r.quickUpdates(0, r.header.updates)
	for left > 0 && s.Err() == nil {
		prev, id := int32(next)-1, uint32(0)
		codeGap(s, &prev, &id, r.header.updateGap)
		if s.Err() != nil {
			return
		}
		r.code.ghost = id
		r.update(s, id)
		next, left = r.quickUpdates(id+1, left-1)
	}
}

// kill deletes a ghost. A kill has no body.
func (r *receiver) kill(s *bitstream.Codec, id uint32) {
	g := r.ghosts.find(id)
	if g == nil {
		s.Fail(netcore.Violationf("kill of unknown ghost %d", id))
		return
	}
	r.markNamed(s, g, id)
	logGhost(r.conn, "->", kindKill, id, g.layout, 0, 0)
	r.batch.change(Kill, g, g.token(id), g.layout, 0)
	r.ghosts.drop(g)
}

// create reads a complete ghost. It is either a new ghost or a replacement of an existing one: the
// sender repeats a create until it knows that one arrived, and when group 0 changes.
func (r *receiver) create(s *bitstream.Codec, id uint32) {
	from := s.Pos()
	class := uint32(0)
	s.Uint(&class, classBits)
	if s.Err() != nil {
		return
	}
	l := r.cfg.Layout(uint16(class))
	if l == nil {
		s.Fail(netcore.Violationf("create of ghost %d with unknown class %d", id, class))
		return
	}
	g, kind := r.ghosts.place(id), Update
	r.markNamed(s, g, id)
	switch g.layout {
	case l:
	case nil:
		kind = Create
		r.ghosts.create(g, l, r.seq)
	default:
		s.Fail(netcore.Violationf("create of ghost %d as %s, but it is a %s", id, l.Name, g.layout.Name))
		return
	}
	r.batch.change(kind, g, g.token(id), l, l.all())
	for i := range l.Groups {
		r.whole(s, g, i)
	}
	read := s.Pos() - from
	r.counts.of(l.ID).add(kindCreate, read)
	logGhost(r.conn, "->", kindCreate, id, l, l.all(), read)
}

// update reads some groups of a ghost.
func (r *receiver) update(s *bitstream.Codec, id uint32) {
	from := s.Pos()
	g := r.ghosts.find(id)
	if g == nil {
		s.Fail(netcore.Violationf("update of unknown ghost %d", id))
		return
	}
	r.markNamed(s, g, id)
	l, mask, relative := g.layout, uint32(0), false
	l.codeMaskOf(s, &mask, r.header.usual)
	usable := r.usable(g, mask)
	if usable != 0 && !s.Flag(&relative) {
		usable = 0
	}
	r.batch.change(Update, g, g.token(id), l, mask)
	for m := mask; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m); usable>>i&1 != 0 {
			r.relative(s, g, i)
		} else {
			r.whole(s, g, i)
		}
	}
	read := s.Pos() - from
	r.counts.of(l.ID).add(kindUpdate, read)
	logGhost(r.conn, "->", kindUpdate, id, l, mask, read)
}

// markNamed fails the section if the packet names a ghost twice.
func (r *receiver) markNamed(s *bitstream.Codec, g *receivedGhost, id uint32) {
	if g.lastNamed == uint32(r.seq) {
		s.Fail(netcore.Violationf("ghost %d occurs twice in a packet", id))
	}
	g.lastNamed = uint32(r.seq)
}

// usable returns the groups of a mask that have a baseline.
func (r *receiver) usable(g *receivedGhost, mask uint32) (usable uint32) {
	if !r.header.near || !g.known {
		return 0
	}
	for m := mask & g.layout.smooth; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		if r.header.tick-g.trackOf(i).tick <= r.oldest {
			usable |= 1 << i
		}
	}
	return usable
}

// ages returns the number of ticks since the newer value of a baseline, and from the older to the
// newer one. span is 0 if there is no older one or if it is too old.
func (r *receiver) ages(t track) (since, span uint32) {
	since = r.header.tick - t.tick
	if since+t.span > r.oldest {
		return since, 0
	}
	return since, t.span
}

// whole reads a whole group.
func (r *receiver) whole(s *bitstream.Codec, g *receivedGhost, i int) {
	if s.Err() != nil {
		return
	}
	r.values.reset()
	r.code.whole(s, g.layout, i, &r.values)
	if !g.layout.isSmooth(i) {
		r.batch.add(&r.values)
		return
	}
	values, widths := r.batch.addSmooth(len(r.values.Cells)), g.layout.places[i].widths
	for j, x := range r.values.Cells {
		values[j][0] = uint32(x) << (32 - widths[j])
	}
	r.receive(g, i, values)
}

// relative reads a group as residuals against its baseline.
func (r *receiver) relative(s *bitstream.Codec, g *receivedGhost, i int) {
	if s.Err() != nil {
		return
	}
	p := &g.layout.places[i]
	n := len(p.widths)
	since, span := r.ages(*g.trackOf(i))
	r.received = resize(r.received, n)
	r.newer, r.older = r.newer[:0], r.older[:0]
	for j, width := range p.widths {
		c, far := &g.cells[int(p.cell)+j], 32-width
		r.newer = append(r.newer, c.known[0]>>far)
		r.older = append(r.older, (c.known[0]-c.known[1])>>far)
	}
	r.code.residuals(s, g.layout, i, r.received, r.newer, r.older, since, span)
	values := r.batch.addSmooth(n)
	for j, x := range r.received {
		values[j][0] = x << (32 - p.widths[j])
	}
	r.receive(g, i, values)
}

// receive stores the values of a smooth group that were just added to the change. It marks the
// group as a repetition if they equal the last ones. The sender repeats values when it does not
// know that they arrived.
func (r *receiver) receive(g *receivedGhost, i int, values []receivedValue) {
	b := r.batch
	if g.receive(&g.layout.places[i], values) && b.changes[len(b.changes)-1].Kind != Create {
		b.markRepeated(i)
	}
}
