package sockets

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
)

// special are the blocks of addresses that are not public hosts, with their names (RFC 6890 and the
// registries of IANA).
var special = []struct {
	block netip.Prefix
	name  string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "an unspecified address"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a shared address"},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.0.2.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a reserved address"},
	{netip.MustParsePrefix("198.51.100.0/24"), "a reserved address"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a reserved address"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
	{netip.MustParsePrefix("::/128"), "an unspecified address"},
	{netip.MustParsePrefix("::1/128"), "a loopback address"},
	{netip.MustParsePrefix("fc00::/7"), "a private address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("fec0::/10"), "a private address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
	{netip.MustParsePrefix("2001::/23"), "a reserved address"}, // with Teredo
	{netip.MustParsePrefix("2001:db8::/32"), "a reserved address"},
	{netip.MustParsePrefix("3fff::/20"), "a reserved address"},
}

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	nat64         = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour     = netip.MustParsePrefix("2002::/16")
)

// Special names the kind of an address that is not a public host, as in "a loopback address". It
// returns "" for a public address. An IPv6 address that stands for an IPv4 address is special if
// that one is.
func Special(a netip.Addr) string {
	a = a.WithZone("").Unmap()
	for _, s := range special {
		if s.block.Contains(a) {
			return s.name
		}
	}
	if a.Is4() {
		return ""
	}
	if within, ok := embedded(a); ok {
		return Special(within)
	}
	if !globalUnicast.Contains(a) {
		return "a reserved address"
	}
	return ""
}

// embedded returns the IPv4 address that an IPv6 address of NAT64, 6to4 or ISATAP stands for.
func embedded(a netip.Addr) (netip.Addr, bool) {
	b := a.As16()
	switch {
	case nat64.Contains(a), b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe:
		return netip.AddrFrom4([4]byte(b[12:])), true
	case sixToFour.Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return netip.Addr{}, false
}

// Check returns an error if the target does not allow a connection to an address. The Network calls
// it with the address that it dials, after the name has been resolved.
func (t Target) Check(a netip.Addr) error {
	if !a.IsValid() {
		return errors.New("the address is not an IP address")
	}
	a = a.WithZone("").Unmap()
	why := Special(a)
	if why == "" || slices.ContainsFunc(t.Allow, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return nil
	}
	return fmt.Errorf("%s is %s, %s: the operator can allow it with mod.networks", t.Host, a, why)
}
