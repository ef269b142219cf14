package bitstream

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// A primitive draws a value and returns what both ends do with it: write it to
// a writing stream; read it from a reading one and, if there was no error,
// compare.
type primitive struct {
	name string
	draw func(r *rand.Rand) func(t require.TestingT, s *Codec)
}

// exact is a primitive whose value comes back as it was.
func exact[T any](name string, draw func(r *rand.Rand) T, op func(s *Codec, v *T)) primitive {
	return near(name, draw, op, func(t require.TestingT, want, got T) { require.Equal(t, want, got) })
}

// near is a primitive whose value comes back as same accepts it.
func near[T any](name string, draw func(r *rand.Rand) T, op func(s *Codec, v *T), same func(t require.TestingT, want, got T)) primitive {
	return primitive{name, func(r *rand.Rand) func(require.TestingT, *Codec) {
		want := draw(r)
		return func(t require.TestingT, s *Codec) {
			if !s.Reading() {
				op(s, &want)
				return
			}
			var got T
			op(s, &got)
			if s.Err() == nil {
				same(t, want, got)
			}
		}
	}}
}

// checkLength accepts what differs by at most tolerance in every coordinate.
func checkLength(tolerance float64) func(t require.TestingT, want, got [3]float64) {
	return func(t require.TestingT, want, got [3]float64) {
		require.InDeltaSlice(t, want[:], got[:], tolerance)
	}
}

func number(tolerance float64) func(t require.TestingT, want, got float64) {
	return func(t require.TestingT, want, got float64) { require.InDelta(t, want, got, tolerance) }
}

func drawUint(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) }

func drawBytes(r *rand.Rand) []byte {
	var b []byte
	for range r.IntN(40) {
		b = append(b, byte(r.Uint32()))
	}
	return b
}

var words = strings.Fields("flag Base attack the 42 go! base/server/main.lua base/server/ctf.lua über \x00\xff @~")

func drawText(r *rand.Rand) string {
	if r.IntN(4) == 0 {
		return string(drawBytes(r))
	}
	var text []string
	for range r.IntN(8) {
		text = append(text, words[r.IntN(len(words))])
	}
	return strings.Join(text, " ")
}

func drawVector(size float64) func(r *rand.Rand) [3]float64 {
	return func(r *rand.Rand) (v [3]float64) {
		size := size * math.Exp2(-float64(r.IntN(8)))
		for i := range v {
			v[i] = (2*r.Float64() - 1) * size
		}
		return v
	}
}

func drawNormal(r *rand.Rand) [3]float64 {
	v := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
	if r.IntN(3) == 0 { // a great circle through an axis
		v[r.IntN(3)] = 0
	}
	length := norm(&v)
	return [3]float64{v[0] / length, v[1] / length, v[2] / length}
}

var origin = [3]float64{100, -20, 3}

var primitives = []primitive{
	exact("Flag", func(r *rand.Rand) bool { return r.IntN(2) == 0 }, func(s *Codec, v *bool) { s.Flag(v) }),
	exact("Bits1", func(r *rand.Rand) uint64 { return r.Uint64N(2) }, func(s *Codec, v *uint64) { s.Bits(v, 1) }),
	exact("Bits57", func(r *rand.Rand) uint64 { return r.Uint64N(1 << 57) }, func(s *Codec, v *uint64) { s.Bits(v, 57) }),
	exact("Bits64", (*rand.Rand).Uint64, func(s *Codec, v *uint64) { s.Bits(v, 64) }),
	exact("Uint18", func(r *rand.Rand) uint32 { return r.Uint32N(1 << 18) }, func(s *Codec, v *uint32) { s.Uint(v, 18) }),
	exact("Uint32", (*rand.Rand).Uint32, func(s *Codec, v *uint32) { s.Uint(v, 32) }),
	exact("Int", func(r *rand.Rand) int { return r.IntN(101) - 50 }, func(s *Codec, v *int) { s.Int(v, -50, 50) }),
	exact("IntAll", func(r *rand.Rand) int { return int(r.Uint64()) }, func(s *Codec, v *int) { s.Int(v, math.MinInt, math.MaxInt) }),
	exact("Var", drawUint, func(s *Codec, v *uint64) { s.Var(v) }),
	exact("Gamma", func(r *rand.Rand) uint64 { return max(1, drawUint(r)) }, func(s *Codec, v *uint64) { s.Gamma(v) }),
	exact("Rice0", func(r *rand.Rand) uint32 { return r.Uint32N(200) }, func(s *Codec, v *uint32) { s.Rice(v, 0) }),
	exact("Rice5", func(r *rand.Rand) uint32 { return r.Uint32N(4000) }, func(s *Codec, v *uint32) { s.Rice(v, 5) }),
	exact("Rice32", (*rand.Rand).Uint32, func(s *Codec, v *uint32) { s.Rice(v, 32) }),
	exact("Golomb0", func(r *rand.Rand) uint32 { return r.Uint32() >> r.IntN(32) }, func(s *Codec, v *uint32) { s.Golomb(v, 0) }),
	exact("Golomb3", func(r *rand.Rand) uint32 { return r.Uint32() >> r.IntN(32) }, func(s *Codec, v *uint32) { s.Golomb(v, 3) }),
	exact("Golomb31", (*rand.Rand).Uint32, func(s *Codec, v *uint32) { s.Golomb(v, 31) }),
	near("Float", (*rand.Rand).Float64, func(s *Codec, v *float64) { s.Float(v, 7) }, number(0.5/126+1e-15)),
	near("Float52", (*rand.Rand).Float64, func(s *Codec, v *float64) { s.Float(v, 52) }, number(0x1p-52)),
	near("SignedFloat", func(r *rand.Rand) float64 { return 2*r.Float64() - 1 }, func(s *Codec, v *float64) { s.SignedFloat(v, 7) }, number(0.5/63+1e-15)),
	exact("Float32", func(r *rand.Rand) float32 { return float32(r.NormFloat64()) }, func(s *Codec, v *float32) { s.Float32(v) }),
	exact("Float64", (*rand.Rand).NormFloat64, func(s *Codec, v *float64) { s.Float64(v) }),
	near("Normal", drawNormal, func(s *Codec, v *[3]float64) { s.Normal(v, 10) }, checkLength(0.004)),
	near("Vector", drawVector(100), func(s *Codec, v *[3]float64) { s.Vector(v, 80, 10) }, checkLength(0.25)),
	near("Point", drawVector(300), func(s *Codec, v *[3]float64) { s.Point(v, origin, 0.001) }, checkLength(0.0005+1e-9)),
	near("PointFar", drawVector(5000), func(s *Codec, v *[3]float64) { s.Point(v, origin, 0.001) }, checkLength(0.0005+1e-9)),
	exact("Bytes", drawBytes, func(s *Codec, v *[]byte) { s.Bytes(v, 40) }),
	exact("Text", drawText, func(s *Codec, v *string) { s.Text(v, 255) }),
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		buf := make([]byte, 2000)
		for i := range buf { // whatever was there before must not matter
			buf[i] = byte(r.Uint32())
		}
		w := NewWriter(buf)
		var items []func(require.TestingT, *Codec)
		var ends []int
		for range 1 + r.IntN(20) {
			item := primitives[r.IntN(len(primitives))].draw(r)
			item(t, &w.Codec)
			items, ends = append(items, item), append(ends, w.Pos())
		}
		require.NoError(t, w.Err())
		rd := NewReader(w.Bytes())
		for i, item := range items {
			item(t, &rd.Codec)
			require.NoError(t, rd.Err(), "seed %d", seed)
			require.Equal(t, ends[i], rd.Pos(), "seed %d", seed)
		}
		require.Less(t, rd.Left(), 8)
		require.Zero(t, rd.ReadBits(rd.Left()), "the spare bits")
	}
}

// TestTruncated offers each primitive every number of bits less than it needs.
func TestTruncated(t *testing.T) {
	for _, p := range primitives {
		t.Run(p.name, func(t *testing.T) {
			for seed := range testenv.Seeds(t, 12, 60) {
				r := rand.New(rand.NewPCG(seed, 2))
				before, item := r.IntN(9), p.draw(r)
				w := NewWriter(make([]byte, 1000))
				w.WriteBits(0, before)
				item(t, &w.Codec)
				size := w.Pos()
				for cut := before; cut < size; cut++ {
					rd := NewReader(w.Bytes())
					rd.end = cut
					rd.ReadBits(before)
					item(t, &rd.Codec)
					require.Equal(t, ErrShort, rd.Err(), "%d of %d bits", cut, size)
					require.Zero(t, rd.Left())
					require.LessOrEqual(t, rd.Pos(), cut)

					full := NewWriter(make([]byte, 1000))
					full.Limit(cut)
					full.WriteBits(0, before)
					item(t, &full.Codec)
					require.Equal(t, ErrFull, full.Err(), "room for %d of %d bits", cut, size)
					require.LessOrEqual(t, full.Pos(), cut)
				}
			}
		})
	}
}

// TestBufferEnds writes and reads up to the last byte of buffers too short for
// eight bytes at once.
func TestBufferEnds(t *testing.T) {
	for size := range 20 {
		for n := 1; n <= 64; n++ {
			r := rand.New(rand.NewPCG(uint64(size), uint64(n)))
			w := NewWriter(make([]byte, size))
			var want []uint64
			for w.Left() >= n {
				want = append(want, r.Uint64()>>(64-n))
				w.WriteBits(want[len(want)-1], n)
			}
			require.NoError(t, w.Err())
			rd := NewReader(w.Bytes())
			for _, v := range want {
				require.Equal(t, v, rd.ReadBits(n))
			}
			require.NoError(t, rd.Err())
		}
	}
}

func TestNoAllocation(t *testing.T) {
	buf := make([]byte, 2000)
	r := rand.New(rand.NewPCG(3, 3))
	var w Writer
	var rd Reader
	for _, p := range primitives {
		item := p.draw(r)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			w.Reset(buf)
			item(t, &w.Codec)
		}), p.name)
	}
	flag, u, i, v, f := true, uint32(5), 7, uint64(9), 0.5
	f32, vec := float32(1), [3]float64{0, 0, 1}
	all := func(s *Codec) {
		s.Flag(&flag)
		s.Uint(&u, 18)
		s.Int(&i, 0, 9)
		s.Bits(&v, 9)
		s.Var(&v)
		s.Gamma(&v)
		s.Rice(&u, 3)
		s.Golomb(&u, 2)
		s.Float(&f, 9)
		s.SignedFloat(&f, 9)
		s.Float32(&f32)
		s.Float64(&f)
		s.Normal(&vec, 9)
		s.Vector(&vec, 9, 9)
		s.Point(&vec, origin, 0.01)
	}
	w.Reset(buf)
	all(&w.Codec)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		rd.Reset(w.Bytes())
		all(&rd.Codec)
	}))
	require.NoError(t, rd.Err())
}

// TestWritingNeverStores lets two writers pack the same values at once: the
// race detector sees a store even if it changes nothing.
func TestWritingNeverStores(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var items []func(require.TestingT, *Codec)
	for _, p := range primitives {
		items = append(items, p.draw(r))
	}
	packed := make(chan string)
	for range 2 {
		go func() {
			w := NewWriter(make([]byte, 2000))
			for _, item := range items {
				item(t, &w.Codec)
			}
			packed <- string(w.Bytes())
		}()
	}
	require.Equal(t, <-packed, <-packed)
}
