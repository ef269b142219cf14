package main

import (
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// half is a server or a client of a table: its host, its console and their output.
type half struct {
	t       testing.TB
	host    *engine.Host
	console *console.Console
	scripts *script.Scripts
	out     []string // script output, read line by line
	log     []string // warnings and errors
}

// compiled has the compiled files of all halves. Each test compiles the mods only if no other did.
var compiled = vm.NewShared(new(sync.Mutex))

// newHalf makes a server or client with the mods of the folder. It does not depend on real time.
func newHalf(t testing.TB, seed uint64, server bool, folder fs.FS) *half {
	return newHalfWith(t, seed, server, script.Setup{Mods: []fs.FS{folder}})
}

// newHalfWith is newHalf with the given mods and clocks.
func newHalfWith(t testing.TB, seed uint64, server bool, setup script.Setup) *half {
	h := &half{t: t}
	classes := sim.NewClasses()
	require.NoError(t, engine.Register(classes))
	require.NoError(t, game.Register(classes))
	entropy := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	id, err := seal.NewIdentity(entropy)
	require.NoError(t, err)
	print := func(line string) { h.out = append(h.out, line) }
	h.console = console.New(print)
	h.host = engine.NewHost(engine.Config{
		Server: server, Name: "Ann", Classes: classes, Identity: id, Entropy: entropy, Seed: seed,
		Resolve: engine.ResolveTo(netcore.SimAddr(1)),
		Trust:   func(string, seal.Key) error { return nil },
		Log:     slog.New(slog.NewTextHandler(logLines{&h.log}, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	require.NoError(t, h.host.Bind(h.console))
	setup.Engine, setup.Console, setup.Protos = h.host, h.console, compiled.Protos()
	setup.Seed, setup.Echo, setup.Parts = seed, print, script.NewParts(nil)
	setup.Log = func(level slog.Level, msg string, args ...any) {
		if level >= slog.LevelWarn {
			h.log = append(h.log, fmt.Sprint(append([]any{msg}, args...)...))
		}
	}
	h.scripts, err = script.NewScripts(setup)
	require.NoError(t, err)
	h.host.SetScripts(h.scripts.Hooks())
	return h
}

type logLines struct{ to *[]string }

func (l logLines) Write(line []byte) (int, error) {
	*l.to = append(*l.to, string(line))
	return len(line), nil
}

// say runs a line of the console and returns what it printed.
func (h *half) say(line string) string {
	h.t.Helper()
	h.lines()
	out, err := h.console.Exec(line)
	require.NoError(h.t, err, line)
	if out != "" {
		h.out = append(h.out, out)
	}
	return strings.Join(h.lines(), "\n")
}

// lines returns the output since the last call.
func (h *half) lines() []string {
	lines := h.out
	h.out = nil
	return lines
}

// each calls do for each object of a class.
func (h *half) each(class string, do func(sim.Object)) {
	w := h.host.World()
	w.Each(w.Classes().Lookup(class), func(o sim.Object) bool {
		do(o)
		return true
	})
}

// table is a server with a mod, on a simulated network with simulated time.
type table struct {
	*half
	net *netsim.Network
	now netcore.Time
}

func newTable(t testing.TB, seed uint64, mod string) *table {
	return newTableOf(newHalf(t, seed, true, mods.FS()), seed, mod)
}

// newTableOf is newTable for a server.
func newTableOf(server *half, seed uint64, mod string) *table {
	t := server.t
	b := &table{server, netsim.New(seed), 0}
	b.net.Attach(netcore.SimAddr(1), b.host)
	require.Empty(t, b.scripts.LoadMods("base", mod))
	b.host.SetMods(b.scripts.ModInfos())
	return b
}

// join adds a client that has only the mod base.
func (b *table) join(name string, n uint16) *half {
	c := newHalf(b.t, uint64(n)<<8, false, onlyBase(b.t))
	require.Empty(b.t, c.scripts.LoadMods("base"))
	b.net.Attach(netcore.SimAddr(n), c.host)
	b.net.Link(netcore.SimAddr(n), netcore.SimAddr(1), netcore.LinkParams{Delay: 20 * time.Millisecond}, netcore.LinkParams{Delay: 20 * time.Millisecond})
	require.NoError(b.t, c.host.Dialer.Connect("x:1", engine.ConnectArgs{Name: name}))
	b.until(time.Minute, func() {}, func() bool { return c.host.Server() != nil && c.host.Server().Join.Phase() == engine.PhaseGame })
	return c
}

// onlyBase is a mod folder that holds only base.
func onlyBase(t testing.TB) fs.FS {
	folder, err := baseFolder()
	require.NoError(t, err)
	return folder
}

var baseFolder = sync.OnceValues(func() (fs.FS, error) {
	folder := fstest.MapFS{}
	return folder, fs.WalkDir(mods.FS(), "base", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(mods.FS(), name)
		folder[name] = &fstest.MapFile{Data: data}
		return err
	})
})

// tick runs one tick of the server and all clients.
func (b *table) tick() {
	b.now += engine.TickTime
	b.net.Run(b.now, engine.TickTime)
}

// run advances the simulated time by d.
func (b *table) run(d time.Duration) {
	for end := b.now + d; b.now < end; {
		b.tick()
	}
}

// until ticks until done returns true, at most for the time most. It calls watch after each tick.
func (b *table) until(most time.Duration, watch func(), done func() bool) {
	b.t.Helper()
	for end := b.now + most; !done(); {
		require.Less(b.t, b.now, end, "not done after %v\n%s", most, strings.Join(b.log, "\n"))
		b.tick()
		watch()
	}
}

// field returns a field of an object, as scripts see it.
func field(t testing.TB, o sim.Object, name string) sim.Value {
	f, err := o.Ident().Class().Field(name)
	require.NoError(t, err)
	return f.Get(o)
}

// addBots adds n bots.
func (b *table) addBots(n int) {
	b.say(fmt.Sprintf(`for i = 1, %d do addBot("Bot " .. i) end`, n))
}

// referee prints one line for each event of a match that its rules depend on.
const referee = `
function score() local m = import("ctf").match() return m.points[1] .. ":" .. m.points[2] end
function onMatchStart() echo("start", score()) end
function onMatchEnd(winner) echo("end", score(), winner or 0) end
function onFlagTaken(flag, player) echo("taken", flag.team, player.team, player.id) end
function onFlagDropped(flag) echo("dropped", flag.team) end
function onFlagReturned(flag) echo("returned", flag.team) end
function onFlagCaptured(flag, player)
  for own in objects "Flag" do
    if own.team == player.team then echo("captured", flag.team, player.team, player.id, own.home) end
  end
end`

// book is the state of a match, computed from its events.
type book struct {
	t       testing.TB
	running bool
	ended   bool
	winner  int
	points  [3]int // by team
	holder  [3]int // of a team's flag: the player's id, 0 for none
	away    [3]bool
	takes   int
	begun   netcore.Time
}

// enter records an event and fails if the rules do not allow it.
func (k *book) enter(now netcore.Time, line string) {
	event, rest, _ := strings.Cut(line, "\t")
	var flag, team, player int
	switch event {
	case "start":
		assert.Equal(k.t, "0:0", rest)
		*k = book{t: k.t, running: true, begun: now}
	case "taken":
		fmt.Sscan(rest, &flag, &team, &player)
		assert.NotEqual(k.t, flag, team, "a flag is taken by the other team")
		assert.Zero(k.t, k.holder[flag], "a flag has one holder")
		assert.NotContains(k.t, k.holder, player, "a player holds one flag")
		k.holder[flag], k.away[flag] = player, true
		k.takes++
	case "dropped":
		fmt.Sscan(rest, &flag)
		assert.NotZero(k.t, k.holder[flag], "what is dropped was held")
		k.holder[flag] = 0
	case "returned":
		fmt.Sscan(rest, &flag)
		assert.True(k.t, k.away[flag] && k.holder[flag] == 0, "what returns lay about")
		k.away[flag] = false
	case "captured":
		var home bool
		fmt.Sscan(rest, &flag, &team, &player, &home)
		assert.Equal(k.t, player, k.holder[flag], "who captures had the flag")
		assert.Equal(k.t, 3-flag, team)
		assert.True(k.t, home && !k.away[team], "his own flag is home")
		k.holder[flag], k.away[flag] = 0, false
		k.points[team]++
	case "end":
		var red, blue int
		fmt.Sscanf(rest, "%d:%d\t%d", &red, &blue, &k.winner)
		assert.Equal(k.t, k.points, [3]int{0, red, blue}, "the score is what was captured")
		k.running, k.ended = false, true
	}
	assert.True(k.t, k.running || k.ended || event == "dropped" || event == "returned", "%s outside of a match", line)
}

// look compares the flags with the book.
func (k *book) look(b *table) {
	b.each("Flag", func(o sim.Object) {
		team := int(field(k.t, o, "team").Number())
		carrier, home := field(k.t, o, "carrier").Object(), field(k.t, o, "home").Bool()
		if k.running {
			assert.Equal(k.t, sim.ID(k.holder[team]), carrier)
			assert.Equal(k.t, !k.away[team], home)
		}
		if carrier == 0 {
			return
		}
		player := b.host.World().Find(carrier)
		if assert.NotNil(k.t, player) {
			assert.Equal(k.t, float64(3-team), field(k.t, player, "team").Number())
			assert.Less(k.t, field(k.t, player, "position").Vec().Sub(field(k.t, o, "position").Vec()).Len(), 4.0)
		}
	})
}

// TestBotsPlayCaptureTheFlag lets bots play a match of capture the flag to its end, and checks the
// rules: six bots on one map, or eight on each in the long form.
func TestBotsPlayCaptureTheFlag(t *testing.T) {
	t.Parallel()
	for seed := range testenv.Seeds(t, 1, 3) {
		for _, mission := range []string{"valley", "ridge"}[:testenv.Length(1, 2)] {
			t.Run(fmt.Sprint(mission, " ", seed), func(t *testing.T) { playToTheEnd(t, seed, mission) })
		}
	}
}

func playToTheEnd(t *testing.T, seed uint64, mission string) {
	goal := testenv.Length(1, 2)
	const limit = 6 * time.Minute
	b := newTable(t, seed, "ctf")
	b.say(referee)
	b.say(fmt.Sprint("ctf.scoreLimit = ", goal))
	b.say(`ctf.timeLimit = 6`)
	b.say("mission " + mission)
	b.addBots(testenv.Length(6, 8))
	k := &book{t: t}
	b.until(2*limit, func() {
		for _, line := range b.lines() {
			k.enter(b.now, line)
		}
		k.look(b)
	}, func() bool { return k.ended || t.Failed() })
	assert.LessOrEqual(t, b.now-k.begun, limit+time.Second)
	assert.True(t, max(k.points[1], k.points[2]) == goal || b.now-k.begun >= limit, "the limit of points or of time ends it")
	assert.Greater(t, k.takes, 0, "flags are what it is about")
	assert.True(t, k.points[1]+k.points[2] > 0 || seed > 0, "somebody scores, though not in every match that there can be")
	switch red, blue := k.points[1], k.points[2]; {
	case red > blue:
		assert.Equal(t, 1, k.winner)
	case blue > red:
		assert.Equal(t, 2, k.winner)
	default:
		assert.Zero(t, k.winner)
	}
	assert.Empty(t, b.log)
}

// TestBotsPlayDeathmatch lets four bots play a round of deathmatch to its end. The winner has the
// required number of frags, and frags never decrease.
func TestBotsPlayDeathmatch(t *testing.T) {
	t.Parallel()
	b := newTable(t, 1, "deathmatch")
	b.say(`dm.fragLimit = 3`)
	b.addBots(4)
	won := ""
	frags := map[string]int{}
	b.say(`function onFrag(client) echo("frag", client.name) end
		function onRoundEnd(winner, frags) echo("won", winner.name, frags) end`)
	b.until(10*time.Minute, func() {
		for _, line := range b.lines() {
			switch event, rest, _ := strings.Cut(line, "\t"); event {
			case "frag":
				frags[rest]++
			case "won":
				won = rest
			}
		}
	}, func() bool { return won != "" })
	name, n, _ := strings.Cut(won, "\t")
	assert.Equal(t, "3", n)
	assert.Equal(t, 3, frags[name])
	for other, n := range frags {
		assert.LessOrEqual(t, n, 3, other)
	}
	t.Logf("%s after %v, %v", won, b.now, frags)
	assert.Empty(t, b.log)
}
