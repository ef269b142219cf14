package dissect

import (
	"bytes"
	"encoding/hex"
	"fmt"

	"github.com/torc-engine/torc/netcore/capture"
)

const (
	maxPieces        = 10
	maxArgs          = 16
	maxLanguage      = 16
	maxWelcome       = 1000
	maxParts         = 1024
	maxKinds         = 240 // besides those of the stream
	streamKinds      = 3   // announce, fragment, claim
	introductionHead = 1 + 16 + 1
	verdictHead      = 1 + 16
	deferredHead     = 1 + 16 + 2
)

// part is a part of a packet of the handshake, in bytes. Size 0 is the rest.
type part struct {
	name string
	size int
}

var (
	nonce    = part{"nonce", 16}
	cookie   = part{"cookie", 16}
	solution = part{"solution", 8}
)

// layouts are the packets outside of connections, by their first byte.
var layouts = map[byte]struct {
	name  string
	parts []part
}{
	0xC4: {"challenge request", []part{nonce, {"magic", 4}, {"zeros", 0}}},
	0xC8: {"challenge response", []part{nonce, cookie, {"key", 32}, {"difficulty", 1}, {"crc", 4}}},
	0xCC: {"connect request", []part{nonce, cookie, {"difficulty", 1}, solution, {"noise", 0}}},
	0xD0: {"connect reply", []part{nonce, {"noise", 0}}},
	0xD4: {"introduction", []part{nonce, {"piece", 1}, {"sealed", 0}}},
	0xD8: {"verdict", []part{nonce, {"sealed", 0}}},
	0xDC: {"session unknown", []part{nonce}},
	0xE0: {"reset", []part{{"token", 16}}},
	0xE4: {"query", []part{{"packet", 1}, {"rest", 0}}},
	0xE8: {"rendezvous", []part{{"packet", 1}, {"rest", 0}}},
	0xEC: {"busy", []part{nonce, {"ahead", 2}}},
	0xF4: {"deferred", []part{nonce, {"number", 2}, {"sealed", 0}}},
}

// readOpen reads a packet without a text that opened, or one of the handshake.
func (s *session) readOpen(d *datagram) Packet {
	p := s.packet(d)
	if d.plain != nil { // an introduction, a deferral or a verdict
		t := newTrace(d.plain)
		switch {
		case d.from == capture.Client:
			p.Type = "introduction"
			readIntroduction(t)
		case d.data[0] == 0xF4:
			p.Type = "deferred"
			t.plainText("text", maxHandshakeText)
		default:
			p.Type = "verdict"
			readVerdict(t)
		}
		p.finish(t)
		return p
	}
	layout, known := layouts[d.data[0]]
	switch {
	case known:
		p.Type, p.Bits = layout.name, 8*len(d.data)
		p.Fields = fieldsOf(d.data, layout.parts)
		if layout.name == "introduction" && d.kind == kindConnectionless && d.number > 0 {
			p.Note = "a part of the introduction: see its last part"
		}
	case d.from == capture.Client && (d.data[0] == packetRouted || d.data[0] == packetShort), d.data[0]&3 != kindConnectionless:
		p.Type, p.Note = "sealed", "it does not open with the keys of the session"
	default:
		p.Type, p.Note = "foreign", "no packet of the protocol"
	}
	return p
}

// fieldsOf returns the parts of a packet as fields. A part that is cut short is left out.
func fieldsOf(b []byte, parts []part) (fields []Field) {
	fields = append(fields, Field{Name: "type", To: 8, Value: b[0]})
	at := 1
	for _, part := range parts {
		n := part.size
		if n == 0 {
			n = len(b) - at
		}
		if n > len(b)-at {
			return fields
		}
		f := Field{Name: part.name, From: 8 * at, To: 8 * (at + n), Value: hex.EncodeToString(b[at : at+n])}
		switch n {
		case 1:
			f.Value = b[at]
		case 2:
			f.Value = int(b[at]) | int(b[at+1])<<8
		}
		fields = append(fields, f)
		at += n
	}
	return fields
}

// openHandshake opens an introduction, a deferral or a verdict. The text of an introduction in
// several packets belongs to the packet that completes it.
func (f *flow) openHandshake(d *datagram) {
	b := d.data
	switch {
	case b[0] == 0xD4 && f.from == capture.Client && len(b) > introductionHead:
		index, last := int(b[introductionHead-1]&15), int(b[introductionHead-1]>>4)
		if last >= maxPieces || index > last {
			return
		}
		piece, err := f.keys.Open([]byte{}, b[:introductionHead], b[introductionHead:], kindConnectionless, uint64(index+1))
		if err != nil {
			return
		}
		d.number = uint64(index + 1)
		f.pieces[index] = piece
		for i := range last + 1 {
			if f.pieces[i] == nil {
				return
			}
		}
		text := bytes.Join(f.pieces[:last+1], nil)
		t := newTrace(text)
		readIntroduction(t)
		if index == last {
			d.plain = text
		}
	case b[0] == 0xF4 && f.from == capture.Server && len(b) > deferredHead:
		number := uint64(b[deferredHead-2]) | uint64(b[deferredHead-1])<<8
		plain, err := f.keys.Open([]byte{}, b[:deferredHead], b[deferredHead:], kindDeferred, number)
		if err == nil {
			d.number, d.plain = number, plain
		}
	case b[0] == 0xD8 && f.from == capture.Server && len(b) > verdictHead:
		plain, err := f.keys.Open([]byte{}, b[:verdictHead], b[verdictHead:], kindConnectionless, 1)
		if err != nil {
			return
		}
		d.number, d.plain = 1, plain
		t := newTrace(plain)
		if check, w := readVerdict(t); t.ok() {
			f.s.check = check
			f.s.adopt(w)
		}
	}
}

// readIntroduction reads an introduction. It returns the roles of the client.
func readIntroduction(t *trace) (roles uint64) {
	t.plainText("name", maxHandshakeText)
	t.plainText("password", maxHandshakeText)
	n := t.ranged("arguments", 0, maxArgs)
	for i := 0; i < n && t.ok(); i++ {
		t.plainText(fmt.Sprintf("argument.%d", i), maxHandshakeText)
	}
	readRate(t)
	t.flag("check")
	roles = t.bits("roles", 8)
	t.plainText("language", maxLanguage)
	if t.flag("ticketed") {
		t.bytes("ticket", maxTicket)
	}
	if t.ok() && t.r.Left() >= 8 { // else the lists are equal
		readPrints(t, t.ranged("prints", 0, maxParts), "print")
	}
	return roles
}

// readVerdict reads a verdict. It reports whether packets have marks. w is nil if the lists are
// equal.
func readVerdict(t *trace) (check bool, w *welcome) {
	if !t.flag("accepted") {
		t.plainText("refusal", maxHandshakeText)
		return false, nil
	}
	check = t.flag("check")
	readRate(t)
	readRoute(t)
	return check, readWelcome(t)
}
