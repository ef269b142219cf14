package netcore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/seal"
)

// remoteAddr returns the n-th of many addresses that are not loopback.
func remoteAddr(n int) Addr {
	a := Addr{Kind: AddrUDP, Port: uint16(n>>16) + 1}
	copy(a.IP[:], "\x20\x01")
	binary.BigEndian.PutUint32(a.IP[2:], uint32(n)) // a separate /48 for each
	return a
}

// replies returns the datagrams that an endpoint sends immediately after it receives b.
func replies(h *host, now Time, from Addr, b []byte) (out [][]byte) {
	h.Receive(now, from, b)
	h.Tick(now)
	h.Send(now, func(_ Addr, b []byte) { out = append(out, bytes.Clone(b)) })
	return out
}

// TestAnswersToUnprovenAddresses tries every first byte and many sizes. From an unproven address
// the endpoint answers only the challenge and the introduction of an unknown session, once, and
// with no more bytes than it received.
func TestAnswersToUnprovenAddresses(t *testing.T) {
	server := newHost(t, SimAddr(1), nil)
	rng := rand.New(rand.NewPCG(1, 1))
	from := remoteAddr(1)
	answered := 0
	for kind := range 256 {
		for size := 1; size <= MaxDatagram; size += 1 + size/16 {
			for _, fill := range []byte{0, 0xff, 1} {
				b := bytes.Repeat([]byte{fill}, size)
				if fill == 1 {
					for i := range b {
						b[i] = byte(rng.Uint32())
					}
				}
				b[0] = byte(kind)
				got := replies(server, 0, from, b)
				switch {
				case kind == packetIntroduction && size > introductionHead+tagBytes:
					require.Len(t, got, 1)
					require.Len(t, got[0], sessionUnknownSize)
					continue
				case kind == packetRouted && size >= routeBytes+clearBytes+tagBytes:
					for _, b := range got { // at a limited rate
						require.Len(t, b, resetSize)
					}
					continue
				}
				require.Empty(t, got, "first byte %d, size %d", kind, size)
			}
		}
		b := appendChallengeRequest(nil, seal.Nonce{byte(kind)})
		b[0] = byte(kind)
		got := replies(server, 0, from, b)
		if kind == packetRouted {
			continue // resets have a limit
		}
		if kind == packetChallengeRequest || kind == packetIntroduction {
			require.Len(t, got, 1)
			require.LessOrEqual(t, len(got[0]), len(b))
			answered++
			continue
		}
		require.Empty(t, got, "first byte %d", kind)
	}
	assert.Equal(t, 2, answered)
	assert.LessOrEqual(t, challengeResponseSize, challengeRequestSize)
	for cut := range challengeRequestSize {
		assert.Empty(t, replies(server, 0, from, appendChallengeRequest(nil, seal.Nonce{})[:cut]))
	}
	assert.Empty(t, replies(server, 0, from, append(appendChallengeRequest(nil, seal.Nonce{}), 0)))
}

// TestOtherGamesGetNoAnswer checks that a server answers no question of other games, and no request
// that lacks the magic or differs from it in one letter. Otherwise lists of servers and scanners
// would get answers.
func TestOtherGamesGetNoAnswer(t *testing.T) {
	server := newHost(t, SimAddr(1), nil)
	request := appendChallengeRequest(nil, seal.Nonce{})
	for _, text := range []string{
		"\xff\xff\xff\xffTSource Engine Query\x00", "\xff\xff\xff\xffU\xff\xff\xff\xff", "\xff\xff\xff\xffgetinfo xxx", "\xff\xff\xff\xffgetstatus\n",
		"\xff\xff\xff\xffgetchallenge", "\xff\xff\xff\xffrcon x status", `\status\`, `\heartbeat\28000\gamename\torc`, "\xfe\xfd\x00\x00\x00\x00\x01\xff\xff\xff",
		"\x0e\x00\x01\x02\x03\x04", "SAMP\x7f\x00\x00\x01aai", "M-SEARCH * HTTP/1.1\r\n\r\n",
	} {
		assert.Empty(t, replies(server, 0, remoteAddr(1), []byte(text)), "%q", text)
		padded := append([]byte(text), make([]byte, challengeRequestSize)...)[:challengeRequestSize]
		assert.Empty(t, replies(server, 0, remoteAddr(1), padded), "%q, of the size of a request", text)
	}
	for i := range handshakeMagic {
		other := bytes.Clone(request)
		other[17+i] ^= 1
		assert.Empty(t, replies(server, 0, remoteAddr(1), other), "letter %d of the magic", i)
	}
	assert.Len(t, replies(server, 0, remoteAddr(1), request), 1)
}

// captureHandshake runs a handshake and returns its six packets.
func captureHandshake(t testing.TB) (server, client *host, packets [6]testDatagram) {
	server, client, n := twoHosts(t, nil)
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(200 * time.Millisecond)
	require.Len(t, client.connected, 1)
	for i := range packets {
		packets[i] = n.first(t, packetChallengeRequest+byte(i)<<2)
	}
	return server, client, packets
}

// TestHandshakeDamage replaces each handshake packet by all of its truncations and all copies with
// one bit flipped. None of them makes or ends a connection. With the original packet the handshake
// continues.
func TestHandshakeDamage(t *testing.T) {
	for stage := range 6 {
		kind := packetChallengeRequest + byte(stage)<<2
		server, client, n := twoHosts(t, nil)
		damaged := false
		n.filter = func(p testDatagram) bool {
			if p.b[0] != kind || damaged {
				return true
			}
			damaged = true
			for cut := range p.b {
				n.enqueue(p.from, p.to, p.b[:cut])
			}
			if stage != 0 { // a request with a flipped nonce is just another valid request
				for bit := range len(p.b) * 8 {
					b := bytes.Clone(p.b)
					b[bit/8] ^= 1 << (bit % 8)
					n.enqueue(p.from, p.to, b)
				}
			}
			n.enqueue(p.from, p.to, append(bytes.Clone(p.b), 0))
			return false // the original is lost, and repeated later
		}
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		for n.now < time.Second && !damaged {
			n.run(8 * time.Millisecond)
		}
		require.True(t, damaged)
		n.run(48 * time.Millisecond) // less than until the repetition
		assert.Empty(t, client.connected, "stage %d", stage)
		if stage < 5 {
			assert.Empty(t, server.requests, "stage %d", stage)
		}
		n.run(4 * time.Second)
		assert.Empty(t, client.failed, "stage %d", stage)
		assert.Len(t, client.connected, 1, "stage %d", stage)
		assert.Len(t, server.connected, 1, "stage %d", stage)
	}
}

// TestHandshakeReplay replays a recorded handshake at every age of its cookie: to the same server,
// after the end of the connection, from another address, and to another server. No connection is
// made, and the existing connection continues.
func TestHandshakeReplay(t *testing.T) {
	server, client, packets := captureHandshake(t)
	n := newTestNetwork(server, client)
	n.now = 200 * time.Millisecond
	again := func(h *host, from Addr) {
		for _, p := range packets {
			h.Receive(n.now, from, p.b)
		}
	}
	for range 90 { // seconds
		again(server, client.addr)
		again(server, SimAddr(9))
		again(client, server.addr)
		n.run(time.Second)
	}
	assert.Len(t, server.requests, 1)
	assert.Len(t, server.Conns(), 1)
	assert.Empty(t, append(server.ended, client.ended...))

	server, client, packets = captureHandshake(t)
	n = newTestNetwork(server, client)
	n.now = 200 * time.Millisecond
	client.Close(n.now, Reason{})
	n.run(3 * time.Second)
	require.Empty(t, server.Conns())
	for range 70 {
		again(server, client.addr)
		require.Empty(t, server.waiting, "a spent cookie costs no arithmetic")
		n.run(time.Second)
		require.Empty(t, server.Conns(), "at %v", n.now)
	}
	other := newHost(t, SimAddr(3), func(c *Config) { c.Identity = server.cfg.Identity })
	n = newTestNetwork(other)
	again(other, client.addr)
	n.run(time.Second)
	assert.Empty(t, other.requests, "a server started anew has another secret")
}

// TestReplacement checks that a new handshake from a known address ends the old session only after
// it is verified.
func TestReplacement(t *testing.T) {
	server, client, packets := captureHandshake(t)
	nonce := seal.Nonce{9}
	got := replies(server, time.Second, client.addr, appendChallengeRequest(nil, nonce))
	at := len(got) - 1
	for i, b := range got {
		if b[0] == packetChallengeResponse {
			at = i
		}
	}
	puzzle, _, ok := parseChallengeResponse(got[at])
	require.True(t, ok)
	forged := appendConnectRequestHead(nil, puzzle, 0) // a valid cookie, but no keys
	forged = append(forged, packets[2].b[connectRequestHead:]...)
	replies(server, time.Second, client.addr, forged)
	assert.Empty(t, server.ended, "a proven address alone replaces nothing")

	anew := newHost(t, client.addr, func(c *Config) { c.Entropy = seededEntropy(5) }) // restarted
	n := newTestNetwork(server, anew)
	n.now = time.Second
	anew.Connect(n.now, server.addr, ConnectOptions{Trust: trustAll})
	n.run(time.Second)
	assert.Equal(t, []Reason{{Code: Replaced}}, server.ended)
	require.Len(t, anew.connected, 1)
	assert.Equal(t, []*Conn{server.connected[1]}, server.Conns())
	assert.Equal(t, uint32(2), server.connected[1].ID())
	n.run(5 * time.Second)
	assert.Empty(t, anew.ended)
}

// TestServerRestart checks a client in the request stage. A restart of the server invalidates the
// client's cookie, so the client asks for another.
func TestServerRestart(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	n.filter = func(p testDatagram) bool { return p.b[0] != packetConnectRequest || n.now > time.Second }
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(900 * time.Millisecond)
	again := newHost(t, server.addr, func(c *Config) { c.Entropy = seededEntropy(5) })
	n.hosts[0] = again
	n.run(10 * time.Second)
	assert.Len(t, client.connected, 1)
	assert.Len(t, again.connected, 1)
}

// TestMutualDial checks that two hosts that dial each other get one connection.
func TestMutualDial(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 6))
		a, b, n := twoHosts(t, nil)
		n.delay = func() Time { return Time(1+rng.IntN(100)) * time.Millisecond }
		a.Connect(0, b.addr, ConnectOptions{Trust: trustAll})
		b.Connect(Time(rng.IntN(50))*time.Millisecond, a.addr, ConnectOptions{Trust: trustAll})
		n.run(8 * time.Second)
		require.Len(t, a.Conns(), 1, "seed %d", seed)
		require.Len(t, b.Conns(), 1, "seed %d", seed)
		require.NotEqual(t, a.Conns()[0].Initiator(), b.Conns()[0].Initiator(), "seed %d", seed)
	}
}

// TestMutualDialDuringTheDecision: also a host that dials while it decides on the other's
// introduction gets one connection.
func TestMutualDialDuringTheDecision(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 6))
		a, b, n := twoHosts(t, nil)
		for _, h := range []*host{a, b} {
			ready := Time(rng.IntN(1500)) * ms
			h.decide = func(r *ConnectRequest) string {
				r.Later = n.now < ready
				return ""
			}
		}
		n.delay = func() Time { return Time(1+rng.IntN(100)) * ms }
		a.Connect(0, b.addr, ConnectOptions{Trust: trustAll})
		n.run(Time(rng.IntN(500)) * ms)
		if len(b.Conns()) == 0 {
			b.Connect(n.now, a.addr, ConnectOptions{Trust: trustAll})
		}
		n.run(8 * time.Second)
		require.Len(t, a.Conns(), 1, "seed %d", seed)
		require.Len(t, b.Conns(), 1, "seed %d", seed)
		require.NotEqual(t, a.Conns()[0].Initiator(), b.Conns()[0].Initiator(), "seed %d", seed)
	}
}

// TestFloodFromForgedAddresses sends challenge and connect requests from 100,000 forged addresses.
// They leave no state behind, and an honest client can connect meanwhile.
func TestFloodFromForgedAddresses(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	request := appendChallengeRequest(nil, seal.Nonce{1})
	connect := append(appendConnectRequestHead(nil, seal.Puzzle{Nonce: seal.Nonce{1}, Cookie: seal.Cookie{2}}, 0), make([]byte, 300)...)
	sink := func(Addr, []byte) {}
	flood := func(from, to int) {
		for i := from; i < to; i++ {
			server.Receive(n.now, remoteAddr(i), request)
			server.Receive(n.now, remoteAddr(i), connect)
		}
	}
	flood(0, 2*maxChallenges) // warm up
	server.Send(n.now, sink)
	before := heapInUse()
	for i := range 100 {
		flood(i*1000, (i+1)*1000)
		n.step(10 * time.Millisecond)
	}
	n.sent, n.queued = nil, nil
	assert.Less(t, heapInUse(), before+1<<20)
	assert.Len(t, server.byAddr, 1, "the honest client's")
	assert.Zero(t, server.addressLimiter.addresses.Len())
	assert.Empty(t, server.waiting)
	assert.Empty(t, server.halfOpen.byAddr)
	assert.Len(t, client.connected, 1)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		flood(0, 10)
		server.Send(n.now, sink)
	}))
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// connectRequestFrom does the client's part of a handshake up to its connect request.
func connectRequestFrom(t testing.TB, server *host, now Time, from Addr, seed uint64) []byte {
	return connectRequestOf(t, server, now, from, newStranger(seed), seed)
}

// connectRequestOf is connectRequestFrom for a client with a key. The nonce follows from seed.
func connectRequestOf(t testing.TB, server *host, now Time, from Addr, client stranger, seed uint64) []byte {
	var p seal.Puzzle
	_, err := io.ReadFull(seededEntropy(seed), p.Nonce[:])
	require.NoError(t, err)
	p.Cookie = server.cookies.Make(now, server.addressBytes(from), p.Nonce, 0)
	payload, err := packGreeting(&greeting{Version: ProtocolVersion, Game: "test", Classes: 7})
	require.NoError(t, err)
	return client.request(t, server.cfg.Identity.Public, p, payload)
}

func TestAddressLimits(t *testing.T) {
	sink := func(Addr, []byte) {}
	ask := func(server *host, now Time, from Addr, seed int) {
		server.Receive(now, from, connectRequestFrom(t, server, now, from, uint64(seed)))
	}
	t.Run("unheard by address", func(t *testing.T) {
		server := newHost(t, SimAddr(1), nil)
		for i := range 10 {
			from := remoteAddr(1)
			from.Port += uint16(i)
			ask(server, 0, from, i)
		}
		assert.Len(t, server.waiting, defaultHalfOpenByAddress)
		server.Send(0, sink)
		assert.Len(t, server.halfOpen.byAddr, defaultHalfOpenByAddress, "they have not spoken")
		from := remoteAddr(1)
		from.Port = 999
		ask(server, time.Second, from, 99)
		assert.Empty(t, server.waiting)
		for now := Time(0); now <= speakTime; now += longestTick {
			server.Tick(now)
		}
		assert.Empty(t, server.halfOpen.byAddr, "those who do not speak go")
		assert.Empty(t, server.halfOpen.counts)
		ask(server, speakTime, from, 99)
		assert.Len(t, server.waiting, 1)
		assert.Empty(t, server.requests, "nobody was asked about them")
	})
	t.Run("unheard by site", func(t *testing.T) {
		server := newHost(t, SimAddr(1), nil)
		for i := range 40 {
			from := remoteAddr(1)
			from.IP[7] = byte(i) // another /64 of one /48
			ask(server, 0, from, i)
		}
		assert.Len(t, server.waiting, 32)
	})
	t.Run("neighbours of a site", func(t *testing.T) {
		server := newHost(t, SimAddr(1), func(c *Config) { c.Limits.HalfOpenByAddress = 1000 })
		greedy, other := remoteAddr(1), remoteAddr(1)
		other.IP[7] = 9
		for i := range 60 {
			ask(server, 0, greedy, i)
		}
		assert.Len(t, server.waiting, 10)
		ask(server, 0, other, 99)
		assert.Len(t, server.waiting, 11, "the requests above its own limit use nothing of the site's")
	})
	t.Run("full queue", func(t *testing.T) {
		server := newHost(t, SimAddr(1), nil)
		for i := range maxWaiting {
			ask(server, 0, remoteAddr(i), i)
		}
		for i := range 20 {
			ask(server, 0, remoteAddr(maxWaiting), maxWaiting+i)
		}
		require.Len(t, server.waiting, maxWaiting)
		server.Send(0, sink)
		server.difficulty.level = 0
		left := len(server.waiting)
		ask(server, 0, remoteAddr(maxWaiting), 999)
		assert.Len(t, server.waiting, left+1, "requests dropped from a full queue do not count")
	})
	t.Run("unheard in all", func(t *testing.T) {
		assert.Equal(t, defaultHalfOpen, Limits{}.withDefaults().HalfOpen)
		server := newHost(t, SimAddr(1), func(c *Config) { c.Limits.HalfOpen = 64 })
		for i := range 80 {
			ask(server, 0, remoteAddr(i), i)
			server.Send(Time(i)*ms, sink)
			server.difficulty.level = 0
		}
		assert.Len(t, server.halfOpen.byAddr, 64)
		for i := range 80 {
			assert.Equal(t, i >= 16, server.halfOpen.byAddr[remoteAddr(i)] != nil, "the oldest make room")
		}
		assert.Len(t, server.halfOpen.counts, 2*64)
	})
	t.Run("per second by address", func(t *testing.T) {
		server := newHost(t, SimAddr(1), func(c *Config) { c.Limits.HalfOpenByAddress = 1000 })
		for i := range 60 {
			now := Time(i) * 50 * time.Millisecond // 20 per second for 3 seconds
			ask(server, now, remoteAddr(1), i)
		}
		assert.InDelta(t, 10+30, len(server.waiting), 1)
	})
	t.Run("connections by address", func(t *testing.T) {
		for _, row := range []struct {
			from Addr
			want int
		}{{remoteAddr(1), defaultConnections}, {SimAddr(100), 12}} {
			server := newHost(t, SimAddr(1), func(c *Config) { c.Limits.HalfOpenByAddress, c.Limits.RateByAddress = 1000, 1000 })
			n := newTestNetwork(server)
			for i := range 12 {
				from := row.from
				from.Port += uint16(i)
				client := newHost(t, from, nil)
				n.hosts = append(n.hosts, client)
				client.Connect(n.now, server.addr, ConnectOptions{Trust: trustAll})
				n.run(200 * time.Millisecond)
				if i >= row.want {
					assert.Equal(t, []Reason{{Refused, "too many connections from this address (8): the operator can raise sv.addressLimit"}}, client.failed)
				}
			}
			assert.Len(t, server.Conns(), row.want)
			again := newHost(t, row.from, func(c *Config) { c.Entropy = seededEntropy(5) })
			n.hosts[1] = again
			again.Connect(n.now, server.addr, ConnectOptions{Trust: trustAll})
			n.run(time.Second)
			assert.Len(t, again.connected, 1, "what is replaced does not count")
		}
	})
	t.Run("more connections of an address", func(t *testing.T) {
		school := netip.MustParsePrefix("2001:db8:1::/48")
		for _, row := range []struct {
			limits      Limits
			unheard     int
			connections int
			rate        float64
		}{
			{Limits{}, 8, 8, 10},
			{Limits{Connections: 16}, 16, 16, 20},
			{Limits{Connections: 3}, 8, 3, 10},
			{Limits{Connections: 16, HalfOpenByAddress: 5, RateByAddress: 7}, 5, 16, 7},
		} {
			l := row.limits.withDefaults()
			assert.Equal(t, row.unheard, l.HalfOpenByAddress)
			assert.Equal(t, row.connections, l.Connections)
			assert.InDelta(t, row.rate, l.RateByAddress, 0)
			server := newHost(t, SimAddr(1), func(c *Config) { c.Limits = row.limits })
			for _, allowed := range []bool{false, true} {
				server.SetLimits(row.limits) // while it runs
				if allowed {
					row.limits.Allow = []netip.Prefix{school}
					server.SetLimits(row.limits)
				}
				server.waiting = nil
				clear(server.halfOpen.counts)
				for port := range uint16(40) {
					ask(server, time.Minute, UDPAddr(netip.AddrPortFrom(school.Addr(), 1000+port)), int(port))
				}
				assert.Len(t, server.waiting, map[bool]int{false: row.unheard, true: 40}[allowed])
			}
		}
		l := Limits{Allow: []netip.Prefix{school, netip.MustParsePrefix("192.0.2.7/32")}}
		for address, want := range map[string]bool{"2001:db8:1:9::1": true, "2001:db8:2::1": false, "192.0.2.7": true, "::ffff:192.0.2.7": true, "192.0.2.8": false} {
			ip := netip.MustParseAddr(address)
			assert.Equal(t, want, l.Exempt(UDPAddr(netip.AddrPortFrom(ip, 1))), address)
			assert.Equal(t, want, l.Exempt(WebAddr(ip, 1)), "a browser at %s", address)
		}
	})
	t.Run("loopback", func(t *testing.T) {
		for _, on := range []bool{false, true} {
			server := newHost(t, SimAddr(1), func(c *Config) { c.Limits.Loopback = on })
			askFrom := func(n int, address string) {
				for port := range uint16(12) {
					ask(server, 0, UDPAddr(netip.AddrPortFrom(netip.MustParseAddr(address), 1000+port)), n<<8+int(port))
				}
			}
			askFrom(1, "127.0.0.1")
			askFrom(2, "127.0.0.2")
			askFrom(3, "::1")
			assert.Len(t, server.waiting, map[bool]int{false: 36, true: 24}[on], "each address counts by itself")
			server.limits.Connections = 0
			assert.Equal(t, on, server.atConnectionLimit(UDPAddr(netip.MustParseAddrPort("127.9.9.9:1")), seal.Key{}))
			assert.False(t, server.atConnectionLimit(LocalAddr(7), seal.Key{}), "a client in the process has no address")
		}
	})
	t.Run("budget of arithmetic", func(t *testing.T) {
		server := newHost(t, SimAddr(1), func(c *Config) { c.Limits.Rate = 100 })
		for i := range 64 {
			ask(server, 0, remoteAddr(i), i)
		}
		server.Send(0, sink)
		assert.Len(t, server.halfOpen.byAddr, 6)
		assert.Equal(t, Time(0), server.Due(0))
		server.Send(100*time.Millisecond, sink)
		assert.Len(t, server.halfOpen.byAddr, 12, "no more than the burst")
	})
}

func TestChallengeRingKeepsNewest(t *testing.T) {
	var r challengeRing
	for i := range 3 * maxChallenges {
		r.push(challenge{from: remoteAddr(i)})
	}
	for i := range maxChallenges {
		c, ok := r.pop()
		require.True(t, ok)
		require.Equal(t, remoteAddr(2*maxChallenges+i), c.from)
	}
	_, ok := r.pop()
	assert.False(t, ok)
}

func TestAddressLimiterIsBounded(t *testing.T) {
	var l AddressLimiter
	for i := range 3 * limiterSize {
		l.take(0, remoteAddr(i), 10)
	}
	assert.LessOrEqual(t, l.addresses.Len(), 2*limiterSize)
	assert.True(t, l.take(0, remoteAddr(3*limiterSize), 10), "many addresses keep out nobody")
	for range 20 {
		l.take(0, remoteAddr(3*limiterSize), 10)
	}
	assert.False(t, l.take(0, remoteAddr(3*limiterSize), 10))
}

// TestFloodOfAddressesForgetsNobody checks that an address that has used up its requests must wait,
// also when many other addresses have filled a generation of the limiter.
func TestFloodOfAddressesForgetsNobody(t *testing.T) {
	var l AddressLimiter
	for range 10 {
		require.True(t, l.Admit(0, remoteAddr(0), 10))
	}
	for i := 1; l.addresses.Len() <= limiterSize; i++ {
		l.Admit(0, remoteAddr(i), 10)
	}
	assert.False(t, l.Admit(0, remoteAddr(0), 10))
}

func TestPayloadsTruncated(t *testing.T) {
	g := greeting{Version: 1, Game: "g", Classes: 3}
	b, err := packGreeting(&g)
	require.NoError(t, err)
	read, err := unpackGreeting(b, 1)
	require.NoError(t, err)
	assert.Equal(t, g, read)
	for cut := range b {
		_, err := unpackGreeting(b[:cut], 1)
		assert.Error(t, err, "cut to %d", cut)
	}
	_, err = unpackGreeting(append(b, 0), 1)
	assert.Error(t, err)
	foreign, err := unpackGreeting(append([]byte{2, 0, 0, 0}, 0xff, 0xff), 1)
	assert.NoError(t, err, "of another version only the number is read")
	assert.Equal(t, greeting{Version: 2}, foreign)

	o := introduction{Name: "n", Password: "p", Args: []string{"a", "b"}, Rate: Rate{20, 300}, Check: true, Roles: 9, Language: "zh-Hant-TW"}
	b, err = packIntroduction(&o)
	require.NoError(t, err)
	player, err := unpackIntroduction(b, false)
	require.NoError(t, err)
	assert.Equal(t, o, player)
	for cut := range b {
		_, err := unpackIntroduction(b[:cut], false)
		assert.Error(t, err, "cut to %d", cut)
	}
	_, err = unpackIntroduction(append(b, 0), false)
	assert.Error(t, err)
}

// FuzzEndpoint feeds arbitrary datagrams to an endpoint that serves and dials at once. It must not
// panic or connect, and its answers must stay small.
func FuzzEndpoint(f *testing.F) {
	_, _, packets := captureHandshake(f)
	for _, p := range packets {
		f.Add(p.b)
	}
	f.Add([]byte{0})
	h := newHost(f, SimAddr(3), nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		h.Connect(0, SimAddr(4), ConnectOptions{Trust: trustAll})
		h.Send(0, func(Addr, []byte) {})
		for _, got := range replies(h, 0, SimAddr(4), b) {
			require.LessOrEqual(t, len(got), len(b))
		}
		require.Empty(t, h.Conns())
		require.Empty(t, h.byAddr)
	})
}

func FuzzPayloads(f *testing.F) {
	g, err := packGreeting(&greeting{Version: 1, Game: "g"})
	require.NoError(f, err)
	o, err := packIntroduction(&introduction{Name: "n", Args: []string{"a"}})
	require.NoError(f, err)
	f.Add(g)
	f.Add(o)
	f.Fuzz(func(t *testing.T, b []byte) {
		if g, err := unpackGreeting(b, 1); err == nil && g.Version == 1 {
			again, err := packGreeting(&g)
			require.NoError(t, err)
			read, err := unpackGreeting(again, 1)
			require.NoError(t, err)
			require.Equal(t, g, read)
		}
		if o, err := unpackIntroduction(b, false); err == nil {
			again, err := packIntroduction(&o)
			require.NoError(t, err)
			read, err := unpackIntroduction(again, false)
			require.NoError(t, err)
			require.Equal(t, o, read)
		}
		if o, err := unpackIntroduction(b, true); err == nil {
			again, err := packIntroduction(&o)
			require.NoError(t, err)
			read, err := unpackIntroduction(again, true)
			require.NoError(t, err)
			require.Equal(t, o, read)
		}
		_, _ = unpackGreetingVerdict(b)
		_, _ = unpackVerdict(b)
	})
}

// BenchmarkHandshake measures a whole handshake with both ends on one core: X25519 eight times, and
// two keys generated.
func BenchmarkHandshake(b *testing.B) {
	server, client, n := twoHosts(b, func(c *Config) { c.Limits.Rate = 1e9 })
	n.delay = func() Time { return 0 }
	for i := range b.N {
		client.Connect(n.now, server.addr, ConnectOptions{Trust: trustAll})
		for len(client.connected) == i {
			n.step(time.Millisecond)
		}
		n.sent = nil
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "handshakes/s")
}

func BenchmarkChallenge(b *testing.B) {
	server := newHost(b, SimAddr(1), nil)
	request := appendChallengeRequest(nil, seal.Nonce{1})
	b.ReportAllocs()
	for i := range b.N {
		server.Receive(0, remoteAddr(i), request)
		server.Send(0, func(Addr, []byte) {})
	}
}

func ExampleEndpoint() {
	identity := func(seed uint64) seal.KeyPair {
		id, _ := seal.NewIdentity(seededEntropy(seed))
		return id
	}
	server := NewEndpoint(Config{Identity: identity(1), Entropy: seededEntropy(2), Accepting: true})
	client := NewEndpoint(Config{
		Identity: identity(3), Entropy: seededEntropy(4),
		Connected: func(c *Conn, _ []byte) { fmt.Println("connected to", c.Addr()) },
	})
	pipe := NewPipe(1, 2) // instead of a socket
	client.Connect(0, pipe.A().Addr(), ConnectOptions{
		Trust: func(_ Addr, key seal.Key) error { fmt.Println("key", key.Fingerprint()); return nil },
	})
	for now := Time(0); now < time.Second; now += 32 * time.Millisecond {
		client.Send(now, pipe.B().Write)
		pipe.A().Drain(func(from Addr, b []byte) { server.Receive(now, from, b) })
		server.Tick(now)
		server.Send(now, pipe.A().Write)
		pipe.B().Drain(func(from Addr, b []byte) { client.Receive(now, from, b) })
		client.Tick(now)
	}
	// Output:
	// key 2nhj-r5ju-7snm-hpin
	// connected to local:1
}

// TestHandshakesSurviveFloods: 1, 32 and 250 addresses ask for more connections than they can have,
// and say nothing more. The clients of other addresses get their key exchange within a second, and
// keep their session for another.
func TestHandshakesSurviveFloods(t *testing.T) {
	for _, n := range testenv.Crowds {
		server, sink := newHost(t, SimAddr(1), nil), func(Addr, []byte) {}
		seed := uint64(0)
		ask := func(now Time, from Addr) {
			seed++
			ip := from.AddrPort().Addr().As4()
			client := newStranger(uint64(binary.BigEndian.Uint32(ip[:])))
			server.Receive(now, from, connectRequestOf(t, server, now, from, client, seed))
		}
		type client struct {
			from Addr
			at   Time
		}
		var honest []client
		for tick := range testenv.Length(75, 120) {
			now := Time(tick) * 32 * ms
			for i := range 16 { // 500 a second
				ip := netip.AddrFrom4([4]byte{10, 0, 0, byte((16*tick + i) % n)})
				ask(now, UDPAddr(netip.AddrPortFrom(ip, uint16(1+tick))))
			}
			if tick%25 == 9 {
				ip := netip.AddrFrom4([4]byte{192, 0, 2, byte(tick)})
				honest = append(honest, client{UDPAddr(netip.AddrPortFrom(ip, 1)), now})
			}
			for _, c := range honest {
				s := server.halfOpen.byAddr[c.from]
				switch age := now - c.at; {
				case s == nil && age < time.Second && age%(320*ms) == 0: // a client repeats its request
					ask(now, c.from)
				case age >= time.Second && age < 2*time.Second:
					assert.NotNil(t, s, "%d addresses, client at %v", n, c.at)
				}
			}
			server.Tick(now)
			server.Send(now, sink)
			server.difficulty.level = 0
		}
		assert.NotEmpty(t, honest)
	}
}

// TestHandshakeRetries loses each packet of a handshake, on a line with a round-trip time of 40 ms.
// The client repeats its own after 1.5 round-trip times and 60 ms for the server, as soon as it
// knows that time from the challenge. Before, it waits 250 ms. The packets of a caller that expects
// a round-trip time have copies after 20 and 40 ms, so two lost packets cost no more. Nor do those
// of a repetition.
func TestHandshakeRetries(t *testing.T) {
	join := func(stage, lost int, expected Time) Time {
		server, client, n := twoHosts(t, nil)
		n.filter = func(p testDatagram) bool {
			loses := lost > 0 && p.b[0] == packetChallengeRequest+byte(stage)<<2
			if loses {
				lost--
			}
			return !loses
		}
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll, RTT: expected})
		for len(client.connected) == 0 && n.now < 2*time.Second {
			n.run(10 * ms)
		}
		require.Len(t, client.connected, 1)
		return n.now
	}
	whole := join(0, 0, 0)
	const unknown, known, copied = 250 * ms, 120 * ms, 20 * ms
	for _, x := range []struct {
		expected           Time
		lost               int
		challenge, further Time // what the lost packets cost
	}{
		{expected: 0, lost: 1, challenge: unknown, further: known},
		{expected: -time.Second, lost: 1, challenge: unknown, further: known},
		{expected: 40 * ms, lost: 1, challenge: copied, further: copied},
		{expected: time.Second, lost: 1, challenge: copied, further: copied},
		{expected: 40 * ms, lost: 2, challenge: 2 * copied, further: 2 * copied},
		{expected: time.Second, lost: 2, challenge: 2 * copied, further: 2 * copied},
		{expected: 40 * ms, lost: 3, challenge: 2*copied + known, further: 2*copied + known},
		{expected: time.Second, lost: 3, challenge: 2*copied + unknown, further: 2*copied + known},
		{expected: 40 * ms, lost: 5, challenge: 4*copied + known, further: 4*copied + known},
	} {
		for stage, want := range []Time{x.challenge, x.challenge, x.further, x.further, x.further, x.further} {
			assert.InDelta(t, want, join(stage, x.lost, x.expected)-whole, float64(10*ms), "stage %d, %+v", stage, x)
		}
	}
	assert.Equal(t, whole, join(0, 0, time.Second))
}
