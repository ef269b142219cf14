package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// gate decides by Host and Origin which requests are for this server.
type gate struct {
	listen  netip.Addr // where the server listens
	scheme  string     // http or https
	origins []string   // further allowed origins, in lower case
	hosts   []string   // the hosts of these
}

// newGate returns the gate of a server. An origin has the form https://HOST[:PORT].
func newGate(listen netip.Addr, secure bool, origins []string) (*gate, error) {
	g := &gate{listen: listen.Unmap(), scheme: "http"}
	if secure {
		g.scheme = "https"
	}
	for _, o := range origins {
		u, err := url.Parse(strings.ToLower(o))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != u.String() {
			return nil, fmt.Errorf("the origin %q must be http://HOST[:PORT] or https://HOST[:PORT]", o)
		}
		g.origins, g.hosts = append(g.origins, u.String()), append(g.hosts, u.Host)
	}
	return g, nil
}

// objection says why a request is not for this server; "" means that it is.
func (g *gate) objection(r *http.Request) string {
	host, local := strings.ToLower(r.Host), localAddr(r)
	if !g.isHost(host, local) {
		return fmt.Sprintf("this server is not %q: use its IP address, or start it with --web-origin", r.Host)
	}
	from := r.Header.Values("Origin")
	if len(from) == 0 && r.URL.Path != socketPath && r.URL.Path != rtcPath {
		return "" // browsers name the origin of each WebSocket and each POST, but not of a page
	}
	if len(from) != 1 || !g.isOrigin(strings.ToLower(from[0]), host) {
		return "requests of other web sites are refused; --web-origin allows one"
	}
	return ""
}

// isHost reports whether a Host header names this server. A name can be made to point to any
// address, also by a stranger, so only the operator's names count. An IP address cannot. local is
// the own address of the connection.
func (g *gate) isHost(host string, local netip.Addr) bool {
	if slices.Contains(g.hosts, host) {
		return true
	}
	name := hostName(host)
	if name == "localhost" {
		return local.IsLoopback()
	}
	ip, err := netip.ParseAddr(name)
	switch {
	case err != nil:
		return false
	case g.listen.IsUnspecified():
		return true // a router can have translated the address
	case g.listen.IsLoopback():
		return ip.IsLoopback()
	}
	return ip.Unmap().WithZone("") == g.listen.WithZone("")
}

// hostName returns the HOST of a HOST[:PORT], without brackets.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(host, "[]")
}

// isOrigin reports whether pages of an origin can use the server.
func (g *gate) isOrigin(origin, host string) bool {
	return origin == g.scheme+"://"+host || slices.Contains(g.origins, origin)
}

// localAddr returns the own address of the connection of a request.
func localAddr(r *http.Request) netip.Addr {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return addrOf(a)
	}
	return netip.Addr{}
}

// addrOf returns the IP address of a TCP address.
func addrOf(a net.Addr) netip.Addr {
	at, _ := netip.ParseAddrPort(a.String()) // the zero value is invalid
	return at.Addr().Unmap()
}
