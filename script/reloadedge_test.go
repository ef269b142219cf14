package script_test

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
)

// write changes a file of the server of a pair.
func write(folder fstest.MapFS, name, text string) {
	folder[name] = &fstest.MapFile{Data: []byte(text)}
}

// stays runs the pair for a while and requires that the client is still connected.
func (p *pair) stays() {
	p.server.t.Helper()
	p.run(time.Second)
	require.NotNil(p.server.t, p.client.host.Server(), strings.Join(append(p.server.log, p.client.log...), "\n"))
}

// TestFailedReloadSendsNothing checks that declarations and messages of files that fail do not
// reach clients, because others soon use the same numbers and keys.
func TestFailedReloadSendsNothing(t *testing.T) {
	const first = `class "Rune" { inherit = "Item", fields = { power = int(0, 10) } }
		schedule(0, function() if not isObject "First" then new "Rune" { name = "First", dataBlock = find "Stone", power = 7 } end end)`
	folder := files(map[string]string{"m/server/init.lua": `datablock "ItemData" "Stone" { mass = 5 }` + first}).(fstest.MapFS)
	p := joinFolders(t, nil, folder, files(nil), "m")
	p.stays()
	write(folder, "m/server/init.lua", `
		datablock "ItemData" "Stone" { mass = 77 }
		datablock "ItemData" "Extra" { mass = 3 }
		class "Rune" { inherit = "Item", fields = { power = int(0, 100) } }
		class "More" { fields = { power = int(0, 100) } }
		for c in clientGroup:each() do c:transmitDataBlocks(7) end
		error "no"`)
	require.Contains(t, p.server.line("mod reload m"), "error: m is not reloaded: mods/m/server/init.lua:7: no")
	p.stays()
	p.client.steps(step{`find("Stone").mass, isObject "Extra"`, "5\tfalse"})
	write(folder, "m/server/init.lua", `
		datablock "ItemData" "Stone" { mass = 6 }
		datablock "ItemData" "Other" { mass = 4 }
		class "Rune" { inherit = "Item", fields = { word = str(10), power = int(0, 10) } }
		class "Sign" { fields = { text = str(100) } }
		for c in clientGroup:each() do c:transmitDataBlocks(7) end`)
	require.Contains(t, p.server.line("mod reload m"), "m 1.0.0 reloaded")
	p.stays()
	p.client.steps(
		step{`find("Stone").mass, find("Other").mass, isObject "Extra"`, "6\t4\tfalse"},
		step{`(function() for r in objects "Rune" do return r.power, r.dataBlock.mass end end)()`, "7\t6"},
	)
}

// TestRollbackRestoresDatablocks checks that a rollback of a datablock gives its objects their
// previous datablock.
func TestRollbackRestoresDatablocks(t *testing.T) {
	const first = `datablock "ItemData" "Stone" { mass = 5 } datablock "ItemData" "Pebble" { mass = 2 }
		schedule(0, function() if not isObject "First" then new "Item" { name = "First", dataBlock = find "Stone" } end end)`
	folder := files(map[string]string{"m/server/init.lua": first}).(fstest.MapFS)
	p := joinFolders(t, nil, folder, files(nil), "m")
	p.stays()
	write(folder, "m/server/init.lua", `
		find("First").dataBlock = find "Pebble"
		find("First").dataBlock = datablock "ItemData" "Extra" { mass = 3 }
		error "no"`)
	before := p.server.scripts.Dump()
	require.Contains(t, p.server.line("mod reload m"), "error: m is not reloaded: mods/m/server/init.lua:4: no")
	assert.Empty(t, difference(before, p.server.scripts.Dump()))
	mass := `(function() for i in objects "Item" do return i.dataBlock.mass end end)()`
	p.stays()
	p.client.steps(step{mass, `5`})
	write(folder, "m/server/init.lua", `datablock "ItemData" "Stone" { mass = 6 } datablock "TriggerData" "Zone" {}
		find("First").dataBlock = datablock "ItemData" "New" { mass = 8 }`)
	require.Contains(t, p.server.line("mod reload m"), "m 1.0.0 reloaded")
	p.stays()
	p.client.steps(step{mass, `8`})
}

// TestBotsOfFiles checks that a bot that is rolled back causes no events. A bot whose files are
// gone leaves with them, as any client does.
func TestBotsOfFiles(t *testing.T) {
	const handlers = `function GameConnection.onConnect(c) echo("connect " .. c.name) end function GameConnection.onDrop(c) echo("drop " .. c.name) end`
	e := edit(t, map[string]string{"see/server/init.lua": handlers, "m/server/init.lua": ``}, "see", "m")
	e.write(map[string]string{"m/server/init.lua": `
		local bot = addBot "X"
		bot:setControlObject(new "Camera" {})
		bot.own.score = 1
		bot:moveTo(vec(1, 2, 3))
		error "no"`})
	before := e.scripts.Dump()
	e.steps(step{"mod reload m", "~mods/m/server/init.lua:6: no"})
	assert.Empty(t, difference(before, e.scripts.Dump()))
	assert.Empty(t, e.host.Connections())
	e.out = nil
	e.ticks(5)
	assert.Empty(t, append(e.out, e.log...))
	e.write(map[string]string{"m/server/init.lua": `addBot "X"`})
	e.steps(step{"mod reload m", "~reloaded"})
	for _, c := range []struct {
		line, prints string
		handlers     []string
	}{
		{"mod reload m", "m 1.0.0 reloaded", []string{"connect X (2)", "drop X"}}, {"mod disable m", "m is disabled", []string{"drop X (2)"}},
	} {
		e.ticks(3)
		assert.Contains(t, e.line(c.line), c.prints)
		e.out = nil
		e.ticks(3)
		assert.ElementsMatch(t, c.handlers, e.out)
	}
	assert.Empty(t, e.host.Connections())
	assert.Empty(t, e.log)
}

// TestOthersKeepWhatTheyHaveRegistered checks that names registered by another mod stay when the
// files that called it fail. They belong to that mod and are removed with it.
func TestOthersKeepWhatTheyHaveRegistered(t *testing.T) {
	e := edit(t, map[string]string{"lib/server/init.lua": `export("hook", function()
			addCommand { name = "lib.x", chat = true, run = function() return "x" end }
			setting "lib.s" { default = 1 }
			override(import "lib", "f", function(parent) return "over " .. parent() end)
		end)
		export("f", function() return "f" end)`, "m/server/init.lua": `
		addCommand { name = "m.y", chat = true, run = function() return "y" end }
		override(import "lib", "f", function(parent) return "m " .. parent() end)`}, "lib", "m")
	e.write(map[string]string{"m/server/init.lua": `import("lib").hook() addCommand { name = "m.y", run = print } addCommand { name = "m.z", run = print } error "no"`})
	e.steps(step{"mod reload m", "~mods/m/server/init.lua:1: no"},
		step{"lib.x", "x"}, step{"lib.s", "1"}, step{"m.y", "y"}, step{`m.z`, "~m.z"}, step{`import("lib").f()`, `"m over f"`},
		step{`mod info lib`, "~console lib.s, lib.x"}, step{`mod info m`, "~console m.y"},
		step{"mod disable lib", "lib is disabled"}, step{"lib.x", "~undefined global 'lib'"}, step{"lib.s", "~undefined global 'lib'"}, step{"m.y", "y"})
}

// TestClientKeepsModsDisabled checks that a mod disabled on a client stays disabled on the next
// server.
func TestClientKeepsModsDisabled(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": ``}, map[string]string{"m/client/init.lua": `echo "loaded"`}, "m")
	p.client.steps(step{"mod disable m", "m is disabled"})
	require.NoError(t, p.client.host.Dialer.Disconnect("bye"))
	p.run(time.Second)
	require.NoError(t, p.client.host.Dialer.Connect("x:1", engine.ConnectArgs{}))
	p.run(3 * time.Second)
	assert.Equal(t, engine.PhaseGame, p.client.host.Server().Join.Phase())
	p.client.steps(step{"mods", "base 1.0.0 on [mod.settings]\nm 1.0.0 disabled"}, step{"mod enable m", "loaded\nm 1.0.0 is on"},
		step{"mod reload m", "~m 1.0.0 reloaded"}, step{"mod disable m", "m is disabled"})
}

// TestWatchWhileTestsRun checks that files changed during their tests are examined when the tests
// end.
func TestWatchWhileTestsRun(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `export("v", 1)`}, "m")
	var done func(error)
	tries := 0
	e.scripts.SetTrial(func(mod string, _ []fs.FS, end func(error)) { done = end; tries++ })
	stamp := time.Unix(1000, 0)
	save := func(text string) {
		stamp = stamp.Add(time.Second)
		e.files["m/server/init.lua"] = &fstest.MapFile{Data: []byte(text), ModTime: stamp}
		e.ticks(100)
	}
	e.line("mod watch on")
	e.ticks(50)
	save(`bad(`)
	assert.Equal(t, 1, tries)
	save(`export("v", 3)`)
	assert.Equal(t, 1, tries)
	done(errors.New("it does not compile"))
	e.ticks(100)
	assert.Equal(t, 2, tries)
	done(nil)
	e.ticks(100)
	assert.Equal(t, 2, tries)
	e.steps(step{`import("m").v`, `3`})
}

// TestAReloadIsQueuedOnce checks that a reload that waits for the end of the tick is queued only
// once.
func TestAReloadIsQueuedOnce(t *testing.T) {
	e := edit(t, map[string]string{
		"m/mod.toml":        "name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"console.mod.reload\"]\n",
		"m/server/init.lua": `export("go", function() return mod.reload "m", mod.reload "other", pcall(mod.reload, "m") end)`, "other/server/init.lua": ``}, "m", "other")
	e.line(`mod grant m console.mod.reload`)
	e.steps(step{`import("m").go()`, `~is reloaded before the next tick"` + "\t" + `"other is reloaded before the next tick"` + "\tfalse\t"})
	e.out = nil
	e.ticks(2)
	require.Len(t, e.out, 2)
	assert.Contains(t, e.out[0], "m 1.0.0 reloaded")
	assert.Contains(t, e.out[1], "other 1.0.0 reloaded")
	e.steps(step{"mod reload m", "~m 1.0.0 reloaded"})
}

// TestAModThatFailsToLoadLeavesNoObjects checks that a mod that fails at server start leaves no
// objects. Otherwise they would exist twice after the mod is fixed.
func TestAModThatFailsToLoadLeavesNoObjects(t *testing.T) {
	folder := files(map[string]string{"bad/server/init.lua": `new "ScriptObject" { name = "Left" } addBot "Left" error "halfway"`}).(fstest.MapFS)
	h := newHalf(t, 1, true, folder)
	require.Len(t, h.scripts.LoadMods("base", "bad"), 1)
	e := &edited{half: h, files: folder}
	e.ticks(3)
	e.steps(step{`isObject "Left"`, `false`}, step{`mods`, "base 1.0.0 on [mod.settings]\nbad - not loaded: mods/bad/server/init.lua:1: halfway"})
	assert.Empty(t, h.host.Connections())
	assert.Empty(t, h.log)
}

// TestTheOldInstanceIsGarbage checks that nothing keeps a previous or failed instance in memory:
// neither mods that imported from it nor the last call.
func TestTheOldInstanceIsGarbage(t *testing.T) {
	e := richMod(t)
	e.line(`f = import("m").count f()`)
	for _, line := range []string{`m.count`, `find(8):shout()`, `import("lib").twice(3)`, `count()`} {
		e.line(line)
	}
	old := weak.Make(e.scripts.Runtime.Mod("m"))
	gone := func() bool {
		e.ticks(1)
		runtime.GC()
		return old.Value() == nil
	}
	require.NoError(t, e.scripts.ReloadNow("m"))
	assert.True(t, gone())
	old = weak.Make(e.scripts.Runtime.Mod("m"))
	e.write(map[string]string{"m/server/init.lua": changing + "bad()"})
	require.Error(t, e.scripts.ReloadNow("m"))
	assert.False(t, gone())
	require.NoError(t, e.scripts.Disable("z"))
	require.NoError(t, e.scripts.Disable("m"))
	assert.True(t, gone())
	runtime.KeepAlive(e)
}

// TestFaultsAreKeptWhenAModIsReloaded checks that a reloaded mod keeps the places of its faults.
func TestFaultsAreKeptWhenAModIsReloaded(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `export("fail", function() schedule(0, function() error "wrong" end) end)`}, "m")
	for range 3 {
		e.line(`import("m").fail()`)
		e.ticks(1)
	}
	require.NoError(t, e.scripts.ReloadNow("m"))
	require.Len(t, e.scripts.Runtime.FaultsOf("m"), 1)
	assert.Equal(t, 3, e.scripts.Runtime.FaultsOf("m")[0].Count)
	e.log = nil
	e.line(`import("m").fail()`)
	e.ticks(1)
	require.Len(t, e.log, 1, "it is told at once")
	assert.NotContains(t, e.log[0], "times more")
}

// TestTablesKeepTheirOrder checks that a table has the same order after a reload, because pairs
// uses that order.
func TestTablesKeepTheirOrder(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `
		list = {}
		for i = 1, 40 do list["key" .. i * 7 % 41] = i list[vec(i, 0, 0)] = i end
		function order(of) local s = "" for k, v in pairs(of) do s = s .. v .. " " end return s end
		function onReload(old) echo(order(old.list) == order(list)) end`}, "m")
	for range 3 {
		e.out = nil
		require.NoError(t, e.scripts.ReloadNow("m"))
		assert.Equal(t, []string{"true"}, e.out)
	}
}

// TestADataBlockThatChangesWhileAClientJoins checks that a datablock that changes while a client
// joins also changes for that client.
func TestADataBlockThatChangesWhileAClientJoins(t *testing.T) {
	for phase := range 4 {
		folder := files(map[string]string{"m/server/init.lua": `datablock "ItemData" "Stone" { mass = 5 }`}).(fstest.MapFS)
		p := joinFolders(t, nil, folder, files(nil), "m")
		require.NoError(t, p.client.host.Dialer.Disconnect("bye"))
		p.run(time.Second)
		require.NoError(t, p.client.host.Dialer.Connect("x:1", engine.ConnectArgs{}))
		p.net.RunWhile(p.net.Now()+5*time.Second, engine.TickTime, func() bool {
			return p.client.host.Server() == nil || int(p.client.host.Server().Join.Phase()) < phase
		})
		write(folder, "m/server/init.lua", `datablock "ItemData" "Stone" { mass = 6 }`)
		require.NoError(t, p.server.scripts.ReloadNow("m"))
		p.stays()
		assert.Equal(t, engine.PhaseGame, p.client.host.Server().Join.Phase())
		p.client.steps(step{`find("Stone").mass`, `6`})
	}
}
