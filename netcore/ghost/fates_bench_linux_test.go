package ghost

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// threadCPU returns the CPU time of the calling thread.
func threadCPU() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// crowdBench is a world of 1,000 moving objects and its viewers. Each viewer has its own round-trip
// time in ticks, and loses packets at random.
type crowdBench struct {
	world   *movingWorld
	viewers []*testConn
	rng     *rand.Rand
	loss    int // percent
}

func newCrowdBench(cfg Config, viewers, rttMin, rttMax, loss, bytes int) *crowdBench {
	c := &crowdBench{world: newMovingWorld(1000), rng: rand.New(rand.NewPCG(3, 4)), loss: loss}
	for i := range viewers {
		v := newTestConn(c.world, cfg, false)
		v.inFlight = make([]testPacket, rttMin+i%(rttMax-rttMin+1))
		v.buffer = v.buffer[:bytes-(1200-testSectionBytes)]
		c.viewers = append(c.viewers, v)
	}
	return c
}

// send reports the fates of the packets of one round-trip time ago, and packs a packet per viewer.
func (c *crowdBench) send() {
	for _, v := range c.viewers {
		v.settle()
	}
	for _, v := range c.viewers {
		v.pack(c.rng.IntN(100) < c.loss)
	}
}

// BenchmarkPackAndFates measures the sender alone: packs and fates of 128 viewers of 1,000 moving
// objects, without the world, the seal and the system call. An operation is one tick of all
// viewers. cpu-µs is the CPU time of the thread per viewer and tick. least-µs is that of the best
// tick, and moves less on a busy machine.
func BenchmarkPackAndFates(b *testing.B) {
	const viewers = 128
	for _, tt := range []struct{ rttMin, rttMax, loss, bytes int }{
		{4, 4, 0, 1200}, {4, 4, 2, 1200}, {4, 4, 10, 1200}, {2, 6, 0, 1200}, {2, 6, 2, 1200}, {2, 6, 10, 1200}, {4, 4, 2, 260},
	} {
		name := fmt.Sprintf("rtt=%d-%d,loss=%d,bytes=%d", tt.rttMin, tt.rttMax, tt.loss, tt.bytes)
		b.Run(name, func(b *testing.B) {
			benchmarkPackAndFates(b, newCrowdBench(Config{}, viewers, tt.rttMin, tt.rttMax, tt.loss, tt.bytes))
		})
	}
	b.Run("whole", func(b *testing.B) {
		benchmarkPackAndFates(b, newCrowdBench(Config{NoBaselines: true}, viewers, 4, 4, 0, 1200))
	})
}

func benchmarkPackAndFates(b *testing.B, c *crowdBench) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range 300 { // until the histories are deep enough for small packets
		c.world.step()
		c.send()
	}
	for _, v := range c.viewers {
		v.sections, v.bits, *v.from.Stats() = 0, 0, Stats{}
	}
	var total, least time.Duration
	stale, n := 0., 0
	b.ReportAllocs()
	for ; b.Loop(); n++ {
		c.world.step()
		from := threadCPU()
		c.send()
		used := threadCPU() - from
		if total += used; least == 0 || used < least {
			least = used
		}
		stale += c.viewers[n%len(c.viewers)].staleness()
	}
	var sections, bits, updates uint64
	for _, v := range c.viewers {
		sections, bits, updates = sections+v.sections, bits+v.bits, updates+v.from.Stats().Updates
	}
	ops := float64(n * len(c.viewers))
	b.ReportMetric(float64(total.Nanoseconds())/1e3/ops, "cpu-µs")
	b.ReportMetric(float64(least.Nanoseconds())/1e3/float64(len(c.viewers)), "least-µs")
	b.ReportMetric(float64(updates)/ops, "updates")
	b.ReportMetric(float64(bits+sections*8*(1200-testSectionBytes))/float64(updates), "bits/update")
	b.ReportMetric(stale/float64(n), "staleness")
}
