package listserver

import (
	"context"
	"net"
	"net/netip"
	"time"
)

const (
	maxNames    = 16 // names that are resolved at once
	resolveTime = 5 * time.Second
)

// names counts the names of links that are being resolved.
type names struct{ open int }

// resolve finds the addresses of a name on a goroutine of its own.
func (s *Server) resolve(host string, done func([]netip.Addr)) bool {
	if s.names.open >= maxNames {
		return false
	}
	s.names.open++
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), resolveTime)
		defer cancel()
		addrs, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host) // a name without addresses is no link
		s.Do(func() {
			s.names.open--
			done(addrs)
		})
	}()
	return true
}
