package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValuesBetweenMods(t *testing.T) {
	newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		export("same", function(...) return ... end)
		export("list", { 1, 2, { x = tag "y" } })
		export("change", function(t) t.x = "changed" return t end)
		export("fail", function() error("on purpose", 0) end)
		export("deep", function() local t = {} local u = t for i = 1, 8 do u.t = {} u = u.t end return t end)
		export("loop", function() local t = {} t.t = t return t end)
		export("many", function() local t = {} for i = 1, 16385 do t[i] = i end return t end)
		export("fn", function() return print end)
		export("meta", function() return setmetatable({}, {}) end)
		export("co", function() return coroutine.create(print) end)
	`})).load("m").steps(
		step{`m = import "m"`, ``},
		step{`m.same(nil, true, 2.5, "s", tag "t", vec(1, 2, 3), rootGroup)`, "nil\ttrue\t2.5\t\"s\"\ttag \"t\"\tvec(1, 2, 3)\tobject 1"},
		step{`m.same(rootGroup) == rootGroup, m.same(tag "k") == tag "k", select("#", m.same(nil, nil))`, "true\ttrue\t2"},
		step{`m.list[3].x == tag "y", m.list ~= m.list`, "true\ttrue"},
		step{`t = { x = "mine" } return m.change(t).x, t.x`, "\"changed\"\t\"mine\""},
		step{`m.fail()`, `error: on purpose`},
		step{`pcall(m.fail)`, "false\t\"on purpose\""},
		step{`m.deep()`, `~a table nested deeper than 8 cannot go to another mod`},
		step{`m.loop()`, `~a table that contains itself cannot go to another mod`},
		step{`m.many()`, `~more than 16384 table entries cannot go to another mod at once`},
		step{`m.fn()`, `~a function cannot go to another mod`},
		step{`m.meta()`, `~a table with a metatable cannot go to another mod`},
		step{`m.co()`, `~a thread cannot go to another mod`},
		step{`m.same(print)`, `~a function cannot go to another mod`},
		step{`m.x = 1`, `error: console:1: only the mod itself can set its exports`},
		step{`m.smae()`, `error: console:1: mod m exports no "smae", did you mean 'same'?`},
		step{`m.nothing`, `error: console:1: mod m exports no "nothing"`},
		step{`import "nobody"`, `error: console:1: import: unknown mod "nobody"`},
	)
}

const chainBase = `
	Disc = datablock "ItemData" "Disc" {}
	Heir = datablock "ItemData" "Heir" { inherit = Disc }
	function Disc:hit(x) echo("base " .. x) return "base " .. x end
	export("add", function(a, b) return a + b end)
`

func TestOverridesChainTheNewestFirst(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"a/server/init.lua": chainBase,
		"b/mod.toml":        "name = \"b\"\nversion = \"1.0.0\"\ndepends = [\"a\"]\n",
		"b/server/init.lua": `
			override(find "Disc", "hit", function(parent, self, x) return "b(" .. parent(self, x + 1) .. ")" end)
			override(import "a", "add", function(parent, a, b) return 10 * parent(a, b) end)`,
		"c/mod.toml": "name = \"c\"\nversion = \"1.0.0\"\ndepends = [\"b\"]\n",
		"c/server/init.lua": `
			override(find "Heir", "hit", function(parent, self, x) return self.name .. " c(" .. parent() .. ")" end)
			override(import "a", "add", function(parent, a, b) return 1 + parent(a, b) end)`,
	})).load("c")
	h.steps(
		step{`find("Disc"):hit(1)`, "base 2\n\"b(base 2)\""},
		step{`find("Heir"):hit(5)`, "base 6\n\"Heir c(b(base 6))\""},
		step{`add = import("a").add return add(1, 2)`, `31`},
	)
	h.scripts.Runtime.Mod("b").Suspend("for the test")
	h.steps(
		step{`find("Heir"):hit(5)`, "base 5\n\"Heir c(base 5)\""},
		step{`add(1, 2)`, `4`},
	)
	h.scripts.Runtime.Mod("b").Enable()
	h.steps(step{`add(1, 2)`, `31`})
}

// TestAnOverrideThatFails checks three failures. An override that fails before it calls its parent
// is skipped. An override that fails later leaves the result of the parent. A parent that fails is
// an error.
func TestAnOverrideThatFails(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"a/server/init.lua": chainBase + `export("bad", function() error("bad itself", 0) end)`,
		"b/mod.toml":        "name = \"b\"\nversion = \"1.0.0\"\ndepends = [\"a\"]\n",
		"b/server/init.lua": `
			override(import "a", "add", function(parent, a, b) if a == 0 then error "early" end local sum = parent(a, b) error "late" end)
			override(find "Disc", "hit", function(parent, self, x) error "early" end)
			override(import "a", "bad", function(parent) return parent() end)`,
	})).load("b")
	h.steps(
		step{`import("a").add(0, 4)`, `4`},
		step{`import("a").add(2, 3)`, `5`},
		step{`import("a").bad()`, `error: bad itself`},
		step{`find("Disc"):hit(1)`, "base 1\n\"base 1\""},
	)
	log := strings.Join(h.log, "\n")
	assert.Contains(t, log, "b: add: mods/b/server/init.lua:2: early")
	assert.Contains(t, log, "b: hit: mods/b/server/init.lua:3: early")
}

func TestOverridesOfCommands(t *testing.T) {
	p := join(t, map[string]string{
		"a/server/init.lua": `function serverCmd.Hi(client, x) echo("a", x) end`,
		"b/server/init.lua": `
			override(serverCmd, "hi", function(parent, client, x)
				if x == "early" then error "early" end
				parent(client, x .. "!")
				if x == "late" then error "late" end
			end)
			override(serverCmd, "OnlyHere", function(parent, client, x) echo("alone", x, parent()) end)`,
	}, nil, "a", "b")
	for word, want := range map[string]string{"plain": "a\tplain!", "early": "a\tearly", "late": "a\tlate!"} {
		p.client.line(`commandToServer("Hi", "` + word + `")`)
		p.run(1200 * time.Millisecond) // longer than the pause after two faults
		assert.Equal(t, []string{want}, p.server.out)
	}
	p.client.line(`commandToServer("OnlyHere", 1)`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"alone\t1"}, p.server.out)
	p.server.scripts.Runtime.Mod("b").Suspend("for the test")
	p.client.line(`commandToServer("Hi", "x")`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"a\tx"}, p.server.out)
	assert.Contains(t, p.server.line(`override("Hi", "x", print)`), `override: argument 1 (target) must be a datablock, a class, serverCmd, clientCmd or import "mod"; there is no class "Hi"`)
}

// TestTheConsoleIsTheLastMod checks that the console's own handlers run last, and that suspended
// handlers do not run.
func TestTheConsoleIsTheLastMod(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `function serverCmd.Hi() echo "mod" end`}, nil, "m")
	p.server.line(`function serverCmdHi(client) echo("console", client.name) end`)
	p.client.line(`commandToServer "hi"`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"console\tDood"}, p.server.out)
	p.server.line(`serverCmdHi = nil`)
	p.client.line(`commandToServer "hi"`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"mod"}, p.server.out)
}

func TestFilesOfAModAndTheirErrors(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"m/server/util.lua":  `count = (rawget(_G, "count") or 0) + 1 return count, "two"`,
		"m/server/wrong.lua": "local x = 1\nx.y.z = 1",
		"m/server/init.lua": `
			echo(exec "server/util.lua")
			echo(require "server.util", require "server.util", count)
			echo(eval "count + 1", (eval "return 'chunk'"))
			echo(pcall(exec, "../base/server/init.lua"))
			echo(pcall(exec, "server/none.lua"))
			echo(pcall(exec, "server/wrong.lua"))
			echo(pcall(eval, "x ="))
			echo(pcall(eval, "error('in eval')"))`,
	})).load("m")
	require.Len(t, h.out, 8)
	assert.Equal(t, []string{"1\ttwo", "2\t2\t2", "3\tchunk"}, h.out[:3])
	for i, want := range []string{"in the mod's own folder", "there is no file mods/m/server/none.lua", "mods/m/server/wrong.lua:2: ", "mods/m (eval):1:", "mods/m (eval):1: in eval"} {
		assert.Contains(t, h.out[3+i], want)
	}
}

func TestAModThatFailsToLoadSaysWhere(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"bad/server/init.lua":  "local a\na()\n",
		"ugly/server/init.lua": "x = = 1",
		"good/server/init.lua": `echo "good"`,
	}))
	var texts []string
	for _, err := range h.scripts.LoadMods("base", "bad", "ugly", "good") {
		texts = append(texts, err.Error())
	}
	require.Len(t, texts, 2)
	assert.Contains(t, texts[0], "mod bad is not loaded: mods/bad/server/init.lua:2:")
	assert.Contains(t, texts[1], "mod ugly is not loaded: mods/ugly/server/init.lua:1:")
	assert.Equal(t, []string{"good"}, h.out)
}

func TestAWrongArgumentOfAnExportIsAFaultOfTheCaller(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"a/server/init.lua": `
			export("need", function(n) if type(n) ~= "number" then error("need: a number", 2) end return n end)
			export("broken", function() error("oh") end)`,
		"b/mod.toml": "name = \"b\"\nversion = \"1.0.0\"\ndepends = [\"a\"]\n",
		"b/server/init.lua": `
local a = import "a"
schedule(10, function()
  a.need("x")
end)
schedule(20, function()
  a.broken()
end)
caught = select(2, pcall(function() a.need("x") end))
export("pass", function(n) a.need(n) end)`,
	})).load("b")
	h.ticks(2)
	faults := h.scripts.Runtime.FaultsOf("b")
	require.Len(t, faults, 1)
	assert.Equal(t, "mods/b/server/init.lua", faults[0].File)
	assert.Equal(t, 4, faults[0].Line)
	assert.Equal(t, "b: schedule: mods/b/server/init.lua:4: need: a number (in the function of line 3) (b > a)", faults[0].String())
	faults = h.scripts.Runtime.FaultsOf("a")
	require.Len(t, faults, 1, "an error of its own")
	assert.Equal(t, "a: schedule: mods/a/server/init.lua:3: oh (in the function of line 3) (b > a)", faults[0].String())
	h.steps(
		step{`import("a").need("x")`, `error: console:1: need: a number`},
		step{`import("b").pass("x")`, `error: mods/b/server/init.lua:10: need: a number`},
	)
}
