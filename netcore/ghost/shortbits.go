package ghost

import "github.com/torc-engine/torc/netcore/bitstream"

const (
	shortest  = 128 // bits that shortBits can hold
	shortCell = 30  // bits of a residual that is added to them, at most; it then takes 61
)

// shortBits are a few bits, to be written later.
type shortBits struct {
	low, high uint64
	n         int
}

// add appends n bits, 0..64, and nothing above them is set in v. There must be
// room for them.
func (s *shortBits) add(v uint64, n int) {
	if s.n < 64 {
		s.low |= v << s.n
		s.high |= v >> (64 - s.n)
	} else {
		s.high |= v << (s.n - 64)
	}
	s.n += n
}

// addWords appends n bits, 64 in each word but the last.
func (s *shortBits) addWords(words []uint64, n int) {
	for _, word := range words {
		s.add(word, min(n, 64))
		n -= 64
	}
}

// write appends the bits to a packet.
func (s *shortBits) write(w *bitstream.Writer) {
	if s.n <= 64 {
		w.WriteBits(s.low, s.n)
		return
	}
	w.WriteBits(s.low, 64)
	w.WriteBits(s.high, s.n-64)
}
