package ghost

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// rankedGhost is a candidate of the model.
type rankedGhost struct {
	id  int
	key uint8
}

// TestChooseMatchesASort compares choose with a sort: the highest keys come first, and among equal
// ones the next ids from the hand on.
func TestChooseMatchesASort(t *testing.T) {
	for seed := range testenv.Seeds(t, 100, 2000) {
		rng := rand.New(rand.NewPCG(seed, 8))
		words := 1 + rng.IntN(4)
		var c candidates
		c.reset(words)
		var model []rankedGhost
		spread := 1 + rng.IntN(maxKey)
		for id := range 64 * words {
			if rng.IntN(3) > 0 {
				g := rankedGhost{id, uint8(1 + rng.IntN(spread))}
				c.add(g.id, g.key)
				model = append(model, g)
			}
		}
		hand := rng.IntN(64 * words)
		for len(model) > 0 {
			require.Equal(t, len(model), c.n)
			order := func(a, b rankedGhost) int {
				if a.key != b.key {
					return int(b.key) - int(a.key)
				}
				return (a.id-hand)&(1<<20-1) - (b.id-hand)&(1<<20-1)
			}
			slices.SortFunc(model, order)
			most := min(1+rng.IntN(len(model)+10), len(model))
			want := make([]int, most)
			for i := range want {
				want[i] = model[i].id
			}
			model = model[most:]
			next := c.choose(most, hand)
			slices.SortFunc(want, func(a, b int) int { return (a-hand)&(1<<20-1) - (b-hand)&(1<<20-1) })
			require.Equal(t, want, slices.Collect(c.round(hand)), "seed %d", seed)
			if len(model) > 0 && c.keys[model[0].id] == leastKey(&c) {
				require.Equal(t, model[0].id, next, "the first that was not chosen")
			}
			hand = next
			if rng.IntN(4) == 0 {
				for id := range c.round(0) {
					model = append(model, rankedGhost{id, c.keys[id]})
				}
				c.putBack()
			}
		}
		require.Zero(t, c.n)
	}
}

// leastKey returns the lowest key among the chosen ghosts.
func leastKey(c *candidates) uint8 {
	least := uint8(maxKey)
	for id := range c.round(0) {
		least = min(least, c.keys[id])
	}
	return least
}

// TestKeyCount checks that a count is the same in four parts, and leaves room for more in each.
func TestKeyCount(t *testing.T) {
	var n keyCount
	for _, sum := range []int{0, 1, 2, 3, 4, 7, 1000, Max} {
		n.set(sum)
		require.Equal(t, sum, n.sum())
		require.LessOrEqual(t, slices.Max(n[:]), uint16(Max/4+3))
	}
	require.EqualValues(t, fullUrgency, 1+weightKeys[255])
}

// TestKeysCompareInBytes checks each pair of a key and a least key, at each place of a word.
func TestKeysCompareInBytes(t *testing.T) {
	var keys [64]uint8
	for least := range 256 {
		for key := range 256 {
			clear(keys[:])
			keys[key&63] = uint8(key)
			mask := newKeyCompare(uint8(least)).mask(&keys)
			require.Equal(t, key >= least, mask>>(key&63)&1 != 0, "%d and %d", key, least)
			if least > 0 {
				require.LessOrEqual(t, bits.OnesCount64(mask), 1)
			}
		}
	}
}

// TestTablesOfDifferentSizesShareMemory checks that a worker that packs for small and large tables
// in turn allocates nothing.
func TestTablesOfDifferentSizesShareMemory(t *testing.T) {
	var c candidates
	require.Zero(t, testing.AllocsPerRun(10, func() {
		c.reset(16)
		c.reset(1)
	}))
}
