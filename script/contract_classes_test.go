package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/manifest"
)

// flagClass declares the class that most of these tests use, with one field of each kind.
const flagClass = `Flag = class "Flag" { inherit = "Item", fields = {
	team = int(0, 7), heat = float(0, 1, 8), lit = bool(), carrier = ref(), at = point(0.01), label = str() } }`

func TestDeclaringAClass(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{flagClass, ``},
		step{`Flag, tostring(Flag), Flag.name`, "class \"Flag\"\t\"Flag\"\t\"Flag\""},
		step{`d = datablock "ItemData" "FlagData" { mass = 3 } i = new "Item" { dataBlock = d }`, ``},
		step{`f = new "Flag" { dataBlock = d, name = "f", position = vec(1, 2, 3), team = 3, heat = 0.25, lit = true, carrier = i, at = vec(1, 2, 3), label = "home" }`, ``},
		step{`f.className, f.team, f.lit, f.carrier == i, f.label, f.position, f.dataBlock.mass`, "\"Flag\"\t3\ttrue\ttrue\t\"home\"\tvec(1, 2, 3)\t3"},
		step{`f.team = 7 f.label = "away" f.carrier = nil return f.team, f.label, f.carrier`, "7\t\"away\"\tnil"},
		step{`i:delete() f.carrier = f return f.carrier == f`, `true`},
		step{`g = new(Flag) { dataBlock = d } return g.team, g.heat, g.lit, g.carrier, g.at, g.label`, "0\t0\tfalse\tnil\tvec(0, 0, 0)\t\"\""},
		step{`f:isMemberOfClass "Item", f:isMemberOfClass(Flag), f:isMemberOfClass "Flag", f:isMemberOfClass "Marker"`, "true\ttrue\ttrue\tfalse"},
		step{`(function() for o in objects(Flag) do echo(o == f or o == g) end end)()`, "true\ntrue"},
		step{`(function() local n = 0 for o in objects "Item" do n = n + 1 end return n end)()`, `2`},
		step{`f.team = 8`, `error: console:1: team must be a whole number from 0 to 7, got 8`},
		step{`f.team = 0/0`, `~error: console:1: team must be a whole number from 0 to 7, got `},
		step{`f.heat = 2`, `~error: console:1: heat must be a number from 0 to 1, got 2`},
		step{`f.lit = 1`, `error: console:1: lit must be true or false, got 1`},
		step{`f.label = ("x"):rep(256)`, `~label must be a string of at most 255 bytes`},
		step{`f.at = vec(1/0, 0, 0)`, `~error: console:1: at must be `},
		step{`f.carrier = "nobody"`, `~error: console:1: carrier must be `},
		step{`f.taem`, `error: console:1: unknown field "taem" of Flag, did you mean "team"?`},
		step{`new "Flag" { dataBlock = d, tame = 1 }`, `~new: unknown field "tame" of Flag`},
		step{`new "Flag" {}`, `~a new Flag needs a dataBlock of class ItemData`},
	)
}

func TestAClassWithoutInheritIsANetObject(t *testing.T) {
	h := newHalf(t, 1, true).load()
	h.steps(
		step{`Score = class "Score" { description = "Who leads.", fields = { red = int(0, 100):group "x" } }`, `~a field can be used only in the fields of a class`},
		step{`Score = class "Score" { fields = { red = int(0, 100, { group = "teams", default = 5 }), blue = int(0, 100, { group = "teams" }), round = str(16, { default = "first" }), on = bool { default = true } } }`, ``},
		step{`s = new "Score" {} return s.red, s.blue, s.round, s.on`, "5\t0\t\"first\"\ttrue"},
		step{`s:isMemberOfClass "NetObject", s:isMemberOfClass "SceneObject"`, "true\tfalse"},
		step{`Best = class "Best" { inherit = Score, fields = { name2 = str() } } b = new "Best" { red = 9 } return b.red, b:isMemberOfClass(Score)`, "9\ttrue"},
		step{`class "Alone" { fields = { a = bool(), b = bool() } } class "Both" { fields = { a = bool { group = "x" }, b = bool { group = "x" } } }`, ``},
		step{`class "Empty" {} return new("Empty") {}.className`, `"Empty"`},
	)
	classes := h.host.World().Classes()
	assert.Equal(t, classes.Lookup("Alone").Groups()-1, classes.Lookup("Both").Groups(), "fields of a group travel together")
}

// bools declares n fields.
func bools(n int, options string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "f%d = bool(%s), ", i, options)
	}
	return b.String()
}

// TestDeclarationErrors checks that each wrong declaration gives one sentence with its own line.
func TestDeclarationErrors(t *testing.T) {
	h := newHalf(t, 1, true).load()
	for line, want := range map[string]string{
		`class "X" { fields = { a = int(7, 0) } }`:                         `int: the range from 7 to 0 is empty`,
		`class "X" { fields = { a = int(0, 0.5) } }`:                       `int: the range must be of whole numbers up to 2^53, not from 0 to 0.5`,
		`class "X" { fields = { a = int(0, 2^60) } }`:                      `int: the range must be of whole numbers up to 2^53`,
		`class "X" { fields = { a = int(0) } }`:                            `int: argument 2 (hi) must be a number, not nil`,
		`class "X" { fields = { a = int(0, 0/0) } }`:                       `int: argument 2 (hi) must be a finite number, not NaN`,
		`class "X" { fields = { a = int(0, 7, 3) } }`:                      `int: argument 3 (options) must be a table, not a number`,
		`class "X" { fields = { a = int(0, 7, { gruop = "x" }) } }`:        `int: unknown option "gruop", did you mean "group"?`,
		`class "X" { fields = { a = int(0, 7, { group = 3 }) } }`:          `int: group must be the name of a group, not a number`,
		`class "X" { fields = { a = int(0, 7, { default = "x" }) } }`:      `int: default must be a number, not a string`,
		`class "X" { fields = { a = int(0, 7, { default = 9 }) } }`:        `default`,
		`class "X" { fields = { a = int(0, 7, {}, 1) } }`:                  `int: argument 4 is not allowed`,
		`class "X" { fields = { a = float(0, 1, 1) } }`:                    `float: argument 3 (bits) must be 2…32, not 1`,
		`class "X" { fields = { a = float(0, 1/0, 8) } }`:                  `float: argument 2 (hi) must be a finite number, not +Inf`,
		`class "X" { fields = { a = float(0, 1, 33, {}) } }`:               `float: argument 3 (bits) must be 2…32, not 33`,
		`class "X" { fields = { a = bool(1) } }`:                           `bool: argument 1 (options) must be a table, not a number`,
		`class "X" { fields = { a = ref("Itm") } }`:                        `"Itm"`,
		`class "X" { fields = { a = ref(5) } }`:                            `ref: argument 1 (class) must be a class or its name, not a number`,
		`class "X" { fields = { a = ref { default = rootGroup } } }`:       `ref: a ref has no default: it starts as nil`,
		`class "X" { fields = { a = point(0) } }`:                          `point: argument 1 (precision) must be above 0 metres, not 0`,
		`class "X" { fields = { a = point(0/0) } }`:                        `point: argument 1 (precision) must be a finite number, not NaN`,
		`class "X" { fields = { a = str(0) } }`:                            `str: argument 1 (max) must be at least 1 byte, not 0`,
		`class "X" { fields = { a = 5 } }`:                                 `class: field a must be made with int, float, bool, ref, point or str, not a number`,
		`class "X" { fields = { a = vec(1) } }`:                            `class: field a must be made with int, float, bool, ref, point or str, not a vec`,
		`class "X" { fields = { int(0, 7) } }`:                             `class: field names must be strings, not a number`,
		`class "X" { fields = 5 }`:                                         `class: fields must be a table, not a number`,
		`class "X" { field = {} }`:                                         `class: unknown option "field", did you mean "fields"?`,
		`class "X" { inherit = "Itme" }`:                                   `unknown class "Itme", did you mean "Item"?`,
		`class "X" { inherit = "ItemData" }`:                               `ItemData`,
		`class "X" { inherit = 5 }`:                                        `class: inherit must be a class or its name, not a number`,
		`class "X" 5`:                                                      `syntax error`,
		`class("X")(5)`:                                                    `class: argument 1 (description) must be a table, not a number`,
		`class(nil)`:                                                       `class: argument 1 (name) must be a string, not nil`,
		`class "" {}`:                                                      `class`,
		`class "a b" {}`:                                                   `the name must consist of letters, digits and _`,
		`class "Item" { inherit = "Item" }`:                                `Item`,
		`class "X" { inherit = "Item", fields = { position = point() } }`:  `position`,
		`class "X" { fields = { className = str() } }`:                     `the name is reserved`,
		`class "X" { fields = { ["a b"] = str() } }`:                       `the name must consist of letters, digits and _`,
		`class "X" { fields = { a = str(), A = str() } }`:                  `duplicate field`,
		`class "X" { fields = {` + bools(65, `{ group = "all" }`) + `} }`:  `class X: it has 65 fields, the maximum is 64`,
		`class "X" { fields = {` + bools(32, ``) + `} }`:                   `group 32 exceeds the maximum 31`,
		`class "X" { inherit = "Item", fields = {` + bools(31, ``) + `} }`: `exceeds the maximum 31`,
		`Flag.team = 5`:  `team of class Flag must be a function, not a number`,
		`Flag.nothing`:   `class Flag has no function "nothing"`,
		`Flag:x()`:       `class Flag has no function "x"`,
		`int(0, 7).x`:    `a field can be used only in the fields of a class`,
		`objects(5)`:     `objects: argument 1 (class) must be a class or its name, not a number`,
		`objects(int)`:   `objects: argument 1 (class) must be a class or its name, not a function`,
		`new(rootGroup)`: `new: argument 1 (class) must be a class or its name, not an object`,
	} {
		h.line(flagClass)
		got := h.line(line)
		if strings.HasPrefix(want, "~") {
			assert.Contains(t, got, want[1:], line)
			continue
		}
		assert.True(t, strings.HasPrefix(got, "error: console:1: "), "%s\n%s", line, got)
		assert.Contains(t, got, want, line)
		assert.NotContains(t, got, "\n", line)
		assert.Equal(t, `error: console:1: new: unknown class "X"`, h.line(`new "X" {}`), "after %s", line)
	}
}

func TestAClassKeepsItsFields(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"a/server/init.lua": "\n" + `class "Flag" { fields = { team = int(0, 7) } }`,
		"b/server/init.lua": `
			export("same", function() class "Flag" { fields = { team = int(0, 7) } } end)
			class "Ball" { fields = { team = int(0, 7) } }
			export("equal", function() return class "ball" { fields = { team = int(0, 7) } }.name end)
			export("other", function() class "Ball" { fields = { team = int(0, 8) } } end)
			export("heir", function() class "Ball" { inherit = "Item", fields = { team = int(0, 7) } } end)`,
	})).load("a", "b")
	h.steps(
		step{`import("b").equal()`, `"ball"`},
		step{`import("b").other()`, `error: mods/b/server/init.lua:5: class Ball was declared with other fields at mods/b/server/init.lua:3; to change fields, change the file and run ` + "`mod reload b`"},
		step{`class "Cube" {} class "Cube" { fields = { team = int(0, 7) } }`,
			"error: console:1: class Cube was declared with other fields at console:1; the console cannot change the fields of a class: choose another name"},
		step{`import("b").heir()`, `~mods/b/server/init.lua:6: class Ball was declared with other fields at mods/b/server/init.lua:3`},
		step{`class "Ball" { fields = { team = int(0, 7) } }`, `~mods/b/server/init.lua:3`},
	)
	both := h.line(`import("b").same()`)
	assert.Contains(t, both, "error: mods/b/server/init.lua:2: class Flag ", "the line that fails")
	assert.Contains(t, both, "mods/a/server/init.lua:2", "and the line it clashes with")
}

// TestAClassGoesWithAModThatFailsToLoad checks that the class of a mod that failed to load is
// removed, and that the mod can declare it again.
func TestAClassGoesWithAModThatFailsToLoad(t *testing.T) {
	folder := files(map[string]string{"bad/server/init.lua": `class "Flag" { fields = { team = int(0, 7) } } error "halfway"`})
	h := newHalf(t, 1, true, folder)
	require.Len(t, h.scripts.LoadMods("base", "bad"), 1)
	h.steps(step{`new("Flag") { team = 2 }.team`, `error: console:1: new: unknown class "Flag"`})
	installed, _ := manifest.Discover(folder)
	_, err := h.scripts.Load(installed["bad"])
	require.ErrorContains(t, err, "mods/bad/server/init.lua:1: halfway", "and not that the class is there")
}

func TestCallbacksOfAClass(t *testing.T) {
	h := newHalf(t, 1, true).load()
	h.steps(
		step{flagClass, ``},
		step{`Gold = class "GoldFlag" { inherit = Flag, fields = { value = int(0, 9) } }`, ``},
		step{`d = datablock "ItemData" "FlagData" {}`, ``},
		step{`function Flag:onAdd() echo("class", self.team) end function d:onAdd(o) echo("block", o.team) end`, ``},
		step{`function Flag:onRemove() echo("removed", self.name) end`, ``},
		step{`function Flag:score(n) self.team = self.team + n return self.team end`, ``},
		step{`f = new "Flag" { dataBlock = d, team = 3, name = "f" }`, "class\t3\nblock\t3"},
		step{`g = new "GoldFlag" { dataBlock = d, team = 1, name = "g" }`, "class\t1\nblock\t1"},
		step{`f:score(2), g:score(4), Flag.score(f, 1), Gold.score(g, 1)`, "5\t5\t6\t6"},
		step{`function Gold:score(n) return Flag.score(self, 1) .. " gold" end return f:score(1), g:score(4)`, "7\t\"7 gold\""},
		step{`f:nothing()`, `~unknown field "nothing" of Flag`},
		step{`f:score(9)`, `error: console:1: team must be a whole number from 0 to 7, got 16`},
		step{`function f:score() end`, `~only datablocks and classes have callbacks; Flag "f" is neither`},
	)
	h.line(`function d:score() echo "a method of the class comes first" end f:schedule(10, "score", -7) g:delete()`)
	h.host.Tick(0)
	h.host.Tick(0)
	assert.Equal(t, []string{"removed\tg"}, h.out)
	h.steps(step{`f.team`, `0`})
	assert.Empty(t, h.log)
}

func TestOnTickOfAClass(t *testing.T) {
	h := newHalf(t, 1, true).load()
	h.steps(
		step{`Lamp = class "Lamp" { fields = { n = int(0, 1000) } } Big = class "Big" { inherit = Lamp }`, ``},
		step{`a = new "Lamp" {} b = new "Big" {}`, ``},
		step{`function Lamp:onTick() self.n = self.n + 1 echo(self.className, self.n) if self == b and self.n == 2 then a:delete() end end`, ``},
	)
	for range 3 {
		h.host.Tick(0)
	}
	assert.Equal(t, []string{"Lamp\t1", "Big\t1", "Lamp\t2", "Big\t2", "Big\t3"}, h.out)
	h.line(`c = new "Lamp" {} function Big:onTick() echo "big" if c then c:delete() c = nil end end`)
	h.host.Tick(0)
	assert.Equal(t, []string{"big"}, h.out, "what is deleted meanwhile has had its last tick")
	assert.Empty(t, h.log)
}

// TestOnTickGoesOnWhereTheTimeEnded checks that objects whose onTick was delayed by the tick
// budget come first in the next tick.
func TestOnTickGoesOnWhereTheTimeEnded(t *testing.T) {
	h := newHalf(t, 1, true).load()
	h.steps(step{`Lamp = class "Lamp" { fields = { n = int(0, 1000) } } function Lamp:onTick() self.n = self.n + 1 end`, ``},
		step{`for i = 1, 100 do new "Lamp" {} end`, ``})
	h.scripts.Runtime.LimitsVar().Ticking = 1000
	for range 60 {
		h.host.Tick(0)
	}
	h.scripts.Runtime.LimitsVar().Ticking = 2_000_000
	h.steps(
		step{`least, most = 1000, 0 for o in objects "Lamp" do least, most = math.min(least, o.n), math.max(most, o.n) end`, ``},
		step{`least > 5, most < 60, most - least <= 1`, "true\ttrue\ttrue"},
	)
	assert.Empty(t, h.log)
}

// TestAFaultyOnTickIsSuspended checks that an onTick that always fails is suspended, and that the
// others still run.
func TestAFaultyOnTickIsSuspended(t *testing.T) {
	h := newHalf(t, 1, true).load()
	h.line(`Lamp = class "Lamp" {} Good = class "Good" { fields = { n = int(0, 1000) } } new "Lamp" {} g = new "Good" {}`)
	h.line(`function Lamp:onTick() error "dark" end function Good:onTick() self.n = self.n + 1 end`)
	for range 10 {
		h.host.Tick(0)
	}
	h.steps(step{`g.n`, `10`})
	require.Len(t, h.log, 2)
	assert.Contains(t, h.log[0], "console: Lamp onTick: console:1: dark")
	assert.Contains(t, h.log[1], "Lamp onTick is suspended")
}

func TestOverridesOfAClass(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"a/server/init.lua": `
			Flag = class "Flag" { fields = { team = int(0, 7) } }
			function Flag:hit(by) return "a's " .. by end
			function Flag:onAdd() echo "a" end
			export("Flag", Flag)`,
		"b/server/init.lua": `
			override("Flag", "hit", function(parent, self, by) return "b's " .. parent(self, by .. self.team) end)
			override(import("a").Flag, "onAdd", function(parent, self) echo("b", self.team) parent(self) end)`,
	})).load("a", "b")
	h.steps(
		step{`f = new "Flag" { team = 4 } return f:hit "ball"`, "b\t4\na\n\"b's a's ball4\""},
		step{`import("a").Flag`, `class "Flag"`},
		step{`override("Flag", "shout", function(parent, self) return self.team .. "!" end) return f:shout()`, `"4!"`},
	)
	h.scripts.Runtime.Mod("b").Suspend("for the test")
	h.steps(step{`f:hit "ball"`, `"a's ball"`})
}

func TestUnsentClass(t *testing.T) {
	newHalf(t, 2, false).load().steps(
		step{flagClass, ``},
		step{`Flag, Flag.name`, "class \"Flag\"\t\"Flag\""},
		step{`function Flag:onAdd() end return type(Flag.onAdd)`, `"function"`},
		step{`for o in objects(Flag) do echo(o) end`, ``},
		step{`for o in objects "Flag" do echo(o) end`, ``},
		step{`for o in objects "Beacon" do echo(o) end return #inRadius(vec(0, 0, 0), 9, "Beacon"), find "Beacon"`, "0\tnil"},
		step{`new "Beacon" {}`, `error: console:1: new: unknown class "Beacon"`},
		step{`new(Flag) {}`, `error: console:1: new: class Flag has not arrived from the server`},
		step{`override(Flag, "onAdd", function() end) override("Flag", "onRemove", function() end)`, ``},
	)
}

// TestFailedLoadLeavesNothing checks that other mods can declare the names that a failed mod had
// declared.
func TestFailedLoadLeavesNothing(t *testing.T) {
	declare := `datablock "ItemData" "Coin" { mass = 2 } class "Medal" { fields = { worth = int(0, 7) } } new "Marker" { name = "m" }`
	h := newHalf(t, 1, true, files(map[string]string{
		"bad/server/init.lua":  declare + ` error "no"`,
		"good/server/init.lua": declare,
	}))
	errs := h.scripts.LoadMods("bad", "good")
	require.Len(t, errs, 1)
	assert.ErrorContains(t, errs[0], "mod bad is not loaded: mods/bad/server/init.lua:1: no")
	h.steps(step{`Coin.mass`, `2`}, step{`= #(function() local l = {} for o in objects "Marker" do l[#l + 1] = o end return l end)()`, `1`},
		step{`(function() local m = new "Medal" { worth = 3 } return m.worth end)()`, `3`})
}
