// Package pulse measures the program itself: the ticks of a server, and the memory.
package pulse

import (
	"math"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/torc-engine/torc/engine"
)

// Pulse counts the ticks of a server and their lateness.
type Pulse struct {
	Ticks   uint64
	Skipped uint64        // ticks skipped because the process was stopped
	Busy    time.Duration // total time in ticks
	Max     time.Duration // of one tick
	Late    uint64        // ticks that began more than two tick times after the previous one
	Gap     time.Duration // longest time between the starts of two ticks

	last   time.Duration              // start of the last tick
	recent [recentTicks]time.Duration // durations of the newest ticks, in a ring
}

// recentTicks is the number of ticks of Quantile: 33 s.
const recentTicks = 1024

// Tick counts a tick that started at began and lasted took.
func (p *Pulse) Tick(began, took time.Duration) {
	if gap := began - p.last; p.Ticks > 0 {
		p.Gap = max(p.Gap, gap)
		if gap > 2*engine.TickTime {
			p.Late++
		}
	}
	p.last = began
	p.recent[p.Ticks%recentTicks] = took
	p.Ticks++
	p.Busy += took
	p.Max = max(p.Max, took)
}

// Quantile returns the duration that a share q of the newest 1,024 ticks did not exceed. q is from
// 0 to 1. Without a tick it returns 0.
func (p *Pulse) Quantile(q float64) time.Duration {
	n := int(min(p.Ticks, recentTicks))
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(p.recent[:n]))
	return sorted[max(int(math.Ceil(q*float64(n)))-1, 0)]
}

// Memory returns the memory that the program has from the system, and the heap that the last
// garbage collection found in use, in bytes.
func Memory() (total, heap uint64) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64(), samples[2].Value.Uint64()
}

// Live returns the bytes of heap that the last garbage collection found in use.
func Live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Newest returns the longest of the newest n ticks, n at most 1,024.
func (p *Pulse) Newest(n int) (longest time.Duration) {
	for i := range min(uint64(n), p.Ticks, recentTicks) {
		longest = max(longest, p.recent[(p.Ticks-1-i)%recentTicks])
	}
	return longest
}
