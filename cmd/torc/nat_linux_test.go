package main

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/internal/testenv"
)

// on runs f with the networks of a machine. The test ends if f fails.
func (m machines) on(machine string, f func() error) {
	m.t.Helper()
	require.NoError(m.t, on(machine, f))
}

// on runs f with the networks of a machine: sockets that f opens belong to it.
func on(machine string, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocks: the thread ends with this goroutine
		name, err := os.Open("/run/netns/" + machine)
		if err == nil {
			defer name.Close()
			err = unix.Setns(int(name.Fd()), unix.CLONE_NEWNET)
		}
		if err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
}

// router translates the addresses of one machine, and lets in only what answers it. A symmetric one
// has another port for each destination.
type router struct {
	machines
	public    netip.Addr
	symmetric bool
	inside    *os.File // the interface of the machine

	mu     sync.Mutex
	leaves map[[2]netip.AddrPort]*net.UDPConn // by source, and by destination if symmetric
	asked  map[[2]netip.AddrPort]bool         // source and destination
}

// route puts a machine behind a router that has an address on the machine "internet".
func (m machines) route(machine, address, public string, symmetric bool) {
	m.t.Helper()
	r := &router{
		machines: m, public: netip.MustParseAddr(public), symmetric: symmetric,
		leaves: map[[2]netip.AddrPort]*net.UDPConn{}, asked: map[[2]netip.AddrPort]bool{},
	}
	m.on(machine, func() error {
		fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		request, err := unix.NewIfreq("router")
		if err != nil {
			return err
		}
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
		r.inside = os.NewFile(uintptr(fd), "router") // after the ioctl: before, polling fails
		return err
	})
	m.ip("-n " + machine + " address add " + address + "/24 dev router\n -n " + machine + " link set router up\n -n " + machine + " route add default dev router")
	m.ip("-n internet address add " + public + "/32 dev lo")
	go r.run()
}

// run passes on the UDP packets of the machine. It ends at the first error, and the test then gets
// no answer.
func (r *router) run() {
	b := make([]byte, 2000)
	for {
		n, err := r.inside.Read(b)
		if err != nil {
			return
		}
		p := b[:n]
		if n < 28 || p[0] != 0x45 || p[9] != unix.IPPROTO_UDP {
			continue
		}
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte(p[12:])), binary.BigEndian.Uint16(p[20:]))
		to := netip.AddrPortFrom(netip.AddrFrom4([4]byte(p[16:])), binary.BigEndian.Uint16(p[22:]))
		c, err := r.leave(from, to)
		if err != nil {
			return
		}
		_, _ = c.WriteToUDPAddrPort(p[28:], to)
	}
}

// leave returns the socket that a packet leaves from.
func (r *router) leave(from, to netip.AddrPort) (c *net.UDPConn, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[[2]netip.AddrPort{from, to}] = true
	key := [2]netip.AddrPort{from}
	if r.symmetric {
		key[1] = to
	}
	if c = r.leaves[key]; c != nil {
		return c, nil
	}
	err = on("internet", func() (err error) {
		c, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(r.public, 0)))
		return err
	})
	if err != nil {
		return nil, err
	}
	r.leaves[key] = c
	go r.enter(c, from)
	return c, nil
}

// enter passes on the packets that answer the machine.
func (r *router) enter(c *net.UDPConn, to netip.AddrPort) {
	b := make([]byte, 2000)
	for {
		n, from, err := c.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		r.mu.Lock()
		open := r.asked[[2]netip.AddrPort{to, from}]
		r.mu.Unlock()
		if open {
			_, _ = r.inside.Write(ipPacket(from, to, b[:n]))
		}
	}
}

// ipPacket returns an IPv4 packet with a UDP datagram without a checksum.
func ipPacket(from, to netip.AddrPort, text []byte) []byte {
	source, target := from.Addr().As4(), to.Addr().As4()
	b := []byte{0x45, 0, 0, 0, 0, 0, 0, 0, 64, unix.IPPROTO_UDP, 0, 0}
	b = append(append(b, source[:]...), target[:]...)
	binary.BigEndian.PutUint16(b[2:], uint16(28+len(text)))
	sum := uint32(0)
	for i := 0; i < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	binary.BigEndian.PutUint16(b[10:], ^uint16(sum+sum>>16))
	b = binary.BigEndian.AppendUint16(b, from.Port())
	b = binary.BigEndian.AppendUint16(b, to.Port())
	b = binary.BigEndian.AppendUint16(b, uint16(8+len(text)))
	return append(append(b, 0, 0), text...)
}

// TestJoinBehindRouters: a client behind a router joins a server behind another one, through a
// rendezvous. Behind a router with another port for each destination, the client says why it
// cannot.
func TestJoinBehindRouters(t *testing.T) {
	if !testenv.Isolated(t) {
		return
	}
	m := machines{t}
	m.add("internet", "home", "away", "cafe")
	m.ip("-n internet address add 203.0.113.1/32 dev lo")
	m.route("home", "10.0.1.2", "203.0.113.2", false)
	m.route("away", "10.0.2.2", "203.0.113.3", false)
	m.route("cafe", "10.0.3.2", "203.0.113.4", true)
	m.start("internet", "rendezvous", "--listen", "203.0.113.1:28000").expect("listening on 203.0.113.1:28000")
	server := m.start("home", "serve", "--mod", "hello", "--rendezvous", "203.0.113.1")
	address := strings.TrimPrefix(server.expect("registered at the rendezvous: "), "registered at the rendezvous: torc join ")
	require.True(t, strings.HasPrefix(address, "via:203.0.113.1:28000#"), address)

	client := m.start("away", "join", address)
	client.expect("connected to 203.0.113.2:")
	client.quits()

	client = m.start("cafe", "join", address, "--timeout", "12s")
	client.ends(unconnected)
	assert.Contains(t, client.err.String(), "no answer. The rendezvous has told the server, but no packet came through: one of the two routers gives each destination another port")
	client = m.start("away", "join", "via:203.0.113.1#"+strings.Repeat("a", 52))
	client.ends(unconnected)
	assert.Contains(t, client.err.String(), "203.0.113.1: the rendezvous does not know the server")
}
