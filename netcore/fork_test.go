package netcore

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/netcoretest"
)

// crowdTrace is what can be seen of a server: its datagrams, the lines of its
// log, and what it was told of its events, each in order.
type crowdTrace struct{ sent, lines, fates []string }

// crowd runs a server with clients who are spoken to in every way there is, and
// returns what it did.
func crowd(t *testing.T, seed uint64, parallel func(int, func(int))) crowdTrace {
	const clients = 9
	var trace crowdTrace
	rng := rand.New(rand.NewPCG(seed, 9))
	heard = func(*note) error { return nil }
	log := &Log{Level: LogItems, Print: func(line string) { trace.lines = append(trace.lines, line) }}
	budget := &Budget{Max: 1 << 20}
	events := func(server bool) func(*Conn) []Stream {
		return func(c *Conn) []Stream {
			return []Stream{NewEvents(EventsConfig{Kinds: noteKinds, Server: server, Check: c.Check(), Budget: budget})}
		}
	}
	server := newHost(t, SimAddr(1), func(c *Config) {
		c.Parallel, c.Streams, c.Log = parallel, events(true), log
	})
	hosts := []*host{server}
	for i := range clients {
		c := newHost(t, SimAddr(uint16(2+i)), func(c *Config) {
			c.Streams, c.Check, c.RecvRate = events(false), i%2 == 0, Rate{Packets: 31.25, Size: []int{1200, 100}[i%2]}
		})
		c.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		hosts = append(hosts, c)
	}
	n := newTown(hosts...)
	n.pass = func(p townMail) bool {
		if p.from == server.addr {
			trace.sent = append(trace.sent, fmt.Sprintf("%v %x", p.to, p.b))
		}
		return rng.Float64() >= 0.1
	}
	n.run(4 * time.Second)
	require.Len(t, server.Conns(), clients)
	server.Conns()[3].SetLink(LinkParams{Loss: 0.2, Jitter: 20 * time.Millisecond})
	for round := range 60 {
		for i, c := range server.Conns() {
			if _, ended := c.Closed(); ended {
				continue
			}
			e := c.Streams()[0].(*Events)
			for g := range Guarantee(3) {
				v := &note{n: uint64(round), pad: make([]byte, rng.IntN(300)), tags: []TagRef{{Text: fmt.Sprint("tag ", rng.IntN(20))}}}
				v.fate = func(delivered bool) { trace.fates = append(trace.fates, fmt.Sprint(i, round, g, delivered)) }
				require.NoError(t, e.Post(v, Post{Guarantee: g, Lane: uint16(round % 3)}))
			}
			if round == 40 && i == 5 {
				c.Close(Reason{Code: SelfClosed, Text: "enough"})
				break
			}
		}
		n.step(32 * time.Millisecond)
	}
	server.Close(n.now, Reason{Code: ShuttingDown})
	n.run(2 * time.Second)
	return trace
}

// TestForkMakesNoDifference: neither the number of workers nor the order in
// which connections pack can be seen from outside, nor by the owner.
func TestForkMakesNoDifference(t *testing.T) {
	want := crowd(t, 1, nil)
	assert.Greater(t, len(want.sent), 400)
	assert.Greater(t, len(want.lines), 1000)
	assert.Greater(t, len(want.fates), 1000)
	for name, parallel := range map[string]func(int, func(int)){
		"1 worker": netcoretest.Workers(1), "8 workers": netcoretest.Workers(8), "shuffled": netcoretest.Shuffled(1), "shuffled again": netcoretest.Shuffled(2),
	} {
		got := crowd(t, 1, parallel)
		assert.True(t, assert.ObjectsAreEqual(want.sent, got.sent), "%s: other datagrams", name)
		assert.True(t, assert.ObjectsAreEqual(want.lines, got.lines), "%s: other lines in the log", name)
		assert.True(t, assert.ObjectsAreEqual(want.fates, got.fates), "%s: other fates", name)
	}
	assert.NotEqual(t, want.sent, crowd(t, 2, nil).sent, "a seed that changes nothing shows nothing")
}

// TestForkWakesOnlyWhoHasReason: a connection that may not send costs no worker.
func TestForkWakesOnlyWhoHasReason(t *testing.T) {
	var pieces []int
	server := newHost(t, SimAddr(1), func(c *Config) {
		c.Parallel = func(n int, f func(int)) { pieces = append(pieces, n); netcoretest.Shuffled(0)(n, f) }
		c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: 64, want: 1 << 30}} }
	})
	hosts := []*host{server}
	for i := range 5 {
		hosts = append(hosts, newHost(t, SimAddr(uint16(2+i)), func(c *Config) {
			c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: 64}} }
		}))
		hosts[i+1].Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	}
	n := newTown(hosts...)
	n.run(5 * time.Second)
	pieces = pieces[:0]
	n.step(time.Second)
	assert.Equal(t, []int{5}, pieces, "all may send after a rest")
	out := func(Addr, []byte) { t.Error("nothing is due") }
	server.Send(n.now, out)
	assert.Len(t, pieces, 1, "their rate is used up")
}

// TestNoAllocationPerFork: a server that sends every client a full packet, and
// its clients, who answer.
func TestNoAllocationPerFork(t *testing.T) {
	backwards := func(n int, f func(int)) {
		for i := n - 1; i >= 0; i-- {
			f(i)
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
	n := newTown(hosts...)
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
