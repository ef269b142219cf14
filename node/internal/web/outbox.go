package web

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/netcore/udp"
)

const (
	burst     = 16                   // packets that wait at most: as many as a tick sends
	standTime = 4 * time.Millisecond // a packet that has waited longer stands behind a full line
)

// outbox holds the packets that wait until the connection takes them. While the line is full, only
// one waits, and each further one is lost.
type outbox struct {
	mu      sync.Mutex
	waiting [burst]*udp.Packet // a ring
	first   int
	n       int
	closed  bool

	wake chan struct{}  // gets a value when there may be something to write
	lost *atomic.Uint64 // packets without room
}

// put adds a packet, or drops it.
func (o *outbox) put(p *udp.Packet) {
	o.mu.Lock()
	full := o.closed || o.n == burst || o.n > 0 && p.At.Sub(o.waiting[o.first].At) > standTime
	if !full {
		o.waiting[(o.first+o.n)%burst] = p
		o.n++
	}
	o.mu.Unlock()
	if full {
		o.lost.Add(1)
		p.Free()
		return
	}
	o.signal()
}

// take returns the oldest packet, nil if there is none. more reports whether there can be another
// one later.
func (o *outbox) take() (p *udp.Packet, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n == 0 {
		return nil, !o.closed
	}
	p = o.waiting[o.first]
	o.waiting[o.first] = nil
	o.first, o.n = (o.first+1)%burst, o.n-1
	return p, true
}

// close ends the outbox. The packets in it can still be taken.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
