package ghost

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// TestItemsAreWrittenAsTheCodecReads writes random lists of items in some runs of ascending ids,
// and reads the ids and the bits with the codec. The buffers are as long as the list, so the last
// items have no room for stores of eight bytes.
func TestItemsAreWrittenAsTheCodecReads(t *testing.T) {
	for seed := range testenv.Seeds(t, 300, 3000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var p packet
		p.reset(16, 1<<20)
		hand, width := rng.IntN(900), 1+rng.IntN(160)
		var ids []int
		for id := 0; id < 1000; id += 1 + rng.IntN(1+rng.IntN(300)) {
			ids = append(ids, (id+hand)%1000)
		}
		rounds := 1 + int(seed)%(2*maxRuns)
		slices.SortStableFunc(ids, func(a, b int) int { return a*7919%rounds - b*7919%rounds })
		for _, id := range ids {
			w := p.begin()
			for n := rng.IntN(width); n > 0; n -= 32 {
				w.WriteBits(rng.Uint64()&(1<<min(n, 32)-1), min(n, 32))
			}
			require.True(t, p.add(kindUpdate, p.end(id, 2), 1<<20))
		}
		lead := rng.IntN(8)
		w := bitstream.NewWriter(make([]byte, (lead+p.used+7)/8))
		w.WriteBits(0, lead)
		p.write(w)
		require.NoError(t, w.Err())
		require.LessOrEqual(t, w.Pos(), lead+p.used, "the estimate is an upper bound")
		readItems(t, &p, bitstream.NewReader(w.Bytes()), lead, len(ids))
	}
}

// readItems reads a packet that has only updates, and requires the items of p in ascending order.
func readItems(t *testing.T, p *packet, r *bitstream.Reader, lead, items int) {
	bodies := map[uint32]item{}
	for _, it := range p.lists[kindUpdate].items {
		bodies[uint32(it.id)] = it
	}
	r.ReadBits(lead)
	var n, usual uint32
	var gap uint8
	for range 3 {
		codeCount(&r.Codec, &n, &gap)
	}
	codeUsual(&r.Codec, &usual)
	require.EqualValues(t, items, n)
	prev := int32(-1)
	for range n {
		var id uint32
		codeGap(&r.Codec, &prev, &id, gap)
		it, ok := bodies[id]
		require.True(t, ok, "ghost %d", id)
		for at := 0; at < int(it.size); at += 64 {
			size := min(int(it.size)-at, 64)
			want := [2]uint64{it.low, it.high}[at/64%2]
			if it.size > shortCapacity {
				want = p.scratch.Peek(int(it.low)+at) & (1<<size - 1)
			}
			require.Equal(t, want, r.ReadBits(size), "ghost %d, bit %d", id, at)
		}
	}
	require.NoError(t, r.Err())
}
