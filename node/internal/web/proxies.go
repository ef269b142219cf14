package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/torc-engine/torc/node/internal/hosts"
)

// proxies are the addresses of the reverse proxies that the operator trusts.
type proxies []netip.Prefix

// parseProxies reads IP addresses and ranges.
func parseProxies(texts []string) (all proxies, err error) {
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, err := netip.ParseAddr(text)
			if err != nil || a.Zone() != "" {
				return nil, fmt.Errorf("the proxy %q must be an IP address or a range such as 10.0.0.0/8", text)
			}
			p = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())
		}
		all = append(all, p)
	}
	return all, nil
}

// has reports whether an address is that of a proxy.
func (p proxies) has(a netip.Addr) bool {
	for _, of := range p {
		if of.Contains(a.Unmap().WithZone("")) {
			return true
		}
	}
	return false
}

var errForwarded = errors.New("the proxy sent an invalid X-Forwarded-For")

// client returns the address of the browser. Only a listed proxy is asked for it: the rightmost
// entry of X-Forwarded-For that is not a proxy itself, because the browser can write all entries
// before it.
func (p proxies) client(r *http.Request) (netip.Addr, error) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	from := at.Addr().Unmap()
	if err != nil || !p.has(from) {
		return from, err
	}
	entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(entries) - 1; i >= 0; i-- {
		entry := strings.TrimSpace(entries[i])
		if entry == "" && len(entries) == 1 {
			break
		}
		a, err := entryAddr(entry)
		if err != nil {
			return netip.Addr{}, errForwarded
		}
		if from = a; !p.has(a) {
			break
		}
	}
	return from, nil
}

// entryAddr reads an entry. Some proxies add the port.
func entryAddr(entry string) (netip.Addr, error) {
	if at, err := netip.ParseAddrPort(entry); err == nil {
		return at.Addr().Unmap(), nil
	}
	a, err := netip.ParseAddr(strings.Trim(entry, "[]"))
	return a.Unmap(), err
}

// isSecure reports whether nobody on the path could change the page of a request: it came over TLS,
// or a listed proxy says so, or it is of a browser on this machine.
func (l *Listener) isSecure(r *http.Request) bool {
	from := remoteAddr(r)
	switch {
	case l.secure:
		return true
	case l.proxies.has(from):
		said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-Proto"), ","), ",")
		return !slices.ContainsFunc(said, func(proto string) bool { return strings.TrimSpace(proto) != "https" })
	}
	return onThisMachine(r) // another program on this machine can be a proxy that is not listed
}

// onThisMachine reports whether a request comes from this machine and names it as this machine.
func onThisMachine(r *http.Request) bool {
	host := hosts.Name(strings.ToLower(r.Host))
	ip, err := hostAddr(host)
	return remoteAddr(r).IsLoopback() && (host == "localhost" || err == nil && ip.IsLoopback())
}

// forwardedHeaders are those that a proxy adds. A browser sends none of them.
var forwardedHeaders = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"}

// Local reports whether a request comes directly from a browser on this machine. A server with
// proxies or further sites has no such browsers: requests of strangers can come from a proxy on the
// same machine.
func (l *Listener) Local(r *http.Request) bool {
	if len(l.proxies) > 0 || len(l.gate.Load().origins) > 0 || !onThisMachine(r) {
		return false
	}
	return !slices.ContainsFunc(forwardedHeaders, func(name string) bool { return len(r.Header.Values(name)) > 0 })
}

// From returns the address of the browser of a request; of listed proxies, the one that they name.
func (l *Listener) From(r *http.Request) (netip.Addr, error) { return l.proxies.client(r) }
