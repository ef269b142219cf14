package sshd

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	maxPending        = 128 // connections before the end of the authentication; at allRefill and allBurst, each has 2 s at least
	pendingPerAddress = 4
	maxSessions       = 8
	sessionsPerKey    = 4
	sessionsWithout   = 4 // the role admin

	addressBurst  = 10              // failed connections of an address at once
	addressRefill = 6 * time.Second // for one more
	allBurst      = 64
	allRefill     = time.Second / 32
	maxAddresses  = 4096 // remembered

	warningBurst  = 8 // warnings about addresses that must wait
	warningRefill = time.Minute

	refusalsPerAddress = 3  // log lines about failed connections of an address, until it has all tokens again
	refusalBurst       = 16 // the same of all addresses
	refusalRefill      = 10 * time.Second
)

// bucket holds tokens. Each connection takes one.
type bucket struct {
	tokens float64
	at     time.Time // of the last change
	warned bool      // a warning told that the bucket is empty, and it was not full since
	told   int       // log lines about failed connections since it was full
}

func (b *bucket) take(now time.Time, burst float64, refill time.Duration) bool {
	b.tokens = min(burst, b.tokens+float64(now.Sub(b.at))/float64(refill))
	b.at = now
	if b.tokens == burst {
		b.warned, b.told = false, 0
	}
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// pending is a connection that is not authenticated.
type pending struct {
	conn    net.Conn
	network netip.Prefix
}

// limits counts connections.
type limits struct {
	mu        sync.Mutex
	addresses map[netip.Prefix]*bucket
	all       bucket
	warnings  bucket
	refusals  bucket
	untold    int        // failed connections without a log line since the last one
	pending   []*pending // oldest first
	sessions  []key
}

func newLimits() *limits {
	return &limits{
		addresses: map[netip.Prefix]*bucket{}, all: bucket{tokens: allBurst}, warnings: bucket{tokens: warningBurst}, refusals: bucket{tokens: refusalBurst},
	}
}

// network returns the IPv4 address or the IPv6 /64 of a peer.
func network(a net.Addr) netip.Prefix {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Prefix{}
	}
	ip := at.Addr().Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	prefix, _ := ip.Prefix(bits)
	return prefix
}

// begin admits a connection to the authentication, or returns nil. warn reports that the
// connection took the last token of its address, once until the address has all tokens again.
func (l *limits) begin(conn net.Conn, now time.Time) (p *pending, warn bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := network(conn.RemoteAddr())
	n := 0
	for _, other := range l.pending {
		if other.network == of {
			n++
		}
	}
	b := l.bucket(of, now)
	if n >= pendingPerAddress || !b.take(now, addressBurst, addressRefill) || !l.all.take(now, allBurst, allRefill) {
		return nil, false
	}
	if len(l.pending) == maxPending {
		old := l.crowded()
		old.conn.Close() // its handshake fails, and calls failed
		l.forget(old)
	}
	p = &pending{conn, of}
	l.pending = append(l.pending, p)
	if b.tokens < 1 && !b.warned {
		b.warned = l.warnings.take(now, warningBurst, warningRefill)
		warn = b.warned
	}
	return p, warn
}

// crowded returns the oldest pending connection of the address that has the most.
func (l *limits) crowded() (found *pending) {
	counts := map[netip.Prefix]int{}
	for _, p := range l.pending {
		counts[p.network]++
	}
	for _, p := range l.pending {
		if found == nil || counts[p.network] > counts[found.network] {
			found = p
		}
	}
	return found
}

// bucket returns the tokens of an address. If too many are known, it forgets any: who has so many
// addresses has as many tokens anyway.
func (l *limits) bucket(of netip.Prefix, now time.Time) *bucket {
	if b := l.addresses[of]; b != nil {
		return b
	}
	if len(l.addresses) == maxAddresses {
		for other := range l.addresses {
			delete(l.addresses, other)
			break
		}
	}
	b := &bucket{tokens: addressBurst, at: now}
	l.addresses[of] = b
	return b
}

// tell reports whether the log gets a line about an attempt that failed. untold is the number of those
// before it that got none.
func (l *limits) tell(p *pending, now time.Time) (yes bool, untold int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(p.network, now)
	if b.told >= refusalsPerAddress || !l.refusals.take(now, refusalBurst, refusalRefill) {
		l.untold++
		return false, 0
	}
	b.told++
	untold, l.untold = l.untold, 0
	return true, untold
}

// failed ends an attempt.
func (l *limits) failed(p *pending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(p)
}

func (l *limits) forget(p *pending) {
	for i, other := range l.pending {
		if other == p {
			l.pending = append(l.pending[:i], l.pending[i+1:]...)
			return
		}
	}
}

// succeeded ends an attempt that was authenticated and has room for a session, and gives its token
// back.
func (l *limits) succeeded(p *pending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(p)
	if b := l.addresses[p.network]; b != nil {
		b.tokens = min(b.tokens+1, addressBurst)
	}
}

// enter begins a session. Otherwise it returns why there is no room.
func (l *limits) enter(k key, admin bool) (full string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	same, without := 0, 0
	for _, other := range l.sessions {
		if other.id() == k.id() {
			same++
		}
		if other.role != adminRole {
			without++
		}
	}
	switch {
	case len(l.sessions) >= maxSessions:
		return "this server has as many SSH sessions as it allows"
	case same >= sessionsPerKey:
		return "this key has as many sessions as the server allows"
	case !admin && without >= sessionsWithout:
		return "this server has as many sessions without the role admin as it allows"
	}
	l.sessions = append(l.sessions, k)
	return ""
}

// leave ends a session.
func (l *limits) leave(k key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.sessions {
		if other.id() == k.id() {
			l.sessions = append(l.sessions[:i], l.sessions[i+1:]...)
			return
		}
	}
}
