package sim

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// leastAllocated returns the number of bytes that f allocates: the least of several calls, because
// the runtime also allocates at any time.
func leastAllocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// TestHighIndexAllocation checks that the memory for a peer's block does not depend on its index.
func TestHighIndexAllocation(t *testing.T) {
	w := testWorld(t)
	class, err := w.classes.Find("ThingData")
	require.NoError(t, err)
	spent := func(index int) uint64 {
		return leastAllocated(func() {
			_, err := w.NewBlocks().Put(index, class, "x")
			require.NoError(t, err)
		})
	}
	assert.LessOrEqual(t, spent(MaxBlocks-1), spent(0)+1024)
}

// TestBlocksWithGaps checks that local blocks can be declared after a peer left indexes of the
// table out.
func TestBlocksWithGaps(t *testing.T) {
	w := testWorld(t)
	class, err := w.classes.Find("ThingData")
	require.NoError(t, err)
	far, err := w.Blocks.Put(900, class, "far")
	require.NoError(t, err)
	_, _, err = w.Blocks.Declare("ThingData", "own", "nobody", nil)
	require.ErrorContains(t, err, `unknown datablock "nobody"`)
	own, _, err := w.Blocks.Declare("ThingData", "own", "far", nil)
	require.NoError(t, err)
	assert.Equal(t, uint16(901), own.(Datablock).Data().Index())
	w.Blocks.Clear()
	assert.True(t, far.Ident().Dead() && own.Ident().Dead())
	assert.Nil(t, w.Blocks.ByIndex(900))
	assert.Zero(t, w.Blocks.Len())
}

// TestUnpackRejectsKeyAboveMax checks that a key above maxKey is refused, and that keys stay in
// order.
func TestUnpackRejectsKeyAboveMax(t *testing.T) {
	near := testWorld(t)
	declare(t, near, "ThingData", "plain", "")
	o := near.Blocks.ByName("plain").(Datablock)
	for _, key := range []uint64{maxKey, maxKey + 1, math.MaxUint64} {
		o.Data().key = key
		out := bitstream.NewWriter(make([]byte, 1000))
		near.Blocks.Pack(out, o, nil)
		far := testWorld(t)
		_, err := far.Blocks.Unpack(bitstream.NewReader(out.Bytes()))
		if key > maxKey {
			require.ErrorIs(t, err, errBlockKey)
			continue
		}
		require.NoError(t, err)
		_, _, err = far.Blocks.Declare("ThingData", "next", "", nil)
		require.NoError(t, err)
		list := far.Blocks.Newer(0)
		for i := 1; i < len(list); i++ {
			require.Less(t, keyOf(list[i-1]), keyOf(list[i]))
		}
	}
}
