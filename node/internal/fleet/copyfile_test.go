package fleet

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script/store"
)

// TestBatchesFitTheBus: what the mods of a tick change together goes to the bus as one batch.
func TestBatchesFitTheBus(t *testing.T) {
	assert.Equal(t, bus.MaxWrites, store.MaxBatch)
	assert.LessOrEqual(t, store.MaxBatchBytes, bus.MaxBatch)
}

// FuzzCopiedValue reads a value of a copy whose file is damaged. A value that was read is written
// and read again without a change.
func FuzzCopiedValue(f *testing.F) {
	for _, v := range []store.Value{coins("ann", 7, "x"), coins("", 1<<63, "\x01i\x02"), {Rev: 1, Data: []byte{0}}} {
		f.Add(encodeValue(v))
	}
	f.Add([]byte{1, 200, 'x'})
	f.Add([]byte{1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, ok := decodeValue("key", b)
		if !ok {
			return
		}
		require.NotEmpty(t, v.Data, "a value without data is none")
		require.LessOrEqual(t, len(v.Owner)+len(v.Data), len(b))
		again, ok := decodeValue("key", encodeValue(v))
		require.True(t, ok)
		require.Equal(t, v, again)
	})
}

// FuzzCopiedChange does the same with a change that was not sent.
func FuzzCopiedChange(f *testing.F) {
	for i, c := range []store.Change{{Base: 7, Data: []byte("x")}, {}, {Base: 1 << 63}} {
		f.Add(encodeChange(i, c))
	}
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		place, c, ok := decodeChange("key", b)
		if !ok {
			return
		}
		require.LessOrEqual(t, place, uint64(1<<20))
		samePlace, again, ok := decodeChange("key", encodeChange(int(place), c))
		require.True(t, ok)
		require.Equal(t, place, samePlace)
		require.Equal(t, c, again)
	})
}
