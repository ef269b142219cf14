package sim

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// encoding is the way to convert a number to a code.
type encoding uint8

const (
	exactForm  encoding = iota // the 64 bits of the float
	wholeForm                  // offset from the lowest number
	signedForm                 // a fraction of a range around 0, which contains -hi, 0 and hi exactly
	rangeForm                  // a fraction of any other range
	stepForm                   // multiples of a step
	turnForm                   // an angle in degrees, as a fraction of a turn
)

// A scale converts a number of a field to a code of a fixed width, and back. No other code rounds
// numbers, so all coders of a field produce the same bits. Products are converted to float64 before
// an addition, as in bitstream, so that all processors produce the same result.
type scale struct {
	form    encoding
	bits    int
	lo, hi  float64
	top     uint64  // the highest code
	steps   float64 // signedForm, rangeForm: number of steps from 0, or lo, to hi; turnForm: in a turn
	first   int64   // stepForm: the multiple with code 0
	num     float64 // stepForm: the step is num/den: a step of 1/100
	den     float64 // then gives exactly the decimal numbers with two digits
	perStep float64 // stepForm: den/num
}

// maxStep is the limit of the multiples of a step: rounding keeps multiples below it distinct.
const maxStep = 1 << 48

// newScale returns the scale of a valid field.
func newScale(f *Field) (scale, error) {
	s := scale{bits: 64, lo: f.Lo, hi: f.Hi, top: math.MaxUint64}
	switch {
	case f.Kind != KindNumber && f.Kind != KindVec && f.Kind != KindRot:
		return s, nil
	case f.Whole:
		s.form, s.top = wholeForm, uint64(int64(f.Hi))-uint64(int64(f.Lo))
		s.bits = max(bits.Len64(s.top), 1)
	case f.Step != 0:
		return s, s.setStep(f.Step)
	case f.Bits == 0:
	case f.Kind == KindRot:
		s.form, s.bits, s.top, s.steps = turnForm, f.Bits, 1<<f.Bits-1, float64(uint64(1)<<f.Bits)
	case f.Lo == -f.Hi:
		half := uint64(1)<<(f.Bits-1) - 1
		s.form, s.bits, s.top, s.steps = signedForm, f.Bits, 2*half, float64(half)
	default:
		s.form, s.bits, s.top = rangeForm, f.Bits, 1<<f.Bits-2
		s.steps = float64(s.top)
	}
	return s, nil
}

// setStep makes the codes count the multiples of a step within the range.
func (s *scale) setStep(step float64) error {
	s.form, s.num, s.den = stepForm, step, 1
	if n := math.Round(1 / step); n > 1 && math.Abs(n*step-1) < 1e-9 {
		s.num, s.den = 1, n
	}
	s.perStep = s.den / s.num
	lo, hi := s.lo*s.perStep, s.hi*s.perStep
	if !(lo >= -maxStep && hi <= maxStep) {
		return errors.New("its range has too many steps")
	}
	first, last := int64(math.Floor(lo)), int64(math.Ceil(hi))
	for s.multiple(first) < s.lo {
		first++
	}
	for s.multiple(last) > s.hi {
		last--
	}
	if first > last {
		return fmt.Errorf("its range contains no multiple of %s", printNumber(step))
	}
	s.first, s.top = first, uint64(last-first)
	if s.bits = max(bits.Len64(s.top), 1); s.bits > 32 {
		return fmt.Errorf("its range has too many steps: they take %d bits, the maximum is 32", s.bits)
	}
	return nil
}

func (s *scale) multiple(k int64) float64 { return float64(float64(k)*s.num) / s.den }

// smooth reports whether near numbers have near codes.
func (s *scale) smooth() bool { return s.form >= signedForm }

// code returns the code of x, or of the nearest number in the range; only Go code can store a
// number outside it. NaN counts as 0. Use whole for fields of whole numbers.
func (s *scale) code(x float64) uint64 {
	if x != x {
		x = 0
	}
	switch s.form {
	case stepForm:
		return s.nearest(float64(x*s.perStep) - float64(s.first))
	case signedForm:
		part := x / s.hi
		if part < 0 {
			return uint64(s.steps) - uint64(float64(min(-part, 1)*s.steps)+0.5)
		}
		return uint64(s.steps) + uint64(float64(min(part, 1)*s.steps)+0.5)
	case rangeForm:
		return s.nearest(float64((x - s.lo) / (s.hi - s.lo) * s.steps))
	case turnForm:
		if math.IsInf(x, 0) {
			x = 0
		}
		turns := x / 360
		return uint64(float64((turns-math.Floor(turns))*s.steps)+0.5) & s.top
	}
	if x < s.lo || x > s.hi || math.IsInf(x, 0) {
		x = max(min(x, s.hi, math.MaxFloat64), s.lo, -math.MaxFloat64)
	}
	return math.Float64bits(x)
}

// nearest returns the code nearest to x.
func (s *scale) nearest(x float64) uint64 {
	if x <= 0 {
		return 0
	}
	if code := x + 0.5; code < float64(s.top) {
		return uint64(code)
	}
	return s.top
}

// whole is code for whole numbers.
func (s *scale) whole(x int) uint64 {
	return uint64(max(min(x, int(s.hi)), int(s.lo))) - uint64(int(s.lo))
}

// value returns the number with this code. ok is false if the code is invalid. Even if ok is true,
// the number can be out of the range.
func (s *scale) value(code uint64) (x float64, ok bool) {
	if code > s.top {
		return 0, false
	}
	switch s.form {
	case exactForm:
		return math.Float64frombits(code), true
	case wholeForm:
		return float64(int64(code) + int64(s.lo)), true
	case signedForm:
		return float64(float64(int64(code)-int64(s.steps)) / s.steps * s.hi), true
	case rangeForm:
		part := float64(code) / s.steps
		return min(s.lo+float64(part*(s.hi-s.lo)), s.hi), true
	case stepForm:
		return s.multiple(s.first + int64(code)), true
	}
	return float64(float64(code) / s.steps * 360), true
}

// Rounded returns x, a number of the field or one of its components, as it arrives over the wire.
// Both sides can compute identical results from it.
func (f *Field) Rounded(x float64) float64 {
	if f.Whole || f.scale.bits == 0 {
		return x
	}
	rounded, _ := f.scale.value(f.scale.code(x))
	return rounded
}
