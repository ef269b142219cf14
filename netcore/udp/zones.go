package udp

import (
	"net"
	"net/netip"
	"strconv"
)

// zones maps the names of interfaces to their numbers. Package net names the zone of an IPv6
// link-local address, and netcore numbers it.
type zones map[string]string

// number returns an address with the number of its zone. A name that no interface has stays.
func (z zones) number(ap netip.AddrPort) netip.AddrPort {
	name := ap.Addr().Zone()
	if name == "" {
		return ap
	}
	number, known := z[name]
	if !known {
		number = name
		if i, err := net.InterfaceByName(name); err == nil {
			number = strconv.Itoa(i.Index)
		}
		z[name] = number
	}
	return netip.AddrPortFrom(ap.Addr().WithZone(number), ap.Port())
}
