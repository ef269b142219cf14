package netcore

import "time"

// The time for which packets wait behind a gap follows the measured reordering. It is the lateness
// that about one packet in 65 exceeds: each packet that is later raises it by raiseHold, and each
// other packet lowers it by lowerHold. So a line that only loses packets keeps the least time.
const (
	minHold   = 8 * time.Millisecond
	maxHold   = 150 * time.Millisecond
	raiseHold = 8 * time.Millisecond
	lowerHold = raiseHold / 64
)

// passedSize is how many packets back lateness is measured. Later ones count as late by maxHold.
const passedSize = 64

// reordering measures how late the packets of the peer are. A packet is late if one with a higher
// number arrived before it.
type reordering struct {
	hold    Time // how long packets wait behind a gap; minHold..maxHold
	newest  Seq
	awaited Seq                // a ping named this number: it gets its verdict after hold
	since   Time               // when that ping arrived
	passed  [passedSize]uint32 // when a packet with a number at least as high had arrived, by number: low bits, in µs
}

// arrived takes a packet of the peer, each number once.
func (r *reordering) arrived(now Time, n Seq) {
	if n > r.newest {
		for k := max(r.newest+1, n-min(n, passedSize-1)); k <= n; k++ {
			r.passed[k%passedSize] = micros(now)
		}
		r.newest = n
		r.adapt(0)
		return
	}
	late := maxHold + 1
	if r.newest-n < passedSize {
		late = Time(micros(now)-r.passed[n%passedSize]) * time.Microsecond
	}
	r.adapt(late)
}

// micros returns the low bits of a time in microseconds.
func micros(t Time) uint32 { return uint32(t / time.Microsecond) }

func (r *reordering) adapt(late Time) {
	if late > r.hold {
		r.hold += raiseHold
	} else {
		r.hold -= lowerHold
	}
	r.hold = min(max(r.hold, minHold), maxHold)
}

// Hold returns how long packets of the peer wait behind a gap: 8..150 ms, as much as the line
// reorders.
func (c *Conn) Hold() Time { return c.reorder.hold }

// receiveLate measures a packet that arrived after its verdict: it was counted as lost, and still
// is. Nobody can make the connection wait with packets that are forged or repeated.
func (c *Conn) receiveLate(d []byte, n Seq) {
	if !c.in.missed(n) {
		return
	}
	room := c.cfg.Pool.take()
	plain, err := c.cfg.Keys.Open(room, d[:clearBytes], d[clearBytes:], kindData, uint64(n))
	if err == nil {
		room = plain
		c.in.countMissed(n)
		c.reorder.arrived(c.arrivedAt, n)
	}
	c.cfg.Pool.put(room)
}
