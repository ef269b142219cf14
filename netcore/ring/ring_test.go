package ring

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestQueueMatchesSlice compares a queue with a slice over random pushes, pops and clears.
func TestQueueMatchesSlice(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var q Queue[int]
		var want []int
		for n := range 2000 {
			switch rng.IntN(100) {
			case 0:
				q.Clear()
				want = nil
			case 1:
				q.Trim()
			default:
				if rng.IntN(5) < 2 && len(want) > 0 {
					require.Equal(t, want[0], *q.Front())
					require.Equal(t, want[0], q.Pop())
					want = want[1:]
					break
				}
				q.Push(n)
				want = append(want, n)
			}
			require.Equal(t, len(want), q.Len())
			for i, v := range want {
				require.Equal(t, v, *q.At(i))
			}
		}
	}
}

func TestNoAllocationOnceTheQueueHasGrown(t *testing.T) {
	var q Queue[int]
	for range 33 {
		q.Push(1)
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		q.Push(q.Pop())
	}))
}

// TestTrim checks that a queue gives back the memory of a burst, but only once it was not needed
// for the time between two calls.
func TestTrim(t *testing.T) {
	var q Queue[int]
	for range 100 {
		q.Push(1)
	}
	for q.Len() > 1 {
		q.Pop()
	}
	q.Trim()
	assert.Len(t, q.items, 128, "it was needed since the call before")
	q.Push(2)
	q.Trim()
	assert.Len(t, q.items, least)
	assert.Equal(t, 1, q.Pop())
	assert.Equal(t, 2, q.Pop())
	q.Trim()
	q.Trim()
	assert.Empty(t, q.items)
	q.Push(3)
	assert.Equal(t, 3, q.Pop())
}

// TestTrimmed checks that a buffer is shortened only to a quarter or less.
func TestTrimmed(t *testing.T) {
	assert.Equal(t, 0, Trimmed(0, 0))
	assert.Equal(t, 0, Trimmed(least, 0))
	assert.Equal(t, least, Trimmed(least, 1))
	assert.Equal(t, 64, Trimmed(64, 17))
	assert.Equal(t, 16, Trimmed(64, 16))
}

// TestTrimAfter checks that a stream trims soon after it began, and later ever more rarely.
func TestTrimAfter(t *testing.T) {
	var after []uint64
	for n := range uint64(4000) {
		if n > 0 && TrimAfter(n) {
			after = append(after, n)
		}
	}
	assert.Equal(t, []uint64{64, 128, 256, 512, 1024, 2048, 3072}, after)
}
