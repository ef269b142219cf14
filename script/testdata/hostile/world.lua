Attacks by way of the engine: other mods, objects, timers, commands, missions.
=== objects | instructions
while true do new "ScriptObject" {} end
=== objects-again | refused | objects
function onTick() for i = 1, 400 do new "ScriptObject" {} end end error("objects follow")
=== objects-deleted | instructions
while true do new "ScriptObject" {}:delete() end
=== object-names | instructions
local n = 0 while true do n = n + 1 new "ScriptObject" { name = "o" .. n } end
=== object-name-huge | refused | name
new "ScriptObject" { name = ("x"):rep(9e5) }
=== object-own-huge | instructions
local o = new "ScriptObject" {} while true do o.own.x = ("x"):rep(9e5) end
=== tags | instructions
local n = 0 while true do n = n + 1 tag("t" .. n) end
=== tag-huge | refused | at most
tag(("x"):rep(9e5))
=== timers | refused | timers
while true do schedule(1e9, print) end
=== timers-many | refused | timers
local ok, e repeat ok, e = pcall(schedule, 1e9, print) until not ok error(e, 0)
=== timer-again | ends
local function again() schedule(0, again) end again()
=== timer-storm | ends
local function again() schedule(0, again) schedule(0, again) end again()
=== timer-loops | ends
for i = 1, 10 do schedule(0, function() while true do end end) end
=== timer-fails | ends | suspended
for i = 1, 20 do schedule(0, function() error("late") end) end
=== timer-strange-times | ends
for _, ms in ipairs { -1, 0/0, math.huge, -math.huge, 2^63, 1e300 } do assert(not pcall(schedule, ms, print)) end
=== timer-of-deleted | ends
local o = new "ScriptObject" {} for i = 1, 100 do o:schedule(0, "nothing") end o:delete()
=== timer-huge-arguments | instructions
while true do schedule(1e6, print, unpack({}, 1, 5000)) end
=== cancel-everything | instructions
for i = 1, 1e9 do cancel(i) end
=== cancel-others | ends
for i = 1, 2000 do cancel(i) end
=== datablocks | instructions
local n = 0 while true do n = n + 1 datablock "ItemData" ("d" .. n) {} end
=== datablock-circle | refused | inherit
datablock "ItemData" "A" {} datablock "ItemData" "B" { inherit = "A" } datablock "ItemData" "A" { inherit = "B" }
=== datablock-huge | refused | 
datablock "ItemData" (("x"):rep(9e5)) {}
=== datablock-of-witness | ends
pcall(function() datablock "ItemData" "WitnessDisc" { mass = 1e300 } end)
=== classes | instructions
local n = 0 while true do n = n + 1 class("C" .. n) { inherit = "NetObject" } end
=== class-circle | refused | 
class "Loop" { inherit = "Loop" }
=== class-huge-fields | refused | 
local f = {} for i = 1, 1000 do f["f" .. i] = int(0, 1) end class "Wide" { inherit = "NetObject", fields = f }
=== class-strange-fields | ends
for _, f in ipairs { function() return int(0/0, 1) end, function() return int(0, 2^60) end, function() return float(1, 0) end, function() return str(1e9) end, function() return point(0) end } do pcall(function() class "Odd" { inherit = "NetObject", fields = { x = f() } } end) end
=== class-methods-replaced | instructions
local C = class "Mine" { inherit = "NetObject" } for i = 1, 100 do function C:onAdd() while true do end end end new "Mine" {}
=== class-of-game-replaced | ends
pcall(function() class "Player" { inherit = "Item" } end) pcall(function() function Player:onAdd() while true do end end end)
=== tick-of-many | ends
local C = class "Busy" { inherit = "NetObject" } function C:onTick() local n = 0 for i = 1, 1000 do n = n + i end end for i = 1, 200 do new "Busy" {} end
=== tick-of-many-fails | ends | suspended
local C = class "Broken" { inherit = "NetObject" } function C:onTick() error("no tick") end for i = 1, 100 do new "Broken" {} end
=== tick-loops | ends
function onTick() while true do end end
=== tick-deletes | ends
local C = class "Brief" { inherit = "NetObject" } function C:onTick() self:delete() new "Brief" {} end new "Brief" {}
=== remove-makes | ends
local C = class "Hydra" { inherit = "NetObject" } function C:onRemove() new "Hydra" {} new "Hydra" {} end new "Hydra" {}:delete()
=== remove-loops | ends
local C = class "Stays" { inherit = "NetObject" } function C:onRemove() while true do end end new "Stays" {}:delete()
=== add-makes | ends
local C = class "Rabbit" { inherit = "NetObject" } function C:onAdd() new "Rabbit" {} end pcall(function() new "Rabbit" {} end)
=== add-deletes | ends
local C = class "Mayfly" { inherit = "NetObject" } function C:onAdd() self:delete() end for i = 1, 100 do pcall(function() new "Mayfly" {} end) end
=== delete-in-iteration | ends
for i = 1, 100 do new "ScriptObject" {} end for o in objects "ScriptObject" do for p in objects "ScriptObject" do if p ~= o then p:delete() end end end
=== delete-the-world | ends
for _, o in ipairs { rootGroup, clientGroup, missionGroup, dataBlockGroup } do pcall(function() o:delete() end) end
=== group-of-itself | ends
local a, b = new "SimGroup" {}, new "SimGroup" {} pcall(function() a:add(b) b:add(a) a:add(a) end)
=== group-steals | ends
local g = new "SimGroup" {} for _, o in ipairs { rootGroup, clientGroup, missionGroup } do pcall(function() g:add(o) end) end
=== witness-objects-deleted | ends
for o in objects "ScriptObject" do pcall(function() o.own.stolen = true end) end
=== import-nothing | refused | unknown mod
import "nothing"
=== import-recursion | depth | deeper
export("f", function() return import("evil").f() end) import("evil").f()
=== import-ping-pong | depth | deeper
export("f", function() return import("pawn").f() end) import("pawn").f()
--- pawn/server/init.lua
export("f", function() return import("evil").f() end)
=== import-loops | instructions
import("witness").apply(1e9)
=== import-callback | refused | cannot go
import("witness").keep(function() end)
=== import-table-deep | refused | nested deeper
local t = {} for i = 1, 20 do t = {t} end import("witness").keep(t)
=== import-table-circle | refused | contains itself
local t = {} t[1] = t import("witness").keep(t)
=== import-table-wide | refused | entries
local t = {} for i = 1, 20000 do t[i] = i end import("witness").keep(t)
=== import-table-sparse | ends
import("witness").keep({[5000] = 1})
=== import-table-sparse-loop | instructions
local t = {[60000] = 1} while true do import("witness").keep(t) end
=== import-string-huge | instructions
local s = ("x"):rep(9e5) while true do import("witness").keep(s) end
=== import-wide-loop | instructions
local t = {} for i = 1, 900 do t[i] = i end while true do import("witness").keep(t) end
=== import-metatable | refused | metatable
import("witness").keep(setmetatable({}, {}))
=== import-writes | refused | only the mod itself
import("witness").count = 0
=== import-many-arguments | ends
pcall(import("witness").keep, unpack({}, 1, 4000))
=== exports | instructions
local n = 0 while true do n = n + 1 export("e" .. n, n) end
=== export-huge | refused | at most
local s = ("x"):rep(9e5) while true do export(s, s) end
=== export-strange | refused | cannot go
export("x", coroutine.create(print))
=== export-hostile | ends
export("f", function() while true do end end) schedule(0, function() pcall(import("evil").f) end)
=== override-loops | ends
override(import "witness", "count", function(parent) while true do end end)
=== override-recursion | ends
override(import "witness", "count", function(parent) return import("witness").count() end) schedule(0, function() import("witness").count() end)
=== override-parent-again | ends
override(import "witness", "count", function(parent) parent() parent() parent() return parent() end) schedule(0, function() import("witness").count() end)
=== override-parent-kept | ends
local kept override(import "witness", "count", function(parent) kept = parent return parent() end) import("witness").count() for i = 1, 10 do kept() end
=== override-many | refused | 1024 overrides
while true do override(import "witness", "count", function(parent) return parent() end) end
=== override-chain | depth | deeper
for i = 1, 40 do override(import "witness", "count", function(parent) return parent() end) end return import("witness").count()
=== override-fails | ends
for i = 1, 10 do override(import "witness", "count", function(parent) error("in the way") end) end assert(import("witness").count())
=== override-strange | refused | must be
override({}, "x", print)
=== broadcast-itself | ends
function storm() broadcast "storm" end broadcast "storm"
=== broadcast-doubles | instructions
function storm() broadcast "storm" broadcast "storm" end broadcast "storm"
=== broadcast-huge | instructions
local s = ("x"):rep(9e5) while true do broadcast("nobody" .. s) end
=== broadcast-engine-events | refused | the engine
broadcast("onTick", -1)
=== broadcast-commands | refused | cannot be broadcast
broadcast("serverCmdSay")
=== suspend-others | ends
for i = 1, 30 do pcall(import("witness").fail) end
=== suspend-others-by-load | ends
for i = 1, 5 do schedule(0, function() import("witness").apply(1e9) end) end
=== command-itself | ends
addCommand { name = "evil.again", run = function() schedule(0, function() pcall(runChatCommand, 0, "evil.again") end) end }
=== commands-many | instructions
local n = 0 while true do n = n + 1 addCommand { name = "evil" .. n, run = print } end
=== command-of-engine | refused | 
addCommand { name = "mods", run = print }
=== command-huge | refused | 
addCommand { name = ("x"):rep(9e5), run = print }
=== settings-many | instructions
local n = 0 while true do n = n + 1 setting("evil.s" .. n) { default = 1 } end
=== setting-strange | ends
for _, d in ipairs { 0/0, math.huge, {}, print, ("x"):rep(9e5) } do pcall(function() setting("evil.s") { default = d, min = 0/0, max = -math.huge } end) end
=== setting-of-engine | refused | 
setting "net.rate" { default = 1 }
=== echo-flood | instructions
while true do echo("x") end
=== echo-huge | instructions
local s = ("x"):rep(9e5) while true do echo(s) end
=== log-flood | instructions
while true do warn("x") logError("x") end
=== log-huge | instructions
local s = ("x"):rep(9e5) while true do warn(s) end
=== echo-control-characters | ends
echo("\27[2J\27]0;x\7\0\8\13") warn("\27[2J")
=== exec-itself | depth | overflow
exec "circle.lua"
--- evil/circle.lua
exec "circle.lua"
=== exec-loop | instructions
while true do exec "nothing.lua" end
--- evil/nothing.lua
return
=== require-circle | refused | circular
require "a"
--- evil/a.lua
require "b"
--- evil/b.lua
require "a"
=== require-itself | refused | circular
require "a"
--- evil/a.lua
require "a"
=== require-fails-again | instructions
while true do pcall(require, "a") end
--- evil/a.lua
error("again")
=== require-missing-again | instructions
local n = 0 while true do n = n + 1 pcall(require, "a" .. n) end
=== require-loops | instructions
require "a"
--- evil/a.lua
while true do end
=== mission-loops | ends
loadMission "endless"
--- evil/missions/endless.lua
while true do end
=== mission-fails | ends | no mission
loadMission "broken"
--- evil/missions/broken.lua
error("no mission")
=== mission-loads-itself | ends
loadMission "again"
--- evil/missions/again.lua
loadMission "again"
=== mission-objects | ends
loadMission "many"
--- evil/missions/many.lua
for i = 1, 100 do new "ScriptObject" {} end
=== mission-end-loads | ends
function onMissionEnd() loadMission "quick" end loadMission "quick"
--- evil/missions/quick.lua
return
=== mission-loaded-loops | ends
function onMissionLoaded() while true do end end loadMission "quick"
--- evil/missions/quick.lua
return
=== missions-many | refused | missions are already waiting
while true do loadMission "quick" end
--- evil/missions/quick.lua
return
=== handler-replaces-itself | ends
function onTick() function onTick() error("replaced") end end
=== handlers-table-flood | instructions
local n = 0 while true do n = n + 1 serverCmd["c" .. n] = print end
=== command-name-huge | instructions
local s = ("x"):rep(9e5) while true do pcall(function() serverCmd[s] = print end) end
=== command-to-nobody | refused | 
commandToClient(1, "x")
=== command-to-all-huge | instructions
local s = ("x"):rep(9e5) while true do commandToAll("x", s) end
=== client-functions | refused | is available only on the client
commandToServer("x")
=== callback-keys | instructions
local D, n = datablock "ItemData" "Keyed" {}, 0 while true do n = n + 1 D["f" .. n] = print end
=== callback-key-huge | instructions
local D = datablock "ItemData" "Keyed" {} while true do D[("x"):rep(9e5)] = print end
=== chat-filter-loops | ends
function onChat() while true do end end schedule(0, function() pcall(chatFilter, 1, "x") end)
=== handles-kept | instructions
local t = {} while true do local o = new "ScriptObject" {} t[o] = o o:delete() end
=== dead-handles | ends
local o = new "ScriptObject" {} o:delete() schedule(0, function() schedule(0, function() assert(not pcall(function() return o.name end)) assert(not isObject(o)) end) end)
=== ids-guessed | instructions
for i = -1e9, 1e9 do find(i) end
=== store-flood | instructions
local n = 0 while true do n = n + 1 pcall(function() store:put("k" .. n, n) end) end
=== store-huge | instructions
local s = ("x"):rep(9e5) while true do pcall(function() store:put("k", s) end) pcall(function() store:put(s, 1) end) end
=== reload-itself | ends
pcall(function() mod.reload("evil") end) pcall(function() mod.disable("witness") end)
=== on-reload | ends
function onReload() while true do end end
