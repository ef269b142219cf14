package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// lateness feeds states with the given delays in ticks, one in each tick of the peer. It returns
// the last result.
func lateness(a *Arrival, first uint32, delays ...int) (late float64) {
	for i, delay := range delays {
		sent := first + uint32(i)
		late = a.Late(uint64(int64(sent)+int64(delay)), sent)
	}
	return late
}

func repeated(n int, delay func() int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = delay()
	}
	return list
}

func TestQuietLineIsNeverLate(t *testing.T) {
	for _, delay := range []int{0, 5, -100, 1 << 20} {
		var a Arrival
		for i := range uint32(500) {
			assert.Zero(t, lateness(&a, 4294967000+i, delay), "delay %d", delay)
		}
	}
}

// TestSpanFollowsJitter: the delay of the ghosts is the usual delay plus the mean deviation.
func TestSpanFollowsJitter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var a Arrival
	lateness(&a, 0, repeated(1000, func() int { return 10 + r.IntN(5) })...)
	assert.InDelta(t, 12, a.usual, 0.5)
	assert.InDelta(t, 1.2, a.deviation, 0.3)
	assert.InDelta(t, 14-12-1.2, lateness(&a, 1000, 14), 0.6)
	assert.InDelta(t, 10-12-1.2, lateness(&a, 1001, 10), 0.6)
	lateness(&a, 1002, repeated(1000, func() int { return 12 })...)
	assert.InDelta(t, 0, lateness(&a, 2002, 12), 1e-4, "the line is quiet again")
}

func TestLateStatesAreBounded(t *testing.T) {
	var a Arrival
	lateness(&a, 0, 5, 5, 5, 40)
	assert.Equal(t, 40.0, a.usual, "the delay of the line has changed")
	r := rand.New(rand.NewPCG(3, 4))
	for i := range uint32(5000) {
		late := lateness(&a, 4+i, r.IntN(1000)-500)
		assert.True(t, late >= -maxDeviation-maxSpan && late <= maxDeviation, "%g", late)
	}
}

func TestPacketsOfOneTickAreEquallyLate(t *testing.T) {
	var a Arrival
	lateness(&a, 0, 5, 5, 5)
	late := lateness(&a, 3, 7)
	before := a
	assert.Equal(t, late, lateness(&a, 3, 7))
	assert.Equal(t, before, a, "it counts once")
}
