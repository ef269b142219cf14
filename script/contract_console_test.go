package script_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommandsFromLua(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		addCommand {
			name = "m.greet", params = "NAME", description = "greets", role = "greeter", chat = true,
			run = function(caller, name, ...) return "hello " .. tostring(name) .. " from " .. tostring(caller), select("#", ...) end,
		}
		addCommand { name = "m.fail", run = function() error "broken" end }
		addCommand { name = "m.quiet", run = function() end }
	`}, nil, "m")
	p.server.steps(
		pathIndex{`m.greet "big bad" x`, "hello big bad from nil\n1"},
		pathIndex{`m.greet("a b")`, `"hello a b from nil` + `\n0"`},
		pathIndex{`help m.greet`, `~greets`},
		pathIndex{`m.fail`, `error: mods/m/server/init.lua:6: broken`},
		pathIndex{`m.quiet`, ``},
		pathIndex{`addCommand { name = "status", run = print }`, `~error: console:1: addCommand: `},
		pathIndex{`addCommand { name = "x" }`, `~run must be a function`},
		pathIndex{`addCommand { name = "x", run = print, descripton = "" }`, `~unknown option "descripton", did you mean "description"?`},
		pathIndex{`m.nothing`, `~the console has no m.nothing`},
	)
	p.client.line(`say "/m.greet you"`)
	p.run(400 * time.Millisecond)
	assert.Equal(t, []string{"no such command"}, p.client.out, "without the role")
	p.server.rights.roles["Dood"] = "greeter"
	p.client.line(`say "/m.greet you"`)
	p.run(400 * time.Millisecond)
	require.Len(t, p.client.out, 2)
	assert.Regexp(t, `^hello you from \d+$`, p.client.out[0])
	assert.Equal(t, "0", p.client.out[1])
	p.client.line(`say "/m.quiet"`)
	p.run(400 * time.Millisecond)
	assert.Equal(t, []string{"no such command"}, p.client.out)
}

func TestSettingsFromLua(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		local limit = setting "m.limit" { default = 5, min = 1, max = 10, description = "how many" }
		local on = setting "m.on" { default = true }
		local word = setting "m.word" { default = "x y" }
		export("all", function() return limit.value, on.value, word.value end)
		export("set", function(n) limit.value = n end)
		export("turn", function(to) on.value = to end)
		export("slip", function() return limit.valu end)
	`})).load("m")
	h.steps(
		pathIndex{`m.limit`, `5`}, pathIndex{`m.on`, `true`}, pathIndex{`m.word`, `"x y"`},
		pathIndex{`import("m").all()`, "5\ttrue\t\"x y\""},
		pathIndex{`m.limit 7`, ``}, pathIndex{`m.on = false`, ``}, pathIndex{`m.word "a \"b\""`, ``},
		pathIndex{`import("m").all()`, "7\tfalse\t\"a \\\"b\\\"\""},
		pathIndex{`m.limit 11`, `~error: `},
		pathIndex{`m.limit = 0`, `~error: `},
		pathIndex{`import("m").set(3) return m.limit`, `3`},
		pathIndex{`import("m").turn(true) return m.on`, `true`}, pathIndex{`(function() m.on = false return m.on end)()`, `false`},
		pathIndex{`(function() m.word = tag "t" m.limit = 9 return m.word, m.limit end)()`, "\"t\"\t9"}, pathIndex{`m.limit = 7`, ``}, pathIndex{`m.word = "a \"b\""`, ``},
		pathIndex{`(function() m.on = {} end)()`, `~a variable is set to a number, a boolean or a string, not a table`},
		pathIndex{`import("m").set(30)`, `~error: mods/m/server/init.lua:6: `},
		pathIndex{`import("m").slip()`, `error: mods/m/server/init.lua:8: a setting has a value, no "valu"`},
		pathIndex{`setting "net.rate" { default = 1 }`, `~error: console:1: setting: `},
		pathIndex{`setting "x" { defualt = 1 }`, `~unknown option "defualt", did you mean "default"?`},
	)
}

// In a mod's state variables can be read; commands need a permission that the
// manifest asks for and the operator has granted.
// A name may be a command and the beginning of others, as net and net.rate are.
func TestACommandThatIsANamespace(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		pathIndex{`= net.rate`, `31.25`},
		pathIndex{`net(12345)`, `~error: console:1: net: `},
		pathIndex{`net(12345)`, `~"12345"`},
		pathIndex{`sv()`, `error: console:1: sv is no command of the console`},
		pathIndex{`net[5]`, `error: console:1: the console has no net.5`},
	)
}

func TestTheConsoleInAMod(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"console.mods\"]\n",
		"m/server/init.lua": `
			echo(net.rate, net["size"])
			echo(pcall(function() net.rate = 20 end))
			echo(pcall(function() return status() end))
			echo(mods())
			echo(pcall(function() return net.nothing end))
			function again() return mods() end
			export("again", again)`,
	}))
	require.Empty(t, h.line(`mod.grant m console.mods`), "granted before it is loaded")
	h.load("m")
	require.Len(t, h.out, 5)
	assert.Equal(t, "31.25\t1200", h.out[0])
	assert.Contains(t, h.out[1], "mods can read net.rate, the operator sets it")
	assert.Contains(t, h.out[2], "mod m has no permission console.status")
	assert.Contains(t, h.out[3], "base 1.0.0 on")
	assert.Contains(t, h.out[4], "the console has no net.nothing")
	h.steps(
		pathIndex{`mod.revoke m console.mods`, ``},
		pathIndex{`import("m").again()`, "~the operator grants it with `mod.grant m console.mods`"},
		pathIndex{`mod.grant m console.quit`, `~mod m asks for console.mods, not for console.quit`},
		pathIndex{`mod.grant m`, `~usage: mod.grant MOD PERMISSION`},
		pathIndex{`net.rate = 20 return net.rate`, `~error`},
		pathIndex{`net.rate = 20`, ``}, pathIndex{`= net.rate + 1`, `21`},
		pathIndex{`(function() net.rate = 25 return net.rate end)()`, `25`},
		pathIndex{`players()`, ``},
		pathIndex{`net.rate = 200`, `~error: `},
	)
}

func TestValuesArePrintedAsLuaWritesThem(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		pathIndex{`nil`, `nil`}, pathIndex{`1, "a\n\"b\"", true`, "1\t\"a\\n\\\"b\\\"\"\ttrue"},
		pathIndex{`0.1 + 0.2, 1e15, 2^53`, "0.3\t1000000000000000\t9.007199254741e+15"},
		pathIndex{`print(1, "a", nil, true)`, "1\ta\tnil\ttrue"},
		pathIndex{`x = 5`, ``}, pathIndex{`x`, `5`}, pathIndex{`= x`, `5`},
		pathIndex{`tag "a", vec(1, 2, 3), rot(1, 2, 3)`, "tag \"a\"\tvec(1, 2, 3)\trot(1, 2, 3)"},
		pathIndex{`error "x"`, `error: console:1: x`}, pathIndex{`error("x", 0)`, `error: x`},
		pathIndex{`y.z = 1`, `error: console:1: undefined global 'y'`},
		pathIndex{`echo(tag "a" .. "b", "a" .. tag "b", #tag "abc", tag "")`, "ab\tab\t3\t"},
		pathIndex{`vec(1, 2, 3) + 1`, `~must be a vec, not a number`},
		pathIndex{`vec(1, 2, 3) * vec(1, 2, 3)`, `~must be a number, not a vec`},
		pathIndex{`-vec(1, 2, 3), vec(2, 4, 6) / 2, vec("1", 2), vec() == vec(0, 0, 0)`, "vec(-1, -2, -3)\tvec(1, 2, 3)\tvec(1, 2, 0)\ttrue"},
		pathIndex{`vec(1, 2, 3).w`, `error: console:1: a vec has no "w"`},
		pathIndex{`(function() local v = vec(1) v.x = 2 end)()`, `error: console:1: a vec is a value, it does not change: make a new one`},
		pathIndex{`tostring(vec(1, 0.5, -3)), vec(1, 2, 3):dot(vec(1, 1, 1)), vec(0, 3, 4):normalized()`, "\"1 0.5 -3\"\t6\tvec(0, 0.6, 0.8)"},
		pathIndex{`rot(90, 1, 2).pitch, rot(1, 2, 3) == rot(1, 2, 3), rot(1, 2, 3).w`, `~a rot has no "w"`},
	)
}

// schedule is owned by its mod and counts simulation time.
func TestTimersFromLua(t *testing.T) {
	h := newHalf(t, 1, true).load()
	h.steps(
		pathIndex{`schedule(-1, print)`, `~ms must be 0 or more, not -1`},
		pathIndex{`schedule(0/0, print)`, `~ms must be 0 or more`},
		pathIndex{`schedule(10, "print")`, `error: console:1: schedule: argument 2 (fn) must be a function, not a string`},
		pathIndex{`id = schedule(64, function(...) echo("late", ...) end, 1, nil, 3) schedule(64, echo, "second") schedule(0, echo, "now")`, ``},
		pathIndex{`isEventPending(id), isEventPending(id + 1000), isEventPending(0)`, "true\tfalse\tfalse"},
		pathIndex{`function onTick(n) if n <= 2 then echo("tick", n, tick(), now()) end end`, ``},
	)
	h.out = nil
	for range 3 {
		h.host.Tick(0)
	}
	assert.Equal(t, []string{"now", "tick\t1\t1\t32", "late\t1\tnil\t3", "second", "tick\t2\t2\t64"}, h.out)
	h.steps(pathIndex{`isEventPending(id)`, `false`})
}

// The events of a mission wait until no Lua runs.
func TestAMissionFromWithinLua(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"m/server/init.lua": `
			function onMissionEnd(seq) echo("end", seq) end
			function onMissionLoaded(seq, name) echo("loaded", seq, name, #missionGroup) end`,
		"m/missions/one.lua": `new "Marker" { name = "One" }`,
		"m/missions/two.lua": `new "Marker" {} new "Marker" {}`,
	})).load("m")
	h.steps(
		pathIndex{`loadMission "three"`, `~no mission is called "three": there is one, two`},
		pathIndex{`(function() loadMission "one" mission("two") echo "first" end)()`, `first`},
	)
	h.out = nil
	h.host.Tick(0)
	assert.Equal(t, []string{"end\t1", "loaded\t2\tone\t1", "end\t2", "loaded\t3\ttwo\t2"}, h.out)
	h.steps(pathIndex{`isObject "One"`, `false`}, pathIndex{`mission`, `two`})
}

// A mission that ends has the time of loading: it may be that of many clients.
func TestMissionEventsHaveTheTimeOfLoading(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"m/server/init.lua": `
			local function work() local n = 0 for i = 1, 2000000 do n = n + i end return n end
			function onMissionEnd(seq) work() echo "ended" end
			function onMissionLoaded(seq) work() echo "loaded" end`,
		"m/missions/one.lua": ``,
	})).load("m")
	h.out = nil
	require.NoError(t, h.scripts.LoadMission("one"))
	assert.Equal(t, []string{"ended", "loaded"}, h.out)
}

func TestSlipsInDefinitionsAreErrors(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		pathIndex{`tag(true)`, `error: console:1: tag: argument 1 (text) must be a string, not a boolean`},
		pathIndex{`tag(nil)`, `error: console:1: tag: argument 1 (text) must be a string, not nil`},
		pathIndex{`tag(5), tag(tag "x")`, "tag \"5\"\ttag \"x\""},
		pathIndex{`addCommand { run = print }`, `error: console:1: addCommand: name must be a string`},
		pathIndex{`setting "x" {}`, `error: console:1: setting: default must be a number, a boolean or a string, not nil`},
		pathIndex{`setting "x" { default = 1 }`, `setting`},
		pathIndex{`rootGroup.own = {}`, `error: console:1: own of an object cannot be set`},
		pathIndex{`rootGroup.id = 5`, `error: console:1: id of an object cannot be set`},
	)
}
