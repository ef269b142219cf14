package udp

import (
	"time"

	"github.com/torc-engine/torc/netcore"
)

// A reader that wakes for each datagram costs more than the datagram itself: the owner wakes too.
// While datagrams of different peers come densely, as those of many players do, the reader
// therefore sleeps, and gets all that have come in the meantime at once. Their times of arrival are
// the kernel's. A single datagram, as of a handshake, never waits. Neither does the flow of one
// peer: its acks would be late.
const (
	denseTime  = time.Millisecond
	denseCount = 4 // changes of the peer in one to two of denseTime
)

// flow counts the datagrams of about a denseTime that are from another peer than the one before.
type flow struct {
	since time.Time
	n     int
	last  netcore.Addr
}

// begin begins a read.
func (f *flow) begin(now time.Time) {
	if now.Sub(f.since) > 2*denseTime {
		f.since, f.n = now, 0
	}
}

// add counts a datagram from a peer.
func (f *flow) add(from netcore.Addr) {
	if from != f.last {
		f.n++
		f.last = from
	}
}

// dense reports whether the flow is dense.
func (f *flow) dense() bool { return f.n >= denseCount }
