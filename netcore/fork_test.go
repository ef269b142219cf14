package netcore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/netcoretest"
)

// TestForkPacksOnlyConnsThatCanSend checks that a connection that cannot send needs no worker.
func TestForkPacksOnlyConnsThatCanSend(t *testing.T) {
	var pieces []int
	server := newHost(t, SimAddr(1), func(c *Config) {
		c.Parallel = func(n int, f func(worker, i int)) { pieces = append(pieces, n); netcoretest.Shuffled(0)(n, f) }
		c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: 64, want: 1 << 30}} }
	})
	hosts := []*host{server}
	for i := range 5 {
		hosts = append(hosts, newHost(t, SimAddr(uint16(2+i)), func(c *Config) {
			c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: 64}} }
		}))
		hosts[i+1].Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	}
	n := newTestNetwork(hosts...)
	n.run(5 * time.Second)
	pieces = pieces[:0]
	n.step(time.Second)
	assert.Equal(t, []int{5}, pieces, "all may send after a rest")
	out := func(Addr, []byte) { t.Error("nothing is due") }
	server.Send(n.now, out)
	assert.Len(t, pieces, 1, "their rate is used up")
}

// TestConnectionsShareOutboxes checks that the connections pack in groups, that each gets its
// packets, and that no connection keeps memory for packets.
func TestConnectionsShareOutboxes(t *testing.T) {
	const clients = 2*forkSize + 1
	var pieces []int
	server := newHost(t, SimAddr(1), func(c *Config) {
		c.Parallel = func(n int, f func(worker, i int)) { pieces = append(pieces, n); netcoretest.Shuffled(0)(n, f) }
		c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: 64, want: 1 << 30}} }
	})
	hosts := []*host{server}
	for i := range clients {
		hosts = append(hosts, newHost(t, SimAddr(uint16(2+i)), func(c *Config) {
			c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: 64}} }
		}))
		hosts[i+1].Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	}
	n := newTestNetwork(hosts...)
	for len(server.Conns()) < clients && n.now < 3*time.Second {
		n.run(50 * ms)
	}
	require.Len(t, server.Conns(), clients)
	pieces = pieces[:0]
	sent := map[Addr]int{}
	n.now += time.Second
	server.Tick(n.now)
	server.Send(n.now, func(to Addr, _ []byte) { sent[to]++ })
	assert.Equal(t, []int{forkSize, forkSize}, pieces, "the last one needs no worker")
	assert.Len(t, sent, clients)
	assert.Len(t, server.outboxes, forkSize)
	for _, c := range server.Conns() {
		assert.Nil(t, c.outbox)
		assert.Nil(t, c.alone)
	}
}

// TestNoAllocationPerFork runs a server that sends a full packet to every client, and clients that
// answer.
func TestNoAllocationPerFork(t *testing.T) {
	backwards := func(n int, f func(worker, i int)) {
		for i := n - 1; i >= 0; i-- {
			f(0, i)
		}
	}
	streams := func(n, want int) func(*Config) {
		return func(c *Config) {
			c.Parallel = backwards
			c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: n, want: want}} }
		}
	}
	server := newHost(t, SimAddr(1), streams(1100, 1<<30))
	hosts := []*host{server}
	for i := range 8 {
		hosts = append(hosts, newHost(t, SimAddr(uint16(2+i)), streams(1100, 0)))
		hosts[i+1].Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	}
	n := newTestNetwork(hosts...)
	n.run(2 * time.Second)
	require.Len(t, server.Conns(), 8)
	now, sent := n.now, 0
	toClient := func(to Addr, b []byte) {
		sent++
		hosts[to.Port-1].Receive(now, server.addr, b)
	}
	var from Addr
	toServer := func(_ Addr, b []byte) { server.Receive(now, from, b) }
	round := func() {
		now += 32 * time.Millisecond
		server.Tick(now)
		server.Send(now, toClient)
		for _, h := range hosts[1:] {
			from = h.addr
			h.Tick(now)
			h.Send(now, toServer)
		}
	}
	for range 1000 {
		round()
	}
	sent = 0
	assert.Zero(t, testing.AllocsPerRun(1000, round))
	assert.GreaterOrEqual(t, sent, 8*1000)
}
