package ghost

const (
	shortCapacity = 128 // capacity of shortBits in bits
	shortCell     = 30  // bits of a residual after its leading one, at most; 61 in all
)

// shortBits holds up to 128 bits, to be written later.
type shortBits struct {
	low, high uint64
	n         int
}

// add appends the low n bits of v, 0..64. The higher bits of v must be 0. Bits beyond 128 are lost,
// but n counts them, so the caller can see that they did not fit.
func (s *shortBits) add(v uint64, n int) {
	if s.n < 64 {
		s.low |= v << s.n
		s.high |= v >> (64 - s.n)
	} else {
		s.high |= v << (s.n - 64)
	}
	s.n += n
}

// addWords appends n bits, 64 from each word but the last.
func (s *shortBits) addWords(words []uint64, n int) {
	for ; n > 0; n, words = n-64, words[1:] {
		s.add(words[0], min(n, 64))
	}
}
