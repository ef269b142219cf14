package netcore

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// AddrKind is the kind of an Addr.
type AddrKind uint8

// The kinds of address. AddrNone is the zero value and names no peer.
const (
	AddrNone  AddrKind = iota
	AddrUDP            // an IP address and a UDP port
	AddrLocal          // the other endpoint in this process, without a network
	AddrSim            // a program on a simulated network
	AddrWeb            // a browser: the IP address of its machine, and the number of its connection
)

// largest returns the size of the largest datagrams that a search tries on paths to such addresses.
func (k AddrKind) largest() int {
	switch k {
	case AddrUDP, AddrLocal, AddrSim, AddrWeb:
		return MaxDatagram
	}
	return BaseDatagram
}

// Addr is the address of a peer. netcore only compares and prints addresses; the caller that passes
// datagrams on interprets them. An IPv4 address is kept in its IPv6-mapped form, so each peer has
// exactly one Addr per address of this side.
type Addr struct {
	IP   [16]byte
	Port uint16
	Kind AddrKind
	// Own is the address of this side that the peer sends to. Packets to the peer leave from it.
	// The zero value leaves the choice to the system.
	Own [16]byte
}

// UDPAddr returns the Addr of a UDP endpoint. For an invalid endpoint it returns the zero Addr. The
// zone of an IPv6 link-local address must be the number of an interface. It is kept in the bytes 2
// and 3, which are 0 on the wire. Other zones are dropped.
func UDPAddr(ap netip.AddrPort) Addr {
	if !ap.Addr().IsValid() {
		return Addr{}
	}
	a := Addr{IP: ap.Addr().As16(), Port: ap.Port(), Kind: AddrUDP}
	if a.linkLocal() {
		zone, _ := strconv.ParseUint(ap.Addr().Zone(), 10, 16) // 0: there is none
		binary.BigEndian.PutUint16(a.IP[2:], uint16(zone))
	}
	return a
}

// WebAddr returns the Addr of a browser at an IP address. n is unique among the connections of that
// address. The zone of an IPv6 link-local address is dropped.
func WebAddr(ip netip.Addr, n uint16) Addr {
	if !ip.IsValid() {
		return Addr{}
	}
	return Addr{IP: ip.As16(), Port: n, Kind: AddrWeb}
}

// linkLocal reports whether the IP address is in fe80::/10.
func (a Addr) linkLocal() bool { return a.IP[0] == 0xfe && a.IP[1]&0xc0 == 0x80 }

// DefaultPort is the port of a server whose address names none.
const DefaultPort = "28000"

// WithPort returns HOST:PORT for an address of a server: HOST:PORT itself, or HOST, or an IPv6
// address without brackets and port. It does not check the parts.
func WithPort(address string) string {
	colons := strings.Count(address, ":")
	switch {
	case address == "" || strings.Contains(address, "]:") || colons == 1:
		return address
	case colons > 1 && address[0] != '[':
		address = "[" + address + "]"
	}
	return address + ":" + DefaultPort
}

// LocalAddr returns the n-th address inside this process.
func LocalAddr(n uint16) Addr { return Addr{Port: n, Kind: AddrLocal} }

// SimAddr returns the n-th address of a simulated network.
func SimAddr(n uint16) Addr { return Addr{Port: n, Kind: AddrSim} }

// AddrPort returns the UDP endpoint. For other kinds the result is invalid.
func (a Addr) AddrPort() netip.AddrPort {
	if a.Kind != AddrUDP {
		return netip.AddrPort{}
	}
	return a.endpoint()
}

// endpoint returns the IP address and the port.
func (a Addr) endpoint() netip.AddrPort {
	if zone := binary.BigEndian.Uint16(a.IP[2:]); zone != 0 && a.linkLocal() {
		a.IP[2], a.IP[3] = 0, 0
		return netip.AddrPortFrom(netip.AddrFrom16(a.IP).WithZone(strconv.Itoa(int(zone))), a.Port)
	}
	return netip.AddrPortFrom(netip.AddrFrom16(a.IP).Unmap(), a.Port)
}

// hasIP reports whether the peer has an IP address.
func (a Addr) hasIP() bool { return a.Kind == AddrUDP || a.Kind == AddrWeb }

// Loopback reports whether the peer is a program on this machine. A browser is none, because any
// web page can use it. See Limits.Exempt.
func (a Addr) Loopback() bool {
	switch a.Kind {
	case AddrLocal, AddrSim:
		return true
	case AddrUDP:
		return netip.AddrFrom16(a.IP).Unmap().IsLoopback()
	}
	return false
}

// Remote returns the address without Own: the address of the peer alone.
func (a Addr) Remote() Addr {
	a.Own = [16]byte{}
	return a
}

// AppendRemote appends the form of the peer's address that cookies are computed from. It leaves out
// Own.
func (a Addr) AppendRemote(b []byte) []byte {
	return append(append(b, byte(a.Kind), byte(a.Port), byte(a.Port>>8)), a.IP[:]...)
}

// Host returns the address by which limits count. It has no port, and is the same for UDP and for a
// browser. An IPv4 address stays whole. An IPv6 address is cut to its /64, the range of one
// customer.
func (a Addr) Host() Addr {
	if !a.hasIP() {
		return a
	}
	h := Addr{IP: a.IP, Kind: AddrUDP}
	if !netip.AddrFrom16(a.IP).Is4In6() {
		clear(h.IP[8:])
	}
	return h
}

// Ranges returns the ranges of addresses by which limits count, the narrowest first: the Host, then
// for IPv6 the /48, the range of one site. Port marks the width, so that no two ranges are equal.
func (a Addr) Ranges() []Addr { return a.appendRanges(nil) }

// maxRanges is the most ranges of an address.
const maxRanges = 2

// appendRanges appends the ranges of an address. With room for maxRanges it allocates nothing.
func (a Addr) appendRanges(ranges []Addr) []Addr {
	host := a.Host()
	ranges = append(ranges, host)
	if a.hasIP() && !netip.AddrFrom16(a.IP).Is4In6() {
		clear(host.IP[6:])
		host.Port = 48
		ranges = append(ranges, host)
	}
	return ranges
}

// String returns the address in the form that an operator types. Bans read the IP address of it.
func (a Addr) String() string {
	switch a.Kind {
	case AddrUDP, AddrWeb:
		return a.endpoint().String()
	case AddrLocal:
		return fmt.Sprintf("local:%d", a.Port)
	case AddrSim:
		return fmt.Sprintf("sim:%d", a.Port)
	}
	return "nowhere"
}
