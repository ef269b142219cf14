package netcore

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// movedAddr is the address that a router gives a client anew.
var movedAddr = SimAddr(77)

// playing returns a client that has joined a server. Both send a packet in every tick.
func playing(t *testing.T, change func(*Config)) (server, client *host, n *testNetwork) {
	server, client, n = twoHosts(t, func(c *Config) {
		c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: 64, want: 1 << 30}} }
		if change != nil {
			change(c)
		}
	})
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(time.Second)
	require.Len(t, client.connected, 1)
	require.Len(t, server.connected, 1)
	return server, client, n
}

// rebind gives the client another address, like a router that has forgotten it.
func rebind(client *host) { client.addr = movedAddr }

// TestClientsMove checks that the connection of a client with a new address goes on within one
// round trip, loses nothing afterwards, and gets a new connection id.
func TestClientsMove(t *testing.T) {
	server, client, n := playing(t, nil)
	at, here := server.connected[0], client.connected[0]
	before, old := here.cfg.Route, at.Addr()
	rebind(client)
	n.run(100 * time.Millisecond) // one way takes 20 ms; the sender needs up to 32 for its next packet
	assert.Equal(t, movedAddr, at.Addr())
	n.run(time.Second)
	assert.Empty(t, append(server.ended, client.ended...))
	assert.NotEqual(t, before.ID, here.cfg.Route.ID, "a new address, a new id")
	assert.NotEqual(t, before.Reset, here.cfg.Route.Reset)
	assert.Same(t, server.byAddr[movedAddr], server.byID[uint16(here.cfg.Route.ID)])
	assert.Nil(t, server.byAddr[old])

	lost := at.Stats().Dropped
	n.run(5 * time.Second)
	assert.Equal(t, lost, at.Stats().Dropped)
	for range 5 { // moves follow each other: two ids are valid at most
		client.addr.Port++
		n.run(time.Second)
		assert.Equal(t, client.addr, at.Addr())
		assert.LessOrEqual(t, len(server.byID), 2)
	}
	client.Close(n.now, Reason{Code: SelfClosed})
	n.run(2 * time.Second)
	assert.Empty(t, server.byID)
	assert.Empty(t, server.byAddr)
}

// TestCopiesDoNotMove lets an attacker repeat and forge the packets of a client from another
// address. The connection stays where it is. The attacker gets at most three bytes for each of its
// own.
func TestCopiesDoNotMove(t *testing.T) {
	server, client, n := playing(t, nil)
	at, attacker := server.connected[0], newHost(t, SimAddr(66), nil)
	home, sent := at.Addr(), 0
	n.filter = func(p testDatagram) bool {
		if p.to.Remote() != server.addr || p.from == attacker.addr {
			return true
		}
		n.enqueue(attacker.addr, server.addr, p.b) // arrives first
		flipped := slices.Clone(p.b)
		flipped[len(flipped)-1] ^= 1
		n.enqueue(attacker.addr, server.addr, flipped)
		sent += 2 * len(p.b)
		return true
	}
	for range 100 {
		n.step(10 * time.Millisecond)
		require.Equal(t, home, at.Addr(), "copies cannot answer a challenge")
	}
	got := 0
	for _, p := range n.sent {
		if p.to.Remote() == attacker.addr {
			got += len(p.b)
		}
	}
	assert.LessOrEqual(t, got, amplify*sent)
	assert.Empty(t, append(server.ended, client.ended...))
	assert.Zero(t, at.Stats().Dropped)
}

// TestOnlyNewPacketsProbe sends a server copies, damaged packets and a late packet of a client from
// another address. None of them is the newest packet of the client, so nothing goes there.
func TestOnlyNewPacketsProbe(t *testing.T) {
	server, client, n := playing(t, nil)
	at, late := server.connected[0], testDatagram{}
	n.filter = func(p testDatagram) bool {
		first := p.from == client.addr && late.b == nil
		if first {
			late = p // kept back; the server does not have it
		}
		return !first
	}
	n.run(100 * time.Millisecond)
	newest := n.sent[len(n.sent)-1]
	for i := len(n.sent) - 1; newest.from != client.addr; i-- {
		newest = n.sent[i]
	}
	n.filter = nil
	n.run(100 * time.Millisecond)
	damaged := slices.Clone(newest.b)
	damaged[len(damaged)-1] ^= 1
	for _, b := range [][]byte{late.b, newest.b, damaged} {
		server.Receive(n.now, SimAddr(66), b)
		assert.Equal(t, addressCandidate{}, at.candidate)
	}
}

// TestOldPathWins checks that a client that speaks from its old address again stays there.
func TestOldPathWins(t *testing.T) {
	server, client, n := playing(t, nil)
	at, home := server.connected[0], client.addr
	n.filter = func(p testDatagram) bool { return p.to.Remote() != movedAddr } // the new path is dead in one direction
	rebind(client)
	n.run(100 * time.Millisecond)
	assert.Equal(t, movedAddr, at.candidate.to)
	client.addr = home
	n.run(100 * time.Millisecond)
	assert.Equal(t, addressCandidate{}, at.candidate)
	assert.Equal(t, home, at.Addr())
	n.run(time.Second)
	assert.Empty(t, append(server.ended, client.ended...))
}

// TestRefusedMoves checks that a move to a refused address leaves the connection where it is. The
// owner is asked rarely, and the connection moves when the owner allows it.
func TestRefusedMoves(t *testing.T) {
	asked, allowed := 0, false
	server, client, n := playing(t, func(c *Config) {
		c.MayMove = func(*Conn, Addr) bool { asked++; return allowed }
	})
	at, home := server.connected[0], client.addr
	sent := len(n.sent)
	rebind(client)
	n.run(time.Second)
	assert.Equal(t, home, at.Addr())
	assert.Equal(t, 1, asked)
	for _, p := range n.sent[sent:] {
		assert.NotEqual(t, movedAddr, p.to.Remote(), "nothing goes to a refused address")
	}
	n.run(5 * time.Second)
	assert.Equal(t, 3, asked, "once in two seconds")
	assert.Equal(t, home, at.Addr())
	allowed = true
	n.run(maxChallengeWait + time.Second)
	assert.Equal(t, movedAddr, at.Addr())
	assert.Empty(t, append(server.ended, client.ended...))
}

// TestRefusalDuringAChallenge: an address that is refused after the challenge was sent gets no
// connection with its answer.
func TestRefusalDuringAChallenge(t *testing.T) {
	asked := 0
	server, client, n := playing(t, func(c *Config) {
		c.MayMove = func(*Conn, Addr) bool { asked++; return asked == 1 }
	})
	at, home := server.connected[0], client.addr
	rebind(client)
	n.run(time.Second)
	assert.Equal(t, 2, asked, "for the challenge, and for its answer")
	assert.Equal(t, home, at.Addr())
}

// TestMovesRespectTheLimitByAddress checks that an address with its maximum of connections gets no
// more by moves.
func TestMovesRespectTheLimitByAddress(t *testing.T) {
	for most, moves := range map[int]bool{1: false, 2: true} {
		streams := func(c *Config) {
			c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: 64, want: 1 << 30}} }
			c.Limits.Connections = most
		}
		server := newHost(t, SimAddr(1), streams)
		first, second := newHost(t, remoteAddr(1), streams), newHost(t, remoteAddr(2), streams)
		n := newTestNetwork(server, first, second)
		for _, c := range []*host{first, second} {
			c.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
			n.run(time.Second)
		}
		require.Len(t, server.connected, 2)
		second.addr = first.addr
		second.addr.Port++
		n.run(time.Second)
		assert.Empty(t, server.ended)
		assert.Equal(t, moves, server.connected[1].Addr() == second.addr, "at most %d", most)
	}
}

// TestForgedAnswersDoNotMove lets a client answer a challenge that it has not seen.
func TestForgedAnswersDoNotMove(t *testing.T) {
	server, client, n := playing(t, nil)
	at, here := server.connected[0], client.connected[0]
	n.filter = func(p testDatagram) bool { return p.to.Remote() != movedAddr }
	home := at.Addr()
	rebind(client)
	for i := range 50 {
		here.pathAnswer, here.pathEcho = true, uint64(i)
		n.step(10 * time.Millisecond)
		require.Equal(t, home, at.Addr())
	}
}

// TestAnswersFromElsewhereDoNotMove answers a challenge from a third address. The connection stays:
// the address that sees the challenge is not the one that sends.
func TestAnswersFromElsewhereDoNotMove(t *testing.T) {
	server, client, n := playing(t, nil)
	at, here, home := server.connected[0], client.connected[0], client.addr
	n.filter = func(p testDatagram) bool { return p.to.Remote() != movedAddr }
	rebind(client)
	n.run(100 * time.Millisecond)
	require.Equal(t, movedAddr, at.candidate.to)
	require.Positive(t, at.candidate.sent)
	client.addr = SimAddr(88)
	here.pathAnswer, here.pathEcho = true, at.candidate.challenge
	n.filter = func(p testDatagram) bool { return p.to.Remote() == server.addr }
	n.run(100 * time.Millisecond)
	assert.Equal(t, home, at.Addr())
	assert.Equal(t, SimAddr(88), at.candidate.to, "this address needs a challenge of its own")
}

// TestChallengesPause checks that a new address that does not answer gets few challenges, and that
// a late answer still moves the connection.
func TestChallengesPause(t *testing.T) {
	server, client, n := playing(t, nil)
	sent := len(n.sent)
	n.filter = func(p testDatagram) bool { return p.to.Remote() != movedAddr }
	rebind(client)
	n.run(10 * time.Second)
	got := 0
	for _, p := range n.sent[sent:] {
		if p.to.Remote() == movedAddr {
			got++
		}
	}
	assert.InDelta(t, 8, got, 2)
	assert.Equal(t, SimAddr(2), server.connected[0].Addr())
	n.filter = nil
	n.run(2500 * time.Millisecond)
	assert.Equal(t, movedAddr, server.connected[0].Addr())
}

// TestRoutesAreForClients checks that a client cannot give the server a connection id.
func TestRoutesAreForClients(t *testing.T) {
	server, client, n := playing(t, nil)
	client.connected[0].announceRoute(Route{ID: 5})
	n.run(time.Second)
	require.Len(t, server.ended, 1)
	assert.Equal(t, Violation, server.ended[0].Code)
}

// TestRouteNeedsAnID checks that a client refuses the connection id 0, which means that it has
// none.
func TestRouteNeedsAnID(t *testing.T) {
	for id, ok := range map[byte]bool{0: false, 1: true} {
		var r Route
		s := bitstream.NewReader(append([]byte{id}, make([]byte, 23)...))
		r.serialize(&s.Codec)
		assert.Equal(t, ok, s.Err() == nil)
	}
}

// TestDetoursAreLimited checks that a datagram to an unproven address is dropped if it is too long.
func TestDetoursAreLimited(t *testing.T) {
	var o outbox
	for _, size := range []int{30, 31} {
		o.room()
		o.add(7)
		o.detour(movedAddr, 30)
		o.room()
		o.add(size)
		sent := o.endDetour()
		got := map[Addr][]int{}
		o.flush(SimAddr(1), func(to Addr, b []byte) { got[to] = append(got[to], len(b)) })
		if size > 30 {
			assert.Zero(t, sent)
			assert.Equal(t, map[Addr][]int{SimAddr(1): {7}}, got)
		} else {
			assert.Equal(t, size, sent)
			assert.Equal(t, map[Addr][]int{SimAddr(1): {7}, movedAddr: {size}}, got)
		}
	}
}

// TestReset restarts a server. Its clients learn of it when they name their whole connection ids,
// because it answers nothing.
func TestReset(t *testing.T) {
	server, client, n := playing(t, nil)
	again := newHost(t, server.addr, func(c *Config) { c.Identity, c.Entropy = server.cfg.Identity, seededEntropy(9) })
	n.hosts[0], n.sent, n.queued = again, nil, nil
	n.run(wholeIDAfter)
	require.Empty(t, client.ended)
	assert.NotEmpty(t, heads(n, again.addr, 0))
	for _, p := range n.sent {
		assert.NotEqual(t, again.addr, p.from, "the answer to a packet that names two bytes of an id")
	}
	n.run(250 * time.Millisecond) // the round-trip time is 40 ms, with waiting up to 104
	require.Len(t, client.ended, 1)
	assert.Equal(t, Reason{Code: Forgotten, Text: "the server was restarted"}, client.ended[0])
	for _, p := range n.sent {
		if p.from == again.addr {
			assert.Len(t, p.b, resetSize)
		}
	}
}

// TestForgedResets checks that only the token of the connection's own id ends it.
func TestForgedResets(t *testing.T) {
	server, client, n := playing(t, nil)
	here := client.connected[0]
	token := here.cfg.Route.Reset
	reset := func(from Addr, token seal.ResetToken, more ...byte) {
		client.Receive(n.now, from, append(append([]byte{packetReset}, token[:]...), more...))
	}
	for i := range token {
		wrong := token
		wrong[i] ^= 1
		reset(server.addr, wrong)
	}
	reset(server.addr, server.tokens.Token(here.cfg.Route.ID+1))
	reset(server.addr, seal.ResetToken{})
	reset(SimAddr(9), token)
	reset(server.addr, token, 0)
	server.Receive(n.now, client.addr, append([]byte{packetReset}, token[:]...)) // a server has no routes
	assert.Empty(t, append(client.ended, server.ended...))
	reset(server.addr, token)
	assert.Len(t, client.ended, 1)
}

// TestResetsOfOldRoutes repeats a packet of a client with an id that the server has forgotten after
// two moves. The server answers with the token of that id. It does not end the connection.
func TestResetsOfOldRoutes(t *testing.T) {
	server, client, n := playing(t, nil)
	var first []byte
	var token seal.ResetToken
	n.filter = func(p testDatagram) bool {
		if p.to.Remote() == server.addr && first == nil {
			first = append(appendRoute(nil, client.connected[0].cfg.Route.ID), p.b[shortBytes:]...)
		}
		if p.to.Remote() == SimAddr(9) {
			token = seal.ResetToken(p.b[1:])
		}
		return true
	}
	here := client.connected[0]
	before := here.cfg.Route
	client.addr = SimAddr(77)
	n.run(time.Second)
	client.addr = SimAddr(78)
	n.filter = func(p testDatagram) bool { // the newest route has not reached the client yet
		if p.to.Remote() == SimAddr(9) {
			token = seal.ResetToken(p.b[1:])
		}
		return p.to.Remote() != client.addr || p.b[0]&3 != kindData
	}
	n.run(200 * time.Millisecond)
	n.enqueue(SimAddr(9), server.addr, first)
	n.run(100 * time.Millisecond)
	require.Equal(t, before.Reset, token)
	client.Receive(n.now, server.addr, append([]byte{packetReset}, token[:]...))
	assert.Empty(t, append(client.ended, server.ended...))
}

// TestResetsNameNoLiveConnection sends a server garbage that names a live id, from every direction.
// Not one reset answers it.
func TestResetsNameNoLiveConnection(t *testing.T) {
	server, client, n := playing(t, nil)
	id := client.connected[0].cfg.Route.ID
	for size := range 100 {
		b := append(appendRoute(nil, id), make([]byte, size)...)
		for _, from := range []Addr{client.addr, SimAddr(9), remoteAddr(3)} {
			for _, answer := range replies(server, n.now, from, b) {
				require.NotEqual(t, byte(packetReset), answer[0])
			}
		}
	}
	assert.Empty(t, server.ended)
}

// TestResetsAreLimited counts the resets for a flood. Each is shorter than the packet before it.
func TestResetsAreLimited(t *testing.T) {
	server := newHost(t, SimAddr(1), nil)
	one, all := 0, 0
	for i := range 100_000 {
		now := Time(i) * 10 * time.Microsecond
		b := append(appendRoute(nil, uint64(i)+1), make([]byte, clearBytes+tagBytes)...)
		from := remoteAddr(1)
		if i%2 == 0 {
			from = remoteAddr(2 + i%5000)
		}
		for _, answer := range replies(server, now, from, b) {
			require.Less(t, len(answer), len(b))
			if all++; from == remoteAddr(1) {
				one++
			}
		}
	}
	assert.InDelta(t, 2*resetsByAddress, one, 2, "in a second: the burst and the rate")
	assert.InDelta(t, allResets.PerSecond+allResets.Burst, all, 2, "in a second: the burst and the rate")
	server.SetAccepting(false)
	b := append(appendRoute(nil, 5), make([]byte, clearBytes+tagBytes)...)
	assert.Empty(t, replies(server, time.Hour, remoteAddr(3), b), "a client that serves nobody answers nothing")
}

// TestPendingResetsAreBounded floods a server that does not send for some seconds.
func TestPendingResetsAreBounded(t *testing.T) {
	server := newHost(t, SimAddr(1), nil)
	b := append(appendRoute(nil, 5), make([]byte, clearBytes+tagBytes)...)
	for i := range 4 * maxResets {
		server.Receive(Time(i)*10*time.Millisecond, remoteAddr(i), b)
		require.LessOrEqual(t, len(server.resets.due), maxResets)
	}
	require.Len(t, server.resets.due, maxResets)
	assert.Len(t, replies(server, time.Minute, remoteAddr(0), nil), maxResets)
	assert.Empty(t, server.resets.due)
}

// TestNewRouteSurvivesLoss loses the first packets to a new address. The client gets its new
// connection id all the same.
func TestNewRouteSurvivesLoss(t *testing.T) {
	server, client, n := playing(t, nil)
	at, before, lost := server.connected[0], client.connected[0].cfg.Route.ID, 0
	n.filter = func(p testDatagram) bool {
		if at.Addr() != movedAddr || p.to.Remote() != movedAddr || lost == 5 {
			return true
		}
		lost++
		return false
	}
	rebind(client)
	n.run(2 * time.Second)
	assert.Equal(t, 5, lost)
	assert.NotEqual(t, before, client.connected[0].cfg.Route.ID)
}

// TestChallengesAmplifyNothing checks that an address that has sent few bytes gets no challenge: at
// most three bytes for each of its own, those of earlier challenges included.
func TestChallengesAmplifyNothing(t *testing.T) {
	server, _, n := playing(t, nil)
	at := server.connected[0]
	challenge := func(received, before int) (size int) {
		at.candidate = addressCandidate{to: movedAddr, challenge: 1, received: received, sent: before, allowed: true, asks: true, next: n.now}
		server.Send(n.now, func(to Addr, b []byte) {
			if to.Remote() == movedAddr {
				size += len(b)
			}
		})
		return size
	}
	size := challenge(100, 0)
	require.Positive(t, size)
	least := (size + amplify - 1) / amplify
	assert.Equal(t, size, challenge(least, 0))
	assert.Zero(t, challenge(least-1, 0))
	assert.Zero(t, challenge(least, amplify))
}
