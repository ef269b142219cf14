package event

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// Events too large for one item travel in pieces, all in channel 1 (PROTOCOL.md, Pieces). A bulk
// event is processed with its last piece. A command too large for a packet is sent ahead in pieces.
// When all pieces are settled, the sender packs a claim in channel 0 in place of the command. So
// other lanes do not wait for the command. A numbered event can become too large when the packet
// size shrinks. If it is the oldest of channel 0, it is sent ahead in the same way.

const (
	pieceBytes = 32     // the largest piece; it fits every packet
	pieceRoom  = 8 * 48 // bits that always hold a piece

	parcelBulk  = 0 // processed with the last piece
	parcelLane  = 1 // the first command of a lane; needs a claim
	parcelStuck = 2 // the oldest number of channel 0; needs a claim
	parcelKinds = 3

	parcelSlack = 4 << 10 // bytes beyond the largest event, for the other parcels
)

// fragment is a piece of an event.
type fragment struct {
	parcel uint32
	last   bool
	data   []byte
	room   [pieceBytes]byte // at the receiver, the buffer of data
	of     Event            // at the sender, in the last piece of a bulk event: the event
}

func (f *fragment) KindID() KindID { return kindFragment }

func (f *fragment) Serialize(s *Codec) {
	s.Uint(&f.parcel, 2)
	s.Flag(&f.last)
	n := uint32(len(f.data) - 1)
	s.Uint(&n, 5)
	if s.Reading() {
		f.data = f.room[:n+1]
	}
	for i := range f.data {
		b := uint64(f.data[i])
		s.Bits(&b, 8)
		f.data[i] = byte(b)
	}
}

func (f *fragment) Process(*netcore.Conn) error { return nil }

// parcel is an event at the sender that is split into pieces.
type parcel struct {
	body []byte
	off  int
	item item  // for parcelBulk: the event
	lane *lane // for parcelLane: the lane of the command
	busy bool  // until claimed; for parcelBulk until the last piece has a number
}

func (p *parcel) left() int { return len(p.body) - p.off }

// parcels are the events that are split into pieces, at most one of each kind.
type parcels struct {
	of      [parcelKinds]parcel
	waiting []*lane // lanes whose first command must go ahead, in order
	turn    int     // the kind of the last piece
}

func (p *parcels) left() (n int) {
	for i := range p.of {
		n += p.of[i].left()
	}
	return n
}

// ready reports whether there is a piece to send.
func (p *parcels) ready() bool { return p.left() > 0 }

func (p *parcels) idle() bool {
	return len(p.waiting) == 0 && !p.of[0].busy && !p.of[1].busy && !p.of[2].busy
}

// next returns the kind of the next piece. The kinds take turns.
func (p *parcels) next() int {
	for i := 1; i <= parcelKinds; i++ {
		if k := (p.turn + i) % parcelKinds; p.of[k].left() > 0 {
			return k
		}
	}
	return -1
}

// fits reports whether a bulk event of that size can be split now. The receiver keeps no more bytes
// in pieces than the largest event has.
func (p *parcels) fits(bytes, largest int) bool {
	ahead := &p.of[parcelLane]
	return !p.of[parcelBulk].busy && (!ahead.busy || len(ahead.body)+bytes <= largest)
}

// fits reports whether the channel's next event can be packed or split.
func (e *Stream) fits(c *sendChannel) bool {
	l := c.fair.next()
	if l == nil {
		return false
	}
	bytes := l.queue.at(0).bytes
	return bytes <= pieceBytes || e.parcels.fits(bytes, e.largestSent())
}

func (e *Stream) largestSent() int {
	if e.cfg.Server || e.cfg.Mutual {
		return serverMaxBytes
	}
	return clientMaxBytes
}

// encode writes a whole event, kind first, into a new buffer.
func (e *Stream) encode(it *item, use tagUse) []byte {
	packet := e.writing.Stream
	e.writing.pieces = true
	defer func() { e.writing.Stream, e.writing.pieces = packet, false }()
	for size := it.bytes + 64; size <= 2*serverMaxBytes; size *= 2 {
		w := bitstream.NewWriter(make([]byte, size))
		e.writing.Stream = &w.Stream
		if e.write(w, it.kind, it, use) {
			return w.Bytes()
		}
	}
	panic("BUG: an event cannot be written that could be when it was posted")
}

// cut takes the first event of a lane of channel 1 and splits it.
func (e *Stream) cut(l *lane) {
	p := &e.parcels.of[parcelBulk]
	move(&p.item, l.queue.at(0))
	p.body = e.encode(&p.item, tagUse{ordered: true, channel: 1})
	p.off, p.busy = 0, true
	e.channel[1].fair.took(l, p.item.bytes)
	e.stats.Sent++
}

// goAhead sends the first command of a lane ahead in pieces. Until the pieces are settled, the lane
// packs nothing else.
func (e *Stream) goAhead(l *lane) {
	l.queue.at(0).held = true
	e.parcels.waiting = append(e.parcels.waiting, l)
	e.nextAhead()
}

// nextAhead starts the next lane that waits for parcelLane, if the parcel is free and the receiver
// has room.
func (e *Stream) nextAhead() {
	p, ps := &e.parcels.of[parcelLane], &e.parcels
	if p.busy || len(ps.waiting) == 0 {
		return
	}
	l := ps.waiting[0]
	if bulk := &ps.of[parcelBulk]; bulk.busy && len(bulk.body)+l.queue.at(0).bytes > e.largestSent() {
		return
	}
	ps.waiting = ps.waiting[:copy(ps.waiting, ps.waiting[1:])]
	*p = parcel{lane: l, busy: true, body: e.encode(l.queue.at(0), tagUse{ordered: true})}
}

// stuck sends event n ahead in pieces if it is the oldest of channel 0 and does not fit an
// otherwise empty packet.
func (e *Stream) stuck(w *bitstream.Writer, r *run, n uint64, start int) {
	p := &e.parcels.of[parcelStuck]
	if r.c.id != 0 || n != r.c.base || p.busy || w.Pos() > start+1 || w.Left() < pieceRoom {
		return
	}
	it := r.c.at(n)
	*p = parcel{busy: true, body: e.encode(it, tagUse{})}
	it.held = true
	r.c.lost--
}

// packPiece packs the next piece under the next number.
func (e *Stream) packPiece(w *bitstream.Writer, r *run) bool {
	kind := e.parcels.next()
	p := &e.parcels.of[kind]
	size := min(pieceBytes, p.left())
	f := e.free.fragment()
	f.parcel, f.last, f.data = uint32(kind), size == p.left(), p.body[p.off:p.off+size]
	it := item{event: f, kind: kindFragment, cost: size + 2}
	if !e.put(w, r, r.c.next, &it) {
		e.free.fragments = append(e.free.fragments, f)
		return false
	}
	p.off += size
	e.parcels.turn = kind
	if !f.last || kind != parcelBulk {
		e.give(r, &it)
		return true
	}
	f.of, it.lane, it.bytes = p.item.event, p.item.lane, p.item.bytes
	e.give(r, &it, p.item.tags...)
	p.item.event, p.item.lane, p.body, p.off, p.busy = nil, nil, nil, 0, false
	e.nextAhead()
	return true
}

// ahead runs when the last piece of a parcel is settled. The claim can now be packed.
func (e *Stream) ahead(kind uint32) {
	c := &e.channel[0]
	switch kind {
	case parcelLane:
		it := e.parcels.of[parcelLane].lane.queue.at(0)
		it.kind, it.part, it.held = kindClaim, 0, false
	case parcelStuck:
		it := c.at(c.base)
		it.kind, it.part, it.held = kindClaim, 1, false
		c.lose(c.base)
	}
}

// claimed runs when a claim is settled. The next command can go ahead.
func (e *Stream) claimed(part uint8) {
	kind := parcelLane
	if part == 1 {
		kind = parcelStuck
	}
	e.parcels.of[kind] = parcel{}
	e.nextAhead()
}

// claim is the event that runs a parcel in its place in channel 0.
type claim struct{ stuck bool }

func (c *claim) KindID() KindID              { return kindClaim }
func (c *claim) Serialize(s *Codec)          { s.Flag(&c.stuck) }
func (c *claim) Process(*netcore.Conn) error { return nil }

// spares keeps the stream's own events for reuse.
type spares struct {
	announces []*announce
	fragments []*fragment
	claims    []*claim
}

func (s *spares) announce(slot uint32, text string) *announce {
	a := take(&s.announces)
	a.slot, a.text = slot, text
	return a
}

func (s *spares) fragment() *fragment {
	f := take(&s.fragments)
	f.data, f.of = nil, nil
	return f
}

func take[T any](from *[]*T) *T {
	n := len(*from)
	if n == 0 {
		return new(T)
	}
	v := (*from)[n-1]
	*from = (*from)[:n-1]
	return v
}
