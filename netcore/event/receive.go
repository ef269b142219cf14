package event

import (
	"fmt"
	"slices"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// earlyEvent is an ordered event that arrived early.
type earlyEvent struct {
	event Event
	kind  KindID
	bytes int32
	refs  []*TagRef
}

// receiveChannel is the receiver's side of an ordered channel. It holds the early events, sorted by
// number. Its memory grows with the events received; a large number from the wire costs nothing.
type receiveChannel struct {
	next  uint64                  // the number to process next
	order []uint64                // sorted: number << orderBits | index in items
	first int                     // entries of order before first are done
	items []*[itemPage]earlyEvent // in pages, so that items never move
	used  int                     // items ever used
	free  []uint16                // used items that are free again
	early bool                    // an event was early since the last trim
}

const (
	orderBits = 12 // indexes of orderWindow items
	itemPage  = 32
)

func (c *receiveChannel) at(place uint16) *earlyEvent {
	return &c.items[place/itemPage][place%itemPage]
}

// expand returns the number nearest to next with these low bits. It returns false for a number
// below 0.
func (c *receiveChannel) expand(low uint64, bits int) (uint64, bool) {
	shift := 64 - bits
	ahead := int64((low-c.next)<<shift) >> shift
	n := int64(c.next) + ahead
	return uint64(n), n >= 0
}

// find returns the position of number n in order, or the position at which to insert it.
func (c *receiveChannel) find(n uint64) (int, bool) {
	i, _ := slices.BinarySearch(c.order[c.first:], n<<orderBits)
	i += c.first
	return i, i < len(c.order) && c.order[i]>>orderBits == n
}

// insert returns an item for number n and inserts n in order at i.
func (c *receiveChannel) insert(i int, n uint64) *earlyEvent {
	c.early = true
	if c.first > 0 && len(c.order) == cap(c.order) {
		c.order = append(c.order[:0], c.order[c.first:]...)
		i -= c.first
		c.first = 0
	}
	place := uint16(c.used)
	if last := len(c.free) - 1; last >= 0 {
		place = c.free[last]
		c.free = c.free[:last]
	} else {
		if c.used == len(c.items)*itemPage {
			c.items = append(c.items, new([itemPage]earlyEvent))
		}
		c.used++
	}
	c.order = slices.Insert(c.order, i, n<<orderBits|uint64(place))
	return c.at(place)
}

// trim frees the memory of early events if there was none since the last trim.
func (c *receiveChannel) trim() {
	if !c.early && len(c.order) == 0 {
		*c = receiveChannel{next: c.next}
	}
	c.early = false
}

// due returns the item of the next number, if it has arrived.
func (c *receiveChannel) due() (uint16, bool) {
	if c.first == len(c.order) || c.order[c.first]>>orderBits != c.next {
		return 0, false
	}
	place := uint16(c.order[c.first] & (1<<orderBits - 1))
	c.first++
	if c.first == len(c.order) {
		c.order, c.first = c.order[:0], 0
	}
	return place, true
}

// Unpack reads an event section. Unordered events are processed immediately, ordered ones in their
// order.
func (e *Stream) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	e.setTime(p.Now, p.Conn)
	for r.ReadFlag() {
		kind, ev, err := e.read(r)
		if err != nil {
			return err
		}
		if kind < ownKinds {
			return netcore.Violationf("unordered %s event: it must be ordered", e.cfg.Kinds.Name(kind))
		}
		if err := e.process(kind, ev, e.decoder.refs, 0); err != nil || e.ended {
			return err
		}
	}
	for i := range e.incoming {
		if err := e.unpackRun(r, &e.incoming[i], uint8(i)); err != nil || e.ended {
			return err
		}
	}
	return readError(r)
}

// readError returns the error of a section that is too short or malformed, or nil.
func readError(r *bitstream.Reader) error {
	if err := r.Err(); err != nil {
		return netcore.Reason{Code: netcore.BadPacket, Text: "events: " + err.Error()}
	}
	return nil
}

var errBelowFirst = netcore.Violationf("event number below the first")

// unpackRun reads one channel's part of the section.
func (e *Stream) unpackRun(r *bitstream.Reader, c *receiveChannel, id uint8) error {
	if !r.ReadFlag() {
		return nil
	}
	form := r.ReadBits(2)
	if form != farRun {
		bits := aheadWidths[form]
		ahead := (r.ReadBits(bits) - c.next) & (1<<bits - 1)
		return e.unpackEvents(r, c, id, c.next+ahead, 0)
	}
	width, gaps := r.ReadBits(2), 0
	if width == gapRun {
		width, gaps = r.ReadBits(2), 1
	}
	if width >= uint64(len(numberWidths)) {
		return netcore.Reason{Code: netcore.BadPacket, Text: "events: invalid width of an event number"}
	}
	bits := numberWidths[width]
	n, ok := c.expand(r.ReadBits(bits), bits)
	if !ok {
		return errBelowFirst
	}
	return e.unpackEvents(r, c, id, n, gaps*bits)
}

// unpackEvents reads the events of a run from number n on. Numbers after gaps have gapBits bits; 0
// allows no gaps.
func (e *Stream) unpackEvents(r *bitstream.Reader, c *receiveChannel, id uint8, n uint64, gapBits int) error {
	for {
		if r.Err() != nil {
			return readError(r)
		}
		var err error
		if n == c.next {
			err = e.readNext(r, c, id)
		} else {
			err = e.readFar(r, c, n)
		}
		if err != nil || e.ended {
			return err
		}
		switch {
		case r.ReadFlag():
			n++
		case gapBits == 0 || !r.ReadFlag():
			return nil
		default:
			ok := false
			if n, ok = c.expand(r.ReadBits(gapBits), gapBits); !ok {
				return errBelowFirst
			}
		}
	}
}

// readNext reads the next event of a channel, and processes it and the kept ones that follow.
func (e *Stream) readNext(r *bitstream.Reader, c *receiveChannel, id uint8) error {
	kind, ev, err := e.read(r)
	if err != nil {
		return err
	}
	c.next++
	if err := e.process(kind, ev, e.decoder.refs, id); err != nil || len(c.order) == 0 {
		return err
	}
	return e.drain(c, id)
}

// readFar reads event n of a channel, which is not the next one. If it is early, it is kept. If it
// was here before, it is a copy and is dropped.
func (e *Stream) readFar(r *bitstream.Reader, c *receiveChannel, n uint64) error {
	if n >= c.next+orderWindow {
		return netcore.Violationf("event %d: the window ends before %d", n, c.next+orderWindow)
	}
	from := r.Pos()
	kind, ev, err := e.read(r)
	if err != nil {
		return err
	}
	i, here := 0, n < c.next
	if !here {
		i, here = c.find(n)
	}
	if here {
		e.stats.Duplicates++
		e.recycle(kind, ev)
		return nil
	}
	bytes := (r.Pos() - from + 7) / 8
	if e.earlyBytes+bytes > maxEarlyBytes || !e.cfg.Budget.reserve(bytes) {
		return netcore.Reason{Code: netcore.Overflow, Text: "too many bytes of events wait for a missing event"}
	}
	e.earlyBytes += bytes
	it := c.insert(i, n)
	it.event, it.kind, it.bytes = ev, kind, int32(bytes)
	it.refs = append(it.refs[:0], e.decoder.refs...)
	return nil
}

// drain processes the kept events that follow the event just processed.
func (e *Stream) drain(c *receiveChannel, id uint8) error {
	for !e.ended {
		place, ok := c.due()
		if !ok {
			return nil
		}
		c.next++
		it := *c.at(place)
		c.at(place).event = nil
		e.earlyBytes -= int(it.bytes)
		e.cfg.Budget.release(int(it.bytes))
		err := e.process(it.kind, it.event, it.refs, id)
		clear(it.refs)
		if e.ended {
			return err
		}
		c.free = append(c.free, place)
		if err != nil {
			return err
		}
	}
	return nil
}

// read reads one event. It checks the direction first and creates no event that the peer must not
// send.
func (e *Stream) read(r *bitstream.Reader) (KindID, Event, error) {
	start := r.Pos()
	number := r.ReadBits(e.wire.width)
	if number >= uint64(len(e.wire.in)) {
		return 0, nil, netcore.Reason{Code: netcore.BadPacket, Text: fmt.Sprintf("events: kind %d: must be below %d", number, len(e.wire.in))}
	}
	id := e.wire.in[number]
	if id == noKind {
		return 0, nil, netcore.Violationf("events: kind %d, which this side lacks", number)
	}
	kind := &e.cfg.Kinds.kinds[id]
	if !e.directionAllowed(kind.Dir) {
		return 0, nil, netcore.Violationf("event %s in the wrong direction", kind.Name)
	}
	if r.Err() != nil {
		return 0, nil, readError(r)
	}
	var ev Event
	if id >= ownKinds {
		ev = kind.New()
	} else {
		ev = e.newOwn(id)
	}
	s := &e.decoder
	s.Codec, s.refs = &r.Codec, s.refs[:0]
	var size uint64
	if e.cfg.Check {
		size = r.ReadBits(checkBits)
	}
	from := r.Pos()
	ev.Serialize(s)
	if e.cfg.Check {
		if err := e.check(r, id, from, int(size)); err != nil {
			e.recycle(id, ev)
			return 0, nil, err
		}
	}
	if err := r.Err(); err != nil {
		e.recycle(id, ev)
		return 0, nil, netcore.Reason{Code: netcore.BadPacket, Text: fmt.Sprintf("event %s: %v", kind.Name, err)}
	}
	if e.conn.Logs(netcore.LogItems) {
		e.logItem("->", id, r.Pos()-start)
	}
	return id, ev, nil
}

// check compares the event's end at the sender with its end here.
func (e *Stream) check(r *bitstream.Reader, id KindID, from, size int) error {
	to := r.Pos()
	mark := r.ReadBits(markBits)
	if (to-from)&(1<<checkBits-1) == size && mark == markSalt^uint64(e.wire.out[id]) {
		return nil
	}
	return netcore.Reason{Code: netcore.BadPacket, Text: fmt.Sprintf("event %s at bit %d: its sender wrote %d bits, to bit %d; %d were read, to bit %d",
		e.cfg.Kinds.Name(id), from, size, from+size, to-from, to)}
}

// directionAllowed reports whether the peer can send events of that direction.
func (e *Stream) directionAllowed(d Direction) bool {
	return d == ToEither || e.cfg.Mutual || d == ToServer == e.cfg.Server
}

// newOwn returns an empty event of one of the stream's own kinds.
func (e *Stream) newOwn(id KindID) Event {
	switch id {
	case kindAnnounce:
		return e.free.announce(0, "")
	case kindFragment:
		return e.free.fragment()
	default:
		return takeFree(&e.free.claims)
	}
}

// recycle takes back an event that is no longer needed.
func (e *Stream) recycle(id KindID, ev Event) {
	switch ev := ev.(type) {
	case *announce:
		e.free.announces = append(e.free.announces, ev)
	case *fragment:
		e.free.fragments = append(e.free.fragments, ev)
	case *claim:
		e.free.claims = append(e.free.claims, ev)
	case releaser:
		ev.Release()
	}
}

// processOwn processes one of the stream's own events.
func (e *Stream) processOwn(id KindID, ev Event, channel uint8) (err error) {
	switch ev := ev.(type) {
	case *announce:
		err = e.texts.set(ev.slot, ev.text)
	case *fragment:
		if channel != 1 {
			return netcore.Violationf("fragment outside channel 1")
		}
		err = e.piece(ev)
	case *claim:
		if channel != 0 {
			return netcore.Violationf("claim outside channel 0")
		}
		err = e.claim(ev)
	}
	e.recycle(id, ev)
	return err
}

// process processes an event: an unordered one at once, an ordered one of a channel when its number
// is next.
func (e *Stream) process(id KindID, ev Event, refs []*TagRef, channel uint8) error {
	if id < ownKinds {
		return e.processOwn(id, ev, channel)
	}
	if kind := &e.cfg.Kinds.kinds[id]; kind.Phases != 0 && e.cfg.Phase != nil && kind.Phases>>e.cfg.Phase()&1 == 0 {
		return netcore.Violationf("event %s is not allowed in phase %d", kind.Name, e.cfg.Phase())
	}
	var err error
	if len(refs) > 0 {
		err = e.texts.resolve(refs)
	}
	if err == nil {
		e.stats.Received++
		err = ev.Process(e.conn)
	}
	if r, ok := ev.(releaser); ok {
		r.Release()
	}
	if err != nil {
		return e.eventError(id, err)
	}
	return nil
}

// eventError returns the reason to end the connection because an event failed.
func (e *Stream) eventError(id KindID, err error) error {
	return netcore.ReasonOf(err, netcore.Violation, "event "+e.cfg.Kinds.Name(id))
}

// forgetReceived drops the early events and the pieces.
func (e *Stream) forgetReceived() {
	for i := range e.incoming {
		c := &e.incoming[i]
		for j := range c.used {
			if it := c.at(uint16(j)); it.event != nil {
				e.recycle(it.kind, it.event)
			}
		}
		*c = receiveChannel{}
	}
	e.cfg.Budget.release(e.earlyBytes + e.pieces.bytes)
	e.earlyBytes = 0
	e.pieces = assembly{}
}
