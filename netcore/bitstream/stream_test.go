package bitstream

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func writer() *Writer { return NewWriter(make([]byte, 1000)) }

// TestSizes pins how many bits each form takes.
func TestSizes(t *testing.T) {
	variable := func(v uint64) func(s *Codec) { return func(s *Codec) { s.Var(&v) } }
	gamma := func(v uint64) func(s *Codec) { return func(s *Codec) { s.Gamma(&v) } }
	rice := func(v uint32, k int) func(s *Codec) { return func(s *Codec) { s.Rice(&v, k) } }
	golomb := func(v uint32, order int) func(s *Codec) { return func(s *Codec) { s.Golomb(&v, order) } }
	ranged := func(lo, hi int) func(s *Codec) { return func(s *Codec) { v := lo; s.Int(&v, lo, hi) } }
	point := func(x float64) func(s *Codec) {
		return func(s *Codec) { s.Point(&[3]float64{x, 0, 0}, [3]float64{}, 0.5) }
	}
	vector := func(x float64) func(s *Codec) {
		return func(s *Codec) { s.Vector(&[3]float64{0, x, 0}, 100, 8) }
	}
	for _, c := range []struct {
		name string
		op   func(s *Codec)
		bits int
	}{
		{"flag", func(s *Codec) { v := true; s.Flag(&v) }, 1},
		{"nothing", func(s *Codec) { s.Bits(new(uint64), 0) }, 0},
		{"one value", ranged(7, 7), 0},
		{"two values", ranged(-1, 0), 1},
		{"4 values", ranged(0, 3), 2},
		{"5 values", ranged(0, 4), 3},
		{"all values", ranged(math.MinInt, math.MaxInt), 64},
		{"var 15", variable(15), 5}, {"var 16", variable(16), 10},
		{"var 255", variable(255), 10}, {"var 256", variable(256), 19},
		{"var 65535", variable(65535), 19}, {"var 65536", variable(65536), 36},
		{"var 2^32-1", variable(1<<32 - 1), 36}, {"var 2^32", variable(1 << 32), 68},
		{"gamma 1", gamma(1), 1}, {"gamma 2", gamma(2), 3}, {"gamma 8", gamma(8), 7},
		{"gamma most", gamma(math.MaxUint64), 127},
		{"rice 0", rice(0, 0), 1}, {"rice 7", rice(7, 0), 8}, {"rice 32+1+3", rice(32<<3+5, 3), 36},
		{"rice by 16", rice(65535, 16), 17}, {"rice whole", rice(math.MaxUint32, 32), 33},
		{"golomb 0", golomb(0, 0), 1}, {"golomb 1", golomb(1, 0), 3}, {"golomb 3", golomb(3, 0), 5},
		{"golomb 3 of order 2", golomb(3, 2), 3}, {"golomb 4 of order 2", golomb(4, 2), 5},
		{"golomb most", golomb(math.MaxUint32, 0), 65}, {"golomb most of order 31", golomb(math.MaxUint32, 31), 34},
		{"float", func(s *Codec) { s.Float(new(float64), 9) }, 9},
		{"signed float", func(s *Codec) { s.SignedFloat(new(float64), 9) }, 9},
		{"float32", func(s *Codec) { s.Float32(new(float32)) }, 32},
		{"float64", func(s *Codec) { s.Float64(new(float64)) }, 64},
		{"normal", func(s *Codec) { s.Normal(&[3]float64{0, 0, 1}, 9) }, 18},
		{"vector zero", vector(0), 1}, {"vector rounded to zero", vector(0.1), 1},
		{"vector", vector(-100), 26}, {"vector beyond", vector(100.1), 98},
		{"point near", point(16383.5), 50}, {"point", point(16383.8), 56},
		{"point further", point(-65536), 62}, {"point far", point(262144), 98},
		{"bytes", func(s *Codec) { v := []byte("abc"); s.Bytes(&v, 3) }, 29},
	} {
		w := writer()
		c.op(&w.Codec)
		require.NoError(t, w.Err(), c.name)
		assert.Equal(t, c.bits, w.Pos(), c.name)
	}
}

func TestLowestBitFirst(t *testing.T) {
	w := writer()
	w.WriteFlag(true)
	w.WriteBits(0b01, 2)
	w.WriteBits(0xABC, 12)
	require.Equal(t, []byte{0b11100_01_1, 0b0_1010101}, w.Bytes())
}

// TestRefused tries what a writer and a reader must not accept.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		op   func(s *Codec)
	}{
		{"bits not in n", func(s *Codec) { v := uint64(4); s.Bits(&v, 2) }},
		{"bits 65", func(s *Codec) { s.Bits(new(uint64), 65) }},
		{"bits -1", func(s *Codec) { s.Bits(new(uint64), -1) }},
		{"uint 33", func(s *Codec) { s.Uint(new(uint32), 33) }},
		{"int below", func(s *Codec) { v := 0; s.Int(&v, 1, 6) }},
		{"int above", func(s *Codec) { v := 7; s.Int(&v, 1, 6) }},
		{"int upside down", func(s *Codec) { v := 1; s.Int(&v, 2, 1) }},
		{"gamma 0", func(s *Codec) { s.Gamma(new(uint64)) }},
		{"float 0", func(s *Codec) { s.Float(new(float64), 0) }},
		{"float 53", func(s *Codec) { s.Float(new(float64), 53) }},
		{"signed float 1", func(s *Codec) { s.SignedFloat(new(float64), 1) }},
		{"signed float 53", func(s *Codec) { s.SignedFloat(new(float64), 53) }},
		{"normal 1", func(s *Codec) { s.Normal(new([3]float64), 1) }},
		{"vector of at most 0", func(s *Codec) { s.Vector(new([3]float64), 0, 8) }},
		{"vector of at most infinity", func(s *Codec) { s.Vector(new([3]float64), math.Inf(1), 8) }},
		{"vector of 1 bit", func(s *Codec) { s.Vector(new([3]float64), 9, 1) }},
		{"point without scale", func(s *Codec) { s.Point(new([3]float64), origin, math.NaN()) }},
		{"bytes too many", func(s *Codec) { v := []byte("abcd"); s.Bytes(&v, 3) }},
		{"text too long", func(s *Codec) { v := "abcd"; s.Text(&v, 3) }},
		{"text at most -1", func(s *Codec) { v := ""; s.Text(&v, -1) }},
	} {
		w := writer()
		c.op(&w.Codec)
		assert.Equal(t, ErrRange, w.Err(), c.name)
		assert.Zero(t, w.Left(), c.name)
		w.WriteBits(1, 1)
		assert.Empty(t, w.Bytes(), c.name)
	}
	for _, c := range []struct {
		name  string
		write func(w *Writer)
		read  func(s *Codec)
	}{
		{"int", func(w *Writer) { w.WriteBits(6, 3) }, func(s *Codec) { s.Int(new(int), 1, 6) }},
		{"int upside down", func(w *Writer) {}, func(s *Codec) { s.Int(new(int), 2, 1) }},
		{"uint 33", func(w *Writer) { w.WriteBits(0, 33) }, func(s *Codec) { s.Uint(new(uint32), 33) }},
		{"overlong var", func(w *Writer) { w.WriteBits(15<<2|1, 10) }, func(s *Codec) { s.Var(new(uint64)) }},
		{"overlong last var", func(w *Writer) { w.WriteBits(15, 4); w.WriteBits(1<<32-1, 64) }, func(s *Codec) { s.Var(new(uint64)) }},
		{"gamma of 64 zeros", func(w *Writer) { w.WriteBits(0, 64); w.WriteBits(1, 64) }, func(s *Codec) { s.Gamma(new(uint64)) }},
		{"float's last code", func(w *Writer) { w.WriteBits(7, 3) }, func(s *Codec) { s.Float(new(float64), 3) }},
		{"signed float's last code", func(w *Writer) { w.WriteBits(7, 3) }, func(s *Codec) { s.SignedFloat(new(float64), 3) }},
		{"infinite vector", writeRaw(3, 2, float32(math.Inf(-1))), func(s *Codec) { s.Vector(new([3]float64), 1, 8) }},
		{"vector not a number", writeRaw(3, 2, float32(math.NaN())), func(s *Codec) { s.Vector(new([3]float64), 1, 8) }},
		{"infinite point", writeRaw(3, 2, float32(math.Inf(1))), func(s *Codec) { s.Point(new([3]float64), origin, 1) }},
		{"bytes beyond most", func(w *Writer) { b := []byte("abcd"); w.Codec.Bytes(&b, 9) }, func(s *Codec) { s.Bytes(new([]byte), 3) }},
		{"text beyond most", func(w *Writer) { v := "abcd"; w.Text(&v, 9) }, func(s *Codec) { s.Text(new(string), 3) }},
		{"raw text beyond most", func(w *Writer) { v := "\xff\xfe\xfd\xfc"; w.Text(&v, 9) }, func(s *Codec) { s.Text(new(string), 3) }},
	} {
		w := writer()
		c.write(w)
		require.NoError(t, w.Err(), c.name)
		w.WriteBits(0, 64)
		r := NewReader(w.Bytes())
		c.read(&r.Codec)
		assert.Equal(t, ErrRange, r.Err(), c.name)
		assert.False(t, r.ReadFlag(), c.name)
	}
}

// writeRaw writes a prefix of n bits and f three times.
func writeRaw(prefix uint64, n int, f float32) func(w *Writer) {
	return func(w *Writer) {
		w.WriteBits(prefix, n)
		for range 3 {
			w.Float32(&f)
		}
	}
}

func TestFailedReads(t *testing.T) {
	r := NewReader(nil)
	flag, u, i, v, f, b, text := true, uint32(1), 1, uint64(1), 1.0, []byte("x"), "x"
	r.Flag(&flag)
	r.Uint(&u, 3)
	r.Int(&i, 5, 9)
	assert.Equal(t, 5, i)
	r.Int(&i, -5, 9)
	assert.Equal(t, -5, i)
	r.Bits(&v, 3)
	assert.Zero(t, v)
	v = 1
	r.Var(&v)
	assert.Zero(t, v)
	v = 1
	r.Gamma(&v)
	assert.Zero(t, v)
	r.Float(&f, 9)
	assert.Zero(t, f)
	f = 1
	r.SignedFloat(&f, 9)
	assert.Zero(t, f)
	n, vec, p := [3]float64{1, 1, 1}, [3]float64{1, 1, 1}, [3]float64{1, 1, 1}
	r.Normal(&n, 9)
	assert.Equal(t, [3]float64{0, 0, 1}, n)
	r.Vector(&vec, 9, 9)
	assert.Zero(t, vec)
	r.Point(&p, origin, 1)
	assert.Zero(t, p)
	r.Bytes(&b, 9)
	r.Text(&text, 9)
	assert.Zero(t, b)
	assert.Zero(t, text)
	assert.False(t, flag)
	assert.Zero(t, u)
	assert.Equal(t, ErrShort, r.Err())
}

func TestFirstErrorSticks(t *testing.T) {
	own := errors.New("no such kind")
	r := NewReader([]byte{0xFF, 0xFF})
	r.ReadBits(3)
	r.Fail(nil)
	require.NoError(t, r.Err())
	r.Fail(own)
	r.Fail(ErrRange)
	assert.Zero(t, r.ReadBits(20))
	assert.False(t, r.ReadFlag())
	assert.Equal(t, own, r.Err())
	assert.Equal(t, 3, r.Pos())
	assert.Zero(t, r.Left())
	r.Reset([]byte{1})
	assert.NoError(t, r.Err())
	assert.True(t, r.ReadFlag())
}

func TestLimit(t *testing.T) {
	w := NewWriter(make([]byte, 4))
	require.Equal(t, 32, w.Limit(10))
	w.WriteBits(0, 9)
	require.Equal(t, 1, w.Left())
	m := w.Mark()
	w.WriteBits(0, 2)
	require.Equal(t, ErrFull, w.Err())
	require.Zero(t, w.Left())
	require.Equal(t, 10, w.Limit(3), "below the position")
	w.Rewind(m)
	require.NoError(t, w.Err())
	require.Zero(t, w.Left())
	w.WriteFlag(true)
	require.Equal(t, ErrFull, w.Err())
	w.Rewind(m)
	require.Equal(t, 3, w.Limit(1000))
	require.Equal(t, 32-9, w.Left(), "the buffer is the highest limit")
	require.Equal(t, 32, w.Limit(-1))
	require.Zero(t, w.Left())
}

// TestRewindBetweenItems packs items with others tried and taken back in between: the
// bytes are those of a writer that never tried.
func TestRewindBetweenItems(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 5))
		w, plain := writer(), writer()
		for range 12 {
			item := primitives[r.IntN(len(primitives))].draw(r)
			item(t, &plain.Codec)
			m := w.Mark()
			for range r.IntN(3) {
				primitives[r.IntN(len(primitives))].draw(r)(t, &w.Codec)
				text := drawText(r)
				w.Text(&text, 100)
				if r.IntN(2) == 0 {
					w.Fail(ErrRange)
				}
				w.Rewind(m)
			}
			item(t, &w.Codec)
		}
		m := w.Mark()
		w.WriteBits(math.MaxUint64, 64)
		w.Rewind(m)
		require.NoError(t, w.Err())
		require.Equal(t, plain.Pos(), w.Pos())
		require.Equal(t, plain.Bytes(), w.Bytes(), "seed %d", seed)
	}
}
