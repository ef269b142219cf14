package bitstream

import "math/bits"

// Int is an integer of the range lo..hi, in as few bits as tell all of it
// apart. A value outside fails with ErrRange, in both directions. A failed
// read gives lo, so that what indexes by the value stays within bounds.
func (s *Stream) Int(v *int, lo, hi int) {
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

// varWidths are the sizes of Var. The class, its index, is written first: that
// many ones and, but for the last, a zero.
var varWidths = [...]int{4, 8, 16, 32, 64}

// Var is an unsigned integer in 5, 10, 19, 36 or 68 bits: for values below
// 2^4, 2^8, 2^16, 2^32 and 2^64. A reader refuses a form longer than needed
// with ErrRange, so that every value has one form.
func (s *Stream) Var(v *uint64) {
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

// varBits returns how many bits Var takes for v.
func varBits(v uint64) int {
	class := varClass(v)
	return min(class+1, len(varWidths)-1) + varWidths[class]
}

func (s *Stream) readVar() uint64 {
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

// Gamma is an Elias gamma code: for v in 2^k..2^(k+1)-1, k zeros, a one and
// the k low bits of v, 2k+1 bits in all. Writing 0 fails with ErrRange; only a
// failed read gives 0.
func (s *Stream) Gamma(v *uint64) {
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

func (s *Stream) readGamma() uint64 {
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
