package dissect

import (
	"encoding/binary"
	"slices"

	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/netcore/capture"
	"github.com/torc-engine/torc/netcore/seal"
)

// Kinds of packets: the lowest 2 clear bits.
const (
	kindConnectionless = iota
	kindData
	kindControl
	kindDrop
	kindDeferred // only in the seal
	kinds
)

const (
	clearBytes   = 2
	tagBytes     = 16
	routeBytes   = 1 + 8 // the heads of the client's packets
	shortBytes   = 1 + 2
	packetRouted = 0xC0
	packetShort  = 0xF0
	lowBits      = 14
	window       = 1024 // packets without a verdict
)

// datagram is a datagram of a session.
type datagram struct {
	packet int // its number in the capture
	time   int64
	from   capture.Side
	data   []byte

	kind       int
	connection []byte // the id that a packet of the client names, or its lowest two bytes
	number     uint64
	plain      []byte // nil: it did not open
	fate       Fate
	ref        uint64 // of a data packet: the reference of its ack
}

// session is everything that belongs to the keys of a capture.
type session struct {
	number    int
	header    *capture.Header
	keys      *capture.Session // nil: before the first keys
	classes   *classes
	kinds     []capture.Kind // by their ids on the wire
	datagrams []*datagram
	flows     map[capture.Side]*flow
	check     bool // packets have marks
}

// open opens the datagrams, and finds the verdicts on the data packets.
func (s *session) open() {
	if s.keys == nil {
		return
	}
	for _, side := range []capture.Side{capture.Client, capture.Server} {
		s.flows[side] = s.newFlow(side)
	}
	for _, d := range s.datagrams {
		s.flows[d.from].open(d)
	}
	client, server := s.flows[capture.Client], s.flows[capture.Server]
	client.arrange()
	server.arrange()
	client.settle(server.verdicts())
	server.settle(client.verdicts())
}

// open opens a datagram of the flow.
func (f *flow) open(d *datagram) {
	b := d.data
	if n := headBytes(d); n > 0 {
		d.connection, b = b[1:n], b[n:]
	}
	if len(b) < clearBytes+tagBytes || b[0]&3 == kindConnectionless {
		f.openHandshake(d)
		return
	}
	clear := binary.LittleEndian.Uint16(b)
	d.kind = int(clear & 3)
	ahead := int64(int16(clear>>2<<2-uint16(f.newest[d.kind])<<2)) >> 2 // of 14 bits, with its sign
	n := f.newest[d.kind] + uint64(ahead)
	if int64(n) <= 0 {
		return
	}
	f.keys.ExpectNewKey()
	plain, err := f.keys.Open([]byte{}, b[:clearBytes], b[clearBytes:], byte(d.kind), n)
	if err != nil {
		return
	}
	d.number, d.plain = n, plain
	f.newest[d.kind] = max(f.newest[d.kind], n)
	if d.kind == kindData {
		f.data = append(f.data, d)
	} else if d.kind == kindControl {
		f.control = append(f.control, d)
	}
}

// headBytes returns the length of the head of a packet of the client, 0 if there is none.
func headBytes(d *datagram) int {
	switch b := d.data; {
	case d.from != capture.Client:
		return 0
	case len(b) > routeBytes && b[0] == packetRouted:
		return routeBytes
	case len(b) > shortBytes && b[0] == packetShort:
		return shortBytes
	}
	return 0
}

// arrange sorts the data packets by number, and marks the second of two with one number.
func (f *flow) arrange() {
	slices.SortStableFunc(f.data, func(a, b *datagram) int { return int(int64(a.number - b.number)) })
	kept := f.data[:0]
	for _, d := range f.data {
		if len(kept) > 0 && kept[len(kept)-1].number == d.number {
			d.fate = Duplicate
			continue
		}
		d.fate = Unknown
		kept = append(kept, d)
	}
	f.data = kept
	ref := uint64(0)
	for _, d := range f.data {
		d.ref = ref
		t := newTrace(d.plain)
		if v := readVerdicts(t, ref); t.ok() {
			ref = v.ack
			f.acks = append(f.acks, v)
		}
	}
}

// verdicts returns the acks of a flow, in the order of the numbers that they acknowledge.
func (f *flow) verdicts() []verdicts {
	for _, d := range f.control {
		t := newTrace(d.plain)
		t.bits("type", 3)
		if v := readControlVerdicts(t); t.ok() {
			f.acks = append(f.acks, v)
		}
	}
	order.StableBy(f.acks, func(a, b verdicts) int { return int(int64(a.ack - b.ack)) })
	return f.acks
}

// settle gives the data packets of a flow the verdicts that the other side has told.
func (f *flow) settle(acks []verdicts) {
	next, to := 0, uint64(0)
	for i := range acks {
		v := &acks[i]
		for ; next < len(f.data) && f.data[next].number <= v.ack; next++ {
			d := f.data[next]
			f.noteMissing(v, to+1, d.number)
			to = d.number
			if d.fate = Received; v.lost(d.number) {
				d.fate = Lost
			}
		}
		if v.ack > to {
			f.noteMissing(v, to+1, v.ack+1)
			to = v.ack
		}
	}
}

// noteMissing notes the first number from from to below to that was received but is not in the
// capture.
func (f *flow) noteMissing(v *verdicts, from, to uint64) {
	for n := from; n < to && f.missing == 0; n++ {
		if !v.lost(n) {
			f.missing = n
		}
	}
}

// newKeys returns what opens the packets of a side.
func (s *session) newKeys(side capture.Side) *seal.Session {
	k := seal.SessionKeys{Open: s.keys.Client}
	if side == capture.Server {
		k.Open = s.keys.Server
	}
	return seal.NewSession(k)
}
