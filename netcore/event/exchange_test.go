package event_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event/eventtest"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim"
)

const ms = time.Millisecond

var here, there = netcore.SimAddr(1), netcore.SimAddr(2)

// runExchange runs one seed: ten seconds of messages over a bad network, in some seeds with a
// blackout of thirty seconds. Then it stops posting and waits until everything is settled.
func runExchange(seed uint64) (hash uint64, err error) {
	r := rand.New(rand.NewPCG(seed, 5))
	cfg := netcore.ConnConfig{
		Check:    r.IntN(4) == 0,
		MaxSend:  netcore.Rate{Packets: 125, Size: 200 + r.IntN(1001)},
		PeerRate: netcore.Rate{Packets: 31.25, Size: 200 + r.IntN(1001)},
		Timeout:  5 * time.Minute,
	}
	ka, kb := netcoretest.Pairs(seed)
	a := eventtest.NewPeer(seed, there, ka, true, cfg)
	b := eventtest.NewPeer(seed, here, kb, false, cfg)
	n := netsim.New(seed)
	n.Attach(here, a)
	n.Attach(there, b)
	n.Link(here, there, netsim.RandomLink(r, .5), netsim.RandomLink(r, .5))
	if r.IntN(5) == 0 {
		n.Blackout(5*time.Second, 35*time.Second)
	}
	n.Run(10*time.Second, 32*ms)
	a.Quiet, b.Quiet = true, true
	n.Link(here, there, netcore.LinkParams{Delay: 20 * ms}, netcore.LinkParams{Delay: 20 * ms})
	done := n.RunWhile(4*time.Minute, 32*ms, func() bool { return !a.AllArrived(b) || !b.AllArrived(a) })
	for _, p := range []*eventtest.Peer{a, b} {
		if why, ended := p.Conn.Closed(); ended {
			return 0, fmt.Errorf("the connection ended: %v", why)
		}
		if p.Fault != "" {
			return 0, fmt.Errorf("%s", p.Fault)
		}
	}
	if !done {
		return 0, fmt.Errorf("not settled: a posted %v, b has %v and %d; b posted %v, a has %v and %d",
			a.Posted, b.Next, len(b.Seen[2]), b.Posted, a.Next, len(a.Seen[2]))
	}
	return n.Hash(), nil
}

// TestMessagesOverBadLinks checks the guarantees. Guaranteed messages arrive exactly once, ordered
// messages in order, and unguaranteed messages at most once. All have the right tags. The same seed
// gives the same run twice.
func TestMessagesOverBadLinks(t *testing.T) {
	for seed := range testenv.Seeds(t, 8, 60) {
		first, err := runExchange(seed)
		require.NoError(t, err, "seed %d", seed)
		again, err := runExchange(seed)
		require.NoError(t, err, "seed %d", seed)
		assert.Equal(t, first, again, "seed %d", seed)
	}
}
