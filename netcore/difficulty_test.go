package netcore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/seal"
)

// TestPuzzles: a server under attack demands work. A client with and one without Solve do it, and
// nobody gets to the key exchange without it.
func TestPuzzles(t *testing.T) {
	for _, solve := range []bool{false, true} {
		server, client, n := twoHosts(t, nil)
		server.difficulty.level = minDifficulty
		solved := 0
		if solve {
			client.cfg.Solve = func(p seal.Puzzle, done func(uint64)) {
				solved++
				assert.Equal(t, byte(minDifficulty), p.Difficulty)
				solution, found := p.Search(0, 1<<20)
				require.True(t, found)
				done(solution)
			}
		}
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		n.run(time.Second)
		assert.Len(t, client.connected, 1)
		assert.Equal(t, solve, solved == 1)

		request := n.first(t, packetConnectRequest)
		p, solution, first, ok := parseConnectRequest(request.b)
		require.True(t, ok)
		fresh := p
		fresh.Nonce[0] ^= 1
		fresh.Cookie = server.cookies.Make(n.now, server.addressBytes(client.addr), fresh.Nonce, fresh.Difficulty)
		for fresh.Solved(solution) {
			solution++
		}
		server.Receive(n.now, client.addr, append(appendConnectRequestHead(nil, fresh, solution), first...))
		assert.Empty(t, server.waiting, "no solution")
		fresh.Difficulty = 0
		server.Receive(n.now, client.addr, append(appendConnectRequestHead(nil, fresh, solution), first...))
		assert.Empty(t, server.waiting, "the cookie fixes the difficulty")
	}
}

// TestEasyPuzzlesAreOutdated: the cookie of quieter times gets another challenge, not a key
// exchange.
func TestEasyPuzzlesAreOutdated(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	n.filter = func(p testDatagram) bool {
		if p.b[0] == packetConnectRequest && server.difficulty.level == 0 {
			server.difficulty.level = minDifficulty
		}
		return true
	}
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(500 * time.Millisecond)
	assert.Len(t, client.connected, 1, "within the fourth round trip")
	requests := 0
	for _, p := range n.sent {
		if p.b[0] == packetConnectRequest {
			requests++
		}
	}
	assert.Equal(t, 2, requests)
}

func TestTooHardPuzzle(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	server.difficulty.level = seal.MaxDifficulty + 1
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(500 * time.Millisecond)
	require.Len(t, client.failed, 1)
	assert.Equal(t, Refused, client.failed[0].Code)
}

// TestDifficultyFollowsTheAttack: it rises while there is more to do than can be done, to a bound,
// and falls to nothing afterwards.
func TestDifficultyFollowsTheAttack(t *testing.T) {
	server := newHost(t, SimAddr(1), func(c *Config) { c.Limits.Rate = 10 })
	sink := func(Addr, []byte) {}
	now := Time(0)
	for i := range 200 {
		now += 10 * time.Millisecond
		from := remoteAddr(i)
		server.Receive(now, from, connectRequestFrom(t, server, now, from, uint64(i)))
		server.Send(now, sink)
	}
	assert.Equal(t, byte(minDifficulty), server.difficulty.level, "unsolved requests make it no harder")
	assert.Empty(t, server.waiting)
	for range 60 {
		now += 100 * time.Millisecond
		server.Tick(now)
		server.Send(now, sink)
	}
	assert.Zero(t, server.difficulty.level)

	var d difficulty
	for range 100 {
		now += raiseEvery
		d.update(now, true)
	}
	assert.Equal(t, byte(mostDifficulty), d.level)
	now += easeEvery
	d.update(now, false)
	assert.Equal(t, byte(mostDifficulty-1), d.level)

	d = difficulty{}
	d.update(0, true)
	d.update(raiseEvery-1, true)
	assert.Equal(t, byte(minDifficulty), d.level)
	assert.True(t, d.accepts(minDifficulty-slack))
	assert.False(t, d.accepts(minDifficulty-slack-1))
	assert.False(t, d.accepts(0))
}

// TestBurstIsNoAttack: a thousand clients that join at once take a second and a bit more at the
// default rate. Puzzles stay below 10 ms of work. Otherwise, the last clients would wait for their
// puzzles, not for the server.
func TestBurstIsNoAttack(t *testing.T) {
	var d difficulty
	for now := Time(0); now <= 1200*ms; now += 10 * ms {
		d.update(now, true)
	}
	assert.LessOrEqual(t, d.level, byte(16))
}

// TestHonestJoinDuringFlood: 300 addresses open as many sessions as they can and stay silent.
// Meanwhile every honest client joins in less than two seconds. In the second flood the attacker
// solves every puzzle at no cost.
func TestHonestJoinDuringFlood(t *testing.T) {
	for _, flood := range []struct {
		perStep int
		solves  bool
	}{{60, false}, {18, true}} {
		server := newHost(t, SimAddr(1), nil)
		n := newTestNetwork(server)
		worst, seed := Time(0), 0
		for round := range testenv.Length(2, 8) {
			client := newHost(t, SimAddr(uint16(100+round)), nil)
			n.hosts = append(n.hosts, client)
			began := n.now
			client.Connect(n.now, server.addr, ConnectOptions{Trust: trustAll})
			for len(client.connected) == 0 && n.now < began+5*time.Second {
				for range flood.perStep {
					seed++
					from := remoteAddr(seed % 300)
					server.Receive(n.now, from, connectRequestOf(t, server, n.now, from, newStranger(uint64(seed%300)), uint64(seed)))
				}
				n.step(20 * time.Millisecond)
				if flood.solves {
					server.difficulty.level = 0
				}
			}
			require.Len(t, client.connected, 1)
			worst = max(worst, n.now-began)
		}
		assert.Less(t, worst, 2*time.Second)
		assert.LessOrEqual(t, server.halfOpen.order.Len(), server.limits.HalfOpen)
		t.Logf("worst join %v, %d unheard", worst, server.halfOpen.order.Len())
	}
}
