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

	parcelBulk   = 0 // processed with the last piece
	parcelLane   = 1 // the first command of a lane; needs a claim
	parcelOldest = 2 // the oldest number of channel 0; needs a claim
	parcelKinds  = 3

	parcelSlack = 4 << 10 // bytes beyond the largest event, for the other parcels
)

// fragment is a piece of an event.
type fragment struct {
	parcel uint32
	last   bool
	data   []byte
	room   [pieceBytes]byte // at the receiver, the buffer of data
	event  Event            // at the sender, in the last piece of a bulk event: the event
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
	lane *lane // for parcelLane: the lane of the command
	busy bool  // until claimed; for parcelBulk until the last piece has a number
}

func (p *parcel) left() int { return len(p.body) - p.off }

// parcels are the events that are split into pieces, at most one of each kind.
type parcels struct {
	byKind [parcelKinds]parcel
	bulk   item    // the event of parcelBulk
	lanes  []*lane // lanes whose first command must go ahead, in order
	turn   int     // the kind of the last piece
}

func (p *parcels) left() (n int) {
	for i := range p.byKind {
		n += p.byKind[i].left()
	}
	return n
}

// ready reports whether there is a piece to send.
func (p *parcels) ready() bool { return p.left() > 0 }

func (p *parcels) idle() bool {
	return len(p.lanes) == 0 && !p.byKind[0].busy && !p.byKind[1].busy && !p.byKind[2].busy
}

// next returns the kind of the next piece. The kinds take turns.
func (p *parcels) next() int {
	for i := 1; i <= parcelKinds; i++ {
		if k := (p.turn + i) % parcelKinds; p.byKind[k].left() > 0 {
			return k
		}
	}
	return -1
}

// fits reports whether a bulk event of that size can be split now. The receiver keeps no more bytes
// in pieces than the largest event has.
func (p *parcels) fits(bytes, largest int) bool {
	ahead := &p.byKind[parcelLane]
	return !p.byKind[parcelBulk].busy && (!ahead.busy || len(ahead.body)+bytes <= largest)
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
	packet := e.encoder.Codec
	e.encoder.inPieces = true
	defer func() { e.encoder.Codec, e.encoder.inPieces = packet, false }()
	for size := it.bytes + 64; size <= 2*serverMaxBytes; size *= 2 {
		w := bitstream.NewWriter(make([]byte, size))
		e.encoder.Codec = &w.Codec
		if e.write(w, it.kind, it, use) {
			return w.Bytes()
		}
	}
	panic("BUG: the event exceeds the size measured when it was posted")
}

// split takes the first event of a lane of channel 1 and splits it.
func (e *Stream) split(l *lane) {
	p := &e.parcels.byKind[parcelBulk]
	it := &e.parcels.bulk
	moveItem(it, l.queue.at(0))
	p.body = e.encode(it, tagUse{ordered: true, channel: 1})
	p.off, p.busy = 0, true
	e.channel[1].fair.removeFirst(l, it.bytes)
	e.stats.Sent++
}

// sendAhead sends the first command of a lane ahead in pieces. Until the pieces are settled, the
// lane packs nothing else.
func (e *Stream) sendAhead(l *lane) {
	l.queue.at(0).ahead = true
	e.parcels.lanes = append(e.parcels.lanes, l)
	e.startNextAhead()
}

// startNextAhead starts the next lane that waits for parcelLane, if the parcel is free and the
// receiver has room.
func (e *Stream) startNextAhead() {
	p, ps := &e.parcels.byKind[parcelLane], &e.parcels
	if p.busy || len(ps.lanes) == 0 {
		return
	}
	l := ps.lanes[0]
	if bulk := &ps.byKind[parcelBulk]; bulk.busy && len(bulk.body)+l.queue.at(0).bytes > e.largestSent() {
		return
	}
	ps.lanes = ps.lanes[:copy(ps.lanes, ps.lanes[1:])]
	*p = parcel{lane: l, busy: true, body: e.encode(l.queue.at(0), tagUse{ordered: true})}
}

// sendOldestAhead sends event n ahead in pieces if it is the oldest of channel 0 and does not fit
// an otherwise empty packet.
func (e *Stream) sendOldestAhead(w *bitstream.Writer, r *run, n uint64, start int) {
	p := &e.parcels.byKind[parcelOldest]
	if r.c.id != 0 || n != r.c.base || p.busy || w.Pos() > start+1 || w.Left() < pieceRoom {
		return
	}
	it := r.c.at(n)
	*p = parcel{busy: true, body: e.encode(it, tagUse{})}
	it.ahead = true
	r.c.lost--
}

// packPiece packs the next piece under the next number.
func (e *Stream) packPiece(w *bitstream.Writer, r *run) bool {
	kind := e.parcels.next()
	p := &e.parcels.byKind[kind]
	size := min(pieceBytes, p.left())
	f := e.free.fragment()
	f.parcel, f.last, f.data = uint32(kind), size == p.left(), p.body[p.off:p.off+size]
	it := item{event: f, kind: kindFragment, cost: size + 2, noCopies: kind == parcelBulk && e.parcels.bulk.noCopies}
	if !e.tryPack(w, r, r.c.next, &it) {
		e.free.fragments = append(e.free.fragments, f)
		return false
	}
	p.off += size
	e.parcels.turn = kind
	if !f.last || kind != parcelBulk {
		e.addOwn(r, &it)
		return true
	}
	bulk := &e.parcels.bulk
	f.event, it.lane, it.bytes = bulk.event, bulk.lane, bulk.bytes
	e.addOwn(r, &it, bulk.tags...)
	bulk.event, bulk.lane, p.body, p.off, p.busy = nil, nil, nil, 0, false
	e.startNextAhead()
	return true
}

// queueClaim runs when the last piece of a parcel is settled. The claim can now be packed.
func (e *Stream) queueClaim(kind uint32) {
	c := &e.channel[0]
	switch kind {
	case parcelLane:
		it := e.parcels.byKind[parcelLane].lane.queue.at(0)
		it.kind, it.parcel, it.ahead, it.codeBits = kindClaim, 0, false, 0
	case parcelOldest:
		it := c.at(c.base)
		it.kind, it.parcel, it.ahead, it.codeBits = kindClaim, 1, false, 0
		c.markLost(c.base)
	}
}

// finishParcel runs when a claim is settled. The next command can go ahead.
func (e *Stream) finishParcel(part uint8) {
	kind := parcelLane
	if part == 1 {
		kind = parcelOldest
	}
	e.parcels.byKind[kind] = parcel{}
	e.startNextAhead()
}

// claim is the event that runs a parcel in its place in channel 0.
type claim struct{ oldest bool }

func (c *claim) KindID() KindID              { return kindClaim }
func (c *claim) Serialize(s *Codec)          { s.Flag(&c.oldest) }
func (c *claim) Process(*netcore.Conn) error { return nil }

// freeLists keeps the stream's own events for reuse.
type freeLists struct {
	announces []*announce
	fragments []*fragment
	claims    []*claim
	used      bool // since the last trim
}

// trim drops the events if none of them was needed since the last trim.
func (s *freeLists) trim() {
	if !s.used {
		*s = freeLists{}
	}
	s.used = false
}

func (s *freeLists) announce(slot uint32, text string) *announce {
	s.used = true
	a := takeFree(&s.announces)
	a.slot, a.text = slot, text
	return a
}

func (s *freeLists) fragment() *fragment {
	s.used = true
	f := takeFree(&s.fragments)
	f.data, f.event = nil, nil
	return f
}

func takeFree[T any](from *[]*T) *T {
	n := len(*from)
	if n == 0 {
		return new(T)
	}
	v := (*from)[n-1]
	*from = (*from)[:n-1]
	return v
}
