package netcore

import (
	"slices"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// outbox holds encrypted datagrams until the owner passes them on. Each datagram is built in place,
// so nothing is copied. The memory grows to the size of the longest burst. A connection has an
// outbox only while it sends, so that a few serve all connections of an Endpoint.
type outbox struct {
	w     bitstream.Writer
	wire  []byte // the buffer of the current datagram, in bytes
	bytes []byte
	ends  []int
	aside detour
}

// detour is the datagram of an outbox that goes to another address than the rest.
type detour struct {
	to      Addr
	most    int // bytes
	on      bool
	at, len int // index in ends and size of the datagram; len 0: there is none
}

// room returns the buffer in which to build the next datagram. It is valid until the next call of
// add.
func (o *outbox) room() []byte {
	o.bytes = slices.Grow(o.bytes, MaxDatagram)
	return o.bytes[len(o.bytes):][:MaxDatagram]
}

// add appends the first n bytes of the room as a datagram.
func (o *outbox) add(n int) {
	if o.aside.on {
		if n > o.aside.most {
			return
		}
		o.aside.at, o.aside.len = len(o.ends), n
	}
	o.bytes = o.bytes[:len(o.bytes)+n]
	o.ends = append(o.ends, len(o.bytes))
}

// detour makes the next datagram go to another address. A datagram of more than most bytes is
// dropped.
func (o *outbox) detour(to Addr, most int) { o.aside = detour{to: to, most: most, on: true} }

// endDetour ends the detour and returns the size of its datagram, 0 if it was dropped.
func (o *outbox) endDetour() int {
	o.aside.on = false
	return o.aside.len
}

// flush passes on all datagrams, oldest first.
func (o *outbox) flush(to Addr, out func(to Addr, b []byte)) {
	from := 0
	for i, end := range o.ends {
		at := to
		if o.aside.len > 0 && i == o.aside.at {
			at = o.aside.to
		}
		out(at, o.bytes[from:end])
		from = end
	}
	o.bytes, o.ends, o.aside.len = o.bytes[:0], o.ends[:0], 0
}
