package udp

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

func listen(t testing.TB, addr string) *Socket {
	s, err := Listen(addr)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	require.NotZero(t, s.Addr().Port())
	return s
}

func parse(t testing.TB, hostport string) netcore.Addr {
	to, isName, err := Parse(hostport)
	require.NoError(t, err)
	require.False(t, isName)
	return to
}

// next returns the next packet.
func next(t testing.TB, s *Socket) *Packet {
	select {
	case p := <-s.Packets():
		return p
	case <-testenv.Limit(t):
		require.FailNow(t, "nothing arrived")
		return nil
	}
}

// TestArrival: a reader that is late does not make a datagram late, and a clock that is set does
// not move it far.
func TestArrival(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct{ age, want time.Duration }{
		{30 * time.Millisecond, 30 * time.Millisecond}, {0, 0}, {-time.Hour, 0}, {time.Hour, 0},
	} {
		assert.Equal(t, tt.want, now.Sub(arrival(now, now.Add(-tt.age).UnixNano())))
	}
	assert.Equal(t, now, arrival(now, 0), "the kernel tells no time")
}

// clockError is how far the kernel's time of arrival can be from the clock of Go: they are two
// clocks.
const clockError = 50 * time.Millisecond

func TestBothFamiliesReachOneSocket(t *testing.T) {
	server := listen(t, ":0")
	for _, host := range []string{"127.0.0.1", "[::1]"} {
		to := parse(t, fmt.Sprintf("%s:%d", host, server.Addr().Port()))
		client, err := Dial()
		if err != nil || to.AddrPort().Addr().Is6() && !hasIPv6() {
			continue // a machine without this family
		}
		before := time.Now()
		require.NoError(t, client.Write(to, []byte("ping")))
		p := next(t, server)
		assert.Equal(t, "ping", string(p.Bytes()))
		assert.WithinRange(t, p.At, before.Add(-clockError), time.Now().Add(clockError), "the time of arrival")
		assert.True(t, p.From.Loopback())
		require.NoError(t, server.Write(p.From, []byte("pong")))
		p.Free()
		p = next(t, client)
		assert.Equal(t, "pong", string(p.Bytes()))
		assert.Equal(t, to, p.From, "one peer has one Addr")
		p.Free()
		require.NoError(t, client.Close())
	}
}

// TestIPv4WildcardIsIPv4Only checks that an operator who names 0.0.0.0 opens no port of IPv6.
func TestIPv4WildcardIsIPv4Only(t *testing.T) {
	server := listen(t, "0.0.0.0:0")
	assert.Equal(t, "0.0.0.0", server.Addr().Addr().String(), "and not [::]")
	client, err := Dial()
	require.NoError(t, err)
	require.NoError(t, client.Write(parse(t, fmt.Sprintf("127.0.0.1:%d", server.Addr().Port())), []byte("ping")))
	p := next(t, server)
	assert.Equal(t, "ping", string(p.Bytes()))
	p.Free()
	require.NoError(t, client.Close())
}

// TestAnswersLeaveFromTheAskedAddress: a socket on all addresses answers from the address that the
// peer sent to, also if that is not the address that the system would select.
func TestAnswersLeaveFromTheAskedAddress(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the address, and has all of 127.0.0.0/8")
	}
	for _, bound := range []string{"0.0.0.0:0", ":0"} {
		server := listen(t, bound)
		for _, asked := range []string{"127.0.0.1", "127.0.0.2", "127.9.8.7", "[::1]"} {
			if asked == "[::1]" && (bound == "0.0.0.0:0" || !hasIPv6()) {
				continue
			}
			to := parse(t, fmt.Sprintf("%s:%d", asked, server.Addr().Port()))
			client := listen(t, "127.0.0.1:0")
			if asked == "[::1]" {
				client = listen(t, "[::1]:0")
			}
			require.NoError(t, client.Write(to, []byte("ping")))
			p := next(t, server)
			assert.Equal(t, to.IP, p.From.Own, "%s on %s", asked, bound)
			assert.Equal(t, netcore.UDPAddr(client.Addr()), p.From.Remote())
			require.NoError(t, server.Write(p.From, []byte("pong")))
			p.Free()
			p = next(t, client)
			assert.Equal(t, to, p.From, "%s on %s", asked, bound)
			p.Free()
		}
	}
}

// TestAskedAddressCostsNoAllocation: neither receiving the asked address nor answering from it
// allocates.
func TestAskedAddressCostsNoAllocation(t *testing.T) {
	server, client := listen(t, ":0"), listen(t, "127.0.0.1:0")
	asked := "127.0.0.2"
	if runtime.GOOS != "linux" {
		asked = "127.0.0.1"
	}
	to := parse(t, fmt.Sprintf("%s:%d", asked, server.Addr().Port()))
	text := make([]byte, 200)
	assert.Less(t, testing.AllocsPerRun(200, func() {
		_ = client.Write(to, text)
		p := <-server.Packets()
		_ = server.Write(p.From, text)
		p.Free()
		(<-client.Packets()).Free()
	}), 1.0)
}

func hasIPv6() bool {
	c, err := net.ListenPacket("udp6", "[::1]:0")
	if err == nil {
		c.Close()
	}
	return err == nil
}

func TestSizes(t *testing.T) {
	a, b := listen(t, "127.0.0.1:0"), listen(t, "127.0.0.1:0")
	to := netcore.UDPAddr(b.Addr())
	for _, size := range []int{0, netcore.MaxDatagram + 1, 9000, netcore.MaxDatagram} {
		require.NoError(t, a.Write(to, bytes.Repeat([]byte{7}, size)))
	}
	p := next(t, b)
	assert.Len(t, p.Bytes(), netcore.MaxDatagram, "only what the protocol can send arrives")
	p.Free()
}

// TestReceiveQueueIsBounded: the queue is bounded and what exceeds it is counted.
func TestReceiveQueueIsBounded(t *testing.T) {
	a, b := listen(t, "127.0.0.1:0"), listen(t, "127.0.0.1:0")
	to := netcore.UDPAddr(b.Addr())
	for n := 0; b.Dropped() == 0; n++ {
		require.Less(t, n, 1_000_000)
		require.NoError(t, a.Write(to, []byte{1}))
	}
	assert.Len(t, b.Packets(), maxQueued)
}

// TestReadPacket: a packet from a stream of messages is as long as a datagram can be.
func TestReadPacket(t *testing.T) {
	for size, want := range map[int]error{0: errEmpty, 1: nil, netcore.MaxDatagram: nil, netcore.MaxDatagram + 1: errLong, 1 << 20: errLong} {
		text := bytes.Repeat([]byte{7}, size)
		p, err := ReadPacket(iotest.HalfReader(bytes.NewReader(text)))
		require.Equal(t, want, err, size)
		if err == nil {
			assert.Equal(t, text, p.Bytes())
			p.Free()
		}
	}
	_, err := ReadPacket(iotest.ErrReader(net.ErrClosed))
	assert.ErrorIs(t, err, net.ErrClosed)
}

// TestFillPacket: a message is one datagram.
func TestFillPacket(t *testing.T) {
	for size, want := range map[int]error{0: errEmpty, 1: nil, netcore.MaxDatagram: nil, netcore.MaxDatagram + 1: errLong} {
		p, err := FillPacket(func(b []byte) (int, error) { return copy(b, bytes.Repeat([]byte{7}, size)), nil })
		require.Equal(t, want, err, size)
		if err == nil {
			assert.Equal(t, bytes.Repeat([]byte{7}, size), p.Bytes())
			p.Free()
		}
	}
	_, err := FillPacket(func(b []byte) (int, error) { return len(b), net.ErrClosed })
	assert.ErrorIs(t, err, net.ErrClosed)
}

// TestOthers: the first byte decides which datagrams are of other protocols. They never enter the
// queue.
func TestOthers(t *testing.T) {
	server, client := listen(t, "127.0.0.1:0"), listen(t, "127.0.0.1:0")
	to := netcore.UDPAddr(server.Addr())
	require.NoError(t, client.Write(to, []byte{0}))
	next(t, server).Free() // nobody takes them
	others := make(chan *Packet, 1)
	server.Others(func(p *Packet) { others <- p })
	for first := range 256 {
		require.NoError(t, client.Write(to, []byte{byte(first), 7}))
		var p *Packet
		if first < netcore.LeastToServer {
			p = <-others
		} else {
			p = next(t, server)
		}
		assert.Equal(t, []byte{byte(first), 7}, p.Bytes())
		assert.Equal(t, netcore.UDPAddr(client.Addr()), p.From.Remote())
		p.Free()
	}
}

// TestQueueDrops: a queue without an owner keeps what it has room for.
func TestQueueDrops(t *testing.T) {
	q := NewQueue()
	from := netcore.SimAddr(1)
	for range maxQueued + 3 {
		q.Add(NewPacket(from, time.Time{}, []byte("one")))
	}
	assert.EqualValues(t, 3, q.Dropped())
	assert.Len(t, q.Packets(), maxQueued)
	p := <-q.Packets()
	assert.Equal(t, from, p.From)
	assert.Equal(t, "one", string(p.Bytes()))
}

func TestClose(t *testing.T) {
	s := listen(t, "127.0.0.1:0")
	require.NoError(t, s.Close())
	_, open := <-s.Packets()
	assert.False(t, open)
	assert.ErrorIs(t, s.Write(netcore.UDPAddr(s.Addr()), []byte{1}), net.ErrClosed)
	s = listen(t, "127.0.0.1:0")
	assert.Error(t, s.Write(netcore.SimAddr(1), []byte{1}))
	assert.NoError(t, s.Write(netcore.UDPAddr(s.Addr()), make([]byte, 70000)), "one packet's trouble is loss")
}

func TestAddresses(t *testing.T) {
	for _, bad := range []string{"", "127.0.0.1:", ":5", "127.0.0.1:0", "127.0.0.1:70000", "127.0.0.1:a"} {
		_, _, err := Parse(bad)
		assert.Error(t, err, "%q", bad)
		_, err = Resolve(t.Context(), bad)
		assert.Error(t, err, "%q", bad)
	}
	_, isName, err := Parse("localhost:28000")
	require.NoError(t, err)
	assert.True(t, isName)
	found, err := Resolve(t.Context(), "localhost:28000")
	require.NoError(t, err)
	for _, a := range found {
		assert.True(t, a.Loopback())
	}
	assert.Equal(t, "[2001:db8::1]:28000", parse(t, "[2001:db8::1]:28000").String())

	var ips []netip.Addr
	for i := range 6 {
		ips = append(ips, netip.MustParseAddr(fmt.Sprintf("2001:db8::%d", i)), netip.MustParseAddr(fmt.Sprintf("::ffff:192.0.2.%d", i)))
	}
	var got []string
	for _, a := range alternate(ips[:11], 5) {
		got = append(got, a.AddrPort().Addr().String())
	}
	assert.Equal(t, "192.0.2.0 2001:db8:: 192.0.2.1 2001:db8::1 192.0.2.2 2001:db8::2 192.0.2.3 2001:db8::3", strings.Join(got, " "))

	taken := listen(t, "127.0.0.1:0")
	_, err = Listen(taken.Addr().String())
	assert.ErrorContains(t, err, taken.Addr().String())
	for _, bad := range []string{"", "127.0.0.1", "127.0.0.1:x"} {
		_, err := Listen(bad)
		assert.Error(t, err, "%q", bad)
	}
}

// machine drives an Endpoint over a Socket, as the program's loop does.
type machine struct {
	*netcore.Endpoint
	socket *Socket
	epoch  time.Time
	ok     chan seal.Key
}

func (m *machine) run(stop <-chan struct{}) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case p := <-m.socket.Packets():
			m.Receive(time.Since(m.epoch), p.From, p.Bytes())
			p.Free()
		case <-tick.C:
		}
		now := time.Since(m.epoch)
		m.Tick(now)
		m.Send(now, func(to netcore.Addr, b []byte) { _ = m.socket.Write(to, b) })
	}
}

func newMachine(t *testing.T, socket *Socket) *machine {
	id, err := seal.NewIdentity(rand.Reader)
	require.NoError(t, err)
	m := &machine{socket: socket, epoch: time.Now(), ok: make(chan seal.Key, 1)}
	m.Endpoint = netcore.NewEndpoint(netcore.Config{
		Identity: id, Entropy: rand.Reader, Accepting: true,
		Connected: func(c *netcore.Conn, _ []byte) { m.ok <- c.Peer() },
	})
	return m
}

// TestEndpointsConnect: two programs meet over real sockets.
func TestEndpointsConnect(t *testing.T) {
	server := newMachine(t, listen(t, "127.0.0.1:0"))
	to := netcore.UDPAddr(server.socket.Addr())
	socket, err := Dial()
	require.NoError(t, err)
	t.Cleanup(func() { socket.Close() })
	client := newMachine(t, socket)
	client.Connect(0, to, netcore.ConnectOptions{Trust: func(netcore.Addr, seal.Key) error { return nil }})

	stop, done := make(chan struct{}), make(chan struct{}, 2)
	for _, m := range []*machine{server, client} {
		go func() { m.run(stop); done <- struct{}{} }()
	}
	for _, m := range []*machine{server, client} {
		select {
		case <-m.ok:
		case <-testenv.Limit(t):
			t.Error("no connection")
		}
	}
	close(stop)
	<-done
	<-done
}

func BenchmarkSocket(b *testing.B) {
	a, c := listen(b, "127.0.0.1:0"), listen(b, "127.0.0.1:0")
	to := netcore.UDPAddr(c.Addr())
	text := make([]byte, 200)
	b.ReportAllocs()
	for range b.N {
		_ = a.Write(to, text)
		(<-c.Packets()).Free()
	}
}

// TestOnLink: only addresses of the local networks are on the link.
func TestOnLink(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1": true, "::ffff:127.3.2.1": true, "fe80::1%9": true, "8.8.8.8": false, "2001:db8::1": false} {
		assert.Equal(t, want, OnLink(netip.MustParseAddr(address)), address)
	}
}

// TestOnlySearchesOfTheLocalNetworkCount: datagrams from other networks do not use up the limit of
// searches. The limit renews.
func TestOnlySearchesOfTheLocalNetworkCount(t *testing.T) {
	far, near := netip.MustParseAddrPort("203.0.113.9:4000"), netip.MustParseAddrPort("192.0.2.5:4000")
	received, passed := 0, map[netcore.Time]int{}
	var now netcore.Time
	s := searches{
		onLink: func(a netip.Addr) bool { return onLink(a, []netip.Prefix{netip.MustParsePrefix("192.0.2.1/24")}) },
		now:    func() netcore.Time { return now },
		receive: func(b []byte) (int, netip.AddrPort, error) {
			received++
			now = netcore.Time(received/2000) * time.Second
			switch {
			case received == 4000:
				return 0, netip.AddrPort{}, net.ErrClosed
			case received%100 == 0:
				return 0, netip.AddrPort{}, errors.New("timeout")
			case received%2000 < 1000:
				return copy(b, "far"), far, nil
			}
			return copy(b, "near"), near, nil
		},
	}
	s.pass(func(from netcore.Addr, b []byte) {
		assert.Equal(t, netcore.UDPAddr(near), from)
		assert.Equal(t, "near", string(b))
		passed[now]++
	})
	assert.Equal(t, map[netcore.Time]int{0: searchesASecond, time.Second: searchesASecond}, passed)
}

// TestZonesExpire: the number of an interface is looked up again after 60 s. An unknown name is
// looked up each time.
func TestZonesExpire(t *testing.T) {
	all, err := net.Interfaces()
	require.NoError(t, err)
	require.NotEmpty(t, all, "there is loopback at least")
	name, number, now := all[0].Name, strconv.Itoa(all[0].Index), time.Now()
	z := zones{}
	assert.Equal(t, number, z.find(now, name))
	z[name] = zone{"999", z[name].until}
	assert.Equal(t, "999", z.find(now.Add(zoneTime-time.Second), name))
	assert.Equal(t, number, z.find(now.Add(zoneTime), name))
	z = zones{name + "x": {"999", now}}
	assert.Equal(t, name+"x", z.find(now, name+"x"))
	assert.Empty(t, z, "failures are not stored")
}

// TestFlow checks when a reader waits for more: only after datagrams of enough peers in a short
// time.
func TestFlow(t *testing.T) {
	start := time.Now()
	for _, tt := range []struct {
		name  string
		every time.Duration
		n     int // datagrams at a time
		peers int
		dense bool
	}{
		{"a handshake over loopback", 800 * time.Microsecond, 1, 1, false},
		{"two clients", 32 * time.Millisecond, 3, 2, false},
		{"a tick of many clients", 32 * time.Millisecond, denseCount, 64, true},
		{"many clients", 100 * time.Microsecond, 1, 64, true},
		{"a flood", time.Microsecond, 32, 1000, true},
		{"one fast peer", time.Microsecond, 32, 1, false},
	} {
		var f flow
		dense := false
		for i := range 100 {
			f.begin(start.Add(time.Duration(i) * tt.every))
			for k := range tt.n {
				f.add(netcore.SimAddr(uint16(1 + (i*tt.n+k)%tt.peers)))
			}
			dense = dense || f.dense()
		}
		assert.Equal(t, tt.dense, dense, tt.name)
	}
}

// TestBurstsArriveWhole sends more datagrams at once than a read gets. All arrive, in order and
// with their own sizes.
func TestBurstsArriveWhole(t *testing.T) {
	from, to := listen(t, "127.0.0.1:0"), listen(t, "127.0.0.1:0")
	const burst = 100
	for round := range 4 {
		for i := range burst {
			require.NoError(t, from.Write(netcore.UDPAddr(to.Addr()), bytes.Repeat([]byte{byte(i)}, 1+i)))
		}
		for i := range burst {
			p := next(t, to)
			require.Equal(t, bytes.Repeat([]byte{byte(i)}, 1+i), p.Bytes(), "round %d", round)
			require.Equal(t, netcore.UDPAddr(from.Addr()), p.From)
			p.Free()
		}
	}
}

// TestUnreachableFamily checks that an IPv4 socket ignores a packet for an IPv6 address.
func TestUnreachableFamily(t *testing.T) {
	s := listen(t, "127.0.0.1:0")
	assert.NoError(t, s.Write(parse(t, "[::1]:9"), []byte{1}))
}

// TestCloseWhileItIsUsed closes sockets while datagrams come, others wait for them, and a goroutine
// sends.
func TestCloseWhileItIsUsed(t *testing.T) {
	for range 50 {
		s, err := Listen("127.0.0.1:0")
		require.NoError(t, err)
		to, sent := netcore.UDPAddr(s.Addr()), make(chan error)
		go func() {
			for {
				if err := s.Write(to, []byte{1}); err != nil {
					sent <- err
					return
				}
			}
		}()
		next(t, s).Free()
		require.NoError(t, s.Close())
		assert.ErrorIs(t, <-sent, net.ErrClosed)
		for range s.Packets() {
		}
	}
}
