package congestion

import (
	"math"
	"time"
)

const (
	buckets    = 8
	bucketSize = 160              // bytes
	baseWindow = 10 * time.Second // a lowest round-trip time is forgotten after one to two of these,
	keepTime   = 30 * time.Second // or beside a TCP this long after the queue was nearly empty

	leastTarget = 15 * time.Millisecond // of the queue, at any rate
	mostTarget  = 25 * time.Millisecond // more, at a low rate
	targetBytes = 360                   // the target is higher by the time of these

	recentTime = 40 * time.Millisecond // samples of this time, or half a round trip, are recent

	longestTime  = 200 * time.Millisecond // the longest wait is that of at least this time,
	longestCount = 10                     // and of at least so many samples
)

// delayModel estimates how long packets wait in the queue of the line. It compares each round-trip
// time with the lowest one of packets of about the same size, because on a slow line a large packet
// takes longer than a small one.
type delayModel struct {
	base     [2][buckets]Time // lowest times of the previous and the present window; 0: none
	low      Time             // the lowest of them, of a packet of the newest size
	windowAt Time
	keep     bool    // a TCP hides the lowest times
	emptyAt  Time    // when the queue was nearly empty last
	line     float64 // the highest rate of the line so far, 0: unknown
	slow     float64 // seconds per byte by which the line has become slower
	rate     float64 // of the connection, at the newest sample

	recent   [16]delaySample
	n        int  // samples so far
	smooth   Time // smoothed round-trip time
	noise    Time // smoothed difference between two waits in a row
	last     Time // the newest wait
	standing Time // the lowest recent wait: the queue

	waits     [2]Time // the longest waits of the previous and the present period
	waitsAt   Time    // the begin of the present one
	waitsSeen int     // samples in it
}

type delaySample struct{ at, wait Time }

// target returns the longest queue that is tolerated. Two connections that share a line see the
// same queue. The slower one tolerates more, so it becomes faster.
func (d *delayModel) target() Time {
	return leastTarget + min(mostTarget, Time(targetBytes/d.rate*1e9)) + 3*d.noise/4
}

// sample adds a round-trip time of a packet.
func (d *delayModel) sample(now, rtt Time, size int, rate float64) {
	d.rate = rate
	if now-d.windowAt >= baseWindow {
		d.windowAt = now
		d.forget(d.keep && now-d.emptyAt < keepTime)
	}
	b := min(size/bucketSize, buckets-1)
	base, low := d.lowest(b, max(rate, d.line))
	base = min(base, rtt)
	d.slow = min(d.slow, (rtt-base).Seconds()/float64(size))
	slow := Time(d.slow * float64(size) * 1e9)
	d.low = min(low, rtt) + slow
	if t := &d.base[1][b]; *t == 0 || rtt-slow < *t {
		*t = rtt - slow
	}
	if d.smooth == 0 {
		d.smooth = rtt
	}
	d.smooth += (rtt - d.smooth) / 8
	wait := rtt - base - slow
	if wait <= d.target()/2 {
		d.emptyAt = now
	}
	d.noise += ((wait - d.last).Abs() - d.noise) / 16
	d.last = wait
	d.recent[d.n%len(d.recent)] = delaySample{now, wait}
	d.n++
	d.standing = d.lowestWait(now - max(d.smooth/2, recentTime))
	d.lengthen(now, wait)
}

// lengthen adds a wait to the present period, and begins a new one if it was long enough.
func (d *delayModel) lengthen(now, wait Time) {
	if d.waitsSeen >= longestCount && now-d.waitsAt >= longestTime {
		d.waits, d.waitsAt, d.waitsSeen = [2]Time{d.waits[1], 0}, now, 0
	}
	d.waits[1] = max(d.waits[1], wait)
	d.waitsSeen++
}

// longest returns the longest wait of the previous and the present period.
func (d *delayModel) longest() Time { return max(d.waits[0], d.waits[1]) }

// lowest returns the lowest round-trip time that packets of a bucket can have, and the lowest of
// all, on a line of a rate. It is unknown if it is very long. Packets of larger buckets take at
// least as long. Those of smaller buckets take less by the time in which the line sends the
// difference.
func (d *delayModel) lowest(bucket int, rate float64) (own, low Time) {
	own, low = math.MaxInt64, math.MaxInt64
	step := Time(bucketSize / rate * 1e9)
	for w := range d.base {
		for b, t := range &d.base[w] {
			if t > 0 {
				low = min(low, t)
				own = min(own, t+step*Time(max(bucket-b, 0)))
			}
		}
	}
	return own, low
}

// forget drops the lowest times of the previous window, or merges them into those of the present
// one. Then the present window becomes the previous one.
func (d *delayModel) forget(merge bool) {
	old := d.base[0]
	d.base[0], d.base[1] = d.base[1], [buckets]Time{}
	for b, t := range old {
		if n := &d.base[0][b]; merge && t > 0 && (*n == 0 || t < *n) {
			*n = t
		}
	}
}

// slower adapts the lowest round-trip times to a line that has carried from bytes per second and
// carries to now. Shorter times than that prove the contrary.
func (d *delayModel) slower(from, to float64) { d.line, d.slow = from, max(0, 1/to-1/from) }

// lowestWait returns the lowest wait since a time, or of the two newest samples.
func (d *delayModel) lowestWait(since Time) Time {
	low := d.last
	for i := d.n - 2; i >= max(0, d.n-len(d.recent)); i-- {
		s := d.recent[i%len(d.recent)]
		if s.at < since && i < d.n-2 {
			break
		}
		low = min(low, s.wait)
	}
	return low
}
