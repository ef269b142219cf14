package node_test

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
)

// virtual is a server and its clients in virtual time. Datagrams arrive in the next millisecond.
type virtual struct {
	now     time.Duration
	server  *node.Server
	clients []*node.Client
	banned  [64]bool // clients whose Step can fail
	arrive  []func()
	lazy    bool                              // the server steps only when something arrives or is due, as Run does
	due     time.Duration                     // of the server
	hash    uint64                            // of all datagrams of the server
	heard   func(from netcore.Addr, b []byte) // gets the datagrams that reach the server; nil: nobody does
}

func (v *virtual) edge(seed byte, send func(netcore.Addr, []byte)) node.Edge {
	return node.Edge{
		Clock:   func() time.Duration { return v.now },
		Date:    func() time.Time { return time.Unix(1_000_000_000, 0).Add(v.now) },
		Entropy: rand.NewChaCha8([32]byte{seed}),
		Send:    send,
	}
}

// newVirtual makes a server and n clients that walk around.
func newVirtual(t testing.TB, cfg node.Config, n int, change ...func(*node.Edge)) *virtual {
	t.Helper()
	v := &virtual{}
	sum := fnv.New64a()
	var err error
	edge := v.edge(1, func(to netcore.Addr, b []byte) {
		_, _ = sum.Write(b)
		v.hash = sum.Sum64()
		b = append([]byte(nil), b...)
		v.arrive = append(v.arrive, func() { v.clients[to.AddrPort().Port()-1].Receive(b) })
	})
	for _, c := range change {
		c(&edge)
	}
	v.server, err = node.NewServerOn(cfg, edge)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, v.server.Close()) })
	for i := range n {
		v.addClient(t, i, cfg)
	}
	return v
}

func (v *virtual) addClient(t testing.TB, i int, cfg node.Config) {
	v.addNamed(t, i, cfg, clientName(i))
}

func (v *virtual) addNamed(t testing.TB, i int, cfg node.Config, name string) {
	t.Helper()
	id, err := seal.NewIdentity(rand.NewChaCha8([32]byte{100, byte(i)}))
	require.NoError(t, err)
	from := netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)}), uint16(i+1)))
	c, err := node.NewClientOn(node.Config{
		Common: node.Common{Name: name, Password: cfg.Password, Identity: &id, Seed: cfg.Seed},
		Client: node.ClientConfig{Address: "server:1#" + v.server.Key().String(), Wander: true, Reconnect: cfg.Client.Reconnect},
	}, v.edge(byte(i+2), func(_ netcore.Addr, b []byte) {
		b = append([]byte(nil), b...)
		v.arrive = append(v.arrive, func() {
			if v.heard != nil {
				v.heard(from, b)
			}
			v.server.Receive(from, b)
		})
	}))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	v.clients = append(v.clients, c)
}

// clientName returns A, B and so on.
func clientName(i int) string { return string(rune('A'+i%26)) + strings.Repeat("'", i/26) }

// run runs for a time.
func (v *virtual) run(t testing.TB, d time.Duration) {
	t.Helper()
	for end := v.now + d; v.now < end; v.now += time.Millisecond {
		now := v.arrive
		v.arrive = nil
		for _, f := range now {
			f()
		}
		if !v.lazy || len(now) > 0 || v.now >= v.due {
			require.NoError(t, v.server.Step())
			v.due = v.server.Due()
		}
		for i, c := range v.clients {
			if err := c.Step(); !v.banned[i] {
				require.NoError(t, err)
			}
		}
	}
}

// TestServerOnAnEdge checks that a server and its clients play a match in virtual time, and that the same inputs
// give the same datagrams.
func TestServerOnAnEdge(t *testing.T) {
	play := func() uint64 {
		seed := uint64(7)
		v := newVirtual(t, node.Config{
			Common: node.Common{Seed: &seed, Vars: []node.Var{{Name: "sv.bots", Value: "2"}}},
			Server: node.ServerConfig{Load: []string{"ctf"}},
		}, 2)
		v.run(t, 3*time.Second)
		for _, c := range v.clients {
			assert.True(t, c.Ready())
		}
		assert.InDelta(t, 3000/32, v.server.Host().TickNumber(), 2)
		assert.Equal(t, 2, v.server.Host().Summary().Bots)
		assert.Greater(t, v.server.Due(), v.now-time.Millisecond)
		v.server.Quit("over")
		var err error
		for end := v.now + 3*time.Second; err == nil && v.now < end; v.now += time.Millisecond {
			err = v.server.Step()
		}
		assert.ErrorIs(t, err, io.EOF)
		return v.hash
	}
	assert.Equal(t, play(), play())
}
