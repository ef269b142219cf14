package netsim

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// CUBIC is a sender with the congestion window of RFC 9438. It always has more to send. It
// retransmits nothing, because only its window matters: a lost segment counts like one whose
// content is sent again in a later segment. Its peer is a CUBICReceiver.
type CUBIC struct {
	To    netcore.Addr
	Start netcore.Time

	Segments, Lost int // sent, and counted as lost

	window, threshold float64 // segments
	most, reno        float64 // W_max and W_est of RFC 9438, segments
	k                 float64 // s
	epoch             netcore.Time
	inEpoch           bool
	next, settled     uint32 // the next segment to send, and the first one without a fate
	recover           uint32 // losses before this segment belong to the last reduction
	open              map[uint32]netcore.Time
	smooth, deviation netcore.Time
	progress          netcore.Time // when a segment was settled last
	timeout           netcore.Time
}

const (
	cubicSegment = 1472 // bytes of UDP payload, so that a datagram has 1,500 bytes
	cubicAck     = 24
	cubicC       = 0.4 // segments/s^3
	cubicBeta    = 0.7
	cubicReorder = 3 // segments that arrive before an earlier one counts as lost
)

// Tick implements Machine.
func (c *CUBIC) Tick(now netcore.Time) {
	if c.open == nil {
		c.open, c.window, c.threshold, c.timeout = map[uint32]netcore.Time{}, 10, math.Inf(1), time.Second
	}
	if len(c.open) > 0 && now-c.progress > c.timeout {
		c.threshold = max(c.window*cubicBeta, 2)
		c.most, c.window, c.inEpoch, c.recover = c.window, 1, false, c.next
		c.Lost += len(c.open)
		clear(c.open)
		c.settled, c.progress = c.next, now
		c.timeout = min(2*c.timeout, time.Minute)
	}
}

// Receive handles an acknowledgement: the numbers of segments, filled up with cubicNone.
func (c *CUBIC) Receive(now netcore.Time, _ netcore.Addr, d []byte) {
	for ; len(d) >= 4; d = d[4:] {
		c.acked(now, binary.LittleEndian.Uint32(d))
	}
}

// acked handles the arrival of a segment at the receiver.
func (c *CUBIC) acked(now netcore.Time, n uint32) {
	sent, ok := c.open[n]
	if !ok {
		return
	}
	delete(c.open, n)
	c.sample(now - sent)
	c.progress = now
	c.grow(now)
	for c.settled+cubicReorder <= n || c.settled < c.next && !c.isOpen(c.settled) {
		if c.isOpen(c.settled) {
			c.Lost++
			delete(c.open, c.settled)
			if c.settled >= c.recover {
				c.reduce()
			}
		}
		c.settled++
	}
}

func (c *CUBIC) isOpen(n uint32) bool { _, open := c.open[n]; return open }

// sample updates the timeout by RFC 6298, with the least timeout of 200 ms that Linux uses.
func (c *CUBIC) sample(rtt netcore.Time) {
	if c.smooth == 0 {
		c.smooth, c.deviation = rtt, rtt/2
	} else {
		c.deviation += ((rtt - c.smooth).Abs() - c.deviation) / 4
		c.smooth += (rtt - c.smooth) / 8
	}
	c.timeout = c.smooth + max(4*c.deviation, 200*time.Millisecond)
}

// grow enlarges the window for one acknowledged segment.
func (c *CUBIC) grow(now netcore.Time) {
	if c.window < c.threshold {
		c.window++
		return
	}
	if !c.inEpoch {
		c.inEpoch, c.epoch = true, now
		c.reno = c.window
		c.most = max(c.most, c.window)
		c.k = math.Cbrt((c.most - c.window) / cubicC)
	}
	t := (now - c.epoch + c.smooth).Seconds()
	target := min(max(c.most+cubicC*math.Pow(t-c.k, 3), c.window), 1.5*c.window)
	c.reno += 3 * (1 - cubicBeta) / (1 + cubicBeta) / c.window
	c.window += (target - c.window) / c.window
	c.window = max(c.window, c.reno)
}

// reduce makes the window smaller after a loss, once per round trip.
func (c *CUBIC) reduce() {
	c.recover = c.next
	if c.window < c.most { // fast convergence
		c.most = c.window * (1 + cubicBeta) / 2
	} else {
		c.most = c.window
	}
	c.window = max(c.window*cubicBeta, 2)
	c.threshold, c.inEpoch = c.window, false
}

// Send sends as many segments as the window allows.
func (c *CUBIC) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	if c.open == nil || now < c.Start {
		return
	}
	for float64(len(c.open)) < math.Floor(c.window) {
		if len(c.open) == 0 {
			c.progress = now
		}
		var d [cubicSegment]byte
		binary.LittleEndian.PutUint32(d[:], c.next)
		c.open[c.next] = now
		c.next++
		c.Segments++
		out(c.To, d[:])
	}
}

// CUBICReceiver acknowledges the segments of a CUBIC sender as TCP does: two at a time, or one
// after 40 ms without another. Behind a gap it acknowledges each segment at once.
type CUBICReceiver struct {
	from netcore.Addr
	got  []uint32 // segments without an acknowledgement
	next uint32   // segment
	due  netcore.Time
}

const (
	cubicDelay = 40 * time.Millisecond
	cubicNone  = math.MaxUint32 // no segment has this number
)

// Receive implements Machine.
func (r *CUBICReceiver) Receive(now netcore.Time, from netcore.Addr, d []byte) {
	n := binary.LittleEndian.Uint32(d)
	if r.due = now; n == r.next && len(r.got) == 0 {
		r.due += cubicDelay
	}
	r.from, r.got, r.next = from, append(r.got, n), max(r.next, n+1)
}

// Tick implements Machine.
func (r *CUBICReceiver) Tick(netcore.Time) {}

// Due returns when the next acknowledgement is due.
func (r *CUBICReceiver) Due(netcore.Time) netcore.Time {
	if len(r.got) == 0 {
		return netcore.Never
	}
	return r.due
}

// Send implements Machine.
func (r *CUBICReceiver) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	if len(r.got) == 0 || now < r.due {
		return
	}
	d := make([]byte, 0, cubicAck)
	for len(d) < cubicAck {
		n := uint32(cubicNone)
		if len(r.got) > 0 {
			n, r.got = r.got[0], r.got[1:]
		}
		d = binary.LittleEndian.AppendUint32(d, n)
	}
	out(r.from, d)
}
