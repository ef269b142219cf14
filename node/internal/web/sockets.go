package web

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/hosts"
)

const (
	maxSockets        = 512 // TCP connections without a WebSocket
	socketsPerAddress = 32  // the same of one address, except of proxies
)

// sockets is a net.Listener that bounds the connections that carry no WebSocket. A connection is
// busy while the server reads a request with a complete header or answers it. When all places are
// taken, an idle connection of the address with the most idle ones makes room. So nobody loses a
// download to connections that send nothing. If all are busy, the newest of the address with the
// most makes room, but only for an address with fewer. A connection that receives never makes room:
// if all do, the new one is closed.
type sockets struct {
	net.Listener
	proxies proxies

	mu     sync.Mutex
	open   []*socket // oldest first; one that becomes idle counts as new
	limits netcore.Limits
	counts counts
	idle   counts // those of counts that are not busy
}

// socket is a TCP connection.
type socket struct {
	net.Conn
	of     *sockets
	from   netcore.Addr   // invalid for a proxy
	ranges []netcore.Addr // the ranges of from; none for a proxy
	busy   bool           // guarded by of.mu
	got    receipts
}

func newSockets(l net.Listener, p proxies) *sockets {
	return &sockets{Listener: l, proxies: p, counts: counts{}, idle: counts{}}
}

// Accept returns the next connection that its address can have.
func (s *sockets) Accept() (net.Conn, error) {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if k := s.admit(time.Now(), c, hosts.Addr(c.RemoteAddr())); k != nil {
			limitUnsent(c)
			return k, nil
		}
		_ = c.Close()
	}
}

// admit counts a connection, or returns nil.
func (s *sockets) admit(now time.Time, c net.Conn, ip netip.Addr) *socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := &socket{Conn: c, of: s}
	if !s.proxies.has(ip) {
		k.from = netcore.WebAddr(ip, 0)
		k.ranges = k.from.Ranges()
		if !s.limits.Allows(k.from) && s.counts.full(k.from, s.limits.Scale(socketsPerAddress)) {
			return nil
		}
	}
	if len(s.open) == maxSockets {
		old := s.evicted(now, k)
		if old == nil {
			return nil
		}
		s.forget(old)
		_ = old.Conn.Close()
	}
	s.open = append(s.open, k)
	s.count(s.counts, k, 1)
	s.count(s.idle, k, 1)
	return k
}

// setLimits replaces the limits.
func (s *sockets) setLimits(l netcore.Limits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits = l
}

// evicted returns the connection that makes room for a new one, or nil.
func (s *sockets) evicted(now time.Time, by *socket) (found *socket) {
	most := -1
	for _, k := range s.open {
		if k.busy {
			continue // its share of what is idle costs three look-ups
		}
		if share := s.share(s.idle, k); share > most && !k.got.receives(now) {
			found, most = k, share
		}
	}
	if found != nil {
		return found
	}
	s.count(s.counts, by, 1)
	most = s.share(s.counts, by)
	s.count(s.counts, by, -1)
	for _, k := range slices.Backward(s.open) {
		if share := s.share(s.counts, k); share > most && !k.got.receives(now) {
			found, most = k, share
		}
	}
	return found
}

// share returns the share of a connection's address. Proxies have none: many browsers are behind
// them.
func (s *sockets) share(of counts, k *socket) int { return of.share(k.ranges) }

// count counts a connection in of.
func (s *sockets) count(of counts, k *socket, n int) {
	if k.from.Kind != netcore.AddrNone {
		of.add(k.from, n)
	}
}

// forget ends the counting of a connection. It reports whether the connection was counted.
func (s *sockets) forget(k *socket) bool {
	i := slices.Index(s.open, k)
	if i < 0 {
		return false
	}
	s.open = slices.Delete(s.open, i, i+1)
	s.count(s.counts, k, -1)
	if !k.busy {
		s.count(s.idle, k, -1)
	}
	return true
}

// upgraded says that the connection carries a WebSocket, which peers count.
func (k *socket) upgraded() {
	k.of.mu.Lock()
	defer k.of.mu.Unlock()
	k.of.forget(k)
}

// works says whether the connection has a request.
func (k *socket) works(busy bool) {
	s := k.of
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.busy == busy || !s.forget(k) {
		return
	}
	k.busy = busy
	s.open = append(s.open, k)
	s.count(s.counts, k, 1)
	if !busy {
		s.count(s.idle, k, 1)
	}
}

// socketOf returns the connection below TLS.
func socketOf(c net.Conn) (*socket, bool) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	k, ok := c.(*socket)
	return k, ok
}

// watchState is the ConnState of an http.Server on sockets.
func watchState(c net.Conn, state http.ConnState) {
	if k, ok := socketOf(c); ok && (state == http.StateActive || state == http.StateIdle) {
		k.works(state == http.StateActive)
	}
}

// Write writes b in pieces, and counts those that the peer has taken.
func (k *socket) Write(b []byte) (n int, err error) {
	for err == nil && n < len(b) {
		var took int
		took, err = k.Conn.Write(b[n:min(n+pieceBytes, len(b))])
		n += took
		k.got.add(time.Now(), took)
	}
	return n, err
}

// Close closes the connection.
func (k *socket) Close() error {
	k.upgraded()
	return k.Conn.Close()
}
