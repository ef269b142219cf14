package web

import (
	"sync"
	"time"
)

const (
	receivingBytes = 4000            // in a window: the peer receives
	receivingTime  = 2 * time.Second // of a window
	pieceBytes     = 2048            // of a write: a peer that takes an answer slowly shows it
)

// receipts says whether a peer receives: it took 4 kB within 2 s, the last of them in the last 2 s.
type receipts struct {
	mu     sync.Mutex
	bytes  int
	since  time.Time // of bytes
	filled time.Time // the newest window with enough bytes
}

// add counts bytes that the peer has taken.
func (r *receipts) add(now time.Time, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.since) >= receivingTime {
		r.bytes, r.since = 0, now
	}
	if r.bytes += n; r.bytes >= receivingBytes {
		r.bytes, r.since = 0, now
		r.filled = now
	}
}

// receives reports whether the peer receives.
func (r *receipts) receives(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return now.Sub(r.filled) < receivingTime
}
