package relay

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// socket returns a socket at a loopback address.
func socket(t *testing.T) *net.UDPConn {
	t.Helper()
	s, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func at(s *net.UDPConn) netip.AddrPort { return s.LocalAddr().(*net.UDPAddr).AddrPort() }

// next returns the next datagram of a socket.
func next(t *testing.T, s *net.UDPConn) (string, netip.AddrPort) {
	t.Helper()
	buf := make([]byte, 2000)
	n, from, err := s.ReadFromUDPAddrPort(buf)
	require.NoError(t, err)
	return string(buf[:n]), from
}

func send(t *testing.T, s *net.UDPConn, to netip.AddrPort, text string) {
	t.Helper()
	_, err := s.WriteToUDPAddrPort([]byte(text), to)
	require.NoError(t, err)
}

// TestRelay passes datagrams of two clients to a server and back. The server sees two addresses,
// and others after Rebind. Datagrams over the size limit and those of a dead direction do not
// arrive.
func TestRelay(t *testing.T) {
	r := New()
	defer r.Close()
	server, ann, bob := socket(t), socket(t), socket(t)
	f, err := r.Forward("127.0.0.1:0", at(server))
	require.NoError(t, err)

	send(t, ann, f.Addr(), "ann")
	text, ann1 := next(t, server)
	assert.Equal(t, "ann", text)
	send(t, bob, f.Addr(), "bob")
	text, bob1 := next(t, server)
	assert.Equal(t, "bob", text)
	assert.NotEqual(t, ann1, bob1)
	send(t, server, bob1, "to bob")
	text, from := next(t, bob)
	assert.Equal(t, "to bob", text)
	assert.Equal(t, f.Addr(), from)

	require.NoError(t, r.Rebind())
	send(t, ann, f.Addr(), "ann again")
	text, ann2 := next(t, server)
	assert.Equal(t, "ann again", text)
	assert.NotEqual(t, ann1, ann2)
	send(t, server, ann2, "to ann")
	text, _ = next(t, ann)
	assert.Equal(t, "to ann", text)

	r.Set(netsim.Direction{LinkParams: netcore.LinkParams{MTU: 5}}, netsim.Direction{LinkParams: netcore.LinkParams{Loss: 1}})
	send(t, server, ann2, "lost")
	for _, s := range []string{"123456", "12345"} {
		send(t, ann, f.Addr(), s)
	}
	text, _ = next(t, server)
	assert.Equal(t, "12345", text)
	for f.Down().Delivered < 3 { // the bottleneck is before the loss
		time.Sleep(time.Millisecond)
	}
	r.Set(netsim.Direction{}, netsim.Direction{})
	send(t, server, ann2, "arrives")
	text, _ = next(t, ann)
	assert.Equal(t, "arrives", text)
	assert.Equal(t, 4, f.Down().Delivered)
}

// TestRelayQueue fills the queue of a slow line. Packets without room are lost, and the others come
// no faster than the line.
func TestRelayQueue(t *testing.T) {
	r := New()
	defer r.Close()
	server, client := socket(t), socket(t)
	f, err := r.Forward("127.0.0.1:0", at(server))
	require.NoError(t, err)
	const rate, size = 80_000, 100 - netsim.HeaderBytes // 10 ms per datagram
	r.Set(netsim.Direction{Rate: rate, Queue: 100 * time.Millisecond}, netsim.Direction{})
	start, text := time.Now(), string(make([]byte, size))
	for range 300 { // 3 s of the line: the queue fills on a slow machine too
		send(t, client, f.Addr(), text)
	}
	for range 10 {
		next(t, server)
	}
	assert.GreaterOrEqual(t, time.Since(start), 100*time.Millisecond)
	var up netsim.Flow
	r.do(func() { up = *r.up.Flow(r.clients[0].addr) })
	assert.Positive(t, up.Dropped)
}

// TestRelayClientsAreBounded: a relay that has its clients takes no further one, and the others go
// on.
func TestRelayClientsAreBounded(t *testing.T) {
	r := New()
	defer r.Close()
	server, first, second := socket(t), socket(t), socket(t)
	f, err := r.Forward("127.0.0.1:0", at(server))
	require.NoError(t, err)
	send(t, first, f.Addr(), "one")
	next(t, server)
	var known, more *client
	r.do(func() {
		all := r.clients
		r.clients = make([]*client, maxClients)
		known, more = f.clientAt(at(first)), f.clientAt(at(second))
		r.clients = all
	})
	assert.NotNil(t, known)
	assert.Nil(t, more)
	r.do(func() { more = f.clientAt(at(second)) })
	assert.NotNil(t, more)
}
