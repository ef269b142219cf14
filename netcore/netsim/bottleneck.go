package netsim

import (
	"math"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// HeaderBytes are the IP and UDP headers that a bottleneck counts for each datagram.
const HeaderBytes = 28

// Bottleneck is a line with a capacity and a queue. Several directions of links can share it; see
// Network.Through. It drops a datagram when more than Queue bytes are ahead of it.
type Bottleneck struct {
	Rate  float64 // bits/s
	Queue int     // bytes

	// Burst makes the line a token bucket, as most shapers are. After a pause it sends so many
	// bytes at once, and it drops a datagram if more than Queue + Burst bytes would then wait. 0 is
	// a line without a bucket.
	Burst int

	// Rates change the capacity at given times. They are in order of time.
	Rates []RateChange

	waiting []waitingDatagram // the first one is being sent
	ahead   int               // bytes of those behind the first
	free    netcore.Time      // when the first one leaves the line
	tokens  float64           // bytes that leave the line at once,
	at      netcore.Time      // of the tokens
	flows   map[netcore.Addr]*Flow
}

// RateChange sets the capacity of a bottleneck at a time.
type RateChange struct {
	At   netcore.Time
	Rate float64 // bits/s
}

// Flow counts the datagrams of one sender at a bottleneck. Bytes include HeaderBytes.
type Flow struct {
	Delivered, Dropped           int
	DeliveredBytes, DroppedBytes int
}

func (f *Flow) drop(payload int) {
	f.Dropped++
	f.DroppedBytes += payload + HeaderBytes
}

type waitingDatagram struct {
	route int
	size  int
	data  []byte
}

// NewBottleneck returns an idle line. queue is the time that the line takes to send a full queue.
func NewBottleneck(rate float64, queue netcore.Time) *Bottleneck {
	return &Bottleneck{Rate: rate, Queue: int(rate / 8 * queue.Seconds()), flows: map[netcore.Addr]*Flow{}}
}

// Flow returns the counters of a sender.
func (b *Bottleneck) Flow(from netcore.Addr) *Flow {
	f := b.flows[from]
	if f == nil {
		f = new(Flow)
		b.flows[from] = f
	}
	return f
}

// push adds a datagram of a route to the queue. It reports whether there was room.
func (b *Bottleneck) push(now netcore.Time, route int, d []byte) bool {
	size := len(d) + HeaderBytes
	if !b.room(now, size) {
		return false
	}
	b.waiting = append(b.waiting, waitingDatagram{route, size, append([]byte(nil), d...)})
	if len(b.waiting) > 1 {
		b.ahead += size
	} else {
		b.begin(now)
	}
	return true
}

// room reports whether the queue has room for a datagram.
func (b *Bottleneck) room(now netcore.Time, size int) bool {
	if b.Burst == 0 || len(b.waiting) == 0 {
		return b.load(now) <= float64(b.Queue)
	}
	return b.ahead+b.waiting[0].size+size <= b.Queue+b.Burst
}

// load returns the bytes that the line must send before a new datagram.
func (b *Bottleneck) load(now netcore.Time) float64 {
	if len(b.waiting) == 0 {
		return 0
	}
	return float64(b.ahead) + (b.free-now).Seconds()*b.Rate/8
}

// Wait returns how long a datagram would wait in the queue now.
func (b *Bottleneck) Wait(now netcore.Time) netcore.Time {
	return netcore.Time(b.load(now) * 8 / b.Rate * float64(time.Second))
}

// begin starts to send the first datagram.
func (b *Bottleneck) begin(now netcore.Time) {
	for len(b.Rates) > 0 && b.Rates[0].At <= now {
		b.Rate, b.Rates = b.Rates[0].Rate, b.Rates[1:]
	}
	b.tokens = min(b.tokens+(now-b.at).Seconds()*b.Rate/8, float64(b.Burst))
	size := float64(b.waiting[0].size)
	b.free = now + netcore.Time(max(size-b.tokens, 0)*8/b.Rate*float64(time.Second))
	b.tokens, b.at = max(b.tokens-size, 0), b.free
}

func (b *Bottleneck) due() netcore.Time {
	if len(b.waiting) == 0 {
		return netcore.Never
	}
	return b.free
}

// pop returns the datagram that leaves the line, and starts to send the next one.
func (b *Bottleneck) pop() waitingDatagram {
	d := b.waiting[0]
	b.waiting = b.waiting[1:]
	if len(b.waiting) > 0 {
		b.ahead -= b.waiting[0].size
		b.begin(b.free)
	}
	return d
}

// Direction describes one direction of a line: a bottleneck, and the link behind it.
type Direction struct {
	Rate  float64      // bits/s; 0 is unlimited
	Queue netcore.Time // the time that the line takes to send a full queue
	Burst int          // bytes of a token bucket; see Bottleneck
	netcore.LinkParams
}

// Set gives a bottleneck the capacity and the queue of a direction. The datagram that the line is
// sending leaves it at the old capacity.
func (b *Bottleneck) Set(d Direction) {
	b.Rate, b.Queue, b.Burst = d.Rate, int(d.Rate/8*d.Queue.Seconds()), d.Burst
	if d.Rate == 0 {
		b.Rate, b.Queue, b.Burst = unlimitedRate, math.MaxInt, 0
	}
}

// unlimitedRate is a capacity that delays nothing, in bits/s.
const unlimitedRate = 1e12
