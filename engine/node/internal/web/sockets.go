package web

import (
	"net"
	"net/netip"
	"slices"
	"sync"

	"github.com/torc-engine/torc/netcore"
)

const (
	maxSockets        = 512 // TCP connections without a WebSocket. A new one replaces the oldest
	socketsPerAddress = 32  // the same of one address, except of proxies
)

// sockets is a net.Listener that bounds the connections that carry no WebSocket.
type sockets struct {
	net.Listener
	proxies proxies

	mu     sync.Mutex
	open   []*socket // oldest first
	counts counts
}

// socket is a TCP connection.
type socket struct {
	net.Conn
	of   *sockets
	from netcore.Addr // invalid for a proxy
}

// Accept returns the next connection that its address can have.
func (s *sockets) Accept() (net.Conn, error) {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if k := s.admit(c, addrOf(c.RemoteAddr())); k != nil {
			limitUnsent(c)
			return k, nil
		}
		_ = c.Close()
	}
}

// admit counts a connection, or returns nil.
func (s *sockets) admit(c net.Conn, ip netip.Addr) *socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := &socket{Conn: c, of: s}
	if !s.proxies.has(ip) {
		k.from = netcore.WebAddr(ip, 0)
		if s.counts.full(k.from, socketsPerAddress) {
			return nil
		}
		s.counts.add(k.from, 1)
	}
	if len(s.open) == maxSockets {
		old := s.open[0]
		s.forget(old)
		_ = old.Conn.Close()
	}
	s.open = append(s.open, k)
	return k
}

// forget ends the counting of a connection.
func (s *sockets) forget(k *socket) {
	i := slices.Index(s.open, k)
	if i < 0 {
		return
	}
	s.open = slices.Delete(s.open, i, i+1)
	if k.from.Kind != netcore.AddrNone {
		s.counts.add(k.from, -1)
	}
}

// upgraded says that the connection carries a WebSocket, which peers count.
func (k *socket) upgraded() {
	k.of.mu.Lock()
	defer k.of.mu.Unlock()
	k.of.forget(k)
}

// Close closes the connection.
func (k *socket) Close() error {
	k.upgraded()
	return k.Conn.Close()
}
