package event

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// assembly holds the received pieces of large events. It holds at most one event per kind of
// parcel.
type assembly struct {
	of    [parcelKinds][]byte
	whole [parcelKinds]bool
	bytes int
}

// keptParcel is the maximum size of a buffer that is reused for the next event, in bytes.
const keptParcel = 4 << 10

// piece adds a piece. A bulk event is processed with its last piece. Other events wait for their
// claim.
func (e *Stream) piece(f *fragment) error {
	a := &e.arriving
	if f.parcel >= parcelKinds || a.whole[f.parcel] {
		return netcore.Violationf("a piece of an event that cannot be")
	}
	if a.bytes+len(f.data) > e.largest+parcelSlack {
		return netcore.Violationf("an event in pieces of more than %d KiB", e.largest>>10)
	}
	if !e.cfg.Budget.take(len(f.data)) {
		return netcore.Reason{Code: netcore.Overflow, Text: "too much is in pieces"}
	}
	a.bytes += len(f.data)
	a.of[f.parcel] = append(a.of[f.parcel], f.data...)
	if !f.last {
		return nil
	}
	if f.parcel == parcelBulk {
		return e.runParcel(parcelBulk, 1)
	}
	a.whole[f.parcel] = true
	return nil
}

// claim processes the event that came ahead in pieces.
func (e *Stream) claim(c *claim) error {
	kind := parcelLane
	if c.stuck {
		kind = parcelStuck
	}
	if !e.arriving.whole[kind] {
		return netcore.Violationf("a claim on an event that did not come")
	}
	return e.runParcel(kind, 0)
}

// runParcel reads a whole event from its pieces and processes it.
func (e *Stream) runParcel(kind int, channel uint8) error {
	a := &e.arriving
	body := a.of[kind]
	a.bytes -= len(body)
	e.cfg.Budget.give(len(body))
	a.of[kind], a.whole[kind] = nil, false
	id, ev, err := e.read(bitstream.NewReader(body))
	if err != nil {
		return err
	}
	if id == kindFragment || id == kindClaim {
		e.spare(id, ev)
		return netcore.Violationf("an event in pieces within an event in pieces")
	}
	err = e.turn(id, ev, e.reading.refs, channel)
	if cap(body) <= keptParcel && !e.ended && a.of[kind] == nil {
		a.of[kind] = body[:0]
	}
	return err
}

// take reserves n bytes. It returns false if the budget has fewer left.
func (b *Budget) take(n int) bool {
	if b == nil {
		return true
	}
	if b.used+n > b.Max {
		return false
	}
	b.used += n
	return true
}

func (b *Budget) give(n int) {
	if b != nil {
		b.used -= n
	}
}
