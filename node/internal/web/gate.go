package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/torc-engine/torc/node/internal/hosts"
)

// gate decides by Host and Origin which requests are for this server.
type gate struct {
	hosts   hosts.Allowed
	scheme  string   // http or https
	origins []string // further allowed origins, in lower case; their hosts are allowed, too
}

// newGate returns the gate of a server. An origin has the form https://HOST[:PORT].
func newGate(listen netip.Addr, secure bool, origins []string) (*gate, error) {
	g := &gate{hosts: hosts.Allowed{Listen: listen.Unmap()}, scheme: "http"}
	if secure {
		g.scheme = "https"
	}
	var list []string
	for _, o := range origins {
		o, err := parseOrigin(o)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	g.allow(list)
	return g, nil
}

// objection says why a request is not for this server; "" means that it is.
func (g *gate) objection(r *http.Request) string {
	host := strings.ToLower(r.Host)
	if !g.hosts.Has(host, hosts.Local(r)) {
		return fmt.Sprintf("this server is not %q: use its IP address, or add the site to --web-origin or sv.webOrigins", r.Host)
	}
	from := r.Header.Values("Origin")
	if len(from) == 0 && r.URL.Path != socketPath && r.URL.Path != rtcPath {
		return "" // browsers name the origin of each WebSocket and each POST, but not of a page
	}
	if len(from) != 1 || !g.isOrigin(strings.ToLower(from[0]), host) {
		return "requests of other web sites are refused; --web-origin and sv.webOrigins allow some"
	}
	return ""
}

// isOrigin reports whether pages of an origin can use the server.
func (g *gate) isOrigin(origin, host string) bool {
	return origin == g.scheme+"://"+host || slices.Contains(g.origins, origin)
}
