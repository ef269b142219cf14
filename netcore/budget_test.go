package netcore_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
)

// needStream has some bytes to send in every tick.
type needStream struct {
	greedyStream
	perTick, owed int
}

func (s *needStream) Due(now netcore.Time) netcore.Time {
	if s.owed > 0 {
		return now
	}
	return netcore.Never
}

func (s *needStream) Pack(w *bitstream.Writer, _ netcore.Outgoing) bool {
	n := max(min((w.Left()-16)/8, s.owed), 0)
	s.owed -= n
	w.WriteBits(uint64(n), 11)
	for range n {
		w.WriteBits(0x55, 8)
	}
	return n > 0
}

// crowd is a server with a budget and clients with different needs. Each has a line of its own.
type crowd struct {
	net     *netsim.Network
	server  countedEndpoint
	flood   *needStream                  // of the first client
	streams map[netcore.Addr]*needStream // of the server, by client
	needs   []int                        // bytes per tick of each client
	sent    map[netcore.Addr]int         // bytes with headers, to each client
	packets map[netcore.Addr]int
}

// countedEndpoint counts how often its owner wakes to send.
type countedEndpoint struct {
	*netcore.Endpoint
	sends *int
}

func (e countedEndpoint) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	*e.sends++
	e.Endpoint.Send(now, out)
}

const tick = 32 * ms

// crowdEndpoint makes an endpoint whose connections have the streams of the function.
func crowdEndpoint(seed uint64, streams func(c *netcore.Conn) []netcore.Stream) *netcore.Endpoint {
	auto := netcore.Rate{Packets: netcore.Auto, Size: netcore.MaxSize}
	return netcore.NewEndpoint(netcore.Config{
		Identity: netcoretest.Identity(seed), Entropy: netcoretest.Entropy(seed), Accepting: true,
		RecvRate: auto, MaxSend: netcore.Rate{Packets: 1250, Size: netcore.MaxSize}, Streams: streams,
	})
}

func newCrowd(t *testing.T, bandwidth float64, needs []int) *crowd {
	c := &crowd{net: netsim.New(1), streams: map[netcore.Addr]*needStream{}, needs: needs, sent: map[netcore.Addr]int{}, packets: map[netcore.Addr]int{}}
	c.net.Punctual = true
	c.server = countedEndpoint{sends: new(int)}
	c.server.Endpoint = crowdEndpoint(1, func(n *netcore.Conn) []netcore.Stream {
		s := &needStream{perTick: needs[n.Addr().Port-100]}
		c.streams[n.Addr()] = s
		return []netcore.Stream{s}
	})
	c.server.SetBandwidth(bandwidth)
	c.net.Attach(netcore.SimAddr(1), c.server)
	for i := range needs {
		at := netcore.SimAddr(uint16(100 + i))
		client := crowdEndpoint(uint64(10+i), func(*netcore.Conn) []netcore.Stream {
			s := new(needStream)
			if i == 0 {
				c.flood = s
			}
			return []netcore.Stream{s}
		})
		c.net.Attach(at, client)
		c.net.Link(netcore.SimAddr(1), at, netcore.LinkParams{Delay: 20 * ms}, netcore.LinkParams{Delay: 20 * ms})
		client.Connect(0, netcore.SimAddr(1), netcore.ConnectOptions{Trust: func(netcore.Addr, seal.Key) error { return nil }})
	}
	c.net.Watch = func(_ netcore.Time, from, to netcore.Addr, d []byte) {
		if from == netcore.SimAddr(1) {
			c.sent[to] += len(d) + netsim.HeaderBytes
			c.packets[to]++
		}
	}
	c.run(2 * time.Second)
	require.Len(t, c.server.Conns(), len(needs))
	return c
}

// run returns the bytes per second that each client got, and their sum.
func (c *crowd) run(d netcore.Time) (each []float64, all float64) {
	clear(c.sent)
	clear(c.packets)
	*c.server.sends = 0
	for end := c.net.Now() + d; c.net.Now() < end; {
		for _, s := range c.streams {
			s.owed = min(s.owed+s.perTick, max(2*s.perTick, 50_000))
		}
		c.net.Run(c.net.Now()+tick, tick)
	}
	for i := range c.needs {
		rate := float64(c.sent[netcore.SimAddr(uint16(100+i))]) / d.Seconds()
		each, all = append(each, rate), all+rate
	}
	return each, all
}

// TestBudget: 40 clients behind a server limited to 5 Mbit/s, or half of both in the short form.
// Those with little to send get all of it, and the others equal shares of the rest, above an equal
// share of all.
func TestBudget(t *testing.T) {
	clients := testenv.Length(20, 40)
	bandwidth := float64(clients) * 125_000 / 8
	needs := make([]int, clients)
	for i := range needs {
		needs[i] = []int{60, 300, 1500, 5000}[i%4]
	}
	free, _ := newCrowd(t, 0, needs).run(4 * time.Second)
	limited := newCrowd(t, bandwidth, needs)
	each, all := limited.run(8 * time.Second)
	assert.InEpsilon(t, bandwidth, all, .02)
	least, most := math.Inf(1), 0.
	for i, rate := range each {
		if needs[i] <= 300 {
			assert.InEpsilon(t, free[i], rate, .05, "all that client %d needs", i)
			continue
		}
		least, most = min(least, rate), max(most, rate)
		assert.Greater(t, free[i], 1.4*rate, "client %d needs more", i)
		assert.Greater(t, limited.packets[netcore.SimAddr(uint16(100+i))], 8*28, "a packet per tick, of a smaller size")
	}
	assert.Less(t, most, 1.05*least)
	assert.Greater(t, least, 1.3*bandwidth/float64(clients))
	assert.Less(t, *limited.server.sends, 8*2500, "the server does not wake in vain")
	t.Logf("%.0f bytes/s of %.0f; need %v: %.0f; without a budget %.0f", all, bandwidth, needs[:4], each[:4], free[:4])
}

// TestBudgetUnderAttack: a client that sends as fast as it can gets many acks. They come out of its
// own share.
func TestBudgetUnderAttack(t *testing.T) {
	const bandwidth = 24_000
	needs := []int{0, 3000, 3000, 3000, 3000, 3000, 3000, 3000}
	c := newCrowd(t, bandwidth, needs)
	c.flood.perTick, c.flood.owed = 1, 1<<40
	each, all := c.run(8 * time.Second)
	assert.InEpsilon(t, bandwidth, all, .02)
	for i := range each[1:] {
		assert.Greater(t, each[1+i], .98*bandwidth/8, "an equal share")
	}
}

// TestNobodySavesUpBudget: a client that needed little has no right to more afterwards.
func TestNobodySavesUpBudget(t *testing.T) {
	const bandwidth = 100_000
	needs := []int{20, 3000, 3000, 3000, 3000, 3000, 3000, 3000}
	c := newCrowd(t, bandwidth, needs)
	quiet, _ := c.run(8 * time.Second)
	assert.Greater(t, quiet[1], 1.1*bandwidth/8, "more while the first client needs less")
	c.streams[netcore.SimAddr(100)].perTick = 3000
	each, _ := c.run(2 * time.Second)
	for i := range each {
		assert.InEpsilon(t, bandwidth/8, each[i], .1)
	}
}

// TestBudgetEnds: without the budget all connections send again what they need.
func TestBudgetEnds(t *testing.T) {
	needs := []int{2000, 2000}
	c := newCrowd(t, 20_000, needs)
	_, all := c.run(4 * time.Second)
	assert.InEpsilon(t, 20_000, all, .02)
	c.server.SetBandwidth(0)
	_, all = c.run(4 * time.Second)
	assert.Greater(t, all, 100_000.)
}
