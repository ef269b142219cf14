package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// A Header begins a file with a recording. It says what the recording needs and where it comes
// from.
type Header struct {
	Protocol uint32 // version of the network protocol, whose descriptions and cells the recording has
	Classes  uint64 // hash of the classes that are not declared, those of the server
	Began    uint64 // milliseconds since 1970-01-01 UTC
	Program  string // version of the program
	Server   string // name of the server
	Mission  string // at the beginning
	Player   string // who has recorded it; "" is the server itself, whose recording has everybody
	Mods     []Mod  // of the server
	List     []byte // the classes that are not declared, for programs with others; nil if they are too many
}

// A Mod is a mod of a server.
type Mod struct{ Name, Version string }

const (
	magic      = "torcdemo"
	fileFormat = 1
	maxHeader  = 1 << 20 // bytes
	maxList    = 1 << 20 // bytes of the classes, before they are compressed
	maxLabel   = 256     // bytes of a text
	maxMods    = 256
)

var (
	errForeign   = errors.New("this file is no demo of torc")
	errHeader    = errors.New("the header of the demo is damaged")
	errCutHeader = errors.New("the demo ends within its header")
)

// IsDemo reports whether a file that begins with these bytes is a demo.
func IsDemo(b []byte) bool { return len(b) >= len(magic) && string(b[:len(magic)]) == magic }

// Bytes returns the encoded header. Texts that are too long are cut.
func (h *Header) Bytes() []byte {
	var body []byte
	for _, n := range []uint64{uint64(h.Protocol), h.Classes, h.Began} {
		body = binary.AppendUvarint(body, n)
	}
	for _, text := range []string{h.Program, h.Server, h.Mission, h.Player} {
		body = appendLabel(body, text)
	}
	mods := h.Mods[:min(len(h.Mods), maxMods)]
	body = binary.AppendUvarint(body, uint64(len(mods)))
	for _, m := range mods {
		body = appendLabel(appendLabel(body, m.Name), m.Version)
	}
	body = h.appendList(body)
	b := binary.AppendUvarint([]byte(magic), fileFormat)
	b = binary.AppendUvarint(b, uint64(len(body)))
	sum := crc32.Update(crc32.Checksum(b, castagnoli), castagnoli, body)
	return append(binary.LittleEndian.AppendUint32(b, sum), body...)
}

// appendList appends the classes, if the header has room for them.
func (h *Header) appendList(body []byte) []byte {
	if len(h.List) == 0 || len(h.List) > maxList {
		return body
	}
	var p packer
	longer := appendBytes(binary.AppendUvarint(body, uint64(len(h.List))), p.pack(h.List))
	if len(longer) > maxHeader-maxHead {
		return body
	}
	return longer
}

func appendLabel(b []byte, text string) []byte {
	return appendBytes(b, strings.ToValidUTF8(text[:min(len(text), maxLabel)], ""))
}

// parseHeader reads a header from the beginning of b, which has the first bytes of a file, at least
// maxHeader if the file has as many. n is its length in bytes.
func parseHeader(b []byte) (h Header, n int, err error) {
	if !IsDemo(b) {
		return h, 0, errForeign
	}
	s := source{b: b[len(magic):]}
	format := s.number(1 << 32)
	if s.bad {
		return h, 0, errCutHeader
	}
	if format != fileFormat {
		return h, 0, fmt.Errorf("the demo has format %d, and this torc plays format %d", format, fileFormat)
	}
	size := int(s.number(maxHeader - maxHead))
	head := len(b) - len(s.b)
	sum, body := s.bytes(4), s.bytes(size)
	if s.bad {
		return h, 0, errCutHeader
	}
	if crc32.Update(crc32.Checksum(b[:head], castagnoli), castagnoli, body) != binary.LittleEndian.Uint32(sum) {
		return h, 0, errHeader
	}
	s = source{b: body}
	if h = s.header(); s.bad {
		return Header{}, 0, errHeader
	}
	return h, head + 4 + size, nil
}

// header reads the body of a header. One of an earlier program ends before the classes. Additions
// of a later program at its end are ignored.
func (s *source) header() (h Header) {
	h.Protocol, h.Classes, h.Began = uint32(s.number(1<<32-1)), s.number(1<<64-1), s.number(1<<64-1)
	for _, text := range []*string{&h.Program, &h.Server, &h.Mission, &h.Player} {
		*text = s.label()
	}
	for n := s.number(maxMods); n > 0 && !s.bad; n-- {
		h.Mods = append(h.Mods, Mod{s.label(), s.label()})
	}
	if len(s.b) > 0 && !s.bad {
		h.List = s.list()
	}
	return h
}

// list reads the classes.
func (s *source) list() []byte {
	var u unpacker
	c := Chunk{size: int(s.number(maxList))}
	c.Body = s.bytes(int(s.number(maxHeader)))
	if s.bad {
		return nil
	}
	list, err := u.unpack(&c)
	s.bad = err != nil
	return list
}

func (s *source) label() string { return string(s.bytes(int(s.number(maxLabel)))) }
