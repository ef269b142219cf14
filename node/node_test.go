package node_test

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

func TestMain(m *testing.M) {
	testenv.Parallel(16)
	os.Exit(m.Run())
}

// TestTwoServersAndThreeClients runs two servers and three clients in one process. After they are
// closed, none of their goroutines is left.
func TestTwoServersAndThreeClients(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	one, two := nodetest.StartServer(t, node.Config{Common: node.Common{Register: register}}), nodetest.StartServer(t, node.Config{Common: node.Common{Data: t.TempDir()}, Server: node.ServerConfig{Metrics: "127.0.0.1:0"}})
	one.Host().World().Add(&Beacon{Level: 3})
	ended := []<-chan error{nodetest.Runs(one.Run), nodetest.Runs(two.Run)}
	ann := nodetest.NewClient(t, node.Config{
		Common: node.Common{Name: "Ann", Register: register},
		Client: node.ClientConfig{Address: one.Address()},
	})
	bob := nodetest.NewClient(t, node.Config{
		Common: node.Common{Name: "Bob", Register: register, Data: t.TempDir()},
		Client: node.ClientConfig{Address: one.Address()},
	})
	eve := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Eve"}, Client: node.ClientConfig{Address: two.Address(), Wander: true}})
	for _, c := range []*node.Client{ann, bob, eve} {
		ended = append(ended, nodetest.Runs(c.Run))
	}
	for _, c := range []*node.Client{ann, bob, eve} {
		nodetest.Eventually(t, c.Do, "a client is in the game", c.Ready)
	}
	for _, c := range []*node.Client{ann, bob} {
		nodetest.Eventually(t, c.Do, "a client sees the beacon", func() bool {
			beacon := c.Host().World().Classes().Lookup("Beacon")
			found := false
			c.Host().World().Each(beacon, func(o sim.Object) bool { found = o.(*Beacon).Level == 3; return !found })
			return found
		})
	}
	names := func(s *node.Server) (names []string) {
		require.NoError(t, s.Do(func() {
			for _, c := range s.Host().Connections() {
				names = append(names, c.PlayerName)
			}
		}))
		return names
	}
	assert.ElementsMatch(t, []string{"Ann", "Bob"}, names(one), "they join at once")
	assert.Equal(t, []string{"Eve"}, names(two))

	require.NoError(t, ann.Close())
	require.NoError(t, one.Close())
	require.NoError(t, eve.Do(func() { eve.Quit("") }))
	for _, i := range []int{2, 0, 3, 4} {
		assert.NoError(t, <-ended[i], i)
	}
	require.NoError(t, bob.Close())
	require.NoError(t, eve.Close())
	require.NoError(t, two.Close())
	assert.NoError(t, <-ended[1])
	assert.ErrorIs(t, two.Do(func() {}), node.ErrEnded)
	for limit := testenv.Limit(t); runtime.NumGoroutine() > goroutines && !testenv.Expired(limit); testenv.Pause() {
	}
	if runtime.NumGoroutine() > goroutines {
		var stacks strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
		t.Fatal("goroutines are left:\n" + stacks.String())
	}
}

// TestBansOfAddresses bans an address, and a player who has left.
func TestBansOfAddresses(t *testing.T) {
	t.Parallel()
	s := nodetest.StartServer(t, node.Config{})
	nodetest.Runs(s.Run)
	line := func(line string) string { return onConsole(t, s, line) }
	refused := func(cfg node.Config) error {
		cfg.Client.Address = s.Address()
		return nodetest.NewClient(t, cfg).Run(context.Background())
	}
	ann := nodetest.NewClient(t, node.Config{
		Common: node.Common{Name: "Ann", Data: t.TempDir()},
		Client: node.ClientConfig{Address: s.Address()},
	})
	ended := nodetest.Runs(ann.Run)
	nodetest.Eventually(t, ann.Do, "Ann is in the game", ann.Ready)
	line("ban 127.0.0.0/8 10m rude")
	assert.ErrorContains(t, <-ended, "kicked: banned: rude (for 10m0s)")
	assert.ErrorContains(t, refused(node.Config{Common: node.Common{Name: "Eve"}}), "banned: rude (for ", "a new key does not help")
	assert.Contains(t, line("bans"), "127.0.0.0/8 for ")
	line("unban 127.0.0.0/8")
	assert.Empty(t, line("bans"))

	bob := nodetest.NewClient(t, node.Config{
		Common: node.Common{Name: "Bob", Data: t.TempDir()},
		Client: node.ClientConfig{Address: s.Address()},
	})
	ended = nodetest.Runs(bob.Run)
	nodetest.Eventually(t, bob.Do, "Bob is in the game", bob.Ready)
	key := bob.Host().Identity().Public.String()
	require.NoError(t, bob.Do(func() { bob.Quit("") }))
	require.NoError(t, <-ended)
	nodetest.Eventually(t, s.Do, "Bob has left", func() bool { return len(s.Host().Connections()) == 0 })
	list := strings.Split(line("recent"), "\n")
	require.Len(t, list, 2)
	assert.Regexp(t, `^\d+ Bob 127\.0\.0\.1:\d+ \d+s `+key+"$", list[0], "the newest is first")
	assert.Regexp(t, `^\d+ Ann `, list[1])
	line("ban bob forever left too soon")
	assert.Equal(t, key+" forever Bob left too soon", line("bans"))
	id, _, _ := strings.Cut(list[1], " ")
	line("ban " + id)
	assert.Contains(t, line("bans"), " forever Ann")
}

// TestPlayersOfEarlierRunsAreBanned: who was here before a restart can be banned by name: a player
// who had left, and one who was in the game.
func TestPlayersOfEarlierRunsAreBanned(t *testing.T) {
	cfg := node.Config{Common: node.Common{Data: t.TempDir()}}
	v := nodetest.NewVirtual(t, cfg, 3)
	v.Banned = [64]bool{true, true, true}
	v.Run(t, 2*time.Second)
	require.Len(t, v.Server.Host().Connections(), 3)
	gone := map[string]string{"a": v.Clients[0].Host().Identity().Public.String(), "b": v.Clients[1].Host().Identity().Public.String()}
	v.Clients[0].Quit("")
	v.Run(t, time.Second)
	require.Len(t, v.Server.Host().Connections(), 2)
	require.NoError(t, v.Server.Close())

	again := nodetest.NewVirtual(t, cfg, 0)
	again.Now = v.Now
	for name, key := range gone {
		_, err := again.Server.Console().Exec("ban " + name + " 7d")
		require.NoError(t, err)
		bans, err := again.Server.Console().Exec("bans")
		require.NoError(t, err)
		assert.Contains(t, bans, key)
		recent, err := again.Server.Console().Exec("recent " + name)
		require.NoError(t, err)
		assert.Regexp(t, `^- `+strings.ToUpper(name)+` 192\.0\.2\.\d:\d+ \d+s `+key+"$", recent)
	}
	recent, err := again.Server.Console().Exec("recent 2")
	require.NoError(t, err)
	assert.Len(t, strings.Split(recent, "\n"), 2)
}

// TestPlayersWithThePasswordNeverWait: whoever gave the password once, also before a restart, is
// not stopped by wrong passwords from the same address. The audit log has the guesses.
func TestPlayersWithThePasswordNeverWait(t *testing.T) {
	t.Parallel()
	folder, home := t.TempDir(), t.TempDir()
	for run := range 2 {
		s := nodetest.StartServer(t, node.Config{Common: node.Common{Data: folder, Password: "sesame"}})
		require.NoError(t, s.Console().Set("net.limitLoopback", "true"))
		ended := nodetest.Runs(s.Run)
		join := func(name, data, password string) error {
			c := nodetest.NewClient(t, node.Config{
				Common: node.Common{Name: name, Data: data, Password: password},
				Client: node.ClientConfig{Address: s.Address()},
			})
			left := nodetest.Runs(c.Run)
			for limit := testenv.Limit(t); !testenv.Expired(limit); testenv.Pause() {
				err := c.Do(func() {
					if c.Ready() {
						c.Quit("")
					}
				})
				if err != nil {
					break
				}
			}
			err := <-left
			require.NoError(t, c.Close())
			return err
		}
		if run == 0 {
			require.NoError(t, join("Ann", home, "sesame"))
		} else {
			for range 5 {
				assert.ErrorContains(t, join("Eve", "", "guess"), "wrong password")
			}
			assert.ErrorContains(t, join("Bob", "", "sesame"), "too many wrong passwords from your address: try again in")
			assert.NoError(t, join("Ann", home, "sesame"))
			var audit string
			require.NoError(t, s.Do(func() { audit, _ = s.Console().Exec("audit 1") }))
			assert.Contains(t, audit, "too many wrong passwords: 127.0.0.1:")
			assert.Contains(t, audit, " pauses for 1m0s")
		}
		require.NoError(t, s.Do(func() { s.Quit("") }))
		<-ended
		require.NoError(t, s.Close())
	}
}

// TestAllowedPlayers: while sv.allowedOnly is on, only listed keys and addresses join. The lists
// survive a restart.
func TestAllowedPlayers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := nodetest.StartServer(t, node.Config{Common: node.Common{Data: folder}})
	ended := nodetest.Runs(s.Run)
	line := func(line string) string { return onConsole(t, s, line) }
	ann := nodetest.NewClient(t, node.Config{
		Common: node.Common{Name: "Ann", Data: t.TempDir()},
		Client: node.ClientConfig{Address: s.Address()},
	})
	nodetest.Runs(ann.Run)
	nodetest.Eventually(t, ann.Do, "Ann is in the game", ann.Ready)
	line("sv.allowedOnly true")
	line("mute Ann 1h noise")
	const refused = "only players whom the operator has allowed can join this server"
	assert.ErrorContains(t, nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Eve"}, Client: node.ClientConfig{Address: s.Address()}}).Run(context.Background()), refused)
	bob := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Bob"}, Client: node.ClientConfig{Address: s.Address()}})
	line("allow " + bob.Host().Identity().Public.String() + " 1h a guest")
	nodetest.Runs(bob.Run)
	nodetest.Eventually(t, bob.Do, "Bob is in the game", bob.Ready)
	assert.Regexp(t, ` for (1h0m0s|59m\d+s)  a guest`, line("allowed"), "the machine can be busy for a while")
	line("disallow " + bob.Host().Identity().Public.String())
	assert.Empty(t, line("allowed"))
	line("allow 127.0.0.0/8")
	eve := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Eve"}, Client: node.ClientConfig{Address: s.Address()}})
	nodetest.Runs(eve.Run)
	nodetest.Eventually(t, eve.Do, "Eve is in the game", eve.Ready)
	require.NoError(t, s.Do(func() { s.Quit("") }))
	<-ended
	require.NoError(t, s.Close())

	s = nodetest.StartServer(t, node.Config{Common: node.Common{Data: folder}})
	ended = nodetest.Runs(s.Run)
	assert.Equal(t, "127.0.0.0/8 forever", line("allowed"))
	assert.Contains(t, line("mutes"), " Ann noise")
	require.NoError(t, s.Do(func() { s.Quit("") }))
	<-ended
}

// TestReservedPlaces: strangers and bots leave places to players who hold a role or were here
// before, also after a restart.
func TestReservedPlaces(t *testing.T) {
	t.Parallel()
	folder, home := t.TempDir(), t.TempDir()
	cfg := node.Config{Common: node.Common{Data: folder, Vars: []node.Var{{Name: "sv.reserved", Value: "2"}, {Name: "sv.bots", Value: "1"}}},
		Server: node.ServerConfig{MaxClients: 4}}
	const refused = "server is full (4) for new players: 2 places are kept for those who were here before"
	client := func(s *node.Server, name, data string) *node.Client {
		return nodetest.NewClient(t, node.Config{Common: node.Common{Name: name, Data: data}, Client: node.ClientConfig{Address: s.Address()}})
	}
	for run := range 2 {
		s := nodetest.StartServer(t, cfg)
		ended := nodetest.Runs(s.Run)
		nodetest.Eventually(t, s.Do, "the bot is here", func() bool { return len(s.Host().Connections()) == 1 })
		mo, eve := client(s, "Mo", ""), client(s, "Eve", "")
		joins := func(c *node.Client) {
			nodetest.Runs(c.Run)
			nodetest.Eventually(t, c.Do, "it is in the game", c.Ready)
		}
		if run == 0 {
			ann := client(s, "Ann", home)
			joins(ann)
			assert.ErrorContains(t, client(s, "Bob", "").Run(context.Background()), refused, "a bot and a stranger have the other places")
			require.NoError(t, ann.Close())
			nodetest.Eventually(t, s.Do, "Ann is gone", func() bool { return len(s.Host().Connections()) == 1 })
		}
		joins(eve)
		assert.ErrorContains(t, client(s, "Bob", "").Run(context.Background()), refused)
		onConsole(t, s, "role.give "+mo.Host().Identity().Public.String()+" keeper")
		joins(mo)
		if run == 1 {
			joins(client(s, "Ann", home))
			assert.ErrorContains(t, client(s, "Bob", "").Run(context.Background()), "server is full (4)")
		}
		require.NoError(t, s.Do(func() { s.Quit("") }))
		<-ended
		require.NoError(t, s.Close())
	}
}

// TestTwoClientsOnOneFolder: the second one takes a temporary key and says so. So both play.
func TestTwoClientsOnOneFolder(t *testing.T) {
	t.Parallel()
	s := nodetest.StartServer(t, node.Config{})
	nodetest.Runs(s.Run)
	folder := t.TempDir()
	var log strings.Builder
	first := nodetest.NewClient(t, node.Config{
		Common: node.Common{Name: "Ann", Data: folder},
		Client: node.ClientConfig{Address: s.Address()},
	})
	second := nodetest.NewClient(t, node.Config{
		Common: node.Common{Name: "Bob", Data: folder, Log: slog.New(slog.NewTextHandler(&log, nil))},
		Client: node.ClientConfig{Address: s.Address()},
	})
	assert.Contains(t, log.String(), "another client uses the data folder: this one takes a temporary key")
	for _, c := range []*node.Client{first, second} {
		nodetest.Runs(c.Run)
		nodetest.Eventually(t, c.Do, "in the game", c.Ready)
	}
	assert.NotEqual(t, first.Host().Identity().Public, second.Host().Identity().Public)
	assert.NotNil(t, first.Host().Server(), "nobody replaced it")
}

// TestEveryAddressOfANameIsTried: a client finds a server that has only the second address of its
// name.
func TestEveryAddressOfANameIsTried(t *testing.T) {
	t.Parallel()
	s, err := node.NewServer(node.Config{Server: node.ServerConfig{Listen: "[::1]:0"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Start(); err != nil {
		t.Skip("no IPv6 here: ", err)
	}
	nodetest.Runs(s.Run)
	four := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), s.Addr().Port())
	c := nodetest.NewClient(t, node.Config{
		Client: node.ClientConfig{Address: fmt.Sprintf("localhost:%d#%s", s.Addr().Port(), s.Key())},
		Common: node.Common{Resolve: engine.ResolveTo(netcore.UDPAddr(four), netcore.UDPAddr(s.Addr()))},
	})
	nodetest.Runs(c.Run)
	nodetest.Eventually(t, c.Do, "the client is in the game", c.Ready)
}

// TestDeadNameServer: a node runs on while a name has no answer, and the connect fails in time.
func TestDeadNameServer(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	c := nodetest.NewClient(t, node.Config{
		Client: node.ClientConfig{Address: "nowhere.invalid:28000", Timeout: 2 * time.Second},
		Common: node.Common{Resolve: func(string, func([]netcore.Addr, error)) { close(asked) }},
	})
	ended := nodetest.Runs(c.Run)
	<-asked
	require.NoError(t, c.Do(func() {}), "the goroutine of Run is free")
	var refused *node.ConnectError
	require.ErrorAs(t, <-ended, &refused)
	assert.ErrorContains(t, refused, "nowhere.invalid:28000: the name was not resolved in time")
}

// TestLocalClient checks that a server and its local client play without a socket and without a
// file.
func TestLocalClient(t *testing.T) {
	t.Parallel()
	mods := fstest.MapFS{
		"m/mod.toml":        {Data: []byte("name = 'm'\nversion = '1.0.0'\n")},
		"m/server/init.lua": {Data: []byte(`function GameConnection.onConnect(c) echo("roles: " .. table.concat(c.roles, " ")) end`)},
	}
	var printed []string
	s, err := node.NewServer(node.Config{
		Common: node.Common{Mods: []fs.FS{mods}, Strict: true, Output: func(text string) { printed = append(printed, text) }},
		Server: node.ServerConfig{Load: []string{"m"}},
	})
	require.NoError(t, err)
	c, err := node.NewLocalClient(s, node.Config{Common: node.Common{Name: "Ann"}})
	require.NoError(t, err)
	assert.Error(t, c.Run(context.Background()), "the server runs it")
	ended := nodetest.Runs(s.Run)
	nodetest.Eventually(t, c.Do, "the client is in the game", c.Ready)
	require.NoError(t, s.Do(func() {
		assert.Equal(t, engine.PhaseGame, c.Host().Server().Join.Phase())
		_, err := s.Console().Exec("pause on")
		assert.NoError(t, err)
	}))
	nodetest.Eventually(t, c.Do, "the client is paused", func() bool { return slices.Contains(printed, "the game is paused") })
	require.NoError(t, s.Do(func() {
		assert.Equal(t, "the game is paused", c.Line().Text)
		_, err := s.Console().Exec("pause off")
		assert.NoError(t, err)
	}))
	nodetest.Eventually(t, c.Do, "the client goes on", func() bool { return slices.Contains(printed, "the game goes on") })
	require.NoError(t, s.Do(func() {
		_, err := s.Console().Exec("quit")
		assert.NoError(t, err)
	}))
	require.NoError(t, <-ended)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "a second call does nothing")
	assert.Contains(t, printed, "roles: admin", "mods take a local client for an admin")
	assert.Contains(t, printed, "connected to local")
}

// TestSlowStartIsNotLate: a server whose mods take seconds to load has no late tick, and warns of
// nothing.
func TestSlowStartIsNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := node.NewServer(node.Config{})
		require.NoError(t, err)
		_, err = node.NewLocalClient(s, node.Config{})
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		ended := nodetest.Runs(s.Run)
		time.Sleep(time.Second)
		assert.Contains(t, onConsole(t, s, "status"), ", 0 late, 0 skipped\n")
		assert.Contains(t, onConsole(t, s, "status"), "\nwarnings 0")
		require.NoError(t, s.Do(func() { _, _ = s.Console().Exec("quit") }))
		require.NoError(t, <-ended)
		require.NoError(t, s.Close())
	})
}

func TestErrorsNameTheField(t *testing.T) {
	for field, cfg := range map[string]node.Config{
		"Load":    {Server: node.ServerConfig{Load: []string{"nosuch"}}},
		"Vars":    {Common: node.Common{Vars: []node.Var{{Name: "net.rate", Value: "x"}}}},
		"Metrics": {Server: node.ServerConfig{Metrics: "9100"}},
	} {
		s, err := node.NewServer(cfg)
		require.NoError(t, err)
		var c *node.ConfigError
		if assert.ErrorAs(t, s.Run(context.Background()), &c, field) {
			assert.Equal(t, field, c.Field)
		}
		require.NoError(t, s.Close())
	}
	_, err := node.NewClient(node.Config{})
	assert.ErrorContains(t, err, "Address")
}

// TestBrokenBase checks that a server and a client without base say why it is not loaded.
func TestBrokenBase(t *testing.T) {
	broken := fstest.MapFS{
		"base/mod.toml":        {Data: []byte("name = \"base\"\nversion = \"1.0.0\"\n")},
		"base/shared/init.lua": {Data: []byte("local x\nx.y = 1")},
	}
	cfg := node.Config{Common: node.Common{Mods: []fs.FS{broken}}, Client: node.ClientConfig{Address: "127.0.0.1:1"}}
	s, err := node.NewServer(cfg)
	require.NoError(t, err)
	defer s.Close()
	c, err := node.NewClient(cfg)
	require.NoError(t, err)
	defer c.Close()
	for _, start := range []func() error{s.Start, func() error { return c.Run(context.Background()) }} {
		assert.EqualError(t, start(), "the mod base is not loaded, and every mod needs it: mods/base/shared/init.lua:2: attempt to index local 'x' (a nil value)")
	}
}

// TestGarbageRefusesNoMods checks that a server loads its mods in a process whose heap is beyond
// mod.maxHeap only with garbage.
func TestGarbageRefusesNoMods(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	_, live := nodetest.Size()
	var garbage []byte
	for range 128 {
		garbage = make([]byte, 1<<20)
	}
	runtime.KeepAlive(garbage)
	s, err := node.NewServer(node.Config{Common: node.Common{Vars: []node.Var{{Name: "mod.maxHeap", Value: fmt.Sprint(live>>20 + 64)}}}})
	require.NoError(t, err)
	defer s.Close()
	assert.NoError(t, s.Start())
}

// TestStartFailsOnce checks that Start fails again after a failure, so Run does not run half a
// node. A closed node opens no socket.
func TestStartFailsOnce(t *testing.T) {
	s, err := node.NewServer(node.Config{Server: node.ServerConfig{Load: []string{"nosuch"}}})
	require.NoError(t, err)
	failed := s.Start()
	require.Error(t, failed)
	assert.Equal(t, failed, s.Run(context.Background()))
	require.NoError(t, s.Close())
	assert.ErrorIs(t, s.Run(context.Background()), node.ErrEnded)

	s, err = node.NewServer(node.Config{Server: node.ServerConfig{Listen: "127.0.0.1:0"}})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	assert.ErrorIs(t, s.Start(), node.ErrEnded)
	assert.False(t, s.Addr().IsValid())
}

// TestServerWithoutSocket checks that a server without a socket cannot join another server.
func TestServerWithoutSocket(t *testing.T) {
	s, err := node.NewServer(node.Config{})
	require.NoError(t, err)
	_, err = s.Console().Exec("connect 127.0.0.1:28000")
	assert.ErrorContains(t, err, "cannot connect to servers")
	require.NoError(t, s.Close())
}

// TestLocalClientFails checks that a server runs on if its local client cannot be made.
func TestLocalClientFails(t *testing.T) {
	s, err := node.NewServer(node.Config{Common: node.Common{Data: t.TempDir()}})
	require.NoError(t, err)
	twice := []console.Command{{Name: "quit", Run: func([]string) (string, error) { return "", nil }}}
	_, err = node.NewLocalClient(s, node.Config{Common: node.Common{Commands: twice, Data: t.TempDir()}})
	require.Error(t, err)
	ended := nodetest.Runs(s.Run)
	nodetest.Eventually(t, s.Do, "the server is ready", s.Ready)
	require.NoError(t, s.Close())
	assert.NoError(t, <-ended)
}

// TestConnectError checks that a client that cannot connect returns the reason.
func TestConnectError(t *testing.T) {
	t.Parallel()
	s := nodetest.StartServer(t, node.Config{Common: node.Common{Password: "secret"}})
	ended := nodetest.Runs(s.Run)
	c := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Ann"}, Client: node.ClientConfig{Address: s.Address()}})
	err := c.Run(context.Background())
	var refused *node.ConnectError
	require.ErrorAs(t, err, &refused)
	assert.ErrorContains(t, err, "this server needs a password")
	require.NoError(t, s.Close())
	require.NoError(t, <-ended)
}

// TestReadme checks that the README shows the example unchanged.
func TestReadme(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, example, _ := strings.Cut(string(source), "\n)\n\n")
	assert.True(t, strings.Contains(string(readme), "```go\n"+example+"```\n"), "README.md must have the code of example_test.go below its imports")
}
