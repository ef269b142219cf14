package udp

import "time"

// A reader that wakes for each datagram costs more than the datagram itself: the owner wakes too. While
// datagrams come densely, the reader therefore sleeps, and gets all that have come in the meantime at
// once. Their times of arrival are the kernel's. A single datagram, as of a handshake, never waits.
const (
	denseTime  = time.Millisecond
	denseCount = 4 // datagrams in denseTime
)

// flow counts the datagrams of a denseTime.
type flow struct {
	since time.Time
	n     int
}

// dense counts some datagrams that were read at a time. It reports whether the flow is dense.
func (f *flow) dense(now time.Time, n int) bool {
	if now.Sub(f.since) > 2*denseTime {
		*f = flow{since: now}
	}
	f.n += n
	return f.n >= denseCount
}
