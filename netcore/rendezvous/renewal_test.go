package rendezvous

import (
	crypto "crypto/rand"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// pairing is a server and a rendezvous on a line without delay.
type pairing struct {
	service *Service
	server  *Registration
	from    netcore.Addr
	sent    [packetRenewed + 1]int // by packet
	lost    func(b []byte) bool    // nil: none
	seen    [][]byte               // the renewals
	now     netcore.Time
}

func newPairing(t testing.TB) *pairing {
	return &pairing{service: NewService(crypto.Reader), server: NewRegistration(0, crypto.Reader, newIdentity(t), meetingPoint), from: udp("192.0.2.1:28000")}
}

// run lets time pass, in steps of 100 ms.
func (p *pairing) run(d time.Duration) {
	for end := p.now + d; p.now < end; p.now += 100 * time.Millisecond {
		var requests, answers [][]byte
		p.server.Send(p.now, func(_ netcore.Addr, b []byte) { requests = append(requests, b) })
		for _, b := range requests {
			p.sent[b[1]]++
			if b[1] == packetRenewal {
				p.seen = append(p.seen, b)
			}
			if p.lost == nil || !p.lost(b) {
				p.service.Receive(p.now, p.from, b, func(_ netcore.Addr, b []byte) { answers = append(answers, b) })
			}
		}
		for _, b := range answers {
			p.sent[b[1]]++
			p.server.Receive(p.now, meetingPoint, b)
		}
	}
}

// TestRenewalsNeedNoKeyExchange: a server that stays exchanges keys once an hour. Between, it sends
// a small packet each 10 s, and stays registered all the time.
func TestRenewalsNeedNoKeyExchange(t *testing.T) {
	p := newPairing(t)
	p.run(time.Second)
	for range 55 * 60 {
		p.run(time.Second)
		require.True(t, p.server.Registered(p.now))
		require.True(t, p.now < p.service.servers[p.server.identity.Public].paths[0].until)
	}
	assert.Equal(t, 1, p.sent[packetRegistered], "in 55 minutes")
	assert.InDelta(t, 55*6, p.sent[packetRenewed], 3)
	p.run(10 * time.Minute)
	assert.Equal(t, 2, p.sent[packetRegistered], "in 65 minutes")
	assert.Len(t, p.service.servers[p.server.identity.Public].paths, 1)
}

// TestNewAddressNeedsKeyExchange: a renewal from another address is not answered. The server then
// exchanges keys, and is registered at its new address before the old one expires.
func TestNewAddressNeedsKeyExchange(t *testing.T) {
	p := newPairing(t)
	p.run(time.Minute)
	for _, at := range []string{"192.0.2.2:28000", "192.0.2.2:28001"} {
		exchanges := p.sent[packetRegistered]
		p.from = udp(at)
		for range 200 {
			p.run(100 * time.Millisecond)
			require.True(t, p.server.Registered(p.now))
		}
		assert.Equal(t, exchanges+1, p.sent[packetRegistered])
		paths := p.service.servers[p.server.identity.Public].paths
		assert.Equal(t, p.from, paths[len(paths)-1].addr)
	}
}

// TestForgedRenewals: nobody else renews a registration. A renewal counts once, from its address,
// and unchanged.
func TestForgedRenewals(t *testing.T) {
	p := newPairing(t)
	p.run(time.Minute)
	path := &p.service.servers[p.server.identity.Public].paths[0]
	answers := 0
	receive := func(from netcore.Addr, b []byte) {
		p.service.Receive(p.now, from, b, func(netcore.Addr, []byte) { answers++ })
	}
	before := path.until
	p.lost = func([]byte) bool { return true }
	for sent := len(p.seen); len(p.seen) == sent; { // the next one does not arrive
		p.run(100 * time.Millisecond)
	}
	for _, old := range p.seen[:len(p.seen)-1] {
		receive(p.from, old)
	}
	newest := p.seen[len(p.seen)-1]
	for bit := range 8 * len(newest) {
		changed := append([]byte(nil), newest...)
		changed[bit/8] ^= 1 << (bit % 8)
		receive(p.from, changed)
	}
	receive(udp("192.0.2.1:28001"), newest)
	receive(udp("192.0.2.9:28000"), newest)
	receive(p.from, newest[:len(newest)-1])
	receive(p.from, append(append([]byte(nil), newest...), 0))
	assert.Zero(t, answers)
	assert.Equal(t, before, path.until)
	receive(p.from, newest)
	receive(p.from, newest)
	assert.Equal(t, 1, answers, "the authentic one, once")
	assert.Equal(t, p.now+keepTime, path.until)
	assert.LessOrEqual(t, renewedSize, renewalSize)
}

// TestForgedAnswersRenewNothing: only the rendezvous tells a server that it is registered.
func TestForgedAnswersRenewNothing(t *testing.T) {
	p := newPairing(t)
	var answer []byte
	p.run(time.Minute)
	p.lost = func(b []byte) bool {
		p.service.Receive(p.now, p.from, b, func(_ netcore.Addr, b []byte) { answer = append([]byte(nil), b...) })
		return true
	}
	for len(answer) != renewedSize {
		p.run(100 * time.Millisecond)
	}
	until := p.server.until
	for bit := range 8 * len(answer) {
		changed := append([]byte(nil), answer...)
		changed[bit/8] ^= 1 << (bit % 8)
		p.server.Receive(p.now, meetingPoint, changed)
	}
	p.server.Receive(p.now, p.from, answer)
	assert.Equal(t, until, p.server.until)
	p.server.Receive(p.now, meetingPoint, answer)
	assert.Equal(t, p.now+keepTime, p.server.until)
	until, p.now = p.server.until, p.now+time.Second
	p.server.Receive(p.now, meetingPoint, answer)
	assert.Equal(t, until, p.server.until, "a second time")
}

// TestOldRendezvous: at a rendezvous that knows no renewals, a server registers by a key exchange
// each 10 s, as before, and learns that there is no list.
func TestOldRendezvous(t *testing.T) {
	p := newPairing(t)
	p.lost = func(b []byte) bool { return b[1] == packetRenewal }
	p.server.SetPublic(0, true)
	p.run(time.Second)
	assert.Equal(t, Unanswered, p.server.Lists())
	for range 600 {
		p.run(100 * time.Millisecond)
		require.True(t, p.server.Registered(p.now))
	}
	assert.InDelta(t, 6, p.sent[packetRegistered], 1)
	assert.Equal(t, No, p.server.Lists())
	p.lost = nil
	p.run(11 * time.Second)
	exchanges := p.sent[packetRegistered]
	p.run(time.Minute)
	assert.Equal(t, exchanges, p.sent[packetRegistered], "the rendezvous is a new one now")
}

// TestOldServer: a server that knows no renewals registers by a key exchange each 10 s.
func TestOldServer(t *testing.T) {
	p := newPairing(t)
	id := p.server.identity
	for now := netcore.Time(0); now < time.Minute; now += renewTime {
		p.now, p.server = now, NewRegistration(now, crypto.Reader, id, meetingPoint)
		p.lost = func(b []byte) bool { return b[1] == packetRenewal }
		p.run(time.Second)
		require.Len(t, p.service.servers[id.Public].paths, 1)
		require.Equal(t, now+keepTime, p.service.servers[id.Public].paths[0].until.Truncate(time.Second))
	}
}

// TestLostRenewals: half of all renewals are lost, and the server stays registered.
func TestLostRenewals(t *testing.T) {
	p := newPairing(t)
	n := 0
	p.lost = func([]byte) bool { n++; return n%2 == 0 }
	p.run(2 * time.Second)
	for range 5 * 600 {
		p.run(100 * time.Millisecond)
		require.True(t, p.server.Registered(p.now))
	}
	assert.LessOrEqual(t, p.sent[packetRegistered], 3)
}

// TestPublicIsProven: the owner of the rendezvous hears from whom a registration comes and whether
// the server wants to be in the list, at once and again when that changes.
func TestPublicIsProven(t *testing.T) {
	p := newPairing(t)
	var heard []string
	p.service.Renewed = func(key seal.Key, at netcore.Addr, public bool) {
		heard = append(heard, fmt.Sprint(key == p.server.identity.Public, at, public))
	}
	p.server.SetPublic(0, true)
	p.run(500 * time.Millisecond)
	assert.Equal(t, []string{"true 192.0.2.1:28000 true"}, heard)
	assert.Equal(t, Yes, p.server.Lists())
	p.server.SetPublic(p.now, false)
	p.server.SetPublic(p.now, false)
	p.run(500 * time.Millisecond)
	assert.Equal(t, []string{"true 192.0.2.1:28000 true", "true 192.0.2.1:28000 false"}, heard)
	p.run(10 * time.Second)
	assert.Len(t, heard, 3)
}

// TestRefusedServers: a refused server is forgotten at once, gets no answer, and is registered
// again when it is no longer refused.
func TestRefusedServers(t *testing.T) {
	p := newPairing(t)
	p.run(time.Minute)
	refused := true
	p.service.Refuse = func(key seal.Key, at netcore.Addr) bool {
		return refused && key == p.server.identity.Public && at.Port == p.from.Port
	}
	p.service.Forget()
	assert.Empty(t, p.service.servers[p.server.identity.Public].paths)
	heard := p.sent
	p.run(time.Minute)
	assert.Equal(t, heard[packetRegistered], p.sent[packetRegistered])
	assert.Equal(t, heard[packetRenewed], p.sent[packetRenewed])
	assert.False(t, p.server.Registered(p.now))
	p.service.expire(p.now)
	assert.Zero(t, p.service.Servers())
	refused = false
	p.run(30 * time.Second)
	assert.True(t, p.server.Registered(p.now))
}

// TestSessionsEnd: a rendezvous renews no registration whose key exchange is older than two hours.
func TestSessionsEnd(t *testing.T) {
	p := newPairing(t)
	p.run(time.Second)
	p.server.renewal.exchange = netcore.Never
	for range 119 {
		p.run(time.Minute)
	}
	assert.Equal(t, 1, p.sent[packetRegistered])
	p.server.renewal.exchange = netcore.Never
	p.run(2 * time.Minute)
	assert.Equal(t, 2, p.sent[packetRegistered])
}

// TestForgedFlood: of a million forged packets a minute, none registers a server, and none is kept.
// A server that registers meanwhile needs less than a second.
func TestForgedFlood(t *testing.T) {
	packets := testenv.Length(20_000, 100_000)
	if testenv.Long() && os.Getenv("TORC_MOST_SEEDS") == "" {
		packets = 1_000_000
	}
	p, random := newPairing(t), rand.New(rand.NewPCG(1, 2))
	heard := 0
	p.service.Renewed = func(seal.Key, netcore.Addr, bool) { heard++ }
	forge := func(i int) (from netcore.Addr, b []byte) {
		b = make([]byte, [...]int{requestSize, requestSize, renewalSize}[i%3])
		for at := 0; at+8 <= len(b); at += 8 {
			binary.LittleEndian.PutUint64(b[at:], random.Uint64())
		}
		b[0], b[1] = packetType, [...]byte{packetRegister, packetLookup, packetRenewal}[i%3]
		if i%6 == 5 {
			copy(b[headSize:], p.server.identity.Public[:])
		}
		return udp(fmt.Sprintf("%d.%d.%d.1:1", 1+i%200, i/200%250, i/50_000)), b
	}
	registered := netcore.Time(0)
	for i := range packets {
		now := netcore.Time(i) * time.Minute / 1_000_000
		from, b := forge(i)
		p.service.Receive(now, from, b, func(netcore.Addr, []byte) {})
		if now >= p.now {
			p.run(100 * time.Millisecond)
			if registered == 0 && p.server.Registered(now) {
				registered = p.now
			}
		}
	}
	assert.NotZero(t, registered)
	assert.LessOrEqual(t, registered, time.Second)
	assert.Equal(t, 1, p.service.Servers())
	assert.Len(t, p.service.order, 1)
	assert.Len(t, p.service.counts, 1)
	assert.Equal(t, p.sent[packetRenewed], heard, "only the honest one")
}

// BenchmarkRound is a round of a rendezvous with 10,000 servers: each renews its registration.
// BenchmarkRegister is the key exchange that a renewal saves.
func BenchmarkRound(b *testing.B) {
	const servers = 10_000
	s := NewService(crypto.Reader)
	packets, from := make([]func() []byte, servers), make([]netcore.Addr, servers)
	for i := range servers {
		keys := seal.SessionKeys{Seal: [32]byte{1, byte(i), byte(i >> 8)}, Open: [32]byte{2, byte(i), byte(i >> 8)}}
		key := seal.Key{byte(i), byte(i >> 8), 1}
		from[i] = udp(fmt.Sprintf("10.%d.%d.1:1", i>>8, i&255))
		require.True(b, s.keep(0, key, path{addr: from[i], session: seal.NewSession(keys), until: netcore.Never}))
		r := &Registration{identity: seal.KeyPair{Public: key}, wait: time.Second}
		r.sessions[0].keys = seal.NewSession(seal.SessionKeys{Seal: keys.Open, Open: keys.Seal})
		packets[i] = func() (sent []byte) {
			r.renewal.tries, r.renewal.exchange = 0, netcore.Never
			r.renew(0, func(_ netcore.Addr, b []byte) { sent = b })
			return sent
		}
	}
	answers := 0
	for b.Loop() {
		b.StopTimer()
		var round [servers][]byte
		for i := range round {
			round[i] = packets[i]()
		}
		b.StartTimer()
		for i, packet := range round {
			s.Receive(time.Second, from[i], packet, func(netcore.Addr, []byte) { answers++ })
		}
	}
	require.Positive(b, answers)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(answers), "ns/renewal")
}

func BenchmarkRegister(b *testing.B) {
	for b.Loop() {
		p := newPairing(b)
		p.lost = func(b []byte) bool { return b[1] == packetRenewal }
		p.run(200 * time.Millisecond)
		require.Equal(b, 1, p.service.Servers())
	}
}

// TestLeaving: a server that ends leaves the rendezvous and its list at once. Nobody else can say
// so, and a packet of an earlier session removes nothing.
func TestLeaving(t *testing.T) {
	p := newPairing(t)
	var public []bool
	p.service.Renewed = func(_ seal.Key, at netcore.Addr, is bool) {
		assert.Equal(t, p.from, at)
		public = append(public, is)
	}
	p.server.Leave(func(netcore.Addr, []byte) { assert.Fail(t, "it is not registered yet") })
	p.server.SetPublic(0, true)
	p.run(time.Minute)
	found := func() int {
		n := 0
		p.service.lookup(p.now, udp("198.51.100.9:5"), seal.Nonce{}, p.server.identity.Public, func(_ netcore.Addr, b []byte) {
			if b[1] == packetFound {
				n = int(b[headSize])
			}
		})
		return n
	}
	var last [][]byte
	p.server.Leave(func(to netcore.Addr, b []byte) {
		assert.Equal(t, meetingPoint, to)
		last = append(last, append([]byte(nil), b...))
	})
	require.Len(t, last, leaveTries)
	answers := 0
	receive := func(from netcore.Addr, b []byte) {
		p.service.Receive(p.now, from, b, func(netcore.Addr, []byte) { answers++ })
	}
	before := len(public)
	for bit := range 8 * len(last[0]) {
		changed := append([]byte(nil), last[0]...)
		changed[bit/8] ^= 1 << (bit % 8)
		receive(p.from, changed)
	}
	receive(udp("192.0.2.9:28000"), last[0])
	assert.Equal(t, 1, found())
	assert.Len(t, public, before)
	for _, b := range last[1:] { // the first one is lost
		receive(p.from, b)
	}
	assert.Zero(t, found())
	assert.Equal(t, []bool{true, false}, public[before-1:], "once")
	assert.Zero(t, answers)
	receive(p.from, p.seen[len(p.seen)-1])
	assert.Zero(t, found(), "an old renewal brings it back")

	p.server = NewRegistration(p.now, crypto.Reader, p.server.identity, meetingPoint) // it has started again
	p.server.SetPublic(p.now, true)
	p.run(time.Second)
	require.Equal(t, 1, found())
	for _, b := range last {
		receive(p.from, b)
	}
	assert.Equal(t, 1, found())
	assert.True(t, public[len(public)-1])
}
