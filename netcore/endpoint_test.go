package netcore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/seal"
)

// seededEntropy returns entropy determined by a seed.
func seededEntropy(seed uint64) io.Reader {
	return rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16), 77, byte(seed >> 24), byte(seed >> 32), byte(seed >> 40), byte(seed >> 48)})
}

// host is an Endpoint that records its callbacks.
type host struct {
	*Endpoint
	addr      Addr
	own       [16]byte // Addr.Own of all packets that arrive here
	connected []*Conn
	welcomes  []string
	ended     []Reason
	failed    []Reason
	requests  []ConnectRequest
	refuse    string
	decide    func(r *ConnectRequest) (refuse string)
}

// Send sends, decides on the players that ask, and sends the answers.
func (h *host) Send(now Time, out func(to Addr, b []byte)) {
	h.Endpoint.Send(now, out)
	asked := false
	for r := h.Asked(now); r != nil; r = h.Asked(now) {
		h.Answer(now, r, h.decide(r))
		asked = true
	}
	if asked {
		h.Endpoint.Send(now, out)
	}
}

// newHost returns an endpoint with a new identity. change can alter its config.
func newHost(t testing.TB, addr Addr, change func(*Config)) *host {
	h := &host{addr: addr}
	entropy := seededEntropy(uint64(binary.BigEndian.Uint32(addr.IP[2:]))<<24 | uint64(addr.Port)<<8 | uint64(addr.IP[15]))
	id, err := seal.NewIdentity(entropy)
	require.NoError(t, err)
	cfg := Config{
		Identity: id, Entropy: entropy, Accepting: true, Game: "test", Classes: 7, Gated: true,
		Connected: func(c *Conn, welcome []byte) {
			h.connected = append(h.connected, c)
			h.welcomes = append(h.welcomes, string(welcome))
		},
		Ended:  func(_ *Conn, r Reason) { h.ended = append(h.ended, r) },
		Failed: func(_ *Pending, r Reason) { h.failed = append(h.failed, r) },
	}
	h.decide = func(r *ConnectRequest) string {
		r.Welcome = []byte("welcome " + r.Name)
		r.User = r.Name
		h.requests = append(h.requests, *r)
		return h.refuse
	}
	if change != nil {
		change(&cfg)
	}
	h.Endpoint = NewEndpoint(cfg)
	return h
}

func trustAll(Addr, seal.Key) error { return nil }

// testDatagram is a datagram on its way.
type testDatagram struct {
	from, to Addr
	b        []byte
	at       Time
}

// testNetwork is a small network of hosts in virtual time. It delivers the datagrams that pass
// accepts, each after delay. pass can send copies with post.
type testNetwork struct {
	now    Time
	hosts  []*host
	queued []testDatagram
	delay  func() Time
	filter func(p testDatagram) bool
	sent   []testDatagram
}

func newTestNetwork(hosts ...*host) *testNetwork {
	return &testNetwork{hosts: hosts, delay: func() Time { return 20 * time.Millisecond }}
}

func (n *testNetwork) enqueue(from, to Addr, b []byte) {
	n.queued = append(n.queued, testDatagram{from, to, bytes.Clone(b), n.now + n.delay()})
}

// step advances the time by d; every host wakes once.
func (n *testNetwork) step(d Time) {
	n.now += d
	waiting := n.queued
	n.queued = nil
	for _, p := range waiting {
		if p.at > n.now {
			n.queued = append(n.queued, p)
			continue
		}
		for _, h := range n.hosts {
			if h.addr == p.to.Remote() {
				from := p.from
				from.Own = h.own
				h.Receive(n.now, from, p.b)
			}
		}
	}
	for _, h := range n.hosts {
		h.Tick(n.now)
		h.Send(n.now, func(to Addr, b []byte) {
			p := testDatagram{from: h.addr, to: to, b: bytes.Clone(b), at: n.now}
			n.sent = append(n.sent, p)
			if n.filter == nil || n.filter(p) {
				n.enqueue(h.addr, to, b)
			}
		})
	}
}

func (n *testNetwork) run(d Time) {
	for end := n.now + d; n.now < end; {
		n.step(10 * time.Millisecond)
	}
}

// first returns the first datagram sent with a type.
func (n *testNetwork) first(t testing.TB, kind byte) testDatagram {
	at := slices.IndexFunc(n.sent, func(p testDatagram) bool { return p.b[0] == kind })
	require.GreaterOrEqual(t, at, 0, "no packet of type %x was sent", kind)
	return n.sent[at]
}

func twoHosts(t testing.TB, change func(*Config)) (server, client *host, n *testNetwork) {
	server, client = newHost(t, SimAddr(1), change), newHost(t, SimAddr(2), change)
	return server, client, newTestNetwork(server, client)
}

// TestKeys: both sides hand out the keys of a session, each as it uses them, before a packet needs
// them.
func TestKeys(t *testing.T) {
	var got []seal.SessionKeys
	server, client, n := twoHosts(t, func(c *Config) {
		c.Keys = func(_ Addr, k seal.SessionKeys) { got = append(got, k) }
	})
	n.filter = func(p testDatagram) bool {
		assert.True(t, p.b[0] != packetIntroduction || len(got) == 2)
		return true
	}
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(200 * time.Millisecond)
	require.Len(t, client.connected, 1)
	require.Len(t, got, 2)
	assert.Equal(t, got[0].Seal, got[1].Open)
	assert.Equal(t, got[0].Open, got[1].Seal)
	_, _, _, ok := openPiece(seal.NewSession(got[0]), n.first(t, packetIntroduction).b)
	assert.True(t, ok, "the first keys are those of the server")
}

func TestHandshake(t *testing.T) {
	server, client, n := twoHosts(t, func(c *Config) { c.RecvRate = Rate{20, 500} })
	p := client.Connect(0, server.addr, ConnectOptions{
		Trust: trustAll, Name: "ann", Password: "secret", Args: []string{"a", "", "c"}, Roles: 5, User: "mine",
	})
	n.run(200 * time.Millisecond)

	require.Len(t, server.connected, 1)
	require.Len(t, client.connected, 1)
	assert.True(t, p.Over())
	assert.Equal(t, server.cfg.Identity.Public, p.Key())
	r := server.requests[0]
	assert.Equal(t, "ann", r.Name)
	assert.Equal(t, "secret", r.Password)
	assert.Equal(t, []string{"a", "", "c"}, r.Args)
	assert.Equal(t, byte(5), r.Roles)
	assert.Equal(t, client.addr, r.From)
	assert.Equal(t, client.cfg.Identity.Public, r.Key)
	assert.Equal(t, Rate{20, 500}, r.Rate)
	assert.Equal(t, []string{"welcome ann"}, client.welcomes)

	s, c := server.connected[0], client.connected[0]
	assert.Equal(t, server.Conns(), []*Conn{s})
	assert.Equal(t, uint32(1), s.ID())
	assert.Equal(t, "ann", s.User)
	assert.Equal(t, "mine", c.User)
	assert.Equal(t, client.cfg.Identity.Public, s.Peer())
	assert.Equal(t, server.cfg.Identity.Public, c.Peer())
	assert.True(t, c.Initiator())
	assert.False(t, s.Initiator())
	assert.Equal(t, Rate{20, 500}, s.SendRate())
	assert.Equal(t, Rate{20, 500}, c.SendRate())
	n.run(10 * time.Second)
	assert.Empty(t, append(server.ended, client.ended...))

	client.Close(n.now, Reason{Code: SelfClosed, Text: "bye"})
	n.run(2 * time.Second)
	assert.Equal(t, []Reason{{Closed, "bye"}}, server.ended)
	assert.Equal(t, []Reason{{SelfClosed, "bye"}}, client.ended)
	assert.Empty(t, client.Conns())
	assert.Empty(t, server.Conns())
	assert.Empty(t, server.byAddr)
}

// TestAnswersLeaveFromTheAskedAddress: all packets of a server to a client carry the own address
// that the client sent to. A side that dials learns its own address from the first answer.
func TestAnswersLeaveFromTheAskedAddress(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	server.own, client.own = [16]byte{15: 2}, [16]byte{15: 9}
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(2 * time.Second)
	require.Len(t, server.connected, 1)
	require.Len(t, client.connected, 1)
	assert.Equal(t, client.own, client.connected[0].Addr().Own)
	for _, p := range n.sent {
		if p.from == server.addr {
			assert.Equal(t, server.own, p.to.Own)
		}
	}
}

func TestCheckIsOnWhenEitherSideAsks(t *testing.T) {
	for asks := range 4 {
		server := newHost(t, SimAddr(1), func(c *Config) { c.Check = asks&1 != 0 })
		client := newHost(t, SimAddr(2), func(c *Config) { c.Check = asks&2 != 0 })
		n := newTestNetwork(server, client)
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		n.run(200 * time.Millisecond)
		require.Len(t, client.connected, 1)
		assert.Equal(t, asks != 0, client.connected[0].Check())
		assert.Equal(t, asks != 0, server.connected[0].Check())
	}
}

// TestRefusals checks that the client gets each reason for a refusal as a sentence, and that the
// server makes no connection.
func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		name   string
		server func(*Config)
		refuse string
		want   string
	}{
		{"version", func(c *Config) { c.Version = 99 }, "", fmt.Sprintf("protocol version %d, the server has 99: your program is older", ProtocolVersion)},
		{"newer", func(c *Config) { c.Version = 1 }, "", fmt.Sprintf("protocol version %d, the server has 1: the server is older", ProtocolVersion)},
		{"game", func(c *Config) { c.Game = "other" }, "", `the server plays "other", not "test"`},
		{"classes", func(c *Config) { c.Classes = 8 }, "", "the class lists differ: client and server are different builds"},
		{"password", nil, "wrong password", "wrong password"},
		{"full", nil, "server is full (128)", "server is full (128)"},
		{"unprintable", nil, "a\x1b[2J\xffb", "a [2Jb"},
	} {
		t.Run(row.name, func(t *testing.T) {
			server, client := newHost(t, SimAddr(1), row.server), newHost(t, SimAddr(2), nil)
			server.refuse = row.refuse
			n := newTestNetwork(server, client)
			client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
			n.run(time.Second)
			assert.Equal(t, []Reason{{Refused, row.want}}, client.failed)
			assert.Empty(t, server.Conns())
			assert.Empty(t, server.connected)
		})
	}
}

func TestRefusalIsRepeatedNotDecidedAgain(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	server.refuse = "no"
	lost := 0
	n.filter = func(p testDatagram) bool {
		lost++
		return p.b[0] != packetVerdict || n.now > time.Second
	}
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(5 * time.Second)
	assert.Equal(t, []Reason{{Refused, "no"}}, client.failed)
	assert.Len(t, server.requests, 1)
}

// TestRefusalsAreForgotten: a refused client cannot keep its place by asking again and again.
// Otherwise one address could fill the table, and no client of another address could join.
func TestRefusalsAreForgotten(t *testing.T) {
	for _, game := range []string{"test", "another"} { // the introduction is refused, or the greeting
		server, client, n := twoHosts(t, nil)
		server.refuse = "no"
		client.cfg.Game = game
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		n.run(200 * time.Millisecond)
		require.Len(t, client.failed, 1)
		require.Len(t, server.halfOpen.byAddr, 1)
		sent := n.sent
		for range 10 {
			n.run(speakTime / 10)
			for _, p := range sent {
				if p.from == client.addr {
					server.Receive(n.now, p.from, p.b)
				}
			}
		}
		assert.Empty(t, server.halfOpen.byAddr, game)
	}
}

func TestServerKeys(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	right, wrong := server.cfg.Identity.Public, client.cfg.Identity.Public
	for _, row := range []struct {
		name string
		o    ConnectOptions
		want string // text of the failure; empty for none
	}{
		{"pinned", ConnectOptions{Key: &right}, ""},
		{"pinned wins over trust", ConnectOptions{Key: &right, Trust: func(Addr, seal.Key) error { return io.EOF }}, ""},
		{"another pinned", ConnectOptions{Key: &wrong, Trust: trustAll},
			fmt.Sprintf("the server's key is %s, expected %s: this is another server, or somebody between you and it", right.Fingerprint(), wrong.Fingerprint())},
		{"distrusted", ConnectOptions{Trust: func(_ Addr, k seal.Key) error { return fmt.Errorf("never heard of %s", k) }},
			"never heard of " + right.String()},
		{"nobody to ask", ConnectOptions{}, "cannot verify the server's key " + right.Fingerprint()},
	} {
		client.failed, client.connected, n.sent = nil, nil, nil
		client.Connect(n.now, server.addr, row.o)
		n.run(200 * time.Millisecond)
		if row.want == "" {
			assert.Len(t, client.connected, 1, row.name)
			continue
		}
		assert.Equal(t, []Reason{{KeyChanged, row.want}}, client.failed, row.name)
		for _, p := range n.sent {
			assert.NotEqual(t, byte(packetConnectRequest), p.b[0], "%s: nothing is said to a stranger", row.name)
		}
	}
}

// TestEveryAddressIsTried: the addresses of a server are tried 250 ms apart. The first that answers
// with a trusted key gets the connection, and it alone gets a connect request.
func TestEveryAddressIsTried(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	other := newHost(t, SimAddr(3), nil) // another program, with a key that is not the server's
	other.difficulty.level = seal.MaxDifficulty + 1
	n.hosts = append(n.hosts, other)
	key := server.cfg.Identity.Public
	begin := n.now
	client.Connect(n.now, SimAddr(8), ConnectOptions{Key: &key, Others: []Addr{other.addr, server.addr, SimAddr(9)}})
	first := map[Addr]Time{}
	n.filter = func(p testDatagram) bool {
		if _, known := first[p.to]; !known && p.from == client.addr {
			first[p.to] = n.now - begin
		}
		assert.False(t, p.from == client.addr && p.b[0] == packetConnectRequest && p.to != server.addr)
		return true
	}
	n.run(5 * time.Second)
	require.Len(t, server.connected, 1)
	assert.Empty(t, client.failed)
	assert.Len(t, server.requests, 1)
	for i, to := range []Addr{SimAddr(8), other.addr, server.addr} {
		assert.InDelta(t, Time(i)*addressDelay, first[to], float64(20*time.Millisecond), to)
	}
	assert.NotContains(t, first, SimAddr(9), "the server answered before")

	client.Connect(n.now, SimAddr(8), ConnectOptions{Key: &key, Others: []Addr{other.addr}})
	n.run(connectTimeout + time.Second)
	require.Len(t, client.failed, 1)
	assert.Equal(t, KeyChanged, client.failed[0].Code, "says more than a timeout")
}

func TestInvalidConnectOptions(t *testing.T) {
	long := string(make([]byte, 256))
	for name, o := range map[string]ConnectOptions{
		"name":      {Name: long},
		"password":  {Password: long},
		"arguments": {Args: make([]string, 17)},
	} {
		client := newHost(t, SimAddr(2), nil)
		n := newTestNetwork(client)
		client.Connect(0, SimAddr(1), o)
		n.run(50 * time.Millisecond)
		require.Len(t, client.failed, 1, name)
		assert.Empty(t, n.sent, name)
	}
}

// TestConnectTimeout checks the repetitions of a stage without an answer, and their end.
func TestConnectTimeout(t *testing.T) {
	client := newHost(t, SimAddr(2), nil)
	n := newTestNetwork(client)
	client.Connect(0, SimAddr(1), ConnectOptions{})
	n.run(16 * time.Second)
	assert.Equal(t, []Reason{{Code: ConnectTimeout}}, client.failed)
	var at []int
	for _, p := range n.sent {
		at = append(at, int(p.at/(10*time.Millisecond)))
		assert.Equal(t, n.sent[0].b, p.b, "a repetition is the same bytes")
	}
	want := []int{1, 26}
	for next := 58; next <= 1500; next += 40 {
		want = append(want, next)
	}
	assert.Equal(t, want, at)
	assert.Empty(t, client.pending)

	client.Connect(n.now, SimAddr(1), ConnectOptions{}).Cancel()
	n.run(time.Second)
	assert.Len(t, client.failed, 1, "a cancelled attempt is silent")
	assert.Empty(t, client.pending)
}

// TestConnectTimeoutOfBusyServer checks that a client tells a server that answers its challenge,
// but not its request, from a server that is not there.
func TestConnectTimeoutOfBusyServer(t *testing.T) {
	_, client, n, _ := connectWithout(t, packetConnectRequest, ConnectOptions{}, 16*time.Second)
	require.Len(t, client.failed, 1)
	assert.Equal(t, ConnectTimeout, client.failed[0].Code)
	assert.Contains(t, client.failed[0].Text, "the server is busy")
	assert.NotEmpty(t, n.sent)
}

func TestNotAccepting(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	server.SetAccepting(false)
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(3 * time.Second)
	for _, p := range n.sent {
		assert.Equal(t, client.addr, p.from, "a closed server is silent")
	}
	server.SetAccepting(true)
	n.run(3 * time.Second)
	assert.Len(t, client.connected, 1, "the attempt goes on and succeeds once the server opens")
}

// TestNotAcceptingDuringHandshake: a server that stops accepting also forgets the handshakes that
// have begun, in each stage.
func TestNotAcceptingDuringHandshake(t *testing.T) {
	for steps := range 20 { // of 10 ms; three round trips take twelve
		server, client, n := twoHosts(t, nil)
		later := true
		server.decide = func(r *ConnectRequest) string { r.Later = later; return "" }
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		n.run(Time(steps) * 10 * ms)
		if steps%2 == 0 { // between Receive and Send
			n.hosts = n.hosts[1:]
			n.filter = func(p testDatagram) bool { server.Receive(n.now, p.from, p.b); return true }
			n.step(10 * ms)
			n.hosts, n.filter = append(n.hosts, server), nil
		}
		begun := server.halfOpen.byAddr[client.addr]
		server.SetAccepting(false)
		if begun != nil {
			assert.Panics(t, func() { begun.session.Seal(nil, nil, nil, kindConnectionless, 9) }, "the keys are erased")
		}
		later = false
		n.sent = nil
		n.run(3 * time.Second)
		for _, p := range n.sent {
			assert.Equal(t, client.addr, p.from, "after %d steps", steps)
		}
		assert.Empty(t, server.connected, "after %d steps", steps)
		assert.Empty(t, server.halfOpen.byAddr)
		assert.Empty(t, server.halfOpen.counts)
		assert.Equal(t, Never, server.Due(n.now))
	}
}

// TestBadNetworks runs handshakes over networks that lose, repeat and reorder datagrams. Each ends
// in exactly one connection at both ends, or in a timeout at the client.
func TestBadNetworks(t *testing.T) {
	made, seeds := 0, testenv.SeedCount(t, 100, 300)
	for seed := range testenv.Sweep(t, seeds) {
		rng := rand.New(rand.NewPCG(seed, 5))
		server, client, n := twoHosts(t, nil)
		n.delay = func() Time { return Time(rng.IntN(300)) * time.Millisecond }
		n.filter = func(p testDatagram) bool {
			if rng.IntN(3) == 0 {
				n.enqueue(p.from, p.to, p.b)
			}
			return rng.IntN(3) != 0
		}
		client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		n.run(15 * time.Second)
		require.LessOrEqual(t, len(server.requests), 1, "seed %d: decided once", seed)
		require.Equal(t, 1, len(client.connected)+len(client.failed), "seed %d", seed)
		if len(client.connected) == 1 {
			require.Len(t, server.connected, 1, "seed %d", seed)
			require.Empty(t, server.ended, "seed %d", seed)
			made++
		}
	}
	assert.Greater(t, made, int(seeds*29/30))
}
