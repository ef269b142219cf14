package udp

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/torc-engine/torc/netcore"
)

// maxAddresses is how many addresses of one name are used.
const maxAddresses = 8

// Parse returns the address of "host:port" if the host is an address, and isName if it is a name
// for Resolve. An IPv6 address is in brackets.
func Parse(hostport string) (to netcore.Addr, isName bool, err error) {
	if ap, err := netip.ParseAddrPort(netcore.WithPort(hostport)); err == nil {
		if ap.Port() == 0 {
			return netcore.Addr{}, false, fmt.Errorf("%q: port must be 1…65535", hostport)
		}
		return netcore.UDPAddr(make(zones).number(ap)), false, nil
	}
	_, _, err = splitName(hostport)
	return netcore.Addr{}, err == nil, err
}

func splitName(hostport string) (host string, port uint16, err error) {
	host, text, err := net.SplitHostPort(netcore.WithPort(hostport))
	if err != nil || host == "" {
		return "", 0, fmt.Errorf("%q: address must be HOST or HOST:PORT", hostport)
	}
	number, err := strconv.ParseUint(text, 10, 16)
	if err != nil || number == 0 {
		return "", 0, fmt.Errorf("%q: port must be 1…65535", hostport)
	}
	return host, uint16(number), nil
}

// Resolve returns the addresses of "name:port", at most 8. IPv4 and IPv6 alternate, and IPv4 is
// first, because servers are most often reachable over it. Resolve blocks as long as the system's
// resolver does, or until ctx ends.
func Resolve(ctx context.Context, hostport string) ([]netcore.Addr, error) {
	host, port, err := splitName(hostport)
	if err != nil {
		return nil, err
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(ips) == 0 {
		return nil, fmt.Errorf("no address found for %q", host)
	}
	return alternate(ips, port), nil
}

// alternate sorts addresses: IPv4 and IPv6 alternate as far as there are both.
func alternate(ips []netip.Addr, port uint16) (to []netcore.Addr) {
	var families [2][]netip.Addr
	for _, ip := range ips {
		if ip = ip.Unmap(); ip.Is4() {
			families[0] = append(families[0], ip)
		} else {
			families[1] = append(families[1], ip)
		}
	}
	for i := 0; i < len(ips); i++ {
		for _, f := range families {
			if i < len(f) && len(to) < maxAddresses {
				to = append(to, netcore.UDPAddr(make(zones).number(netip.AddrPortFrom(f[i], port))))
			}
		}
	}
	return to
}
