package dissect

import (
	"encoding/hex"
	"fmt"
	"math/bits"
	"strings"
)

const (
	orderWindow = 4096 // numbers of a channel that are not settled
	channels    = 2
	farRun      = 3 // form of a run that begins with a number
	gapRun      = 3 // width of a run with gaps
	parcels     = 3
	parcelBulk  = 0
	maxTag      = 1024
	eventMark   = 0x5AC3
	unordered   = -1 // in place of a channel

	maxTalkerName = 256
	maxFrame      = 160 // of voice

	maxTransferAddress = 255
	maxTransferName    = 64
	maxTransferRefusal = 255
	maxTicket          = 2145

	customMark     = "~" // begins the names of a program's own kinds
	maxCustomEvent = 4 << 10
)

var (
	aheadWidths  = [...]int{0, 2, 6}
	numberWidths = [...]int{8, 12, 16}
	slotWidths   = [...]int{5, 8, 12, 16}
)

// eventFlow is the state of the receiver of events.
type eventFlow struct {
	strings  map[uint64]string
	channels [channels]eventChannel
	parcels  [parcels]parcel
}

// eventChannel is an ordered channel.
type eventChannel struct {
	next  uint64            // the number to process next
	early map[uint64]*event // those that arrived before their turn
}

// parcel is an event in pieces.
type parcel struct {
	body     []byte
	complete bool
}

// event is an event that was read. Only the part of its kind is set.
type event struct {
	kind        string
	text        string // the event as one line, without a command
	command     *command
	description *description

	slot   uint64 // announce
	string string

	parcel int // fragment, claim
	last   bool
	piece  []byte
}

// tag is a tagged string in an event: a number or a text.
type tag struct {
	numbered bool
	slot     uint64
	text     string
}

// readEvents reads the event section.
func (r *reading) readEvents() {
	defer r.within("events")()
	leave := r.within("unordered")
	for i := 0; r.flag("more"); i++ {
		inner := r.withinItem(i)
		e := r.readEvent(r.trace)
		inner()
		if r.ok() && r.applies {
			r.process(e, unordered, 0)
		}
	}
	leave()
	for i := range channels {
		leave := r.within(fmt.Sprintf("channel%d", i))
		r.readRun(i)
		leave()
	}
}

// readRun reads the part of a channel.
func (r *reading) readRun(id int) {
	if !r.flag("some") {
		return
	}
	c := &r.events.channels[id]
	form, n, gapBits := r.bits("form", 2), uint64(0), 0
	if form != farRun {
		from, width := r.pos(), aheadWidths[form]
		n = c.next + (r.r.ReadBits(width)-c.next)&(1<<width-1)
		r.add("first", from, n)
	} else {
		width := r.bits("width", 2)
		gaps := width == gapRun
		if gaps {
			width = r.bits("gapWidth", 2)
		}
		if width == gapRun {
			r.fail("gapWidth", "the width 3 of a number is not defined")
			return
		}
		if gaps {
			gapBits = numberWidths[width]
		}
		n = r.readNumber("first", c, numberWidths[width])
	}
	for i := 0; r.ok(); i++ {
		leave := r.withinItem(i)
		r.derive("number", n)
		e := r.readEvent(r.trace)
		leave()
		if r.ok() && n >= c.next+orderWindow {
			r.fail("number", "the window of the channel ends before %d", c.next+orderWindow)
		}
		if r.ok() && r.applies {
			r.order(e, id, n)
		}
		switch {
		case r.flag("more"):
			n++
		case gapBits == 0 || !r.flag("gap"):
			return
		default:
			n = r.readNumber("next", c, gapBits)
		}
	}
}

// readNumber reads the low bits of a number. It is the number nearest to the next one of the
// channel.
func (r *reading) readNumber(name string, c *eventChannel, width int) uint64 {
	from, shift := r.pos(), 64-width
	ahead := int64((r.r.ReadBits(width)-c.next)<<shift) >> shift
	n := int64(c.next) + ahead
	r.add(name, from, uint64(n))
	if n < 0 {
		r.fail(name, "a number below the first")
	}
	return uint64(n)
}

// order processes an event if it is the next one of its channel, and then those that waited for it.
// An earlier one is a copy, and a later one waits.
func (r *reading) order(e *event, id int, n uint64) {
	c := &r.events.channels[id]
	switch {
	case n < c.next:
		return
	case n > c.next:
		if c.early == nil {
			c.early = map[uint64]*event{}
		}
		if c.early[n] == nil {
			c.early[n] = e
		}
		return
	}
	for e != nil && r.ok() {
		number := c.next
		delete(c.early, number)
		c.next++
		r.process(e, id, number)
		e = c.early[c.next]
	}
}

// readEvent reads an event: its kind and its body.
func (r *reading) readEvent(t *trace) *event {
	kind := int(t.bits("kind", bits.Len(uint(max(len(r.s.kinds)-1, 0)))))
	if !t.ok() {
		return nil
	}
	if kind >= len(r.s.kinds) {
		t.fail("kind", "there is no event kind %d", kind)
		return nil
	}
	e := &event{kind: r.s.kinds[kind].Name}
	t.fields[len(t.fields)-1].Means = e.kind
	size := uint64(0)
	if r.s.check {
		size = t.bits("size", 16)
	}
	from := t.pos()
	r.readBody(t, e)
	if r.s.check && t.ok() {
		read := uint64(t.pos() - from)
		if mark := t.bits("mark", markBits); t.ok() && (mark != eventMark^uint64(kind) || read&(1<<16-1) != size) {
			t.fail("mark", "the event has %d bits, and %d were read", size, read)
		}
	}
	return e
}

// readBody reads the body of an event of a kind.
func (r *reading) readBody(t *trace, e *event) {
	switch e.kind {
	case "announce":
		e.slot = t.slot("slot")
		e.string = t.text("text", maxTag)
		e.text = fmt.Sprintf("announce %d = %q", e.slot, e.string)
	case "fragment":
		e.parcel = int(t.bits("parcel", 2))
		e.last = t.flag("last")
		from := t.pos()
		n := int(t.r.ReadBits(5)) + 1
		t.add("length", from, n)
		e.piece = t.raw("bytes", 8*n)
		e.text = fmt.Sprintf("fragment of parcel %d, %d bytes", e.parcel, n)
	case "claim":
		if e.parcel = 1; t.flag("oldest") {
			e.parcel = 2
		}
		e.text = fmt.Sprintf("claim of parcel %d", e.parcel)
	case "camera":
		e.text = t.camera()
	case "command":
		e.command = t.command()
	case "description":
		e.description = &description{class: t.flag("class")}
		e.description.data = t.bytes("bytes", maxDescription)
	case "form":
		e.text = t.form()
	case "hello":
		name := t.text("server", 256)
		tick := t.varint("tick")
		n := t.ranged("mods", 0, 256)
		for i := 0; i < n && t.ok(); i++ {
			t.text(fmt.Sprintf("mod.%d.name", i), 32)
			t.text(fmt.Sprintf("mod.%d.version", i), 64)
		}
		e.text = fmt.Sprintf("hello of %q at tick %d", name, tick)
	case "pace":
		e.text = fmt.Sprintf("pace %d%%", t.ranged("percent", 0, 400))
	case "phaseAnswer":
		answer, seq := t.ranged("answer", 0, 1), t.bits("seq", 32)
		e.text = fmt.Sprintf("answer %d, seq %d", answer, seq)
	case "phaseStep":
		step, seq, count := t.ranged("step", 0, 5), t.bits("seq", 32), t.varint("count")
		e.text = fmt.Sprintf("step %d, seq %d, count %d", step, seq, count)
	case "recording":
		data := t.bytes("bytes", maxRecording)
		e.text = fmt.Sprintf("%d bytes of the recording: %s", len(data), short(data))
	case "speech":
		e.text = t.spoken("speech", true)
	case "transfer":
		e.text = t.transfer()
	case "voice":
		e.text = t.spoken(fmt.Sprintf("voice of talker %d", t.bits("talker", 16)), false)
	case "voiceState":
		e.text = t.voiceState()
	default:
		if !strings.HasPrefix(e.kind, customMark) {
			t.fail("kind", "events of the kind %s are unknown", e.kind)
			return
		}
		data := t.bytes("bytes", maxCustomEvent)
		e.text = fmt.Sprintf("%s, an event of the program, %d bytes: %s", e.kind[len(customMark):], len(data), short(data))
	}
}

// voiceState reads who has a number among the talkers, or the rules for voice.
func (t *trace) voiceState() (text string) {
	if !t.flag("rules") {
		number, client, name := t.bits("talker", 16), t.varint("client"), t.text("name", maxTalkerName)
		t.bits("mark", 64)
		t.varint("ghost")
		return fmt.Sprintf("talker %d is client %d, %q", number, client, name)
	}
	mode, channels, permit := t.ranged("mode", 0, 4), t.bits("channels", 4), t.ranged("permit", 0, 2)
	text = fmt.Sprintf("voice mode %d, channels %04b, permit %d", mode, channels, permit)
	if t.flag("recorded") {
		text += ", recorded"
	}
	if t.flag("demos") {
		text += ", for demos and spectators too"
	}
	return text
}

// transfer reads an order to go to another server, or what a client says about one.
func (t *trace) transfer() string {
	use := t.ranged("use", 0, 3)
	if use == 3 {
		return "the player has arrived"
	}
	number := t.varint("number")
	switch use {
	case 0:
		address := t.text("address", maxTransferAddress)
		t.raw("key", 256)
		name, ticket := t.text("name", maxTransferName), t.bytes("ticket", maxTicket)
		return fmt.Sprintf("transfer %d to %q at %q with a ticket of %d bytes", number, name, address, len(ticket))
	case 1:
		return fmt.Sprintf("the server of transfer %d has accepted", number)
	}
	return fmt.Sprintf("no transfer %d: %q", number, t.text("refusal", maxTransferRefusal))
}

// spoken reads a frame of voice, and perhaps the frame before it. Only a client's has a range.
func (t *trace) spoken(of string, ranged bool) string {
	number, channel := t.bits("number", 8), t.bits("channel", 2)
	if ranged {
		t.bits("range", 2)
	}
	before := t.flag("before")
	text := fmt.Sprintf("%s, frame %d on channel %d, %d bytes", of, number, channel, t.frame("frame"))
	if before {
		text += fmt.Sprintf(", and %d of the frame before", t.frame("frameBefore"))
	}
	return text
}

// frame reads a frame of voice and returns its size.
func (t *trace) frame(name string) int {
	n := t.ranged(name+".length", 1, maxFrame)
	t.raw(name+".bytes", 8*n)
	return n
}

// camera reads a request for another camera.
func (t *trace) camera() (text string) {
	if t.flag("wide") {
		return fmt.Sprintf("field of view of %d degrees", t.ranged("fov", 1, 179))
	}
	if t.flag("firstPerson") {
		return "first person"
	}
	return "third person"
}

// slot reads the number of a string.
func (t *trace) slot(name string) uint64 {
	from := t.pos()
	class := t.r.ReadBits(2)
	v := t.r.ReadBits(slotWidths[class])
	t.add(name, from, v)
	return v
}

// tag reads a tagged string.
func (t *trace) tag(name string) (v tag) {
	defer t.within(name)()
	if v.numbered = t.flag("numbered"); v.numbered {
		v.slot = t.slot("slot")
	} else {
		v.text = t.text("text", maxTag)
	}
	return v
}

// resolve returns the text of a tag.
func (r *reading) resolve(v tag) string {
	if !v.numbered {
		return v.text
	}
	text, known := r.events.strings[v.slot]
	if !known {
		r.fail("processed", "the string number %d was never announced", v.slot)
	}
	return text
}

// process does what the receiver does with an event in its turn.
func (r *reading) process(e *event, channel int, number uint64) {
	p := Processed{Channel: channel, Number: number, Kind: e.kind, Text: e.text}
	switch e.kind {
	case "announce":
		r.events.strings[e.slot] = e.string
	case "fragment":
		r.piece(e)
		if !r.ok() || !e.last || e.parcel != parcelBulk {
			return // it is only a part of an event
		}
		r.unpack(parcelBulk, channel, number)
		return
	case "claim":
		if !r.events.parcels[e.parcel].complete {
			r.fail("processed", "a claim of a parcel that is not complete")
			return
		}
		r.unpack(e.parcel, channel, number)
		return
	case "command":
		r.call(e.command, &p)
	case "description":
		r.describe(e.description, &p)
	}
	r.processed = append(r.processed, p)
}

// piece adds a piece to its parcel.
func (r *reading) piece(e *event) {
	if e.parcel >= parcels || r.events.parcels[e.parcel].complete {
		r.fail("processed", "a piece of an unknown or complete parcel")
		return
	}
	p := &r.events.parcels[e.parcel]
	p.body = append(p.body, e.piece...)
	p.complete = e.last
}

// unpack reads the event of a complete parcel, and processes it.
func (r *reading) unpack(id, channel int, number uint64) {
	p := &r.events.parcels[id]
	t := newTrace(p.body)
	*p = parcel{}
	t.prefix = "parcel."
	e := r.readEvent(t)
	if t.ok() && (e.kind == "fragment" || e.kind == "claim") {
		t.fail("kind", "a piece or a claim in a parcel")
	}
	if !t.ok() {
		r.fail("processed", "the event in pieces: %s", t.failure())
		return
	}
	at := len(r.processed)
	r.process(e, channel, number)
	if at < len(r.processed) {
		p := &r.processed[at]
		p.Fields = append(t.fields, p.Fields...)
	}
}

// short returns the beginning of some bytes as hexadecimal digits.
func short(b []byte) string {
	if len(b) > 16 {
		return hex.EncodeToString(b[:16]) + "…"
	}
	return hex.EncodeToString(b)
}
