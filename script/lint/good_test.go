package lint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// good are honest ways to write that must not be complained about.
var good = []string{
	`local n = tostring(1) rawset(_G, n, 1) y = 2`,
	`F = class "F" {} F.helper = function() return 1 end echo(F.helper())`,
	`broadcast("scored", 1) function scored(n) echo(n) end`,
	`function serverCmd.Go(client) echo(client) end serverCmdGo(1)`,
	`local list = {} function list.insert(x) echo(x) end list.insert(1) echo(list.length)`,
	`for _, n in ipairs { "A", "B" } do datablock "ItemData" (n) {} end datablock "ItemData" "C" { inherit = "A" }`,
	`for _, n in ipairs { "A", "B" } do class(n) {} end new "A" {} for o in objects "B" do echo(o.x) end`,
	`local fields = { team = int(0, 7) } F = class "F" { fields = fields } function F:onAdd() echo(self.team, self.any) end`,
	`F = class "F" { inherit = "Item", fields = { carrier = ref "Player" } } function F:onTick() echo(self.carrier.energy, self.carrier.own.x) end`,
	`F = class "F" { inherit = "Player", fields = { heat = float(0, 1) } } for p in objects "Player" do echo(p.heat) end`,
	`function GameConnection.onConnect(client) echo(client.own.x.y.z, client.group, #client, client:at(1)) end`,
	`local _, why = pcall(echo) echo(why)`,
	`local a, b = pcall(echo) echo(b)`,
	`for _, v in ipairs { 1 } do echo(v) end`,
	`for i = 1, 2 do end`,
	`local f = function(x) return x end echo(f)`,
	`local function f(n) if n > 0 then return f(n - 1) end end f(3)`,
	`local function f(a, b, c) return c end echo(f)`,
	`x = 1 echo(x)`,
	`function f() end echo(rawget(_G, "f"))`,
	`rawset(_G, "y", 1) echo(y)`,
	`echo(_G["anything"], _G._VERSION)`,
	`broadcast("onScore", 1) function onScore(n) echo(n) end`,
	`function onSomethingOfAnotherMod() end`,
	`Flag = class "Flag" { inherit = "Item", fields = { team = int(0, 7) } } function Flag:onAdd() echo(self.team, self:points()) end function Flag:points() return 1 end`,
	`Flag = class "Flag" {} function Flag:onAdd() self.own.x = 1 echo(self.own.anything.at.all) end`,
	`P = datablock "PlayerData" "P" { maxDamage = 1 } P.maxDamage = 2 function P:onDamage(player, amount, source, type) echo(player.energy, amount, source, type) player:helped() end function P:helped() end`,
	`new "Player" { dataBlock = "Light", position = vec(0, 0, 0), name = "n", team = 1 }`,
	`local p = new "Player" { Position = vec(1, 2, 3) } p.ENERGY = 3 echo(p.energy)`,
	`local o = find("x") echo(o.anything) o:whatever(1, 2, 3)`,
	`for o in objects "SceneObject" do echo(o.qqqqqqqqq) end`,
	`for o in rootGroup:each() do echo(o.name, o.unheardOfField) end`,
	`local c = clientGroup:at(1) c:anythingGoes()`,
	`schedule(0, function() end) schedule(10, echo, 1, 2) local id = schedule(1, echo) cancel(id)`,
	`setSimulatedNetParams(nil, { loss = 0.1 })`,
	`table.insert({}, 1) table.insert({}, 1, 2) echo(("x"):rep(3), ("%d"):format(3), #"abc")`,
	`local t = {} t.foo = 1 t.bar.baz() echo(t:qux())`,
	`echo(select("#", 1, 2), select(2, 1, 2), unpack({}), tostring(nil))`,
	`local s = setting "m.limit" { default = 3, min = 1 } s.value = 4 echo(s.value, m.limit)`,
	`addCommand { name = "m.go", run = function() end } echo(net.rate, sv.bots)`,
	`commandToAll("Hi") commandToAll.with { guarantee = "none", priority = 2 } ("Hi", 1) commandToClient(3, tag "Hi", nil)`,
	`override(serverCmd, "MessageSent", function(parent, client, text) parent(client, text) end)`,
	`override(import "base", "messageAll", function(parent, ...) return parent(...) end)`,
	`function serverCmd.go(client, ...) echo(client.name, ...) end serverCmd.go(1)`,
	`function serverCmdStop(client) echo(client) end serverCmdStop(1)`,
	`GameConnection.onConnect = function(client, ...) echo(client.ping, ...) end`,
	`function GameConnection.onConnect(client) client.own.score = 0 client.name = "x" end`,
	`function GameConnection.helper(client) echo(client) end GameConnection.helper(1)`,
	`store:put("a", 1) store:put("b", { 1 }, function(ok, err) echo(ok, err) end) for k, v in store:each("x") do echo(k, v) end`,
	`local hit, at, normal = castRay(vec(0, 0, 0), vec(1, 1, 1)) echo(hit, at, normal) echo(castRay(vec(), vec(), nil))`,
	`local v = vec(1, 2, 3) * 2 + vec() echo(v.anything, -v, v / 2)`,
	`local co = coroutine.wrap(function(a) coroutine.yield(a) end) co(1)`,
	`goto done ::done:: echo(0x1F, 1e5, .5, 3 ..4)`,
	"echo([[ long ]], [==[ ]] ]==], 'it\\'s', \"\\\"q\\\"\") --[[ undefined ]] --[==[ x ]==]",
	`while true do local done = now() if done then break end end repeat local n = tick() until n > 3`,
	`local text = ("x"):upper() text = text .. 1 echo(text:lower())`,
	`local n = "5" echo(("x"):rep("3"), math.floor("5"), n)`,
	`echo(detag(tag("x")), #tag "x", tag "a" .. "b")`,
	`local m = { v = 1 } function m.f() return m.v end function m:g() return self.v end echo(m.f(), m:g())`,
	`exec "server/init.lua" require "server.init"`,
	`eval "z = 1" anything = 3`,
	`local mod = require "server.init" echo(mod.x, mod:y())`,
	`datablock "ItemData" "A" {} datablock "ItemData" "B" { inherit = "a", mass = 2 }`,
	`local make = new echo(make "Box" { size = vec(1, 1, 1) })`,
	`local kind = "Player" echo(new(kind) { whatever = 1 })`,
	`addBot() addBot("x") local b = addBot() b:moveTo(nil) b:aim(vec()) b:setMove { y = 1 }`,
}

func TestGoodMods(t *testing.T) {
	for _, source := range good {
		assert.Empty(t, check(t, map[string]string{"server/init.lua": source}), source)
	}
}
