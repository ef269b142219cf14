package script_test

import (
	"fmt"
	"io/fs"
	"runtime"
	"testing"
	"testing/fstest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/script/vm"
)

// TestEnableKeepsThePlace checks that a mod that is enabled again has its previous place, even if
// only the operator's list defines that place.
func TestEnableKeepsThePlace(t *testing.T) {
	e := edit(t, map[string]string{"a/server/init.lua": "", "b/server/init.lua": "", "c/server/init.lua": ""}, "a", "b", "c")
	for _, mod := range []string{"a", "b", "c"} {
		e.steps(step{"mod disable " + mod, mod + " is disabled"}, step{"mod enable " + mod, mod + " 1.0.0 is on"},
			step{"mods", "base 1.0.0 on [mod.settings]\na 1.0.0 on\nb 1.0.0 on\nc 1.0.0 on"})
	}
}

// TestAReloadTakesTheLastFolder checks that a reload takes a mod from the last folder that has it,
// as at server start.
func TestAReloadTakesTheLastFolder(t *testing.T) {
	first := files(map[string]string{"m/server/init.lua": `export("v", 1)`}).(fstest.MapFS)
	last := fstest.MapFS{}
	h := newHalf(t, 1, true, first, last).load("m")
	for name, text := range files(map[string]string{"m/server/init.lua": `export("v", 2)`}).(fstest.MapFS) {
		last[name] = text
	}
	h.steps(step{`import("m").v`, "1"}, step{"mod reload m", "~1 file changed"}, step{`import("m").v`, "2"})
}

// TestAReloadCountsFiles checks that a reload counts new, removed and changed files, but not files
// that still exist and are not read.
func TestAReloadCountsFiles(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `require "server.a" require "server.b" require "server.c"`,
		"m/server/a.lua": "return 1", "m/server/b.lua": "return 1", "m/server/c.lua": "return 1"}, "m")
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"m/server/b.lua": "return 2"}, "~, 1 file changed"},
		{map[string]string{"m/server/init.lua": `require "server.a" require "server.b"`}, "~, 1 file changed"},
		{map[string]string{"m/server/init.lua": `require "server.a" require "server.b" require "server.c"`}, "~, 2 files changed"},
		{map[string]string{"m/server/init.lua": `require "server.a" require "server.b"`, "m/server/c.lua": "return 9"}, "~, 2 files changed"},
		{map[string]string{"m/server/init.lua": `require "server.a" require "server.d"`, "m/server/b.lua": "", "m/server/d.lua": "return 4"}, "~, 3 files changed"},
	} {
		e.write(c.files).steps(step{"mod reload m", c.want})
	}
}

// TestAClientsDisabledModIsGarbage checks that a mod disabled by a client is garbage before the
// client leaves the server.
func TestAClientsDisabledModIsGarbage(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": ``}, map[string]string{"m/client/init.lua": ``}, "m")
	old := weak.Make(p.client.scripts.Runtime.Mod("m"))
	p.client.steps(step{"mod disable m", "m is disabled"})
	p.run(100 * time.Millisecond)
	runtime.GC()
	assert.Nil(t, old.Value())
	runtime.KeepAlive(p)
}

// TestOldInstanceIsDetachedDuringLoad checks that nothing can reach the previous instance while
// the files of the mod run.
func TestOldInstanceIsDetachedDuringLoad(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `export("f", function() return "old" end)
		addCommand { name = "m.old", run = function() return "old" end }
		override(import "base", "messageAll", function(parent) return "old" end)`,
		"z/server/init.lua": `local f = import("m").f f() export("ask", function() return pcall(f) end)`}, "m", "z")
	e.write(map[string]string{"m/server/init.lua": `echo(import("z").ask()) echo(import("base").messageAll("MsgX", "x"))`})
	e.steps(step{`import("z").ask()`, "true\t\"old\""}, step{"mod reload m", "~false\tf: mod m no longer exports \"f\" since its reload (1.0.0)\n\nm 1.0.0 reloaded"})
}

// TestImportsAfterReload checks that a new override or export also applies to functions imported
// earlier.
func TestImportsAfterReload(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `
		local function f() return "first" end
		export("f", f)
		export("again", function() export("f", function() return "second" end) end)`,
		"n/server/init.lua": `export("over", function() override(import "m", "f", function(parent) return "over " .. parent() end) end)`}, "m", "n")
	e.steps(step{`f = import("m").f`, ""}, step{`f()`, `"first"`}, step{`import("n").over()`, ""}, step{`f()`, `"over first"`},
		step{`import("m").again()`, ""}, step{`f()`, `"over second"`},
		step{"mod disable n", "n is disabled"}, step{`f()`, `"second"`}, step{"mod disable m", "m is disabled"}, step{`f()`, "~mod m is no longer loaded"})
}

// TestAnErrorPassesThroughAnOverride checks that an error of an overridden function passes through
// the override that called it, and that the function does not run twice.
func TestAnErrorPassesThroughAnOverride(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `n = 0 export("n", function() return n end) export("f", function() n = n + 1 error "wrong" end)`,
		"o/server/init.lua": `override(import "m", "f", function(parent) parent() end)`}, "m", "o")
	e.steps(step{`import("m").f()`, "~mods/m/server/init.lua:1: wrong"}, step{`import("m").n()`, "1"})
}

// TestAnOverrideThatFailsLate checks that an override that fails after its parent has returned
// keeps the result of the parent.
func TestAnOverrideThatFailsLate(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		Sign = class "Sign" { fields = {} }
		function Sign:inScope() return true end
		override("Sign", "inScope", function(parent, self, client) parent(self, client) error "late" end)
		schedule(0, function() new "Sign" {} end)`}, nil, "m")
	p.stays()
	p.client.steps(step{`(function() for s in objects "Sign" do return s.className end end)()`, `"Sign"`})
}

// TestACallbackThatIsDefinedLate checks that a callback is found when it is defined after a search
// that did not find it.
func TestACallbackThatIsDefinedLate(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `
		Stone = datablock "ItemData" "Stone" {}
		export("define", function() function Stone:hit() return "hit" end end)`}, "m")
	e.steps(step{`find("Stone"):hit()`, `~unknown field "hit"`}, step{`import("m").define()`, ""}, step{`find("Stone"):hit()`, `"hit"`})
}

// TestDisableAndEnableFromLua checks that Lua can disable and enable mods, between two ticks.
func TestDisableAndEnableFromLua(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": ``,
		"n/mod.toml": "name = \"n\"\nversion = \"1.0.0\"\npermissions = [\"console.mod.disable\", \"console.mod.enable\"]\n",
		"n/server/init.lua": `export("go", function()
			echo(mod.disable "m", pcall(function() return import("m") end))
			echo(mod.enable "m", mod.disable "n", mod.enable "n", mod.disable "none")
		end)`}, "m", "n")
	e.line("mod grant n console.mod.disable")
	e.line("mod grant n console.mod.enable")
	e.line(`import("n").go()`)
	assert.Equal(t, []string{"m is disabled before the next tick\ttrue\tmod m",
		"m is enabled before the next tick\tn is disabled before the next tick\tn is enabled before the next tick\tnone is disabled before the next tick"}, e.out)
	e.out = nil
	e.ticks(1)
	assert.Equal(t, []string{"m is disabled", "m 1.0.0 is on", "n is disabled", "n 1.0.0 is on", `error: mod "none" is not loaded`}, e.out)
	assert.Empty(t, e.log)
}

// A countingFS counts the files that are examined.
type countingFS struct {
	fstest.MapFS
	stats int
}

func (c *countingFS) Stat(name string) (fs.FileInfo, error) { c.stats++; return c.MapFS.Stat(name) }

// Lstat counts files only: each access to a file also examines its folders.
func (c *countingFS) Lstat(name string) (fs.FileInfo, error) {
	info, err := c.MapFS.Lstat(name)
	if err == nil && !info.IsDir() {
		c.stats++
	}
	return info, err
}

func (c *countingFS) Sub(dir string) (fs.FS, error) { return subFS{c, dir + "/"}, nil }

// A subFS is a folder of a countingFS.
type subFS struct {
	*countingFS
	dir string
}

func (s subFS) path(name string) string {
	if name == "." {
		return s.dir[:len(s.dir)-1]
	}
	return s.dir + name
}

func (s subFS) Open(name string) (fs.File, error)          { return s.countingFS.Open(s.path(name)) }
func (s subFS) Stat(name string) (fs.FileInfo, error)      { return s.countingFS.Stat(s.path(name)) }
func (s subFS) Lstat(name string) (fs.FileInfo, error)     { return s.countingFS.Lstat(s.path(name)) }
func (s subFS) ReadFile(name string) ([]byte, error)       { return s.MapFS.ReadFile(s.path(name)) }
func (s subFS) ReadDir(name string) ([]fs.DirEntry, error) { return s.MapFS.ReadDir(s.path(name)) }
func (s subFS) Glob(pattern string) ([]string, error)      { return nil, nil }

// TestWatchIsThrottled checks that a tick examines only a few files, with a limit for each mod. A
// round begins half a second after the last one.
func TestWatchIsThrottled(t *testing.T) {
	folder := &countingFS{MapFS: files(map[string]string{"m/server/init.lua": ``}).(fstest.MapFS)}
	for i := range 11_000 {
		folder.MapFS[fmt.Sprintf("m/data/%05d.txt", i)] = &fstest.MapFile{}
	}
	e := &edited{half: newHalf(t, 1, true, folder).load("m"), files: folder.MapFS}
	e.line("mod watch on")
	most, all := 0, 0
	for range 400 {
		before := folder.stats
		e.ticks(1)
		all += folder.stats - before
		most = max(most, folder.stats-before)
	}
	assert.Equal(t, 32, most)
	assert.Less(t, all, 400*32)
	small := &countingFS{MapFS: files(map[string]string{"m/server/init.lua": ``}).(fstest.MapFS)}
	e = &edited{half: newHalf(t, 1, true, small).load("m"), files: small.MapFS}
	e.line("mod watch on")
	e.ticks(3) // base has more files than one tick checks
	small.stats = 0
	e.ticks(12)
	assert.Zero(t, small.stats, "it has been looked at")
	e.ticks(3)
	assert.Equal(t, 2, small.stats)
}

// TestWatchDetectsChanges checks that a new modification time or size of a file is a change, also
// in subfolders. Disabling a mod during a round does no harm.
func TestWatchDetectsChanges(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": ``, "m/test/deep/down.lua": `1`, "n/server/init.lua": ``}, "m", "n")
	reloads := func() int {
		e.out = nil
		e.ticks(60)
		return len(e.out)
	}
	e.line("mod watch on")
	require.Zero(t, reloads())
	deep := e.files["m/test/deep/down.lua"]
	for _, change := range []func(){
		func() { deep.ModTime = time.Unix(5, 0) }, func() { deep.Data = []byte("12") },
		func() { e.line("mod disable n"); deep.ModTime = time.Unix(6, 0) },
		func() { e.line("mod enable n"); deep.ModTime = time.Unix(7, 0) },
		func() { delete(e.files, "m/mod.toml") }, func() { e.write(map[string]string{"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\n"}) },
	} {
		change()
		assert.Equal(t, 1, reloads())
		assert.Zero(t, reloads(), "once")
	}
	for i := range 200 {
		e.files[fmt.Sprintf("m/data/%d", i)] = &fstest.MapFile{}
	}
	e.ticks(60)
	for range 8 { // in the middle of a round
		e.ticks(5)
		e.line("mod disable m")
		e.ticks(3)
		e.line("mod enable m")
	}
	e.line("mod watch off")
	deep.ModTime = time.Unix(8, 0)
	e.line("mod watch on")
	assert.Zero(t, reloads(), "it is what there is when it begins to watch")
	assert.Empty(t, e.log)
}

// TestDisconnectCancelsReload checks that a client that disconnects unloads the mods of the server
// before any queued reload runs.
func TestDisconnectCancelsReload(t *testing.T) {
	folder := files(map[string]string{"m/client/init.lua": `function GameConnection.onConnectionDropped() echo "left" end`}).(fstest.MapFS)
	p := joinFolders(t, nil, files(map[string]string{"m/server/init.lua": ``}), folder, "m")
	p.client.line(`function GameConnection.onConnectionDropped() mod.reload "m" end`)
	require.NoError(t, p.client.host.Dialer.Disconnect("bye"))
	p.run(time.Second)
	assert.Equal(t, []string{"left", `error: mod "m" is not loaded`}, p.client.out)
}

// TestCallbacksOfMessages checks that a message callback runs once for each message after any
// number of reloads of its mod or base, and does no harm when its mod is gone.
func TestCallbacksOfMessages(t *testing.T) {
	client := files(map[string]string{"m/client/init.lua": `
		local add = import("base").addMessageCallback
		add("MsgX", "m.one") add(nil, "m.any")
		export("one", function(type, text) echo("one " .. detag(text)) end)
		export("any", function(type, text) echo("any " .. detag(text)) return true end)`}).(fstest.MapFS)
	p := joinFolders(t, nil, files(map[string]string{"m/server/init.lua": ``}), client, "m")
	receives := func(want ...string) {
		p.server.line(`import("base").messageAll("MsgX", "hello")`)
		p.run(300 * time.Millisecond)
		assert.Equal(t, want, p.client.out)
	}
	receives("any hello", "one hello")
	for _, mod := range []string{"m", "base", "m", "base", "base"} {
		require.NoError(t, p.client.scripts.ReloadNow(mod))
		receives("any hello", "one hello")
	}
	require.NoError(t, p.client.scripts.Disable("m"))
	receives("hello")
	assert.Empty(t, p.client.log)
}

// TestBotsAreCountedAfterAReloadOfBase checks that the bots requested by sv.bots are still counted
// after a reload.
func TestBotsAreCountedAfterAReloadOfBase(t *testing.T) {
	e := edit(t, nil)
	bots := func() int {
		e.ticks(60)
		return len(e.host.Connections())
	}
	e.line("sv.bots 5")
	require.Equal(t, 5, bots())
	for range 2 {
		require.NoError(t, e.scripts.ReloadNow("base"))
		require.Equal(t, 5, bots())
		e.host.Connections()[0].Disconnect("out")
		require.Equal(t, 5, bots())
	}
	e.line("sv.bots 0")
	require.Zero(t, bots())
	assert.Empty(t, e.log)
}

// TestGamesKeepTheirMission checks that a game continues the current mission after any number of
// reloads.
func TestGamesKeepTheirMission(t *testing.T) {
	for _, game := range []string{"ctf", "deathmatch"} {
		h := newHalf(t, 1, true, mods.FS()).load(game)
		e := &edited{half: h}
		e.ticks(5)
		first := h.line(`missionGroup:at(1).id`)
		for range 3 {
			require.NoError(t, h.scripts.ReloadNow(game))
			e.ticks(5)
			assert.Equal(t, first, h.line(`missionGroup:at(1).id`), game)
		}
		assert.Empty(t, h.log)
	}
}

// TestVoteSurvivesReload checks that a vote continues when ctf is reloaded.
func TestVoteSurvivesReload(t *testing.T) {
	net, server := netsim.New(1), newHalf(t, 1, true).load("ctf")
	net.Attach(netcore.SimAddr(1), server.host)
	var clients []*half
	for i := range uint16(2) {
		h := newHalf(t, 2+i, false).load()
		clients = append(clients, h)
		net.Attach(netcore.SimAddr(2+i), h.host)
		net.Link(netcore.SimAddr(2+i), netcore.SimAddr(1), netcore.LinkParams{}, netcore.LinkParams{})
		require.NoError(t, h.host.Dialer.Connect("x:1", engine.ConnectArgs{}))
	}
	net.Run(3*time.Second, engine.TickTime)
	require.Equal(t, "valley", server.line("mission"))
	for i, words := range []string{"/vote map ridge", "/yes"} {
		clients[i].line(fmt.Sprintf("say %q", words))
		net.Run(net.Now()+300*time.Millisecond, engine.TickTime)
		require.NoError(t, server.scripts.ReloadNow("ctf"))
	}
	net.Run(net.Now()+300*time.Millisecond, engine.TickTime)
	assert.Equal(t, "ridge", server.line("mission"))
	assert.Empty(t, server.log)
}

// TestTheEventsOfAModAreAccountedOn checks that the usage of a mod's events stays on its account.
// A client that joins receives the version that was reloaded last.
func TestTheEventsOfAModAreAccountedOn(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `function onTick() if tick() % 2 == 0 then for i = 1, 1e6 do end end end`}, "m")
	e.perAsk = 5 * time.Millisecond
	e.cpu = func() time.Duration { return e.wall }
	limits := e.scripts.Runtime.LimitsVar()
	limits.Callback.Instructions, limits.Ticking = 1<<50, 1<<50 // CPU time ends the loop
	event := func() vm.EventUsage {
		for _, u := range e.scripts.Runtime.Mod("m").Events() {
			if u.Event == "onTick" {
				return u
			}
		}
		return vm.EventUsage{}
	}
	e.ticks(6)
	was := event()
	require.Equal(t, []int64{6, 3}, []int64{was.Calls, was.Errors})
	e.write(map[string]string{"m/mod.toml": "name = \"m\"\nversion = \"1.4.0\"\n"})
	require.NoError(t, e.scripts.ReloadNow("m"))
	now := event()
	assert.Equal(t, was, now)
	assert.Positive(t, now.Max)
	assert.Equal(t, "1.4.0", e.host.Mods()[1].Version)
}

// TestAReloadHasOneBudgetOfTime checks that all files of a reload, its new dependencies and
// onReload share one budget of CPU time, and so do those of mod enable. Without time left, nothing
// has changed. The start of a server has more time.
func TestAReloadHasOneBudgetOfTime(t *testing.T) {
	const work = "for i = 1, 100000 do end "
	depends := "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"dep\"]\n"
	for name, files := range map[string]map[string]string{
		"files":       {"m/shared/a.lua": work, "m/shared/b.lua": work, "m/server/init.lua": work},
		"dependency":  {"m/mod.toml": depends, "dep/mod.toml": "name = \"dep\"\nversion = \"1.0.0\"\n", "dep/server/init.lua": work + work, "m/server/init.lua": work},
		"onReload":    {"m/server/init.lua": work + "function onReload() " + work + work + "end"},
		"a long loop": {"m/server/init.lua": "while true do end"},
	} {
		t.Run(name, func(t *testing.T) {
			e := edit(t, map[string]string{"m/server/init.lua": `export("v", 1)`}, "m")
			cpu := time.Duration(0)
			e.cpu = func() time.Duration { cpu += 600 * time.Microsecond; return cpu } // work reads it 390 times
			before := e.scripts.Dump()
			e.write(files)
			e.steps(step{"mod reload m", "~the budget of 500ms is used up"})
			assert.Empty(t, difference(before, e.scripts.Dump()))
			e.steps(step{`import("m").v`, "1"})
			if name == "onReload" {
				return // mod enable does not call it
			}
			e.steps(step{"mod disable m", "m is disabled"}, step{"mod enable m", "~m is not enabled: "}, step{"mod enable m", "~the budget of 500ms is used up"})
			if name == "a long loop" {
				return
			}
			e.steps(step{"mod.reloadTime 5s", ""}, step{"mod enable m", "m 1.0.0 is on"})
			second := newHalf(t, 2, true, e.files)
			second.cpu = e.cpu
			second.load("m")
		})
	}
}

// TestFailingFilesKeepBotSteering checks that steering by files that fail is rolled back: the mod
// that steered the bot before keeps it. After a reload that succeeds the new mod steers, and a mod
// that takes over starts without old orders.
func TestFailingFilesKeepBotSteering(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": ``, "n/server/init.lua": `
		export("begin", function() bot = addBot "Bot" bot:aim(vec(1, 1, 1)) end)
		export("aim", function() bot:aim(vec(9, 9, 9)) return bot.moving end)`}, "m", "n")
	e.line(`import("n").begin()`)
	e.ticks(2)
	by := `clientGroup:at(1).steeredBy`
	steer := `for c in clientGroup:each() do c:moveTo(vec(500, 0, 0)) end`
	e.write(map[string]string{"m/server/init.lua": steer + ` error "no"`})
	e.steps(step{by, `"n"`}, step{"mod reload m", "~:1: no"}, step{by, `"n"`}, step{`import("n").aim()`, "false"})
	e.write(map[string]string{"m/server/init.lua": steer})
	e.steps(step{"mod reload m", "~reloaded"}, step{by, `"m"`}, step{`import("n").aim()`, "false"}, step{by, `"n"`})
}

// TestHandoverOfHandlesAndTables checks that handles of classes, mods and deleted objects, and
// wide tables, are handed over, and that the cost is charged.
func TestHandoverOfHandlesAndTables(t *testing.T) {
	e := edit(t, map[string]string{"lib/server/init.lua": `export("f", function() return "f" end)`, "m/server/init.lua": `
		Rune = class "Rune" { fields = {} }
		lib, stone, wide, gone = import "lib", datablock "ItemData" "Stone" { mass = 3 }, {}, {}
		local o = new "ScriptObject" {}
		for i = 1, 150 do wide[i], gone[i] = { i }, o end
		o:delete()
		function onReload(old)
			echo(old.Rune == Rune, old.lib.f(), old.stone == stone, #old.wide, old.wide[150][1], #old.gone, rawequal(old.gone[1], old.gone[2]))
		end`}, "lib", "m")
	e.out = nil
	require.NoError(t, e.scripts.ReloadNow("m"))
	assert.Equal(t, []string{"true\tf\ttrue\t150\t150\t150\ttrue"}, e.out)
	e.write(map[string]string{"m/server/init.lua": `big = {} for i = 1, 2000 do big[i] = i end`})
	e.steps(step{"mod reload m", "~reloaded"}, step{"mod.loadInstructions 1000", ""})
	e.write(map[string]string{"m/server/init.lua": `function onReload(old) local n = #old.big return n end`})
	e.steps(step{"mod reload m", "~the budget of 1000 instructions is used up"})
}

// TestHandoverOfUnsentDatablocks checks that on a client the handle of a datablock that has not
// arrived yet is handed over.
func TestHandoverOfUnsentDatablocks(t *testing.T) {
	h := newHalf(t, 2, false, files(map[string]string{"m/shared/data.lua": `Stone = datablock "ItemData" "Stone" {}`,
		"m/client/init.lua": `function onReload(old) echo(tostring(old.Stone)) end`})).load("m")
	h.steps(step{"mod reload m", "~Stone\nm 1.0.0 reloaded"})
}

// TestReloadDropsExportsAndSettings checks that an export removed by any earlier reload gives an
// error. A setting with a value that is no longer valid logs that.
func TestReloadDropsExportsAndSettings(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `export("f", print) setting "m.s" { default = 5, min = 0, max = 9 }`}, "m")
	e.line("m.s 8")
	e.log = nil
	e.write(map[string]string{"m/server/init.lua": `setting "m.s" { default = 2, min = 1, max = 3 }`})
	for range 3 {
		require.NoError(t, e.scripts.ReloadNow("m"))
		e.steps(step{`import("m").f`, `~mod m no longer exports "f" since its reload (1.0.0)`}, step{`import("m").g`, `~mod m exports no "g"`}, step{"m.s", "2"})
	}
	assert.Equal(t, []string{`m: m.s cannot be "8" and is 2: it must be a number from 1 to 3, got "8"`}, e.log)
}

// TestADataBlockOfAnotherMod checks that an override of another mod's datablock starts with its
// existing fields. Only a mod's own datablocks start empty.
func TestADataBlockOfAnotherMod(t *testing.T) {
	e := edit(t, map[string]string{"lib/server/init.lua": `datablock "ItemData" "Stone" { mass = 5, friction = 0.25 }`,
		"m/mod.toml":        "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"lib\"]\n",
		"m/server/init.lua": `datablock "ItemData" "Stone" { override = true, mass = 6 }`}, "lib", "m")
	for _, mod := range []string{"m", "lib", "m"} {
		e.steps(step{"mod reload " + mod, "~reloaded"}, step{`find("Stone").friction`, "0.25"})
	}
}

// TestReloadedDeclarations checks that a new default applies unless the operator has set a value.
// Events can change a datablock that the files no longer declare.
func TestReloadedDeclarations(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `setting "m.s" { default = 5 } setting "m.t" { default = 5 }
		datablock "ItemData" "Stone" { mass = 5, friction = 0.25 }`}, "m")
	e.line("m.t 6")
	e.write(map[string]string{"m/server/init.lua": `setting "m.s" { default = 7 } setting "m.t" { default = 7 }
		export("change", function() datablock "ItemData" "Stone" { mass = 6 } end)`})
	e.steps(step{"mod reload m", "~reloaded"}, step{"m.s", "7"}, step{"m.t", "6"}, step{`import("m").change()`, ""},
		step{`find("Stone").mass, find("Stone").friction`, "6\t0.25"})
}

// TestAnOverrideOfNothing checks that an override of an undefined function still returns its
// result after a reload of any mod.
func TestAnOverrideOfNothing(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `class "Rune" { fields = {} }`,
		"n/server/init.lua": `override("Rune", "shout", function(parent, self) return "n", parent() end)`}, "m", "n")
	e.line(`r = new "Rune" {}`)
	for _, mod := range []string{"m", "n", "base"} {
		e.steps(step{`r:shout()`, `"n"`}, step{"mod reload " + mod, "~reloaded"}, step{`r:shout()`, `"n"`})
	}
}

// TestFilesDoNotSeeWhatGoes: files that look for an object before they make it find none that the
// reload deletes afterwards, by name, by class, in groups, in sets or over an export. onReload
// finds all of it. A failed reload leaves every object where it was.
func TestFilesDoNotSeeWhatGoes(t *testing.T) {
	const hall = `all = new "SimSet" { name = "All" } export("all", all)
		function keep(o) all:add(o) return o end export("keep", keep)`
	for name, code := range map[string]string{
		"find":    `mark = find "Mark" or new "Marker" { name = "Mark" }`,
		"exists":  `if not isObject "Mark" then new "Marker" { name = "Mark" } end`,
		"objects": `local n = 0 for o in objects "Marker" do n = n + 1 end if n == 0 then new "Marker" { name = "Mark" } end`,
		"a group": `if #missionGroup == 0 then missionGroup:add(new "Marker" { name = "Mark" }) end`,
		"a set":   `if #import("hall").all == 0 then import("hall").keep(new "Marker" { name = "Mark" }) end`,
		"nested":  `if not isObject "Mark" then new "SimGroup" { name = "Box" } find("Box"):add(new "Marker" { name = "Mark" }) end`,
	} {
		t.Run(name, func(t *testing.T) {
			manifest := "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"hall\"]\n"
			e := edit(t, map[string]string{"hall/server/init.lua": hall, "m/mod.toml": manifest, "m/server/init.lua": code}, "hall", "m")
			first := e.line(`find("Mark").id`)
			for range 3 {
				e.steps(step{"mod reload m", "~reloaded"})
				e.ticks(1)
				e.steps(step{`isObject "Mark"`, `true`})
			}
			assert.NotEqual(t, first, e.line(`find("Mark").id`))
			e.write(map[string]string{"m/server/init.lua": code + ` function onReload() seen = 0 for o in objects "Marker" do seen = seen + 1 end echo("seen", seen) end`})
			e.out = nil
			e.steps(step{"mod reload m", "~reloaded"})
			assert.Contains(t, e.out, "seen\t2")
			e.write(map[string]string{"m/server/init.lua": code + ` error "no"`})
			before := e.scripts.Dump()
			e.steps(step{"mod reload m", "~no"})
			assert.Empty(t, difference(before, e.scripts.Dump()))
		})
	}
}

// TestModsInPlaceOfOthers: the operator sees that a mod of torc is replaced, from the start and
// after a reload.
func TestModsInPlaceOfOthers(t *testing.T) {
	e := edit(t, map[string]string{"hello/mod.toml": "name = \"hello\"\nversion = \"9.0.0\"\n", "hello/server/init.lua": ``}, "hello")
	list := step{`mods`, "base 1.0.0 on [mod.settings]\nhello 9.0.0 on, in place of mods/hello"}
	e.steps(list, step{`mod reload hello`, `~reloaded`}, list)
}
