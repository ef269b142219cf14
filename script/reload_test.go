package script_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An edited is a server with mod files that the test changes.
type edited struct {
	*half
	files fstest.MapFS
	now   time.Duration
}

func edit(t testing.TB, list map[string]string, names ...string) *edited {
	folder := files(list).(fstest.MapFS)
	return &edited{half: newHalf(t, 1, true, folder).load(names...), files: folder}
}

// write changes files. An empty text removes a file.
func (e *edited) write(list map[string]string) *edited {
	for name, text := range list {
		if text == "" {
			delete(e.files, name)
			continue
		}
		e.files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return e
}

func (e *edited) ticks(n int) *edited {
	for range n {
		e.now += 32 * time.Millisecond
		e.host.Tick(e.now)
	}
	return e
}

// rich is a mod that uses every kind of declaration.
var rich = map[string]string{
	"lib/server/init.lua": `export("twice", function(x) return 2 * x end)`,
	"m/mod.toml":          "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"lib\"]\n",
	"m/shared/data.lua": `
		Stone = datablock "ItemData" "Stone" { mass = 5, friction = 0.7 }
		Pebble = datablock "ItemData" "Pebble" { inherit = "Stone", elasticity = 0.5 }
		Rune = class "Rune" { inherit = "Item", fields = { power = int(0, 10), word = str(20) } }`,
	"m/server/tally.lua": `return { points = { 1, 2 }, add = function() end }`,
	"m/server/init.lua": `
		tally = require "server.tally"
		count, word = 1, tag "a tag %1"
		local limit = setting "m.limit" { default = 5, min = 1, max = 10, description = "how many" }
		addCommand { name = "m.count", description = "counts", chat = true, run = function() count = count + 1 return count end }
		local guard = new "ScriptObject" { name = "Guard" }
		guard.own.since = 1
		export("count", function() return count end)
		export("limit", function() return limit.value end)
		override(import "lib", "twice", function(parent, x) return parent(x) + 0.5 end)
		allowCommand("Hit", { args = { "int" } })
		function serverCmd.Hit(client, n) end
		function Stone:onAdd(o) o.own.new = true end
		function Rune:shout() return self.word .. "!" end
		schedule(1e6, print, "late")
		function make(word) return new "Rune" { dataBlock = Pebble, word = word, power = 3 } end
		export("make", make)`,
	"z/mod.toml":        "name = \"z\"\nversion = \"1.0.0\"\ndepends = [\"m ^1.0\"]\n",
	"z/server/init.lua": `m = import "m" override(import "lib", "twice", function(parent, x) return parent(x) * 10 end) function count() return m.count() end`,
}

// changing is the start of the files of a new version that then fails.
const changing = `
	for k, v in pairs { tags = tag "new tag", more = tag "more" } do _G[k] = v end
	datablock "ItemData" "Stone" { mass = 77 }
	datablock "ItemData" "Boulder" { mass = 700 }
	class "Rune" { inherit = "Item", fields = { power = int(0, 100), colour = str(8) } }
	class "Sign" { fields = { text = str(100) } }
	new "ScriptObject" { name = "Watcher" }
	new "Sign" { text = "new" }
	new "Rune" { dataBlock = Pebble, power = 55 }
	setting "m.limit" { default = 7, min = 1, max = 10 }
	setting "m.other" { default = true }
	addCommand { name = "m.count", chat = true, run = print }
	addCommand { name = "m.more", run = print }
	override(import "lib", "twice", function(parent, x) return 0 end)
	override("Rune", "shout", function(parent, self) return "" end)
	export("other", 1)
	allowCommand("Hit", { args = { "string" } })
	function serverCmd.Fresh() end
	function Stone:onRemove() end
	schedule(0, error, "never")
	schedule(1e6, print)
	import("lib").twice(1)
	store:put("key", 1)
`

func richMod(t testing.TB) *edited {
	e := edit(t, rich, "m", "z")
	e.line(`m.limit = 9`)
	e.line(`import("m").make("old")`)
	e.line(`find("Guard").own.x = 1`)
	e.line("m.count")
	return e.ticks(2)
}

// TestFailedReloadChangesNothing checks that a failed reload changes nothing, and that the
// previous instance still runs.
func TestFailedReloadChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		line  string // console line before the reload
		want  string
	}{
		"syntax error":          {map[string]string{"m/server/init.lua": changing + "x = = 1"}, "", "mods/m/server/init.lua:24: "},
		"error in a file":       {map[string]string{"m/server/init.lua": changing + "local x x()"}, "", "mods/m/server/init.lua:24: attempt to call"},
		"error in a module":     {map[string]string{"m/server/init.lua": changing + "require 'server.tally'", "m/server/tally.lua": "error 'in tally'"}, "", "mods/m/server/tally.lua:1: in tally"},
		"wrong datablock":       {map[string]string{"m/server/init.lua": changing + `datablock "ItemData" "Stone" { mas = 1 }`}, "", "mods/m/server/init.lua:24: datablock: "},
		"wrong class":           {map[string]string{"m/server/init.lua": changing + `class "Worse" { fields = { x = int(3, 1) } }`}, "", "mods/m/server/init.lua:24: "},
		"class of another":      {map[string]string{"m/server/init.lua": changing + `class "Item" { fields = {} }`}, "", "the engine has a class Item"},
		"onReload fails":        {map[string]string{"m/server/init.lua": changing + `function onReload(old) count = old.count error "no" end`}, "", "mods/m/server/init.lua:24: no"},
		"a loop without end":    {map[string]string{"m/server/init.lua": changing + "while true do end"}, "mod.loadInstructions 100000", "mods/m/server/init.lua:24: "},
		"a loop in onReload":    {map[string]string{"m/server/init.lua": changing + "function onReload() while true do end end"}, "mod.loadInstructions 100000", "mods/m/server/init.lua:24: "},
		"missing dependency":    {map[string]string{"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"nothere\"]\n"}, "", "mod m needs nothere, which is not installed"},
		"broken dependency":     {map[string]string{"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"bad\"]\n", "bad/mod.toml": "name = \"bad\"\nversion = \"1.0.0\"\n", "bad/server/init.lua": changing + "bad()"}, "", "it needs bad, which cannot be loaded: mods/bad/server/init.lua:"},
		"dependency fails late": {map[string]string{"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"good\", \"lib\"]\n", "good/mod.toml": "name = \"good\"\nversion = \"1.0.0\"\n", "good/server/init.lua": `datablock "ItemData" "Good" {} addCommand { name = "good", run = print }`, "m/server/init.lua": changing + "bad()"}, "", "mods/m/server/init.lua:24: attempt to call global 'bad' (a nil value)"},
		"circle":                {map[string]string{"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"z\"]\n"}, "", "circular dependency"},
		"conflict":              {map[string]string{"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\nconflicts = [\"lib\"]\n"}, "", "conflicts with lib 1.0.0"},
		"too new for others":    {map[string]string{"m/mod.toml": "name = \"m\"\nversion = \"2.0.0\"\n"}, "", "mod z needs m ^1.0, but version 2.0.0 is installed"},
		"another name":          {map[string]string{"m/mod.toml": "name = \"n\"\nversion = \"1.0.0\"\n"}, "", "mods/m/mod.toml:1: the mod is named \"n\" but its folder \"m\""},
		"broken manifest":       {map[string]string{"m/mod.toml": "name = \n"}, "", "mods/m/mod.toml:1: "},
		"no manifest":           {map[string]string{"m/mod.toml": ""}, "", "unknown mod m: it is in no folder of mods"},
		"a name that is taken":  {map[string]string{"m/server/init.lua": changing + `addCommand { name = "status", run = print }`}, "", "status is already the command status"},
		"a name of another mod": {map[string]string{"m/server/init.lua": changing + `setting "say" { default = 1 }`}, "", "say is already the command say"},
		"wrong default":         {map[string]string{"m/server/init.lua": changing + `setting "m.third" { default = {} }`}, "", "default must be"},
	} {
		t.Run(name, func(t *testing.T) {
			e := richMod(t)
			if c.line != "" {
				require.Empty(t, e.line(c.line))
			}
			before := e.scripts.Dump()
			e.write(c.files)
			got := e.line("mod reload m")
			require.True(t, strings.HasPrefix(got, "error: m is not reloaded: "), got)
			assert.Contains(t, got, c.want)
			assert.NotContains(t, got, "\n")
			assert.Empty(t, difference(before, e.scripts.Dump()))
			e.runsOn()
		})
	}
}

// runsOn checks that the first version of rich works.
func (e *edited) runsOn() {
	e.t.Helper()
	e.steps(
		step{`m.count`, `3`}, step{`m.limit`, `9`}, step{`import("z") and import("m").limit()`, `9`},
		step{`import("lib").twice(2)`, `45`}, step{`find("Guard").own.x`, `1`},
		step{`m = nil`, ``},
		step{`import("m").make("new"):shout()`, `"new!"`}, step{`find("Stone").mass`, `5`},
	)
	e.out = nil
	e.ticks(3)
	assert.Empty(e.t, e.out)
}

// difference lists the lines that only one of two texts has.
func difference(before, after string) []string {
	had, has := strings.Split(before, "\n"), strings.Split(after, "\n")
	var lines []string
	for _, line := range had {
		if !slices.Contains(has, line) {
			lines = append(lines, "- "+line)
		}
	}
	for _, line := range has {
		if !slices.Contains(had, line) {
			lines = append(lines, "+ "+line)
		}
	}
	if len(lines) == 0 && before != after {
		lines = append(lines, "another order")
	}
	return lines
}

// TestAReload checks reloads in a table: the new files of rich, console lines after the reload,
// and their output.
func TestAReload(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string // output of mod reload
		steps []step
	}{
		"nothing has changed": {nil, "m 1.0.0 reloaded in 1 ms, 0 files changed", []step{
			{`m.count`, `2`}, {`m.limit`, `9`}, {`import("lib").twice(2)`, `45`}, {`dataBlockKey()`, `2`},
			{`import("m").limit()`, `9`}, {`find("Guard").id`, `9`}, {`isObject(7)`, `false`}, {`find(8):shout()`, `"old!"`},
		}},
		"code": {map[string]string{"m/server/init.lua": `addCommand { name = "m.count", run = function() return "new" end }`}, "m 1.0.0 reloaded in 1 ms, 1 file changed", []step{
			{`m.count`, `new`}, {`m.limit`, `~the console has no m.limit`}, {`import("lib").twice(2)`, `40`},
			{`isObject "Guard"`, `false`}, {`find(8).word`, `"old"`}, {`find(8):shout()`, `~unknown field "shout" of Rune`},
			{`import("m").count`, `error: console:1: mod m no longer exports "count" since its reload (1.0.0)`},
		}},
		"version": {map[string]string{"m/mod.toml": "name = \"m\"\nversion = \"1.2.0\"\ndepends = [\"lib\"]\n"}, "m 1.2.0 reloaded in 1 ms, 1 file changed", []step{
			{`mods`, "base 1.0.0 on [mod.settings]\nlib 1.0.0 on\nm 1.2.0 on\nz 1.0.0 on"},
		}},
		"a datablock": {map[string]string{"m/shared/data.lua": `
			Stone = datablock "ItemData" "Stone" { mass = 6 }
			Pebble = datablock "ItemData" "Pebble" { inherit = "Stone" }
			datablock "ItemData" "Stone" { radius = 2 }
			Rune = class "Rune" { inherit = "Item", fields = { power = int(0, 10), word = str(20) } }`}, "m 1.0.0 reloaded in 1 ms, 1 file changed", []step{
			{`find("Stone").mass`, `6`}, {`find("Stone").radius`, `2`}, {`find("Stone").friction`, `0.5`}, {`find("Pebble").mass`, `6`}, {`find("Pebble").elasticity`, `0.2`},
		}},
		"a datablock without its parent": {map[string]string{"m/shared/data.lua": `
			Stone = datablock "ItemData" "Stone" { mass = 5, friction = 0.7 }
			Pebble = datablock "ItemData" "Pebble" {}
			function Stone:hit() return "hit" end
			Rune = class "Rune" { inherit = "Item", fields = { power = int(0, 10), word = str(20) } }`}, "m 1.0.0 reloaded in 1 ms, 1 file changed", []step{
			{`find("Pebble").mass`, `1`}, {`find("Stone"):hit()`, `"hit"`}, {`find("Pebble"):hit()`, `~unknown field "hit"`},
		}},
		"a class": {map[string]string{"m/shared/data.lua": `
			Stone = datablock "ItemData" "Stone" { mass = 5, friction = 0.7 }
			Pebble = datablock "ItemData" "Pebble" { inherit = "Stone", elasticity = 0.5 }
			Rune = class "Rune" { inherit = "Item", fields = { word = str(40), power = int(0, 1000), glow = bool { default = true } } }`}, "m 1.0.0 reloaded in 1 ms, 1 file changed", []step{
			{`find(8).word`, `"old"`}, {`find(8).power`, `3`}, {`find(8).glow`, `true`}, {`find(8):shout()`, `"old!"`},
		}},
		"a setting out of range": {map[string]string{"m/server/init.lua": `setting "m.limit" { default = 2, min = 1, max = 3 }`}, "m 1.0.0 reloaded in 1 ms, 1 file changed", []step{
			{`m.limit`, `2`},
		}},
		"onReload": {map[string]string{"m/server/init.lua": `
			count, list = 1, {}
			function onReload(old)
				count = old.count
				tally = old:module "server.tally"
				echo(count, tally.points[2], tally.add, old.make, old.nothing, old.word, old:module "server.none", old)
				echo(pcall(function() old.x = 1 end))
				echo(find(8).own.new, pcall(function() return old:modul() end))
				kept = old
			end
			export("kept", function() return kept.count end)`}, "2\t2\tnil\tnil\tnil\ta tag %1\tnil\tthe old m\n" +
			"false\tmods/m/server/init.lua:7: the old instance is read-only\ntrue\tfalse\tmods/m/server/init.lua:8: attempt to call method 'modul' (a nil value)\n" +
			"m 1.0.0 reloaded in 1 ms, 1 file changed", []step{
			{`import("m").kept()`, `~the state before the reload is readable only in onReload`},
		}},
		"another dependency": {map[string]string{
			"m/mod.toml":    "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"lib\", \"more\"]\n",
			"more/mod.toml": "name = \"more\"\nversion = \"1.0.0\"\n", "more/server/init.lua": `export("more", 5)`,
			"m/server/init.lua": `export("more", import("more").more)`,
		}, "m 1.0.0 reloaded in 1 ms, 2 files changed", []step{
			{`import("m").more`, `5`}, {`mods`, "base 1.0.0 on [mod.settings]\nlib 1.0.0 on\nmore 1.0.0 on\nm 1.0.0 on\nz 1.0.0 on"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			e := richMod(t)
			e.perAsk = time.Microsecond
			got := e.write(c.files).line("mod reload m")
			require.Equal(t, c.want, got)
			e.perAsk = 0
			e.steps(c.steps...)
			e.out = nil
			e.ticks(3)
			assert.Empty(t, e.out)
		})
	}
}
