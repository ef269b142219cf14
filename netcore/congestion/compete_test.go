package congestion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// squeezedFlow returns a flow that has had ten times its rate of a full line.
func squeezedFlow() *flow {
	f := newFlow()
	f.c.rate, f.c.phase = 100_000, steady
	f.run(time.Second, fullSize, always)
	f.c.peak, f.c.known = 1e6, 1e6
	return f
}

// competes returns how long it takes until the flow competes, at most 10 s.
func (f *flow) competes() Time {
	start := f.now
	for f.c.phase != competing && f.now < start+10*time.Second {
		f.run(10*ms, f.c.Size(fullSize), always)
	}
	return f.now - start
}

// TestUnansweredReductions: a queue that stays whatever the flow does is that of another sender. If
// it becomes shorter with each reduction, the line has become slower.
func TestUnansweredReductions(t *testing.T) {
	f := squeezedFlow()
	f.wait = func(Time) Time { return 100 * ms }
	assert.Less(t, f.competes(), 2*time.Second)
	assert.GreaterOrEqual(t, f.c.Rate(), startShare*.9e6)

	f = squeezedFlow()
	start := f.now
	f.wait = func(now Time) Time { return time.Second - (now-start)/4 }
	assert.GreaterOrEqual(t, f.competes(), squeezedTime)
}

// TestGapsOfATCP: a TCP with a short window empties the queue between its segments. The line is
// calm only if the queue is empty for longer, and the competition begins only while there is a
// queue.
func TestGapsOfATCP(t *testing.T) {
	gaps := func(empty Time) func(Time) Time {
		return func(now Time) Time {
			t := now % time.Second
			return min(max(t-empty, 0), time.Second-t, 200*ms) / 2
		}
	}
	f := squeezedFlow()
	f.wait = gaps(100 * ms)
	assert.Less(t, f.competes(), squeezedTime+time.Second)

	f = squeezedFlow()
	f.wait = gaps(900 * ms)
	assert.GreaterOrEqual(t, f.competes(), 10*time.Second)

	f = squeezedFlow()
	f.c.squeezedAt, f.c.lostAt, f.c.known = f.now-squeezedTime, f.now, 1e5
	f.wait = func(Time) Time { return 0 }
	f.run(freshLoss/2, fullSize, always)
	assert.NotEqual(t, competing, f.c.phase, "no queue")
}

// competingFlow returns a flow that has begun to compete. Its round-trip time is 50 ms and the
// queue.
func competingFlow(queue Time) *flow {
	f := squeezedFlow()
	f.wait = func(Time) Time { return queue }
	f.competes()
	return f
}

func TestOneCutPerRoundTrip(t *testing.T) {
	f := competingFlow(200 * ms)
	f.run(200*ms, fullSize, always)
	before, lost := f.c.Rate(), 0
	f.lost = func(n int) bool { lost++; return lost <= 40 && n%2 == 0 }
	f.run(testRTT+250*ms, fullSize, always)
	f.lost = func(int) bool { return false }
	assert.InDelta(t, cutShare*before, f.c.Rate(), .1*before)
}

// TestNoGrowthWhileTheQueueDrains: after a loss the rate grows only if the queue has stopped to
// become shorter, and an empty queue ends the competition.
func TestNoGrowthWhileTheQueueDrains(t *testing.T) {
	f := competingFlow(200 * ms)
	f.run(leastCompeting, fullSize, always)
	start, rate := f.now, f.c.Rate()
	f.run(300*ms, fullSize, always)
	assert.Greater(t, f.c.Rate(), rate, "a queue that stays")

	f.wait = func(now Time) Time { return 200*ms - (now-start)/50 }
	f.run(300*ms, fullSize, always)
	rate = f.c.Rate()
	f.run(300*ms, fullSize, always)
	assert.Greater(t, f.c.Rate(), rate, "a queue that varies")

	start = f.now
	f.wait = func(now Time) Time { return 190*ms - (now-start)/5 }
	f.run(400*ms, fullSize, always)
	rate = f.c.Rate()
	f.run(300*ms, fullSize, always)
	assert.LessOrEqual(t, f.c.Rate(), rate, "a queue that gets shorter")
	assert.Equal(t, competing, f.c.phase)

	f.wait = func(Time) Time { return 0 }
	f.run(300*ms, fullSize, always)
	assert.NotEqual(t, competing, f.c.phase)
}

func TestCompetitionEnds(t *testing.T) {
	f := competingFlow(200 * ms)
	start := f.now
	for f.c.phase == competing && f.now < start+time.Minute {
		f.run(100*ms, fullSize, always)
	}
	assert.LessOrEqual(t, f.now-start, competingTime+competingExtra+200*ms)
}

// feed adds round-trip times of full packets.
func feed(d *delayModel, from, to, rtt Time) {
	for now := from; now < to; now += 50 * ms {
		d.sample(now, rtt, fullSize, 100_000)
	}
}

// TestLowestTimesBesideTCP: while a TCP fills the queue, the lowest round-trip times last longer,
// but not for ever.
func TestLowestTimesBesideTCP(t *testing.T) {
	for _, tt := range []struct {
		keep  bool
		knows Time // until when it knows the queue
	}{{false, 20 * time.Second}, {true, keepTime + 20*time.Second}} {
		d := delayModel{keep: tt.keep}
		feed(&d, 0, time.Second, 50*ms)
		now := time.Second
		for ; now < 2*time.Minute; now += time.Second {
			if feed(&d, now, now+time.Second, 120*ms); d.standing < 60*ms {
				break
			}
		}
		assert.InDelta(t, tt.knows.Seconds(), now.Seconds(), 11, "keep %v", tt.keep)
	}
}

// TestSlowerLine: packets of a slower line take longer, and no queue causes that. A packet that
// takes less proves that the line is not slower.
func TestSlowerLine(t *testing.T) {
	var d delayModel
	feed(&d, 0, time.Second, 50*ms)
	d.slower(250_000, 16_000)
	longer := fullSize * (time.Second/16_000 - time.Second/250_000)
	feed(&d, time.Second, 2*time.Second, 50*ms+longer+20*ms)
	assert.InDelta(t, float64(20*ms), float64(d.standing), float64(ms))
	feed(&d, 2*time.Second, 3*time.Second, 60*ms)
	feed(&d, 3*time.Second, 4*time.Second, 50*ms+longer)
	assert.InDelta(t, float64(longer-10*ms), float64(d.standing), float64(ms))
	d.slower(250_000, 250_000)
	feed(&d, 4*time.Second, 5*time.Second, 90*ms)
	assert.InDelta(t, float64(40*ms), float64(d.standing), float64(ms))
}

// TestLargerPackets: a connection that has only a share of the line expects its larger packets to
// take the time that the whole line needs for them.
func TestLargerPackets(t *testing.T) {
	var d delayModel
	d.sample(0, 60*ms, 4*bucketSize, 16_000)
	d.slower(32_000, 32_000)
	d.sample(ms, 100*ms, 6*bucketSize, 16_000)
	assert.InDelta(t, float64(30*ms), float64(d.last), float64(ms), "two buckets at 32,000 bytes/s take 10 ms")
}
