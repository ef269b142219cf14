package listserver

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/netcore"
)

const (
	maxNames    = 256 // names that are resolved at once, one of them for an address
	resolveTime = 2 * time.Second
)

// names has the addresses of servers for whom a name is being resolved: IPv4 addresses and IPv6
// /64.
type names map[netcore.Addr]bool

// begin reports whether a name can be resolved for a server.
func (n names) begin(owner netcore.Addr) bool {
	if n[owner] || len(n) >= maxNames {
		return false
	}
	n[owner] = true
	return true
}

// ownerOf returns an address for all those that count as one.
func ownerOf(at netip.Addr) netcore.Addr { return netcore.UDPAddr(netip.AddrPortFrom(at, 0)).Host() }

// resolve finds the addresses of a name on a goroutine of its own.
func (s *Server) resolve(at netip.Addr, host string, done func([]netip.Addr)) bool {
	owner := ownerOf(at)
	if !s.names.begin(owner) {
		return false
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), resolveTime)
		defer cancel()
		addrs, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host) // a name without addresses is no link
		s.Do(func() {
			delete(s.names, owner)
			done(addrs)
		})
	}()
	return true
}
