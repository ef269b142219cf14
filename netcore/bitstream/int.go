package bitstream

import "math/bits"

// Int codes an integer of the range lo..hi in the fewest bits that can represent
// hi-lo. A value outside the range fails with ErrRange, in both directions. A
// failed read returns lo, so the value is always a safe index.
func (s *Codec) Int(v *int, lo, hi int) {
	if lo > hi {
		s.Fail(ErrRange)
		return
	}
	span := uint64(hi) - uint64(lo)
	x := uint64(*v) - uint64(lo)
	n := bits.Len64(span)
	if s.reading {
		x = s.read(n)
	}
	if x > span {
		s.Fail(ErrRange)
		x = 0
	}
	if s.reading {
		*v = int(x + uint64(lo))
	} else {
		s.write(x, n)
	}
}

// varWidths are the sizes of Var in bits. The index into it, the class, comes
// first on the wire: that number of ones and, except in the last class, a zero.
var varWidths = [...]int{4, 8, 16, 32, 64}

// Var codes an unsigned integer in 5, 10, 19, 36 or 68 bits, for values below
// 2^4, 2^8, 2^16, 2^32 and 2^64. A form longer than needed fails to read with
// ErrRange, so every value has exactly one form.
func (s *Codec) Var(v *uint64) {
	if s.reading {
		*v = s.readVar()
		return
	}
	class := varClass(*v)
	if class < len(varWidths)-1 {
		s.write(*v<<(class+1)|(1<<class-1), class+1+varWidths[class])
		return
	}
	s.write(1<<class-1, class)
	s.write(*v, 64)
}

// varClass returns the class of v.
func varClass(v uint64) int {
	class := 0
	for class < len(varWidths)-1 && v>>varWidths[class] != 0 {
		class++
	}
	return class
}

// varBits returns the number of bits that Var takes for v.
func varBits(v uint64) int {
	class := varClass(v)
	return min(class+1, len(varWidths)-1) + varWidths[class]
}

func (s *Codec) readVar() uint64 {
	class := 0
	for class < len(varWidths)-1 && s.readFlag() {
		class++
	}
	v := s.read(varWidths[class])
	if class > 0 && v>>varWidths[class-1] == 0 {
		s.Fail(ErrRange)
		return 0
	}
	return v
}

// Gamma codes an unsigned integer as an Elias gamma code. For v in
// 2^k..2^(k+1)-1 this is k zeros, a one and the k low bits of v, 2k+1 bits in
// all. Writing 0 fails with ErrRange. Only a failed read returns 0.
func (s *Codec) Gamma(v *uint64) {
	if s.reading {
		*v = s.readGamma()
		return
	}
	k := bits.Len64(*v) - 1
	if k < 0 {
		s.Fail(ErrRange)
		return
	}
	low := *v & (1<<k - 1)
	if k < 32 { // all of it at once
		s.write(low<<(k+1)|1<<k, 2*k+1)
		return
	}
	s.write(1<<k, k+1)
	s.write(low, k)
}

func (s *Codec) readGamma() uint64 {
	k := bits.TrailingZeros64(s.at(s.pos))
	if k < 32 { // all of it at once
		low := s.read(2*k+1) >> (k + 1)
		if s.err != nil {
			return 0
		}
		return 1<<k | low
	}
	if k == 64 {
		if s.Left() >= 64 {
			s.Fail(ErrRange) // no code has 64 zeros
		}
		k = 63 // otherwise the bits end before the one
	}
	s.read(k + 1)
	low := s.read(k)
	if s.err != nil {
		return 0
	}
	return 1<<k | low
}
