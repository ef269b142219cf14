package sshd

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/torc-engine/torc/internal/rate"
)

const (
	maxPending        = 128 // connections before the end of the authentication
	pendingPerAddress = 4
	maxSessions       = 8
	sessionsPerKey    = 4
	sessionsWithout   = 4 // the role admin

	addressBurst  = 10              // failed connections of an address at once
	addressRefill = 6 * time.Second // for one more
	allBurst      = 64
	allRefill     = time.Second / 32
	maxAddresses  = 4096        // remembered
	tryPeriod     = time.Minute // in which the tries of an address count against it

	warningBurst  = 8 // warnings about addresses that must wait
	warningRefill = time.Minute

	refusalsPerAddress = 3  // log lines about failed connections of an address, until it has all tokens again
	refusalBurst       = 16 // the same of all addresses
	refusalRefill      = 10 * time.Second
)

// The limits of connections and of log lines. Each connection takes a token of its address. If no
// key from there was accepted lately, it also takes one of all.
var (
	addressLimit = rate.Limit{PerSecond: 1 / addressRefill.Seconds(), Burst: addressBurst}
	allLimit     = rate.Limit{PerSecond: 1 / allRefill.Seconds(), Burst: allBurst}
	warningLimit = rate.Limit{PerSecond: 1 / warningRefill.Seconds(), Burst: warningBurst}
	refusalLimit = rate.Limit{PerSecond: 1 / refusalRefill.Seconds(), Burst: refusalBurst}
)

// An address is what is known of one.
type address struct {
	bucket rate.Bucket // failed connections
	tries  rate.Recent // connections, those that were refused too
	warned bool        // a warning told that the bucket is empty, and it was not full since
	told   int         // log lines about failed connections since it was full
}

// pending is a connection that is not authenticated.
type pending struct {
	conn    net.Conn
	network netip.Prefix
	known   bool // a key from the network was accepted lately
}

// limits counts connections.
type limits struct {
	networks *networks

	mu        sync.Mutex
	addresses map[netip.Prefix]*address
	began     time.Time // at the first call
	all       rate.Bucket
	warnings  rate.Bucket
	refusals  rate.Bucket
	untold    int        // failed connections without a log line since the last one
	pending   []*pending // oldest first
	sessions  []key
}

func newLimits(n *networks) *limits {
	return &limits{networks: n, addresses: map[netip.Prefix]*address{}}
}

// since returns the time since the first call.
func (l *limits) since(now time.Time) time.Duration {
	if l.began.IsZero() {
		l.began = now
	}
	return now.Sub(l.began)
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

// begin admits a connection to the authentication, or returns nil. The limit of the address comes
// first. Networks from which a key was accepted lately need no token of all. Of the others, those
// with the fewest tries get the last ones. A refused connection takes only a token of its own
// address. warn reports that the connection took the last one, once until the address has all
// tokens again.
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
	at, a := l.since(now), l.address(of, now)
	tries := a.tries.Count(at, tryPeriod)
	a.tries.Add(at, tryPeriod, 1)
	if n >= pendingPerAddress || !a.bucket.Take(at, addressLimit, 1) {
		return nil, false
	}
	p = &pending{conn, of, l.networks.has(of, now)}
	if !p.known && (!l.all.HasShare(at, allLimit, tries) || !l.all.Take(at, allLimit, 1)) {
		return nil, false
	}
	if len(l.pending) == maxPending {
		old := l.evicted(p, at)
		if old == nil {
			return nil, false
		}
		old.conn.Close() // its handshake fails, and calls failed
		l.forget(old)
	}
	l.pending = append(l.pending, p)
	if !a.warned && !a.bucket.Has(at, addressLimit, 1) {
		a.warned = l.warnings.Take(at, warningLimit, 1)
		warn = a.warned
	}
	return p, warn
}

// evicted returns the pending connection that makes room for another: the oldest of the address
// with the most; of addresses with as many, of that with the most tries. One of a known network
// makes room for another known one only. nil means that there is none.
func (l *limits) evicted(by *pending, at time.Duration) (found *pending) {
	counts := map[netip.Prefix]float64{}
	for _, p := range l.pending {
		counts[p.network]++
	}
	for network := range counts {
		if a := l.addresses[network]; a != nil {
			counts[network] += 1 - 1/(1+a.tries.Count(at, tryPeriod)) // less than one more connection
		}
	}
	for _, p := range l.pending {
		switch {
		case p.known && !by.known:
		case found == nil || found.known && !p.known || found.known == p.known && counts[p.network] > counts[found.network]:
			found = p
		}
	}
	return found
}

// address returns what is known of an address. It forgets what was told about one that has all
// tokens again. If too many are known, it forgets any: who has so many addresses has as many tokens
// anyway.
func (l *limits) address(of netip.Prefix, now time.Time) *address {
	if a := l.addresses[of]; a != nil {
		if a.bucket.Full(l.since(now), addressLimit) {
			a.warned, a.told = false, 0
		}
		return a
	}
	if len(l.addresses) == maxAddresses {
		for other := range l.addresses {
			delete(l.addresses, other)
			break
		}
	}
	a := new(address)
	l.addresses[of] = a
	return a
}

// tell reports whether the log gets a line about an attempt that failed. untold is the number of
// those before it that got none.
func (l *limits) tell(p *pending, now time.Time) (yes bool, untold int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.address(p.network, now)
	if a.told >= refusalsPerAddress || !l.refusals.Take(l.since(now), refusalLimit, 1) {
		l.untold++
		return false, 0
	}
	a.told++
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
	if a := l.addresses[p.network]; a != nil {
		a.bucket.Return(1)
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
