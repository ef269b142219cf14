package node_test

import (
	"net"
	"net/netip"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// router is a UDP relay between one client and a server, like a home router. rebind gives the
// client another address in the eyes of the server.
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
	t.Cleanup(r.close) // the client of the test ends before, so its last words arrive
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
	require.NoError(t, err)
	return s
}

// close ends the relay.
func (r *router) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.inside.Close()
	_ = r.outside.Close()
}

// rebind makes the packets of the client leave from another address and returns that address.
// Packets of the server to the old one are lost.
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

// commuter is a server with a player behind a router.
type commuter struct {
	t      *testing.T
	server *node.Server
	player *node.Client
	home   *router
}

func newCommuter(t *testing.T) *commuter {
	s := nodetest.StartServer(t, node.Config{})
	nodetest.Runs(s.Run)
	home := newRouter(t, s.Addr().String())
	ann := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Ann"}, Client: node.ClientConfig{Address: home.inside.LocalAddr().String() + "#" + s.Key().String(), Wander: true}})
	nodetest.Runs(ann.Run)
	nodetest.Eventually(t, ann.Do, "Ann is in the game", ann.Ready)
	return &commuter{t, s, ann, home}
}

// seat returns the player's connection on the server.
func (c *commuter) seat() *engine.Connection {
	require.Len(c.t, c.server.Host().Connections(), 1)
	return c.server.Host().Connections()[0]
}

// move gives the player another address and lets it speak.
func (c *commuter) move(address string) string {
	now := c.home.rebind(address)
	require.NoError(c.t, c.player.Do(func() {
		_, err := c.player.Console().Exec(`commandToServer("hello")`)
		assert.NoError(c.t, err)
	}))
	return now
}

// follows waits until the server knows the player's address.
func (c *commuter) follows(address string) {
	nodetest.Eventually(c.t, c.server.Do, "the server has followed", func() bool { return c.seat().Address() == address })
}

// TestPlayersKeepTheirSeatBehindANewAddress gives a player another address in mid-game. The player
// plays on.
func TestPlayersKeepTheirSeatBehindANewAddress(t *testing.T) {
	t.Parallel()
	c := newCommuter(t)
	for range 3 {
		c.follows(c.move("127.0.0.1:0"))
	}
	assert.True(t, c.player.Ready())
}
