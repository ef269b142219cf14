package netcore

import (
	"fmt"
	"net/netip"
)

// AddrKind says what kind of place an Addr names.
type AddrKind uint8

// The kinds of address. The zero kind names nobody.
const (
	AddrNone  AddrKind = iota
	AddrUDP            // an IP address and a UDP port
	AddrLocal          // the other half of this process, without a network
	AddrSim            // a machine on a simulated network
)

// Addr is where a peer lives. The core compares addresses and prints them, no
// more; what they mean is the edge's business. An IPv4 address is kept in its
// IPv6-mapped form, so that one peer has one Addr.
type Addr struct {
	IP   [16]byte
	Port uint16
	Kind AddrKind
}

// UDPAddr returns the Addr of a UDP endpoint. An invalid endpoint gives the
// zero Addr; an IPv6 zone is not kept.
func UDPAddr(ap netip.AddrPort) Addr {
	if !ap.Addr().IsValid() {
		return Addr{}
	}
	return Addr{IP: ap.Addr().As16(), Port: ap.Port(), Kind: AddrUDP}
}

// LocalAddr returns the n-th address inside this process.
func LocalAddr(n uint16) Addr { return Addr{Port: n, Kind: AddrLocal} }

// SimAddr returns the n-th address of a simulated network.
func SimAddr(n uint16) Addr { return Addr{Port: n, Kind: AddrSim} }

// AddrPort returns the UDP endpoint; it is invalid for the other kinds.
func (a Addr) AddrPort() netip.AddrPort {
	if a.Kind != AddrUDP {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(netip.AddrFrom16(a.IP).Unmap(), a.Port)
}

// Loopback reports whether the peer is on this machine; limits against
// strangers do not apply to it.
func (a Addr) Loopback() bool {
	switch a.Kind {
	case AddrLocal, AddrSim:
		return true
	case AddrUDP:
		return netip.AddrFrom16(a.IP).Unmap().IsLoopback()
	}
	return false
}

// Host returns the address that limits count by: without the port, an IPv4
// address whole and an IPv6 address cut to the /64 that one customer owns.
func (a Addr) Host() Addr {
	if a.Kind != AddrUDP {
		return a
	}
	h := Addr{IP: a.IP, Kind: AddrUDP}
	if !netip.AddrFrom16(a.IP).Is4In6() {
		clear(h.IP[8:])
	}
	return h
}

// String prints the address as an operator would type it.
func (a Addr) String() string {
	switch a.Kind {
	case AddrUDP:
		return a.AddrPort().String()
	case AddrLocal:
		return fmt.Sprintf("local:%d", a.Port)
	case AddrSim:
		return fmt.Sprintf("sim:%d", a.Port)
	}
	return "nowhere"
}
