package netcore

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
)

// crowdOf returns a server, and clients that connect to it at once.
func crowdOf(t *testing.T, clients int, o ConnectOptions, change func(*Config)) (server *host, n *testNetwork, all []*Pending) {
	server = newHost(t, SimAddr(1), change)
	n = newTestNetwork(server)
	o.Trust = trustAll
	for i := range clients {
		c := newHost(t, SimAddr(uint16(100+i)), nil)
		all, n.hosts = append(all, c.Connect(0, server.addr, o)), append(n.hosts, c)
	}
	return server, n, all
}

// TestWaitingClientsAreTold lets 40 clients join a server that exchanges ten keys a second. Each
// one that waits is told at once how many are before it. The number only falls. All join with their
// first attempt, although some wait longer than their timeout.
func TestWaitingClientsAreTold(t *testing.T) {
	const clients = 40
	server, n, all := crowdOf(t, clients, ConnectOptions{Timeout: 2 * time.Second}, func(c *Config) { c.Limits.Rate = 10 })
	nonces, last, most := map[seal.Nonce]bool{}, make([]int, clients), 0
	for i, p := range all {
		last[i] = clients
		nonces[p.puzzle.Nonce] = true
	}
	for n.now < 6*time.Second {
		n.step(10 * ms)
		for i, p := range all {
			ahead, told := p.Ahead()
			if p.Waiting(n.now) > 40*ms {
				require.True(t, told, "client %d waits since %v", i, p.Waiting(n.now))
			}
			if told && p.stage == requesting {
				require.LessOrEqual(t, ahead, last[i], "client %d", i)
				last[i], most = ahead, max(most, ahead)
			}
			require.True(t, p.Over() || nonces[p.puzzle.Nonce], "client %d began anew", i)
		}
	}
	assert.Len(t, server.connected, clients)
	assert.Greater(t, most, 10)
	for _, p := range all {
		_, told := p.Ahead()
		assert.False(t, told, "nobody waits in the end")
	}
}

// TestClientsAreToldDuringADecision: a client that waits for the decision about its introduction
// gets its place.
func TestClientsAreToldDuringADecision(t *testing.T) {
	var server *host
	server, n, all := crowdOf(t, 3, ConnectOptions{}, nil)
	server.decide = func(r *ConnectRequest) string {
		r.Later = server.now < time.Second
		return ""
	}
	n.run(150 * ms)
	places := map[int]bool{}
	for _, p := range all {
		ahead, told := p.Ahead()
		assert.True(t, told)
		places[ahead] = true
	}
	assert.Equal(t, map[int]bool{0: true, 1: true, 2: true}, places)
	n.run(1200 * ms)
	assert.Len(t, server.connected, 3)
}

// TestHarderChallenge: a client that must solve another puzzle does not wait for the server
// meanwhile.
func TestHarderChallenge(t *testing.T) {
	server, client, n, p := connectWithout(t, packetConnectRequest, ConnectOptions{}, 300*ms)
	require.Equal(t, requesting, p.stage)
	require.Positive(t, p.Waiting(n.now))
	harder := p.puzzle
	harder.Difficulty++
	client.Receive(n.now, server.addr, appendChallengeResponse(nil, harder, p.key))
	assert.Equal(t, solving, p.stage)
	assert.Zero(t, p.Waiting(n.now))
}

// TestLateOwners: time in which the owner of an attempt was late does not count for its timeout.
func TestLateOwners(t *testing.T) {
	client := newHost(t, SimAddr(1), nil)
	p := client.Connect(0, SimAddr(2), ConnectOptions{Trust: trustAll, Timeout: time.Second})
	now, ticks := 20*time.Second, 0
	for ; !p.Over() && ticks < 100; ticks++ {
		client.Tick(now)
		now += 2 * time.Second
	}
	assert.InDelta(t, time.Second/longestTick, ticks, 2, "each Tick counts as longestTick")

	p = client.Connect(now, SimAddr(2), ConnectOptions{Trust: trustAll, Timeout: time.Second})
	for end := now + 990*ms; now < end; now += 32 * ms {
		client.Tick(now)
		require.False(t, p.Over())
	}
	client.Tick(now + 32*ms)
	assert.True(t, p.Over())
}

// TestBusyAnswersAreSmall: each request above a limit gets one answer, smaller than any request. Of
// a limit by address it names no number.
func TestBusyAnswersAreSmall(t *testing.T) {
	server := newHost(t, SimAddr(1), func(c *Config) { c.Limits.RateByAddress = 2 })
	for i := range 5 {
		from := remoteAddr(1)
		from.Port += uint16(i)
		got := replies(server, 0, from, connectRequestFrom(t, server, 0, from, uint64(i)))
		require.Len(t, got, 1)
		if i >= 2 {
			require.Len(t, got[0], busySize)
			assert.Equal(t, byte(packetBusy), got[0][0])
			assert.Zero(t, binary.LittleEndian.Uint16(got[0][17:]))
		}
	}
	for range 2 * maxWaiting {
		server.waiting = append(server.waiting, pendingRequest{told: true})
	}
	server.limits.Rate = 1e-9
	server.handshakeBucket.Owe(1)
	from := remoteAddr(2)
	got := replies(server, 0, from, connectRequestFrom(t, server, 0, from, 9))
	require.Len(t, got, 1)
	assert.Equal(t, uint16(2*maxWaiting), binary.LittleEndian.Uint16(got[0][17:]))
	assert.Len(t, appendBusy(nil, seal.Nonce{}, 1<<20), busySize)
	assert.Equal(t, uint16(1<<16-1), binary.LittleEndian.Uint16(appendBusy(nil, seal.Nonce{}, 1<<20)[17:]))
}

// TestForgedBusy: only a server that reads the client's packets can let it wait, and not for ever.
func TestForgedBusy(t *testing.T) {
	server, client, n, p := connectWithout(t, packetConnectRequest, ConnectOptions{Timeout: time.Second}, 300*ms)
	require.Equal(t, requesting, p.stage)
	real := appendBusy(nil, p.puzzle.Nonce, 7)
	for _, forged := range [][]byte{real[:18], append(appendBusy(nil, p.puzzle.Nonce, 7), 0), appendBusy(nil, seal.Nonce{1}, 7)} {
		client.Receive(n.now, server.addr, forged)
	}
	client.Receive(n.now, SimAddr(77), real)
	_, told := p.Ahead()
	assert.False(t, told)
	for end := n.now + 10*time.Second; n.now < end; n.run(100 * ms) {
		client.Receive(n.now, server.addr, real)
		if !p.Over() {
			ahead, told := p.Ahead()
			assert.True(t, told)
			assert.Equal(t, 7, ahead)
			assert.LessOrEqual(t, n.now, longestWait*time.Second)
		}
	}
	require.Len(t, client.failed, 1)
	assert.Equal(t, Reason{Code: ConnectTimeout, Text: "the server is busy: try again later"}, client.failed[0])

	client.Connect(n.now, server.addr, ConnectOptions{Trust: trustAll})
	p = client.pending[0]
	client.Receive(n.now, server.addr, appendBusy(nil, p.puzzle.Nonce, 7))
	_, told = p.Ahead()
	assert.False(t, told, "a server that asked for nothing lets nobody wait")
}
