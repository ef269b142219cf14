package follow

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
)

// maxAddress is the longest address of an order, in bytes.
const maxAddress = 255

// checkAddress checks that an address is HOST:PORT: neither a link nor a way over a rendezvous,
// which would make the client ask further machines that the first server chooses.
func checkAddress(address string) error {
	if address == "" || len(address) > maxAddress || console.Clean(address) != address ||
		strings.HasPrefix(address, engine.Via) || strings.ContainsAny(address, "#/@ \\") || !strings.Contains(address, ":") {
		return errors.New("the address of the other server is no HOST:PORT")
	}
	return nil
}

// checkTargets checks the addresses that the name of a server resolves to. from is the server that
// sends the client there. One at a public address cannot name a private network: that of the player
// is behind the router, and the client is inside.
func checkTargets(from netcore.Addr, to []netcore.Addr) error {
	for _, a := range to {
		if a.Remote() == from.Remote() {
			return fmt.Errorf("%v is the address of this server", a)
		}
		if a.Kind != netcore.AddrUDP {
			continue
		}
		ip := address(a)
		if ip.IsMulticast() || ip.IsUnspecified() || ip == broadcast {
			return fmt.Errorf("%v is no address of a server", a)
		}
		if from.Kind == netcore.AddrUDP && public(address(from)) && !public(ip) {
			return fmt.Errorf("a server at a public address cannot send players to %v, which is private", a)
		}
	}
	return nil
}

// address returns the IP address of a peer. Of an IPv6 address in which a router finds an IPv4
// address, it returns that one.
func address(a netcore.Addr) netip.Addr {
	ip := netip.AddrFrom16(a.IP).Unmap()
	for _, e := range embedded {
		if e.prefix.Contains(ip) {
			b := ip.As16()
			return netip.AddrFrom4([4]byte(b[e.at : e.at+4]))
		}
	}
	return ip
}

// embedded are the prefixes of IPv6 addresses that stand for IPv4 addresses, and where these begin.
var embedded = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},     // 6to4
	{netip.MustParsePrefix("::/96"), 12},        // an old form, with :: and ::1
}

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// closed are the networks without public addresses besides those that netip knows.
var closed = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),      // this network
	netip.MustParsePrefix("100.64.0.0/10"),  // behind the router of a provider
	netip.MustParsePrefix("192.0.0.0/24"),   // of protocols
	netip.MustParsePrefix("198.18.0.0/15"),  // of measurements
	netip.MustParsePrefix("240.0.0.0/4"),    // reserved
	netip.MustParsePrefix("fec0::/10"),      // of a site, an old form
	netip.MustParsePrefix("64:ff9b:1::/48"), // NAT64 of a network's own
}

// public reports whether an address is one of the Internet.
func public(ip netip.Addr) bool {
	for _, p := range closed {
		if p.Contains(ip) {
			return false
		}
	}
	return ip.IsGlobalUnicast() && !ip.IsPrivate()
}
