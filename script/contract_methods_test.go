package script_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/script"
)

const probeBlock = `D = datablock "ProbeData" "D" {} p = new "Probe" { dataBlock = D, name = "p" }`

func TestMethodsOfAClass(t *testing.T) {
	newHalfOf(t, 1, true, probes).load().steps(
		step{probeBlock + ` h = new "HotProbe" { dataBlock = D, heat = 60 }`, ``},
		step{`p:heatBy(20), p.heat, p:isHot(), h:heatBy(10), h:isHot()`, "20\t20\tfalse\t70\ttrue"},
		step{`h:cool() return h.heat`, `0`},
		step{`p:back(nil, true, -0.5)`, "nil\ttrue\t-0.5"},
		step{`p:back("s", tag "t", vec(1, 2, 3))`, "\"s\"\ttag \"t\"\tvec(1, 2, 3)"},
		step{`p:back(rot(1, 2, 3), p, D) == rot(1, 2, 3)`, `true`},
		step{`select(2, p:back(nil, p, D)) == p, select(3, p:back(nil, p, D)) == D`, "true\ttrue"},
		step{`select("#", p:back()), select("#", p:back(nil, nil))`, "0\t2"},
		step{`p:cool()`, `~error: console:1: `},
		step{`p:heatby(1)`, `error: console:1: Probe has no field or method "heatby", did you mean "heatBy"?`},
		step{`echo("heat: " .. p.het)`, `error: console:1: unknown field "het" of Probe, did you mean "heat"?`},
		step{`p.own.score = {kills = 1} p.own.scroe.kills = 2`, `error: console:1: attempt to index field 'scroe' (a nil value), did you mean 'score'?`},
		step{`echo("kills: " .. p.own.score.klils)`, `error: console:1: attempt to concatenate field 'klils' (a nil value), did you mean 'kills'?`},
		step{`p.het`, `error: console:1: unknown field "het" of Probe, did you mean "heat"?`},
		step{`h.cool(p)`, `error: console:1: HotProbe:cool: argument 0 (HotProbe) is Probe "p", not of class HotProbe`},
		step{`p.heatBy(5)`, `error: console:1: Probe:heatBy: call it with a colon, on an object: Probe:heatBy(…)`},
	)
}

// TestMethodsWhileFilesAreLoaded checks that methods that change older objects wait until the load
// succeeds. Methods that return a value or only read run at once.
func TestMethodsWhileFilesAreLoaded(t *testing.T) {
	h := newHalfOf(t, 1, true, probes, files(map[string]string{"m/server/init.lua": `
		local old, hot, D = find "p", find "h", find "D"
		local made = new "HotProbe" { dataBlock = D, heat = 60 }
		assert(old:isHot() == true and old:back(D) == nil and made:back(D) == D)
		made:cool()
		hot:cool()
		assert(made.heat == 0 and hot.heat == 60 and same(1, 2) == 1 and #listed(1, 2) == 2)
		hot:delete()
		hot:cool()`})).load()
	h.line(probeBlock + ` p.heat = 60 new "HotProbe" { dataBlock = D, name = "h", heat = 60 }`)
	h.steps(step{`mod enable m`, `m 1.0.0 is on`})
	require.Len(t, h.log, 1)
	assert.Contains(t, h.log[0], "m: load: mods/m/server/init.lua:9: HotProbe:cool: object ")
}

func TestScheduledMethod(t *testing.T) {
	h := newHalfOf(t, 1, true, probes).load()
	h.line(probeBlock + ` p:schedule(32, "heatBy", 5) p:schedule(32, "heatBy", {})`)
	h.host.Tick(0)
	h.host.Tick(0)
	h.steps(step{`p.heat`, `5`})
	require.Len(t, h.log, 1)
	assert.Contains(t, h.log[0], "console: schedule: Probe:heatBy: argument 1 (by) cannot be a table")
}

func TestFunctionsOfTheWorld(t *testing.T) {
	p := joinOf(t, probes, nil, nil)
	p.server.steps(
		step{`same(1, vec(1, 2, 3))`, "1\tvec(1, 2, 3)"},
		step{`select("#", same())`, `0`},
		step{`#listed(1, 2, 3), listed(1, 2)[2], #listed()`, "3\t2\t0"},
		step{`same(0/0)`, `error: console:1: same: argument 1 (a) must be finite, not nan`},
		step{`same(1, print)`, `error: console:1: same: argument 2 (b) cannot be a function`},
	)
	p.client.steps(
		step{`same(1)`, `1`},
		step{`same(datablock "ProbeData" "Nope" {})`, `error: console:1: same: argument 1 (a): datablock "Nope" has not arrived from the server`},
		step{`listed(1)`, `error: console:1: listed is available only on the server`},
	)
}

// TestMethodErrors checks that invalid arguments never reach a method. The error begins with the
// name of the method.
func TestMethodErrors(t *testing.T) {
	h := newHalfOf(t, 1, true, probes, files(map[string]string{"m/server/init.lua": "\nexport('hit', function(p, x)\n  p:heatBy(x)\nend)"})).load("m")
	h.steps(step{probeBlock + ` dead = new "ScriptObject" {} dead:delete() id = dead.id`, ``})
	for arg, want := range map[string]string{
		`0/0`:             `argument 1 (by) must be finite, not nan`,
		`1/0`:             `argument 1 (by) must be finite, not inf`,
		`-1/0`:            `argument 1 (by) must be finite, not -inf`,
		`vec(0, 0/0, 0)`:  `argument 1 (by) must be finite, not vec(0, NaN, 0)`,
		`rot(0, 0, 1/0)`:  `argument 1 (by) must be finite, not rot(0, 0, +Inf)`,
		`1, 1/0`:          `argument 2 (how) must be finite, not inf`,
		`{}`:              `argument 1 (by) cannot be a table`,
		`print`:           `argument 1 (by) cannot be a function`,
		`import "m"`:      `argument 1 (by) cannot be a mod`,
		`class "X" {}`:    `argument 1 (by) cannot be a class`,
		`dead`:            `argument 1 (by): object `,
		`nil`:             `by must be a number`,
		`"x"`:             `by must be a number`,
		``:                `by must be a number`,
		`1, 2, 3, 4, 0/0`: `argument 5 must be finite, not nan`,
	} {
		h.steps(step{`p:heatBy(` + arg + `)`, `~error: console:1: Probe:heatBy: ` + want})
	}
	h.steps(
		step{`import("m").hit(p, "x")`, `error: mods/m/server/init.lua:3: Probe:heatBy: by must be a number`},
		step{`p.heat`, `0`},
		step{`f = p.heatBy p:delete() return pcall(f, p, 1)`, `~object `},
		step{`p:heatBy(1)`, `~has been deleted`},
	)
}

func TestMethodsOfGhosts(t *testing.T) {
	p := joinOf(t, probes, nil, nil)
	p.server.line(probeBlock + ` p.heat = 70`)
	p.run(settle)
	p.client.line(`for o in objects "Probe" do g = o end`)
	p.client.steps(
		step{`g:isHot()`, `true`},
		step{`g:heatBy(5)`, `error: console:1: Probe:heatBy is available only on the server`},
		step{`g.heat`, `70`},
	)
	p.server.line(`p:delete()`)
	p.run(settle)
	p.client.steps(step{`g:isHot()`, `~has been deleted`})
	w := p.server.host.World() // a server has ghosts when both sides serve each other
	g := w.Make(w.Classes().Lookup("Probe"))
	g.Ident().SetGhost(true)
	w.Add(g)
	p.server.line(`for o in objects "Probe" do g = o end`)
	p.server.steps(step{`g:isHot()`, `false`}, step{`g:heatBy(5)`, `~error: console:1: Probe:heatBy: Probe `}, step{`g:heatBy(5)`, `~is a ghost: on a client only its own table is writable`})
}

func TestEventsReachTheClassAndTheDatablock(t *testing.T) {
	p := joinOf(t, probes, map[string]string{
		"a/server/init.lua": `
			D = datablock "ProbeData" "D" {}
			Hot = class "Hot" { inherit = "Probe" }
			Probe = class "ProbeOfMine" { inherit = "Probe" }
			function Hot:onHeat(by, how) echo("class", self.name, by, how) end
			function D:onHeat(obj, by, how) echo("block", self.name, obj.name, by, how, type(how)) end
			export("D", function() return D end)
			new "Hot" { dataBlock = D, name = "h" }
			new "Probe" { dataBlock = D, name = "p" }`,
		"b/server/init.lua": `
			override("Hot", "onHeat", function(parent, self, by, how)
				echo("first", by)
				if by ~= 13 then parent() end
			end)`,
	}, map[string]string{"a/shared/x.lua": ``, "a/client/init.lua": `
		Hot = class "Hot" { inherit = "Probe" }
		function Hot:onHeat() echo "no" end`}, "a", "b")
	p.server.line(`find("h"):heatBy(5, vec(1, 2, 3)) find("p"):heatBy(6, find "h") find("h"):heatBy(13)`)
	assert.Empty(t, p.server.out, "not while something runs")
	p.run(settle)
	assert.Equal(t, []string{
		"first\t5", "class\th\t5\t1 2 3", "block\tD\th\t5\t1 2 3\tuserdata",
		"block\tD\tp\t6\th\tuserdata",
		"first\t13", "block\tD\th\t13\tnil\tnil",
	}, p.server.out)
	p.server.line(`o = new "ScriptObject" {} find("p"):heatBy(1, o) o:delete() find("h"):heatBy(2) find("h"):delete()`)
	p.run(settle)
	assert.Equal(t, []string{"block\tD\tp\t1\tnil\tnil"}, p.server.out, "of the dead nothing is told, and they are nil")
	assert.Empty(t, p.client.out, "nothing happens to ghosts")
	assert.Empty(t, p.server.log)
	assert.Empty(t, p.client.log)
}

// TestEventsOfBlocksThatInherit checks that a datablock with a new parent uses the handlers of the
// new parent.
func TestEventsOfBlocksThatInherit(t *testing.T) {
	h := newHalfOf(t, 1, true, probes).load()
	h.steps(
		step{`A = datablock "ProbeData" "A" {} B = datablock "ProbeData" "B" {} C = datablock "ProbeData" "C" { inherit = A }`, ``},
		step{`p = new "Probe" { dataBlock = C }`, ``},
	)
	heat := func() string {
		h.line(`p:heatBy(1)`)
		h.out = nil
		h.host.Tick(0)
		return strings.Join(h.out, "\n")
	}
	assert.Empty(t, heat())
	h.line(`function A:onHeat(o) echo("A", self.name) end function B:onHeat(o) echo("B", self.name) end`)
	assert.Equal(t, "A\tC", heat())
	h.line(`datablock "ProbeData" "C" { inherit = B }`)
	assert.Equal(t, "B\tC", heat())
	h.line(`override(C, "onHeat", function(parent, ...) echo "over" parent() end)`)
	assert.Equal(t, "over\nB\tC", heat())
	h.line(`function C:onHeat() echo "C" end`)
	assert.Equal(t, "over\nC", heat())
}

func TestEventsSkipSuspendedMods(t *testing.T) {
	h := newHalfOf(t, 1, true, probes, files(map[string]string{
		"a/shared/a.lua": `D = datablock "ProbeData" "D" {} function D:onHeat() echo "a" end`,
		"b/shared/a.lua": `D = find "D" function D:onHeat() echo "b" end`,
	})).load("a", "b")
	h.line(`p = new "Probe" { dataBlock = find "D" } p:heatBy(1)`)
	h.out = nil
	h.host.Tick(0)
	h.scripts.Runtime.Mod("b").Suspend("a test")
	h.console.Exec(`p:heatBy(1)`)
	h.host.Tick(0)
	assert.Equal(t, []string{"b", "a"}, h.out)
}

func TestAMethodCannotBeRedefined(t *testing.T) {
	newHalfOf(t, 1, true, probes).load().steps(
		step{`Mine = class "Mine" { inherit = "Probe" }`, ``},
		step{`function Mine:heatBy() end`, `error: console:1: heatBy is a method of Mine and cannot be replaced: choose another name`},
		step{`override("Probe", "heatBy", print)`, `error: console:1: override: heatBy is a method of Probe and cannot be replaced: choose another name`},
		step{`function Mine:warm() return self:heatBy(3) end`, ``},
	)
}

// TestGameNamesMustBeFree checks that names of the game do not hide names of Lua and are not
// hidden.
func TestGameNamesMustBeFree(t *testing.T) {
	do := func(sim.Object, []sim.Value) ([]sim.Value, error) { return nil, nil }
	for want, register := range map[string]func(*sim.Classes) error{
		"function find: the name is taken by a function of Lua": func(cs *sim.Classes) error {
			return cs.RegisterFunction(sim.Function{Name: "find", Doc: "Finds."})
		},
		"method delete of Odd: the name is taken by another member": func(cs *sim.Classes) error {
			return cs.Register(sim.Class{Name: "Odd", Parent: "Marker", New: func() sim.Object { return new(game.Marker) }, Methods: []sim.Method{{Name: "delete", Do: do}}})
		},
		"method position of Odd: the name is taken by another member": func(cs *sim.Classes) error {
			return cs.Register(sim.Class{Name: "Odd", Parent: "Marker", New: func() sim.Object { return new(game.Marker) }, Methods: []sim.Method{{Name: "position", Do: do}}})
		},
	} {
		classes := newClasses()
		require.NoError(t, register(classes))
		_, err := script.NewScripts(script.Setup{Engine: engine.NewHost(engine.Config{Server: true, Classes: classes, Entropy: rand.NewChaCha8([32]byte{})}), Console: console.New(nil), Parts: script.NewParts(nil)})
		assert.EqualError(t, err, want)
	}
}

func TestMethodsInHelpAndCompletion(t *testing.T) {
	h := newHalfOf(t, 1, true, probes).load()
	h.steps(
		step{probeBlock, ``},
		step{`help heatBy`, `Probe:heatBy(by, [how]) (server): Heats it.`},
		step{`help Probe:isHot`, `Probe:isHot() (server and client): Whether it is.`},
		step{`help Probe.heat`, `Probe.heat: number (server and client): A number from 0 to 100, default 0.`},
		step{`help heat`, `Probe.heat: number (server and client): A number from 0 to 100, default 0.`},
		step{`help same`, `same(a, b) (server and client): Gives back what it gets.`},
		step{`help heetBy`, `error: there is no command, variable or Lua name "heetBy", did you mean heatBy?`},
	)
	for line, want := range map[string]string{`p:he`: `p:heatBy`, `p:is`: `p:isHot p:isMemberOfClass`, `sam`: `same`} {
		got, _ := h.console.Complete(line, len(line))
		assert.Equal(t, want, strings.Join(got, " "), line)
	}
	page := h.scripts.Reference().Markdown()
	assert.Contains(t, page, "## Class Probe, a NetObject\n")
	assert.Contains(t, page, "| `Probe.heat: number` | SC | A number from 0 to 100, default 0. |\n")
	assert.Contains(t, page, "| `Probe.dataBlock: ProbeData?` | SC | A ProbeData or nil. |\n")
	assert.Contains(t, page, "| `Probe:heatBy(by, [how])` | S | Heats it. |\n")
	assert.Contains(t, page, "| `same(a, b)` | SC | Gives back what it gets. |\n")
}

// TestTabCompletesWhatWorksThereAndThen checks the members of connections, objects, datablocks and
// tables on both sides, and that Tab runs no metamethod.
func TestTabCompletesWhatWorksThereAndThen(t *testing.T) {
	p := join(t, nil, nil)
	p.server.steps(
		step{`datablock "ItemData" "Disc" { mass = 2 }`, `~object`},
		step{`me = clientGroup:at(1) thing = new "Marker" { name = "Eye" } me.own.kills = 3`, ``},
		step{`ran = false function run() ran = true error "ran" end`, ``},
		step{`t = setmetatable({list = {{name = "a", go = run}, me}, ["a b"] = {inner = 1}, ["end"] = 1, [7] = 1, x1 = Disc}, {__index = run, __pairs = run, __call = run, __len = run})`, ``},
		step{`t.list.self = t.list`, ``},
	)
	for line, want := range map[string]string{
		`clientGroup:at(1).pi`: "clientGroup:at(1).ping clientGroup:at(1).pingLeast clientGroup:at(1).pingVariation",
		`me.ro`:                "me.roles", `me:hasR`: "me:hasRole", `me.server`: "", `me.group:e`: "me.group:each",
		`me.own.`: "me.own.kills", `thing.own.`: "", `Eye.veloc`: "Eye.velocity", `Eye:setScopeA`: "Eye:setScopeAlways",
		`Disc.ma`: "Disc.mass Disc.maxVelocity", `echo(Disc.mas`: "Disc.mass", `missionGroup:e`: "missionGroup:each", `clientGroup:at(2).`: "",
		`t.`: "t.list t.x1", `t.list[1].`: "t.list[1].go t.list[1].name", `t.list[1]:`: "t.list[1]:go", `t["a b"].`: `t["a b"].inner`,
		`t.list[2].pha`: "t.list[2].phase", `t.list.self.self[1].n`: "t.list.self.self[1].name", `t.x1.mas`: "t.x1.mass", `t.absent.`: "",
		`run().`: "", `t.list[#t].`: "", `clientGroup:at(inf).`: "", `clientGroup:at(nan).`: "", `clientGroup:at(-1).`: "", `("x"):re`: "",
	} {
		assert.Equal(t, want, strings.Join(p.server.completions(line), " "), line)
	}
	p.server.steps(step{`ran`, `false`}, step{`me:setScopeObject(thing)`, ``})
	p.run(time.Second)
	for line, want := range map[string]string{
		`server.serverN`: "server.serverName", `server.ro`: "", `server:enterG`: "", `server:setRe`: "server:setReceiveRate", `Disc.mas`: "Disc.mass",
	} {
		assert.Equal(t, want, strings.Join(p.client.completions(line), " "), line)
	}
	p.server.steps(step{`big = {} for i = 1, 2e4 do big["k" .. i] = i end`, ``})
	assert.Len(t, p.server.completions(`big.`), 1000)
}

// TestOnClientEnterGame checks that onClientEnterGame runs when the join is complete, in every
// mod, and again after a change of the mission.
func TestOnClientEnterGame(t *testing.T) {
	p := join(t, map[string]string{
		"m/server/init.lua": `
			function GameConnection.onConnect(client) echo("connect", client.name) end
			function GameConnection.onClientEnterGame(client) echo("enter", client.name, client.phase, client.own.said) end
			override(serverCmd, "MissionStartPhase3Ack", function(parent, client, seq) parent() client.own.said = true echo "acked" end)`,
		"m/missions/one.lua": ``,
	}, nil, "m")
	p.run(settle)
	p.server.line(`mission one`)
	p.run(time.Second)
	assert.Equal(t, []string{"acked", "enter\tDood\tgame\ttrue"}, p.server.out)
	assert.Empty(t, p.server.log)
}
