package script_test

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/mods"
)

// TestDisableAndEnable checks that a disabled mod leaves only the objects of its events, its
// datablocks and its classes. A mod that is enabled again has its settings.
func TestDisableAndEnable(t *testing.T) {
	e := richMod(t)
	before := e.scripts.Held()
	e.steps(
		step{`mod disable m`, `error: m is needed by z: disable its dependents first`},
		step{`mod disable base`, `error: base cannot be disabled: the game needs it`},
		step{`mod disable nn`, `~mod "nn" is not loaded`},
		step{`mod disable z`, `z is disabled`}, step{`mod disable z`, `error: z is already disabled`},
		step{`mod disable m`, `m is disabled`},
		step{`mods`, "base 1.0.0 on [mod.settings]\nlib 1.0.0 on\nm 1.0.0 disabled\nz 1.0.0 disabled"},
		step{`import("lib").twice(2)`, `4`}, step{`m.limit`, `~m`}, step{`isObject "Guard"`, `false`},
		step{`find(8).word`, `"old"`}, step{`find("Stone").mass`, `5`},
		step{`mod reload m`, `error: m is disabled: mod enable m loads it`},
		step{`mod enable z`, `error: z is not enabled: it needs m, which is disabled: mod enable m`},
		step{`mod info m`, "m 1.0.0 disabled\n  depends on lib"},
	)
	assert.Len(t, e.scripts.ModInfos(), 2)
	e.ticks(2)
	e.steps(
		step{`mod enable m`, `m 1.0.0 is on`}, step{`mod enable z`, `z 1.0.0 is on`}, step{`mod enable m`, `m is on`},
		step{`mods`, "base 1.0.0 on [mod.settings]\nlib 1.0.0 on\nm 1.0.0 on\nz 1.0.0 on"},
		step{`m.limit`, `9`}, step{`import("lib").twice(2)`, `45`}, step{`m.count`, `2`},
	)
	e.ticks(2)
	after := e.scripts.Held()
	for _, what := range []string{"alive", "made", "overrides", "defined", "chat", "registered", "kept", "blocks", "timers", "objects", "classes"} {
		assert.Equal(t, before[what], after[what], what)
	}
}

// TestEnableSuspendedAndBrokenMods checks that enable or a reload gives a suspended mod its events
// again. A mod that fails to load leaves nothing.
func TestEnableSuspendedAndBrokenMods(t *testing.T) {
	e := richMod(t)
	e.scripts.Runtime.Mod("m").Suspend("for the test")
	e.steps(
		step{`mods`, "base 1.0.0 on [mod.settings]\nlib 1.0.0 on\nm 1.0.0 suspended: for the test\nz 1.0.0 on"},
		step{`import("lib").twice(2)`, `40`}, step{`mod enable m`, `m 1.0.0 is on`}, step{`import("lib").twice(2)`, `45`},
	)
	e.scripts.Runtime.Mod("m").Suspend("for the test")
	e.steps(step{`mod reload m`, `~reloaded`}, step{`import("lib").twice(2)`, `45`})
	e.write(map[string]string{"bad/mod.toml": "name = \"bad\"\nversion = \"1.0.0\"\ndepends = [\"m\"]\n", "bad/server/init.lua": `datablock "ItemData" "Bad" {} new "ScriptObject" { name = "Bad" } bad()`})
	before := e.scripts.Dump()
	e.steps(
		step{`mod enable bad`, `error: bad is not enabled: mods/bad/server/init.lua:1: attempt to call global 'bad' (a nil value)`},
		step{`mod enable nothere`, `error: nothere is not enabled: unknown mod nothere: it is in no folder of mods`},
		step{`mod enable "../m"`, `~invalid mod name`},
	)
	assert.Empty(t, difference(before, e.scripts.Dump()))
}

// TestTheCommandMod checks that `mod X args` runs `mod.X args`, and that Tab completes both.
func TestTheCommandMod(t *testing.T) {
	e := richMod(t)
	e.steps(
		step{`mod`, `~usage: mod COMMAND ..., where COMMAND is `}, step{`mod relaod m`, `~unknown command mod "relaod"; available are `},
		step{`mod reload`, `error: usage: mod reload NAME [--untested]`}, step{`mod reload x`, `~mod "x" is not loaded`},
		step{`mod reload console`, `~mod "console" is not loaded`},
		step{`mod watch`, `false`}, step{`mod watch on`, ``}, step{`mod.watch`, `true`}, step{`mod watch off`, ``},
		step{`mod.reload "m"`, `~m 1.0.0 reloaded`}, step{`mod.reload("m")`, `"m is reloaded before the next tick"`},
		step{`mod.info z`, "z 1.0.0 on\n  depends on m ^1.0\n  has 2 files, 0 objects, 0 tags, 0 timers, 1 override\n  since the start 0 faults, 14 instructions, 0s"},
	)
	for line, want := range map[string][]string{
		"mod rel": {"reload"}, "mod reload ": {"base", "lib", "m", "z"}, "mod watch o": nil, "mod.disable l": {"lib"}, "mod watch t": {"true"},
	} {
		got, _ := e.console.Complete(line, len(line))
		assert.Equal(t, want, got, line)
	}
	e.out = nil
	e.ticks(1)
	require.Len(t, e.out, 1)
	assert.Contains(t, e.out[0], "m 1.0.0 reloaded in")
}

// TestEnableTriesFirst checks that mod enable has a trial like a reload, unless the mod is loaded:
// it then only resumes. A mod that another one has loaded meanwhile is on.
func TestEnableTriesFirst(t *testing.T) {
	e := richMod(t)
	tried, done := []string{}, []func(error){}
	e.scripts.SetTrial(func(mod string, _ []fs.FS, end func(error)) { tried, done = append(tried, mod), append(done, end) })
	e.scripts.Runtime.Mod("m").Suspend("for the test")
	e.steps(
		step{`mod enable m`, `m 1.0.0 is on`}, step{`mod enable m`, `m is on`}, step{`mod disable z`, `z is disabled`}, step{`mod disable m`, `m is disabled`},
		step{`mod enable nothere`, `error: nothere is not enabled: unknown mod nothere: it is in no folder of mods`},
		step{`mod enable m`, `m is tested first, then enabled`}, step{`mod enable m`, `error: m is not enabled: it is already being loaded`},
	)
	assert.Equal(t, []string{"m"}, tried)
	before := e.scripts.Dump()
	e.out = nil
	done[0](errors.New("mods/m/server/init.lua:1: no"))
	assert.Equal(t, []string{"error: m is not enabled: mods/m/server/init.lua:1: no"}, e.out)
	assert.Empty(t, difference(before, e.scripts.Dump()))
	e.write(map[string]string{"w/mod.toml": "name = \"w\"\nversion = \"1.0.0\"\ndepends = [\"v\"]\n", "v/mod.toml": "name = \"v\"\nversion = \"1.0.0\"\n"})
	e.steps(
		step{`mod enable m`, `m is tested first, then enabled`}, step{`mod enable v`, `v is tested first, then enabled`},
		step{`mod enable w`, `w is tested first, then enabled`},
	)
	e.out = nil
	done[1](nil)
	done[3](nil)
	done[2](errors.New("too late"))
	assert.Equal(t, []string{"m 1.0.0 is on", "w 1.0.0 is on", "v is on"}, e.out)
	var failed error
	e.scripts.Enable("nothere", func(err error) { failed = err })
	assert.ErrorContains(t, failed, "unknown mod nothere")
}

// TestAReloadFromLuaWaits checks that a reload requested while Lua runs waits for the end of the
// tick.
func TestAReloadFromLuaWaits(t *testing.T) {
	e := edit(t, map[string]string{
		"m/mod.toml":        "name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"console.mod.reload\"]\n",
		"m/server/init.lua": `n = 0 function onReload(old) n = old.n + 1 end function onTick() if n < 3 then said = mod.reload "m" echo(n, said) end end`,
	}, "m")
	e.line(`mod grant m console.mod.reload`)
	e.out = nil
	e.ticks(5)
	var lines []string
	for _, line := range e.out {
		line, _, _ = strings.Cut(line, " in ")
		lines = append(lines, line)
	}
	assert.Equal(t, []string{
		"0\tm is reloaded before the next tick", "m 1.0.0 reloaded",
		"1\tm is reloaded before the next tick", "m 1.0.0 reloaded",
		"2\tm is reloaded before the next tick", "m 1.0.0 reloaded",
	}, lines)
	assert.Equal(t, 0, e.scripts.Runtime.Mod("m").Faults())
}

// TestAReloadWithItsTests checks that a reload with tests gives its result later, and that a mod
// whose tests fail is not reloaded.
func TestAReloadWithItsTests(t *testing.T) {
	e := richMod(t)
	var name string
	var done func(error)
	e.scripts.SetTrial(func(mod string, _ []fs.FS, end func(error)) { name, done = mod, end })
	e.steps(
		step{`mod reload m`, `m is tested first, then reloaded`},
		step{`mod reload m`, `error: m is already being reloaded`},
		step{`mod reload nn`, `~mod "nn" is not loaded`},
	)
	assert.Equal(t, "m", name)
	before := e.scripts.Dump()
	e.out = nil
	done(errors.New("test/m_test.lua: counts: expected 3"))
	assert.Equal(t, []string{"error: m is not reloaded: test/m_test.lua: counts: expected 3"}, e.out)
	assert.Empty(t, difference(before, e.scripts.Dump()))
	e.steps(step{`mod reload m`, `m is tested first, then reloaded`})
	e.out = nil
	done(nil)
	require.Len(t, e.out, 1)
	assert.Contains(t, e.out[0], "m 1.0.0 reloaded in")
	e.steps(step{`mod reload z`, `z is tested first, then reloaded`}, step{`mod disable z`, `z is disabled`})
	e.out = nil
	done(nil)
	assert.Equal(t, []string{"error: z is disabled: mod enable z loads it"}, e.out)
	var failed error
	e.scripts.Reload("nothere", func(err error) { failed = err })
	assert.ErrorContains(t, failed, `mod "nothere" is not loaded`)
}

// TestClientsAreToldTheReloadedVersion checks that a client that joins receives the version that
// is loaded.
func TestClientsAreToldTheReloadedVersion(t *testing.T) {
	e := richMod(t)
	e.write(map[string]string{"m/mod.toml": "name = \"m\"\nversion = \"1.5.0\"\ndepends = [\"lib\"]\n"})
	require.NoError(t, e.scripts.ReloadNow("m"))
	require.NoError(t, e.scripts.Disable("z"))
	var told []string
	for _, info := range e.host.Mods() {
		told = append(told, info.Name+" "+info.Version)
	}
	assert.Equal(t, []string{"base 1.0.0", "lib 1.0.0", "m 1.5.0"}, told)
}

// TestManyReloadsLeaveNothing checks that after 30 reloads, in the long form 100, the kept
// resources and the memory are the same as after the first.
func TestManyReloadsLeaveNothing(t *testing.T) {
	e := richMod(t)
	e.write(map[string]string{"m/server/big.lua": `local t = {} for i = 1, 4000 do t[i] = { i } end return t`,
		"m/server/init.lua": rich["m/server/init.lua"] + "\nbig = require 'server.big'\nfunction onReload(old) count = old.count end\nco = coroutine.create(function() coroutine.yield(big) end) coroutine.resume(co)"})
	reload := func(n int) uint64 {
		for range n {
			require.NoError(t, e.scripts.ReloadNow("m"))
			e.ticks(1)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	heap := reload(3)
	held := e.scripts.Held()
	after := reload(testenv.Length(30, 100)) // 30 states have more than 15 MiB
	assert.Equal(t, held, e.scripts.Held())
	assert.Less(t, int64(after)-int64(heap), int64(4<<20), "one state of it has more than half a MiB")
	assert.Equal(t, "2", e.line(`import("m").count()`))
}

// TestHandover checks that the new instance gets the mod's tables, shared tables, cycles, handles
// of deleted objects, steering and random numbers.
func TestHandover(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `
		function onTick() end
		a = new "ScriptObject" { name = "A" }
		function fill()
			b = new "ScriptObject" { name = "B" } c = new "ScriptObject" { name = "C" }
			shared = { 1, 2 } shared.me = shared
			b.own.shared, c.own.shared, b.own.fn, b.own.at, b.own.list = shared, shared, print, vec(1, 2, 3), { print, c, b }
			bot = addBot "Bot" bot:setTrigger(0, true)
		end
		function onReload(old)
			local b, bot, list = find "B", old.bot, find("B").own.list
			echo(b.own.shared.me == b.own.shared, b.own.shared == old.shared, b.own.fn, b.own.at, old.b.own == b.own, bot.steeredBy)
			echo(list[1], isObject(list[2]), list[2] == old.c, list[3] == b, #list)
		end
		export("fill", fill) export("random", function() return math.random(1e9) end)`}, "m")
	other := edit(t, e.texts(), "m")
	for _, one := range []*edited{e, other} {
		one.line(`import("m").fill()`)
		one.line(`find("C"):delete()`)
		one.ticks(1)
		one.line(`import("m").random()`)
	}
	e.out = nil
	require.NoError(t, e.scripts.ReloadNow("m"))
	assert.Equal(t, []string{"true\ttrue\tnil\t1 2 3\ttrue\tm", "nil\tfalse\ttrue\ttrue\t3"}, e.out)
	assert.Equal(t, other.line(`import("m").random()`), e.line(`import("m").random()`))
}

// texts returns the files of an edited.
func (e *edited) texts() map[string]string {
	list := map[string]string{}
	for name, f := range e.files {
		list[name] = string(f.Data)
	}
	return list
}

// TestHandoverLimits checks that a reload fails, and the previous instance stays, if the data is
// too large to hand over.
func TestHandoverLimits(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `
		export("grow", function(n) local t = {} for i = 1, n do t[i] = i end find("Guard").own.t = t end)
		export("nest", function(n) local t = {} for i = 1, n do t = { t } end find("Guard").own.t = t end)
		schedule(0, function() if not isObject "Guard" then new "ScriptObject" { name = "Guard" } end end)`}, "m")
	e.ticks(1)
	e.steps(
		step{`import("m").grow(150000)`, ``}, step{`mod reload m`, `~m 1.0.0 reloaded`},
		step{`import("m").grow(200001)`, ``}, step{`mod reload m`, `error: m is not reloaded: the own tables of objects: more than 200000 table entries cannot be handed over`},
		step{`import("m").nest(98)`, ``}, step{`mod reload m`, `~m 1.0.0 reloaded`},
		step{`import("m").nest(101)`, ``}, step{`mod reload m`, `~tables nested deeper than 100`},
	)
}

// TestAReloadKeepsThePlaceOfOverrides checks that a reloaded mod keeps its place among overrides
// and handlers.
func TestAReloadKeepsThePlaceOfOverrides(t *testing.T) {
	list := map[string]string{"a/server/init.lua": `export("f", function() return "a" end) function serverCmd.X() echo "a" end`}
	for _, name := range []string{"b", "c", "d"} {
		list[name+"/server/init.lua"] = fmt.Sprintf(`override(import "a", "f", function(parent) return parent() .. %q end)`, name)
	}
	e := edit(t, list, "a", "b", "c", "d")
	e.line(`override(import "a", "f", function(parent) return parent() .. "!" end) f = import("a").f`)
	for _, name := range []string{"a", "b", "c", "d", "a", "c"} {
		require.NoError(t, e.scripts.ReloadNow(name))
		e.steps(step{`f()`, `"abcd!"`}, step{`import("a").f()`, `"abcd!"`})
	}
	e.write(map[string]string{"a/server/init.lua": `export("f", 5)`})
	require.NoError(t, e.scripts.ReloadNow("a"))
	e.steps(step{`f()`, `~mod a: the export "f" is no longer a function`}, step{`import("a").f`, `5`})
	require.NoError(t, e.scripts.Disable("a"))
	e.steps(step{`f()`, `~mod a is no longer loaded`})
	e.scripts.Enable("a", func(err error) { require.NoError(t, err) })
	e.write(map[string]string{"a/server/init.lua": list["a/server/init.lua"]})
	require.NoError(t, e.scripts.ReloadNow("a"))
	e.steps(step{`f()`, `"abcd!"`})
}

// TestAReloadMayChangeTheLoadOrder checks that a new dependency on a mod loaded later moves that
// mod to the front, with its overrides. Mods on disk that are not reloaded have no effect.
func TestAReloadMayChangeTheLoadOrder(t *testing.T) {
	over := `override(import "f", "f", function(parent) return parent() .. %q end)`
	e := edit(t, map[string]string{"f/server/init.lua": `export("f", function() return "" end)`,
		"a/server/init.lua": fmt.Sprintf(over, "a"), "b/server/init.lua": fmt.Sprintf(over, "b"), "c/server/init.lua": fmt.Sprintf(over, "c")}, "f", "a", "c", "b")
	e.steps(step{`import("f").f()`, `"acb"`})
	e.write(map[string]string{"a/mod.toml": "name = \"a\"\nversion = \"1.0.0\"\ndepends = [\"b\", \"f\"]\n",
		"b/mod.toml": "name = \"b\"\nversion = \"3.0.0\"\nconflicts = [\"a\"]\n"})
	e.steps(step{`mod reload a`, `~a 1.0.0 reloaded`}, step{`import("f").f()`, `"bac"`},
		step{`mods`, "base 1.0.0 on [mod.settings]\nf 1.0.0 on\nb 1.0.0 on [mod.override]\na 1.0.0 on\nc 1.0.0 on [mod.override]"},
		step{`mod reload b`, `error: b is not reloaded: mod b conflicts with a 1.0.0; load only one of them`})
}

// TestOldInstanceReceivesNothing checks that the previous instance gets no pending callbacks, and
// that the objects it steered are free when the mod is disabled.
func TestOldInstanceReceivesNothing(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `
		export("begin", function()
			store:put("k", 1, function() echo "stored" end)
			schedule(0, echo, "timer")
			addBot("Bot"):stop()
		end)
		setting "m.s" { default = 1, changed = function(v) echo("changed", v) end }
		export("get", function() return store:get "k" end)`}, "m")
	e.steps(step{`import("m").begin()`, ``}, step{`m.s = 2`, "changed\t2"}, step{`mod reload m`, `~reloaded`})
	e.out = nil
	e.ticks(20)
	assert.Empty(t, e.out)
	bot := `(function() for c in clientGroup:each() do return c.steeredBy end end)()`
	e.steps(step{`import("m").get()`, `1`}, step{`m.s`, `2`}, step{bot, `"m"`}, step{`mod disable m`, `m is disabled`}, step{bot, `nil`})
}

// TestModUsage checks that a mod's usage and faults stay on its account after a reload. Faults of
// the new files are reported at once, and a suspended handler runs again.
func TestModUsage(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `function onTick() error "wrong" end`}, "m")
	e.ticks(10)
	require.Len(t, e.scripts.Runtime.Mod("m").SuspendedHandlers(), 1)
	faults, used := e.scripts.Runtime.Mod("m").Faults(), e.scripts.Runtime.Mod("m").Usage
	require.NoError(t, e.scripts.ReloadNow("m"))
	assert.Empty(t, e.scripts.Runtime.Mod("m").SuspendedHandlers())
	assert.Equal(t, faults, e.scripts.Runtime.Mod("m").Faults())
	assert.GreaterOrEqual(t, e.scripts.Runtime.Mod("m").Usage.Instructions, used.Instructions)
	e.log = nil
	e.ticks(1)
	require.Len(t, e.log, 1)
	assert.Contains(t, e.log[0], "m: onTick: mods/m/server/init.lua:1: wrong")
	assert.Equal(t, faults+1, e.scripts.Runtime.Mod("m").Faults())
}

// TestAReloadThatFailsOnAClient checks that the screen of a client does not change when the files
// of a mod fail.
func TestAReloadThatFailsOnAClient(t *testing.T) {
	folder := files(map[string]string{"m/client/init.lua": `setHud(3, "old")`}).(fstest.MapFS)
	h := newHalf(t, 2, false, folder).load("m")
	folder["m/client/init.lua"] = &fstest.MapFile{Data: []byte(`setHud(3, "new") setHud(4, "new") error "no"`)}
	before := h.scripts.Dump()
	assert.Contains(t, h.line("mod reload m"), "error: m is not reloaded: mods/m/client/init.lua:1: no")
	assert.Empty(t, difference(before, h.scripts.Dump()))
	assert.Equal(t, []string{"3 old", "3 new", "4 new", "3 old", "4 "}, h.hud)
}

// TestWatch checks that mod.watch reloads a mod when its files have changed and no longer change.
// It reloads once for each change, also when the reload fails.
func TestWatch(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `version = 1 export("v", function() return version end)`}, "m")
	stamp := time.Unix(1000, 0)
	write := func(text string) {
		stamp = stamp.Add(time.Second)
		e.files["m/server/init.lua"] = &fstest.MapFile{Data: []byte(text), ModTime: stamp}
	}
	results := func() []string {
		e.out = nil
		e.ticks(100)
		var lines []string
		for _, line := range e.out {
			line, _, _ = strings.Cut(line, " in ")
			lines = append(lines, line)
		}
		return lines
	}
	write(`export("v", function() return 2 end)`)
	assert.Empty(t, results(), "nobody watches")
	e.line("mod watch on")
	assert.Empty(t, results(), "nothing changes")
	write(`export("v", function() return 3 end)`)
	assert.Equal(t, []string{"m 1.0.0 reloaded"}, results())
	assert.Equal(t, "3", e.line(`import("m").v()`))
	write(`x = = 1`)
	require.Len(t, results(), 1)
	assert.Empty(t, results(), "one that fails is not tried again")
	write(`export("v", function() return 4 end)`)
	e.files["m/server/more.lua"] = &fstest.MapFile{Data: []byte("")}
	assert.Equal(t, []string{"m 1.0.0 reloaded"}, results())
	delete(e.files, "m/server/more.lua")
	assert.Equal(t, []string{"m 1.0.0 reloaded"}, results())
	for range 20 { // the files still change
		write(`export("v", function() return 5 end)`)
		e.out = nil
		e.ticks(10)
		assert.Empty(t, e.out)
	}
	assert.Len(t, results(), 1)
	e.line("mod watch off")
	write(`export("v", function() return 6 end)`)
	assert.Empty(t, results())
}

// TestAReloadWhileAClientPlays checks that the client gets a class with other fields and changed
// datablocks. The client's own half is reloaded too.
func TestAReloadWhileAClientPlays(t *testing.T) {
	server := map[string]string{"m/shared/data.lua": `
		Stone = datablock "ItemData" "Stone" { mass = 5 }
		Rune = class "Rune" { inherit = "Item", fields = { power = int(0, 10) } }`,
		"m/server/init.lua": `schedule(0, function() if not isObject "First" then new "Rune" { name = "First", dataBlock = Stone, power = 7 } end end)`}
	client := map[string]string{"m/shared/data.lua": server["m/shared/data.lua"], "m/client/init.lua": `
		seen = 0
		function GameConnection.onGhostAdded(server, o) seen = seen + 1 end
		function onReload(old) seen = old.seen end
		addCommand { name = "m.seen", run = function() return seen end }`}
	serverFiles, clientFiles := files(server).(fstest.MapFS), files(client).(fstest.MapFS)
	p := joinFolders(t, nil, serverFiles, clientFiles, "m")
	p.run(500 * time.Millisecond)
	assert.Equal(t, "1", p.client.line("m.seen"))
	ghost := `(function() for r in objects "Rune" do return r.power, r.dataBlock.mass end end)()`
	assert.Equal(t, "7\t5", p.client.line(ghost))
	serverFiles["m/shared/data.lua"] = &fstest.MapFile{Data: []byte(`
		Stone = datablock "ItemData" "Stone" { mass = 6 }
		Rune = class "Rune" { inherit = "Item", fields = { power = int(0, 1000), label = str(10) } }`)}
	assert.Contains(t, p.server.line("mod reload m"), "m 1.0.0 reloaded")
	p.run(time.Second)
	assert.Equal(t, "7\t6", p.client.line(ghost))
	p.server.line(`find("First").power = 900`)
	p.server.line(`find("First").label = "new"`)
	p.run(time.Second)
	assert.Equal(t, "900\t6", p.client.line(ghost))
	clientFiles["m/client/init.lua"] = &fstest.MapFile{Data: []byte(strings.Replace(client["m/client/init.lua"], "return seen", "return 'seen ' .. seen", 1))}
	assert.Contains(t, p.client.line("mod reload m"), "m 1.0.0 reloaded")
	assert.Equal(t, "seen 2", p.client.line("m.seen"))
	assert.Equal(t, "900\t6", p.client.line(ghost))
	clientFiles["m/mod.toml"] = &fstest.MapFile{Data: []byte("name = \"m\"\nversion = \"2.0.0\"\n")}
	assert.Contains(t, p.client.line("mod reload m"), "error: m is not reloaded: the server runs version 1.0.0, this client has 2.0.0")
	require.NoError(t, p.client.host.Dialer.Disconnect("bye"))
	p.run(time.Second)
	assert.Equal(t, []string{"base"}, loadedNames(p.client), "what was reloaded leaves with the server, too")
	assert.Contains(t, p.client.line("m.seen"), "error")
}

// TestReloadOfBase checks that base can be reloaded on both sides during a game.
func TestReloadOfBase(t *testing.T) {
	p := join(t, nil, nil, "hello")
	p.client.line(`clientCmdCenterPrint = nil`)
	p.server.line(`import("base").centerPrintAll("soon gone", 2)`)
	p.run(500 * time.Millisecond)
	for _, h := range []*half{p.server, p.client} {
		for range 3 {
			require.NoError(t, h.scripts.ReloadNow("base"))
		}
	}
	assert.Equal(t, "15 soon gone", p.client.line("hud"))
	p.run(3 * time.Second)
	assert.Equal(t, "", p.client.line("hud"))
	p.client.line(`say "hello"`)
	p.run(500 * time.Millisecond)
	assert.Equal(t, []string{"Dood: hello"}, p.client.out)
	require.NoError(t, p.server.scripts.ReloadNow("hello"))
	require.Empty(t, p.client.line(`hello.ask HeavyBall`))
	p.run(500 * time.Millisecond)
	p.server.line("sv.bots 2")
	p.run(time.Second)
	require.NoError(t, p.server.scripts.ReloadNow("base"))
	p.server.line("sv.bots 0")
	p.run(time.Second)
	bots := 0
	p.server.host.World().Each(nil, func(o sim.Object) bool {
		if strings.HasPrefix(o.Ident().Class().Name, "GameConnection") {
			bots++
		}
		return true
	})
	assert.Equal(t, 1, bots, "only the person is left")
	assert.Empty(t, p.server.scripts.Runtime.Mod("base").Faults())
}

// BenchmarkReloadOfCTF measures a reload of ctf with and without compiling its files.
func BenchmarkReloadOfCTF(b *testing.B) {
	for name, compiled := range map[string]bool{"compiled": true, "compile": false} {
		b.Run(name, func(b *testing.B) {
			h := newHalf(b, 1, true, mods.FS()).load("ctf")
			for b.Loop() {
				if !compiled {
					b.StopTimer()
					h.scripts.ForgetCompiled()
					b.StartTimer()
				}
				require.NoError(b, h.scripts.ReloadNow("ctf"))
			}
		})
	}
}
