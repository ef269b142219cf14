package rendezvous

import (
	crypto "crypto/rand"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

var meetingPoint = udp("203.0.113.1:28000")

func newIdentity(t testing.TB) seal.KeyPair {
	id, err := seal.NewIdentity(crypto.Reader)
	require.NoError(t, err)
	return id
}

// scene is a rendezvous, a server and a client, each behind its router.
type scene struct {
	*internet
	service      *Service
	registration *Registration
	lookup       *Lookup
	key          seal.Key
	joined       *netcore.Conn
	failed       *netcore.Reason
}

func newScene(t testing.TB, server, client natKind, loss float64) *scene {
	s := &scene{internet: &internet{loss: loss, random: rand.New(rand.NewPCG(1, 2))}, service: NewService(crypto.Reader)}
	r := s.add(noNAT, meetingPoint.String(), "")
	r.receive = func(now netcore.Time, from netcore.Addr, b []byte) { s.service.Receive(now, from, b, s.out(r)) }
	s.addServer(t, server)
	s.addClient(t, client)
	return s
}

// addServer adds a server with the endpoint of netcore.
func (s *scene) addServer(t testing.TB, kind natKind) {
	id := newIdentity(t)
	s.key = id.Public
	e := netcore.NewEndpoint(netcore.Config{Identity: id, Entropy: crypto.Reader, Accepting: true})
	inside := map[bool]string{true: "203.0.113.2:28000", false: "10.0.1.2:28000"}[kind == noNAT]
	h := s.add(kind, inside, "203.0.113.2")
	s.registration = NewRegistration(0, crypto.Reader, id, meetingPoint)
	h.receive = func(now netcore.Time, from netcore.Addr, b []byte) {
		if Is(b) {
			s.registration.Receive(now, from, b)
			return
		}
		e.Receive(now, from, b)
	}
	h.tick = func(now netcore.Time, out func(netcore.Addr, []byte)) {
		s.registration.Send(now, out)
		e.Tick(now)
		e.Send(now, out)
	}
}

// addClient adds a client that joins as soon as the server is registered.
func (s *scene) addClient(t testing.TB, kind natKind) {
	e := netcore.NewEndpoint(netcore.Config{
		Identity: newIdentity(t), Entropy: crypto.Reader,
		Connected: func(c *netcore.Conn, _ []byte) { s.joined = c },
		Failed:    func(_ *netcore.Pending, r netcore.Reason) { s.failed = &r },
	})
	inside := map[bool]string{true: "203.0.113.3:40000", false: "10.0.2.2:40000"}[kind == noNAT]
	h := s.add(kind, inside, "203.0.113.3")
	h.receive = func(now netcore.Time, from netcore.Addr, b []byte) {
		if Is(b) && s.lookup != nil {
			s.lookup.Receive(now, from, b)
			return
		}
		e.Receive(now, from, b)
	}
	h.tick = func(now netcore.Time, out func(netcore.Addr, []byte)) {
		switch {
		case s.lookup == nil && s.registration.Registered(now):
			s.lookup, _ = NewLookup(now, crypto.Reader, s.key, []netcore.Addr{meetingPoint})
		case s.lookup != nil && s.lookup.Done(now) && len(s.lookup.found) > 0:
			e.Connect(now, s.lookup.found[0], netcore.ConnectOptions{Key: &s.key, Others: s.lookup.found[1:]})
			s.lookup.found = nil
		}
		if s.lookup != nil {
			s.lookup.Send(now, out)
		}
		e.Tick(now)
		e.Send(now, out)
	}
}

func (s *scene) over() bool { return s.joined != nil || s.failed != nil }

// TestJoinBehindRouters: a join through the rendezvous succeeds between all kinds of routers,
// except where the router of the server has another port for each destination, or that of the
// client has and that of the server compares ports.
func TestJoinBehindRouters(t *testing.T) {
	for server := range natKind(natKinds) {
		for client := range natKind(natKinds) {
			s := newScene(t, server, client, 0)
			s.run(time.Minute, s.over)
			// The client of a symmetric server asks at the port that only the rendezvous can use.
			impossible := server == symmetric || client == symmetric && server == portCone
			assert.Equal(t, !impossible, s.joined != nil, "server %v, client %v", server, client)
			if impossible {
				require.NotNil(t, s.failed)
				assert.Equal(t, netcore.ConnectTimeout, s.failed.Code)
			} else {
				assert.Less(t, s.now, time.Second, "server %v, client %v", server, client)
			}
		}
	}
}

// TestJoinWithLosses: the join also succeeds while 30 % of all packets are lost.
func TestJoinWithLosses(t *testing.T) {
	failed := 0
	for seed := range uint64(testenv.Length(20, 40)) {
		s := newScene(t, portCone, portCone, 0.3)
		s.random = rand.New(rand.NewPCG(seed, 3))
		s.run(time.Minute, s.over)
		if s.joined == nil {
			failed++
		}
	}
	assert.LessOrEqual(t, failed, 1)
}

// TestServerStaysRegistered: a silent server stays registered, and its router keeps the port open.
// When the rendezvous restarts, the server registers again. When the server ends, it is forgotten.
func TestServerStaysRegistered(t *testing.T) {
	s := newScene(t, portCone, portCone, 0)
	lookup := s.hosts[2]
	lookup.tick = nil
	never := func() bool { return false }
	for s.now < 2*time.Minute {
		s.run(s.now+time.Second, never)
		assert.True(t, s.registration.Registered(s.now))
		assert.Equal(t, 1, s.service.Servers())
	}
	s.service = NewService(crypto.Reader)
	s.run(s.now+15*time.Second, never)
	assert.Equal(t, 1, s.service.Servers())
	s.hosts[1].tick = nil
	s.run(s.now+keepTime+time.Second, never)
	s.service.expire(s.now)
	assert.Zero(t, s.service.Servers())
	assert.Empty(t, s.service.counts)
}

// TestNothingAmplifies: an address that proves nothing gets 66 bytes for 256. A host that forges
// the address of a victim makes nobody send more to it.
func TestNothingAmplifies(t *testing.T) {
	s := newScene(t, portCone, portCone, 0)
	s.hosts[2].tick = nil
	s.run(time.Second, func() bool { return s.registration.Registered(s.now) })
	victim := udp("198.51.100.7:53")
	in, out := 0, 0
	s.seen = func(_, to netcore.Addr, b []byte) {
		if to == victim {
			out += len(b)
		}
	}
	r := s.hosts[0]
	for i := range 3000 {
		nonce, cookie := seal.Nonce{byte(i), byte(i >> 8)}, seal.Cookie{byte(i)}
		body := make([]byte, 200)
		copy(body, s.key[:])
		for _, packet := range []byte{packetRegister, packetLookup} {
			b := appendRequest(packet, nonce, cookie, body[:100])
			in += len(b)
			r.receive(s.now, victim, b)
			r.receive(s.now, victim, b[:len(b)-1])
		}
	}
	s.run(s.now+20*time.Second, func() bool { return false })
	assert.Positive(t, out)
	assert.Less(t, 3*out, in)
	assert.Empty(t, s.registration.punches)
	assert.Equal(t, 1, s.service.Servers())
	for _, size := range []int{challengeSize, registeredSize, headSize + 1 + maxAddrs*addrSize} {
		assert.Less(t, size, requestSize)
	}
}

// TestForgedRegistrations: nobody registers a key that they do not have. Neither a replay from
// another address nor a changed packet is accepted.
func TestForgedRegistrations(t *testing.T) {
	s := NewService(crypto.Reader)
	id, from, other := newIdentity(t), udp("192.0.2.1:1"), udp("192.0.2.2:1")
	var answer []byte
	keep := func(_ netcore.Addr, b []byte) { answer = b }
	r := NewRegistration(0, crypto.Reader, id, meetingPoint)
	next := func() (request []byte) {
		r.Send(r.next, func(_ netcore.Addr, b []byte) { request = append(request[:0], b...) })
		return request
	}
	s.Receive(0, from, next(), keep)
	r.Receive(0, meetingPoint, answer)
	proof := next()
	s.Receive(0, other, proof, keep)
	assert.Zero(t, s.Servers(), "a replay from another address")
	for at := headSize + cookieSize; at < headSize+cookieSize+seal.FirstOverhead; at += 5 {
		changed := append([]byte(nil), proof...)
		changed[at] ^= 1
		s.Receive(netcore.Time(at)*time.Second/10, from, changed, keep)
	}
	assert.Zero(t, s.Servers(), "changed packets")
	thief := NewRegistration(0, crypto.Reader, newIdentity(t), meetingPoint)
	thief.identity.Public = id.Public // claims the key without its private half
	thief.Send(0, func(_ netcore.Addr, b []byte) { s.Receive(30*time.Second, other, b, keep) })
	thief.Receive(0, meetingPoint, answer)
	thief.Send(0, func(_ netcore.Addr, b []byte) { s.Receive(30*time.Second, other, b, keep) })
	assert.Nil(t, s.servers[id.Public], "another key")
	s.Receive(30*time.Second, from, proof, keep)
	assert.NotNil(t, s.servers[id.Public])
}

// TestForgedIntroductions: a server punches only where the rendezvous sends it, once per
// introduction.
func TestForgedIntroductions(t *testing.T) {
	s := newScene(t, portCone, portCone, 0)
	s.hosts[2].tick = nil
	s.run(time.Second, func() bool { return s.registration.Registered(s.now) })
	path, r, victim := &s.service.servers[s.key].paths[0], s.registration, udp("198.51.100.7:53")
	sealed := path.introduction(victim)
	for at := range sealed {
		changed := append([]byte(nil), sealed...)
		changed[at] ^= 1
		r.Receive(s.now, meetingPoint, changed)
	}
	r.Receive(s.now, victim, sealed)
	assert.Empty(t, r.punches)
	r.Receive(s.now, meetingPoint, sealed)
	r.Receive(s.now, meetingPoint, sealed)
	require.Len(t, r.punches, 1)
	sent := 0
	for now := s.now; now < s.now+time.Minute; now += 10 * time.Millisecond {
		r.Receive(now, meetingPoint, sealed)
		r.Send(now, func(to netcore.Addr, b []byte) {
			if to == victim {
				sent += len(b)
			}
		})
	}
	assert.Equal(t, punchTries*punchSize, sent)
	for _, bad := range []string{"224.0.0.1:1", "0.0.0.0:1", "127.0.0.1:1", "[ff02::1]:1", "255.255.255.255:1", "[::1]:1"} {
		r.Receive(s.now, meetingPoint, path.introduction(udp(bad)))
	}
	assert.Empty(t, r.punches)
	for i := range 1000 {
		r.Receive(s.now, meetingPoint, path.introduction(udp(fmt.Sprintf("10.0.%d.%d:1", i/250, i%250+1))))
	}
	assert.Len(t, r.punches, maxPunches)
}

// TestOneHostCannotLockClientsOut: a host that looks up from many ports gets a few punches. A
// client of another host is always punched to.
func TestOneHostCannotLockClientsOut(t *testing.T) {
	for name, ports := range map[string]func(i int) netcore.Addr{
		"IPv4":     func(i int) netcore.Addr { return udp(fmt.Sprintf("198.51.100.7:%d", i+1)) },
		"IPv6 /64": func(i int) netcore.Addr { return udp(fmt.Sprintf("[2001:db8::%x]:%d", i+1, i+1)) },
	} {
		r, sent := &Registration{to: meetingPoint, next: time.Hour}, map[netcore.Addr]int{}
		honest := 0
		for i := range 3000 {
			now := netcore.Time(i) * 10 * time.Millisecond
			r.punch(now, ports(i))
			if i%100 == 99 {
				honest++
				r.punch(now, udp(fmt.Sprintf("192.0.2.%d:1", honest)))
			}
			of := 0
			for _, p := range r.punches {
				if p.to.Host() == ports(0).Host() {
					of++
				}
			}
			require.LessOrEqual(t, of, hostPunches, name)
			r.Send(now, func(to netcore.Addr, _ []byte) { sent[to]++ })
		}
		for i := range honest {
			assert.Positive(t, sent[udp(fmt.Sprintf("192.0.2.%d:1", i+1))], "%s, client %d", name, i)
		}
	}
	r := &Registration{to: meetingPoint}
	for i := range 100 {
		r.punch(0, udp(fmt.Sprintf("198.51.100.7:%d", i+1)))
	}
	assert.Len(t, r.punches, hostPunchesPerSecond)
	for i := range 100 {
		r.punch(0, udp(fmt.Sprintf("[2001:db8:0:%x::1]:1", i)))
	}
	assert.Len(t, r.punches, 5*hostPunchesPerSecond, "a /48")
}

// TestTableLimits: an address registers 8 servers, an IPv6 /48 32, and a server has 5 addresses.
func TestTableLimits(t *testing.T) {
	s := NewService(crypto.Reader)
	register := func(now netcore.Time, id seal.KeyPair, from netcore.Addr) {
		var answer []byte
		keep := func(_ netcore.Addr, b []byte) { answer = b }
		r := NewRegistration(0, crypto.Reader, id, meetingPoint)
		for range 2 {
			r.next = 0
			r.Send(0, func(_ netcore.Addr, b []byte) { s.Receive(now, from, b, keep) })
			r.Receive(0, meetingPoint, answer)
		}
	}
	for i := range 20 {
		register(netcore.Time(i)*time.Second, newIdentity(t), udp(fmt.Sprintf("192.0.2.1:%d", i+1)))
	}
	assert.Equal(t, serversByAddress, s.Servers())
	for i := range 60 {
		register(20*time.Second+netcore.Time(i)*100*time.Millisecond, newIdentity(t), udp(fmt.Sprintf("[2001:db8:0:%x::1]:1", i)))
	}
	assert.Equal(t, 5*serversByAddress, s.Servers())
	id := newIdentity(t)
	for i := range 9 {
		register(27*time.Second, id, udp(fmt.Sprintf("10.0.0.%d:1", i+1)))
	}
	e := s.servers[id.Public]
	require.NotNil(t, e)
	require.Len(t, e.paths, maxAddrs)
	register(27*time.Second, id, udp("[2001:db8:1::1]:1"))
	s.lookup(27*time.Second, udp("[2001:db8:2::1]:1"), seal.Nonce{}, id.Public, func(to netcore.Addr, b []byte) {
		if found, ok := parseFound(b, seal.Nonce{}); ok {
			assert.Equal(t, []netcore.Addr{udp("[2001:db8:1::1]:1")}, found, "only addresses of the client's family")
		}
		assert.NotEqual(t, 4, family(to))
	})
	register(28*time.Second, id, udp("10.0.0.9:1"))
	assert.Equal(t, udp("10.0.0.9:1"), e.paths[maxAddrs-1].addr)
	for range 100 {
		s.expire(time.Hour)
	}
	assert.Zero(t, s.Servers())
	assert.Empty(t, s.counts)
}

// TestLookupLimits: an address gets four answers a second, and a server 100 introductions.
func TestLookupLimits(t *testing.T) {
	s := newScene(t, noNAT, noNAT, 0)
	s.hosts[2].tick = nil
	s.run(time.Second, func() bool { return s.registration.Registered(s.now) })
	found, introduced := 0, 0
	look := func(from netcore.Addr) {
		l, err := NewLookup(0, crypto.Reader, s.key, []netcore.Addr{meetingPoint})
		require.NoError(t, err)
		for range 2 {
			l.asked[0].next = 0
			l.Send(0, func(_ netcore.Addr, b []byte) {
				s.service.Receive(s.now, from, b, func(to netcore.Addr, b []byte) {
					l.Receive(0, meetingPoint, b)
					switch {
					case to == from && b[1] == packetFound:
						found++
					case b[1] == packetIntroduction:
						introduced++
					}
				})
			})
		}
	}
	for i := range 10 {
		look(udp(fmt.Sprintf("192.0.2.1:%d", i+1)))
	}
	assert.Equal(t, lookupsByAddress, found)
	for i := range 400 {
		look(udp(fmt.Sprintf("192.1.%d.%d:1", i/200, i%200+1)))
	}
	assert.Equal(t, lookupsByAddress+400, found)
	assert.Equal(t, introductionsAtOnce, introduced)
}

// TestLookupSays: a lookup says whether the rendezvous is silent or does not know the server.
func TestLookupSays(t *testing.T) {
	s := newScene(t, noNAT, noNAT, 0)
	for to, want := range map[netcore.Addr]error{meetingPoint: ErrUnknown, udp(closedAddress): ErrSilent} {
		s.lookup, _ = NewLookup(s.now, crypto.Reader, seal.Key{1}, []netcore.Addr{to})
		s.run(s.now+10*time.Second, func() bool { return s.lookup.Done(s.now) })
		_, err := s.lookup.Result()
		assert.Equal(t, want, err)
	}
}

// TestLookupRefusesAddresses: a client does not connect to addresses that cannot be those of one
// server. Only a rendezvous on this machine can name this machine.
func TestLookupRefusesAddresses(t *testing.T) {
	names := []netcore.Addr{udp("224.0.0.1:1"), udp("0.0.0.0:1"), udp("127.0.0.1:1"), udp("255.255.255.255:1"), udp("192.0.2.1:1")}
	for from, want := range map[netcore.Addr][]netcore.Addr{
		meetingPoint:           {udp("192.0.2.1:1")},
		udp("127.0.0.1:28000"): {udp("127.0.0.1:1"), udp("192.0.2.1:1")},
	} {
		l, err := NewLookup(0, crypto.Reader, seal.Key{1}, []netcore.Addr{from})
		require.NoError(t, err)
		answer := append(appendHead(nil, packetFound, l.nonce), byte(len(names)))
		for _, a := range names {
			answer = appendAddr(answer, a)
		}
		l.Receive(0, from, answer)
		assert.Equal(t, want, l.found)
	}
}

// TestZonesStayHere: neither side sends or accepts the number of an interface with a link-local
// address.
func TestZonesStayHere(t *testing.T) {
	plain, zoned := udp("[fe80::1]:28000"), udp("[fe80::1%7]:28000")
	require.NotEqual(t, plain, zoned)
	assert.Equal(t, appendAddr(nil, plain), appendAddr(nil, zoned))
	b := binary.LittleEndian.AppendUint16(append([]byte(nil), zoned.IP[:]...), zoned.Port)
	got, ok := parseAddr(b)
	assert.True(t, ok)
	assert.Equal(t, plain, got)
}

func FuzzReceive(f *testing.F) {
	s := newScene(f, noNAT, noNAT, 0)
	s.run(time.Second, func() bool { return s.registration.Registered(s.now) })
	l, _ := NewLookup(0, crypto.Reader, s.key, []netcore.Addr{meetingPoint})
	for packet := range byte(7) {
		f.Add(appendRequest(packet, seal.Nonce{}, seal.Cookie{1}, nil))
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		s.service.Receive(s.now, udp("192.0.2.1:1"), b, func(netcore.Addr, []byte) {})
		s.registration.Receive(s.now, meetingPoint, b)
		l.Receive(0, meetingPoint, b)
	})
}

// heapBytes returns the bytes in use.
func heapBytes() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestServersAreBounded registers one server more than the table holds. Nobody is replaced, and
// there is room again when registrations expire. A full table takes less than 24 MiB.
func TestServersAreBounded(t *testing.T) {
	s := NewService(crypto.Reader)
	register := func(now netcore.Time, i int) bool {
		key, at := seal.Key{byte(i), byte(i >> 8), byte(i >> 16), 1}, udp(fmt.Sprintf("10.%d.%d.1:1", i>>8, i&255))
		return s.keep(now, key, path{addr: at, until: now + keepTime, session: seal.NewSession(seal.SessionKeys{})})
	}
	before := heapBytes()
	for i := range maxServers {
		require.True(t, register(0, i), i)
	}
	used := heapBytes() - before
	t.Logf("%d bytes", used)
	assert.Less(t, used, 24<<20)
	assert.False(t, register(0, maxServers))
	assert.Equal(t, maxServers, s.Servers())
	assert.True(t, register(0, 5), "a server of the table comes again")
	s.expire(keepTime)
	assert.True(t, register(keepTime, maxServers))
}

// TestPunchesAreBounded: a rendezvous makes a server punch to few clients at once, from however
// many hosts they come.
func TestPunchesAreBounded(t *testing.T) {
	r := &Registration{to: meetingPoint, next: netcore.Never}
	for i := range 4 * maxPunches {
		newest := udp(fmt.Sprintf("198.51.%d.%d:1", i/250, i%250+1))
		r.punch(netcore.Time(i)*time.Second, newest)
		require.LessOrEqual(t, len(r.punches), maxPunches)
		require.Equal(t, newest, r.punches[len(r.punches)-1].to)
	}
	assert.Len(t, r.punches, maxPunches)
	assert.Equal(t, netcore.Time(3*maxPunches)*time.Second, r.punches[0].next, "the oldest have made place")
}

// TestRendezvousSurvivesFloods: 1, 32 and 250 addresses look up one server and register servers,
// 2,000 times a second for 5 s. Another client finds the server and is introduced each time,
// another server stays registered, and the server punches to the client.
func TestRendezvousSurvivesFloods(t *testing.T) {
	for _, n := range testenv.Crowds {
		s, r := NewService(crypto.Reader), &Registration{to: meetingPoint, next: time.Hour}
		id := newIdentity(t)
		flood := func(i int) netcore.Addr { return udp(fmt.Sprintf("10.0.%d.%d:%d", i%n/250, i%n%250, 1+i%60000)) }
		require.True(t, s.keep(0, id.Public, path{addr: udp("192.0.2.1:1"), session: seal.NewSession(seal.SessionKeys{}), until: time.Hour}))
		found, introduced, admitted, punched, asked := 0, 0, 0, 0, 0
		for i := range 5 * 2000 {
			now := netcore.Time(i) * time.Second / 2000
			s.lookup(now, flood(i), seal.Nonce{}, id.Public, func(netcore.Addr, []byte) {})
			s.registrations.Admit(now, flood(i), perSecond(registrationsByAddress), perSecond(registrationsPerSecond))
			s.keep(now, seal.Key{byte(i), byte(i >> 8), 1}, path{addr: flood(i), until: time.Hour})
			r.punch(now, flood(i))
			r.Send(now, func(netcore.Addr, []byte) {})
			if i%2000 != 1999 {
				continue
			}
			asked++
			client := udp(fmt.Sprintf("198.51.100.%d:1", asked))
			s.lookup(now, client, seal.Nonce{}, id.Public, func(to netcore.Addr, b []byte) {
				if to == client {
					found++
				} else {
					introduced++
				}
			})
			if s.registrations.Admit(now, client, perSecond(registrationsByAddress), perSecond(registrationsPerSecond)) && s.keep(now, seal.Key{byte(asked), 9}, path{addr: client, until: time.Hour}) {
				admitted++
			}
			r.punch(now, client)
			r.Send(now, func(to netcore.Addr, _ []byte) {
				if to == client {
					punched++
				}
			})
		}
		assert.Equal(t, []int{asked, asked, asked, asked}, []int{found, introduced, admitted, punched}, "%d addresses: found, introduced, registered, punched to", n)
	}
}
