package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
)

// war is a server mod with its own class. Its client half is empty. The client of these tests does
// not have the mod.
var war = map[string]string{
	"war/shared/a.lua": `
		FlagData = datablock "ItemData" "FlagData" { mass = 3 }
		` + flagClass,
	"war/server/init.lua": `
		function GameConnection.onGhostAcked(client, obj) echo("acked", obj.name) end
		export("Flag", Flag)
		export("make", function(name) return new "Flag" { dataBlock = FlagData, name = name, position = vec(1, 2, 3), team = 3, label = "home" } end)`,
}

// settle is the time that a change needs to reach the other side.
const settle = 300 * time.Millisecond

func ghostsOf(p *pair) *engine.Connection { return p.server.host.Connections()[0] }

func TestAClassOfAModOnAClientThatHasOnlyBase(t *testing.T) {
	p := join(t, war, nil, "war")
	p.server.line(`f = import("war").make("f")`)
	p.run(settle)
	assert.Equal(t, []string{"acked\tf"}, p.server.out)
	p.client.steps(
		step{`(function() for o in objects "Flag" do f = o end end)()`, ``},
		step{`f.className, f.team, f.label, f.lit, f.heat, f.carrier, f.at`, "\"Flag\"\t3\t\"home\"\tfalse\t0\tnil\tvec(0, 0, 0)"},
		step{`f.dataBlock.mass, f.dataBlock.name, f:isMemberOfClass "Item"`, "3\t\"FlagData\"\ttrue"},
	)
	p.server.line(`f.team = 5 f.lit = true f.heat = 1 f.carrier = f f.at = vec(1.25, -2, 0.5) f.label = "away"`)
	p.run(settle)
	p.client.steps(
		step{`f.team, f.label, f.lit, f.heat, f.carrier == f, f.at`, "5\t\"away\"\ttrue\t1\ttrue\tvec(1.25, -2, 0.5)"},
		step{`server:add(new "ScriptObject" {}) for g in server:each() do echo(g == f) end`, `true`},
	)
	p.server.steps(step{`c = clientGroup:at(1) o = new "ScriptObject" {} c:add(o) for m in c:each() do echo(m == o) end`, `true`})
	p.server.line(`f:delete()`)
	p.run(settle)
	p.client.steps(step{`isObject(f)`, `false`}, step{`f.team`, `~has been deleted`})
	assert.Empty(t, p.client.log)
	assert.Empty(t, p.server.log)
}

// TestAChangeOfOneFieldCostsThatFieldsBits checks that a change of one field costs the bits of
// that field and of the update header.
func TestAChangeOfOneFieldCostsThatFieldsBits(t *testing.T) {
	cost := func(change string) int {
		p := join(t, war, nil, "war")
		p.server.line(`f = import("war").make("f")`)
		p.run(time.Second)
		id := uint16(p.server.host.World().Classes().WireID(p.server.host.World().Classes().Lookup("Flag")))
		before := ghostsOf(p).Ghosts().ClassStats(id).Sent
		require.Empty(t, p.server.line(change))
		p.run(time.Second)
		after := ghostsOf(p).Ghosts().ClassStats(id).Sent
		require.Equal(t, before.Updates+1, after.Updates, change)
		return int(after.UpdateBits - before.UpdateBits)
	}
	lit := cost(`f.lit = true`)
	assert.Equal(t, lit+2, cost(`f.team = 4`), "3 bits instead of 1")
	assert.Equal(t, lit+8, cost(`f.heat = 0.5`), "8 bits instead of 1, and one that says whether it is a difference")
	assert.Less(t, lit, 24, "a bit, a gap and a mask")
}

func TestTheOrderOfGhostCallbacks(t *testing.T) {
	shared := map[string]string{"war/shared/a.lua": war["war/shared/a.lua"] + `
		function Flag:onAdd() echo("class", self.team, self.label) end
		function FlagData:onAdd(o) echo("block", o.team) end
		function Flag:onRemove() echo("class gone", self.team) end`}
	client := map[string]string{
		"war/shared/a.lua": shared["war/shared/a.lua"],
		"war/client/init.lua": `
			function GameConnection.onGhostAdded(server, o) echo("added", server.id == _G.server.id, o.team) o.own.seen = o.team end
			function GameConnection.onGhostRemoved(server, o) echo("removed", o.team, o.own.seen) end
			export("handle", function() return Flag.name end)`,
	}
	p := join(t, map[string]string{
		"war/shared/a.lua":    shared["war/shared/a.lua"],
		"war/server/init.lua": war["war/server/init.lua"],
	}, client, "war")
	p.server.line(`f = import("war").make("f")`)
	assert.Equal(t, []string{"class\t3\thome", "block\t3"}, p.server.out)
	p.run(settle)
	assert.Equal(t, []string{"class\t3\thome", "block\t3", "added\ttrue\t3"}, p.client.out)
	p.server.line(`f:delete()`)
	p.run(settle)
	assert.Equal(t, []string{"removed\t3\t3", "class gone\t3"}, p.client.out)
	assert.Equal(t, []string{"class gone\t3"}, p.server.out)
	p.server.line(`import("war").make("g")`)
	p.run(settle)
	p.client.line(`disconnect "bye"`)
	p.run(settle)
	assert.Equal(t, []string{"removed\t3\t3", "class gone\t3"}, p.client.out)
	assert.Empty(t, p.client.log)
}

func TestAGhostIsReadOnly(t *testing.T) {
	p := join(t, war, nil, "war")
	p.server.line(`f = import("war").make("f")`)
	p.run(settle)
	p.client.line(`for o in objects "Flag" do f = o end`)
	const refused = ` is a ghost: on a client only its own table is writable`
	p.client.steps(
		step{`f.team = 1`, `~error: console:1: Flag `},
		step{`f.team = 1`, `~` + refused},
		step{`f.position = vec(0, 0, 0)`, `~` + refused},
		step{`f.name = "mine"`, `~` + refused},
		step{`f:delete()`, `~` + refused},
		step{`new "SimGroup" { name = "G" }:add(f)`, `~` + refused},
		step{`server:remove(f)`, `~` + refused},
		step{`s = new "SimSet" {} s:add(f) return #s, s:remove(f), #s`, "1\ttrue\t0"},
		step{`f.own.note = "mine" return f.own.note`, `"mine"`},
		step{`f.nothing = 1`, `~unknown field "nothing" of Flag`},
		step{`f:setScopeAlways()`, `~obj:setScopeAlways is available only on the server`},
		step{`server:setScopeObject(f)`, `~client:setScopeObject is available only on the server`},
		step{`new(f.className) { dataBlock = find "FlagData", team = 2 }.team`, `2`},
	)
	p.run(settle)
	p.client.steps(step{`f.team, f.name`, "3\t\"\""})
}

func TestGhostsInCommands(t *testing.T) {
	p := join(t, map[string]string{
		"war/shared/a.lua": war["war/shared/a.lua"],
		"war/server/init.lua": war["war/server/init.lua"] + `
			function serverCmd.Touch(client, obj) echo(obj == find "f", obj and obj.team) end`,
	}, nil, "war")
	p.client.line(`function clientCmd.Look(o) echo(o and o.className, o and o.team) if o then commandToServer("Touch", o) end end`)
	p.server.line(`f = import("war").make("f")`)
	p.run(settle)
	p.server.line(`commandToAll("Look", f)`)
	p.run(settle)
	assert.Equal(t, []string{"Flag\t3"}, p.client.out)
	assert.Equal(t, []string{"true\t3"}, p.server.out)
	p.server.line(`hidden = import("war").make("h") hidden:setScopeGroups(2) commandToAll("Look", hidden)`)
	p.run(settle)
	assert.Equal(t, []string{"nil\tnil"}, p.client.out, "what the client does not see is nil")
	p.client.line(`commandToServer("Touch", new "Flag" { dataBlock = find "FlagData" })`)
	p.run(settle)
	assert.Equal(t, []string{"false\tnil"}, p.server.out)
}

// seen returns the number of flags that the client has.
func seen(p *pair) string {
	p.run(2 * time.Second)
	return p.client.line(`(function() local n = 0 for o in objects "Flag" do n = n + 1 end return n end)()`)
}

func TestScopeFromScripts(t *testing.T) {
	p := join(t, war, nil, "war")
	p.server.line(`c = clientGroup:at(1) make = import("war").make near, far = make "near", make "far" far.position = vec(5000, 0, 0)`)
	assert.Equal(t, "2", seen(p), "without a scope object everything is in scope")
	p.server.steps(
		step{`c.scopeObject, c.controlObject`, "nil\tnil"},
		step{`c:setScopeObject(near) return c.scopeObject == near`, `true`},
	)
	assert.Equal(t, "1", seen(p))
	p.server.line(`far:scopeToClient(c)`)
	assert.Equal(t, "2", seen(p))
	p.server.line(`far:clearScopeToClient(c)`)
	assert.Equal(t, "1", seen(p))
	p.server.line(`far:setScopeAlways()`)
	assert.Equal(t, "2", seen(p))
	p.server.line(`far:clearScopeAlways()`)
	assert.Equal(t, "1", seen(p))
	p.server.line(`c:setScopeView { distance = 8000 }`)
	assert.Equal(t, "2", seen(p))
	p.server.line(`far:setScopeGroups { 3 } c:setScopeGroups { 1, 2 }`)
	assert.Equal(t, "1", seen(p))
	p.server.line(`c:setScopeGroups(8)`)
	assert.Equal(t, "2", seen(p), "8 is group 3")
	p.server.line(`far:setScopeWeight(0.5) c:setScopeObject(nil)`)
	assert.Equal(t, "2", seen(p))
	p.server.steps(step{`c:setScopeObject(near) c:setScopeView {} return c.scopeObject == near`, `true`})
	assert.Equal(t, "1", seen(p))
	p.server.line(`near:delete()`)
	p.server.steps(step{`c.scopeObject`, `nil`})
	assert.Equal(t, "0", seen(p), "the view stays where it was")
	assert.Empty(t, p.client.log)
}

func TestInScopeDecidesVisibility(t *testing.T) {
	p := join(t, map[string]string{
		"war/shared/a.lua": war["war/shared/a.lua"],
		"war/server/init.lua": war["war/server/init.lua"] + `
			function Flag:inScope(client)
				if self.label == "broken" then error "no answer" end
				return client.name == "Dood" and self.lit
			end`,
	}, nil, "war")
	p.server.line(`f = import("war").make("f")`)
	assert.Equal(t, "0", seen(p))
	p.server.line(`f.lit = true`)
	assert.Equal(t, "1", seen(p))
	p.server.line(`f.lit = false`)
	assert.Equal(t, "0", seen(p))
	p.server.line(`f.lit = true`)
	assert.Equal(t, "1", seen(p))
	p.server.line(`override("Flag", "inScope", function(parent, self, client) parent() error "too late" end)`)
	assert.Equal(t, "1", seen(p), "what the parent said stands")
	p.server.line(`f.label = "broken"`)
	assert.Equal(t, "1", seen(p), "after an error the last answer holds")
	p.server.line(`f:delete() f = import("war").make("g") f.lit = true f.label = "broken"`)
	assert.Equal(t, "0", seen(p), "without an earlier answer it is hidden")
	assert.Contains(t, strings.Join(p.server.log, "\n"), "war: Flag inScope: mods/war/server/init.lua:6: no answer")
}

// TestSuspendedModsShowNothing checks that what a mod has hidden stays hidden while all of the mod
// is suspended, also from a client that was not asked about before.
func TestSuspendedModsShowNothing(t *testing.T) {
	p := join(t, map[string]string{
		"war/shared/a.lua": war["war/shared/a.lua"],
		"war/server/init.lua": war["war/server/init.lua"] + `
			function Flag:inScope(client) return self.lit end`,
	}, nil, "war")
	p.server.line(`f = import("war").make("f") g = import("war").make("g") g.lit = true`)
	require.Equal(t, "1", seen(p))
	p.server.scripts.Runtime.Mod("war").Suspend("the test says so")
	assert.Equal(t, "1", seen(p), "the last answers hold")
	p.server.line(`clientGroup:at(1):resetGhosting()`)
	p.server.line(`clientGroup:at(1):activateGhosting()`)
	assert.Equal(t, "0", seen(p), "nobody has answered for the new ghosts")
}

func TestAlwaysGhostsAreThereBeforeTheGame(t *testing.T) {
	server := map[string]string{
		"war/shared/a.lua": war["war/shared/a.lua"],
		"war/server/init.lua": `
			new "Flag" { dataBlock = FlagData, name = "f", team = 6 }:setScopeAlways()
			function GameConnection.onGhostAlwaysObjectsReceived(client) echo "always" end`,
	}
	p := join(t, server, map[string]string{"war/client/init.lua": `
		function GameConnection.onGhostAdded(server, o) echo("added", o.team) end
		function GameConnection.onGhostRemoved(server, o) echo("removed", o.team) end
		function GameConnection.onEnterGame(server) local n = 0 for o in server:each() do n = n + 1 end echo("entered", n) end`}, "war")
	p.client.line(`disconnect "and back"`)
	p.run(settle)
	assert.Equal(t, []string{"removed\t6"}, p.client.out)
	p.client.line(`connect "x:1"`)
	p.run(2 * time.Second)
	assert.Equal(t, []string{"added\t6", "entered\t1"}, p.client.out)
	assert.Equal(t, "always", p.server.out[0])
	p.server.line(`clientGroup:at(1):resetGhosting()`)
	p.run(settle)
	assert.Equal(t, []string{"removed\t6"}, p.client.out)
	p.client.steps(step{`server.phase`, `"joining"`})
	p.server.line(`clientGroup:at(1):activateGhosting()`)
	p.run(settle)
	assert.Equal(t, []string{"added\t6", "entered\t1"}, p.client.out)
}

// TestMisuseOfScope checks that each misuse of scope gives one sentence with its line.
func TestMisuseOfScope(t *testing.T) {
	p := join(t, war, nil, "war")
	p.server.line(`c = clientGroup:at(1) f = import("war").make("f") s = new "SimSet" {} gone = import("war").make("gone") gone:delete()`)
	for line, want := range map[string]string{
		`c:setScopeObject(s)`:                 `client:setScopeObject: SimSet `,
		`c:setScopeObject(5)`:                 `client:setScopeObject: argument 1 (obj) must be an object, not a number`,
		`c:setScopeObject(gone)`:              `has been deleted`,
		`c:setControlObject("f")`:             `client:setControlObject: argument 1 (obj) must be an object, not a string`,
		`f:setScopeObject(c)`:                 `unknown field "setScopeObject" of Flag`,
		`c.setScopeObject(f, f)`:              `unknown connection `,
		`c.setScopeObject()`:                  `client:setScopeObject: call it with a colon, on an object: client:setScopeObject(…)`,
		`c:setScopeView(5)`:                   `client:setScopeView: argument 1 (view) must be a table, not a number`,
		`c:setScopeView { distance = 0 }`:     `distance must be a number above 0 and up to 1000000, not 0`,
		`c:setScopeView { distance = 0/0 }`:   `distance must be a number above 0`,
		`c:setScopeView { distance = "far" }`: `distance must be a number above 0 and up to 1000000, not "far"`,
		`c:setScopeView { fov = 361 }`:        `fov must be a number above 0 and up to 360, not 361`,
		`c:setScopeView { viewOnly = 1 }`:     `viewOnly must be a boolean, not a number`,
		`c:setScopeView { distanc = 1 }`:      `unknown option "distanc", did you mean "distance"?`,
		`c:setScopeGroups()`:                  `client:setScopeGroups: argument 1 (groups) must be a mask or a list of groups, not nil`,
		`c:setScopeGroups(-1)`:                `argument 1 (groups) must be a mask below 2^53 or a list of groups, not -1`,
		`c:setScopeGroups(0/0)`:               `argument 1 (groups) must be a mask below 2^53`,
		`c:setScopeGroups(2^53)`:              `argument 1 (groups) must be a mask below 2^53`,
		`f:setScopeGroups { 64 }`:             `a visibility group must be a number 0…63, not 64`,
		`f:setScopeGroups { 1.5 }`:            `a visibility group must be a number 0…63, not 1.5`,
		`f:setScopeGroups { "red" }`:          `a visibility group must be a number 0…63, not "red"`,
		`f:setScopeGroups { red = 1 }`:        `the keys of a list of groups must be 1, 2, 3 and so on`,
		`s:setScopeGroups { 1 }`:              `obj:setScopeGroups: SimSet `,
		`f:setScopeWeight(2)`:                 `obj:setScopeWeight: `,
		`f:setScopeWeight(-0.1)`:              `obj:setScopeWeight: `,
		`f:setScopeWeight(0/0)`:               `obj:setScopeWeight: `,
		`f:setScopeWeight("heavy")`:           `obj:setScopeWeight: argument 1 (weight) must be a number, not a string`,
		`f:scopeToClient()`:                   `obj:scopeToClient: argument 1 (client) must be an object, not nil`,
		`f:scopeToClient(f)`:                  `obj:scopeToClient: argument 1 (client): unknown connection `,
		`f:clearScopeToClient(12345)`:         `obj:clearScopeToClient: argument 1 (client): unknown connection 12345`,
		`c:scopeToClient(c)`:                  `cannot be a ghost: its class must inherit from NetObject`,
		`find("FlagData"):setScopeAlways()`:   `obj:setScopeAlways: ItemData "FlagData" cannot be a ghost: its class must inherit from NetObject`,
		`gone:setScopeAlways()`:               `has been deleted`,
		`gone:clearScopeAlways()`:             `has been deleted`,
		`c.each(f)`:                           `client:each: call it with a colon, on a connection: client:each(…)`,
		`c.controlObject = f`:                 `controlObject of GameConnection is read-only`,
	} {
		got := p.server.line(line)
		assert.True(t, strings.HasPrefix(got, "error: console:1: "), "%s\n%s", line, got)
		assert.Contains(t, got, want, line)
		assert.NotContains(t, got, "\n", line)
	}
	p.run(settle)
	assert.Equal(t, "1", seen(p), "and nothing has changed")
}

// TestOnlyPredicatesAreAsked checks that objects of a class without a predicate cause no predicate
// calls.
func TestOnlyPredicatesAreAsked(t *testing.T) {
	p := join(t, war, nil, "war")
	p.server.line(`f = import("war").make("f")`)
	f := p.server.host.World().FindName("f")
	visible, asked := p.server.scripts.Hooks().InScope(f, ghostsOf(p), false)
	assert.True(t, visible)
	assert.False(t, asked)
	p.server.line(`override("Flag", "inScope", function(parent, self, client) return false end)`)
	visible, asked = p.server.scripts.Hooks().InScope(f, ghostsOf(p), false)
	assert.False(t, visible)
	assert.True(t, asked)
}
