package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// Limits of the event stream (PROTOCOL.md, Events). Both ends rely on the limits of the window. The
// others bound memory.
const (
	orderWindow = 4096 // unsettled numbers of a channel
	channels    = 2
	priorities  = 4

	maxInFlightBytes = 48 << 10 // unsettled bytes that a sender allows per connection
	maxEarlyBytes    = 64 << 10 // bytes of early events that a receiver keeps

	serverMaxBytes = 256 << 10 // the largest event from a server
	clientMaxBytes = 64 << 10  // the largest event from a client

	maxUnorderedBytes = 1000 // the largest unordered event
	maxQueuedEvents   = 8192 // posted and unsettled events of a lane
	maxQueuedBytes    = 512 << 10

	progressTimeout = 45 * time.Second // the longest that a queue can be full without progress
)

// Config configures an event stream.
type Config struct {
	Kinds    *Kinds       // required; equal at both ends, or see Translate
	Check    bool         // add a check mark after every event; must be equal at both ends
	Server   bool         // this side is the server; this decides the allowed kinds and sizes
	Mutual   bool         // both sides are servers: each can send every kind that a server can
	Refs     References   // of the sender's objects; nil: every reference arrives as 0
	YourRefs References   // of the receiver's objects, as the sender's ghosts; nil: likewise
	Phase    func() uint8 // the current phase of this side, below 8; nil: all events are allowed
	Budget   *Budget      // memory shared by several connections; nil for no limit
	Scratch  *Scratch     // shared by the streams of an owner; nil: memory of its own
}

// Scratch is the memory in which events are measured: those that the owner posts, and the shared
// ones that each worker posts before it packs.
type Scratch struct {
	owner   measure
	workers [mostWorkers]*measure
}

// measure is the memory to measure one event.
type measure struct {
	buffer []byte
	writer bitstream.Writer
}

// Budget limits the bytes from peers that several event streams keep together.
type Budget struct {
	Max  int // bytes; 32 MiB is a sensible value for a process
	used int
}

// Stats counts the events of a stream.
type Stats struct {
	Sent       uint64 // events packed for the first time
	Resent     uint64 // copies packed after a loss
	Copies     uint64 // copies packed while another was in flight
	Delivered  uint64 // copies delivered, of events and of pieces of large events
	Received   uint64 // events processed
	Duplicates uint64 // copies received of an event that was here already
	Late       uint64 // events dropped unsent, because their lives were over
}

// Stream is the event stream, a netcore.Stream. It carries events with the guarantees that their
// Post asks for, and the strings that they contain.
type Stream struct {
	cfg   Config
	wire  *Wire
	stats Stats
	conn  *netcore.Conn
	now   netcore.Time
	ended bool

	// Sending.
	sent          sentStrings
	unordered     [priorities]itemQueue
	mortal        *mortals // nil before the first event with a life
	channel       [channels]sendChannel
	waiting       []*Shared // until the next Post or Pack
	quarterFull   uint64    // the first lanes of commands of which a quarter is full, a bit each
	inFlight      int       // bytes with a number that are not settled
	packets       packetRing
	parcels       parcels
	undeliverable []Event      // lost for good: no packet can carry them; Sent reports them
	unannounced   []uint32     // strings to announce in channel 0; no event waits for them
	full          bool         // a queue is full
	fullSince     netcore.Time // since when, without a settled event
	fates         uint64       // packets with a known fate
	encoder       Codec
	measure       *measure // of the goroutine that posts
	free          freeLists

	// Receiving.
	texts      receivedStrings
	incoming   [channels]receiveChannel
	earlyBytes int // bytes of early events
	pieces     assembly
	decoder    Codec
	largest    int // the largest event that the peer can send, in bytes
}

// New returns an empty event stream.
func New(cfg Config) *Stream {
	if cfg.Kinds == nil {
		panic("BUG: an event stream needs Kinds")
	}
	if cfg.Scratch == nil {
		cfg.Scratch = new(Scratch)
	}
	e := &Stream{cfg: cfg, wire: cfg.Kinds.equal, largest: clientMaxBytes}
	e.sent.max, e.texts.max = clientTags, clientTags
	if cfg.Server || cfg.Mutual {
		e.sent.max = serverTags
	}
	if !cfg.Server || cfg.Mutual {
		e.texts.max, e.largest = serverTags, serverMaxBytes
	}
	e.encoder.events, e.decoder.events = e, e
	e.measure = &cfg.Scratch.owner
	for i := range e.channel {
		e.channel[i].id = uint8(i)
	}
	return e
}

// Name returns the name of the section in logs and reasons.
func (e *Stream) Name() string { return "events" }

// Stats returns the running counters.
func (e *Stream) Stats() *Stats { return &e.stats }

// Text returns the text of a tagged string. Call it in Process or later. The result is always true.
func (e *Stream) Text(v TagRef) (string, bool) { return v.Text, true }

// Post is how an event is sent. The zero value means guaranteed, ordered, in the command channel.
type Post struct {
	Guarantee Guarantee
	Priority  uint8    // 0..3, 3 goes first; ignored for ordered events
	Channel   uint8    // of ordered events: 0 commands, 1 bulk; commands go first
	Lane      uint16   // the queue within the channel; lanes share a channel fairly
	Tags      []string // more strings to announce, beside those in the event itself
	NoCopies  bool     // of ordered events: it is sent again only after a loss

	// Life is how long an unguaranteed event is worth sending. If no packet has carried it by then,
	// it is dropped, with the fate of an event that was not delivered. 0 means for ever. Now is the
	// time of the Post, and needed with a Life.
	Life, Now netcore.Time
}

// Post queues an event; the stream then owns it. Post returns an error and changes nothing if the
// event cannot be written, if it is too large, or if its lane is full.
func (e *Stream) Post(ev Event, p Post) error {
	if e.ended {
		return errors.New("the connection has ended")
	}
	if p.Priority >= priorities || p.Channel >= channels || p.Life > 0 && p.Guarantee != Unguaranteed {
		panic("BUG: an event's priority or channel is out of range, or a guaranteed event has a life")
	}
	if !e.Knows(ev.KindID()) {
		return fmt.Errorf("the peer has no events of the kind %s", e.cfg.Kinds.Name(ev.KindID()))
	}
	e.postWaiting(e.measure)
	e.forgetLate(&p)
	size, err := e.size(ev, &p)
	tags := e.encoder.tags
	if err != nil {
		e.releaseTags(tags)
		return err
	}
	c := e.route(&p, size)
	l := c.fair.lane(p.Lane)
	if text := l.full(size); text != "" {
		e.releaseTags(tags)
		if p.Life == 0 {
			e.markFull()
		}
		return errors.New(text)
	}
	var it *item
	if p.Guarantee == Ordered {
		it = c.fair.push(l)
	} else {
		it = e.queue(&p).pushBack()
		e.queueAnnouncements(tags)
	}
	e.fill(it, ev, &p)
	it.bytes, it.lane = size, l
	l.events++
	l.bytes += size
	if c.id == 0 {
		e.noteQuarterFull(l)
	}
	return nil
}

// route returns the channel of an event with a size in bytes. Events without an order count in the
// lanes of channel 0. A large guaranteed one becomes an ordered one of channel 1.
func (e *Stream) route(p *Post, size int) *sendChannel {
	switch {
	case p.Guarantee == Ordered:
		return &e.channel[p.Channel]
	case p.Guarantee == Guaranteed && size > maxUnorderedBytes:
		p.Guarantee = Ordered
		return &e.channel[1]
	}
	return &e.channel[0]
}

// fill sets all fields of an item, whose old values are those of another event, except bytes and
// lane. It sets them one by one, because assigning a whole item would copy it for every event.
func (e *Stream) fill(it *item, ev Event, p *Post) {
	it.event, it.kind = ev, ev.KindID()
	it.priority, it.guaranteed = p.Priority, p.Guarantee != Unguaranteed
	it.noCopies = p.NoCopies
	it.delivered, it.ahead, it.parcel = false, false, 0
	it.carriers, it.cost, it.sent = 0, 0, 0
	if it.until = 0; p.Life > 0 {
		it.until = p.Now + p.Life
	}
	it.code, it.codeBits = e.keptCode(it.kind)
	if it.tags = it.tags[:0]; len(e.encoder.tags) > 0 {
		it.tags = append(it.tags, e.encoder.tags...)
	}
}

// size measures an event by writing it. It takes holds on the strings in the event.
func (e *Stream) size(ev Event, p *Post) (int, error) {
	s := &e.encoder
	s.use, s.tags = tagUse{measure: true, ordered: p.Guarantee == Ordered, channel: p.Channel}, s.tags[:0]
	s.varies = false
	largest := serverMaxBytes
	if !e.cfg.Server && !e.cfg.Mutual {
		largest = clientMaxBytes
	}
	err := e.tryWrite(ev, netcore.MaxDatagram)
	if err == bitstream.ErrFull {
		e.releaseTags(s.tags)
		s.tags = s.tags[:0]
		err = e.tryWrite(ev, largest)
		e.measure.buffer = nil
	}
	w := &e.measure.writer
	size := (w.Pos() + 7) / 8
	switch {
	case err == bitstream.ErrFull:
		return 0, fmt.Errorf("%s event exceeds %d KiB", e.cfg.Kinds.Name(ev.KindID()), largest>>10)
	case err != nil:
		return 0, err
	case p.Guarantee == Unguaranteed && size > maxUnorderedBytes:
		return 0, fmt.Errorf("an event without guarantee can have at most %d bytes, got %d", maxUnorderedBytes, size)
	}
	for _, text := range p.Tags {
		if slot, known := e.sent.index[text]; !known || e.sent.slots[slot].state == tagNew {
			s.nextTag(text)
		}
	}
	return size + e.wire.width/8 + 1, w.Err()
}

// tryWrite writes an event into the scratch buffer, of at least size bytes.
func (e *Stream) tryWrite(ev Event, size int) error {
	s := e.measure
	if len(s.buffer) < size {
		s.buffer = make([]byte, size)
	}
	s.writer.Reset(s.buffer)
	e.encoder.Codec = &s.writer.Codec
	ev.Serialize(&e.encoder)
	return s.writer.Err()
}

// keptCode returns the bits of the event that size has just written, with its kind. It returns no
// bits if they do not fit into a word, or if another packet could need other bits.
func (e *Stream) keptCode(kind KindID) (code uint64, bits uint8) {
	width, s := e.wire.width, e.measure
	size := s.writer.Pos()
	if width+size > 64 || e.cfg.Check || e.encoder.varies || s.writer.CodedText() {
		return 0, 0
	}
	body := binary.LittleEndian.Uint64(s.buffer) & (1<<size - 1)
	return uint64(e.wire.out[kind]) | body<<width, uint8(width + size)
}

// releaseTags releases holds on strings.
func (e *Stream) releaseTags(tags []uint32) {
	for _, slot := range tags {
		e.sent.release(slot)
	}
}

// queueAnnouncements queues strings to be announced in channel 0. No event waits for the
// announcement.
func (e *Stream) queueAnnouncements(tags []uint32) {
	for _, slot := range tags {
		if slot != noSlot && e.sent.slots[slot].state == tagNew {
			e.sent.slots[slot].state = tagWanted
			e.sent.slots[slot].holds++
			e.unannounced = append(e.unannounced, slot)
		}
	}
}

// QueuedBytes returns how many bytes of a lane's commands are not settled.
func (e *Stream) QueuedBytes(id uint16) int {
	e.postWaiting(e.measure)
	return e.channel[0].fair.lane(id).bytes
}

// QueuedBulk returns how many bytes of channel 1 have not been packed yet.
func (e *Stream) QueuedBulk() int {
	n := e.parcels.left()
	for _, l := range e.channel[1].fair.lanes {
		for i := range l.queue.n {
			n += l.queue.at(i).bytes
		}
	}
	return n
}

// Queued returns how many events have not been packed yet.
func (e *Stream) Queued() int {
	n := len(e.waiting) + e.channel[0].fair.queued + e.channel[1].fair.queued
	for i := range e.unordered {
		n += e.unordered[i].n
	}
	return n + e.queuedMortals()
}

// Idle reports whether nothing is queued or in flight.
func (e *Stream) Idle() bool {
	return e.Queued() == 0 && e.packets.unordered.n == 0 && len(e.unannounced) == 0 &&
		e.channel[0].base == e.channel[0].next && e.channel[1].base == e.channel[1].next && e.parcels.idle()
}

// Due returns when the stream next wants a packet.
func (e *Stream) Due(now netcore.Time) netcore.Time {
	for i := range e.channel {
		if e.pending(&e.channel[i]) {
			return now
		}
	}
	for i := range e.unordered {
		if e.unordered[i].n > 0 {
			return now
		}
	}
	if len(e.waiting) > 0 || e.queuedMortals() > 0 {
		return now
	}
	due := netcore.Never
	for i := range e.channel {
		c := &e.channel[i]
		if _, at := c.nextCopy(c.copyScan, now, e.interval()); at < due {
			due = max(now, at)
		}
	}
	return due
}

// interval returns the least age of an event's first packet before a copy is sent.
func (e *Stream) interval() netcore.Time {
	if e.conn == nil {
		return netcore.MinCopyAge
	}
	return max(netcore.MinCopyAge, e.conn.SendInterval())
}

// setTime sets the current time and connection. It closes the connection if the peer has accepted
// nothing for too long.
func (e *Stream) setTime(now netcore.Time, c *netcore.Conn) {
	e.now, e.conn = now, c
	if r, stalled := e.stalled(); stalled && c != nil {
		c.Close(r)
	}
}

// stalled reports whether a queue has been full for too long without progress, with the reason to
// close.
func (e *Stream) stalled() (netcore.Reason, bool) {
	if !e.full || e.now-e.fullSince < progressTimeout || e.ended {
		return netcore.Reason{}, false
	}
	return netcore.Reason{Code: netcore.Overflow, Text: fmt.Sprintf("%d events are queued and the peer acknowledged none for %v", e.Queued(), progressTimeout)}, true
}

func (e *Stream) markFull() {
	if !e.full {
		e.full, e.fullSince = true, e.now
	}
}

// Closed reports all pending events as not delivered and drops the received events that wait.
func (e *Stream) Closed(netcore.Reason) {
	if e.ended {
		return
	}
	for _, s := range e.waiting {
		e.undeliverable = append(e.undeliverable, s.event)
	}
	e.ended, e.full = true, false
	e.waiting = nil
	e.Sent()
	for i := range e.channel {
		c := &e.channel[i]
		for n := c.base; n < c.next; n++ {
			e.reportFate(c.at(n).event, false)
		}
	}
	e.reportFates(&e.packets.unordered)
	for p := range e.unordered {
		e.reportFates(&e.unordered[p])
		if e.mortal != nil {
			e.reportFates(&e.mortal[p])
		}
	}
	e.reportFate(e.parcels.bulk.event, false)
	for i := range e.channel {
		for _, l := range e.channel[i].fair.lanes {
			e.reportFates(&l.queue)
		}
	}
	e.forget()
}

func (e *Stream) reportFates(q *itemQueue) {
	for i := range q.n {
		e.reportFate(q.at(i).event, false)
	}
}

// reportFate calls the Fate method of a posted event.
func (e *Stream) reportFate(ev Event, delivered bool) {
	if f, ok := postedEvent(ev).(fateHandler); ok {
		f.Fate(delivered)
	}
}

// postedEvent returns the posted event. For a piece that is not the last it returns nil.
func postedEvent(ev Event) Event {
	if f, ok := ev.(*fragment); ok {
		return f.event
	}
	return ev
}

// logItem logs an event that was written or read, with its size in bits.
func (e *Stream) logItem(arrow string, id KindID, bits int) {
	if e.conn.Logs(netcore.LogItems) {
		e.conn.Logf(netcore.LogItems, "%v %s event %s: %d bits", e.conn.Addr(), arrow, e.cfg.Kinds.Name(id), bits)
	}
}
