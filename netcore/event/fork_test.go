package event

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim/netsimtest"
)

// forkTrace is the visible output of a server: its datagrams, its log lines and the fates of its
// events, each in order.
type forkTrace struct{ sent, lines, fates []string }

// runFork runs a server that sends every kind of event to its clients.
func runFork(t *testing.T, seed uint64, parallel func(int, func(worker, i int))) forkTrace {
	const clients = 9
	var trace forkTrace
	rng := rand.New(rand.NewPCG(seed, 9))
	onProcess = func(*note) error { return nil }
	log := &netcore.Log{Level: netcore.LogItems, Print: func(line string) { trace.lines = append(trace.lines, line) }}
	budget := &Budget{Max: 1 << 20}
	events := func(server bool) func(*netcore.Conn) []netcore.Stream {
		return func(c *netcore.Conn) []netcore.Stream {
			return []netcore.Stream{New(Config{Kinds: noteKinds, Server: server, Check: c.Check(), Budget: budget})}
		}
	}
	star := netsimtest.NewStar(t, seed, clients, 0.1, func(c *netcore.Config) {
		c.Parallel, c.Streams, c.Log = parallel, events(true), log
	}, func(i int, c *netcore.Config) {
		c.Streams, c.Check, c.RecvRate = events(false), i%2 == 0, netcore.Rate{Packets: 31.25, Size: []int{1200, 100}[i%2]}
	})
	server := star.Server
	server.Conns()[3].SetLink(netcore.LinkParams{Loss: 0.2, Jitter: 20 * time.Millisecond})
	for round := range 60 {
		for i, c := range server.Conns() {
			if _, ended := c.Closed(); ended {
				continue
			}
			e := c.Streams()[0].(*Stream)
			for g := range Guarantee(3) {
				v := &note{n: uint64(round), pad: make([]byte, rng.IntN(300)), tags: []TagRef{{Text: fmt.Sprint("tag ", rng.IntN(20))}}}
				v.fate = func(delivered bool) { trace.fates = append(trace.fates, fmt.Sprint(i, round, g, delivered)) }
				require.NoError(t, e.Post(v, Post{Guarantee: g, Lane: uint16(round % 3)}))
			}
			if round == 40 && i == 5 {
				c.Close(netcore.Reason{Code: netcore.SelfClosed, Text: "enough"})
				break
			}
		}
		star.Step(32 * time.Millisecond)
	}
	server.Close(star.Network.Now(), netcore.Reason{Code: netcore.ShuttingDown})
	star.Network.Run(star.Network.Now()+2*time.Second, 10*time.Millisecond)
	trace.sent = star.Sent
	return trace
}

// TestParallelPackSendsTheSameBytes checks that the number of workers and the order of packing do
// not change anything that peers or the owner can see.
func TestParallelPackSendsTheSameBytes(t *testing.T) {
	want := runFork(t, 1, nil)
	assert.Greater(t, len(want.sent), 400)
	assert.Greater(t, len(want.lines), 1000)
	assert.Greater(t, len(want.fates), 1000)
	for name, parallel := range map[string]func(int, func(worker, i int)){
		"1 worker": netcoretest.Workers(1), "8 workers": netcoretest.Workers(8),
		"shuffled": netcoretest.Shuffled(1), "shuffled again": netcoretest.Shuffled(2),
	} {
		got := runFork(t, 1, parallel)
		assert.True(t, assert.ObjectsAreEqual(want.sent, got.sent), "%s: other datagrams", name)
		assert.True(t, assert.ObjectsAreEqual(want.lines, got.lines), "%s: other lines in the log", name)
		assert.True(t, assert.ObjectsAreEqual(want.fates, got.fates), "%s: other fates", name)
	}
	assert.NotEqual(t, want.sent, runFork(t, 2, nil).sent, "a seed that changes nothing shows nothing")
}
