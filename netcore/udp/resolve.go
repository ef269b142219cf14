package udp

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/torc-engine/torc/netcore"
)

// Resolve returns the address of "host:port". The host is a name or an address;
// an IPv6 address is in brackets. If a name has several addresses, Resolve
// returns the first IPv4 address, or the first of all if there is none, because
// servers are most often reachable over IPv4. It blocks as long as the system's
// resolver does.
func Resolve(hostport string) (netcore.Addr, error) {
	if ap, err := netip.ParseAddrPort(hostport); err == nil {
		if ap.Port() == 0 {
			return netcore.Addr{}, fmt.Errorf("%q: port must be 1…65535", hostport)
		}
		return netcore.UDPAddr(ap), nil
	}
	host, port, err := net.SplitHostPort(hostport)
	if err != nil || host == "" {
		return netcore.Addr{}, fmt.Errorf("%q: address must be HOST:PORT", hostport)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return netcore.Addr{}, fmt.Errorf("%q: port must be 1…65535", hostport)
	}
	ips, err := net.LookupIP(host)
	if err != nil || len(ips) == 0 {
		return netcore.Addr{}, fmt.Errorf("no address found for %q", host)
	}
	found := ips[0]
	for _, ip := range ips {
		if ip.To4() != nil {
			found = ip
			break
		}
	}
	ip, _ := netip.AddrFromSlice(found)
	return netcore.UDPAddr(netip.AddrPortFrom(ip, uint16(number))), nil
}
