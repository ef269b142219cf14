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

func TestRecent(t *testing.T) {
	var r rate.Recent
	period := 10 * time.Second
	count := func(at time.Duration, want float64) { assert.InDelta(t, want, r.Count(at, period), 1e-9, "at %v", at) }
	count(0, 0)
	for range 4 {
		r.Add(time.Second, period, 1)
	}
	count(9*time.Second, 4)
	count(10*time.Second, 4)
	r.Add(15*time.Second, period, 2)
	count(15*time.Second, 2+4*0.5)
	r.Return(1)
	count(15*time.Second, 1+4*0.5)
	r.Return(3)
	count(15*time.Second, 0+2*0.5)
	count(20*time.Second, 0)
	r.Add(time.Hour, period, 3)
	count(time.Hour, 3)
	count(time.Minute, 3) // the clock was set back
	count(2*time.Hour, 0)
}

// TestShareOfABucket: who took much gets a token only while much is left.
func TestShareOfABucket(t *testing.T) {
	l := rate.Limit{PerSecond: 1, Burst: 10}
	var b rate.Bucket
	assert.True(t, b.HasShare(0, l, 1e9), "nobody has taken anything")
	b.Owe(5)
	for recent, want := range map[float64]bool{0: true, 1: true, 4: true, 5: false, 100: false} {
		assert.Equal(t, want, b.HasShare(0, l, recent), "%v", recent)
	}
	b.Owe(4)
	assert.True(t, b.HasShare(0, l, 0))
	assert.False(t, b.HasShare(0, l, 1))
	b.Owe(1)
	assert.False(t, b.HasShare(0, l, 0))
}
