package attack

import (
	"context"
	"fmt"
	"net/netip"
)

// Addresses of the network namespace. The server listens at all addresses, and four of them are its
// own.
const (
	serverIPv6    = "2001:db8:f::1"
	guests        = 20 // addresses of honest clients over IPv6, each in a /48 of its own
	otherSourceV4 = "10.3.0.1"
	otherSourceV6 = "2001:db8:e::1"
)

var serverAddresses = []string{"10.1.0.1", "10.2.0.1", serverIPv6, "2001:db8:f::2"}

func attackerV6(n int) netip.Addr {
	return netip.MustParseAddr(fmt.Sprintf("2001:db8:6:%x::1", n%halfOpenHosts))
}
func guestV6(n int) netip.Addr {
	return netip.MustParseAddr(fmt.Sprintf("2001:db8:1%02x::1", n%guests))
}

// spaceAddresses returns all addresses that the namespace needs.
func spaceAddresses() (all []string) {
	all = append(all, serverAddresses...)
	all = append(all, otherSourceV4, otherSourceV6)
	for _, at := range nameServers() {
		if !at.IsLoopback() {
			all = append(all, at.String())
		}
	}
	for _, set := range []struct {
		count int
		at    func(n int) netip.Addr
	}{{halfOpenHosts, attackerV6}, {guests, guestV6}} {
		for i := range set.count {
			all = append(all, set.at(i).String())
		}
	}
	return all
}

// anySite starts a server that listens at all addresses. The honest clients use 127.0.0.1.
func anySite(ctx context.Context, torc string) (*site, error) {
	s, err := startChild(ctx, torc, ":0")
	if err == nil {
		s.to = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), s.to.Port())
	}
	return s, err
}

// playTwoHomed joins at each address of the server.
func playTwoHomed(r *round) error {
	in := 0
	for i, address := range serverAddresses {
		to := netip.MustParseAddr(address)
		from := netip.MustParseAddr(otherSourceV4)
		if to.Is6() {
			from = netip.MustParseAddr(otherSourceV6)
		}
		r.aim(netip.AddrPortFrom(to, r.to.Port()), func(int) netip.Addr { return from }, nil)
		if _, err := r.attackers(1, func(int) clientSpec { return clientSpec{name: fmt.Sprint("asks", i)} }); err != nil {
			r.fail(true, "%s: %v", address, err)
			continue
		}
		in++
	}
	r.note("%d of %d addresses can be joined", in, len(serverAddresses))
	return nil
}

// playHalfOpen6 opens sessions over IPv6 that never speak.
func playHalfOpen6(r *round) error {
	r.aim(netip.AddrPortFrom(netip.MustParseAddr(serverIPv6), r.to.Port()), attackerV6, guestV6)
	return r.openHalf()
}

// playForgedSources floods the server with requests from forged addresses, each from another one.
// The flood and the honest clients use one address of the server.
func playForgedSources(r *round) error {
	target := netip.AddrPortFrom(netip.MustParseAddr(serverAddresses[0]), r.to.Port())
	f, err := startForged(target, r.rate(100_000), spoofed)
	if err != nil {
		return err
	}
	before := datagramsIn()
	err = r.watch(f, "that many", r.to, true)
	arrived := datagramsIn() - before
	r.note("all sockets of the namespace together received %d", arrived)
	r.fail(arrived < f.sent.Load()/2, "most packets did not reach the server, so the row proves nothing")
	return err
}
