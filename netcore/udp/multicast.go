package udp

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"

	"github.com/torc-engine/torc/netcore"
)

// The groups and the port at which servers hear searches of the local network. Routers do not pass
// these groups on: the IPv4 packets have a time to live of 1, and the IPv6 group is link-local.
const GroupPort = 28998

var (
	group4 = net.UDPAddr{IP: net.IPv4(239, 255, 116, 99), Port: GroupPort}
	group6 = net.UDPAddr{IP: net.ParseIP("ff12::746f:7263"), Port: GroupPort}
)

const (
	rejoinTime      = 30 * time.Second // between two looks for new interfaces
	searchesASecond = 50               // passed on to the owner; further ones are dropped
)

// Group receives the searches of the local network.
type Group struct {
	conns []*net.UDPConn
	ended chan struct{} // gets a value from each reader
}

// JoinGroup joins the multicast groups of both families on all interfaces. A goroutine per family
// calls heard with each datagram from an address of the local network. b is valid until heard
// returns.
func JoinGroup(heard func(from netcore.Addr, b []byte)) (*Group, error) {
	g := &Group{ended: make(chan struct{}, 2)}
	four, err4 := net.ListenUDP("udp4", &group4) // it shares the port, because the address is a group
	if err4 == nil {
		p := ipv4.NewPacketConn(four)
		g.read(four, heard, func(i *net.Interface) { _ = p.JoinGroup(i, &group4) })
	}
	six, err6 := net.ListenUDP("udp6", &group6)
	if err6 == nil {
		p := ipv6.NewPacketConn(six)
		g.read(six, heard, func(i *net.Interface) { _ = p.JoinGroup(i, &group6) })
	}
	if len(g.conns) == 0 {
		return nil, errors.Join(err4, err6)
	}
	return g, nil
}

// read starts a reader.
func (g *Group) read(conn *net.UDPConn, heard func(netcore.Addr, []byte), join func(*net.Interface)) {
	g.conns = append(g.conns, conn)
	var local []netip.Prefix
	var next time.Time
	receive := func(b []byte) (int, netip.AddrPort, error) {
		if now := time.Now(); !now.Before(next) {
			next, local = now.Add(rejoinTime), localPrefixes()
			for _, i := range multicastInterfaces() {
				join(&i) // it fails on those that it has joined
			}
			_ = conn.SetReadDeadline(next)
		}
		return conn.ReadFromUDPAddrPort(b)
	}
	began := time.Now()
	s := searches{
		receive: receive,
		onLink:  func(a netip.Addr) bool { return onLink(a, local) },
		now:     func() netcore.Time { return time.Since(began) },
	}
	go func() {
		s.pass(heard)
		g.ended <- struct{}{}
	}()
}

// searches receives datagrams and passes on the searches of the local network.
type searches struct {
	receive func(b []byte) (n int, from netip.AddrPort, err error)
	onLink  func(netip.Addr) bool
	now     func() netcore.Time
}

// pass runs until the source is closed. Routers pass on unicast packets to the port: datagrams from
// other networks do not count for the limit.
func (s *searches) pass(heard func(netcore.Addr, []byte)) {
	var limit netcore.AddressLimiter
	zones := make(zones)
	b := make([]byte, netcore.MaxDatagram+1)
	for {
		n, from, err := s.receive(b)
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil || !s.onLink(from.Addr()) || !limit.Admit(s.now(), netcore.Addr{}, searchesASecond):
		default:
			heard(netcore.UDPAddr(zones.number(from)), b[:n])
		}
	}
}

// Close leaves the groups and waits for the readers.
func (g *Group) Close() {
	for _, c := range g.conns {
		_ = c.Close()
	}
	for range g.conns {
		<-g.ended
	}
}

// multicastInterfaces returns the interfaces that are up and carry multicast.
func multicastInterfaces() (use []net.Interface) {
	all, _ := net.Interfaces() // none: nothing is reached
	for _, i := range all {
		if i.Flags&net.FlagUp != 0 && i.Flags&net.FlagMulticast != 0 {
			use = append(use, i)
		}
	}
	return use
}

// OnLink reports whether an address is on the local network: in the range of an address of an
// interface, or link-local.
func OnLink(a netip.Addr) bool { return onLink(a, localPrefixes()) }

func onLink(a netip.Addr, local []netip.Prefix) bool {
	a = a.Unmap()
	return a.IsLinkLocalUnicast() || a.IsLoopback() ||
		slices.ContainsFunc(local, func(p netip.Prefix) bool { return p.Contains(a.WithZone("")) })
}

// localPrefixes returns the ranges of the addresses of the interfaces.
func localPrefixes() (local []netip.Prefix) {
	ranges, _ := net.InterfaceAddrs() // none: nothing is on the link
	for _, r := range ranges {
		if p, err := netip.ParsePrefix(r.String()); err == nil {
			local = append(local, p)
		}
	}
	return local
}

// Finder has the sockets of a search: one for each family, because a socket of both families cannot
// send to an IPv4 group on each interface.
type Finder struct {
	four, six *Socket // nil: the system does not have the family
	p4        *ipv4.PacketConn
	p6        *ipv6.PacketConn
}

// NewFinder opens the sockets of a search.
func NewFinder() (*Finder, error) {
	four, err4 := bind("udp4", ":0")
	six, err6 := bind("udp6", ":0")
	if err4 != nil && err6 != nil {
		return nil, errors.Join(err4, err6)
	}
	f := &Finder{}
	if err4 == nil {
		f.four, f.p4 = start(four, false), ipv4.NewPacketConn(four)
	}
	if err6 == nil {
		f.six, f.p6 = start(six, false), ipv6.NewPacketConn(six)
	}
	return f, nil
}

// Write sends a datagram. To the zero Addr it sends it to the groups, on every interface. It
// ignores errors: a packet that cannot be sent is a lost packet.
func (f *Finder) Write(to netcore.Addr, b []byte) {
	switch {
	case to.Kind == netcore.AddrNone:
		for _, i := range multicastInterfaces() {
			f.multicast(i, b)
		}
	case to.AddrPort().Addr().Is4() && f.four != nil:
		_ = f.four.Write(to, b)
	case to.AddrPort().Addr().Is6() && f.six != nil:
		_ = f.six.Write(to, b)
	}
}

func (f *Finder) multicast(i net.Interface, b []byte) {
	if f.four != nil {
		_, _ = f.p4.WriteTo(b, &ipv4.ControlMessage{IfIndex: i.Index}, &group4)
	}
	if f.six != nil {
		to := group6
		to.Zone = strconv.Itoa(i.Index)
		_, _ = f.p6.WriteTo(b, &ipv6.ControlMessage{IfIndex: i.Index}, &to)
	}
}

// Packets returns the channels of received packets of both families. A channel can be nil.
func (f *Finder) Packets() (four, six <-chan *Packet) {
	if f.four != nil {
		four = f.four.Packets()
	}
	if f.six != nil {
		six = f.six.Packets()
	}
	return four, six
}

// Close closes the sockets.
func (f *Finder) Close() {
	for _, s := range []*Socket{f.four, f.six} {
		if s != nil {
			_ = s.Close()
		}
	}
}
