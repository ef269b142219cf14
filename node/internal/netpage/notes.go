package netpage

import (
	"net/netip"
	"sync"
	"time"
)

const (
	openPause  = 10 * time.Minute // between two notes of pages of the same address: each choice of a client opens a stream
	wrongPause = 10 * time.Second // between two notes of wrong keys, of any address
)

// notes limits what the audit log gets of pages.
type notes struct {
	mu     sync.Mutex
	opened netip.Addr    // of the newest note of an open page
	openAt time.Duration // when it was written
	next   time.Duration // when the next note of a wrong key can be written
}

// isNew reports whether an open page must be noted.
func (n *notes) isNew(from netip.Addr, now time.Duration) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if from == n.opened && now-n.openAt < openPause {
		return false
	}
	n.opened, n.openAt = from, now
	return true
}

// mayWarn reports whether a wrong key can be noted.
func (n *notes) mayWarn(now time.Duration) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now < n.next {
		return false
	}
	n.next = now + wrongPause
	return true
}
