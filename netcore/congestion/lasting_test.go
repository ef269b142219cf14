package congestion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMoveForgetsThePath: of the old path only the bytes in flight stay. Their acks still come.
func TestMoveForgetsThePath(t *testing.T) {
	f := competingFlow(200 * ms)
	f.c.OneMachine()
	f.c.settled, f.c.lost = 30, 6
	var want Controller
	want.Start(f.now)
	want.inFlight = f.c.inFlight
	require.Positive(t, want.inFlight)
	f.c.Move(f.now)
	assert.Equal(t, want, f.c)
	f.run(time.Second, fullSize, func(Time) bool { return false })
	assert.Zero(t, f.c.inFlight)
}

// TestArrivalsRaiseNothing: the arrival rate is never a reason to send faster.
func TestArrivalsRaiseNothing(t *testing.T) {
	c := Controller{rate: 10_000}
	c.learn(100_000)
	assert.Equal(t, 10_000., c.Rate())
}

// TestBestRateIsForgotten: a line that has become slower is not beside a TCP for ever.
func TestBestRateIsForgotten(t *testing.T) {
	c := Controller{rate: 1e6}
	c.learn(1e6)
	for range 300 { // reductions
		c.learn(1e5)
	}
	assert.Equal(t, 1e5, c.peak)
}

// TestOutageIsForgotten: a time without acks allows more bytes in flight, but only for a few
// seconds. A pause of the owner is none.
func TestOutageIsForgotten(t *testing.T) {
	f := newFlow()
	f.run(time.Second, 120, everyTick())
	usual := f.c.ackGap
	f.run(time.Minute, 120, func(Time) bool { return false })
	f.run(100*ms, 120, everyTick())
	assert.LessOrEqual(t, f.c.ackGap, usual+testRTT, "a pause of the owner")

	f.wait = func(Time) Time { return 800 * ms }
	f.run(40*ms, 120, everyTick())
	f.wait = func(Time) Time { return 0 }
	f.run(time.Second, 120, func(Time) bool { return false })
	assert.Greater(t, f.c.ackGap, 500*ms, "no ack for 0.8 s")
	f.run(5*time.Second, 120, everyTick())
	assert.LessOrEqual(t, f.c.ackGap, usual+testRTT, "5 s later")
}

// TestPauseIsNoQueue: a queue before a pause and one after it are not a queue of the whole time.
func TestPauseIsNoQueue(t *testing.T) {
	f := newFlow()
	f.c.OneMachine()
	f.run(time.Second, 120, everyTick())
	f.wait = func(Time) Time { return 150 * ms }
	f.run(time.Second, 120, everyTick())
	require.Greater(t, f.c.Queue(), f.c.delay.target())
	f.run(10*time.Second, 120, func(Time) bool { return false })
	f.run(time.Second, 120, everyTick())
	require.Greater(t, f.c.Queue(), f.c.delay.target())
	assert.Equal(t, onMachine, f.c.peer)
	f.run(busyTime, 120, everyTick())
	assert.Equal(t, behindLine, f.c.peer)
}

// TestBusyTimeIsForgotten: what an owner sent a minute ago says nothing about what it needs.
func TestBusyTimeIsForgotten(t *testing.T) {
	f := newFlow()
	f.run(2*time.Second, fullSize, everyTick())
	assert.Greater(t, f.c.demand, 30_000.)
	f.run(time.Minute, 120, everyTick())
	assert.Less(t, f.c.demand, 5_000.)
}

// TestGoodTimesHideNoLoss: a minute without a loss does not make up for the losses after it.
func TestGoodTimesHideNoLoss(t *testing.T) {
	f := newFlow()
	f.c.phase, f.c.known = steady, 1e9
	f.run(time.Minute, fullSize, everyTick())
	before := f.c.Rate()
	f.lost = func(n int) bool { return n%3 == 0 }
	f.run(6*time.Second, fullSize, everyTick())
	assert.Less(t, f.c.Rate(), .9*before)
}

// TestLowestTimesAfterTCP: without a TCP, the lowest round-trip times last as long as usual again.
func TestLowestTimesAfterTCP(t *testing.T) {
	f := competingFlow(200 * ms)
	f.wait = func(Time) Time { return 0 }
	f.run(3*time.Second, fullSize, everyTick())
	require.Equal(t, steady, f.c.phase)
	assert.True(t, f.c.delay.keep)
	f.run(certainTime, fullSize, everyTick())
	assert.False(t, f.c.delay.keep)
}

// TestFloorTeachesNothing: reductions in vain, while the floor kept the rate, are no sign of a TCP.
func TestFloorTeachesNothing(t *testing.T) {
	f := squeezedFlow()
	f.c.OneMachine()
	f.c.unanswered, f.c.squeezedAt, f.c.known = mostUnanswered, 0, 1e5
	f.c.lineShows(f.now)
	assert.False(t, f.c.squeezed(f.now, 100*ms, 20*ms))
}

// TestLongWaitIsForgotten: a packet that waited for long says nothing about the line a second
// later.
func TestLongWaitIsForgotten(t *testing.T) {
	var d delayModel
	feed(&d, 0, time.Second, 50*ms)
	feed(&d, time.Second, time.Second+50*ms, 250*ms)
	require.Equal(t, 200*ms, d.longest())
	feed(&d, time.Second+50*ms, 3*time.Second, 50*ms)
	assert.Zero(t, d.longest())
}

// TestSecondCompetitionTakesLonger: soon after the end of one, a connection looks longer whether it
// is beside a TCP. Otherwise two connections that take each other for one compete most of the time.
func TestSecondCompetitionTakesLonger(t *testing.T) {
	for _, tt := range []struct {
		ago, least, most Time
	}{{0, squeezedTime * 3 / 2, squeezedTime*3/2 + time.Second}, {soonAfter, squeezedTime - time.Second, squeezedTime + time.Second}} {
		var c Controller
		c.Start(0)
		start := 10 * soonAfter
		c.until, c.squeezedAt = start-tt.ago, start
		c.known, c.peak, c.tokens = 1e5, 1e6, 0
		now := start
		for ; !c.squeezed(now, 100*ms, 20*ms); now += 10 * ms {
			c.lostAt = now
		}
		assert.GreaterOrEqual(t, now-start, tt.least, "%v after the end", tt.ago)
		assert.LessOrEqual(t, now-start, tt.most, "%v after the end", tt.ago)
	}
}

// TestSqueezedTimeAfterACompetition: the time before and during a competition does not count for
// the next one. Otherwise a connection with a low rate competes again at once.
func TestSqueezedTimeAfterACompetition(t *testing.T) {
	var c Controller
	c.Start(0)
	c.peak, c.tokens = 1e6, 0
	c.compete(10 * time.Second)
	end := c.until
	c.rate, c.known, c.lostAt = 1e5, 1e5, end
	c.react(end)
	require.Equal(t, steady, c.phase)
	now := end
	for ; !c.squeezed(now, 100*ms, 20*ms); now += 10 * ms {
		c.lostAt = now
	}
	assert.InDelta(t, (squeezedTime * 3 / 2).Seconds(), (now - end).Seconds(), .1)
}

// TestBrakeEndsTheSpeed: after losses the increase is slow again, however fast it has become.
func TestBrakeEndsTheSpeed(t *testing.T) {
	c := Controller{rate: 100_000, phase: steady, speed: 64, settled: 40, lost: 20}
	c.brake(0)
	assert.Less(t, c.rate, 100_000.)
	assert.Equal(t, 1., c.speed)
}
