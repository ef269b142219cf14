package bitstream

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// The errors of a stream. The first one sticks.
var (
	ErrShort = errors.New("bitstream: read past the end")
	ErrFull  = errors.New("bitstream: no room left")
	ErrRange = errors.New("bitstream: value out of range")
	ErrText  = errors.New("bitstream: malformed text")
)

// Codec is the common part of Writer and Reader. Every primitive takes a
// pointer and either writes the value or reads into it. A function that
// describes an item through a Codec therefore works in both directions. Writing
// never stores through the pointer, so the value can be shared.
//
// The first error sticks. After it a writing stream writes nothing, a reading
// stream reads zero bits, and the position does not move.
type Codec struct {
	buf      []byte
	pos      int    // bits read or written
	end      int    // first bit out of bounds; pos after an error, so one comparison covers both
	limit    int    // value of end while there is no error
	prevText string // the previous Text
	err      error
	reading  bool
	texts    bool // a Text was coded since Reset
}

// Reading reports whether the primitives read (true) or write (false).
func (s *Codec) Reading() bool { return s.reading }

// Err returns the first error, or nil.
func (s *Codec) Err() error { return s.err }

// Pos returns the number of bits read or written so far.
func (s *Codec) Pos() int { return s.pos }

// Left returns the number of bits left to read or to write; 0 after an error.
func (s *Codec) Left() int { return s.end - s.pos }

// Fail sets the stream's error to err, unless there already is one. The function
// that describes an item calls it for values that it knows to be invalid.
func (s *Codec) Fail(err error) {
	if s.err == nil && err != nil {
		s.err = err
		s.end = s.pos
	}
}

func (s *Codec) reset(buf []byte) {
	s.buf, s.pos, s.end, s.limit = buf, 0, 8*len(buf), 8*len(buf)
	s.prevText, s.err, s.texts = "", nil, false
}

// Flag codes one bit. It returns the value, so both directions can branch on it.
func (s *Codec) Flag(v *bool) bool {
	if s.reading {
		*v = s.readFlag()
	} else {
		s.writeFlag(*v)
	}
	return *v
}

// Bits codes an unsigned integer of n bits, n = 0..64. Writing a value that does
// not fit into n bits fails with ErrRange.
func (s *Codec) Bits(v *uint64, n int) {
	if s.reading {
		*v = s.read(n)
	} else {
		s.write(*v, n)
	}
}

// Uint codes an unsigned integer of n bits, n = 0..32. Writing a value that does
// not fit into n bits fails with ErrRange.
func (s *Codec) Uint(v *uint32, n int) {
	// The usual case calls nothing: the value lies in the eight bytes at the position.
	pos := s.pos
	if i, off := pos>>3, uint(pos)&7; uint(n) <= 32 && n <= s.end-pos && i+8 <= len(s.buf) {
		b := s.buf[i : i+8]
		if s.reading {
			*v = uint32(binary.LittleEndian.Uint64(b) >> off & (1<<uint(n) - 1))
			s.pos = pos + n
			return
		}
		if x := uint64(*v); x>>uint(n) == 0 {
			// A rotation, because the compiler makes five stores of a value whose high bytes it
			// knows.
			binary.LittleEndian.PutUint64(b, uint64(b[0])&(1<<off-1)|bits.RotateLeft64(x, int(off)))
			s.pos = pos + n
			return
		}
	}
	if n > 32 {
		n = -1
	}
	if s.reading {
		*v = uint32(s.read(n))
	} else {
		s.write(uint64(*v), n)
	}
}

// writeFlag and readFlag call nothing, so the compiler inlines them. When they
// fail, end already equals the position, so they need not set it.
func (s *Codec) writeFlag(v bool) {
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

func (s *Codec) readFlag() bool {
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

// write appends the n low bits of v. It can overwrite bits after the position,
// because no one reads them; so it stores eight bytes at once where there is
// room. It loads only the byte at the position. That byte is part of one earlier
// store, so the processor forwards it without waiting.
func (s *Codec) write(v uint64, n int) {
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

// writeTail does the work of write in the last bytes of the buffer.
func (s *Codec) writeTail(v uint64, n int) {
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

// read returns the next n bits.
func (s *Codec) read(n int) uint64 {
	pos := s.pos
	if i := pos >> 3; uint(n) <= 57 && n <= s.end-pos && i+8 <= len(s.buf) { // within eight bytes
		s.pos = pos + n
		return binary.LittleEndian.Uint64(s.buf[i:i+8]) >> (uint(pos) & 7) & (1<<uint(n) - 1)
	}
	if uint(n) > 64 || n > s.end-pos {
		s.refuse(n)
		return 0
	}
	s.pos = pos + n
	return s.at(pos) & (1<<uint(n) - 1)
}

// at returns the 64 bits from bit pos on; bits after the end of the buffer are zero.
func (s *Codec) at(pos int) uint64 {
	b, off := s.buf[pos>>3:], uint(pos)&7
	if len(b) < 9 {
		b = append(make([]byte, 0, 9), b...)[:9]
	}
	return binary.LittleEndian.Uint64(b)>>off | uint64(b[8])<<(64-off)
}

// refuse sets the error for an impossible read or write of n bits.
func (s *Codec) refuse(n int) {
	switch {
	case uint(n) > 64 || n <= s.Left():
		s.Fail(ErrRange)
	case s.reading:
		s.Fail(ErrShort)
	default:
		s.Fail(ErrFull)
	}
}
