package rate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/rate"
)

const ms = time.Millisecond

func TestBucket(t *testing.T) {
	var b rate.Bucket
	l := rate.Limit{PerSecond: 10, Burst: 3}
	for _, c := range []struct {
		at   time.Duration
		n    float64
		want bool
	}{
		{5 * time.Second, 2, true}, // the zero bucket is full
		{5 * time.Second, 2, false},
		{5 * time.Second, 1, true}, // a refusal has used nothing
		{5 * time.Second, 0, true}, // there is no debt
		{5*time.Second + 99*ms, 1, false},
		{5*time.Second + 101*ms, 1, true},
		{time.Second, 1, false}, // time that goes back brings nothing
		{time.Hour, 4, false},   // never more than the burst
		{time.Hour, 3, true},
	} {
		assert.Equal(t, c.want, b.Take(c.at, l, c.n), "%v at %v", c.n, c.at)
	}
	b.Owe(5)
	assert.False(t, b.Has(time.Hour, l, 0))
	assert.Equal(t, 600*ms, b.Reserve(time.Hour, l, 1), "the debt, and one more")
	assert.False(t, b.Has(time.Hour+599*ms, l, 0))
	assert.True(t, b.Has(time.Hour+601*ms, l, 0))
	assert.Zero(t, b.Reserve(time.Hour+701*ms, l, 1))
	assert.False(t, b.Full(time.Hour+701*ms, l))
	b.Return(100)
	assert.True(t, b.Full(time.Hour+701*ms, l))
	assert.False(t, b.Take(time.Hour+701*ms, l, 3.5), "more than the burst is never given back")
}

func TestSecond(t *testing.T) {
	var s rate.Second
	assert.True(t, s.Over(0))
	assert.True(t, s.Add(0, 3, 3), "a second can begin at 0")
	assert.False(t, s.Add(999*ms, 1, 3))
	assert.False(t, s.Over(999*ms))
	assert.True(t, s.Add(1000*ms, 2, 3))
	assert.False(t, s.Add(1999*ms, 2, 3))
	assert.True(t, s.Add(1999*ms, 1, 3))
	assert.True(t, s.Add(500*ms, 3, 3), "the clock was set back")
}

func TestGenerations(t *testing.T) {
	var g rate.Generations[int, string]
	put := func(now time.Duration, k int) {
		g.Turn(now, 3, time.Minute)
		g.Set(k, "known")
	}
	for k := range 5 {
		put(0, k)
	}
	assert.Equal(t, 5, g.Len())
	assert.Equal(t, "known", g.Get(0), "of the generation before")
	put(time.Minute, 9)
	assert.Empty(t, g.Get(0))
	assert.Equal(t, "known", g.Get(4))
	for k := range 10_000 {
		put(time.Minute, k)
	}
	assert.LessOrEqual(t, g.Len(), 6)
}
