package ghost

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// number returns the number of a ghost in bit planes.
func number(planes []uint64, i int) (v int) {
	for p := range planes {
		v |= int(planes[p]>>i&1) << p
	}
	return v
}

// TestAgesGrowWithTheLogarithm compares ages with eight times the binary logarithm of the ticks,
// for ghosts that begin at different ticks.
func TestAgesGrowWithTheLogarithm(t *testing.T) {
	var a agePlanes
	const begin = 1 << 20
	for tick := range uint32(3000) {
		a.step(begin + tick)
		if tick < 64 {
			a.restart(1 << tick)
		}
		for i := range min(tick+1, 64) {
			ticks := tick - i + 1
			age := number(a[:], int(i))
			if ticks <= 16 {
				require.EqualValues(t, keyOf(ticks), age, "after %d ticks", ticks)
			}
			assert.InDelta(t, 8*math.Log2(float64(ticks)), age, 2, "after %d ticks", ticks)
		}
	}
}

// TestAgesGrowWithTicksAlone compares ages that grow tick by tick with ages that grow in random
// pieces.
func TestAgesGrowWithTicksAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for range 300 {
		var a, b agePlanes
		begin := rng.Uint32N(1 << 20)
		for i := range a {
			a[i] = rng.Uint64() & rng.Uint64() << rng.IntN(64)
		}
		b = a
		end := begin + 1 + rng.Uint32N(1<<rng.IntN(18))
		for tick := begin + 1; tick <= end; tick++ {
			a.step(tick)
		}
		for tick := begin; tick < end; {
			next := min(tick+1+rng.Uint32N(1<<rng.IntN(18)), end)
			b.run(tick, next)
			tick = next
		}
		require.Equal(t, a, b, "from %d to %d", begin, end)
	}
}

// TestOldestAgeStays checks that the highest age does not start again.
func TestOldestAgeStays(t *testing.T) {
	a := agePlanes{1, 1, 1, 1, 1, 1, 1}
	a.step(1 << 12)
	assert.Equal(t, 127, number(a[:], 0))
	assert.Equal(t, 8, number(a[:], 1))
	a = agePlanes{0, 1, 1, 1, 1, 1, 1}
	a.step(1<<12 + 1<<11)
	assert.Equal(t, 126, number(a[:], 0))
	a.step(1 << 13)
	assert.Equal(t, 127, number(a[:], 0))
}

// TestKeysAreSums compares keys with the sums of random ages and weights, and lowers some.
func TestKeysAreSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 100 {
		var a agePlanes
		var w weightPlanes
		var k keyPlanes
		var weights [64]uint8
		for p := range a {
			a[p] = rng.Uint64()
		}
		for i := range weights {
			weights[i] = uint8(rng.Uint32())
		}
		w.set(&weights)
		one := rng.IntN(64)
		weights[one] = uint8(rng.Uint32())
		w.setOne(one, weights[one])
		k.add(&a, &w)
		for i, weight := range weights {
			sum := leastKey + number(a[:], i) + int(weightKeys[weight])
			require.EqualValues(t, sum, k.at(i))
			by := uint8(rng.IntN(fullUrgency + 1))
			k.lower(i, by)
			require.EqualValues(t, sum-int(by), k.at(i))
		}
	}
	for weight := range 256 {
		var w weightPlanes
		w.setOne(weight%64, uint8(weight))
		at := w.at(weight % 64)
		require.Equal(t, weightKeys[weight], weightKeys[at], "weight %d", weight)
		require.LessOrEqual(t, int(at), max(1, weight))
	}
	assert.EqualValues(t, fullUrgency, weightKeys[255])
	assert.Less(t, fullUrgency, leastKey)
	assert.Zero(t, weightKeys[0])
}
