package replay_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/fleet/fakebus"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/replay"
)

// hub is a mod that sends players where they ask to go, and says what happens.
const hub = `
function GameConnection.onConnectRequest(client)
  if client.arrival then echo("asked", client.arrival.from, client.arrival.data.gold) end
end
function GameConnection.onClientEnterGame(client) if client.arrival then echo("in the game") end end
function GameConnection.onArrived(client) echo("arrived", client.arrival.from, client.arrival.data.gold) end
function GameConnection.onDrop(client, reason) echo("drop", reason) end
function serverCmd.Go(client, where, more)
  echo("go", client:transfer(where, { gold = 7, more = more and ("x"):rep(more) }, function(ok, why) echo("done", ok, why) end))
end
`

// crossing is two servers in virtual time, each with a journal, and players between them.
type crossing struct {
	t        *testing.T
	now      time.Duration
	servers  [2]*node.Server
	journals [2]bytes.Buffer
	said     [2][]string
	clients  []*wanderer
	arrive   []func()
	cut      [2]bool // nothing reaches the server
	sent     [2]int  // datagrams of the servers
	logs     [2]strings.Builder
	late     time.Duration // of the clock of the second server
	world    *fakebus.World
	dead     [2]bool          // the server does not run
	due      [2]time.Duration // when a server has something to do, if no datagram arrives before
}

// wanderer is one side of a player's client.
type wanderer struct {
	*engine.Host
	at     netcore.Addr
	orders []engine.TransferOrder
	ended  string
}

// steps answers the phases of a join, as the scripts of base do.
type steps struct {
	engine.NopScripts
	of *wanderer
}

func (s steps) Command(c *engine.Connection, name string, args []sim.Value) bool {
	if strings.HasPrefix(name, "MissionStartPhase") {
		_ = c.Commands.Send(engine.CommandOptions{}, sim.String(name+"Ack"), args[:1])
	}
	return true
}

func (s steps) ConnectionEnded(_ *engine.Connection, reason string, _ bool) { s.of.ended = reason }
func (s steps) ConnectFailed(_, reason string)                              { s.of.ended = reason }

// serverAt are the addresses of the servers.
var serverAt = [2]netcore.Addr{netcore.UDPAddr(netip.MustParseAddrPort("10.0.0.1:28000")), netcore.UDPAddr(netip.MustParseAddrPort("10.0.0.2:28000"))}

var peerNames = [2]string{"hub", "arena-2"}

// modInMemory returns a folder of mods with one of them. A file on a disk would take most of the
// time in which a server starts.
func modInMemory(name, manifest, source string) fs.FS {
	return fstest.MapFS{
		name + "/mod.toml":        {Data: []byte(fmt.Sprintf("name = %q\nversion = \"1.0.0\"\n%s\n", name, manifest))},
		name + "/server/init.lua": {Data: []byte(source)},
	}
}

func newCrossing(t *testing.T, change ...func(i int, c *node.Config)) *crossing {
	x := &crossing{t: t, world: fakebus.New(time.Millisecond)}
	mods := modInMemory("hub", "permissions = [\"transfer\"]", hub)
	var ids [2]seal.KeyPair
	for i := range ids {
		ids[i] = identityOf(t, byte(200+i))
	}
	for i := range 2 {
		seed := uint64(5)
		cfg := node.Config{
			Common: node.Common{
				Log:  slog.New(slog.NewTextHandler(&x.logs[i], nil)),
				Seed: &seed, Name: peerNames[i], Identity: &ids[i], Mods: []fs.FS{mods}, Strict: true,
				Output:  func(text string) { x.said[i] = append(x.said[i], text) },
				Resolve: engine.ResolveTo(serverAt[1-i]), Scripts: []node.Script{{Name: "start.cfg", Code: "mod.grant hub transfer"}},
			},
			Server: node.ServerConfig{
				Load: []string{"hub"}, Journal: &node.Journal{Writer: &x.journals[i]},
				Peers: []node.Peer{{Name: peerNames[1-i], Address: serverAt[1-i].String(), Key: ids[1-i].Public}},
			},
		}
		if i == 1 {
			cfg.Password = "secret"
		}
		for _, f := range change {
			f(i, &cfg)
		}
		var err error
		x.servers[i], err = node.NewServerOn(cfg, x.edge(byte(i), func() time.Duration { return time.Duration(i) * x.late }, func(to netcore.Addr, b []byte) { x.send(serverAt[i], to, b) }))
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, x.servers[i].Close()) })
	}
	return x
}

func identityOf(t *testing.T, seed byte) seal.KeyPair {
	id, err := seal.NewIdentity(rand.NewChaCha8([32]byte{seed}))
	require.NoError(t, err)
	return id
}

func (x *crossing) edge(seed byte, late func() time.Duration, send func(netcore.Addr, []byte)) node.Edge {
	return node.Edge{
		Clock: func() time.Duration { return x.now }, Date: func() time.Time { return time.Unix(1_000_000_000, 0).Add(x.now + late()) },
		Entropy: rand.NewChaCha8([32]byte{seed}), Send: send,
	}
}

// send delivers a datagram in the next millisecond.
func (x *crossing) send(from, to netcore.Addr, b []byte) {
	if i := slices.Index(serverAt[:], from); i >= 0 {
		x.sent[i]++
	}
	b = bytes.Clone(b)
	x.arrive = append(x.arrive, func() {
		if i := slices.Index(serverAt[:], to); i >= 0 {
			if !x.cut[i] {
				x.servers[i].Receive(from, b)
				x.due[i] = x.now
			}
			return
		}
		for _, w := range x.clients {
			if w.at == to {
				w.Receive(x.now, from, b)
			}
		}
	})
}

// client adds a side of a player's client.
func (x *crossing) client(name string, id seal.KeyPair) *wanderer {
	classes, err := core.NewClasses(nil)
	require.NoError(x.t, err)
	n := byte(10 + len(x.clients))
	w := &wanderer{at: netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, n}), 4000))}
	w.Host = engine.NewHost(engine.Config{
		Name: name, Classes: classes, Identity: id, Entropy: rand.NewChaCha8([32]byte{n}), NoInterpolation: true,
		Resolve: func(at string, done func([]netcore.Addr, error)) {
			a, err := netip.ParseAddrPort(at)
			done([]netcore.Addr{netcore.UDPAddr(a)}, err)
		},
		Trust:    func(string, seal.Key) error { return nil },
		Transfer: func(_ *engine.Connection, o engine.TransferOrder) { w.orders = append(w.orders, o) },
	})
	w.SetScripts(steps{of: w})
	x.clients = append(x.clients, w)
	return w
}

// run runs for a time. Like Run of a node, a server steps only when something arrives or is due,
// and as run begins: a test may have done something meanwhile.
func (x *crossing) run(d time.Duration) {
	x.t.Helper()
	x.due = [2]time.Duration{}
	for end := x.now + d; x.now < end; x.now += time.Millisecond {
		now := x.arrive
		x.arrive = nil
		for _, f := range now {
			f()
		}
		x.world.Advance(x.now)
		for i, s := range x.servers {
			if !x.dead[i] && x.now >= x.due[i] {
				require.NoError(x.t, s.Step())
				x.due[i] = s.Due()
			}
		}
		for _, w := range x.clients {
			if x.now%engine.TickTime == 0 {
				w.Tick(x.now)
			}
			w.Send(x.now, func(to netcore.Addr, b []byte) { x.send(w.at, to, b) })
		}
	}
}

// join lets a client join a server, and waits until it is in the game or has failed.
func (x *crossing) join(w *wanderer, address string, args engine.ConnectArgs) {
	x.t.Helper()
	require.NoError(x.t, w.Dialer.Connect(address, args))
	for range 40 {
		if x.run(100 * time.Millisecond); w.plays() || w.ended != "" {
			return
		}
	}
	require.Fail(x.t, "the join does not end")
}

func (w *wanderer) plays() bool {
	return w.Server() != nil && w.Server().Join.Phase() == engine.PhaseGame
}

// do sends a command to the server of a client.
func (w *wanderer) do(t *testing.T, name string, args ...sim.Value) {
	require.NoError(t, w.Server().Commands.Send(engine.CommandOptions{}, sim.String(name), args))
}

// end ends the servers, and returns their journals.
func (x *crossing) end() (texts [2][]byte) {
	for i := range x.servers {
		texts[i] = x.ends(i)
	}
	return texts
}

// ends ends a server, and returns its journal.
func (x *crossing) ends(i int) []byte {
	s := x.servers[i]
	s.Quit("over")
	var err error
	for end := x.now + 3*time.Second; err == nil && x.now < end; x.now += time.Millisecond {
		err = s.Step()
	}
	require.ErrorIs(x.t, err, io.EOF)
	require.NoError(x.t, s.Close())
	return x.journals[i].Bytes()
}

// replayAll ends both servers, and plays their journals again.
func (x *crossing) replayAll() {
	x.t.Helper()
	for _, text := range x.end() {
		x.replays(text)
	}
}

// replays plays a whole journal again.
func (x *crossing) replays(text []byte) *replay.Replay {
	x.t.Helper()
	r, err := runAgain(x.t, text, replay.Config{})
	assert.ErrorIs(x.t, err, io.EOF)
	assert.Empty(x.t, r.Difference())
	assert.True(x.t, r.Whole())
	return r
}

// lacks searches a journal for the secret of the two servers.
func (x *crossing) lacks(text, secret []byte) {
	x.t.Helper()
	entries, err := journal.NewReader(bytes.NewReader(text))
	require.NoError(x.t, err)
	for {
		e, err := entries.Next()
		if err != nil {
			return
		}
		require.False(x.t, bytes.Contains(e.Data, secret), "kind %d has the secret of both servers", e.Kind)
	}
}

// TestTransferBetweenServers sends a player to a server with a password. Both journals replay, and
// neither has the secret that the servers share.
func TestTransferBetweenServers(t *testing.T) {
	t.Parallel()
	x := newCrossing(t)
	ann := identityOf(t, 1)
	first := x.client("Ann", ann)
	x.join(first, serverAt[0].String(), engine.ConnectArgs{})
	require.True(t, first.plays())
	first.do(t, "Go", sim.String("arena-2"))
	x.run(300 * time.Millisecond)
	require.Len(t, first.orders, 1)
	o := first.orders[0]
	assert.Equal(t, "arena-2", o.Name)
	assert.Equal(t, serverAt[1].String(), o.Address)

	second := x.client("Ann", ann)
	x.join(second, o.Address+"#"+o.Key.String(), engine.ConnectArgs{Ticket: o.Ticket})
	require.True(t, second.plays(), second.ended)
	x.run(300 * time.Millisecond)
	assert.Equal(t, []string{"asked\thub\t7", "in the game"}, x.said[1])
	first.Server().AnswerTransfer("")
	second.Server().Arrive()
	x.run(300 * time.Millisecond)
	assert.Equal(t, []string{"go\ttrue", "done\ttrue\tnil", "drop\ttransferred to arena-2"}, x.said[0])
	assert.Equal(t, "arrived\thub\t7", x.said[1][2])

	secret, err := identityOf(t, 200).Agent().Exchange(x.key(1))
	require.NoError(t, err)
	for _, text := range x.end() {
		x.replays(text)
		x.lacks(text, secret)
	}
}

// key returns the public key of a server.
func (x *crossing) key(i int) []byte {
	k := x.servers[i].Key()
	return k[:]
}
