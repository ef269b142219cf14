package netcore

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/seal"
)

// A deferring host defers every request, and keeps it.
type deferring struct {
	*host
	requests []*ConnectRequest
}

// deferrer lets n clients ask a server that defers their requests.
func deferrer(t *testing.T, n int) (server *deferring, clients []*host, net *testNetwork) {
	server = &deferring{host: newHost(t, SimAddr(1), nil)}
	server.decide = func(r *ConnectRequest) string {
		r.Deferred = "checking"
		server.requests = append(server.requests, r)
		return ""
	}
	machines := []*host{server.host}
	for i := range n {
		clients = append(clients, newHost(t, SimAddr(uint16(2+i)), nil))
		machines = append(machines, clients[i])
	}
	return server, clients, newTestNetwork(machines...)
}

// answer decides on a deferred request.
func (s *deferring) answer(now Time, r *ConnectRequest, refuse string) {
	r.Deferred = ""
	s.Answer(now, r, refuse)
}

func dial(h *host, now Time, to Addr) *Pending {
	return h.Connect(now, to, ConnectOptions{Trust: trustAll})
}

// TestDeferredRequestsDelayNobody: a client waits for an owner that answers later and sees its
// text. Meanwhile another one joins. A later text replaces the first. The answer lets the client
// in.
func TestDeferredRequestsDelayNobody(t *testing.T) {
	server, clients, n := deferrer(t, 2)
	p := dial(clients[0], 0, server.addr)
	n.run(400 * ms)
	require.Len(t, server.requests, 1)
	assert.Equal(t, "checking", p.Checking())
	assert.Empty(t, server.halfOpen.byAddr)
	assert.Empty(t, server.introduced)

	server.decide = func(*ConnectRequest) string { return "" }
	dial(clients[1], n.now, server.addr)
	n.run(400 * ms)
	assert.Len(t, clients[1].connected, 1, "the other one does not wait")
	require.Empty(t, clients[0].connected)

	r := server.requests[0]
	r.Deferred = "still\ncheck\u202eing"
	server.Answer(n.now, r, "")
	n.run(8 * time.Second)
	assert.Equal(t, "still check ing", p.Checking())
	assert.False(t, r.Over())
	server.answer(n.now, r, "")
	assert.True(t, r.Over())
	n.run(time.Second)
	assert.Len(t, clients[0].connected, 1)
	assert.Empty(t, p.Checking())
	assert.Empty(t, server.deferred.order)
	assert.Empty(t, server.deferred.counts)
	assert.Empty(t, server.deferred.byAddr)
}

// TestDeferredRefusals: a refusal after a deferral arrives, also over a line that has lost the
// first one, and the place is free.
func TestDeferredRefusals(t *testing.T) {
	server, clients, n := deferrer(t, 1)
	p := dial(clients[0], 0, server.addr)
	n.run(time.Second)
	lost := 0
	n.filter = func(d testDatagram) bool {
		if d.b[0] == packetVerdict {
			lost++
		}
		return d.b[0] != packetVerdict || lost > 2
	}
	server.answer(n.now, server.requests[0], "not a member")
	assert.Empty(t, server.deferred.order)
	server.answer(n.now, server.requests[0], "")
	n.run(2 * time.Second)
	assert.Equal(t, []Reason{{Refused, "not a member"}}, clients[0].failed, "the first answer counts")
	assert.Empty(t, server.connected)
	assert.Empty(t, p.Checking())
	n.run(speakTime)
	assert.Empty(t, server.halfOpen.byAddr)
}

// TestDeferredClientsThatGo: a client that asks no more has gone after four seconds, and the answer
// does nothing. One on a bad line stays.
func TestDeferredClientsThatGo(t *testing.T) {
	server, clients, n := deferrer(t, 2)
	p := dial(clients[0], 0, server.addr)
	dial(clients[1], 0, server.addr)
	n.run(time.Second)
	require.Len(t, server.requests, 2)
	turn := 0
	n.filter = func(d testDatagram) bool { turn++; return turn%3 == 0 }
	p.Cancel()
	n.run(deferredGone - 1500*ms)
	gone, stays := server.requests[0], server.requests[1]
	if gone.From != clients[0].addr {
		gone, stays = stays, gone
	}
	assert.False(t, gone.Over(), "its packets can be lost")
	n.run(1700 * ms)
	assert.True(t, gone.Over())
	server.answer(n.now, gone, "")
	n.run(5 * time.Second)
	assert.False(t, stays.Over())
	assert.Empty(t, server.connected)
	assert.Len(t, server.deferred.order, 1)
}

// TestDeferredClientsOutliveAStandstill: a server that stands still for longer than a client may be
// silent has not lost it. The server receives the packets of that time after its next
// Tick.
func TestDeferredClientsOutliveAStandstill(t *testing.T) {
	server, clients, n := deferrer(t, 1)
	dial(clients[0], 0, server.addr)
	n.run(400 * ms)
	require.Len(t, server.requests, 1)
	n.now += 2 * deferredGone
	server.Tick(n.now)
	require.False(t, server.requests[0].Over())
	server.answer(n.now, server.requests[0], "")
	n.run(time.Second)
	assert.Len(t, server.connected, 1)
}

// TestDeferredClientsAskAnew: a client that asks anew, from its address or with its key, replaces
// its own deferred request.
func TestDeferredClientsAskAnew(t *testing.T) {
	for _, sameKey := range []bool{false, true} {
		server, clients, n := deferrer(t, 2)
		if sameKey {
			clients[1].cfg.Identity = clients[0].cfg.Identity
		}
		dial(clients[0], 0, server.addr)
		n.run(400 * ms)
		if sameKey {
			dial(clients[1], n.now, server.addr)
		} else {
			dial(clients[0], n.now, server.addr)
		}
		n.run(400 * ms)
		require.Len(t, server.requests, 2)
		assert.True(t, server.requests[0].Over())
		assert.False(t, server.requests[1].Over())
		n.run(time.Second)
		require.Len(t, server.requests, 2, "they do not replace each other in turn")
		server.answer(n.now, server.requests[0], "")
		assert.Empty(t, server.connected)
		server.answer(n.now, server.requests[1], "")
		assert.Len(t, server.connected, 1)
	}
}

// TestDeferredRequestsCountForTheirAddress: an address has its connections and deferred requests
// within one limit, which is asked again at the answer.
func TestDeferredRequestsCountForTheirAddress(t *testing.T) {
	server := newHost(t, SimAddr(1), nil)
	s := func(i int) *halfOpen { return deferredSession(remoteAddr(1), uint16(i)) }
	for i := range defaultConnections {
		assert.Empty(t, server.noRoom(s(i)))
		server.Answer(0, &ConnectRequest{session: s(i), Deferred: "checking"}, "")
	}
	assert.Len(t, server.deferred.order, defaultConnections)
	assert.Contains(t, server.noRoom(s(99)), "too many connections from this address (8)")
	assert.Empty(t, server.noRoom(deferredSession(remoteAddr(2), 0)))
	server.SetLimits(Limits{Connections: 2})
	last := server.deferred.order[3].request
	last.Deferred = ""
	server.Answer(0, last, "")
	assert.Nil(t, last.Conn, "the limit has changed meanwhile")
	assert.True(t, last.Over())
	server.SetLimits(Limits{})
	next := server.deferred.order[0].request
	next.Deferred = ""
	server.Answer(0, next, "")
	assert.NotNil(t, next.Conn)
}

// deferredSession makes a session of the i-th client at an address. Nobody reads its packets, so
// its keys come from no key exchange, which took nine tenths of the time of a flood.
func deferredSession(from Addr, i uint16) *halfOpen {
	from.Port = i
	keys := seal.NewSession(seal.SessionKeys{Seal: [32]byte{byte(i), byte(i >> 8)}})
	s := &halfOpen{from: from, key: seal.Key{byte(i), byte(i >> 8), from.IP[3], from.IP[4], from.IP[5], from.IP[14], from.IP[15]}, session: keys}
	s.nonce[0] = byte(i)
	return s
}

// TestDeferralsSurviveFloods: 1, 32 and 250 addresses fill the table of deferred requests, with as
// many as they can have. Each client of another address gets a place and keeps it for two seconds,
// in which a web service answers.
func TestDeferralsSurviveFloods(t *testing.T) {
	for _, n := range testenv.Crowds {
		server, seed := newHost(t, SimAddr(1), nil), uint16(0)
		ask := func(now Time, from Addr) *ConnectRequest {
			seed++
			s := deferredSession(from, seed)
			r := &ConnectRequest{session: s, Deferred: "checking"}
			if server.noRoom(s) == "" {
				server.Answer(now, r, "")
			}
			return r
		}
		type client struct {
			r  *ConnectRequest
			at Time
		}
		var honest []client
		for tick := range 160 {
			now := Time(tick) * 32 * ms
			for i := range 16 { // 500 a second
				ask(now, UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte((16*tick + i) % n)}), 1)))
			}
			if tick%25 == 24 {
				honest = append(honest, client{ask(now, UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(tick)}), 1))), now})
			}
			for _, s := range server.deferred.order {
				s.heard = now // all of them still ask
			}
			for _, c := range honest {
				assert.False(t, now-c.at < 2*time.Second && c.r.Over(), "%d addresses, client at %v", n, c.at)
			}
			server.Tick(now)
			server.owed = nil
			require.LessOrEqual(t, len(server.deferred.order), maxDeferred)
		}
		assert.Len(t, server.deferred.order, min(maxDeferred, 8*n+len(honest)), "%d addresses", n)
	}
}

// TestIdleDeferralsMakeRoom: of an address with the most, the request whose client is silent makes
// room, and it is told.
func TestIdleDeferralsMakeRoom(t *testing.T) {
	server := newHost(t, SimAddr(1), func(c *Config) { c.Limits.Connections = 1000 })
	from := func(i int) Addr {
		return UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 1))
	}
	var all []*ConnectRequest
	add := func(now Time, from Addr) *ConnectRequest {
		r := &ConnectRequest{session: deferredSession(from, uint16(len(all))), Deferred: "checking"}
		all = append(all, r)
		server.Answer(now, r, "")
		return r
	}
	for i := range maxDeferred - 2 {
		add(0, from(i))
	}
	first, second := add(0, from(7)), add(0, from(7))
	for _, r := range all {
		r.session.heard = 3 * time.Second
	}
	first.session.heard = 0
	all[40].session.heard = 0 // silent, too, but its address has one
	add(3*time.Second, from(1000))
	assert.True(t, first.Over())
	assert.NotNil(t, first.session.due, "its client is told")
	assert.False(t, second.Over() || all[7].Over() || all[40].Over())
	add(3*time.Second, from(1001))
	assert.True(t, second.Over(), "the newest of the address with the most")
	add(3*time.Second, from(1002))
	assert.True(t, all[40].Over(), "all have one: the silent one")
	add(3*time.Second, from(1003))
	assert.True(t, all[7].Over(), "that of the address with the most requests lately")
	newest := add(3*time.Second, from(1004))
	assert.True(t, newest.Over(), "nobody has more, is silent, or has asked more often")
	assert.Len(t, server.deferred.order, maxDeferred)
	assert.Len(t, server.deferred.byAddr, maxDeferred)
}

// TestCloseTellsDeferredClients: a server that ends refuses those whom it checks, and erases their
// keys. One that stops accepting forgets them.
func TestCloseTellsDeferredClients(t *testing.T) {
	for _, closes := range []bool{true, false} {
		server, clients, n := deferrer(t, 1)
		dial(clients[0], 0, server.addr)
		n.run(400 * ms)
		r := server.requests[0]
		if closes {
			server.Close(n.now, Reason{ShuttingDown, "for today"})
			n.run(100 * ms)
			assert.Equal(t, []Reason{{Refused, "shutting down: for today"}}, clients[0].failed)
		} else {
			server.SetAccepting(false)
		}
		assert.True(t, r.Over())
		assert.Empty(t, server.deferred.order)
		assert.Panics(t, func() { r.session.session.Seal(nil, nil, nil, kindConnectionless, 9) }, "the keys are erased")
		server.answer(n.now, r, "")
		assert.Empty(t, server.connected)
	}
}

// TestForgedDeferrals: only the server's own words reach the player, and no old ones.
func TestForgedDeferrals(t *testing.T) {
	server, clients, n := deferrer(t, 1)
	p := dial(clients[0], 0, server.addr)
	n.run(400 * ms)
	packet := n.first(t, packetDeferred).b
	r := server.requests[0]
	r.Deferred = "second"
	server.Answer(n.now, r, "")
	n.run(400 * ms)
	require.Equal(t, "second", p.Checking())
	clients[0].Receive(n.now, server.addr, packet)
	assert.Equal(t, "second", p.Checking(), "an old packet")
	p.deferrals, p.checking = 0, ""
	for cut := range packet {
		clients[0].Receive(n.now, server.addr, packet[:cut])
	}
	for bit := range 8 * len(packet) {
		b := bytes.Clone(packet)
		b[bit/8] ^= 1 << (bit % 8)
		clients[0].Receive(n.now, server.addr, b)
	}
	clients[0].Receive(n.now, SimAddr(77), packet)
	assert.Empty(t, p.Checking())
	clients[0].Receive(n.now, server.addr, packet)
	assert.Equal(t, "checking", p.Checking())
}

// TestRepeatedQuestionsOfDeferredClientsAreStateless: of the packets of a client that waits, one a
// second says that it is still there. The others need no place in a journal.
func TestRepeatedQuestionsOfDeferredClientsAreStateless(t *testing.T) {
	server, clients, n := deferrer(t, 1)
	dial(clients[0], 0, server.addr)
	n.run(400 * ms)
	piece, at := n.first(t, packetIntroduction).b, n.now
	forged := bytes.Clone(piece)
	forged[len(forged)-1] ^= 1
	stateful := 0
	for i := range 30 {
		now := at + Time(i)*100*ms
		answers := func() (n int) {
			server.Endpoint.Send(now, func(Addr, []byte) { n++ })
			return n
		}
		assert.True(t, server.ReceiveStateless(now, clients[0].addr, forged))
		answers()
		if !server.ReceiveStateless(now, clients[0].addr, piece) {
			stateful++
			server.ReceiveStateful(now, clients[0].addr, piece)
		}
		assert.Equal(t, 1, answers())
	}
	assert.Equal(t, 3, stateful)
}

// TestTextsOfADeferralAreBounded: the number of a text never begins anew, because the seal has it.
func TestTextsOfADeferralAreBounded(t *testing.T) {
	server, clients, n := deferrer(t, 1)
	dial(clients[0], 0, server.addr)
	n.run(400 * ms)
	r := server.requests[0]
	r.session.deferrals = 65534
	for _, text := range []string{"last", "too late"} {
		r.Deferred = text
		server.Answer(n.now, r, "")
	}
	assert.EqualValues(t, 65535, r.session.deferrals)
	n.run(100 * ms)
	assert.Equal(t, "last", clients[0].pending[0].Checking())
}
