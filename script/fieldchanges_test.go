package script_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// flags is a mod whose class has fields of each kind, and a function for all changes.
const flags = `
	Flag = class "Flag" { inherit = "StaticShape", fields = { heat = float(0, 1, 8), carrier = ref { group = "g" }, lit = bool { group = "g" }, label = str(), at = point(0.01) } }
	FlagData = datablock "StaticShapeData" "FlagData" {}
`

// flagged is a server with two flags, which stand still.
func flagged(t *testing.T, more string) *edited {
	e := edit(t, map[string]string{"m/server/init.lua": flags + more + `
		function make() return new "Flag" { dataBlock = FlagData } end
		a, b = make(), make()
		export("run", function(text) return eval(text) end)`}, "m")
	e.ticks(2)
	e.out = nil
	return e
}

// told runs code in the mod m, then a tick, and returns what was printed with the ids as a and b.
func (e *edited) told(code string) []string {
	e.t.Helper()
	require.Empty(e.t, e.line(in("m", code)))
	return e.tickTold()
}

func (e *edited) tickTold() []string {
	e.t.Helper()
	e.out = nil
	e.ticks(1)
	ids := e.out
	e.out = nil
	a, b := e.line(in("m", `return a.id`)), e.line(in("m", `return b.id`))
	for i := range ids {
		words := strings.Split(ids[i], "\t")
		at := slices.IndexFunc(words, func(word string) bool { return word == a || word == b })
		if at >= 0 {
			words[at] = map[string]string{a: "a", b: "b"}[words[at]]
		}
		ids[i] = strings.Join(words, " ")
	}
	return ids
}

const telling = `function Flag:onFieldChange(field, old, new) echo(self.id, field, old, new) end`

func TestAServerTellsChangesAtTheEndOfTheTick(t *testing.T) {
	e := flagged(t, telling)
	assert.Equal(t, []string{"a team 0 3"}, e.told(`a.team = 1 a.team = 2 a.team = 3`), "once per tick and field")
	assert.Empty(t, e.tickTold())
	assert.Empty(t, e.told(`a.team = 5 a.team = 3`), "back where it was")
	assert.Equal(t, []string{`a label  x`}, e.told(`a.label = "x" a.team = 3`))
	assert.Equal(t, []string{"a team 3 4"}, e.told(`local _ = schedule(0, function() a.team = 4 end)`), "the same tick's timer")
}

func TestChangesComeByIdThenByField(t *testing.T) {
	e := flagged(t, telling)
	assert.Equal(t, []string{"a team 0 1", "a label  x", "b team 0 2", "b label  y"},
		e.told(`b.label = "y" a.label = "x" b.team = 2 a.team = 1`), "the order of the fields is that of the class")
}

func TestANewObjectCausesNoChanges(t *testing.T) {
	e := flagged(t, telling)
	assert.Empty(t, e.told(`c = make() c.team = 4`))
	assert.Len(t, e.told(`c.team = 5`), 1)
	assert.Empty(t, e.told(`c.team = 6 c:delete()`))
}

func TestADatablockHearsOfItsObjects(t *testing.T) {
	e := flagged(t, telling+` function FlagData:onFieldChange(obj, field, old, new) echo("data", self.name, obj.id, field, old, new) end
		Other = datablock "StaticShapeData" "Other" {}`)
	assert.Equal(t, []string{"a team 0 1", "data FlagData a team 0 1"}, e.told(`a.team = 1`))
	got := e.told(`a.dataBlock = Other`)
	assert.Equal(t, []string{"a dataBlock FlagData Other"}, got, "the datablock has no function")
	e = flagged(t, `function FlagData:onFieldChange(obj, field, old, new) echo(obj.id, field, old, new) end`)
	assert.Equal(t, []string{"a team 0 1"}, e.told(`a.team = 1`))
}

func TestReferencesThatFillInOrEnd(t *testing.T) {
	e := flagged(t, `local function named(v) return type(v) == "userdata" and v.name or tostring(v) end
		function Flag:onFieldChange(field, old, new) echo(self.id, field, named(old), named(new)) end`)
	require.Empty(t, e.told(`c, d = new "Marker" { name = "C" }, new "Marker" { name = "D" }`))
	assert.Equal(t, []string{"a carrier nil C"}, e.told(`a.carrier = c`))
	assert.Equal(t, []string{"a carrier C D"}, e.told(`a.carrier = d`))
	assert.Equal(t, []string{"a lit false true"}, e.told(`d:delete() a.lit = true`), "the deletion of the target is no change")
	assert.Empty(t, e.told(`a.carrier = nil`), "it was nil")
	assert.Equal(t, []string{"a carrier nil C"}, e.told(`a.carrier = c`))
}

// TestAHandlerThatChangesFields checks that changes by a handler are told in the next tick, and
// that a handler that always changes its field runs once per tick.
func TestAHandlerThatChangesFields(t *testing.T) {
	e := flagged(t, `function Flag:onFieldChange(field, old, new) echo(self.id, field, old, new) if new < 5 then a.team, b.team = new + 1, new end end`)
	assert.Equal(t, []string{"a team 0 1"}, e.told(`a.team = 1`))
	assert.Equal(t, []string{"a team 1 2", "b team 0 1"}, e.tickTold())
	assert.Empty(t, e.tickTold(), "the second handler has set what was told")
	e = flagged(t, `function Flag:onFieldChange(field, old, new) self.team = 1 - new n = (n or 0) + 1 end`)
	require.Empty(t, e.told(`a.team = 1`))
	e.ticks(9)
	assert.Equal(t, "10", e.line(in("m", `return n`)))
}

func TestAnErrorCostsOneCall(t *testing.T) {
	e := flagged(t, "\n"+`function Flag:onFieldChange(field, old, new) if new == 1 then error "one" end echo(self.id, field, old, new) end`)
	assert.Equal(t, []string{"a label  x", "b team 0 2"}, e.told(`a.team = 1 a.label = "x" b.team = 2`))
	assert.Contains(t, strings.Join(e.log, "\n"), "m: Flag onFieldChange: mods/m/server/init.lua:5: one")
	assert.Equal(t, []string{"a team 1 2"}, e.told(`a.team = 2`))
}

// TestChangesWaitForTheBudget checks that objects whose mod has used up its share are told later,
// once, with the oldest and the newest value, and that nobody starves.
func TestChangesWaitForTheBudget(t *testing.T) {
	e := flagged(t, `function Flag:onFieldChange(field, old, new) for i = 1, 20000 do end echo(self.id, field, old, new) end
		for i = 1, 8 do new "Flag" { dataBlock = FlagData } end`)
	e.scripts.Runtime.LimitsVar().Ticking /= 10
	count, last := map[string]int{}, map[string]string{}
	for i := range 12 {
		e.line(in("m", `for f in objects "Flag" do f.team = `+[]string{"1", "2"}[i%2]+` end`))
		e.out = nil
		e.ticks(1)
		assert.Less(t, len(e.out), 10)
		for _, line := range e.out {
			id, what, _ := strings.Cut(line, "\t")
			count[id]++
			last[id] = what
		}
	}
	e.out = nil
	e.ticks(12)
	for _, line := range e.out {
		id, what, _ := strings.Cut(line, "\t")
		last[id] = what
	}
	for id, what := range last {
		assert.Regexp(t, "\t2$", what, "the newest value comes to %s in the end", id)
	}
	assert.Len(t, count, 10, "every object has its turn")
}

func TestAFunctionThatIsDefinedLate(t *testing.T) {
	e := flagged(t, ``)
	require.Empty(t, e.told(`a.team = 1`))
	require.Empty(t, e.told(`function Flag:onFieldChange(field, old, new) echo(self.id, field, old, new) end b.team = 7`))
	assert.Equal(t, []string{"a team 1 2"}, e.told(`a.team = 2`))
	e.scripts.Runtime.Mod("m").Suspend("for the test")
	e.line(`find(` + e.line(`for f in objects "Flag" do return f.id end`) + `).team = 6`)
	e.ticks(2)
	e.scripts.Runtime.Mod("m").Enable()
	require.Empty(t, e.tickTold())
	assert.Equal(t, []string{"a team 6 1"}, e.told(`a.team = 1`))
}

func TestAPackageOfOnFieldChange(t *testing.T) {
	e := flagged(t, telling+` override(Flag, "onFieldChange", function(parent, self, field, old, new) echo("over") parent() end, "P")`)
	assert.Equal(t, []string{"a team 0 1"}, e.told(`a.team = 1`))
	assert.Equal(t, []string{"over", "a team 1 2"}, e.told(`activatePackage "P" a.team = 2`))
	assert.Equal(t, []string{"a team 2 1"}, e.told(`deactivatePackage "P" a.team = 1`))
}

// TestAReloadWithOtherFields checks that a class that is declared again begins anew.
func TestAReloadWithOtherFields(t *testing.T) {
	p := edit(t, map[string]string{"m/server/init.lua": flags + telling + `
		export("run", function(text) return eval(text) end)`}, "m")
	p.line(in("m", `a = new "Flag" { dataBlock = FlagData, name = "A" } b = a`))
	p.ticks(2)
	p.write(map[string]string{"m/server/init.lua": strings.Replace(flags, "heat =", "more = int(0, 9), heat =", 1) + telling +
		"\n" + ` export("run", function(text) return eval(text) end)`})
	p.steps(step{"mod reload m", "~reloaded"}, step{in("m", `a, b = find "A", FlagData`), ""})
	assert.Empty(t, p.tickTold())
	assert.Equal(t, []string{"a more 0 9"}, p.told(`a.more = 9`))
}

// TestAClientTellsWhatPacketsBring checks the order, the values and the references of a client.
func TestAClientTellsWhatPacketsBring(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": flags + `a, b = nil export("run", function(text) return eval(text) end)`},
		map[string]string{"m/client/init.lua": `local Flag = class "Flag" {}
			function Flag:onFieldChange(field, old, new) echo(self.label, field, tostring(old), tostring(new)) end`}, "m")
	do := func(code string) []string {
		require.Empty(t, p.server.line(in("m", code)))
		p.run(300 * time.Millisecond)
		return p.client.out
	}
	require.Empty(t, do(`a = new "Flag" { dataBlock = FlagData, label = "a", team = 1 } b = new "Flag" { dataBlock = FlagData, label = "b" } a:setScopeAlways() b:setScopeAlways()`))
	assert.Equal(t, []string{"a\tteam\t1\t2", "b\tteam\t0\t3"}, do(`b.team = 3 a.team = 4 a.team = 2`))
	got := do(`c = new "Marker" { name = "C" } c:setScopeAlways() a.carrier = c`)
	require.Len(t, got, 1)
	assert.Regexp(t, "^a\tcarrier\tnil\t", got[0], "a reference that fills in later")
	assert.Equal(t, []string{"a\theat\t0\t1"}, do(`a.heat = 1`))
	assert.Empty(t, do(`c:delete()`))
}

// TestOnFieldChangeOfMovingPlayers checks that a client hears the received place and not the
// interpolated one, and nothing that its prediction computes.
func TestOnFieldChangeOfMovingPlayers(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		Runner = datablock "PlayerData" "Runner" {}
		function GameConnection.onClientEnterGame(client)
			if own then return end
			own = new "Player" { dataBlock = Runner, position = vec(0, 0, 0) }
			other = new "Player" { dataBlock = Runner, position = vec(5, 0, 0) }
			client:add(own) client:add(other) client:setControlObject(own)
		end
		export("run", function(text) return eval(text) end)`},
		map[string]string{"m/client/init.lua": `
			local Player = class "Player" {}
			seen = { own = {}, other = {} }
			function Player:onFieldChange(field, old, new)
				local of = seen[self == server.controlObject and "own" or "other"]
				of[field] = (of[field] or 0) + 1
				if field == "position" and of == seen.other and math.abs(new.x - 5) > 0.01 and math.abs(new.x - 6) > 0.01 then last = new.x end
			end
			addCommand { name = "m.own", run = function() local n = {} for k in pairs(seen.own) do n[#n + 1] = k end table.sort(n) return table.concat(n, " ") end }
			addCommand { name = "m.other", run = function() return (seen.other.position or 0) .. " " .. (seen.other.team or 0) .. " " .. tostring(last) end }`}, "m")
	require.NotNil(t, p.client.host.Server().Control.Object())
	p.client.line(`server:setPilot { forward = 1 }`)
	p.server.line(in("m", `other.position = vec(6, 0, 0) other.team = 2 own.team = 1`))
	p.run(time.Second)
	assert.Contains(t, p.client.line("m.other"), " 1 nil", "the received places, though the body moves there in steps")
	for _, field := range strings.Fields(p.client.line("m.own")) {
		assert.NotContains(t, []string{"position", "velocity", "rotation", "energy"}, field)
	}
}
