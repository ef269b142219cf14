package congestion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
)

const ms = time.Millisecond

// flow is a connection whose line has a fixed round-trip time and as much capacity as it needs.
// wait returns the queue at a time, and lost whether the n-th packet is lost.
type flow struct {
	c     Controller
	now   Time
	n     int
	every Time // between two looks of its owner
	wait  func(now Time) Time
	lost  func(n int) bool
	road  []sentByTest
}

type sentByTest struct {
	at, sent Time
	size     int
	lost     bool
}

const testRTT = 50 * ms

func newFlow() *flow {
	f := &flow{every: ms, wait: func(Time) Time { return 0 }, lost: func(int) bool { return false }}
	f.c.Start(0)
	return f
}

func (f *flow) send(size int) {
	f.c.Sent(f.now, size)
	f.n++
	f.road = append(f.road, sentByTest{f.now + testRTT + f.wait(f.now), f.now, size, f.lost(f.n)})
}

// run sends a packet of the size whenever the flow wants one, and acknowledges those that arrive.
func (f *flow) run(d Time, size int, wants func(now Time) bool) (sent int) {
	for end := f.now + d; f.now < end; f.now += ms {
		for len(f.road) > 0 && f.road[0].at <= f.now {
			p := f.road[0]
			f.road = f.road[1:]
			var a Ack
			a.Add(!p.lost, p.size)
			if !p.lost {
				a.Time(p.sent, 0)
			}
			f.c.Acked(f.now, a)
		}
		for f.now%f.every == 0 && wants(f.now) && f.c.Ready(f.now) {
			f.send(size)
			sent += size
		}
	}
	return sent
}

func always(Time) bool { return true }

// everyTick wants one packet per tick.
func everyTick() func(Time) bool {
	next := Time(0)
	return func(now Time) bool {
		due := now >= next
		if due {
			next = now + 32*ms
		}
		return due
	}
}

func TestStartupDoubles(t *testing.T) {
	f := newFlow()
	f.run(200*ms, fullSize, always)
	assert.Greater(t, f.c.Rate(), 3.9*initialRate)
	f.run(2*time.Second, fullSize, always)
	assert.Equal(t, float64(highestRate), f.c.Rate(), "an empty line has no other limit")
}

// TestFirstAckOfAFastLine: first packets that arrive together open the rest of the first window. On
// a slow line, each ack tells of one. Later acks open nothing.
func TestFirstAckOfAFastLine(t *testing.T) {
	for _, tt := range []struct {
		before, packets int
		opens           bool
	}{{0, 1, false}, {0, 3, false}, {0, 4, true}, {2, 4, true}, {20, 4, false}} {
		var c Controller
		c.Start(0)
		acked := func(packets int) {
			var a Ack
			for range packets {
				c.Sent(0, fullSize)
				a.Add(true, fullSize)
			}
			a.Time(0, 0)
			c.tokens = 0
			c.Acked(0, a)
		}
		for range tt.before {
			acked(1)
		}
		acked(tt.packets)
		assert.Equal(t, tt.opens, c.tokens == fastBurst, "%d packets after %d", tt.packets, tt.before)
	}
}

func TestRateGrowsOnlyWhenItIsUsed(t *testing.T) {
	f := newFlow()
	f.run(10*time.Second, 120, everyTick())
	assert.Equal(t, float64(initialRate), f.c.Rate())
}

// TestForeignQueue: a flow of a few bytes per tick does not cause the queue that it sees. It keeps
// more than it sends, and none of its packets waits.
func TestForeignQueue(t *testing.T) {
	f := newFlow()
	f.run(time.Second, 120, everyTick())
	f.wait = func(now Time) Time { return now % (2 * time.Second) / 10 }
	sent := f.run(30*time.Second, 120, everyTick())
	assert.InDelta(t, 30*120*1000/32, sent, 600)
	assert.Greater(t, f.c.Rate(), 1.2*120*1000/32)
}

func TestQueueLowersTheRate(t *testing.T) {
	f := newFlow()
	f.c.rate, f.c.phase = 100_000, steady
	f.run(time.Second, fullSize, always)
	before := f.c.Rate()
	f.wait = func(Time) Time { return 60 * ms }
	f.run(300*ms, fullSize, always)
	assert.Less(t, f.c.Rate(), .9*before)
	assert.Equal(t, draining, f.c.phase)
	assert.InDelta(t, float64(60*ms), float64(f.c.Queue()), float64(3*ms))
	f.wait = func(Time) Time { return 0 }
	f.run(300*ms, fullSize, always)
	assert.Equal(t, steady, f.c.phase)
}

func TestRandomLossIsNoBrake(t *testing.T) {
	for _, tt := range []struct {
		every int // packets of which one is lost
		brake bool
	}{{20, false}, {6, true}} {
		f := newFlow()
		f.c.rate, f.c.phase, f.c.known = 100_000, steady, 1e9
		f.lost = func(n int) bool { return n%tt.every == 0 }
		f.run(5*time.Second, fullSize, always)
		assert.Equal(t, tt.brake, f.c.Rate() < 99_000, "one of %d: %.0f", tt.every, f.c.Rate())
		assert.GreaterOrEqual(t, f.c.Rate(), float64(lossFloor))
	}
}

// TestLossShowsALine: a tunnel on this machine whose queue is too short to be seen shows its line
// by losses. Random loss of 5 % is none.
func TestLossShowsALine(t *testing.T) {
	for _, every := range []int{20, 3} { // packets of which one is lost
		f := newFlow()
		f.c.OneMachine()
		f.c.phase, f.c.known = steady, 1e9
		f.lost = func(n int) bool { return n%every == 0 }
		f.run(10*time.Second, fullSize, always)
		assert.Equal(t, every == 3, f.c.Rate() < initialRate, "one of %d: %.0f", every, f.c.Rate())
	}
}

func TestNoAcksLeaveATrickle(t *testing.T) {
	f := newFlow()
	f.run(time.Second, fullSize, always)
	f.wait = func(Time) Time { return time.Hour }
	rate := f.c.Rate()
	f.run(time.Second, fullSize, always)
	sent := f.run(10*time.Second, fullSize, always)
	assert.InDelta(t, 10*rate/trickle, sent, rate)
	assert.Positive(t, sent)
}

func TestPaced(t *testing.T) {
	f := newFlow()
	f.run(time.Second, 120, everyTick())
	for range 20 {
		start := f.now
		f.run(100*ms, 120, func(Time) bool { return false })
		sent := 0
		for f.c.Ready(f.now) {
			f.send(fullSize)
			sent++
		}
		assert.Equal(t, 1, sent, "after a pause of %v", f.now-start)
		due := f.c.Due()
		assert.Zero(t, due%grid)
		assert.False(t, f.c.Ready(due-grid))
		assert.True(t, f.c.Ready(due))
		f.now = due
	}
}

func TestSize(t *testing.T) {
	for _, tt := range []struct {
		rate float64
		size int
	}{{1_200, 150}, {2_624, 328}, {3_600, 328}, {8_000, 328}, {16_000, 512}, {32_000, 1024}, {38_400, 1228}, {1e6, 1228}, {500, 128}} {
		c := Controller{rate: tt.rate}
		assert.Equal(t, tt.size, c.Size(fullSize), "at %.0f bytes/s", tt.rate)
		assert.LessOrEqual(t, c.Size(200), 200)
	}
}

// TestLyingPeer: whatever delays a peer reports, the rate doubles at most once per round, stays
// below the highest rate, and grows only while the peer acknowledges.
func TestLyingPeer(t *testing.T) {
	for _, lie := range []Time{0, 10 * ms, 254 * ms, time.Hour} {
		var c Controller
		c.Start(0)
		rate, next := c.Rate(), leastRound
		for now := Time(0); now < 5*time.Second; now += ms {
			sent := 0
			for c.Ready(now) {
				c.Sent(now, fullSize)
				sent++
			}
			for range sent { // acknowledged before it can have arrived
				var a Ack
				a.Add(true, fullSize)
				a.Time(now, lie)
				c.Acked(now, a)
			}
			if now >= next {
				assert.LessOrEqual(t, c.Rate(), 2*rate)
				rate, next = c.Rate(), now+leastRound
			}
		}
		assert.LessOrEqual(t, c.Rate(), float64(highestRate))
		rate = c.Rate()
		sent := 0
		for now := 5 * time.Second; now < 10*time.Second; now += ms {
			for c.Ready(now) {
				c.Sent(now, fullSize)
				sent += fullSize
			}
		}
		assert.Equal(t, rate, c.Rate())
		assert.Less(t, float64(sent), 5*rate/trickle+rate, "lie %v: %d bytes without an ack", lie, sent)
	}
}

// One operation is a packet and its ack, beside the check whether it can be sent.
func BenchmarkPacket(b *testing.B) {
	var c Controller
	c.Start(0)
	b.ReportAllocs()
	for now := Time(0); b.Loop(); now += 32 * ms {
		c.Ready(now)
		c.Due()
		c.Sent(now, 500)
		var a Ack
		a.Add(true, 500)
		a.Time(now-50*ms, 10*ms)
		c.Acked(now, a)
	}
}

// TestPausesSaveNoBurst checks that a flow that was silent for a minute sends no more at once than
// its rate allows in two steps of the grid, and one packet.
func TestPausesSaveNoBurst(t *testing.T) {
	f := newFlow()
	f.run(5*time.Second, fullSize, always)
	f.run(time.Minute, fullSize, func(Time) bool { return false })
	sent := 0
	for most := f.c.Rate()*2*grid.Seconds() + 1; f.c.Ready(f.now); sent += fullSize {
		assert.Less(t, float64(sent), most)
		f.send(fullSize)
	}
	assert.Positive(t, sent)
}

// TestLateOwner: an owner with a backlog finds the rate of an empty line, also after a bad one, if
// it looks only every few ticks of the grid. So do a busy host and a page with its frames.
func TestLateOwner(t *testing.T) {
	for _, every := range testenv.Every(2, []Time{2 * ms, 4 * ms, 8 * ms, 16 * ms, 20 * ms, 32 * ms}) {
		for _, start := range testenv.Every(3, []float64{1300, 2000, 3000, 5000, 10_000, 20_000, initialRate}) {
			f := newFlow()
			f.every = every
			f.c.phase, f.c.rate = steady, start
			f.c.known, f.c.peak = start, start
			for f.now < time.Minute {
				f.run(every, max(f.c.Size(fullSize), 128), always)
			}
			assert.Equal(t, float64(highestRate), f.c.Rate(), "%v late, from %.0f bytes/s", every, start)
		}
	}
}

// TestPausesSaveNoTokens: an owner that had nothing to send does not send more at once than the
// grid allows.
func TestPausesSaveNoTokens(t *testing.T) {
	f := newFlow()
	f.c.phase, f.c.rate = steady, 1e6
	f.run(time.Second, fullSize, always)
	rate := f.c.Rate()
	f.run(time.Second, fullSize, func(Time) bool { return f.c.tokens > 0 && f.now%(32*ms) == 0 })
	f.now += 30 * ms
	burst := f.run(ms, fullSize, always)
	assert.LessOrEqual(t, float64(burst), rate*.004+fullSize)
}
