package congestion

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// policer puts a line without a queue behind a flow: it drops packets above a rate in bytes per
// second. It returns the bytes that it has let through and all.
func (f *flow) policer(rate *float64) (passed, all *int) {
	passed, all = new(int), new(int)
	tokens, at := 0., f.now
	f.lost = func(int) bool {
		size := f.c.Size(fullSize)
		tokens, at = min(tokens+(f.now-at).Seconds()**rate, 1.3*float64(size)), f.now
		*all += size
		if tokens < float64(size) {
			return true
		}
		tokens -= float64(size)
		*passed += size
		return false
	}
	return passed, all
}

// greedy sends for a time, packets of the size that the flow asks for.
func (f *flow) greedy(d Time) {
	for end := f.now + d; f.now < end; {
		f.run(ms, f.c.Size(fullSize), always)
	}
}

// policedFlow is a flow that has found out the policer.
func policedFlow(t *testing.T, rate *float64) (f *flow, passed, all *int) {
	f = newFlow()
	passed, all = f.policer(rate)
	f.greedy(30 * time.Second)
	require.Equal(t, policed, f.c.policing())
	return f, passed, all
}

// TestPolicerIsFound: losses that heed the rate tell the rate of a policer.
func TestPolicerIsFound(t *testing.T) {
	rate := 32_000.
	f, passed, all := policedFlow(t, &rate)
	*passed, *all = 0, 0
	f.greedy(20 * time.Second)
	assert.Equal(t, policed, f.c.policing())
	assert.Less(t, 1-float64(*passed)/float64(*all), .05, "lost")
	assert.Greater(t, float64(*passed)/(20*rate), .8, "used")
}

// TestRandomLossIsNoPolicer: losses at random lead to a question, and it ends with the rate of
// before.
func TestRandomLossIsNoPolicer(t *testing.T) {
	asked := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		f := newFlow()
		f.lost = func(int) bool { return r.Float64() < .2 }
		before := 0.
		for f.now < 15*time.Second {
			f.greedy(10 * ms)
			switch {
			case f.c.policing() == asking && before == 0:
				before = f.c.police.before
			case f.c.policing() != asking && before > 0:
				assert.GreaterOrEqual(t, f.c.Rate(), .9*before, "seed %d", seed)
				asked++
				before = math.Inf(-1)
			}
			require.NotEqual(t, policed, f.c.policing(), "seed %d", seed)
		}
	}
	assert.Greater(t, asked, 10)
}

// TestRiseOfPolicer: a policer that lets through four times as much is no limit any more.
func TestRiseOfPolicer(t *testing.T) {
	rate := 32_000.
	f, _, _ := policedFlow(t, &rate)
	rate *= 4
	f.greedy(30 * time.Second)
	assert.Greater(t, f.c.Rate(), 90_000.)
}

// TestQueueEndsVerdict: a queue that is longer than a packet is not that of a policer. It also
// delays the next question.
func TestQueueEndsVerdict(t *testing.T) {
	rate := 32_000.
	f, _, _ := policedFlow(t, &rate)
	f.wait = func(Time) Time { return 80 * ms }
	f.greedy(500 * ms)
	assert.Equal(t, unpoliced, f.c.policing())
	assert.Greater(t, f.c.police.since, f.now-500*ms)
}

// TestLossesThatDoNotHeedTheRate: cuts in a row are in vain behind another line than a policer. The
// rate of before returns, and a minute without a question begins.
func TestLossesThatDoNotHeedTheRate(t *testing.T) {
	rate := 32_000.
	f, _, _ := policedFlow(t, &rate)
	f.lost = func(n int) bool { return n%3 == 0 }
	before := f.c.Rate()
	for f.now < time.Minute && f.c.policing() == policed {
		f.greedy(ms)
	}
	require.Equal(t, unpoliced, f.c.policing())
	assert.GreaterOrEqual(t, f.c.Rate(), .9*before)
	assert.Equal(t, f.now-ms+askAgain, f.c.police.askAt)
}

// TestQuestionsBecomeRare: questions at random losses cost some of the rate, so they become rare.
func TestQuestionsBecomeRare(t *testing.T) {
	var p police
	for _, want := range []Time{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
		p.postpone(time.Hour)
		assert.Equal(t, time.Hour+want, p.askAt)
	}
}

// TestQuestionTakesTurns: a question sends a quarter faster and slower, and bears a longer queue.
func TestQuestionTakesTurns(t *testing.T) {
	c := Controller{rate: 32_000, police: &police{policing: asking}}
	c.delay.rate = c.rate
	assert.Equal(t, 24_000., c.pace())
	c.police.fast = true
	assert.Equal(t, 40_000., c.pace())
	assert.Equal(t, 48*ms, c.tolerated())
	c.police.policing = policed
	assert.Equal(t, 32_000., c.pace())
	assert.Less(t, c.tolerated(), 30*ms)
}
