package netcore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// chaosClients is the number of clients of a chaotic network.
const chaosClients = 3

// chaos is a server, clients whose addresses change and whose paths shrink, and an attacker who
// sees every packet and sends copies, damaged copies and resets from addresses of its own.
type chaos struct {
	t       *testing.T
	rng     *rand.Rand
	net     *testNetwork
	server  *host
	clients []*host
	homes   []map[Addr]bool // all addresses that a client has had
	widths  []int           // the largest datagram on the path of a client, in bytes

	attackers []Addr
	seen      [][]byte
	paid, got map[Addr]int // bytes from and to the addresses of the attacker
	restarts  int
}

func newChaos(t *testing.T, seed uint64) *chaos {
	c := &chaos{t: t, rng: rand.New(rand.NewPCG(seed, 3)), paid: map[Addr]int{}, got: map[Addr]int{}}
	streams := func(cfg *Config) {
		cfg.Streams = func(*Conn) []Stream { return []Stream{&filler{n: 64, want: 1 << 30}, greedy{}} }
		cfg.Entropy = seededEntropy(seed*100 + uint64(c.restarts)*10 + uint64(len(c.clients)))
	}
	c.server = newHost(t, SimAddr(1), streams)
	c.net = newTestNetwork(c.server)
	for i := range chaosClients {
		client := newHost(t, SimAddr(uint16(100*(i+1))), streams)
		client.Connect(0, c.server.addr, ConnectOptions{Trust: trustAll})
		c.clients, c.net.hosts = append(c.clients, client), append(c.net.hosts, client)
		c.homes = append(c.homes, map[Addr]bool{client.addr: true})
		c.widths = append(c.widths, MaxDatagram)
		c.attackers = append(c.attackers, SimAddr(uint16(10+i)))
	}
	c.net.filter = c.watch
	c.net.run(5 * time.Second)
	require.GreaterOrEqual(t, len(c.server.connected), chaosClients)
	return c
}

// passes reports whether a packet is small enough for the path of its client.
func (c *chaos) passes(p testDatagram) bool {
	for i := range c.clients {
		if c.homes[i][p.from.Remote()] || c.homes[i][p.to.Remote()] {
			return len(p.b) <= c.widths[i]
		}
	}
	return true
}

// shrink makes the path of a client smaller.
func (c *chaos) shrink() {
	width := &c.widths[c.rng.IntN(len(c.widths))]
	*width = min(*width, 548+c.rng.IntN(1100-548+1))
}

// watch sees every packet, and sometimes attacks with it. A tenth of the packets is lost.
func (c *chaos) watch(p testDatagram) bool {
	if _, attacker := c.got[p.to.Remote()]; attacker {
		c.got[p.to.Remote()] += len(p.b)
	}
	if c.seen = append(c.seen, bytes.Clone(p.b)); len(c.seen) > 200 {
		c.seen = c.seen[100:]
	}
	for range c.rng.IntN(3) {
		c.attack()
	}
	return c.passes(p) && c.rng.IntN(10) > 0
}

// attack sends a packet from an address of the attacker, or from one of a client's.
func (c *chaos) attack() {
	b := bytes.Clone(c.seen[c.rng.IntN(len(c.seen))])
	switch c.rng.IntN(4) {
	case 0:
		b[c.rng.IntN(len(b))] ^= 1 << c.rng.IntN(8)
	case 1:
		b = append([]byte{packetReset}, b[:min(len(b), 16)]...)
	case 2:
		b = b[:c.rng.IntN(len(b))]
	}
	if len(b) == 0 {
		return
	}
	from := c.attackers[c.rng.IntN(len(c.attackers))]
	if c.rng.IntN(3) > 0 {
		c.paid[from] += len(b)
		c.got[from] += 0
		c.net.enqueue(from, c.server.addr, b)
		return
	}
	to := c.clients[c.rng.IntN(len(c.clients))].addr
	c.net.enqueue(c.server.addr, to, b) // with the address of the server
}

// move gives a client another address: a new one, or one that it has had.
func (c *chaos) move() {
	i := c.rng.IntN(len(c.clients))
	at := &c.clients[i].addr
	*at = SimAddr(uint16(100*(i+1) + c.rng.IntN(5)))
	c.homes[i][*at] = true
}

// restart starts the server anew, with the same identity. Its clients connect again when they know.
func (c *chaos) restart() {
	c.restarts++
	cfg := c.server.cfg
	c.server = newHost(c.t, c.server.addr, func(n *Config) {
		n.Identity, n.Streams = cfg.Identity, cfg.Streams
		n.Entropy = seededEntropy(c.rng.Uint64())
	})
	c.net.hosts[0] = c.server
}

// check checks what must hold at every moment.
func (c *chaos) check() {
	for _, at := range c.server.Conns() {
		i := c.owner(at)
		require.True(c.t, c.homes[i][at.Addr()], "client %d is taken to be at %v", i, at.Addr())
	}
	for a, got := range c.got {
		require.LessOrEqual(c.t, got, amplify*c.paid[a], "amplification to %v", a)
	}
}

// owner returns the client of a connection of the server.
func (c *chaos) owner(at *Conn) int {
	for i, client := range c.clients {
		if client.cfg.Identity.Public == at.Peer() {
			return i
		}
	}
	c.t.Fatal("a connection of nobody")
	return 0
}

// TestChaos moves clients, shrinks their paths, restarts the server and attacks both for ten
// seconds. Nobody takes a session over, no reset is forged, and nothing is amplified. Afterwards
// every client plays.
func TestChaos(t *testing.T) {
	for seed := range testenv.Seeds(t, 8, 1000) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newChaos(t, seed)
			for range 1000 {
				c.net.step(10 * time.Millisecond)
				switch n := c.rng.IntN(400); {
				case n < 8:
					c.move()
				case n == 8:
					c.restart()
				case n == 9:
					c.shrink()
				}
				c.check()
				c.comeBack()
			}
			for i, client := range c.clients {
				for _, r := range client.ended {
					require.Contains(t, []ReasonCode{Forgotten, Replaced}, r.Code, "client %d: %v", i, r)
				}
				if c.restarts == 0 {
					require.Empty(t, client.ended, "client %d", i)
				}
			}
			c.net.filter = c.passes
			c.net.run(3 * time.Second)
			c.comeBack()
			c.net.run(3 * time.Second)
			for i, client := range c.clients {
				at := client.connected[len(client.connected)-1]
				_, ended := at.Closed()
				require.False(t, ended, "client %d", i)
				before := at.Stats().Delivered
				c.net.run(2 * time.Second) // losses have slowed it down
				assert.Greater(t, at.Stats().Delivered, before+10, "client %d plays on", i)
			}
		})
	}
}

// comeBack lets clients connect again whose connection has ended.
func (c *chaos) comeBack() {
	for _, client := range c.clients {
		if len(client.Conns()) == 0 && len(client.pending) == 0 {
			client.Connect(c.net.now, c.server.addr, ConnectOptions{Trust: trustAll})
		}
	}
}
