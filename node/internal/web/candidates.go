package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"

	"github.com/torc-engine/torc/node/internal/hosts"
)

const maxCandidates = 8

// candidates returns the addresses at which a browser reaches the UDP port, the likeliest first:
// those of the operator, and the one in the Host of the request or in an origin. If the browser
// knows a name only, they are those of this machine.
func (l *Listener) candidates(r *http.Request) []netip.Addr {
	bound := l.rtc.port.socket.Addr().Addr()
	all := slices.Clone(l.public)
	for _, host := range append([]string{r.Host}, l.gate.Load().hosts.Names...) {
		if ip, err := hostAddr(host); err == nil {
			all = append(all, ip)
		}
	}
	if _, err := hostAddr(r.Host); err != nil {
		if at := hosts.Local(r); !l.proxies.has(remoteAddr(r)) {
			all = append(all, at)
		}
		all = append(all, OwnAddresses()...)
	}
	all = slices.DeleteFunc(all, func(ip netip.Addr) bool {
		return !ip.IsValid() || ip.IsUnspecified() || !reaches(bound, ip) && !slices.Contains(l.public, ip)
	})
	all = firstOfEach(all)
	return all[:min(len(all), maxCandidates)]
}

// parseAddresses reads IP addresses.
func parseAddresses(texts []string) (all []netip.Addr, err error) {
	for _, text := range texts {
		ip, err := netip.ParseAddr(text)
		if err != nil || ip.Zone() != "" || ip.IsUnspecified() {
			return nil, fmt.Errorf("the address %q must be an IP address, for example 203.0.113.7", text)
		}
		all = append(all, ip.Unmap())
	}
	return all, nil
}

// hostAddr returns the IP address in a HOST[:PORT].
func hostAddr(host string) (netip.Addr, error) {
	ip, err := netip.ParseAddr(hosts.Name(host))
	return ip.Unmap().WithZone(""), err
}

// remoteAddr returns the address that a request comes from.
func remoteAddr(r *http.Request) netip.Addr {
	at, _ := netip.ParseAddrPort(r.RemoteAddr) // the zero value is invalid
	return at.Addr().Unmap()
}

// reaches reports whether a socket that is bound to an address gets packets to an IP address.
func reaches(bound, ip netip.Addr) bool {
	switch {
	case bound.Is4() && !ip.Is4():
		return false
	case bound.IsUnspecified():
		return true
	}
	return bound.WithZone("") == ip
}

// firstOfEach leaves out repetitions.
func firstOfEach(all []netip.Addr) (some []netip.Addr) {
	for _, ip := range all {
		if !slices.Contains(some, ip) {
			some = append(some, ip)
		}
	}
	return some
}

// OwnAddresses returns the addresses of this machine, without those of the loopback and of the
// link.
func OwnAddresses() (own []netip.Addr) {
	all, _ := net.InterfaceAddrs() // none: only this machine is known
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().IsGlobalUnicast() {
			own = append(own, p.Addr().Unmap())
		}
	}
	return own
}
