package sim

import "math"

// Arrival measures when the states of a peer arrive, from the peer's ticks that they carry. The
// ghosts of these states are shown with a constant delay behind the peer, whatever each state's own
// delay was. A state is late or early against that delay. The delay is the usual one plus the mean
// deviation from it: so it grows with the jitter of the line, and costs nothing on a line without
// jitter.
type Arrival struct {
	begun     bool
	sent      uint32  // the peer's tick of the newest state
	usual     float64 // mean delay: own tick minus the peer's tick
	deviation float64 // mean deviation from it
	late      float64 // of the newest state
}

const (
	// arrivalWeight is the weight of the newest state in the means. With a state in each tick, the
	// means follow a change of the line within some seconds.
	arrivalWeight = 1. / 64
	// maxDeviation is the largest deviation from the usual delay, in ticks: 192 ms. A state beyond
	// it shows that the delay of the line has changed.
	maxDeviation = 6
	// maxSpan is the largest deviation that delays the ghosts, in ticks: 96 ms.
	maxSpan = 3
)

// Late returns by how many ticks a state is late that arrives in the own tick now and belongs to
// the peer's tick sent. An early state is late by a negative number.
func (a *Arrival) Late(now uint64, sent uint32) float64 {
	if a.begun && sent == a.sent {
		return a.late
	}
	delay := float64(int32(uint32(now) - sent))
	from := delay - a.usual
	if !a.begun || math.Abs(from) > maxDeviation {
		a.begun, a.usual, from = true, delay, 0
	}
	a.usual += from * arrivalWeight
	a.deviation += (math.Abs(from) - a.deviation) * arrivalWeight
	a.sent, a.late = sent, from-min(a.deviation, maxSpan)
	return a.late
}

// Receive passes an update to a ghost: its fields are set, and before is its place before that.
// late is the result of Arrival.Late.
func (w *World) Receive(o Interpolator, before Place, late float64) {
	w.late = late
	o.Received(before)
	w.late = 0
}

// Late returns by how many ticks the update is late that an Interpolator receives. Outside of
// Receive it returns 0.
func (w *World) Late() float64 { return w.late }
