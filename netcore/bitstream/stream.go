package bitstream

import (
	"encoding/binary"
	"errors"
)

// The errors a stream itself can end in. The first one sticks.
var (
	ErrShort = errors.New("bitstream: read past the end")
	ErrFull  = errors.New("bitstream: no room left")
	ErrRange = errors.New("bitstream: value out of range")
	ErrText  = errors.New("bitstream: malformed text")
)

// Stream is the part a Writer and a Reader have in common: every primitive
// takes a pointer and either writes what it points to or reads into it. A
// description of an item written against Stream therefore works both ways.
// Writing never stores through the pointer: what is written may be shared.
//
// The first error sticks. From then on a writing stream writes nothing and a
// reading one reads as if all further bits were zero; the position stays.
type Stream struct {
	buf     []byte
	pos     int    // bits read or written
	end     int    // first bit out of bounds; pos after an error, so that one comparison finds both
	limit   int    // what end is while there is no error
	last    string // the previous Text
	err     error
	reading bool
}

// Reading reports whether the primitives read (true) or write (false).
func (s *Stream) Reading() bool { return s.reading }

// Err returns the first error, or nil.
func (s *Stream) Err() error { return s.err }

// Pos returns the number of bits read or written so far.
func (s *Stream) Pos() int { return s.pos }

// Left returns the number of bits left to read, or that still fit: 0 after an error.
func (s *Stream) Left() int { return s.end - s.pos }

// Fail makes err the stream's error, unless it already has one. Descriptions
// use it to refuse a value that only they know to be wrong.
func (s *Stream) Fail(err error) {
	if s.err == nil && err != nil {
		s.err = err
		s.end = s.pos
	}
}

func (s *Stream) reset(buf []byte) {
	s.buf, s.pos, s.end, s.limit = buf, 0, 8*len(buf), 8*len(buf)
	s.last, s.err = "", nil
}

// Flag is one bit. It returns the value, so that both directions branch alike.
func (s *Stream) Flag(v *bool) bool {
	if s.reading {
		*v = s.readFlag()
	} else {
		s.writeFlag(*v)
	}
	return *v
}

// Bits is an unsigned integer of n bits, n = 0..64. Writing a value that does
// not fit into n bits fails with ErrRange.
func (s *Stream) Bits(v *uint64, n int) {
	if s.reading {
		*v = s.read(n)
	} else {
		s.write(*v, n)
	}
}

// Uint is an unsigned integer of n bits, n = 0..32. Writing a value that does
// not fit into n bits fails with ErrRange.
func (s *Stream) Uint(v *uint32, n int) {
	if n > 32 {
		n = -1
	}
	if s.reading {
		*v = uint32(s.read(n))
	} else {
		s.write(uint64(*v), n)
	}
}

// writeFlag and readFlag make no call, so that they are inlined. They need not
// move end: where they fail, it is the position already.
func (s *Stream) writeFlag(v bool) {
	pos := s.pos
	if pos >= s.end {
		if s.err == nil {
			s.err = ErrFull
		}
		return
	}
	var bit byte
	if v {
		bit = 1
	}
	off := pos & 7
	p := &s.buf[pos>>3]
	*p = *p&(1<<off-1) | bit<<off
	s.pos = pos + 1
}

func (s *Stream) readFlag() bool {
	pos := s.pos
	if pos >= s.end {
		if s.err == nil {
			s.err = ErrShort
		}
		return false
	}
	s.pos = pos + 1
	return s.buf[pos>>3]>>(pos&7)&1 != 0
}

// write appends the n low bits of v. Bits behind the position are never looked
// at, so it may scribble over them: eight bytes are stored at once where there
// is room. Only the byte at the position is loaded, because it is always part
// of one earlier store, and the processor forwards it without waiting.
func (s *Stream) write(v uint64, n int) {
	pos := s.pos
	if uint(n) > 64 || n > s.end-pos || v>>uint(n) != 0 {
		s.refuse(n)
		return
	}
	i, off := pos>>3, uint(pos)&7
	if i+9 > len(s.buf) {
		s.writeTail(v, n)
		return
	}
	b := s.buf[i : i+9]
	binary.LittleEndian.PutUint64(b, uint64(b[0])&(1<<off-1)|v<<off)
	if off+uint(n) > 64 {
		b[8] = byte(v >> (64 - off))
	}
	s.pos = pos + n
}

// writeTail is write within the last bytes of the buffer.
func (s *Stream) writeTail(v uint64, n int) {
	for n > 0 {
		off := s.pos & 7
		p := &s.buf[s.pos>>3]
		*p = *p&(1<<off-1) | byte(v<<off)
		took := min(8-off, n)
		v >>= took
		n -= took
		s.pos += took
	}
}

// read takes n bits.
func (s *Stream) read(n int) uint64 {
	pos := s.pos
	if uint(n) > 64 || n > s.end-pos {
		s.refuse(n)
		return 0
	}
	s.pos = pos + n
	return s.at(pos) & (1<<uint(n) - 1)
}

// at returns the 64 bits from bit pos on, zero behind the end of the buffer.
func (s *Stream) at(pos int) uint64 {
	b, off := s.buf[pos>>3:], uint(pos)&7
	if len(b) < 9 {
		b = append(make([]byte, 0, 9), b...)[:9]
	}
	return binary.LittleEndian.Uint64(b)>>off | uint64(b[8])<<(64-off)
}

// refuse names the error of a read or write of n bits that was not possible.
func (s *Stream) refuse(n int) {
	switch {
	case uint(n) > 64 || n <= s.Left():
		s.Fail(ErrRange)
	case s.reading:
		s.Fail(ErrShort)
	default:
		s.Fail(ErrFull)
	}
}
