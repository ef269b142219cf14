package netcore

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// longest returns options with as much text as possible.
func longest() ConnectOptions {
	text := strings.Repeat("x", maxOfferText)
	o := ConnectOptions{Name: text, Password: text, Language: text[:maxLanguage]}
	for range maxOfferArgs {
		o.Args = append(o.Args, text)
	}
	return o
}

// connectWithout lets a client connect for a time. All packets of a type are lost, until n.filter
// is changed.
func connectWithout(t *testing.T, lost byte, o ConnectOptions, d Time) (server, client *host, n *testNetwork, p *Pending) {
	server, client, n = twoHosts(t, nil)
	n.filter = func(p testDatagram) bool { return p.b[0] != lost }
	o.Trust = trustAll
	p = client.Connect(0, server.addr, o)
	n.run(d)
	return server, client, n, p
}

// TestLongestIntroduction: the connect request stays small whatever the player says, and a long
// introduction travels in pieces, in any order, over a line that loses and repeats them.
func TestLongestIntroduction(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	turn := 0
	n.filter = func(p testDatagram) bool {
		switch p.b[0] {
		case packetConnectRequest:
			assert.LessOrEqual(t, len(p.b), 512)
		case packetIntroduction:
			if turn++; turn == 2 || turn == 5 {
				return false
			}
			n.enqueue(p.from, p.to, p.b)
		}
		return true
	}
	n.delay = func() Time { return Time(1+turn*7%5) * 20 * time.Millisecond }
	o := longest()
	o.Trust = trustAll
	client.Connect(0, server.addr, o)
	n.run(3 * time.Second)
	require.Len(t, client.connected, 1)
	require.Len(t, server.requests, 1)
	assert.Equal(t, longest().Args, server.requests[0].Args)
	assert.Equal(t, longest().Password, server.requests[0].Password)
	assert.Equal(t, longest().Language, server.requests[0].Language)
	assert.Empty(t, server.halfOpen.byAddr)
	assert.Empty(t, server.halfOpen.counts)
}

// TestNobodyBeforeTheIntroduction: up to the introduction the server asks nobody, and has no
// connection.
func TestNobodyBeforeTheIntroduction(t *testing.T) {
	server, client, n, _ := connectWithout(t, packetIntroduction, ConnectOptions{}, 1500*time.Millisecond)
	assert.Len(t, server.halfOpen.byAddr, 1)
	assert.Empty(t, server.requests)
	assert.Empty(t, server.Conns())
	n.run(speakTime - time.Second)
	assert.Empty(t, server.halfOpen.byAddr, "it did not speak")
	n.filter = nil
	n.run(5 * time.Second)
	assert.Len(t, client.connected, 1, "the server says that the session is unknown: the client begins anew")
	assert.Len(t, server.requests, 1)
}

// TestEvictedClientsBeginAnew: a session that made room for others is unknown. Its client connects
// all the same, after a round trip.
func TestEvictedClientsBeginAnew(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	evicted := false
	n.filter = func(p testDatagram) bool {
		if p.b[0] == packetIntroduction && !evicted {
			evicted = true
			server.halfOpen.remove(server.halfOpen.byAddr[client.addr])
		}
		return true
	}
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(400 * time.Millisecond)
	require.True(t, evicted)
	assert.Len(t, client.connected, 1)
	assert.Len(t, server.requests, 1)
}

// TestForgedSessionUnknown: only a server that reads the client's packets can make it begin anew.
func TestForgedSessionUnknown(t *testing.T) {
	server, client, n, p := connectWithout(t, packetVerdict, ConnectOptions{}, 400*time.Millisecond)
	require.Equal(t, introducing, p.stage)
	nonce := p.puzzle.Nonce
	for _, forged := range [][]byte{
		appendNonceHead(nil, packetSessionUnknown, seal.Nonce{1}),
		append(appendNonceHead(nil, packetSessionUnknown, nonce), 0),
		appendNonceHead(nil, packetSessionUnknown, nonce)[:16],
		appendNonceHead(nil, packetVerdict, nonce),
		append(appendNonceHead(nil, packetVerdict, nonce), make([]byte, 40)...),
	} {
		client.Receive(n.now, server.addr, forged)
		assert.Equal(t, introducing, p.stage)
		assert.Equal(t, nonce, p.puzzle.Nonce)
	}
	client.Receive(n.now, server.addr, appendNonceHead(nil, packetSessionUnknown, nonce))
	assert.Equal(t, challenging, p.stage)
	assert.NotEqual(t, nonce, p.puzzle.Nonce)
}

// TestForgedIntroductions: every truncation and every flipped bit of an introduction is dropped,
// and so is a piece that contradicts the others.
func TestForgedIntroductions(t *testing.T) {
	server, client, n, _ := connectWithout(t, packetIntroduction, longest(), 200*time.Millisecond)
	s := server.halfOpen.byAddr[client.addr]
	require.NotNil(t, s)
	piece := n.first(t, packetIntroduction).b
	for cut := range piece {
		server.Receive(n.now, client.addr, piece[:cut])
	}
	for bit := range len(piece) * 8 {
		b := bytes.Clone(piece)
		b[bit/8] ^= 1 << (bit % 8)
		server.Receive(n.now, client.addr, b)
	}
	server.Receive(n.now, SimAddr(77), piece)
	assert.Empty(t, s.pieces)
	assert.Empty(t, server.introduced)
	server.Receive(n.now, client.addr, piece)
	assert.Len(t, s.pieces, maxPieces)
	assert.Equal(t, piece, n.first(t, packetIntroduction).b, "the packet is left as it is")
}

// TestForgedRepetitions: only an authentic repetition of an introduction gets the verdict again and
// restarts the timeout of the connection.
func TestForgedRepetitions(t *testing.T) {
	server, client, n, _ := connectWithout(t, packetVerdict, ConnectOptions{}, 200*time.Millisecond)
	require.Len(t, server.connected, 1)
	c, sent := server.connected[0], 0
	heard, out := c.Heard(), func(Addr, []byte) { sent++ }
	server.Send(n.now, out)
	sent = 0
	piece := n.first(t, packetIntroduction).b
	for bit := 8 * introductionHead; bit < len(piece)*8; bit++ {
		b := bytes.Clone(piece)
		b[bit/8] ^= 1 << (bit % 8)
		server.Receive(n.now+time.Second, client.addr, b)
	}
	server.Send(n.now, out)
	assert.Zero(t, sent)
	assert.Equal(t, heard, c.Heard())
	server.Receive(n.now+time.Second, client.addr, piece)
	server.Send(n.now, out)
	assert.Equal(t, 1, sent)
	assert.Equal(t, n.now+time.Second, c.Heard())
}

// TestDecideLater: Decide can put off its answer for two seconds, and keeps the order. Then the
// request is refused.
func TestDecideLater(t *testing.T) {
	for _, ready := range []Time{300 * time.Millisecond, time.Hour} {
		asked := 0
		var n *testNetwork
		server := newHost(t, SimAddr(1), nil)
		server.decide = func(r *ConnectRequest) string {
			asked++
			r.Later = n.now < ready
			return ""
		}
		client := newHost(t, SimAddr(2), nil)
		n = newTestNetwork(server, client)
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		n.run(ready % time.Minute)
		assert.Empty(t, client.connected)
		n.run(2200 * time.Millisecond)
		assert.Greater(t, asked, 5)
		if ready == time.Hour {
			assert.Equal(t, []Reason{{Refused, "the server checks too many connect requests at the moment: try again"}}, client.failed)
			continue
		}
		assert.Len(t, client.connected, 1)
		assert.Len(t, server.connected, 1)
	}
}

// TestDecideAfterAStandstill: a server has two seconds to decide. The time in which it stands still
// does not count.
func TestDecideAfterAStandstill(t *testing.T) {
	server, later := newHost(t, SimAddr(1), nil), true
	server.decide = func(r *ConnectRequest) string { r.Later = later; return "" }
	client := newHost(t, SimAddr(2), nil)
	n := newTestNetwork(server, client)
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(300 * time.Millisecond)
	n.now += 2 * maxDecision
	n.run(300 * time.Millisecond)
	later = false
	n.run(300 * time.Millisecond)
	assert.Len(t, client.connected, 1)
	assert.Empty(t, client.failed)
}

// TestDecideAfterALongTick: the same holds for the time within a tick. A refusal after it is kept
// no longer than others.
func TestDecideAfterALongTick(t *testing.T) {
	server := newHost(t, SimAddr(1), nil)
	server.decide = func(r *ConnectRequest) string { r.Later = true; return "" }
	client := newHost(t, SimAddr(2), nil)
	n := newTestNetwork(server, client)
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(300 * time.Millisecond)
	ask := func() *ConnectRequest {
		server.Tick(n.now)
		n.now += 2 * maxDecision
		server.Endpoint.Send(n.now, func(Addr, []byte) {})
		r := server.Asked(n.now)
		require.NotNil(t, r)
		return r
	}
	r := ask()
	r.Later = true
	server.Answer(n.now, r, "")
	require.Len(t, server.introduced, 1, "it is put off")

	r = ask()
	n.now += 2 * maxDecision
	server.Answer(n.now, r, "no")
	server.Tick(n.now)
	assert.Equal(t, n.now+speakTime, r.session.until)
}

// TestUndecidedIntroductionsAreBounded: no introduction waits longer than maxDecision, so their
// number is bounded by the rate of handshakes.
func TestUndecidedIntroductionsAreBounded(t *testing.T) {
	server := newHost(t, SimAddr(1), nil)
	server.decide = func(r *ConnectRequest) string { r.Later = true; return "" }
	machines := []*host{server}
	for i := range 8 {
		client := newHost(t, SimAddr(uint16(2+i)), nil)
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		machines = append(machines, client)
	}
	n, most := newTestNetwork(machines...), 0
	for n.now < time.Second+2*maxDecision {
		n.run(10 * time.Millisecond)
		most = max(most, len(server.introduced))
		for _, s := range server.introduced {
			require.Less(t, n.now-s.heard, maxDecision+20*time.Millisecond)
		}
	}
	assert.Equal(t, 8, most)
	assert.Empty(t, server.introduced)
}

// TestASlowGameDecidesInTime: the long ticks of a slow game are no standstill.
func TestASlowGameDecidesInTime(t *testing.T) {
	server, client := newHost(t, SimAddr(1), nil), newHost(t, SimAddr(2), nil)
	server.decide = func(r *ConnectRequest) string { r.Later = true; return "" }
	n := newTestNetwork(server, client)
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(200 * time.Millisecond)
	require.Len(t, server.introduced, 1)
	for began := n.now; n.now < began+maxDecision+time.Second; {
		n.step(320 * time.Millisecond)
	}
	assert.Empty(t, server.introduced)
}

// TestIntroductionsAfterAStandstill: a client has its time for the introduction, although the server
// stands still for longer after the key exchange.
func TestIntroductionsAfterAStandstill(t *testing.T) {
	server, client := newHost(t, SimAddr(1), nil), newHost(t, SimAddr(2), nil)
	n := newTestNetwork(server, client)
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	for len(server.halfOpen.byAddr) == 0 {
		n.run(time.Millisecond)
	}
	n.now += 2 * speakTime
	server.Tick(n.now)
	assert.Len(t, server.halfOpen.byAddr, 1)
}

// TestSendInsideDecide: Decide can let time pass, as a debugger does. The connections live on, and
// each introduction is decided once.
func TestSendInsideDecide(t *testing.T) {
	server, client, other := newHost(t, SimAddr(1), nil), newHost(t, SimAddr(2), nil), newHost(t, SimAddr(3), nil)
	n := newTestNetwork(server, client, other)
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(time.Second)
	require.Len(t, client.connected, 1)
	asked := 0
	server.decide = func(*ConnectRequest) string {
		if asked++; asked == 1 {
			n.run(2 * time.Second)
			assert.Greater(t, server.Due(n.now), n.now, "the introduction does not keep the owner busy")
		}
		return ""
	}
	other.Connect(n.now, server.addr, ConnectOptions{Trust: trustAll})
	n.run(3 * time.Second)
	assert.Equal(t, 1, asked)
	assert.Len(t, other.connected, 1)
	assert.Len(t, server.Conns(), 2)
}

// TestCloseTellsHalfOpenClients: a server that ends refuses the clients whose introduction has not
// arrived or is not decided yet, and erases their keys.
func TestCloseTellsHalfOpenClients(t *testing.T) {
	for _, later := range []bool{false, true} {
		server, client, n := twoHosts(t, nil)
		server.decide = func(r *ConnectRequest) string { r.Later = true; return "" }
		n.filter = func(p testDatagram) bool { return later || p.b[0] != packetIntroduction }
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		n.run(400 * time.Millisecond)
		s := server.halfOpen.byAddr[client.addr]
		require.NotNil(t, s)
		require.Equal(t, later, len(server.introduced) > 0)
		server.Close(n.now, Reason{ShuttingDown, "for today"})
		assert.Equal(t, n.now, server.Due(n.now))
		n.run(100 * time.Millisecond)
		assert.Equal(t, []Reason{{Refused, "shutting down: for today"}}, client.failed)
		assert.Panics(t, func() { s.session.Seal(nil, nil, nil, kindConnectionless, 9) }, "the keys are erased")
		assert.Empty(t, server.halfOpen.byAddr)
		assert.Equal(t, Never, server.Due(n.now))
	}
}

// TestCloseInsideDecide: a decision that ends the server opens no connection.
func TestCloseInsideDecide(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	server.decide = func(*ConnectRequest) string {
		server.Close(n.now, Reason{Code: ShuttingDown})
		return ""
	}
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(400 * time.Millisecond)
	assert.Empty(t, server.Conns())
	assert.Equal(t, []Reason{{Refused, "shutting down"}}, client.failed)
}

// TestRestartWhileWaiting: a client that begins anew while the server still decides joins once.
func TestRestartWhileWaiting(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	later := true
	decide := server.decide
	server.decide = func(r *ConnectRequest) string {
		if r.Later = later; later {
			return ""
		}
		return decide(r)
	}
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(300 * time.Millisecond)
	client.Connect(n.now, server.addr, ConnectOptions{Trust: trustAll})
	n.run(300 * time.Millisecond)
	later = false
	n.run(300 * time.Millisecond)
	assert.Len(t, server.requests, 1)
	assert.Len(t, server.connected, 1)
	assert.Len(t, client.connected, 1)
}

// TestPendingKnowsThatItWaits: an attempt knows for how long the server has left it without an
// answer, in the key exchange and in the decision, also when it begins anew meanwhile.
func TestPendingKnowsThatItWaits(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	server.limits.Rate = 1e-6
	server.handshakeBucket.Owe(1)
	decide := server.decide
	server.decide = func(r *ConnectRequest) string { r.Later = true; return "" }

	n.run(3 * time.Second)
	server.handshakeBucket.Owe(1)
	p := client.Connect(n.now, server.addr, ConnectOptions{Trust: trustAll})
	assert.Zero(t, p.Waiting(n.now), "nothing is known of the server")
	n.run(5 * time.Second)
	assert.InDelta(t, 5, p.Waiting(n.now).Seconds(), 0.2, "for the key exchange")
	server.limits.Rate = 1000
	n.run(time.Second)
	require.Equal(t, introducing, p.stage)
	assert.InDelta(t, 0.6, p.Waiting(n.now).Seconds(), 0.6, "for the decision")
	server.decide = decide
	n.run(time.Second)
	require.Len(t, client.connected, 1)
	assert.Zero(t, p.Waiting(n.now))
}

// TestContradictingPieces: a client with the keys that sends pieces of different introductions
// loses its session, and nothing else.
func TestContradictingPieces(t *testing.T) {
	server, client, n, p := connectWithout(t, packetIntroduction, ConnectOptions{}, 200*time.Millisecond)
	require.NotNil(t, server.halfOpen.byAddr[client.addr])
	piece := func(index, last int) []byte {
		head := append(appendNonceHead(nil, packetIntroduction, p.puzzle.Nonce), byte(index|last<<4))
		return p.session.Seal(head, head, []byte("piece"), kindConnectionless, uint64(index+1))
	}
	server.Receive(n.now, client.addr, piece(1, 2))
	server.Receive(n.now, client.addr, piece(3, 3))
	assert.Empty(t, server.halfOpen.byAddr)
	n.run(50 * time.Millisecond)
	assert.Empty(t, server.requests)
}

// TestTooLongLanguage: a client cannot send a longer language, and a server does not read one.
func TestTooLongLanguage(t *testing.T) {
	_, err := packIntroduction(&introduction{Language: strings.Repeat("x", maxLanguage+1)})
	assert.EqualError(t, err, "the language has more than 16 bytes")
	for size, want := range map[int]error{maxLanguage: nil, maxLanguage + 1: errIntroduce} {
		w := bitstream.NewWriter(make([]byte, 100))
		none, language := "", strings.Repeat("x", size)
		handshakeText(&w.Codec, &none, maxOfferText)
		handshakeText(&w.Codec, &none, maxOfferText)
		for _, width := range []int{5, 27, 1, 8} { // arguments, rate, check, roles
			w.Bits(new(uint64), width)
		}
		handshakeText(&w.Codec, &language, maxOfferText)
		_, err := unpackIntroduction(w.Bytes(), false)
		assert.Equal(t, want, err, size)
	}
}
