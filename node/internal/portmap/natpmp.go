package portmap

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	natpmp "github.com/jackpal/go-nat-pmp"
)

// natpmpTime is how long a router has for an answer. It is in the same house.
const natpmpTime = time.Second

// byNATPMP is NAT-PMP (RFC 6886), which routers with PCP understand too.
type byNATPMP struct{}

func (byNATPMP) String() string { return "NAT-PMP" }

func (byNATPMP) add(ctx context.Context, port uint16) (m mapping, err error) {
	err = errors.New("no router is known")
	for _, router := range routers() {
		if ctx.Err() != nil {
			return m, ctx.Err()
		}
		if m, err = mapAt(router, port, lease); err == nil {
			return m, nil
		}
	}
	return m, err
}

func (byNATPMP) remove(_ context.Context, _ mapping, port uint16) error {
	for _, router := range routers() {
		if _, err := mapAt(router, port, 0); err == nil {
			return nil
		}
	}
	return nil
}

// mapAt maps a port at a router. A lease of 0 removes the mapping.
func mapAt(router netip.Addr, port uint16, lease time.Duration) (m mapping, err error) {
	c := natpmp.NewClientWithTimeout(router.AsSlice(), natpmpTime)
	own, err := c.GetExternalAddress()
	if err != nil {
		return m, err
	}
	outside := port
	if lease == 0 {
		outside = 0
	}
	r, err := c.AddPortMapping("udp", int(port), int(outside), int(lease/time.Second))
	if err != nil {
		return m, err
	}
	m.external = netip.AddrPortFrom(netip.AddrFrom4(own.ExternalIPAddress), r.MappedExternalPort)
	m.lease = time.Duration(r.PortMappingLifetimeInSeconds) * time.Second
	return m, nil
}

// routeTable is the routing table of Linux. A unit of systemd with ProcSubset=pid hides /proc/net,
// but not this path.
const routeTable = "/proc/self/net/route"

// routers returns the addresses at which the router can be: those of the routing table, or the
// first address of each private network.
func routers() (all []netip.Addr) {
	if table, err := os.ReadFile(routeTable); err == nil {
		return parseRoutes(table)
	}
	ranges, _ := net.InterfaceAddrs() // none: no router is known
	for _, r := range ranges {
		p, err := netip.ParsePrefix(r.String())
		if err == nil && p.Addr().Is4() && p.Addr().IsPrivate() {
			all = append(all, p.Masked().Addr().Next())
		}
	}
	return all
}

// parseRoutes returns the routers of the default routes in the form of Linux.
func parseRoutes(table []byte) (all []netip.Addr) {
	for lines := bufio.NewScanner(bytes.NewReader(table)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 8 || words[1] != "00000000" || words[7] != "00000000" {
			continue
		}
		b, err := hex.DecodeString(words[2])
		if err != nil || len(b) != 4 || binary.NativeEndian.Uint32(b) == 0 {
			continue
		}
		var a [4]byte
		binary.NativeEndian.PutUint32(a[:], binary.BigEndian.Uint32(b))
		all = append(all, netip.AddrFrom4(a))
	}
	return all
}
