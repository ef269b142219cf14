package node_test

import (
	"net"
	"net/netip"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/node"
)

// router is a UDP relay between one client and a server, like a home router. rebind gives the client
// another address in the eyes of the server.
type router struct {
	t      *testing.T
	server netip.AddrPort
	inside *net.UDPConn // towards the client

	mu      sync.Mutex
	client  netip.AddrPort
	outside *net.UDPConn // towards the server
}

func newRouter(t *testing.T, server string) *router {
	r := &router{t: t, server: netip.MustParseAddrPort(server), inside: listenUDP(t, "127.0.0.1:0")}
	r.rebind("127.0.0.1:0")
	go func() {
		for b := make([]byte, 2048); ; {
			n, from, err := r.inside.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			r.mu.Lock()
			r.client = from
			_, _ = r.outside.WriteToUDPAddrPort(b[:n], r.server) // a router may lose packets
			r.mu.Unlock()
		}
	}()
	return r
}

func listenUDP(t *testing.T, address string) *net.UDPConn {
	s, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort(address)))
	if err != nil {
		t.Skip("this system has no address " + address)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// rebind makes the packets of the client leave from another address, which it returns. What the
// server sends to the old one is lost.
func (r *router) rebind(address string) string {
	s := listenUDP(r.t, address)
	r.mu.Lock()
	if r.outside != nil {
		_ = r.outside.Close()
	}
	r.outside = s
	r.mu.Unlock()
	go func() {
		for b := make([]byte, 2048); ; {
			n, err := s.Read(b)
			if err != nil {
				return
			}
			r.mu.Lock()
			_, _ = r.inside.WriteToUDPAddrPort(b[:n], r.client)
			r.mu.Unlock()
		}
	}()
	return s.LocalAddr().String()
}

// TestPlayersKeepTheirSeatBehindANewAddress gives a player another address in mid-game. The player
// plays on. A banned address is not accepted: the server stays with the old one.
func TestPlayersKeepTheirSeatBehindANewAddress(t *testing.T) {
	s := newServer(t, node.Config{})
	runs(s.Run)
	home := newRouter(t, s.Addr().String())
	ann := newClient(t, node.Config{Name: "Ann", Address: home.inside.LocalAddr().String() + "#" + s.Key().String(), Wander: true})
	runs(ann.Run)
	eventually(t, ann.Do, "Ann is in the game", ann.Ready)
	seat := s.Host().Connections
	speak := func() {
		_, err := ann.Console().Exec(`commandToServer("hello")`)
		assert.NoError(t, err)
	}
	for range 3 {
		address := home.rebind("127.0.0.1:0")
		require.NoError(t, ann.Do(speak))
		eventually(t, s.Do, "the server has followed", func() bool { return seat()[0].Address() == address })
	}
	heard := func() uint64 {
		n := seat()[0].Net().Stats()
		return n.Received + n.ControlReceived
	}
	var before uint64
	require.NoError(t, s.Do(func() {
		before = heard()
		_, err := s.Console().Exec("ban 127.0.0.2")
		assert.NoError(t, err)
	}))
	home.rebind("127.0.0.2:0")
	require.NoError(t, ann.Do(speak))
	eventually(t, s.Do, "the server hears the player", func() bool { return heard() > before+3 })
	require.NoError(t, s.Do(func() {
		require.Len(t, seat(), 1)
		assert.Regexp(t, `^127\.0\.0\.1:`, seat()[0].Address())
	}))
	address := home.rebind("127.0.0.1:0")
	eventually(t, s.Do, "the server has followed", func() bool { return seat()[0].Address() == address })
	assert.True(t, ann.Ready())
}
