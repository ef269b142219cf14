package bitstream

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pass writes with op what v points to, reads it back into v and returns the bits.
func pass[T any](t *testing.T, v *T, op func(s *Codec, v *T)) []byte {
	w := writer()
	op(&w.Codec, v)
	require.NoError(t, w.Err())
	r := NewReader(w.Bytes())
	op(&r.Codec, v)
	require.NoError(t, r.Err())
	return w.Bytes()
}

func TestFloatExact(t *testing.T) {
	for n := 1; n <= 52; n++ {
		op := func(s *Codec, v *float64) { s.Float(v, n) }
		for in, want := range map[float64]float64{
			0: 0, 0.5: 0.5, 1: 1, -3: 0, 7: 1, math.Inf(-1): 0, math.Inf(1): 1, math.NaN(): 0, math.SmallestNonzeroFloat64: 0,
		} {
			if n == 1 && in == 0.5 {
				continue // there is no code for it
			}
			v := in
			pass(t, &v, op)
			assert.Equal(t, want, v, "%v in %d bits", in, n)
		}
	}
}

func TestSignedFloatExact(t *testing.T) {
	for n := 2; n <= 52; n++ {
		op := func(s *Codec, v *float64) { s.SignedFloat(v, n) }
		for in, want := range map[float64]float64{
			-1: -1, 0: 0, 1: 1, -3: -1, 7: 1, math.Inf(-1): -1, math.Inf(1): 1, math.NaN(): 0,
		} {
			v := in
			pass(t, &v, op)
			assert.Equal(t, want, v, "%v in %d bits", in, n)
		}
	}
}

// TestFloatCodes reads every code and writes the value again: rounding must
// come back to the same bits, and a value is nearer to its own code than to
// any other.
func TestFloatCodes(t *testing.T) {
	for n := 2; n <= 11; n++ {
		for _, op := range []func(s *Codec, v *float64){
			func(s *Codec, v *float64) { s.Float(v, n) },
			func(s *Codec, v *float64) { s.SignedFloat(v, n) },
		} {
			last := math.Inf(-1)
			for code := range uint64(1)<<n - 1 {
				w := writer()
				w.WriteBits(code, n)
				r := NewReader(w.Bytes())
				var v float64
				op(&r.Codec, &v)
				require.NoError(t, r.Err())
				require.Greater(t, v, last)
				if code > 0 { // a little to either side of the middle
					for side, want := range map[float64]float64{0.499: last, 0.501: v} {
						x := last + side*(v-last)
						pass(t, &x, op)
						require.Equal(t, want, x)
					}
				}
				last = v
				require.Equal(t, w.Bytes(), pass(t, &v, op))
			}
		}
	}
}

func TestNormalAxes(t *testing.T) {
	for n := 2; n <= 52; n++ {
		for axis := range 3 {
			for _, sign := range []float64{-1, 1} {
				var v [3]float64
				v[axis] = sign
				want := v
				pass(t, &v, func(s *Codec, v *[3]float64) { s.Normal(v, n) })
				assert.Equal(t, want, v, "%d bits", n)
			}
		}
	}
}

func TestNormalIsUnit(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 5000 {
		n := 3 + r.IntN(20)
		v := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		length := norm(&v)
		want := v
		pass(t, &v, func(s *Codec, v *[3]float64) { s.Normal(v, n) })
		require.InDelta(t, 1, norm(&v), 1e-12)
		cos := (v[0]*want[0] + v[1]*want[1] + v[2]*want[2]) / length
		require.GreaterOrEqual(t, cos, math.Cos(math.Min(3/math.Exp2(float64(n-1)), math.Pi)), "%v in %d bits", want, n)
	}
}

func TestNormalWithoutDirection(t *testing.T) {
	for _, v := range [][3]float64{{}, {math.NaN(), 1, 0}, {math.Inf(1), 0, 0}, {0, math.Inf(-1), math.Inf(1)}} {
		pass(t, &v, func(s *Codec, v *[3]float64) { s.Normal(v, 9) })
		assert.Equal(t, [3]float64{0, 0, 1}, v)
	}
}

func TestNotFinite(t *testing.T) {
	in := [3]float64{math.NaN(), math.Inf(-1), 1e300}
	want := [3]float64{0, -math.MaxFloat32, math.MaxFloat32}
	v := in
	pass(t, &v, func(s *Codec, v *[3]float64) { s.Vector(v, 10, 9) })
	assert.Equal(t, want, v)
	v = in
	pass(t, &v, func(s *Codec, v *[3]float64) { s.Point(v, origin, 0.01) })
	assert.Equal(t, want, v)
}

func TestVectorLength(t *testing.T) {
	op := func(s *Codec, v *[3]float64) { s.Vector(v, 50, 12) }
	for _, length := range []float64{0.05, 1, 10, 49.99, 50} {
		v := [3]float64{0, 0, -length}
		pass(t, &v, op)
		assert.InDelta(t, -length, v[2], 0.5*50/4094+1e-9)
		assert.Zero(t, v[0])
	}
	v := [3]float64{64, -0.25, 8} // exact in a float32
	pass(t, &v, op)
	assert.Equal(t, [3]float64{64, -0.25, 8}, v)
}

// TestPointGrid checks the rounding at the borders of all classes, and that a
// point that was read is written in the same bits.
func TestPointGrid(t *testing.T) {
	op := func(s *Codec, v *[3]float64) { s.Point(v, origin, 0.25) }
	for _, steps := range []float64{0, 1, -1, 1<<15 - 1, 1 << 15, -(1<<15 - 1), -1 << 15, 1<<17 - 1, 1 << 17, 1<<19 - 1, -(1<<19 - 1)} {
		for _, off := range []float64{-0.12, 0, 0.12} {
			v := [3]float64{origin[0] + steps*0.25 + off, origin[1], origin[2] - steps*0.25}
			bits := pass(t, &v, op)
			require.Equal(t, [3]float64{origin[0] + steps*0.25, origin[1], origin[2] - steps*0.25}, v)
			require.Equal(t, bits, pass(t, &v, op))
		}
	}
}
