package netcore

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// jittery runs a connection for a minute over a line with a random delay of up to jitter and a
// loss. Both ends send a packet in every tick. It returns the share of packets that the client
// counted lost after the first seconds, and the longest hold of the server.
func jittery(t *testing.T, seed uint64, jitter Time, loss float64) (share float64, longest Time, n *testNetwork, server *host) {
	server, client, n := playing(t, nil)
	rng := rand.New(rand.NewPCG(seed, 7))
	n.delay = func() Time { return Time(rng.Int64N(int64(jitter) + 1)) }
	n.filter = func(testDatagram) bool { return rng.Float64() >= loss }
	n.run(5 * time.Second)
	at := client.connected[0]
	before := *at.Stats()
	for range 6000 {
		n.step(10 * time.Millisecond)
		longest = max(longest, server.connected[0].reorder.hold)
	}
	after := at.Stats()
	lost := after.Dropped - before.Dropped
	require.Empty(t, append(server.ended, client.ended...))
	return float64(lost) / float64(lost+after.Delivered-before.Delivered), longest, n, server
}

// TestHoldFollowsReordering: of the packets that a line reorders, few count as lost. The connection
// waits no longer than that needs, and not at all for packets that are really lost.
func TestHoldFollowsReordering(t *testing.T) {
	for seed := range testenv.Seeds(t, 1, 3) {
		for _, row := range []struct {
			jitter Time
			loss   float64
			most   float64 // share counted lost
			hold   Time    // longest
		}{
			{10 * time.Millisecond, 0, 0, minHold},
			{10 * time.Millisecond, 0.2, 0.23, minHold},
			{50 * time.Millisecond, 0, 0.02, 30 * time.Millisecond},
			{100 * time.Millisecond, 0, 0.02, 80 * time.Millisecond},
			{200 * time.Millisecond, 0, 0.03, maxHold},
			{200 * time.Millisecond, 0.05, 0.08, maxHold},
		} {
			share, hold, n, server := jittery(t, seed, row.jitter, row.loss)
			assert.LessOrEqual(t, share, row.most, "%v, loss %v", row.jitter, row.loss)
			assert.LessOrEqual(t, hold, row.hold, "%v, loss %v", row.jitter, row.loss)
			n.delay = func() Time { return 20 * time.Millisecond }
			n.run(40 * time.Second)
			assert.Equal(t, minHold, server.connected[0].reorder.hold, "the line is quiet again")
			t.Logf("jitter %v, loss %v: %.1f %% lost, hold up to %v", row.jitter, row.loss, 100*share, hold)
		}
	}
}

// TestNobodyElseSetsTheHold repeats, damages and forges late packets. They change nothing.
func TestNobodyElseSetsTheHold(t *testing.T) {
	server, client, n := playing(t, nil)
	rng := rand.New(rand.NewPCG(1, 7))
	var kept [][]byte
	n.filter = func(p testDatagram) bool {
		if p.to.Remote() == server.addr {
			kept = append(kept, bytes.Clone(p.b))
		}
		return true
	}
	for range 3000 {
		n.step(10 * time.Millisecond)
		if len(kept) > 20 {
			old := kept[len(kept)-20]
			n.enqueue(client.addr, server.addr, old)
			damaged := bytes.Clone(old)
			damaged[rng.IntN(len(damaged))] ^= 1 << rng.IntN(8)
			n.enqueue(client.addr, server.addr, damaged)
		}
	}
	assert.Equal(t, minHold, server.connected[0].reorder.hold)
	assert.Empty(t, server.ended)
}

// TestLatePacketsCountOnce delivers one packet long after its verdict, many times. Damaged copies
// before it change nothing.
func TestLatePacketsCountOnce(t *testing.T) {
	server, client, n := playing(t, nil)
	var late []byte
	n.filter = func(p testDatagram) bool {
		if late == nil && p.to.Remote() == server.addr {
			late = bytes.Clone(p.b)
			return false
		}
		return true
	}
	n.run(300 * time.Millisecond)
	r := &server.connected[0].reorder
	require.Equal(t, minHold, r.hold)
	damaged := bytes.Clone(late)
	damaged[len(damaged)-1] ^= 1
	server.Receive(n.now, client.addr, damaged)
	require.Equal(t, minHold, r.hold)
	for range 50 {
		server.Receive(n.now, client.addr, late)
	}
	assert.Equal(t, minHold+raiseHold, r.hold)
}
