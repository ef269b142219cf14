package netcore

import (
	"math/rand/v2"
	"slices"
	"time"
)

// LinkParams describes one direction of a simulated network. The zero value loses and delays
// nothing. Probabilities are 0..1 and independent for each datagram.
type LinkParams struct {
	Loss      float64 // probability that a datagram is lost
	Duplicate float64 // probability that it arrives twice
	Reorder   float64 // probability that it is delayed, so that later datagrams overtake it
	Corrupt   float64 // probability that 1..8 of its bits are flipped

	// Gilbert-Elliott bursts: a burst begins with probability Burst and loses BurstLength datagrams
	// on average (at least 1).
	Burst       float64
	BurstLength float64

	Delay     Time // the least delay of every datagram
	Jitter    Time // the most additional random delay
	Bandwidth int  // bytes per second; 0 is unlimited
	MTU       int  // larger datagrams are lost, in bytes; 0 is no limit
	Queue     Time // longest queue before the bottleneck; more datagrams are lost; default 500 ms
}

// Perfect reports whether the link loses, delays and changes nothing.
func (p LinkParams) Perfect() bool { return p == LinkParams{} }

const (
	// A reordered datagram is late by 1..3 times this, or by 1..3 times the jitter if that is more.
	minReorderDelay = 10 * time.Millisecond
	defaultQueue    = 500 * time.Millisecond
)

type queuedDatagram struct {
	at    Time
	order uint64 // orders datagrams with the same time: first in, first out
	data  []byte
}

// Link simulates one direction of a network. The same seed and input give the same result. A Link
// reuses its buffers.
type Link struct {
	Params LinkParams

	rng       *rand.Rand
	inBurst   bool
	busyTill  Time // until then the bottleneck is sending
	lastOrder uint64
	queue     []queuedDatagram // sorted by time, then turn; the next is last
	free      [][]byte
}

// NewLink returns an empty link.
func NewLink(seed uint64, p LinkParams) *Link {
	return &Link{Params: p, rng: rand.New(rand.NewPCG(seed, 0x6c696e6b))}
}

func (l *Link) chance(p float64) bool { return p > 0 && l.rng.Float64() < p }

// Push puts a copy of a datagram into the link. It reports whether at least one copy is on its way.
func (l *Link) Push(now Time, datagram []byte) bool {
	if m := l.Params.MTU; m > 0 && len(datagram) > m || l.drops() {
		return false
	}
	sent := l.enqueue(now, datagram)
	if l.chance(l.Params.Duplicate) {
		sent = l.enqueue(now, datagram) || sent
	}
	return sent
}

func (l *Link) drops() bool {
	p := &l.Params
	if l.inBurst {
		l.inBurst = !l.chance(1 / max(p.BurstLength, 1))
		return true
	}
	l.inBurst = l.chance(p.Burst)
	return l.inBurst || l.chance(p.Loss)
}

func (l *Link) enqueue(now Time, datagram []byte) bool {
	p := &l.Params
	at := now
	if p.Bandwidth > 0 {
		at = max(now, l.busyTill)
		limit := p.Queue
		if limit == 0 {
			limit = defaultQueue
		}
		if at-now > limit {
			return false
		}
		at += Time(len(datagram)) * time.Second / Time(p.Bandwidth)
		l.busyTill = at
	}
	at += p.Delay
	if p.Jitter > 0 {
		at += Time(l.rng.Int64N(int64(p.Jitter) + 1))
	}
	if l.chance(p.Reorder) {
		at += Time(float64(1+2*l.rng.Float64()) * float64(max(p.Jitter, minReorderDelay)))
	}
	data := append(l.buffer(), datagram...)
	if len(data) > 0 && l.chance(p.Corrupt) {
		for range 1 + l.rng.IntN(8) {
			data[l.rng.IntN(len(data))] ^= 1 << l.rng.IntN(8)
		}
	}
	l.lastOrder++
	l.insert(queuedDatagram{at, l.lastOrder, data})
	return true
}

func (l *Link) buffer() []byte {
	if len(l.free) == 0 {
		return make([]byte, 0, MaxDatagram)
	}
	b := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	return b[:0]
}

func (l *Link) insert(t queuedDatagram) {
	i, _ := slices.BinarySearchFunc(l.queue, t, func(q, t queuedDatagram) int {
		if q.at > t.at || q.at == t.at && q.order > t.order {
			return -1
		}
		return 1
	})
	l.queue = slices.Insert(l.queue, i, t)
}

// Pop passes on all datagrams that have arrived by now, in order. out must not keep the datagram.
func (l *Link) Pop(now Time, out func(datagram []byte)) {
	for len(l.queue) > 0 && l.queue[len(l.queue)-1].at <= now {
		t := l.queue[len(l.queue)-1]
		l.queue = l.queue[:len(l.queue)-1]
		out(t.data)
		l.free = append(l.free, t.data)
	}
}

// Due returns the time when the next datagram arrives, or Never.
func (l *Link) Due() Time {
	if len(l.queue) == 0 {
		return Never
	}
	return l.queue[len(l.queue)-1].at
}

// Clear drops all datagrams on their way.
func (l *Link) Clear() {
	for _, t := range l.queue {
		l.free = append(l.free, t.data)
	}
	l.queue = l.queue[:0]
}
