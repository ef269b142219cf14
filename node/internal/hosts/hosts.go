// Package hosts decides whether the Host header of an HTTP request names this server. A page of
// another site can make its own name point to any address (DNS rebinding), and then reads what this
// machine alone can read. So only names that the operator gave count. An IP address cannot be made
// to point elsewhere.
package hosts

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Allowed are the hosts that name a server.
type Allowed struct {
	Listen netip.Addr // where the server listens
	Names  []string   // HOST or HOST:PORT as a request must have it, in lower case, from the operator
}

// Has reports whether a Host header names the server. local is the own address of the connection.
func (a Allowed) Has(host string, local netip.Addr) bool {
	host = strings.ToLower(host)
	if slices.Contains(a.Names, host) {
		return true
	}
	name := Name(host)
	if name == "localhost" {
		return local.IsLoopback()
	}
	ip, err := netip.ParseAddr(name)
	switch {
	case err != nil:
		return false
	case a.Listen.IsUnspecified():
		return true // a router can have translated the address
	case a.Listen.IsLoopback():
		return ip.IsLoopback()
	}
	return ip.Unmap().WithZone("") == a.Listen.WithZone("")
}

// Name returns the HOST of a HOST[:PORT], without brackets.
func Name(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(host, "[]")
}

// Local returns the own address of the connection of a request; the zero value if it is unknown.
func Local(r *http.Request) netip.Addr {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return Addr(a)
	}
	return netip.Addr{}
}

// Addr returns the IP address of a TCP address; the zero value if it has none.
func Addr(a net.Addr) netip.Addr {
	at, _ := netip.ParseAddrPort(a.String())
	return at.Addr().Unmap()
}
