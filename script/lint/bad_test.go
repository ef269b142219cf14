package lint_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// dot is a WebP of one pixel.
const dot = "RIFF\x1a\x00\x00\x00WEBPVP8L\r\x00\x00\x00/\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

// bad are files server/init.lua with one mistake each.
var bad = []struct{ source, want string }{
	// syntax
	{"local x = = 1", `1:11: syntax error near '=' (syntax)`},
	{"echo(1)\nif echo then", `2:1: syntax error at the end: 'end' expected (to close 'if' at line 2) (syntax)`},
	{"echo(1)\necho(“x”)", `2:6: a curly quote, U+201C, at 2:6: write " or ' (syntax)`},
	{"\ufefflocal x = 1", `1:7: x is never used (unused)`},
	{"goto nowhere", `1:1: no visible label 'nowhere' for <goto> at line 1 (syntax)`},
	{"functon foo() end", `1:9: syntax error near 'foo': did you mean 'function' for 'functon'? (syntax)`},
	{"echo(1)\n1 + 2", `2:1: syntax error near '1': nothing uses the value of this line: write x = … to keep it, or call a function (syntax)`},
	// undefined
	{"echo(foo)", `1:6: undefined global foo (undefined)`},
	{"ecko(1)", `1:1: undefined global ecko, did you mean "echo"? (undefined)`},
	{"local t = { 1, a = foo.b }\necho(t)", `1:20: undefined global foo (undefined)`},
	{"os.remove('x')", `1:4: there is no os.remove (unknown)`},
	{"local f = io.open('x') echo(f)", `1:14: there is no io.open (unknown)`},
	{"dofile 'x'", `1:1: dofile is not available: exec "server/file.lua" runs a file of the mod (undefined)`},
	{"equal(1, 1)", `1:1: equal is available only in test/*_test.lua (undefined)`},
	{"echo('a', 'b', nme)\nlocal name = 1 echo(name)", `1:16: undefined global nme (undefined)`},
	{"local function f(a) return a + b end\necho(f(1))", `1:32: undefined global b (undefined)`},
	{"for i = 1, n do echo(i) end", `1:12: undefined global n (undefined)`},
	{"king = 1\nif kign then echo(king) end", `2:4: undefined global kign, did you mean "king"? (undefined)`},
	{"echo(nme or 1)\nnmae = 2 echo(nmae)", `1:6: undefined global nme, did you mean "nmae"? (undefined)`},
	{"local v = 1 or nme echo(v)", `1:16: undefined global nme (undefined)`},
	// unused
	{"local x = 1", `1:7: x is never used (unused)`},
	{"local x\nx = 1", `1:7: x is set and never read (unused)`},
	{"local function f() end", `1:16: the function f is never used (unused)`},
	{"do local a, b = 1, 2 echo(b) end", `1:10: a is never used (unused)`},
	{"local ok, why = pcall(echo)\nif ok then echo(ok) end", `1:11: why is never used (unused)`},
	{"if true then local y = {} end", `1:20: y is never used (unused)`},
	// unread
	{"count = 1", `1:1: the global count is set and never read (unread)`},
	{"function helper() end", `1:10: the global helper is set and never read (unread)`},
	{"_G.total = 1", `1:4: the global total is set and never read (unread)`},
	// rows of forms and of the HUD
	{`function onChat(c) c:form { name = "x", rows = {{ kind = "buton", text = "Go" }}, done = echo } end`, `1:58: there is no row of kind "buton", did you mean "button"? (unknown)`},
	{`local function f(c) c:form { name = "x", titel = "X", rows = {{ kind = "text", text = "x" }}, done = echo } end f()`, `1:42: a form has no titel, did you mean "title"? (unknown)`},
	{`local function f(c) c:hud { nmae = "x", at = "top", rows = {{ kind = "text", text = "x" }} } end f()`, `1:29: an element of the HUD has no nmae, did you mean "name"? (unknown)`},
	{`function onChat(c) c:form { name = "x", rows = {}, done = echo } end`, `1:22: a form needs a row (type)`},
	{`function onChat(c) c:hud { name = "x", at = "top", rows = {} } end`, `1:22: an element of the HUD needs a row (type)`},
	{`function onChat(c) c:form { name = "x", rows = {{ kind = "bar", size = 1 }}, done = echo } end`, `1:65: a bar has no size (unknown)`},
	{`function onChat(c) c:form { name = "x", rows = {{ kind = "field", text = "who" }}, done = echo } end`, `1:58: a field needs a name, which its value has in the answer (type)`},
	{`function onChat(c) c:hud { name = "x", at = "botom", rows = {{ kind = "bar" }} } end`, `1:45: there is no place "botom", did you mean "bottom"? (type)`},
	{`function onChat(c) c:hud { name = "x", at = "top", rows = {{ kind = "button", text = "Go" }} } end`, `1:69: a button cannot be in an element of the HUD: its rows are only seen (type)`},
	{`function onChat(c) c:hud { name = "x", at = "top", rows = {` + strings.Repeat(`{ kind = "text" },`, 33) + `} } end`, `1:22: an element of the HUD has 33 rows: must be at most 32 (type)`},
	{`function onChat(c) c:hud { name = "x", at = "top", rows = {{ kind = "buton", text = "Go" }} } end`, `1:69: there is no row of kind "buton" (unknown)`},
	{`function onChat(c) c:hud { name = "x", at = "top", rows = {{ kind = "table", name = "who", columns = { "A" }, rows = {} }} } end`, `1:78: a table in an element of the HUD has no name (unknown)`},
	{`hudToWatchers { name = "x", at = "topp", rows = {{ kind = "bar" }} }`, `1:34: there is no place "topp", did you mean "top"? (type)`},
	{`hudToWatchers { name = "x", at = "top", rows = {{ kind = "bar", valeu = 1 }} }`, `1:65: a bar in an element of the HUD has no valeu, did you mean "value"? (unknown)`},
	// unknown
	{`echo(string.reverze("x"))`, `1:13: there is no string.reverze, did you mean "reverse"? (unknown)`},
	{`echo(("x"):uper())`, `1:12: strings have no uper, did you mean "upper"? (unknown)`},
	{`local s = "a" .. 1 echo(s:len(), s.lenght)`, `1:36: strings have no lenght (unknown)`},
	{`local r = math.rndom echo(r)`, `1:16: there is no math.rndom, did you mean "random"? (unknown)`},
	{`echo(table.pack(1))`, `1:12: there is no table.pack (unknown)`},
	{`function table.pack(...) return { n = select("#", ...), ... } end echo(table.pak(1))`, `1:78: there is no table.pak, did you mean "pack"? (unknown)`},
	{`new "Playr" {}`, `1:5: unknown class "Playr", did you mean "Player"? (unknown)`},
	{`new "Player" { postion = vec(0, 0, 0) }`, `1:16: class Player has no field postion, did you mean "position"? (unknown)`},
	{`local b = new "Box" {} b.sise = vec(1, 1, 1)`, `1:26: class Box has no sise, did you mean "size"? (unknown)`},
	{`local b = new "Box" {} echo(b:damage())`, `1:31: class Box has no damage (unknown)`},
	{`new "PlayerData" {}`, `1:1: PlayerData is a class of datablocks: write datablock "PlayerData" "Name" {…} (unknown)`},
	{`datablock "Player" "X" {}`, `1:1: Player is not a class of datablocks: write new "Player" {…} (unknown)`},
	{`new "ShapeBase" {}`, `1:1: class ShapeBase is only a base of others (unknown)`},
	{`datablock "ItemData" "X" { maas = 1 }`, `1:28: class ItemData has no field maas, did you mean "mass"? (unknown)`},
	{`datablock "ItemData" "X" {} datablock "ItemData" "Y" { inherit = "Zebra" }`, `1:66: unknown datablock "Zebra" (unknown)`},
	{`class "F" { inherits = "Item" }`, `1:13: unknown option "inherits", did you mean "inherit"? (unknown)`},
	{`class "F" { inherit = "Itm" }`, `1:23: unknown class "Itm", did you mean "Item"? (unknown)`},
	{`class "F" { inherit = "ShapeBase" }`, `1:23: ShapeBase is only a base of others, inherit from one of these: Player, StaticShape, Turret, Vehicle (unknown)`},
	{`class "F" { inherit = "SimSet" }`, `1:23: SimSet has no ghosts, a class can only inherit from one that has (unknown)`},
	{`class "F" { inherit = "ItemData" }`, `1:23: ItemData has no ghosts, a class can only inherit from one that has (unknown)`},
	{`function GameConnection.onConnect(client) echo(client.pign) end`, `1:55: a client has no pign, did you mean "ping"? (unknown)`},
	{`function GameConnection.onConnect(client) client:disconect("x") end`, `1:50: a client has no disconect, did you mean "disconnect"? (unknown)`},
	{`function serverCmd.Go(client) echo(client.adress) end`, `1:43: a client has no adress, did you mean "address"? (unknown)`},
	{`function serverCmdGo(client) echo(client.adress) end`, `1:42: a client has no adress, did you mean "address"? (unknown)`},
	{`for client in clientGroup:each() do echo(client.isbott) end`, `1:49: a client has no isbott, did you mean "isBot"? (unknown)`},
	{`for p in objects "Player" do echo(p.enrgy) end`, `1:37: class Player has no enrgy, did you mean "energy"? (unknown)`},
	{`for p in objects "Playr" do echo(p) end`, `1:18: unknown class "Playr", did you mean "Player"? (unknown)`},
	{`commandToAll.with { garantee = "none" } ("X")`, `1:21: unknown option "garantee", did you mean "guarantee"? (unknown)`},
	{`local s = setting "m.x" { defualt = 1 } echo(s.value)`, `1:27: unknown option "defualt", did you mean "default"? (unknown)`},
	{`local s = setting "m.x" { default = 1 } echo(s.vaule)`, `1:48: a Setting has no vaule, did you mean "value"? (unknown)`},
	{`local v = vec(1, 2, 3) echo(v.weight)`, `1:31: a vec has no weight (unknown)`},
	{`local v = vec(1, 2, 3) echo(v:lenght())`, `1:31: a vec has no lenght, did you mean "length"? (unknown)`},
	{`echo(import("base").messageAl)`, `1:21: mod base exports no "messageAl", did you mean "messageAll"? (unknown)`},
	{`echo(net.raet)`, `1:10: the console has no net.raet, did you mean "rate"? (unknown)`},
	{`fleet.sned("x", 1)`, `1:7: there is no fleet.sned, did you mean "send"? (unknown)`},
	{`store:putt("x", 1)`, `1:7: a Store has no putt, did you mean "put"? (unknown)`},
	{`P = datablock "PlayerData" "P" {} function P:onCollision(player, other, v) echo(player, other, v:lenght()) end`, `1:98: a vec has no lenght, did you mean "length"? (unknown)`},
	{`P = datablock "PlayerData" "P" {} function P:onDamage(player) echo(player, self.maxEnrgy) end`, `1:81: class PlayerData has no maxEnrgy, did you mean "maxEnergy"? (unknown)`},
	{`local n = #"x" echo(n.size)`, `1:23: a number has no size (unknown)`},
	{`F = class "F" { inherit = "Player", fields = { heat = float(0, 1) } } local p = new "Player" {} echo(p.heat)`, `1:104: class Player has no heat, did you mean "seat"? (unknown)`},
	{`import("base").spawnPoint = 1`, `1:16: only mod base itself can set what it exports (unknown)`},
	{`local c = new "Camera" {} echo(c.mode:uper())`, `1:39: strings have no uper, did you mean "upper"? (unknown)`},
	{`function serverCmd.X(client) echo(client.id.size) end`, `1:45: a number has no size (unknown)`},
	{`local score = { total = 0 } echo(score.totl)`, `1:40: nothing ever sets score.totl, did you mean "total"? (unknown)`},
	{`score = {} function score.add(n) score.total = n end score.dad(1) echo(score.total)`, `1:60: nothing ever sets score.dad, did you mean "add"? (unknown)`},
	{`local s = {} s.best = { laps = 0 } echo(s.best.lap)`, `1:48: nothing ever sets s.best.lap, did you mean "laps"? (unknown)`},
	{`local t = {} local u = t u.one = 1 echo(t.other)`, `1:43: nothing ever sets t.other (unknown)`},
	{`local t = {} for i = 1, 3 do t[i] = {} t[#t + 1] = i end echo(t.n)`, `1:65: nothing ever sets t.n (unknown)`},
	{`local k, t, o = "k", {}, setmetatable({}, { __index = echo }) rawset(o, k, 1) echo(t.x)`, `1:86: nothing ever sets t.x (unknown)`},
	{`function GameConnection.onConnect(client) client.own.x = 1 local t = {} echo(t.y) end`, `1:80: nothing ever sets t.y (unknown)`},
	{`function GameConnection.onConnect(client) client.score = 3 end`, `1:50: a client has no score: a value of the mod belongs in client.own.score (unknown)`},
	{`local b = new "Box" {} echo(b.score)`, `1:31: class Box has no score: a value of the mod belongs in b.own.score (unknown)`},
	{`class "X" {} function X:onAdd() end`, `1:23: undefined global X: class "X" sets no global, write X = class "X" {…} (undefined)`},
	{`datablock "ItemData" "Y" {} Y.mass = 2`, `1:29: undefined global Y: datablock "ItemData" "Y" sets no global, write Y = datablock "ItemData" "Y" {…} (undefined)`},
	{`new(Player) {}`, `1:5: undefined global Player: the name of a class is no global, write "Player" (undefined)`},
	{`function serverCmd.Bye() end function serverCmd.MessageSend() end override(serverCmd, "mesageSend", echo)`, `1:87: nothing defines serverCmd.mesageSend, did you mean "MessageSend"? (unknown)`},
	{`override(serverCmd, "Kye", echo)`, `1:21: nothing defines serverCmd.Kye, did you mean "Key"? (unknown)`},
	{`override("Player", "onDamge", echo)`, `1:20: nothing defines onDamge of class Player, did you mean "onDamage"? (unknown)`},
	{`D = datablock "ItemData" "D" {} override(D, "onColision", echo)`, `1:45: nothing defines onColision of class Item, did you mean "onCollision"? (unknown)`},
	{`override(serverCmd, "Key", echo, "Overtime") activatePackage "Overtme"`, `1:62: no override names the package "Overtme", did you mean "Overtime"? (unknown)`},
	{`override(serverCmd, "Key", echo) deactivatePackage "P"`, `1:52: no override names the package "P" (unknown)`},
	{`local o = override(serverCmd, "Key", echo) o:offf()`, `1:46: a Override has no offf, did you mean "off"? (unknown)`},
	{`override(import "base", "mesageAll", echo)`, `1:25: mod base exports no "mesageAll", did you mean "messageAll"? (unknown)`},
	// realm
	{`setHud(1, "x")`, `1:1: setHud is available only on the client, and this is the server's half (realm)`},
	{`commandToServer("X")`, `1:1: commandToServer is available only on the client, and this is the server's half (realm)`},
	{`function clientCmd.X() end`, `1:20: clientCmd.X runs only on the client, and this is the server's half (realm)`},
	{`function GameConnection.onGhostAdded() end`, `1:25: GameConnection.onGhostAdded runs only on the client, and this is the server's half (realm)`},
	{`import("base").addMessageCallback(nil, echo)`, `1:16: mod base exports "addMessageCallback" only on the client, and this is the server's half (realm)`},
	{`pcall(function() wait(1) end)`, `1:18: wait fails inside pcall: call it directly in the function that spawn starts (realm)`},
	{`spawn(function() echo(xpcall(function() if now() > 0 then wait(1) end end, echo)) end)`, `1:59: wait fails inside xpcall: call it directly in the function that spawn starts (realm)`},
	{`spawn(function() pcall(wait, 100) end)`, `1:24: wait fails inside pcall: call it directly in the function that spawn starts (realm)`},
	{`local co = coroutine.wrap(function() wait(1) end) co()`, `1:38: wait fails inside coroutine.wrap: call it directly in the function that spawn starts (realm)`},
	// arity
	{`schedule(100)`, `1:1: schedule needs 2 arguments: argument 2 (fn) is missing (arity)`},
	{`echo(now(1))`, `1:6: now takes no arguments, not 1 argument (arity)`},
	{`echo(rot(1, 2, 3, 4))`, `1:6: rot takes at most 3 arguments, not 4 arguments (arity)`},
	{`echo(("x"):rep())`, `1:12: string.rep needs 2 arguments: argument 2 (n) is missing (arity)`},
	{`function GameConnection.onConnect(client) client:setTrigger(1) end`, `1:50: client:setTrigger needs 2 arguments: argument 2 (held) is missing (arity)`},
	{`function GameConnection.onDrop(client, why, more) echo(client, why, more) end`, `1:25: GameConnection.onDrop gets client, reason: more is one parameter too many (arity)`},
	{`function onTick(tick, dt) echo(tick, dt) end`, `1:10: onTick gets tick: dt is one parameter too many (arity)`},
	{`P = datablock "PlayerData" "P" {} function P:onImpact(player, speed, other) echo(player, speed, other) end`, `1:46: onImpact gets the object, speed: other is one parameter too many (arity)`},
	{`addCommand { name = "m.x" }`, `1:1: addCommand: argument 1 (command): the option run is missing (arity)`},
	{`local function f(a, b) echo(a, b) end f(1, 2, 3)`, `1:39: f takes at most 2 arguments, not 3 arguments (arity)`},
	{`function f() end f(nil)`, `1:18: f takes no arguments, not 1 argument (arity)`},
	{`local f = function(a) echo(a) end f(1, 2, pcall(echo))`, `1:35: f takes at most 1 argument, not 3 arguments (arity)`},
	{`local t = {} function t.f(a) echo(a) end t.f(1, 2)`, `1:44: t.f takes at most 1 argument, not 2 arguments (arity)`},
	{`local t = { f = function(a) echo(a) end } t:f(1)`, `1:45: t.f takes at most 1 argument, not 2 arguments (arity)`},
	{`for c in clientGroup.each() do echo(c) end`, `1:22: group:each is called with a colon: clientGroup:each(…) (arity)`},
	{`store.put("x", 1)`, `1:7: store:put is called with a colon: store:put(…) (arity)`},
	{`clientGroup.add(clientGroup)`, `1:13: group:add needs 1 argument: argument 1 (obj) is missing (arity)`},
	{`local t = {} function t:f(a) echo(self, a) end t:f(1, 2)`, `1:50: t.f takes at most 2 arguments, not 3 arguments (arity)`},
	{`(function(a) echo(a) end)(1, 2)`, `1:1: the function takes at most 1 argument, not 2 arguments (arity)`},
	// type
	{`schedule("soon", echo)`, `1:1: schedule: argument 1 (ms) must be a number, not a string (type)`},
	{`schedule(1, "echo")`, `1:1: schedule: argument 2 (fn) must be a function, not a string (type)`},
	{`for c in clientGroup do echo(c) end`, `1:10: a loop needs a function that iterates, not a SimGroup: write clientGroup:each() (type)`},
	{`for _, o in inRadius(vec(), 3) do echo(o) end`, `1:13: a loop needs a function that iterates, not a table: write ipairs(list), or pairs(table) (type)`},
	{`local list = { 1, 2 } for _, o in list do echo(o) end`, `1:35: a loop needs a function that iterates, not a table: write ipairs(list), or pairs(table) (type)`},
	{`for i in 3 do echo(i) end`, `1:1: a loop needs a function that iterates, not a number: write ipairs(list), pairs(table) or group:each() (type)`},
	{`echo(tag {})`, `1:6: tag: argument 1 (text) must be a string or a tag, not a table (type)`},
	{`datablock "ItemData" "X" { mass = "heavy" }`, `1:28: ItemData.mass must be a number, not a string (type)`},
	{`new "Camera" { mode = "fyl" }`, `1:16: Camera.mode must be "fly" or "orbit", not "fyl", did you mean "fly"? (type)`},
	{`local b = new "Box" {} b.shape = false`, `1:26: Box.shape must be a string, not a boolean (type)`},
	{`commandToAll.with { guarantee = "maybe" } ("X")`, `1:21: option guarantee must be "ordered", "guaranteed", "none" or nil, not "maybe" (type)`},
	{`class "F" { fields = { team = 3 } }`, `1:24: field team must be made with int, float, bool, ref, point or str, not a number (type)`},
	{`allowCommand("X", { rate = "fast" })`, `1:21: option rate must be a number or nil, not a string (type)`},
	{`echo(tag(nil))`, `1:6: tag: argument 1 (text) must be a string or a tag, not nil (type)`},
	{`new "Box" { "wall" }`, `1:1: fields have names: write { name = value } (type)`},
	{`table.insert({}, "one", 1)`, `1:7: table.insert: argument 2 (position) must be an integer, not a string (type)`},
	{`table.insert(1, 2)`, `1:7: table.insert: argument 1 (list) must be a table, not a number (type)`},
	// file
	{`require "server.helpers"`, `1:1: there is no file server/helpers.lua (file)`},
	{`exec "../base/mod.lua"`, `1:1: "../base/mod.lua" must be the path of a .lua file in the mod's own folder (file)`},
	// depends
	{`local ctf = import "ctf" echo(ctf)`, `1:13: mod.toml does not list ctf: write depends = ["ctf"], or use optional if the mod can run without it (depends)`},
	// callback
	{`function GameConnection.onClientEnteredGame() end`, `1:25: nothing calls GameConnection.onClientEnteredGame, did you mean "onClientEnterGame"? (callback)`},
	{`function onMisionEnd() end`, `1:10: nothing calls onMisionEnd, did you mean "onMissionEnd"? (callback)`},
	{`P = datablock "PlayerData" "P" {} function P:onDestroy() end`, `1:46: nothing calls onDestroy, did you mean "onDestroyed"? (callback)`},
	{`F = class "F" { inherit = "Item" } function F:onColision() end`, `1:47: nothing calls onColision, did you mean "onCollision"? (callback)`},
	// permission, ignore
	{`kick(3)`, `1:1: kick is a console command: mod.toml must request it with permissions = ["console.kick"] (permission)`},
	{`table.insert(kick, 1)`, `1:14: kick is a console command: mod.toml must request it with permissions = ["console.kick"] (permission)`},
	{`setting "net.mine" { default = 1 }`, `1:1: names that begin with net. belong to the engine: mod.toml must request them with permissions = ["mod.settings"] (permission)`},
	{`pcall(kick, 3)`, `1:7: kick is a console command: mod.toml must request it with permissions = ["console.kick"] (permission)`},
	{`http.get("https://API.example.org/x", echo)`, `1:6: mod.toml must request this with permissions = ["net:api.example.org:443"] (permission)`},
	{`http.post("http://[::1]:8080", "", echo)`, `1:6: mod.toml must request this with permissions = ["net:[::1]:8080"] (permission)`},
	{`tcpConnect("irc.example.org", 6667, {})`, `1:1: mod.toml must request this with permissions = ["net:irc.example.org:6667"] (permission)`},
	{`function serverCmd.Go(client) client:transfer("arena") end`, `1:38: mod.toml must request this with permissions = ["transfer"] (permission)`},
	{`function serverCmd.Go(client) client:transfer("Game.example.org:28000#k") end`, `1:38: mod.toml must request this with permissions = ["transfer:game.example.org:28000"] (permission)`},
	{`tcpListen(28010, {})`, `1:1: mod.toml must request this with permissions = ["listen:28010"] (permission)`},
	{`tcpListen(x(), { onLines = echo }) function x() return 1 end`, `1:18: unknown option "onLines", did you mean "onLine"? (unknown)`},
	{`local c = tcpConnect(x(), 1, {}) function x() return "a" end c:sned("x")`, `1:64: a TCPConnection has no sned, did you mean "send"? (unknown)`},
	{`echo(1) -- torc: ignore everything`, `1:1: unknown rule "everything"; the rules are syntax, undefined, unused, unread, unknown, realm, arity, type, file, depends, callback, permission, manifest, text, ignore (ignore)`},
}

func TestBadMods(t *testing.T) {
	for _, c := range bad {
		assert.Equal(t, []string{"server/init.lua:" + c.want}, check(t, map[string]string{"server/init.lua": c.source}), "%s", c.source)
	}
}

// TestBadFolders checks mistakes that involve several files.
func TestBadFolders(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  []string
	}{
		{map[string]string{"server/init.lua": "score = 1 echo(score)", "client/init.lua": "echo(score)"},
			[]string{"client/init.lua:1:6: the global score is defined only on the server (server/init.lua), and this is the client's half (undefined)"}},
		{map[string]string{"shared/a.lua": "addBot()"},
			[]string{"shared/a.lua:1:1: addBot is available only on the server, and both halves run this (realm)"}},
		{map[string]string{"shared/a.lua": `F = class "F" {} function F:inScope(client) return addBot() == client end`}, []string{}},
		{map[string]string{"client/init.lua": "addBot()"},
			[]string{"client/init.lua:1:1: addBot is available only on the server, and this is the client's half (realm)"}},
		{map[string]string{"client/init.lua": "function GameConnection.onConnect() end"},
			[]string{"client/init.lua:1:25: GameConnection.onConnect runs only on the server, and this is the client's half (realm)"}},
		{map[string]string{"server/init.lua": "require 'server.a'", "server/a.lua": "", "server/b.lua": ""},
			[]string{`server/b.lua:1:1: nothing runs this file: no other file requires "server.b" (file)`}},
		{map[string]string{"server/init.lua": "local x = 'server.a' require(x)", "server/a.lua": ""}, []string{}},
		{map[string]string{"server/init.lua": "require 'lib.a'", "lib/a.lua": "addBot()"}, []string{}},
		{map[string]string{"server/init.lua": "require 'lib.a'", "client/init.lua": "require 'lib.a'", "lib/a.lua": "addBot()"},
			[]string{"lib/a.lua:1:1: addBot is available only on the server, and both halves run this (realm)"}},
		{map[string]string{"server/init.lua": "exec 'lib/a.lua'", "client/init.lua": "require 'lib.b'", "lib/a.lua": "require 'lib.b'", "lib/b.lua": "addBot()"},
			[]string{"lib/b.lua:1:1: addBot is available only on the server, and both halves run this (realm)"}},
		{map[string]string{"server/init.lua": "local s = require 'server.score' s.add(1, 2) echo(s.totl, s.new)", "server/score.lua": "local M = { total = 0 } function M.add(n) M.total = n end return M",
			"test/a_test.lua": "local s = require 'server.score' s.new = 1"},
			[]string{"server/init.lua:1:36: s.add takes at most 1 argument, not 2 arguments (arity)",
				`server/init.lua:1:53: nothing ever sets s.totl, did you mean "total"? (unknown)`}},
		{map[string]string{"server/init.lua": "local s = require 'server.score' echo(s.x)", "server/score.lua": "if now() > 0 then return { x = 1 } end return {}"}, []string{}},
		{map[string]string{"server/init.lua": "require 'server.a' (1, 2)", "server/a.lua": "return function(a) echo(a) end"},
			[]string{"server/init.lua:1:1: the function takes at most 1 argument, not 2 arguments (arity)"}},
		{map[string]string{"server/init.lua": "kick(1, 2)", "client/init.lua": "function kick() end kick()", "mod.toml": "name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"console.kick\"]"}, []string{}},
		{map[string]string{"server/init.lua": "score = 1 function onReload(old) echo(old.score) end"}, []string{}},
		{map[string]string{"mod.toml": "name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"net:api.example.org:443\", \"listen:0.0.0.0:28010\", \"listen:1\"]",
			"server/init.lua": `http.get("https://API.example.org:443/x", echo) tcpListen(28010, {}) tcpListen(1, {}) tcpConnect("api.example.org", 443, { onData = echo }) http.get("x", echo)`,
			"test/a_test.lua": `test("a", function() http.get("https://other.example.org", echo) httpReply("https://api.example.org", "") equal(tcpPeer("a", 1):received(), "") end)`}, []string{}},
		{map[string]string{"server/init.lua": "x = 1", "client/init.lua": "echo(rawget(_G, 'x'))"},
			[]string{"server/init.lua:1:1: the global x is set and never read (unread)"}},
		{map[string]string{"server/init.lua": "helper()", "test/a_test.lua": "function helper() end"},
			[]string{"server/init.lua:1:1: undefined global helper (undefined)"}},
		{map[string]string{"test/a_test.lua": "test('a', function() local l = lines() equal(l.size, nil) end)"}, []string{}},
		{map[string]string{"server/init.lua": "a = 1", "test/a_test.lua": "test('a', function() equal(a, 1) end)"}, []string{}},
		{map[string]string{"test/a_test.lua": "test('a', function() local c = client {} c:laeve() end)"},
			[]string{`test/a_test.lua:1:44: a TestClient has no laeve, did you mean "leave"? (unknown)`}},
		{map[string]string{"server/init.lua": "echo(text 'red', text('blu'))", "texts/en.toml": "red = 'red'\nblue = '%1'\n", "texts/de.toml": "red = 'rot %1'\ngreen = 'grün'\nbad = 1"},
			[]string{`server/init.lua:1:18: texts/en.toml has no key "blu", did you mean "blue"? (text)`,
				"texts/de.toml:1:1: blue is missing (texts/en.toml:2) (text)", "texts/de.toml:1:1: red has %1, and the English text has no place (texts/en.toml:1) (text)",
				"texts/de.toml:2:1: unknown key green: texts/en.toml has none of this name (text)",
				`texts/de.toml:3:1: bad must be a text, or a table of plural forms such as { one = "%1 frag", other = "%1 frags" } (text)`}},
		{map[string]string{"server/init.lua": "echo(text 'red')"}, []string{`server/init.lua:1:6: this mod has no file texts/en.toml with the key "red" (text)`}},
		{map[string]string{"server/init.lua": "local rows = {{ kind = 'image', picture = 'swrod' }, { kind = 'image', picture = 'sword' }, { picture = 'x' }} echo(rows)", "pictures/sword.webp": dot, "pictures/map.png": "GIF89a"},
			[]string{"pictures/map.png:1:1: it must be a PNG, JPEG or WebP (file)", `server/init.lua:1:43: the folder pictures has no picture "swrod", did you mean "sword"? (file)`}},
		{map[string]string{"server/init.lua": "echo(text('two', 1))\necho(text('counted', 1))\necho(text('two'), text('two', 1, 2), text('two', 1, 2, 3), text('two', unpack {}), text('two', ...), text('one', 1))",
			"texts/en.toml": "two = '%2 of %1'\ncounted = { count = 2, one = '%1', other = '%1 %2' }\none = { one = '%1', other = '%1 %2' }"},
			[]string{`server/init.lua:1:6: the text "two" names %2, and gets 1 of its arguments (arity)`, `server/init.lua:2:6: the text "counted" names %2, and gets 1 of its arguments (arity)`}},
		{map[string]string{"server/init.lua": "echo(text('one'), text('two', text 'one'), text('two', unknown()))", "texts/en.toml": "one = '1'\ntwo = '%1 %2'"},
			[]string{"server/init.lua:1:19: the text \"two\" names %2, and gets 1 of its arguments (arity)", "server/init.lua:1:56: undefined global unknown (undefined)"}},
		{map[string]string{"server/init.lua": "echo(text 'one', text 'two')", "texts/en.toml": "one = '1\ntwo = '2'", "texts/de.toml": "one = '1'\ntwo = '2'"},
			[]string{"texts/en.toml:1:1: a string of this line has no closing quote (text)"}},
		{map[string]string{"server/init.lua": "local key = 'red' echo(text(key), text('red'))", "texts/en.toml": "red = 'red'"}, []string{}},
		{map[string]string{"mod.toml": "name = \"m\"\nversion = \"1\"\n"},
			[]string{`mod.toml:2:1: version "1" must be three numbers like 1.0.0 (see semver.org) (manifest)`}},
		{map[string]string{"mod.toml": "name = \"m\"\nversion = \n"},
			[]string{`mod.toml:2:1: expected value but found '\n' instead (manifest)`}},
		{map[string]string{"mod.toml": "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"bass\"]\n"},
			[]string{`mod.toml:1:1: mod m needs bass, which is not installed; installed are: base, ctf, deathmatch, hello, m; did you mean base? (manifest)`}},
		{map[string]string{"mod.toml": "name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"console.kick\"]", "server/init.lua": "kick(3)"}, []string{}},
		{map[string]string{"mod.toml": "name = \"m\"\nversion = \"1.0.0\"\nconflicts = [\"base\"]\n"},
			[]string{"mod.toml:1:1: mod m conflicts with base 1.0.0; load only one of them (manifest)"}},
		{map[string]string{"mod.toml": "name = \"m\"\nversion = \"1.0.0\"\noptional = [\"ctf\"]", "server/init.lua": `echo(import "ctf")`}, []string{}},
	} {
		assert.Equal(t, c.want, check(t, c.files), "%v", c.files)
	}
}

// TestOverrideOfNothing checks that the names that exist are listed where none is near, whatever
// base defines.
func TestOverrideOfNothing(t *testing.T) {
	found := check(t, map[string]string{"server/init.lua": `override(serverCmd, "Quest", echo)`})
	if assert.Len(t, found, 1) {
		assert.Regexp(t, `^server/init.lua:1:21: nothing defines serverCmd.Quest: there are \w+, .*MessageSent.* \(unknown\)$`, found[0])
	}
}

// TestIgnore checks that comments turn rules off for their own line only.
func TestIgnore(t *testing.T) {
	for source, want := range map[string]int{
		"echo(foo) -- torc: ignore undefined":            0,
		"echo(foo) -- torc: ignore":                      0,
		"echo(foo) -- torc: ignore unused, undefined":    0,
		"echo(foo) -- torc: ignore unused":               1,
		"-- torc: ignore undefined\necho(foo)":           1,
		"echo(foo, '-- torc: ignore undefined')":         1,
		"local x = 1 --torc: ignore unused\nlocal y = 2": 1,
	} {
		assert.Len(t, check(t, map[string]string{"server/init.lua": source}), want, source)
	}
}
