package script_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestAClassDeclaredInMidGame checks that a class declared while clients play reaches them before
// its objects.
func TestAClassDeclaredInMidGame(t *testing.T) {
	p := join(t, nil, nil)
	p.server.line(`class "Late" { fields = { n = int(0, 9), at = point(0.5), who = ref "Late" } } o = new "Late" { n = 7 } o.who = o`)
	p.run(settle)
	p.client.steps(
		step{`(function() for l in objects "Late" do late = l end end)() return late.n, late.who == late, late:isMemberOfClass "NetObject"`, "7\ttrue\ttrue"},
	)
	p.server.line(`o.n = 8`)
	p.run(settle)
	p.client.steps(step{`late.n`, `8`})
	assert.Empty(t, p.server.log)
}

// TestDisconnectRemovesClasses checks that a client that disconnects removes the classes of the
// server. Handles that its scripts keep refer to the classes of the next server.
func TestDisconnectRemovesClasses(t *testing.T) {
	p := join(t, war, nil, "war")
	p.client.line(flagClass + ` function Flag:onAdd() echo("flag", self.team) end`)
	p.server.line(`f = import("war").make("f")`)
	p.run(settle)
	assert.Equal(t, []string{"flag\t3"}, p.client.out)
	p.client.line(`disconnect "bye"`)
	p.run(settle)
	p.client.steps(
		step{`for o in objects "Flag" do echo(o) end`, ``},
		step{`for o in objects(Flag) do echo(o) end`, ``},
		step{`connect "x:1"`, ``},
	)
	p.run(2 * time.Second)
	assert.Equal(t, []string{"flag\t3"}, p.client.out)
	assert.Empty(t, p.client.log)
}

// TestACommandFromOnGhostAckedFindsTheGhost checks that a command sent when the ghost is
// acknowledged finds the ghost.
func TestACommandFromOnGhostAckedFindsTheGhost(t *testing.T) {
	p := join(t, map[string]string{
		"war/shared/a.lua": war["war/shared/a.lua"],
		"war/server/init.lua": `
			function GameConnection.onGhostAcked(client, obj) commandToClient(client, "Yours", obj) end
			export("make", function() local f = new "Flag" { dataBlock = FlagData, team = 4 } commandToAll("Yours", f) end)`,
	}, nil, "war")
	p.client.line(`function clientCmd.Yours(o) echo(o and o.team) end`)
	p.server.line(`import("war").make()`)
	p.run(settle)
	assert.Equal(t, []string{"nil", "4"}, p.client.out, "at once it is too early")
}

func TestOnTickOfGhosts(t *testing.T) {
	p := join(t, war, map[string]string{"war/shared/a.lua": flagClass, "war/client/init.lua": `
		function Flag:onTick() self.own.ticks = (self.own.ticks or 0) + 1 end
		export("ticks", function() for f in objects(Flag) do return f.own.ticks end end)`}, "war")
	p.server.line(`import("war").make("f")`)
	p.run(10 * 32 * time.Millisecond)
	first := p.client.line(`import("war").ticks()`)
	require.NotEqual(t, "nil", first)
	p.run(10 * 32 * time.Millisecond)
	p.client.steps(step{`import("war").ticks() - ` + first, `10`})
}

func TestFlagsOfAMission(t *testing.T) {
	p := join(t, map[string]string{
		"war/shared/a.lua":      war["war/shared/a.lua"],
		"war/server/init.lua":   `function Flag:onAdd() if self.team == 6 then self:setScopeAlways() end end`,
		"war/missions/one.lua":  `new "Flag" { dataBlock = FlagData, team = 6 } new "Flag" { dataBlock = FlagData, team = 1 }`,
		"war/missions/two.lua":  `new "Flag" { dataBlock = FlagData, team = 2 }`,
		"war/missions/none.lua": ``,
	}, nil, "war")
	const teams = `(function() local t = {} for o in objects "Flag" do t[#t + 1] = o.team end table.sort(t) return table.concat(t, " ") end)()`
	for _, m := range [][2]string{{"one", `"1 6"`}, {"two", `"2"`}, {"none", `""`}, {"one", `"1 6"`}} {
		require.Empty(t, p.server.line("mission "+m[0]))
		p.run(time.Second)
		p.client.steps(step{`server.phase`, `"game"`}, step{teams, m[1]})
	}
	assert.Empty(t, p.server.log)
	assert.Empty(t, p.client.log)
}

// TestCallbacksThatInterfere checks callbacks that change the world or the connected clients while
// the engine runs them.
func TestCallbacksThatInterfere(t *testing.T) {
	for name, code := range map[string]string{
		"delete in inScope":      `function Flag:inScope(c) self:delete() return true end`,
		"new in inScope":         `function Flag:inScope(c) if #rootGroup < 40 then new "Flag" { dataBlock = FlagData } end return true end`,
		"hide all in inScope":    `function Flag:inScope(c) for f in objects(Flag) do f:setScopeGroups { 9 } end return true end`,
		"always in inScope":      `function Flag:inScope(c) self:setScopeAlways() c:setScopeObject(self) self:scopeToClient(c) return true end`,
		"reset in inScope":       `function Flag:inScope(c) c:resetGhosting() return true end`,
		"activate in inScope":    `function Flag:inScope(c) c:activateGhosting() return true end`,
		"disconnect in inScope":  `function Flag:inScope(c) c:disconnect("out") return true end`,
		"delete client":          `function Flag:inScope(c) c:delete() return true end`,
		"endless inScope":        `function Flag:inScope(c) while true do end end`,
		"delete in onGhostAcked": `function GameConnection.onGhostAcked(c, o) o:delete() end`,
		"reset in onGhostAcked":  `function GameConnection.onGhostAcked(c, o) c:resetGhosting() end`,
		"delete in onTick":       `function Flag:onTick() for f in objects(Flag) do f:delete() end end`,
		"delete in onAdd":        `function Flag:onAdd() self:delete() end`,
		"new in onRemove":        `function Flag:onRemove() if #rootGroup < 40 then new "Flag" { dataBlock = FlagData } end end function Flag:onTick() self:delete() end`,
		"always in onRemove":     `function Flag:onRemove() self:setScopeAlways() self:setScopeWeight(1) self:setScopeGroups(1) end function Flag:onTick() self:delete() end`,
		"class in inScope":       `function Flag:inScope(c) class("C" .. tick()) { fields = { a = int(0, 1) } } new("C" .. tick()) {} return true end`,
	} {
		t.Run(name, func(t *testing.T) {
			p := join(t, map[string]string{"war/shared/a.lua": war["war/shared/a.lua"], "war/server/init.lua": code}, nil, "war")
			p.server.line(`for i = 1, 10 do new "Flag" { dataBlock = find "FlagData", team = i % 8 } end`)
			p.run(time.Second)
			assert.Equal(t, "2", p.server.line("1 + 1"))
			for _, line := range append(p.server.log, p.client.log...) {
				assert.NotContains(t, line, "internal error")
				assert.NotContains(t, line, "BUG")
			}
		})
	}
}

// TestEveryCallWithEveryValue calls each function about classes and scope with each kind of value
// in each place. The short form has a quarter of the pairs. Every error is one sentence, and nothing
// breaks.
func TestEveryCallWithEveryValue(t *testing.T) {
	p := join(t, war, nil, "war")
	p.server.line(`c = clientGroup:at(1) f = import("war").make("f") gone = import("war").make("gone") gone:delete() set = new "SimSet" {} Flag = import("war").Flag`)
	p.run(settle)
	p.client.line(`for o in objects "Flag" do f = o end c, gone, set = server, nil, new "SimSet" {} ` + flagClass)
	values := []string{`nil`, `true`, `0`, `-1`, `0.5`, `2^60`, `0/0`, `1/0`, `""`, `"f"`, `("x"):rep(2000)`, `{}`, `{ 1 }`, `{ x = 1 }`, `print`,
		`vec(1)`, `rot(1)`, `tag "t"`, `f`, `gone`, `c`, `set`, `find "FlagData"`, `Flag`, `int(0, 1)`, `import "base"`, `{ group = {} }`, `{ default = f }`}
	for _, h := range []*half{p.server, p.client} {
		require.Equal(t, "\"Flag\"\t\"Flag\"\t\"userdata\"\ttrue", h.line(`Flag.name, f.className, type(c), isObject(set)`))
	}
	calls := []string{`int(%s, 7)`, `int(0, %s)`, `int(0, 7, %s)`, `float(%s, 1)`, `float(0, 1, %s)`, `float(0, 1, 8, %s)`, `bool(%s)`, `ref(%s)`, `ref("Item", %s)`,
		`point(%s)`, `point(1, %s)`, `str(%s)`, `str(9, %s)`, `class(%s)`, `class "Y" (%s)`, `class "Y" { inherit = %s }`, `class "Y" { description = %s, fields = 1 }`,
		`class "Y" { fields = { a = %s } }`, `class "Y" { fields = %s }`, `class "Y" { fields = { [%s] = int(0, 1) }, x = 1 }`, `new(%s)`, `new(%s) {}`, `objects(%s)`,
		`f:isMemberOfClass(%s)`, `Flag[%s]`, `Flag.x = %s`, `f[%s] = 1`, `f.team = %s`, `f.at = %s`, `f.carrier = %s`, `f.label = %s`, `override(%s, "x", print)`, `override(Flag, %s, print)`,
		`c:setScopeObject(%s)`, `c:setControlObject(%s)`, `c:setScopeView(%s)`, `c:setScopeView { distance = %s }`, `c:setScopeView { viewOnly = %s }`, `c:setScopeGroups(%s)`,
		`c.each(%s)`, `f:scopeToClient(%s)`, `f:clearScopeToClient(%s)`, `f:setScopeGroups(%s)`, `f:setScopeGroups { %s }`, `f:setScopeWeight(%s)`, `f.setScopeAlways(%s)`, `f.clearScopeAlways(%s)`}
	for i, call := range calls {
		for k, v := range values {
			if (i+k)%testenv.Length(4, 1) > 0 {
				continue
			}
			line := fmt.Sprintf(call, v)
			for _, h := range []*half{p.server, p.client} {
				got := h.line(line)
				require.NotContains(t, got, "internal error", line)
				require.NotContains(t, got, "BUG", line)
				if strings.HasPrefix(got, "error: ") {
					require.NotContains(t, got, "\n", line)
					require.Less(t, len(got), 2400, line)
				}
			}
		}
	}
	p.run(2 * time.Second)
	assert.Equal(t, "2", p.server.line("1 + 1"))
	assert.Equal(t, `"game"`, p.client.line("server.phase"))
}

// TestGhostingBegunAnewInMidGame checks that ghosting restarted by a mod during a game leads back
// into the game, and that a client that waits in between is not disconnected.
func TestGhostingBegunAnewInMidGame(t *testing.T) {
	p := join(t, war, nil, "war")
	p.server.line(`import("war").make("f")`)
	p.run(settle)
	p.client.line(`function GameConnection.onGhostRemoved(_, o) echo("gone", o.label) end function GameConnection.onGhostAdded(_, o) echo("here", o.label) end`)
	p.server.line(`clientGroup:at(1):resetGhosting()`)
	p.run(10 * time.Second)
	assert.Equal(t, []string{"gone\thome"}, p.client.out)
	p.client.steps(step{`server.phase`, `"joining"`}, step{`#server`, `0`})
	p.server.line(`clientGroup:at(1):activateGhosting()`)
	p.run(settle)
	assert.Equal(t, []string{"here\thome"}, p.client.out)
	p.server.steps(step{`clientGroup:at(1).phase`, `"game"`})
	p.client.steps(step{`server.phase`, `"game"`}, step{`#server`, `1`})
}
