package netcore

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heads returns the first bytes of the packets to a server since packet from.
func heads(n *testNetwork, server Addr, from int) (all []byte) {
	for _, p := range n.sent[from:] {
		if p.to.Remote() == server {
			all = append(all, p.b[0])
		}
	}
	return all
}

// TestClientsNameShortIDs: packets of a client begin with two bytes of its connection id, also from
// a new address. While the server answers nothing, they name the whole id.
func TestClientsNameShortIDs(t *testing.T) {
	server, client, n := playing(t, nil)
	here := client.connected[0]
	id := here.cfg.Route.ID
	for _, p := range n.sent {
		if p.to.Remote() == server.addr && p.b[0] == packetShort {
			require.Equal(t, []byte{packetShort, byte(id), byte(id >> 8)}, p.b[:shortBytes])
		}
	}
	from := len(n.sent)
	rebind(client)
	n.run(time.Second)
	assert.Equal(t, movedAddr, server.connected[0].Addr())
	assert.NotEqual(t, uint16(id), uint16(here.cfg.Route.ID), "nothing links the packets of two addresses")
	n.filter = func(p testDatagram) bool { return p.to.Remote() != client.addr }
	n.run(wholeIDAfter)
	assert.Equal(t, []byte{packetShort}, slices.Compact(heads(n, server.addr, from)))
	n.run(250 * time.Millisecond)
	from = len(n.sent)
	n.run(time.Second)
	assert.Equal(t, []byte{packetRouted}, slices.Compact(heads(n, server.addr, from)))
	n.filter = nil
	n.run(time.Second)
	from = len(n.sent)
	n.run(time.Second)
	assert.Equal(t, []byte{packetShort}, slices.Compact(heads(n, server.addr, from)))
	assert.Empty(t, append(server.ended, client.ended...))
}

// TestGuessedIDs floods a server with packets that name the connection of a client by its short id,
// from many addresses. Nothing of them is an input. The client moves to another address as fast as
// without them.
func TestGuessedIDs(t *testing.T) {
	for _, attackers := range []int{0, 1, 32, 250} {
		t.Run(fmt.Sprint(attackers), func(t *testing.T) {
			t.Parallel()
			streams := func(c *Config) {
				c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: 64, want: 1 << 30}} }
			}
			server, client := newHost(t, SimAddr(1), streams), newHost(t, remoteAddr(5000), streams)
			n := newTestNetwork(server, client)
			client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
			n.run(time.Second)
			require.Len(t, server.connected, 1)
			at, guess := server.connected[0], appendShortRoute(nil, client.connected[0].cfg.Route.ID)
			guess = append(guess, byte(kindControl), 255) // a number that can be new
			guess = append(guess, make([]byte, tagBytes)...)
			flood := func() {
				for i := range 4 * attackers {
					require.True(t, server.ReceiveStateless(n.now, remoteAddr(i/4), guess))
				}
			}
			for range 40 {
				flood()
				n.step(10 * time.Millisecond)
			}
			client.addr = remoteAddr(5001)
			for range 10 {
				flood()
				n.step(10 * time.Millisecond)
			}
			assert.Equal(t, client.addr, at.Addr())
			assert.Zero(t, at.Stats().Dropped)
			assert.Empty(t, append(server.ended, client.ended...))
		})
	}
}

// TestGuessesAreLimited: an address that has guessed too often gets no further packet opened for a
// while, not even an authentic one. Other addresses do.
func TestGuessesAreLimited(t *testing.T) {
	server, client, n := playing(t, nil)
	var packet []byte
	n.filter = func(p testDatagram) bool {
		if p.to.Remote() == server.addr {
			packet = p.b
		}
		return packet == nil
	}
	n.run(100 * time.Millisecond)
	require.Equal(t, byte(packetShort), packet[0])
	forged := slices.Clone(packet)
	forged[len(forged)-1] ^= 1
	guess := func(from Addr, b []byte) bool { return !server.ReceiveStateless(n.now, from, b) }
	bad, good := remoteAddr(1), remoteAddr(2)
	for range int(guessesByAddress.Burst) {
		require.True(t, guess(bad, packet), "authentic packets are no guesses")
	}
	for range int(guessesByAddress.Burst) {
		require.True(t, guess(bad, packet))
		require.False(t, guess(bad, forged))
	}
	assert.False(t, guess(bad, packet))
	assert.True(t, guess(good, packet))
	for i := range 4 * int(allGuesses.Burst) {
		guess(remoteAddr(10+i%250), forged)
	}
	assert.False(t, guess(bad, packet))
	assert.True(t, guess(remoteAddr(3), packet), "others leave room")
	n.now += time.Second
	assert.True(t, guess(bad, packet))
	assert.True(t, guess(client.addr, forged), "the connection counts what comes from its own address")
	assert.Zero(t, testing.AllocsPerRun(100, func() { guess(bad, forged) }), "a flood makes no garbage")
}

// TestShortIDsAreReused: packets of a connection that has ended at the server reach another one
// with the same short id. They change nothing there, and the old client learns of its end.
func TestShortIDsAreReused(t *testing.T) {
	server, client, n := playing(t, nil)
	other := newHost(t, SimAddr(3), func(c *Config) { c.Streams = server.cfg.Streams })
	n.hosts = append(n.hosts, other)
	other.Connect(n.now, server.addr, ConnectOptions{Trust: trustAll})
	n.run(time.Second)
	require.Len(t, server.connected, 2)
	old, at, here := server.connected[0], server.connected[1], other.connected[0]
	route := client.connected[0].cfg.Route
	old.Fail(Reason{Code: TimedOut})
	n.filter = func(p testDatagram) bool { return p.from != client.addr }
	n.run(100 * time.Millisecond)
	require.Nil(t, server.byID[uint16(route.ID)])

	route.ID ^= 1 << 40
	route.Reset = server.tokens.Token(route.ID)
	entry := server.byAddr[other.addr]
	server.removeRoute(entry, 1)
	server.addRoute(entry, route)
	here.useRoute(route)
	n.filter = nil
	n.run(time.Second)
	require.Len(t, client.ended, 1)
	assert.Equal(t, Forgotten, client.ended[0].Code)
	assert.Empty(t, other.ended)
	assert.Equal(t, other.addr, at.Addr())
	assert.Equal(t, addressCandidate{}, at.candidate)
	assert.Zero(t, at.Stats().Dropped+at.Stats().Forged)
}

// TestShortIDsAreDifferent draws ids while half of the short ones are taken. With more, clients are
// refused, and clients that move keep their ids.
func TestShortIDsAreDifferent(t *testing.T) {
	server, client, n := playing(t, nil)
	at := server.connected[0]
	entry := server.byAddr[at.Addr()]
	for i := 0; len(server.byID) < maxRoutes; i++ {
		if low := uint16(i); server.byID[low] == nil {
			server.byID[low] = &connEntry{routes: [2]uint64{0, uint64(low)}}
		}
	}
	for range 100 {
		require.Nil(t, server.byID[uint16(server.newRoute().ID)])
	}
	before := client.connected[0].cfg.Route.ID
	rebind(client)
	n.run(time.Second)
	assert.Equal(t, movedAddr, at.Addr())
	assert.Equal(t, before, client.connected[0].cfg.Route.ID)
	assert.Same(t, entry, server.byID[uint16(before)])

	late := newHost(t, SimAddr(3), nil)
	n.hosts = append(n.hosts, late)
	late.Connect(n.now, server.addr, ConnectOptions{Trust: trustAll})
	n.run(time.Second)
	require.Len(t, late.failed, 1)
	assert.Equal(t, "the server has no connection id left: try again later", late.failed[0].Text)
}
