package dissect

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/torc-engine/torc/netcore/capture"
	"github.com/torc-engine/torc/netcore/seal"
)

// flow is what one side of a session says to the other. Its receiver's state is that of the
// protocol: which moves, events, texts and ghosts have arrived.
type flow struct {
	s    *session
	from capture.Side

	keys    *seal.Session
	newest  [kinds]uint64 // number per kind
	data    []*datagram   // by number
	control []*datagram
	acks    []verdicts
	missing uint64 // the first data packet that was received but is not in the capture; 0 is none
	pieces  [maxPieces][]byte

	next  int                  // in data
	ready map[*datagram]Packet // read before their turn in the capture

	moves  moveNumbers
	events eventFlow
	ghosts ghostFlow
	blocks map[uint64]*block
}

func (s *session) newFlow(from capture.Side) *flow {
	return &flow{
		s: s, from: from, keys: s.newKeys(from), ready: map[*datagram]Packet{},
		events: eventFlow{strings: map[uint64]string{}}, ghosts: ghostFlow{ghosts: map[uint32]*ghost{}}, blocks: map[uint64]*block{},
	}
}

// read reads a datagram of the session. Data packets are read in the order of their numbers, so
// that each finds the state that its receiver had.
func (s *session) read(d *datagram) Packet {
	f := s.flows[d.from]
	if f == nil || d.plain == nil {
		return s.readOpen(d)
	}
	switch d.kind {
	case kindControl, kindDrop:
		p := s.packet(d)
		t := newTrace(d.plain)
		if p.Type = "control"; d.kind == kindDrop {
			p.Type = "drop"
			readDrop(t)
		} else {
			readControl(t)
		}
		p.finish(t)
		return p
	case kindData:
		if d.fate == Duplicate {
			p := s.packet(d)
			p.Type, p.Fate = "data", Duplicate
			return p
		}
		return f.inOrder(d)
	}
	return s.readOpen(d)
}

// inOrder returns a data packet. It reads all packets with lower numbers first.
func (f *flow) inOrder(d *datagram) Packet {
	for f.next < len(f.data) && f.data[f.next].number <= d.number {
		n := f.data[f.next]
		f.ready[n] = f.readData(n)
		f.next++
	}
	p := f.ready[d]
	delete(f.ready, d)
	return p
}

// packet returns a packet without its fields.
func (s *session) packet(d *datagram) Packet {
	return Packet{
		Packet: d.packet, Session: s.number, Time: d.time, From: d.from, Size: len(d.data), Number: d.number,
		Connection: hex.EncodeToString(d.connection), Bits: 8 * len(d.plain),
	}
}

// finish takes the fields of a trace.
func (p *Packet) finish(t *trace) {
	p.Fields = t.fields
	if !t.ok() {
		p.Error = t.failure()
	}
}

// readData reads a data packet. Only a packet that was received changes the state.
func (f *flow) readData(d *datagram) Packet {
	p := f.s.packet(d)
	p.Type, p.Fate = "data", d.fate
	if f.missing > 0 && d.number > f.missing {
		p.Error = fmt.Sprintf("data packet %d of the %s is not in the capture, so later ones cannot be read", f.missing, f.from)
		return p
	}
	text, marks := d.plain, []byte(nil)
	if f.s.check {
		cut := max(len(text)-2*sections, 0)
		text, marks = text[:cut], text[cut:]
	}
	r := &reading{flow: f, trace: newTrace(text), seq: d.number, applies: d.fate != Lost, marks: marks}
	r.all(d.ref)
	p.finish(r.trace)
	p.Processed = r.processed
	return p
}

// sections are the sections of a data packet: rate changes, moves, events, ghosts.
const sections = 4

// reading is a data packet that is being read.
type reading struct {
	*flow
	*trace
	seq       uint64
	applies   bool // the receiver has processed the packet
	marks     []byte
	processed []Processed
}

func (r *reading) all(ref uint64) {
	leave := r.within("header")
	readVerdicts(r.trace, ref)
	r.bits("delay", 8)
	leave()
	for i, read := range [sections]func(){
		func() { r.readRates(r.trace) }, r.readMoves, r.readEvents, r.readGhosts,
	} {
		if read(); !r.ok() {
			return
		}
		r.checkMark(i)
	}
	if left := r.r.Left(); r.ok() && left >= 8 {
		r.fail("end", "%d bits left after the last section", left)
	}
}

// checkMark compares the end of a section with the mark of its sender.
func (r *reading) checkMark(i int) {
	if len(r.marks) < 2*(i+1) {
		return
	}
	if wrote := int(binary.LittleEndian.Uint16(r.marks[2*i:])); wrote != r.pos() {
		r.fail("mark", "the section was written up to bit %d", wrote)
	}
}

// String returns the name of the flow's sender, for an error.
func (f *flow) String() string { return string(f.from) }
