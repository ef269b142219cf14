package ghost

import "encoding/binary"

// bitWindow holds the next bits of a section in a register.
type bitWindow struct {
	word uint64 // the bits from at on, with zeros after them
	have int    // number of bits in word
	at   int    // position in the section
}

// skip removes n bits, n = 0..63.
func (w bitWindow) skip(n int) bitWindow { return bitWindow{w.word >> (n & 63), w.have - n, w.at + n} }

// low returns the lowest n bits, n = 0..32.
func (w bitWindow) low(n int) uint32 { return uint32(w.word & (1<<(n&63) - 1)) }

const (
	quickSection = 2048             // bytes: the fast path reads sections below this size
	quickEnd     = 8 * quickSection // bits: a position that is not in such a section
)

// quickBytes holds a copy of a section. It has room for a load of eight bytes anywhere, and an
// index into it wraps, so a load needs no check.
type quickBytes [quickSection + 8]byte

// fill returns at least 57 bits from a position on. After the end of the section they are
// meaningless.
func (b *quickBytes) fill(at int) bitWindow {
	i := uint(at>>3) & (quickSection - 1)
	return bitWindow{binary.LittleEndian.Uint64(b[i:i+8]) >> (at & 7), 64 - at&7, at}
}
