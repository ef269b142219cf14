package node_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
)

// A town is servers and clients on a simulated network. The servers send clients to each other.
type town struct {
	t       *testing.T
	net     *netsim.Network
	line    netcore.LinkParams // of each client, in each direction
	servers []*townServer
	clients []*townClient
	names   map[string][]netcore.Addr // of the resolver, by HOST:PORT
}

// townServer is a server of a town.
type townServer struct {
	*node.Server
	town  *town
	name  string
	addr  netcore.Addr
	down  bool
	still bool          // it stands still: it gets its packets after the next Step
	late  []func()      // these packets
	due   time.Duration // of the next Step
	lag   time.Duration // that its machine has spent on something else
	ended error         // of Step
	edge  func(*engine.Config)
	dones []string // of its transfers: "true", or the reason
	said  []string // by its mods and its console
	log   bytes.Buffer
}

// townClient is a client of a town.
type townClient struct {
	*node.Client
	town   *town
	addr   netcore.Addr
	down   bool
	still  bool          // it stands still: it gets its packets after the next Step
	late   []func()      // these packets
	due    time.Duration // of the next Step
	err    error         // of Step
	said   []string
	hud    map[int]string
	asked  []*node.TransferOrder
	out    time.Duration // for which it was in no game, since it was in one
	outNow time.Duration
	joined bool
}

// room is a game: each player has a body, and a line of the HUD has the name of the server. Its
// client says what its callbacks are.
var room = fstest.MapFS{
	"room/mod.toml":        {Data: []byte("name = \"room\"\nversion = \"1.0.0\"\ndepends = [\"base >=1.0\"]\n")},
	"room/shared/init.lua": {Data: []byte(`Body = datablock "PlayerData" "RoomBody" { maxDamage = 100 }`)},
	"room/server/init.lua": {Data: []byte(`
		local base = import "base"
		local bodies = setting "room.bodies" { default = true, description = "gives players bodies" }
		local name = setting "room.name" { default = "", description = "the name of this server" }
		function GameConnection.onClientEnterGame(client)
			base.hud(client, 1, "you are in " .. name.value)
			base.messageClient(client, "MsgHello", "welcome to " .. name.value)
			if bodies.value then client:setControlObject(new "Player" { dataBlock = Body, position = vec(0, 0, 100) }) end
		end
		function GameConnection.onDrop(client, reason) echo("drop", client.name, reason) end`)},
	"room/client/init.lua": {Data: []byte(`
		entered = (entered or 0) + 1
		local loud = setting "room.loud" { default = 1, description = "how loud it is" }
		function GameConnection.onConnectionAccepted(server) echo("accepted, loud " .. loud.value) end
		function GameConnection.onEnterGame(server)
			echo("entered " .. entered)
			showEffect("voices V line " .. entered)
			showEffect "hit"
		end
		function GameConnection.onConnectionDropped(server, reason) echo("dropped: " .. reason) end`)},
}

// public returns an address of the Internet.
func publicAddr(n byte) netcore.Addr {
	return netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, n}), 28000))
}

func newTown(t *testing.T, line netcore.LinkParams) *town {
	return &town{t: t, net: netsim.New(7), line: line, names: map[string][]netcore.Addr{}}
}

func (w *town) edge(seed byte, from netcore.Addr) node.Edge {
	return node.Edge{
		Clock:   w.net.Now,
		Date:    func() time.Time { return time.Unix(1_800_000_000, 0).Add(w.net.Now()) },
		Entropy: rand.NewChaCha8([32]byte{seed, 9}),
		Send:    func(to netcore.Addr, b []byte) { w.net.Send(from, to, b) },
	}
}

// serverKey returns the identity of the n-th server, from 1.
func serverKey(t *testing.T, n byte) seal.KeyPair {
	t.Helper()
	id, err := seal.NewIdentity(rand.NewChaCha8([32]byte{n}))
	require.NoError(t, err)
	return id
}

// serve adds a server, at NAME:28000. change changes its config; it can be nil.
func (w *town) serve(name string, change func(*node.Config)) *townServer {
	w.t.Helper()
	n := byte(len(w.servers) + 1)
	s := &townServer{town: w, name: name, addr: publicAddr(n)}
	id, seed := serverKey(w.t, n), uint64(n)
	cfg := node.Config{
		Common: node.Common{Log: slog.New(slog.NewTextHandler(&s.log, nil)), Name: name, Seed: &seed, Identity: &id, Strict: true, Mods: []fs.FS{room}, Output: func(text string) { s.said = append(s.said, text) }, Vars: []node.Var{{Name: "room.name", Value: name}}},
		Server: node.ServerConfig{Load: []string{"room"}},
	}
	if change != nil {
		change(&cfg)
	}
	edge := w.edge(n, s.addr)
	edge.Clock = func() netcore.Time { return w.net.Now() + s.lag }
	table := seal.NewTicketTable(edge.Date().Add(-time.Hour))
	var err error
	s.Server, err = node.NewObservedOn(cfg, edge, func(c *engine.Config) {
		c.SealTicket = func(to, client seal.Key, data []byte) ([]byte, error) {
			return id.SealTicket(edge.Entropy, to, client, edge.Date(), data)
		}
		c.OpenTicket = func(ticket []byte, client seal.Key) (engine.Arrival, error) {
			is, err := id.OpenTicket(ticket, client)
			if err == nil {
				err = table.Use(is, edge.Date())
			}
			return engine.Arrival{From: "other", Data: is.Data}, err
		}
		if s.edge != nil {
			s.edge(c)
		}
	})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = s.Close() })
	w.net.Attach(s.addr, s)
	w.servers, w.names[name+":28000"] = append(w.servers, s), []netcore.Addr{s.addr}
	return s
}

// withMod returns the change of a config with which a server loads another mod, which has one file.
func withMod(name, lua string) func(*node.Config) {
	return func(c *node.Config) {
		c.Mods = append(c.Mods, fstest.MapFS{
			name + "/mod.toml":        {Data: []byte("name = \"" + name + "\"\nversion = \"1.0.0\"\ndepends = [\"room >=1.0\"]\n")},
			name + "/server/init.lua": {Data: []byte(lua)},
		})
		c.Server.Load = append(c.Server.Load, name)
	}
}

// echo is a program that is no torc: it sends back all that it gets.
type echo struct {
	from []netcore.Addr
	got  [][]byte
}

func (e *echo) Receive(_ netcore.Time, from netcore.Addr, b []byte) {
	e.from, e.got = append(e.from, from), append(e.got, bytes.Clone(b))
}

func (e *echo) Tick(netcore.Time) {}

func (e *echo) Send(_ netcore.Time, out func(netcore.Addr, []byte)) {
	for i, b := range e.got {
		out(e.from[i], b)
	}
	e.from, e.got = nil, nil
}

// join adds a client of a server, and waits until it has a body there.
func (w *town) join(s *townServer, change func(*node.Config)) *townClient {
	w.t.Helper()
	c := w.client(s, change)
	w.until("the client is in the game", func() bool { return c.body() })
	c.joined = true
	return c
}

// client adds a client of a server.
func (w *town) client(s *townServer, change func(*node.Config)) *townClient {
	w.t.Helper()
	n := len(w.clients) + 1
	c := &townClient{town: w, hud: map[int]string{}}
	c.addr = netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, byte(n >> 8), byte(n)}), 5000))
	id, err := seal.NewIdentity(rand.NewChaCha8([32]byte{100, byte(n), byte(n >> 8)}))
	require.NoError(w.t, err)
	seed := uint64(1000 + n)
	cfg := node.Config{
		Common: node.Common{
			Name: fmt.Sprint("P", n), Seed: &seed, Identity: &id, Mods: []fs.FS{room}, Password: "secret",
			Output: func(text string) { c.said = append(c.said, text) }, Resolve: w.resolve,
		},
		Client: node.ClientConfig{
			Address: s.name + ":28000#" + s.Key().String(), Wander: true, Args: []string{"mine"},
			Hud: func(line int, text string) { c.hud[line] = text },
		},
	}
	if change != nil {
		change(&cfg)
	}
	c.Client, err = node.NewWanderingOn(cfg, w.edge(byte(50+n), c.addr))
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = c.Close() })
	w.net.Attach(c.addr, c)
	for _, s := range w.servers {
		w.net.Link(c.addr, s.addr, w.line, w.line)
	}
	w.clients = append(w.clients, c)
	return c
}

func (w *town) resolve(hostport string, done func([]netcore.Addr, error)) {
	to, known := w.names[hostport]
	if !known {
		done(nil, fmt.Errorf("there is no host %s", hostport))
		return
	}
	done(to, nil)
}

// townStep is the time between two rounds of the programs.
const townStep = 4 * time.Millisecond

func (w *town) run(d time.Duration) {
	w.wake()
	w.net.Run(w.net.Now()+d, townStep)
}

// wake has all programs step in the next round: a test may have done something meanwhile. Otherwise
// a program steps when something arrives or is due, as Run does.
func (w *town) wake() {
	for _, s := range w.servers {
		s.due = 0
	}
	for _, c := range w.clients {
		c.due = 0
	}
}

// until runs until yes returns true, for at most a minute.
func (w *town) until(what string, yes func() bool) {
	w.t.Helper()
	w.wake()
	require.True(w.t, w.net.RunWhile(w.net.Now()+time.Minute, townStep, func() bool { return !yes() }), "%s: %s", what, w.text())
}

// text returns what everybody has said.
func (w *town) text() string {
	var b strings.Builder
	for _, s := range w.servers {
		fmt.Fprintf(&b, "\n%s: %q %q\n%s", s.name, s.said, s.dones, s.log.String())
	}
	for _, c := range w.clients {
		fmt.Fprintf(&b, "\n%v: %q", c.addr, c.said)
	}
	return b.String()
}

func (s *townServer) Receive(_ netcore.Time, from netcore.Addr, b []byte) {
	switch {
	case s.down:
	case s.still:
		b = bytes.Clone(b)
		s.late = append(s.late, func() { s.Server.Receive(from, b) })
	default:
		s.Server.Receive(from, b)
		s.due = 0
	}
}

// Tick steps the server. A drain ends it with io.EOF.
func (s *townServer) Tick(now netcore.Time) {
	if s.down || s.still || now < s.due {
		return
	}
	if s.ended = s.Step(); s.ended != nil {
		s.down = true
		assert.ErrorIs(s.town.t, s.ended, io.EOF)
		return
	}
	s.due = s.Due()
	for _, receive := range s.late {
		receive()
		s.due = 0
	}
	s.late = nil
}

func (s *townServer) Send(netcore.Time, func(netcore.Addr, []byte)) {}

// of returns the connection of a client, or nil.
func (s *townServer) of(c *townClient) *engine.Connection {
	for _, conn := range s.Host().Connections() {
		if conn.Key() == c.Host().Identity().Public {
			return conn
		}
	}
	return nil
}

// send orders a client to another server. change changes the order; it can be nil.
func (s *townServer) send(c *townClient, to *townServer, change func(*engine.TransferOrder)) {
	s.town.t.Helper()
	o := engine.TransferOrder{Address: to.name + ":28000", Key: to.Key(), Name: to.name}
	if change != nil {
		change(&o)
	}
	require.NotNil(s.town.t, s.of(c), s.town.text())
	require.NoError(s.town.t, s.of(c).Transfer(o, nil, "room", func(ok bool, reason string) {
		if ok {
			reason = "true"
		}
		s.dones = append(s.dones, reason)
	}))
}

func (c *townClient) Receive(_ netcore.Time, from netcore.Addr, b []byte) {
	switch {
	case c.down || c.err != nil:
	case c.still:
		b = bytes.Clone(b)
		c.late = append(c.late, func() { c.ReceiveFrom(from, b) })
	default:
		c.ReceiveFrom(from, b)
		c.due = 0
	}
}

// Tick steps the client. It measures for how long the player has no body in any game.
func (c *townClient) Tick(now netcore.Time) {
	if c.down || c.still || c.err != nil {
		return
	}
	if now >= c.due {
		c.err, c.due = c.Step(), c.Due()
	}
	for _, receive := range c.late {
		receive()
		c.due = 0
	}
	c.late = nil
	if !c.joined || c.body() {
		c.outNow = 0
		return
	}
	c.outNow += townStep
	c.out = max(c.out, c.outNow)
}

func (c *townClient) Send(netcore.Time, func(netcore.Addr, []byte)) {}

// body reports whether the side that plays has a body.
func (c *townClient) body() bool {
	server := c.Host().Server()
	return server != nil && server.Join.Phase() == engine.PhaseGame && server.Control.Object() != nil
}

// at reports whether the client plays at a server, and only there.
func (c *townClient) at(s *townServer) bool {
	for _, other := range c.town.servers {
		conn := other.of(c)
		is := conn != nil && !conn.Arriving()
		if is != (other == s) {
			return false
		}
	}
	server := c.Host().Server()
	return server != nil && server.Key() == s.Key()
}

// line runs a line of the console of the client.
func (c *townClient) line(text string) string {
	c.town.t.Helper()
	out, err := c.Console().Exec(text)
	require.NoError(c.town.t, err, text)
	return out
}

// exec runs a line of the console of the server.
func (s *townServer) exec(text string) {
	s.town.t.Helper()
	_, err := s.Console().Exec(text)
	require.NoError(s.town.t, err, text)
}

// accept makes a key the known one of a server.
func (c *townClient) accept(hostport string, key seal.Key) {
	c.town.t.Helper()
	require.NoError(c.town.t, node.Accept(c.Client, hostport, key))
}
