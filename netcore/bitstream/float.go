package bitstream

import "math"

// In this file products and quotients are converted to float64 before they are
// added to anything. The conversion forbids fused multiply-add, because that
// rounds differently. So every processor writes the same bits and reads the same
// values.

// Float codes a number of 0..1 in n bits, n = 1..52. It rounds to the nearest of
// 2^n-1 equidistant values, for n = 1 to 0 or 1. The values 0, 1/2 (from n = 2)
// and 1 are exact. Writing clamps to 0..1, and NaN to 0. Reading the one unused
// code fails with ErrRange.
func (s *Codec) Float(v *float64, n int) {
	if uint(n-1) >= 52 {
		s.Fail(ErrRange)
		return
	}
	steps := int64(1)<<n - 2
	if n == 1 {
		steps = 1
	}
	if !s.reading {
		s.write(uint64(int64(float64(clamp(*v, 0, 1)*float64(steps))+0.5)), n)
		return
	}
	*v = float64(s.readCode(steps, n)) / float64(steps)
}

// SignedFloat codes a number of -1..1 in n bits, n = 2..52. The values -1, 0 and
// 1 are exact, and rounding is symmetric for v and -v. Writing clamps to -1..1,
// and NaN to 0. Reading the one unused code fails with ErrRange. A failed read
// returns 0.
func (s *Codec) SignedFloat(v *float64, n int) {
	if uint(n-2) >= 51 {
		s.Fail(ErrRange)
		return
	}
	half := int64(1)<<(n-1) - 1
	if !s.reading {
		x := float64(clamp(*v, -1, 1) * float64(half))
		s.write(uint64(half+int64(x+math.Copysign(0.5, x))), n)
		return
	}
	code := s.readCode(2*half, n)
	if s.err != nil {
		code = half
	}
	*v = float64(code-half) / float64(half)
}

// readCode reads n bits. It fails with ErrRange and returns 0 if they exceed top.
func (s *Codec) readCode(top int64, n int) int64 {
	code := int64(s.read(n))
	if code > top {
		s.Fail(ErrRange)
		return 0
	}
	return code
}

// Float32 codes any float32 as its 32 bits.
func (s *Codec) Float32(v *float32) {
	if s.reading {
		*v = math.Float32frombits(uint32(s.read(32)))
	} else {
		s.write(uint64(math.Float32bits(*v)), 32)
	}
}

// Float64 codes any float64 as its 64 bits.
func (s *Codec) Float64(v *float64) {
	if s.reading {
		*v = math.Float64frombits(s.read(64))
	} else {
		s.write(math.Float64bits(*v), 64)
	}
}

// clamp returns v limited to lo..hi, and 0 for NaN.
func clamp(v, lo, hi float64) float64 {
	switch {
	case v < lo:
		return lo
	case v > hi:
		return hi
	case v != v:
		return 0
	}
	return v
}
