package bitstream

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSplice moves bits from any place to any other, out of one stream and into
// the next, and finds them as they were.
func TestSplice(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 5))
		source := make([]byte, 40)
		for i := range source {
			source[i] = byte(r.Uint32())
		}
		from := r.IntN(8*len(source) + 1)
		n, at := r.IntN(8*len(source)-from+1), r.IntN(30)

		w := NewWriter(make([]byte, 50))
		for range at {
			w.WriteFlag(true)
		}
		w.Splice(source, from, n)
		w.WriteBits(0x2A, 6)
		require.NoError(t, w.Err(), "seed %d", seed)

		out := make([]byte, (at+n+7)/8)
		for i := range out {
			out[i] = 0xFF
		}
		w.Extract(out, at, at, n)
		require.NoError(t, w.Err(), "seed %d", seed)
		for i := range 8 * len(out) {
			want := true
			if i >= at {
				want = i < at+n && bit(source, from+i-at)
			}
			require.Equal(t, want, bit(out, i), "seed %d: bit %d of %d+%d", seed, i, at, n)
		}
		rd := NewReader(w.Bytes())
		require.Equal(t, uint64(0x2A), rd.Peek(at+n)&63, "seed %d: what follows", seed)
		require.Zero(t, rd.Pos())
	}
}

func bit(b []byte, i int) bool { return b[i>>3]>>(i&7)&1 != 0 }

func TestSpliceBounds(t *testing.T) {
	b := make([]byte, 4)
	for _, c := range []struct{ from, n int }{{-1, 3}, {0, -1}, {0, 33}, {32, 1}, {33, 0}, {1, math.MaxInt}} {
		w := NewWriter(make([]byte, 100))
		w.Splice(b, c.from, c.n)
		assert.Equal(t, ErrRange, w.Err(), "%v", c)
	}
	w := NewWriter(make([]byte, 3))
	w.Splice(b, 0, 25)
	assert.Equal(t, ErrFull, w.Err())
	assert.Zero(t, w.Pos(), "nothing of it is written")
	r := NewReader(b)
	r.Splice(b, 0, 1)
	assert.Equal(t, ErrRange, r.Err(), "a reader cannot splice")

	for _, c := range []struct{ at, from, n int }{{-1, 0, 1}, {0, -1, 1}, {0, 0, -1}, {0, 0, 17}, {0, 16, 1}, {25, 0, 8}, {math.MaxInt, 0, 16}} {
		r := NewReader([]byte{1, 2, 3})
		r.ReadBits(16)
		r.Extract(b, c.at, c.from, c.n)
		assert.Equal(t, ErrRange, r.Err(), "%v", c)
	}
	assert.Zero(t, r.Peek(-1))
	assert.Zero(t, r.Peek(32))
	assert.Equal(t, uint64(2), NewReader([]byte{1, 2}).Peek(8))
}

// TestForgetText: what is written after it does not depend on what was before.
// TestWindow writes values through a window, between values of the Writer itself.
func TestWindow(t *testing.T) {
	for at := range 20 {
		w := NewWriter(make([]byte, 8))
		w.WriteBits(1<<at-1, at)
		buf, acc, n := w.Window()
		require.Equal(t, at%8, n)
		require.Equal(t, uint64(1)<<n-1, acc, "the bits that are there")
		buf[0], buf[1] = byte(acc)|0x2A<<n, byte(0x2A>>(8-n))
		w.Advance(6)
		w.WriteBits(1, 1)
		require.NoError(t, w.Err())
		require.Equal(t, uint64(0x6A)<<at|(1<<at-1), w.Peek(0)&(1<<(at+7)-1))
		w.Advance(w.Left() + 1)
		require.ErrorIs(t, w.Err(), ErrFull)
	}
}

func TestForgetText(t *testing.T) {
	for _, text := range []string{"Base attack", "Base attach!", "", "Ba"} {
		alone := writer()
		alone.Text(&text, 500)
		w := writer()
		before := text + "!"
		w.Text(&before, 500)
		from := w.Pos()
		w.ForgetText()
		w.Text(&text, 500)
		got := make([]byte, len(alone.Bytes()))
		require.Equal(t, alone.Pos(), w.Pos()-from, "%q", text)
		w.Extract(got, 0, from, w.Pos()-from)
		require.Equal(t, alone.Bytes(), got)

		r := NewReader(w.Bytes())
		var again string
		r.Text(&again, 500)
		r.ForgetText()
		r.Text(&again, 500)
		require.NoError(t, r.Err())
		require.Equal(t, text, again)
	}
}

// TestLongestCodes: what no writer writes ends in an error, not in a panic.
func TestLongestCodes(t *testing.T) {
	ones := make([]byte, 100)
	for i := range ones {
		ones[i] = 0xFF
	}
	over := append(append([]byte{}, ones[:4]...), 0, 0, 0, 0, 0, 0)
	zeros := make([]byte, 100)
	most := []byte{0, 0, 0, 0, 1, 0, 0, 0, 0} // 32 zeros, a one: 2^32 − 1, and then 2^32
	past := []byte{0, 0, 0, 0, 3, 0, 0, 0, 0}
	for _, c := range []struct {
		name string
		b    []byte
		read func(s *Codec, v *uint32)
		want error
	}{
		{"ones without end", ones, func(s *Codec, v *uint32) { s.Rice(v, 0) }, ErrShort},
		{"32 ones by 28 bits", over, func(s *Codec, v *uint32) { s.Rice(v, 28) }, ErrRange},
		{"bad parameter", zeros, func(s *Codec, v *uint32) { s.Rice(v, 33) }, ErrRange},
		{"zeros without end", zeros, func(s *Codec, v *uint32) { s.Golomb(v, 0) }, ErrRange},
		{"few zeros without end", zeros[:4], func(s *Codec, v *uint32) { s.Golomb(v, 0) }, ErrShort},
		{"most", most, func(s *Codec, v *uint32) { s.Golomb(v, 0) }, nil},
		{"past the most", past, func(s *Codec, v *uint32) { s.Golomb(v, 0) }, ErrRange},
		{"bad order", zeros, func(s *Codec, v *uint32) { s.Golomb(v, 32) }, ErrRange},
	} {
		r := NewReader(c.b)
		v := uint32(7)
		c.read(&r.Codec, &v)
		assert.Equal(t, c.want, r.Err(), c.name)
		if c.want != nil {
			assert.Zero(t, v, c.name)
		}
	}
	w := NewWriter(make([]byte, 10))
	v := uint32(math.MaxUint32)
	w.Rice(&v, 0)
	assert.Equal(t, ErrFull, w.Err())
	assert.Zero(t, w.Pos())
	w = NewWriter(make([]byte, 10))
	w.Golomb(&v, -1)
	assert.Equal(t, ErrRange, w.Err())
}

// TestReaderWindow checks that a loop can read from the window and seek behind what it has read,
// but neither back nor past the end.
func TestReaderWindow(t *testing.T) {
	r := NewReader([]byte{1, 2, 3})
	r.ReadBits(3)
	buf, pos := r.Window()
	assert.Equal(t, []byte{1, 2, 3}, buf)
	assert.Equal(t, 3, pos)
	r.Seek(8)
	assert.Equal(t, uint64(2), r.ReadBits(8))
	r.Seek(16)
	r.Seek(24)
	assert.NoError(t, r.Err())
	assert.Zero(t, r.Left())
	for _, pos := range []int{25, 15} {
		r.Reset(buf)
		r.Seek(16)
		r.Seek(pos)
		assert.Equal(t, ErrShort, r.Err(), "from 16 to %d", pos)
		r.Seek(24)
		assert.Equal(t, 16, r.Pos())
	}
}
