package ghost

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestHistoryHoldsEveryTick changes the groups of an object at random, with rests and other depths
// in between. It compares the values of each tick within the depth with those of a plain list.
func TestHistoryHoldsEveryTick(t *testing.T) {
	const cells, most = 5, historyTicks << maxDepth
	for seed := range testenv.Seeds(t, 60, 2000) {
		rng := rand.New(rand.NewPCG(seed, 17))
		var h history
		first := 1 + rng.Uint32N(1000)
		h.reset(cells, first)
		want := map[uint32][cells]uint32{first: {}}
		present, held, ticks := [cells]uint32{}, uint32(1), uint32(historyTicks)
		for tick := first; tick < first+3000; {
			for range 1 + rng.Uint32N(1+rng.Uint32N(1+rng.Uint32N(700))) {
				tick++
				held = min(held+1, ticks)
				want[tick] = present
			}
			if rng.IntN(20) == 0 {
				ticks = historyTicks << rng.IntN(maxDepth+1)
				held = min(held, ticks)
			}
			if rng.IntN(10) == 0 {
				h.shrink(tick, ticks)
			}
			from, n := rng.IntN(cells), uint64(rng.Uint32N(1<<18))
			present[from] = uint32(n)
			h.set(tick, from, []uint64{n}, ticks)
			want[tick] = present
			for back := range held {
				if was, has := want[tick-back], [cells]uint32(h.at(tick-back)); was != has {
					require.Equal(t, was, has, "seed %d, %d ticks before %d", seed, back, tick)
				}
			}
			require.LessOrEqual(t, len(h.ring), cells*most)
		}
	}
}

// TestHistoriesAtRestAreSmall checks that objects that rest for long keep one entry of each
// history.
func TestHistoriesAtRestAreSmall(t *testing.T) {
	world := newMovingWorld(10)
	require.Equal(t, 4*5*10, historySize(world.images), "before the first change")
	for range 100 {
		world.step()
	}
	require.Equal(t, 4*5*10*historyTicks, historySize(world.images))
	for range restTicks + reviewTicks + 1 {
		world.tick++
		world.images.Begin(world.tick)
	}
	require.Equal(t, 4*5*10, historySize(world.images))
}
