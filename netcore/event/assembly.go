package event

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// assembly holds the received pieces of large events. It holds at most one event per kind of
// parcel.
type assembly struct {
	buffers  [parcelKinds][]byte
	complete [parcelKinds]bool
	bytes    int
}

// maxKeptBuffer is the maximum size of a buffer that is reused for the next event, in bytes.
const maxKeptBuffer = 4 << 10

// piece adds a piece. A bulk event is processed with its last piece. Other events wait for their
// claim.
func (e *Stream) piece(f *fragment) error {
	a := &e.pieces
	if f.parcel >= parcelKinds || a.complete[f.parcel] {
		return netcore.Violationf("fragment of an unknown or complete event")
	}
	if a.bytes+len(f.data) > e.largest+parcelSlack {
		return netcore.Violationf("fragmented event exceeds %d KiB", e.largest>>10)
	}
	if !e.cfg.Budget.reserve(len(f.data)) {
		return netcore.Reason{Code: netcore.Overflow, Text: "too many bytes of fragmented events"}
	}
	a.bytes += len(f.data)
	a.buffers[f.parcel] = append(a.buffers[f.parcel], f.data...)
	if !f.last {
		return nil
	}
	if f.parcel == parcelBulk {
		return e.runParcel(parcelBulk, 1)
	}
	a.complete[f.parcel] = true
	return nil
}

// claim processes the event that came ahead in pieces.
func (e *Stream) claim(c *claim) error {
	kind := parcelLane
	if c.oldest {
		kind = parcelOldest
	}
	if !e.pieces.complete[kind] {
		return netcore.Violationf("claim for an incomplete fragmented event")
	}
	return e.runParcel(kind, 0)
}

// runParcel reads a whole event from its pieces and processes it.
func (e *Stream) runParcel(kind int, channel uint8) error {
	a := &e.pieces
	body := a.buffers[kind]
	a.bytes -= len(body)
	e.cfg.Budget.release(len(body))
	a.buffers[kind], a.complete[kind] = nil, false
	id, ev, err := e.read(bitstream.NewReader(body))
	if err != nil {
		return err
	}
	if id == kindFragment || id == kindClaim {
		e.recycle(id, ev)
		return netcore.Violationf("fragment or claim inside a fragmented event")
	}
	err = e.process(id, ev, e.decoder.refs, channel)
	if cap(body) <= maxKeptBuffer && !e.ended && a.buffers[kind] == nil {
		a.buffers[kind] = body[:0]
	}
	return err
}

// reserve reserves n bytes. It returns false if the budget has fewer left.
func (b *Budget) reserve(n int) bool {
	if b == nil {
		return true
	}
	if b.used+n > b.Max {
		return false
	}
	b.used += n
	return true
}

func (b *Budget) release(n int) {
	if b != nil {
		b.used -= n
	}
}
