package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

func scaleOf(t testing.TB, f Field) scale {
	require.NoError(t, f.valid(NetClass))
	s, err := newScale(&f)
	require.NoError(t, err)
	return s
}

func floatOf(lo, hi float64) Field {
	return FloatField("x", 1, lo, hi, func(t *testObject) *float64 { return &t.energy })
}

// TestScaleMatchesBitstreamFloat checks that scale and bitstream encode a value of a range with
// the same bits.
func TestScaleMatchesBitstreamFloat(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 31))
	buf := make([]byte, 8)
	for _, hi := range []float64{1, 50, 0.3} {
		for _, n := range []int{2, 7, 12, 18, 32} {
			signed, ranged := scaleOf(t, floatOf(-hi, hi).WithBits(n)), scaleOf(t, floatOf(0, hi).WithBits(n))
			for i := range 300 {
				x := []float64{0, hi, -hi, hi / 2, hi * 2, math.NaN(), math.Inf(-1)}[i%7]
				if i >= 7 {
					x = hi * (2*rng.Float64() - 1)
				}
				out := bitstream.NewWriter(buf)
				part := x / hi
				out.SignedFloat(&part, n)
				require.Equal(t, bitstream.NewReader(out.Bytes()).ReadBits(n), signed.code(x), "%g of ±%g in %d", x, hi, n)
				bitstream.NewReader(out.Bytes()).SignedFloat(&part, n)
				require.Equal(t, float64(part*hi), signed.at(signed.code(x)))

				out.Reset(buf)
				part = x / hi
				out.Float(&part, n)
				require.Equal(t, bitstream.NewReader(out.Bytes()).ReadBits(n), ranged.code(x), "%g of 0 to %g in %d", x, hi, n)
				bitstream.NewReader(out.Bytes()).Float(&part, n)
				require.Equal(t, min(float64(part*hi), hi), ranged.at(ranged.code(x)))
			}
		}
	}
}

// TestScales checks that a decoded value is in range, near the original, and encodes to the same
// code.
func TestScales(t *testing.T) {
	rot := RotField("x", 1, func(t *testObject) *Rot { return &t.turn })
	for _, c := range []struct {
		field Field
		bits  int
		error float64 // maximum error of a value in the range
	}{
		{floatOf(0, 100), 64, 0},
		{floatOf(math.Inf(-1), math.Inf(1)), 64, 0},
		{floatOf(0, 1).WithBits(8), 8, 1 / 254.0 / 2},
		{floatOf(-10, 30).WithBits(12), 12, 40 / 4094.0 / 2},
		{floatOf(-50, 50).WithBits(12), 12, 50 / 2047.0 / 2},
		{floatOf(-1000, 1000).WithStep(0.01), 18, 0.005},
		{floatOf(-65536, 65536).WithStep(0.01), 24, 0.005},
		{floatOf(0, 1).WithStep(0.3), 2, 0.15},
		{floatOf(7, 8).WithStep(0.25), 3, 0.125},
		{floatOf(-5, 5).WithStep(10), 1, 5},
		{IntField("x", 1, 0, 7, func(t *testObject) *int { return &t.slot }), 3, 0},
		{IntField("x", 1, -5, 100, func(t *testObject) *int { return &t.slot }), 7, 0},
		{IntField("x", 1, 3, 3, func(t *testObject) *int { return &t.slot }), 1, 0},
		{IntField("x", 1, -maxWhole, maxWhole, func(t *testObject) *int { return &t.slot }), 55, 0},
		{rot, 64, 0},
		{rot.WithBits(10), 10, 360 / 1024.0 / 2},
	} {
		s := scaleOf(t, c.field)
		assert.Equal(t, c.bits, s.bits)
		assert.Equal(t, c.field.Bits != 0 || c.field.Step != 0, s.smooth())
		rng := rand.New(rand.NewPCG(2, 32))
		lo, hi := max(c.field.Lo, -1e6), min(c.field.Hi, 1e6)
		for i := range 500 {
			x := lo + (hi-lo)*rng.Float64()
			switch {
			case i == 0:
				x = lo
			case i == 1:
				x = hi
			case i == 2 && lo <= 0 && hi >= 0:
				x = 0
			}
			if c.field.Whole {
				x = math.Round(x)
			}
			code := codeOf(&s, x)
			require.LessOrEqual(t, bitsOf(code), c.bits)
			y, ok := s.value(code)
			require.True(t, ok && c.field.holds(y), "%g came back as %g", x, y)
			away := math.Abs(x - y)
			if c.field.Kind == KindRot && c.field.Bits != 0 {
				away = math.Abs(math.Remainder(x-y, 360))
			}
			edge := 0.0
			if c.field.Step != 0 { // the range can end between two steps
				edge = c.field.Step / 2
			}
			require.LessOrEqual(t, away, c.error+edge+1e-9, "%g came back as %g", x, y)
			require.Equal(t, code, codeOf(&s, y), "%g, once it is %g, stays that", x, y)
			if x == 0 && c.field.Lo == -c.field.Hi {
				require.Zero(t, y, "0 is exact")
			}
		}
	}
}

// codeOf returns the code of x for a field of any form.
func codeOf(s *scale, x float64) uint64 {
	if s.form == wholeForm {
		return s.whole(int(max(min(x, 1e15), -1e15)))
	}
	return s.code(x)
}

func bitsOf(code uint64) (n int) {
	for ; code > 0; code >>= 1 {
		n++
	}
	return n
}

// TestStepsAreExactDecimals checks that hundredths decode to their literals.
func TestStepsAreExactDecimals(t *testing.T) {
	s := scaleOf(t, floatOf(-1000, 1000).WithStep(0.01))
	for _, x := range []float64{0, 0.07, 0.29, -1.1, 999.99, -1000, 1000, 123.45} {
		assert.Equal(t, x, s.at(s.code(x)))
	}
	for k := range 1000 {
		assert.Equal(t, float64(k)/100, s.at(s.code(float64(k)/100)))
	}
	assert.Equal(t, 0.07, s.at(s.code(0.0749)))
	assert.Equal(t, -0.07, s.at(s.code(-0.0749)))
	neighbours := s.code(0.08) - s.code(0.07)
	assert.Equal(t, uint64(1), neighbours)
}

func TestFullTurnWraps(t *testing.T) {
	s := scaleOf(t, RotField("x", 1, func(t *testObject) *Rot { return &t.turn }).WithBits(10))
	for _, x := range []float64{359.9, 360, -0.1, 720, 1e6 * 360} {
		assert.Zero(t, s.code(x), "%g", x)
	}
	assert.Equal(t, uint64(1023), s.code(-360.0/1024))
}

func TestScaleClampsInvalidValues(t *testing.T) {
	inf := math.Inf(1)
	for _, f := range []Field{
		floatOf(-3, 100), floatOf(-inf, inf), floatOf(-3, 3).WithBits(5), floatOf(-3, 7).WithBits(5),
		floatOf(-3, 7).WithStep(0.1), IntField("x", 1, -3, 7, func(t *testObject) *int { return &t.slot }),
		RotField("x", 1, func(t *testObject) *Rot { return &t.turn }).WithBits(9),
	} {
		s := scaleOf(t, f)
		for _, x := range []float64{-4, 1000, inf, -inf, math.NaN(), math.MaxFloat64, -math.MaxFloat64} {
			y, ok := s.value(codeOf(&s, x))
			assert.True(t, ok && f.holds(y), "%g becomes %g in form %d", x, y, s.form)
		}
	}
	s := scaleOf(t, floatOf(-3, 100))
	assert.Equal(t, 100.0, s.at(s.code(inf)))
	assert.Equal(t, -3.0, s.at(s.code(-4)))
}

func TestScaleRejectsUnusedCodes(t *testing.T) {
	for _, c := range []struct {
		field Field
		code  uint64
	}{
		{floatOf(0, 1).WithBits(8), 255},
		{floatOf(-1, 1).WithBits(8), 255},
		{floatOf(0, 1).WithStep(0.3), 4},
		{IntField("x", 1, 0, 5, func(t *testObject) *int { return &t.slot }), 6},
	} {
		s := scaleOf(t, c.field)
		_, ok := s.value(c.code)
		assert.False(t, ok)
		_, ok = s.value(c.code - 1)
		assert.True(t, ok)
	}
}

func TestBadSteps(t *testing.T) {
	for _, c := range []struct {
		field Field
		want  string
	}{
		{floatOf(0, 1).WithStep(-1), `field "x": a step must be above 0, of a float or vec without width`},
		{floatOf(0, 1).WithStep(math.NaN()), `field "x": a step must be above 0, of a float or vec without width`},
		{floatOf(0, 1).WithStep(math.Inf(1)), `field "x": a step must be above 0, of a float or vec without width`},
		{floatOf(0, 1).WithBits(8).WithStep(1), `field "x": a step must be above 0, of a float or vec without width`},
		{RotField("x", 1, func(t *testObject) *Rot { return &t.turn }).WithStep(1), `field "x": a step must be above 0, of a float or vec without width`},
		{floatOf(0, math.Inf(1)).WithStep(1), `field "x": a step needs a finite range`},
		{floatOf(0, 1e9).WithStep(0.01), `field "x": its range has too many steps: they take 37 bits, the maximum is 32`},
		{floatOf(0, 1e300).WithStep(1e-300), `field "x": its range has too many steps`},
		{floatOf(1.1, 1.9).WithStep(1), `field "x": its range contains no multiple of 1`},
		{floatOf(1, 1).WithBits(8), `field "x": a width needs a range with different, not too distant ends`},
		{floatOf(-math.MaxFloat64, math.MaxFloat64).WithBits(8), `field "x": a width needs a range with different, not too distant ends`},
	} {
		class := Class{Name: "X", Parent: "NetObject", New: func() Object { return &testObject{energy: max(min(c.field.Hi, 0), c.field.Lo)} }, Fields: []Field{c.field}}
		assert.EqualError(t, testClasses(t).Register(class), "class X: "+c.want)
	}
}
