package bitstream

import "math/bits"

// Rice codes an unsigned integer as the Rice code of parameter k, 0..32: v>>k
// ones, a zero, then the k low bits. It takes v>>k + 1 + k bits and suits numbers
// that are mostly below 2^(k+1). A failed read returns 0.
func (s *Codec) Rice(v *uint32, k int) {
	switch {
	case uint(k) > 32:
		s.Fail(ErrRange)
		if s.reading {
			*v = 0
		}
	case s.reading:
		*v = s.readRice(k)
	default:
		s.writeRice(uint64(*v), k)
	}
}

func (s *Codec) writeRice(v uint64, k int) {
	if v>>k >= uint64(s.Left()) {
		s.Fail(ErrFull)
		return
	}
	ones := int(v >> k)
	for ; ones >= 32; ones -= 32 {
		s.write(1<<32-1, 32)
	}
	low := v & (1<<k - 1)
	s.write(low<<(ones+1)|(1<<ones-1), ones+1+k)
}

func (s *Codec) readRice(k int) uint32 {
	high := uint64(0)
	word := s.at(s.pos)
	run := bits.TrailingZeros64(^word)
	if n := run + 1 + k; n <= 32 && n <= s.end-s.pos { // the usual case
		s.pos += n
		return uint32(run)<<k | uint32(word>>(run+1))&(1<<k-1)
	}
	for ; run == 64 && s.err == nil; run = bits.TrailingZeros64(^s.at(s.pos)) {
		s.read(64)
		high += 64
	}
	high += uint64(run)
	var low uint64
	if run+1+k <= 64 { // all of it at once
		low = s.read(run+1+k) >> (run + 1)
	} else {
		s.read(run + 1)
		low = s.read(k)
	}
	v := high<<k | low
	if v>>32 != 0 || s.err != nil {
		s.Fail(ErrRange)
		return 0
	}
	return uint32(v)
}

// Golomb codes an unsigned integer as the exponential-Golomb code of an order,
// 0..31. This is the Gamma code of v + 2^order, with order fewer zeros. For v
// below 2^order it takes order+1 bits, and two more each time the sum doubles. A
// failed read returns 0.
func (s *Codec) Golomb(v *uint32, order int) {
	switch {
	case uint(order) > 31:
		s.Fail(ErrRange)
		if s.reading {
			*v = 0
		}
	case s.reading:
		*v = s.readGolomb(order)
	default:
		s.writeGolomb(uint64(*v)+1<<order, order)
	}
}

func (s *Codec) writeGolomb(x uint64, order int) {
	n := bits.Len64(x) - 1
	zeros := n - order
	low := x & (1<<n - 1)
	if zeros+1+n <= 64 { // all of it at once
		s.write(low<<(zeros+1)|1<<zeros, zeros+1+n)
		return
	}
	if zeros+1+n > s.Left() {
		s.Fail(ErrFull)
		return
	}
	s.write(1<<zeros, zeros+1)
	s.write(low, n)
}

func (s *Codec) readGolomb(order int) uint32 {
	zeros := bits.TrailingZeros64(s.at(s.pos))
	if zeros > 32 {
		if s.Left() > 32 {
			s.Fail(ErrRange) // a code of a 32-bit value has at most 32 zeros
		}
		zeros = 32 // otherwise the bits end before the one
	}
	n := zeros + order
	var low uint64
	if zeros+1+n <= 64 { // all of it at once
		low = s.read(zeros+1+n) >> (zeros + 1)
	} else {
		s.read(zeros + 1)
		low = s.read(n)
	}
	v := 1<<n + low - 1<<order
	if v>>32 != 0 || s.err != nil {
		s.Fail(ErrRange)
		return 0
	}
	return uint32(v)
}
