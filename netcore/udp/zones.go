package udp

import (
	"net"
	"net/netip"
	"strconv"
	"time"
)

// zoneTime is how long the number of an interface is known. An interface that is made anew has
// another.
const zoneTime = 60 * time.Second

// zones maps the names of interfaces to their numbers. Package net names the zone of an IPv6
// link-local address, and netcore numbers it.
type zones map[string]zone

type zone struct {
	number string
	until  time.Time
}

// number returns an address with the number of its zone. A name that no interface has stays.
func (z zones) number(ap netip.AddrPort) netip.AddrPort {
	name := ap.Addr().Zone()
	if name == "" {
		return ap
	}
	return netip.AddrPortFrom(ap.Addr().WithZone(z.find(time.Now(), name)), ap.Port())
}

// find returns the number of an interface, or name if there is none.
func (z zones) find(now time.Time, name string) string {
	if known := z[name]; now.Before(known.until) {
		return known.number
	}
	delete(z, name)
	i, err := net.InterfaceByName(name)
	if err != nil {
		return name
	}
	z[name] = zone{strconv.Itoa(i.Index), now.Add(zoneTime)}
	return z[name].number
}
