package ghost

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

func at(tick uint32) func(uint8) (uint32, bool) {
	return func(uint8) (uint32, bool) { return tick, true }
}

func TestGhostHeader(t *testing.T) {
	for _, row := range []struct {
		name string
		h    header
		base uint32
		bits int
	}{
		{"first", header{tick: 7}, 0, 1 + 1 + 32 + 3},
		{"based, same tick", header{based: true, back: 1, near: true, tick: 7}, 7, 1 + 1 + 8 + 1 + 3},
		{"based, far", header{based: true, back: 255, tick: 1007, age: 1}, 7, 1 + 1 + 8 + 19 + 3},
		{"reset", header{reset: true, epoch: 255, tick: 1<<32 - 1}, 0, 1 + 8 + 1 + 32 + 3},
		{"reset and based", header{reset: true, based: true, back: 9, near: true, tick: 1<<32 - 1}, 1<<32 - 1, 1 + 8 + 1 + 8 + 1 + 3},
		{"the longest way", header{based: true, back: 9, near: true, tick: 1<<32 - 1, age: 7}, 0, 1 + 1 + 8 + 65 + 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := bitstream.NewWriter(make([]byte, 20))
			want := row.h
			want.codeLead(&w.Codec, at(row.base))
			require.NoError(t, w.Err())
			assert.Equal(t, row.bits, w.Pos())
			r := bitstream.NewReader(w.Bytes())
			var got header
			got.codeLead(&r.Codec, at(row.base))
			require.NoError(t, r.Err())
			assert.Equal(t, row.h, got)
			assert.Equal(t, w.Pos(), r.Pos())
		})
	}
}

func TestBadGhostHeader(t *testing.T) {
	read := func(tickAt func(uint8) (uint32, bool), write func(w *bitstream.Writer)) error {
		w := bitstream.NewWriter(make([]byte, 30))
		write(w)
		require.NoError(t, w.Err())
		r := bitstream.NewReader(w.Bytes())
		var h header
		h.codeLead(&r.Codec, tickAt)
		return r.Err()
	}
	based := func(back uint64, since uint64) func(w *bitstream.Writer) {
		return func(w *bitstream.Writer) {
			w.WriteBits(2, 2)
			w.WriteBits(back, 8)
			w.Gamma(&since)
			w.WriteBits(0, 2)
		}
	}
	assert.NoError(t, read(at(5), based(1, 1<<32-5)))
	assert.ErrorContains(t, read(at(5), based(1, 1<<32-4)), "the tick exceeds 2^32-1")
	assert.ErrorContains(t, read(at(5), based(1, 1<<64-1)), "the tick exceeds 2^32-1")
	assert.ErrorContains(t, read(at(5), based(0, 1)), "no valid base 0 packets back")
	none := func(uint8) (uint32, bool) { return 0, false }
	assert.ErrorContains(t, read(none, based(3, 1)), "no valid base 3 packets back")
}

func TestGhostCounts(t *testing.T) {
	for _, row := range []struct {
		n    uint32
		gap  uint8
		bits int
	}{{0, 0, 1}, {1, 15, 3 + 4}, {2, 0, 3 + 4}, {399, 2, 17 + 4}, {65536, 1, 33 + 4}} {
		w := bitstream.NewWriter(make([]byte, 10))
		n, gap := row.n, row.gap
		codeCount(&w.Codec, &n, &gap)
		require.NoError(t, w.Err())
		assert.Equal(t, row.bits, w.Pos())
		r := bitstream.NewReader(w.Bytes())
		n, gap = 77, 7
		codeCount(&r.Codec, &n, &gap)
		assert.NoError(t, r.Err())
		assert.Equal(t, row.n, n)
		assert.Equal(t, row.gap, gap)
	}
	for _, count := range []uint64{65538, 1 << 33, 1<<64 - 1} {
		w := bitstream.NewWriter(make([]byte, 20))
		w.Gamma(&count)
		n, gap := uint32(9), uint8(9)
		codeCount(&bitstream.NewReader(w.Bytes()).Codec, &n, &gap)
		assert.Zero(t, n, "nothing to be misled by")
	}
}

// TestGhostGaps checks that ids survive encoding in any list, that they take the size of Rice codes
// of the gaps, and that gapParameter is close to the best parameter.
func TestGhostGaps(t *testing.T) {
	for seed := range testenv.Seeds(t, 30, 300) {
		r := rand.New(rand.NewPCG(seed, 11))
		var ids []uint32
		most := 1 + r.IntN(200)
		for id := r.IntN(idCount >> r.IntN(17)); id < idCount && len(ids) < most; id += 1 + r.IntN(1<<r.IntN(12)) {
			ids = append(ids, uint32(id))
		}
		size := func(k uint8) (bits int) {
			prev := int32(-1)
			for _, id := range ids {
				bits += int(id-uint32(prev+1))>>k + 1 + int(k)
				prev = int32(id)
			}
			return bits
		}
		k := gapParameter(len(ids), int(ids[0]), int(ids[len(ids)-1]))
		best := size(0)
		for k := range uint8(16) {
			best = min(best, size(k))
		}
		require.LessOrEqual(t, size(k), best+best/7+16, "seed %d: %d ids, parameter %d", seed, len(ids), k)

		w := bitstream.NewWriter(make([]byte, 20000))
		prev := int32(-1)
		for _, id := range ids {
			codeGap(&w.Codec, &prev, &id, k)
		}
		require.NoError(t, w.Err())
		require.Equal(t, size(k), w.Pos())
		rd := bitstream.NewReader(w.Bytes())
		prev = -1
		for _, want := range ids {
			var id uint32
			codeGap(&rd.Codec, &prev, &id, k)
			require.NoError(t, rd.Err())
			require.Equal(t, want, id)
		}
	}
}

func TestGapBeyondTheLastGhost(t *testing.T) {
	for _, row := range []struct {
		prev int32
		gap  uint32
		good bool
	}{{-1, 65535, true}, {-1, 65536, false}, {65534, 0, true}, {65535, 0, false}, {60000, 1<<32 - 1, false}} {
		w := bitstream.NewWriter(make([]byte, 10))
		w.Rice(&row.gap, 31)
		require.NoError(t, w.Err())
		r := bitstream.NewReader(w.Bytes())
		id := uint32(0)
		prev := row.prev
		codeGap(&r.Codec, &prev, &id, 31)
		assert.Equal(t, row.good, r.Err() == nil, "%v", row)
		assert.Less(t, id, uint32(idCount))
	}
}

func TestGhostMasks(t *testing.T) {
	for groups := 2; groups <= 32; groups++ {
		l := NewLayout(0, "Masked", make([]CellGroup, groups))
		r := rand.New(rand.NewPCG(uint64(groups), 12))
		size := func(mask uint32) int {
			switch single := mask&(mask-1) == 0; {
			case groups <= 5:
				return groups - 1
			case single:
				return 1 + bits.Len(uint(groups-2))
			}
			return 1 + groups - 1
		}
		for i := range 200 {
			mask := l.all() &^ 1 & r.Uint32()
			if i < groups-1 {
				mask = 2 << i
			}
			if mask == 0 {
				continue
			}
			w := bitstream.NewWriter(make([]byte, 10))
			l.codeMask(&w.Codec, &mask)
			require.NoError(t, w.Err())
			require.Equal(t, size(mask), w.Pos(), "%d groups, mask %#x", groups, mask)
			rd := bitstream.NewReader(w.Bytes())
			var got uint32
			l.codeMask(&rd.Codec, &got)
			require.NoError(t, rd.Err())
			require.Equal(t, mask, got)
			require.Equal(t, w.Pos(), rd.Pos())
		}
	}
	for groups, want := range map[int]string{3: "2 2", 5: "4 4", 6: "4 6", 7: "4 7", 10: "5 10", 32: "6 32"} {
		l := NewLayout(0, "Masked", make([]CellGroup, groups))
		size := func(mask uint32) int {
			w := bitstream.NewWriter(make([]byte, 10))
			l.codeMask(&w.Codec, &mask)
			return w.Pos()
		}
		assert.Equal(t, want, fmt.Sprint(size(2), " ", size(6)), "%d groups", groups)
	}
}

func TestBadMasks(t *testing.T) {
	for _, row := range []struct {
		name         string
		groups, bits int
		wire         uint64
	}{
		{"no groups to update", 1, 0, 0},
		{"empty", 3, 2, 0},
		{"empty of many", 7, 7, 0},
		{"group 6 of 6", 7, 4, 1 | 6<<1},
		{"group 31 of 31", 32, 6, 1 | 31<<1},
	} {
		w := bitstream.NewWriter(make([]byte, 10))
		w.WriteBits(row.wire, row.bits)
		r := bitstream.NewReader(w.Bytes())
		mask := uint32(9)
		NewLayout(0, "Masked", make([]CellGroup, row.groups)).codeMask(&r.Codec, &mask)
		assert.ErrorContains(t, r.Err(), "protocol violation: class Masked has no groups", row.name)
		assert.Zero(t, mask, row.name)
	}
}

func TestPredict(t *testing.T) {
	for _, row := range []struct {
		newer, older, since, span uint32
		bits                      int
		want                      uint32
	}{
		{100, 90, 3, 2, 18, 115},
		{100, 110, 3, 2, 18, 85},                // the same with the opposite sign
		{100, 93, 1, 2, 18, 103},                // 3.5, toward zero
		{100, 107, 1, 2, 18, 97},                // -3.5, toward zero
		{5, 1020, 1, 1, 10, 14},                 // an angle that wraps
		{1020, 5, 1, 1, 10, 1011},               // and wraps back
		{1023, 0, 2, 1, 10, 1021},               // the short way round
		{0, 512, 1, 1, 10, 512},                 // half the circle is negative
		{7, 3, 5, 0, 18, 7},                     // a span of 0 counts as 1
		{7, 3, 0, 4, 18, 7},                     // in the same tick
		{1<<32 - 1, 1<<32 - 11, 60, 1, 32, 599}, // 32-bit values wrap too
		{1, 0, 1, 1, 1, 0},
	} {
		assert.Equal(t, row.want, predict(row.newer, row.older, row.since, row.span, row.bits), "%v", row)
	}
	for seed := range testenv.Seeds(t, 200, 2000) { // mirrored lines predict mirrored values
		r := rand.New(rand.NewPCG(seed, 13))
		bits := 1 + r.IntN(32)
		all := uint32(1<<bits - 1)
		a, b, since, span := r.Uint32()&all, r.Uint32()&all, r.Uint32N(7681), r.Uint32N(7681)
		p := predict(a, b, since, span, bits)
		require.LessOrEqual(t, p, all)
		if (a-b)&all != 1<<(bits-1) { // this step is its own mirror image
			require.Equal(t, -p&all, predict(-a&all, -b&all, since, span, bits))
		}
	}
}

func TestZigzag(t *testing.T) {
	for _, row := range []struct {
		d    uint32
		bits int
		u    uint32
	}{{0, 18, 0}, {1<<32 - 1, 18, 1}, {1, 18, 2}, {1<<18 - 2, 18, 3}, {1 << 17, 18, 1<<18 - 1}, {1, 1, 1}, {1 << 31, 32, 1<<32 - 1}, {5, 32, 10}} {
		assert.Equal(t, row.u, zigzag(row.d, row.bits), "%v", row)
	}
	for seed := range testenv.Seeds(t, 200, 2000) {
		r := rand.New(rand.NewPCG(seed, 14))
		bits := 1 + r.IntN(32)
		all := uint32(1<<bits - 1)
		d := r.Uint32() & all
		u := zigzag(d, bits)
		require.LessOrEqual(t, u, all)
		require.Equal(t, d, unzigzag(u)&all)
	}
}
