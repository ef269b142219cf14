package voice

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// frame returns a frame of speech of a size.
func frame(t testing.TB, number uint8, size int) Frame {
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i + size)
	}
	if size > 0 {
		data[0] = 9 << 3 // SILK, wideband, 20 ms
	}
	f, err := NewFrame(number, data)
	require.NoError(t, err)
	return f
}

// TestFramesCrossTheWire codes each size, alone and with the frame before.
func TestFramesCrossTheWire(t *testing.T) {
	for size := 1; size <= MaxFrame; size++ {
		for _, before := range []int{0, MaxFrame + 1 - size} {
			v := Spoken{Channel: Channel(size % 4), Range: Range(size % 3), Frame: frame(t, uint8(size), size)}
			if before > 0 {
				v.Before = frame(t, uint8(size-1), before)
			}
			w := bitstream.NewWriter(make([]byte, 400))
			v.Serialize(&w.Codec)
			require.NoError(t, w.Err())
			want := 13 + 8 + 8*size
			if before > 0 {
				want += 8 + 8*before
			}
			require.Equal(t, want, w.Pos())
			var got Spoken
			r := bitstream.NewReader(w.Bytes())
			got.Serialize(&r.Codec)
			require.NoError(t, r.Err())
			got.Before.Number, v.Before.Number = 0, 0
			require.Equal(t, v, got)
		}
	}
}

// TestSizesOutsideTheRangeAreRefused tries every length of the wire, and data that is cut off.
func TestSizesOutsideTheRangeAreRefused(t *testing.T) {
	for n := range 256 {
		var f Frame
		b := make([]byte, 200)
		b[0] = byte(n)
		r := bitstream.NewReader(b)
		f.Serialize(&r.Codec)
		assert.Equal(t, n < MaxFrame, r.Err() == nil, "%d", n)
	}
	var f Frame
	r := bitstream.NewReader(make([]byte, 1))
	f.Serialize(&r.Codec)
	assert.Error(t, r.Err(), "cut off")
	for _, size := range []int{0, MaxFrame + 1} {
		_, err := NewFrame(0, make([]byte, size))
		assert.EqualError(t, err, "a frame of voice must have 1 to 160 bytes")
	}
	w := bitstream.NewWriter(make([]byte, 400))
	new(Spoken).Serialize(&w.Codec)
	assert.Error(t, w.Err(), "a frame without bytes")
}

// TestOnlyOpusOf20MsIsPlayable tries each first byte (RFC 6716, table 2).
func TestOnlyOpusOf20MsIsPlayable(t *testing.T) {
	good := map[byte]bool{1: true, 5: true, 9: true, 13: true, 15: true, 19: true, 23: true, 27: true, 31: true}
	for toc := range 256 {
		f, err := NewFrame(0, []byte{byte(toc)})
		require.NoError(t, err)
		assert.Equal(t, good[byte(toc)>>3] && toc&3 == 0, f.Playable(), "%08b", toc)
	}
	assert.False(t, new(Frame).Playable())
}

// TestPairs: frames that follow each other on one channel share an event, also behind number 255.
func TestPairs(t *testing.T) {
	said := func(numbers ...uint8) (list []Spoken) {
		for _, n := range numbers {
			list = append(list, Spoken{Channel: Team, Range: Talk, Frame: frame(t, n, 10+int(n)%7)})
		}
		return list
	}
	pairs := func(list []Spoken) (numbers [][2]uint8) {
		for _, s := range Pairs(nil, list) {
			if s.Before.Size == 0 {
				s.Before.Number = s.Frame.Number
			}
			numbers = append(numbers, [2]uint8{s.Before.Number, s.Frame.Number})
		}
		return numbers
	}
	assert.Empty(t, pairs(nil))
	assert.Equal(t, [][2]uint8{{7, 7}}, pairs(said(7)))
	assert.Equal(t, [][2]uint8{{254, 255}, {0, 1}, {2, 2}}, pairs(said(254, 255, 0, 1, 2)))
	assert.Equal(t, [][2]uint8{{1, 1}, {3, 4}}, pairs(said(1, 3, 4)))
	large := []Spoken{{Frame: frame(t, 1, 100)}, {Frame: frame(t, 2, MaxFrame-100)}}
	assert.Equal(t, [][2]uint8{{1, 2}}, pairs(large))
	large[0].Frame = frame(t, 1, 101)
	assert.Equal(t, [][2]uint8{{1, 1}, {2, 2}}, pairs(large), "a packet has room for one")
	for _, change := range []func(*Spoken){func(s *Spoken) { s.Channel = All }, func(s *Spoken) { s.Range = Shout }} {
		list := said(1, 2)
		change(&list[1])
		assert.Equal(t, [][2]uint8{{1, 1}, {2, 2}}, pairs(list))
	}
}

// FuzzSpoken checks that no bits make the decoder panic, and that what it accepts is written the
// same way.
func FuzzSpoken(f *testing.F) {
	f.Add([]byte{1, 0, 0, 9 << 3, 0, 0}, false)
	f.Add([]byte{255, 31, 159, 1, 2, 3}, true)
	f.Fuzz(func(t *testing.T, b []byte, relayed bool) {
		code := (*Spoken).Serialize
		if relayed {
			code = (*Spoken).SerializeRelayed
		}
		var v Spoken
		r := bitstream.NewReader(b)
		code(&v, &r.Codec)
		if r.Err() != nil {
			return
		}
		require.NotZero(t, v.Frame.Size)
		require.LessOrEqual(t, int(max(v.Frame.Size, v.Before.Size)), MaxFrame)
		w := bitstream.NewWriter(make([]byte, 400))
		code(&v, &w.Codec)
		require.NoError(t, w.Err())
		require.Equal(t, r.Pos(), w.Pos())
		var again Spoken
		back := bitstream.NewReader(w.Bytes())
		code(&again, &back.Codec)
		require.Equal(t, v, again)
	})
}
