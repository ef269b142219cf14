package ghost

import (
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
		keys := make([]keyPlanes, words)
		var model []rankedGhost
		spread := 1 + rng.IntN(256)
		for id := range 64 * words {
			if rng.IntN(3) > 0 {
				g := rankedGhost{id, uint8(rng.IntN(spread))}
				c.add(id>>6, 1<<(id&63))
				for p := range keys[id>>6] {
					keys[id>>6][p] |= uint64(g.key>>p&1) << (id & 63)
				}
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
			least := model[most-1].key
			want := make([]int, most)
			for i := range want {
				want[i] = model[i].id
			}
			model = model[most:]
			next := c.choose(keys, most, hand)
			slices.SortFunc(want, func(a, b int) int { return (a-hand)&(1<<20-1) - (b-hand)&(1<<20-1) })
			require.Equal(t, want, slices.Collect(c.round(hand)), "seed %d", seed)
			if len(model) > 0 && model[0].key == least {
				require.Equal(t, model[0].id, next, "the first that was not chosen")
			}
			hand = next
			if rng.IntN(4) == 0 {
				for id := range c.round(0) {
					model = append(model, rankedGhost{id, keys[id>>6].at(id & 63)})
				}
				c.putBack()
			}
		}
		require.Zero(t, c.n)
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
