package web

import (
	"encoding/binary"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

// openPort opens a port on the loopback.
func openPort(t *testing.T) *rtcPort {
	socket, err := udp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { socket.Close() })
	return newRTCPort(socket)
}

// request returns a STUN request that names a user.
func request(name string) []byte {
	b := binary.BigEndian.AppendUint32([]byte{0, 1, 0, 0}, stunCookie)
	b = append(b, make([]byte, 12)...)
	b = binary.BigEndian.AppendUint16(b, 0x8022) // SOFTWARE
	b = append(b, 0, 3, 'x', 'y', 'z', 0)
	b = binary.BigEndian.AppendUint16(b, stunUser)
	b = binary.BigEndian.AppendUint16(b, uint16(len(name)))
	b = append(b, name...)
	b = append(b, make([]byte, 3-(len(name)+3)%4)...)
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)-stunHead))
	return b
}

// from returns a UDP address of a browser.
func from(ip string, port uint16) netcore.Addr {
	return netcore.UDPAddr(netip.AddrPortFrom(netip.MustParseAddr(ip), port))
}

// gets passes a datagram to a port, and reports whether somebody got it.
func gets(p *rtcPort, at netcore.Addr, b []byte) bool {
	before := p.dropped.Load()
	p.take(udp.NewPacket(at, time.Now(), b))
	return p.dropped.Load() == before
}

// TestOnlyKnownPeersGetDatagrams: a datagram belongs to the peer that it names, or at whose address
// it arrives. All others are dropped.
func TestOnlyKnownPeersGetDatagrams(t *testing.T) {
	p := openPort(t)
	ann, bob := p.open("ann"), p.open("bob")
	at := from("192.0.2.1", 1)
	dtls, response := []byte{22, 1, 2}, request("")
	assert.False(t, gets(p, at, dtls), "nobody is at the address")
	assert.False(t, gets(p, at, response))
	assert.False(t, gets(p, at, request("eve:x")))
	assert.True(t, gets(p, at, request("ann:x")))
	assert.True(t, gets(p, at, dtls))
	assert.True(t, gets(p, at, response))
	assert.Len(t, ann.four.in, 3)
	assert.False(t, gets(p, at, request("bob:x")), "the address belongs to another peer")
	assert.True(t, gets(p, from("2001:db8::1", 1), request("bob:x")))
	assert.Len(t, bob.six.in, 1)
	assert.Empty(t, bob.four.in)
	for _, other := range [][]byte{{4}, {19}, {64}, {128, 1}, {191}, {0, 1, 0, 0}, request("ann:x")[:stunHead-1]} {
		assert.False(t, gets(p, at, other), "%v", other)
	}
	ann.close()
	ann.close()
	assert.False(t, gets(p, at, dtls))
	assert.False(t, gets(p, at, request("ann:x")))
	assert.True(t, gets(p, at, request("bob:x")), "the address is free again")
	bob.close()
	assert.Zero(t, p.size())
}

// TestPathsOfAPeer: 8 addresses of a peer are known. A new one replaces the one that was silent for
// the longest time, whatever arrived from the others.
func TestPathsOfAPeer(t *testing.T) {
	p := openPort(t)
	s := p.open("ann")
	p.open("bob")
	at := func(port int) netcore.Addr { return from("192.0.2.1", uint16(port)) }
	known := func(port int) bool { return gets(p, at(port), []byte{22, 1, 2}) }
	for i := range maxPaths {
		require.True(t, gets(p, at(1+i), request("ann:x")))
	}
	require.True(t, known(1))
	for i := range 3 * maxPaths {
		require.True(t, gets(p, at(100+i), request("ann:x")), "address %d", i)
		require.True(t, known(1), "it sends all the time")
		require.LessOrEqual(t, len(p.byAddr), maxPaths)
		require.Len(t, s.paths, len(p.byAddr))
		for range len(s.four.in) {
			_, _, err := s.four.ReadFrom(make([]byte, 1))
			require.NoError(t, err)
		}
	}
	assert.False(t, known(2))
	assert.True(t, gets(p, at(2), request("bob:x")), "a forgotten address is free")
	s.close()
	assert.Len(t, p.byAddr, 1)
}

// TestFloodOfAPeer: what a peer sends faster than it is handled, or above its rate, is dropped.
func TestFloodOfAPeer(t *testing.T) {
	p := openPort(t)
	s := p.open("ann")
	send := func() bool { return gets(p, from("192.0.2.1", 1), request("ann:x")) }
	n := 0
	for range 2 * maxWaiting {
		if send() {
			n++
		}
	}
	assert.Equal(t, maxWaiting, n)
	s.pace = pace{limit: rate.Limit{PerSecond: 1e-9, Burst: shareBurst}}
	for n = 0; ; n++ {
		_, _, err := s.four.ReadFrom(make([]byte, 1))
		require.NoError(t, err)
		if !send() {
			break
		}
	}
	assert.Equal(t, shareBurst, n)
}

// TestNothingLeavesForStrangers: the agent can only answer the addresses that its peer has sent
// from.
func TestNothingLeavesForStrangers(t *testing.T) {
	p := openPort(t)
	s := p.open("ann")
	peer, stranger := openPort(t).socket, openPort(t).socket
	require.True(t, gets(p, netcore.UDPAddr(peer.Addr()), request("ann:x")))
	for _, to := range []*udp.Socket{stranger, peer} {
		n, err := s.four.WriteTo([]byte{0xC0, 1}, net.UDPAddrFromAddrPort(to.Addr()))
		require.NoError(t, err)
		assert.Equal(t, 2, n)
	}
	packet := <-peer.Packets()
	assert.Equal(t, []byte{0xC0, 1}, packet.Bytes())
	assert.Empty(t, stranger.Packets())
}

// TestStunNames: no request makes the reader fail.
func TestStunNames(t *testing.T) {
	good := request("ann:x")
	assert.Equal(t, "ann", string(stunName(good)))
	for n := stunHead; n < len(good); n++ {
		assert.NotPanics(t, func() { stunName(good[:n]) })
	}
	bad := append([]byte(nil), good...)
	bad[stunHead+2] = 0xFF // longer than the request
	assert.Empty(t, stunName(bad))
	assert.Empty(t, stunName(request("")))
}

// TestStrayDatagramsCostNothing covers a flood that belongs to nobody.
func TestStrayDatagramsCostNothing(t *testing.T) {
	p := openPort(t)
	b, at := request("eve:x"), from("192.0.2.1", 1)
	assert.Zero(t, testing.AllocsPerRun(1000, func() { p.take(udp.NewPacket(at, time.Time{}, b)) }))
}
