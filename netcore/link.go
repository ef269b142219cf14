package netcore

import (
	"math/rand/v2"
	"slices"
	"time"
)

// LinkParams is how bad one direction of a line is. The zero value is perfect.
// Probabilities are 0..1 and drawn for each datagram by itself.
type LinkParams struct {
	Loss      float64 // is lost
	Duplicate float64 // arrives twice
	Reorder   float64 // is held back, so that those behind it overtake it
	Corrupt   float64 // has 1..8 bits flipped

	// Gilbert-Elliott bursts: a burst begins with probability Burst and loses
	// BurstLength datagrams on average (at least 1).
	Burst       float64
	BurstLength float64

	Delay     Time // every datagram takes this
	Jitter    Time // and up to this more
	Bandwidth int  // bytes per second; 0 is unlimited
	Queue     Time // longest queue before the bottleneck, then datagrams are lost; default 500 ms
}

// Perfect reports whether the line changes nothing.
func (p LinkParams) Perfect() bool { return p == LinkParams{} }

const (
	reorderLeast = 10 * time.Millisecond // a datagram held back is late by 1..3 times this, or the jitter
	defaultQueue = 500 * time.Millisecond
)

type transit struct {
	at   Time
	turn uint64 // breaks ties: first in, first out
	data []byte
}

// Link carries datagrams in one direction, badly, and the same way again for
// the same seed and the same input. Its buffers are used again.
type Link struct {
	Params LinkParams

	rng      *rand.Rand
	inBurst  bool
	busyTill Time // until then the bottleneck is sending
	turn     uint64
	queue    []transit // sorted by time, then turn; the next is last
	free     [][]byte
}

// NewLink returns an empty link.
func NewLink(seed uint64, p LinkParams) *Link {
	return &Link{Params: p, rng: rand.New(rand.NewPCG(seed, 0x6c696e6b))}
}

func (l *Link) chance(p float64) bool { return p > 0 && l.rng.Float64() < p }

// Push gives the link a datagram, which it copies. It reports whether at least
// one copy is on its way.
func (l *Link) Push(now Time, datagram []byte) bool {
	if l.lose() {
		return false
	}
	sent := l.pass(now, datagram)
	if l.chance(l.Params.Duplicate) {
		sent = l.pass(now, datagram) || sent
	}
	return sent
}

func (l *Link) lose() bool {
	p := &l.Params
	if l.inBurst {
		l.inBurst = !l.chance(1 / max(p.BurstLength, 1))
		return true
	}
	l.inBurst = l.chance(p.Burst)
	return l.inBurst || l.chance(p.Loss)
}

func (l *Link) pass(now Time, datagram []byte) bool {
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
		at += Time(float64(1+2*l.rng.Float64()) * float64(max(p.Jitter, reorderLeast)))
	}
	data := append(l.buffer(), datagram...)
	if len(data) > 0 && l.chance(p.Corrupt) {
		for range 1 + l.rng.IntN(8) {
			data[l.rng.IntN(len(data))] ^= 1 << l.rng.IntN(8)
		}
	}
	l.turn++
	l.insert(transit{at, l.turn, data})
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

func (l *Link) insert(t transit) {
	i, _ := slices.BinarySearchFunc(l.queue, t, func(q, t transit) int {
		if q.at > t.at || q.at == t.at && q.turn > t.turn {
			return -1
		}
		return 1
	})
	l.queue = slices.Insert(l.queue, i, t)
}

// Pop hands over all that has arrived by now, in order. out must not keep the
// datagram.
func (l *Link) Pop(now Time, out func(datagram []byte)) {
	for len(l.queue) > 0 && l.queue[len(l.queue)-1].at <= now {
		t := l.queue[len(l.queue)-1]
		l.queue = l.queue[:len(l.queue)-1]
		out(t.data)
		l.free = append(l.free, t.data)
	}
}

// Due returns when the next datagram arrives.
func (l *Link) Due() Time {
	if len(l.queue) == 0 {
		return Never
	}
	return l.queue[len(l.queue)-1].at
}

// Clear loses all that is on its way.
func (l *Link) Clear() {
	for _, t := range l.queue {
		l.free = append(l.free, t.data)
	}
	l.queue = l.queue[:0]
}
