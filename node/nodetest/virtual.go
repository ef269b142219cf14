package nodetest

import (
	"hash/fnv"
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

// Virtual is a server and its clients in virtual time. Datagrams arrive in the next millisecond.
// Like Run of a node, each steps only when something arrives or is due, and all do as Run begins: a
// test may have done something meanwhile.
type Virtual struct {
	Now     time.Duration
	Server  *node.Server
	Clients []*node.Client
	Banned  [64]bool // clients whose Step can fail
	Arrive  []func()
	due     time.Duration                     // of the server
	dues    []time.Duration                   // of the clients
	Hash    uint64                            // of all datagrams of the server
	Heard   func(from netcore.Addr, b []byte) // gets the datagrams that reach the server; nil: nobody does
	Change  func(i int, c *node.ClientConfig) // changes the clients added from then on; nil: does not
	Hooks   node.Hooks                        // of the clients added from then on
}

// Edge returns an edge in the time of v.
func (v *Virtual) Edge(seed byte, send func(netcore.Addr, []byte)) node.Edge {
	return node.Edge{
		Clock:   func() time.Duration { return v.Now },
		Date:    func() time.Time { return time.Unix(1_000_000_000, 0).Add(v.Now) },
		Entropy: rand.NewChaCha8([32]byte{seed}),
		Send:    send,
	}
}

// NewVirtual makes a server and n clients that walk around.
func NewVirtual(t testing.TB, cfg node.Config, n int, change ...func(*node.Edge)) *Virtual {
	t.Helper()
	v := &Virtual{}
	sum := fnv.New64a()
	var err error
	edge := v.Edge(1, func(to netcore.Addr, b []byte) {
		_, _ = sum.Write(b)
		v.Hash = sum.Sum64()
		b = append([]byte(nil), b...)
		v.Arrive = append(v.Arrive, func() { v.toClient(int(to.AddrPort().Port()-1), b) })
	})
	for _, c := range change {
		c(&edge)
	}
	v.Server, err = node.NewServerOn(cfg, edge)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, v.Server.Close()) })
	for i := range n {
		v.AddClient(t, i, cfg)
	}
	return v
}

// AddClient adds a client.
func (v *Virtual) AddClient(t testing.TB, i int, cfg node.Config) {
	v.AddNamed(t, i, cfg, ClientName(i))
}

// AddNamed adds a client with a name.
func (v *Virtual) AddNamed(t testing.TB, i int, cfg node.Config, name string) {
	t.Helper()
	id, err := seal.NewIdentity(rand.NewChaCha8([32]byte{100, byte(i)}))
	require.NoError(t, err)
	from := netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)}), uint16(i+1)))
	client := node.ClientConfig{Address: "server:1#" + v.Server.Key().String(), Wander: true, Reconnect: cfg.Client.Reconnect}
	if v.Change != nil {
		v.Change(i, &client)
	}
	c, err := node.NewClientOn(node.Config{
		Common: node.Common{Name: name, Password: cfg.Password, Identity: &id, Seed: cfg.Seed, Hooks: v.Hooks}, Client: client,
	}, v.Edge(byte(i+2), func(_ netcore.Addr, b []byte) {
		b = append([]byte(nil), b...)
		v.Arrive = append(v.Arrive, func() {
			if v.Heard != nil {
				v.Heard(from, b)
			}
			v.ToServer(from, b)
		})
	}))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	v.Clients, v.dues = append(v.Clients, c), append(v.dues, 0)
}

// ToServer gives the server a datagram.
func (v *Virtual) ToServer(from netcore.Addr, b []byte) {
	v.Server.Receive(from, b)
	v.due = v.Now
}

// toClient gives a client a datagram.
func (v *Virtual) toClient(i int, b []byte) {
	v.Clients[i].Receive(b)
	v.dues[i] = v.Now
}

// ClientName returns A, B and so on.
func ClientName(i int) string { return string(rune('A'+i%26)) + strings.Repeat("'", i/26) }

// Run runs for a time.
func (v *Virtual) Run(t testing.TB, d time.Duration) {
	t.Helper()
	v.due = v.Now
	for i := range v.dues {
		v.dues[i] = v.Now
	}
	v.GoOn(t, d)
}

// GoOn runs for a time after Run, if the test has done nothing since.
func (v *Virtual) GoOn(t testing.TB, d time.Duration) {
	t.Helper()
	for end := v.Now + d; v.Now < end; v.Now += time.Millisecond {
		now := v.Arrive
		v.Arrive = nil
		for _, f := range now {
			f()
		}
		if v.Now >= v.due {
			require.NoError(t, v.Server.Step())
			v.due = v.Server.Due()
		}
		for i, c := range v.Clients {
			if v.Now < v.dues[i] {
				continue
			}
			if err := c.Step(); !v.Banned[i] {
				require.NoError(t, err)
			}
			v.dues[i] = c.Due()
		}
	}
}
