package script_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAChunkOfLinesNamesItsFirst: a line that is incomplete takes the next ones, and their error
// says where the chunk begins.
func TestAChunkOfLinesNamesItsFirst(t *testing.T) {
	h := newHalf(t, 1, true).load()
	_, more, err := h.console.Feed("x = 3; x")
	require.NoError(t, err)
	require.True(t, more)
	_, more, err = h.console.Feed("y = 4")
	assert.False(t, more)
	assert.EqualError(t, err, `in the lines from "x = 3; x" on: console:2: syntax error near 'y'`)
	_, _, err = h.console.Feed("y = = 4")
	assert.EqualError(t, err, "console:1: syntax error near '='", "a line alone")
}

func TestCommandsFromLua(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		addCommand {
			name = "m.greet", params = "NAME", description = "greets", role = "greeter", chat = true,
			run = function(caller, name, ...) return "hello " .. tostring(name) .. " from " .. tostring(caller), select("#", ...) end,
		}
		addCommand { name = "m.fail", run = function() error "broken" end }
		addCommand { name = "m.quiet", run = function() end }
		addCommand { name = "m.all", run = function() return true, nil, { 1, x = "y" }, vec(1, 2, 3), rootGroup, tag "red", 0.5 end }
	`}, nil, "m")
	p.server.steps(
		step{`m.greet "big bad" x`, "hello big bad from nil\n1"},
		step{`m.greet("a b")`, `"hello a b from nil` + `\n0"`},
		step{`help m.greet`, `~greets`},
		step{`m.fail`, `error: mods/m/server/init.lua:6: broken`},
		step{`m.quiet`, ``},
		step{`m.all`, "true\n{1, x = \"y\"}\nvec(1, 2, 3)\nobject 1\nred\n0.5"},
		step{`addCommand { name = "status", run = print }`, `~error: console:1: addCommand: `},
		step{`addCommand { name = "x" }`, `~run must be a function`},
		step{`addCommand { name = "x", run = print, descripton = "" }`, `~unknown option "descripton", did you mean "description"?`},
		step{`m.nothing`, `~the console has no m.nothing`},
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
		step{`m.limit`, `5`}, step{`m.on`, `true`}, step{`m.word`, `"x y"`},
		step{`import("m").all()`, "5\ttrue\t\"x y\""},
		step{`m.limit 7`, ``}, step{`m.on = false`, ``}, step{`m.word "a \"b\""`, ``},
		step{`import("m").all()`, "7\tfalse\t\"a \\\"b\\\"\""},
		step{`m.limit 11`, `~error: `},
		step{`m.limit = 0`, `~error: `},
		step{`import("m").set(3) return m.limit`, `3`},
		step{`import("m").turn(true) return m.on`, `true`}, step{`(function() m.on = false return m.on end)()`, `false`},
		step{`(function() m.word = tag "t" m.limit = 9 return m.word, m.limit end)()`, "\"t\"\t9"}, step{`m.limit = 7`, ``}, step{`m.word = "a \"b\""`, ``},
		step{`(function() m.on = {} end)()`, `~a variable must be set to a number, a boolean or a string, not a table`},
		step{`import("m").set(30)`, `~error: mods/m/server/init.lua:6: `},
		step{`import("m").slip()`, `error: mods/m/server/init.lua:8: a setting has only the field value, not "valu"`},
		step{`setting "net.rate" { default = 1 }`, `~error: console:1: setting: `},
		step{`setting "x" { defualt = 1 }`, `~unknown option "defualt", did you mean "default"?`},
	)
}

// TestACommandThatIsANamespace checks names that are a command and also a prefix of others, such
// as net and net.rate. A mod's state can read variables. Commands need a permission that the
// manifest requests and the operator has granted.
func TestACommandThatIsANamespace(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`= net.rate`, `"auto"`},
		step{`net(12345)`, `~error: console:1: net: `},
		step{`net(12345)`, `~"12345"`},
		step{`sv()`, `error: console:1: sv is not a console command`},
		step{`net[5]`, `error: console:1: the console has no net.5`},
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
	assert.Equal(t, "auto\t1400", h.out[0])
	assert.Contains(t, h.out[1], "net.rate is read-only for mods; the operator sets it")
	assert.Contains(t, h.out[2], "mod m has no permission console.status")
	assert.Contains(t, h.out[3], "base 1.0.0 on")
	assert.Contains(t, h.out[4], "the console has no net.nothing")
	h.steps(
		step{`mod.revoke m console.mods`, ``},
		step{`import("m").again()`, "~the operator can grant it with `mod.grant m console.mods`"},
		step{`mod.grant m console.quit`, `~mod m requests console.mods, not console.quit`},
		step{`mod.grant m`, `~usage: mod.grant MOD PERMISSION`},
		step{`net.rate = 20 return net.rate`, `~error`},
		step{`net.rate = 20`, ``}, step{`= net.rate + 1`, `21`},
		step{`(function() net.rate = 25 return net.rate end)()`, `25`},
		step{`#players()`, `0`}, // the function hides the command of this name
		step{`players`, ``},
		step{`net.rate = 9000`, `~error: `},
	)
}

func TestValuesArePrintedAsLuaWritesThem(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`nil`, `nil`}, step{`1, "a\n\"b\"", true`, "1\t\"a\\n\\\"b\\\"\"\ttrue"},
		step{`0.1 + 0.2, 1e15, 2^53`, "0.3\t1000000000000000\t9.007199254741e+15"},
		step{`print(1, "a", nil, true)`, "1\ta\tnil\ttrue"},
		step{`x = 5`, ``}, step{`x`, `5`}, step{`= x`, `5`},
		step{`tag "a", vec(1, 2, 3), rot(1, 2, 3)`, "tag \"a\"\tvec(1, 2, 3)\trot(1, 2, 3)"},
		step{`error "x"`, `error: console:1: x`}, step{`error("x", 0)`, `error: x`},
		step{`y.z = 1`, `error: console:1: undefined global 'y'`},
		step{`echo(tag "a" .. "b", "a" .. tag "b", #tag "abc", tag "")`, "ab\tab\t3\t"},
		step{`tag "a" .. {}`, `~console:1: argument 2 must be a string, not a table`},
		step{`vec(1, 2, 3) + 1`, `~a vec and a number cannot be added: both must be a vec`},
		step{`vec(1, 2, 3) * vec(1, 2, 3)`, `~two vecs cannot be multiplied: write a:dot(b) or a:cross(b)`},
		step{`-vec(1, 2, 3), vec(2, 4, 6) / 2, vec("1", 2), vec() == vec(0, 0, 0)`, "vec(-1, -2, -3)\tvec(1, 2, 3)\tvec(1, 2, 0)\ttrue"},
		step{`vec(1, 2, 3).w`, `error: console:1: a vec has no "w"`},
		step{`vec(1, 2, 3):lenght()`, `error: console:1: a vec has no "lenght", did you mean 'length'?`},
		step{`(function() local v = vec(1) v.x = 2 end)()`, `error: console:1: a vec is read-only: make a new one`},
		step{`tostring(vec(1, 0.5, -3)), vec(1, 2, 3):dot(vec(1, 1, 1)), vec(0, 3, 4):normalized()`, "\"1 0.5 -3\"\t6\tvec(0, 0.6, 0.8)"},
		step{`rot(90, 1, 2).pitch, rot(1, 2, 3) == rot(1, 2, 3), rot(1, 2, 3).w`, `~a rot has no "w"`},
	)
}

// TestTimersFromLua checks that a timer is owned by its mod and counts simulation time.
func TestTimersFromLua(t *testing.T) {
	h := newHalf(t, 1, true).load()
	h.steps(
		step{`schedule(-1, print)`, `~ms must be 0 or more, not -1`},
		step{`schedule(0/0, print)`, `~ms must be 0 or more`},
		step{`schedule(10, "print")`, `error: console:1: schedule: argument 2 (fn) must be a function, not a string`},
		step{`id = schedule(64, function(...) echo("late", ...) end, 1, nil, 3) schedule(64, echo, "second") schedule(0, echo, "now")`, ``},
		step{`isEventPending(id), isEventPending(id + 1000), isEventPending(0)`, "true\tfalse\tfalse"},
		step{`function onTick(n) if n <= 2 then echo("tick", n, tick(), now()) end end`, ``},
	)
	h.out = nil
	for range 3 {
		h.host.Tick(0)
	}
	assert.Equal(t, []string{"now", "tick\t1\t1\t32", "late\t1\tnil\t3", "second", "tick\t2\t2\t64"}, h.out)
	h.steps(step{`isEventPending(id)`, `false`})
}

// TestAMissionFromWithinLua checks that the events of a mission wait until no Lua runs.
func TestAMissionFromWithinLua(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"m/server/init.lua": `
			function onMissionEnd(seq) echo("end", seq) end
			function onMissionLoaded(seq, name) echo("loaded", seq, name, #missionGroup) end`,
		"m/missions/one.lua": `new "Marker" { name = "One" }`,
		"m/missions/two.lua": `new "Marker" {} new "Marker" {}`,
	})).load("m")
	h.steps(
		step{`loadMission "three"`, `~unknown mission "three": available are one, two`},
		step{`(function() loadMission "one" mission("two") echo "first" end)()`, `first`},
	)
	h.out = nil
	h.host.Tick(0)
	assert.Equal(t, []string{"end\t1", "loaded\t2\tone\t1", "end\t2", "loaded\t3\ttwo\t2"}, h.out)
	h.steps(step{`isObject "One"`, `false`}, step{`mission`, `two`})
}

// TestMissionEventsHaveTheTimeOfLoading checks that the end of a mission uses the budget for
// loading, because it can involve many clients.
func TestMissionEventsHaveTheTimeOfLoading(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"m/server/init.lua": `
			local function work() local n = 0 for i = 1, 600000 do n = n + i end return n end
			function onMissionEnd(seq) work() echo "ended" end
			function onMissionLoaded(seq) work() echo "loaded" end`,
		"m/missions/one.lua": ``,
	})).load("m")
	h.out = nil
	require.NoError(t, h.scripts.LoadMission("one"))
	assert.Equal(t, []string{"ended", "loaded"}, h.out)
}

// TestEveryModLearnsOfTheEnd checks onShutdown: it has the budget for loading, a mistake in one mod
// does not concern the next, and its values reach the store.
func TestEveryModLearnsOfTheEnd(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"a/server/init.lua": `function onShutdown() while true do end end`,
		"b/server/init.lua": `
			function onShutdown(restart)
				local n = 0
				for i = 1, 600000 do n = n + i end
				store:put("n", n)
				echo("ended", restart)
			end`,
	})).load("a", "b")
	h.steps(step{`mod.loadInstructions 3000000`, ``})
	h.out = nil
	h.scripts.Ending(true)
	h.scripts.Flush()
	assert.Contains(t, h.out, "ended\ttrue")
	h.steps(
		step{`store b`, `"n" 8 180000300000`},
		step{`broadcast "onShutdown"`, `error: console:1: broadcast: onShutdown cannot be broadcast: only the engine calls it`},
	)
}

func TestTyposInDefinitionsAreErrors(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`tag(true)`, `error: console:1: tag: argument 1 (text) must be a string, not a boolean`},
		step{`tag(nil)`, `error: console:1: tag: argument 1 (text) must be a string, not nil`},
		step{`tag(5), tag(tag "x")`, "tag \"5\"\ttag \"x\""},
		step{`addCommand { run = print }`, `error: console:1: addCommand: name must be a string`},
		step{`setting "x" {}`, `error: console:1: setting: default must be a number, a boolean or a string, not nil`},
		step{`setting "x" { default = 1 }`, `setting`},
		step{`rootGroup.own = {}`, `error: console:1: own of an object is read-only`},
		step{`rootGroup.id = 5`, `error: console:1: id of an object is read-only`},
	)
}
