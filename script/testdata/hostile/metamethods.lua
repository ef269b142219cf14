Metamethods, sort and gsub callbacks, the string metatable, globals.
=== index-chain | refused | too many recursions
local t = {} for i = 1, 1000 do t = setmetatable({}, {__index = t}) end return t.x
=== index-circle | refused | too many recursions
local a, b = {}, {} setmetatable(a, {__index = b}) setmetatable(b, {__index = a}) return a.x
=== index-itself | refused | too many recursions
local t = {} t.__index = t setmetatable(t, t) return t.x
=== index-recursion | depth | stack overflow
local t = setmetatable({}, {__index = function(t, k) return t[k] end}) return t.x
=== index-loop | instructions
local t = setmetatable({}, {__index = function(t, k) while true do end end}) return t.x
=== newindex-circle | refused | too many recursions
local a, b = {}, {} setmetatable(a, {__newindex = b}) setmetatable(b, {__newindex = a}) a.x = 1
=== newindex-circle-number | refused | too many recursions
local a, b, i = {}, {}, 7 setmetatable(a, {__newindex = b}) setmetatable(b, {__newindex = a}) a[i] = 1
=== newindex-recursion | depth | stack overflow
local t = setmetatable({}, {__newindex = function(t, k, v) t[k] = v end}) t.x = 1
=== newindex-recursion-number | depth | stack overflow
local t = setmetatable({}, {__newindex = function(t, k, v) t[k + 1] = v end}) local i = 1 t[i] = 1
=== call-recursion | depth | stack overflow
local t = setmetatable({}, {__call = function(t) return 1 + t() end}) t()
=== call-chain | refused | attempt to call
local t = {} for i = 1, 1000 do t = setmetatable({}, {__call = t}) end t()
=== call-tail | instructions
local t = setmetatable({}, {__call = function(t) return t() end}) t()
=== concat-recursion | depth | stack overflow
local t t = setmetatable({}, {__concat = function(a, b) return a .. b end}) return t .. "x"
=== concat-lies | instructions
local t t = setmetatable({}, {__concat = function() return t end}) while true do local x = t .. t .. t end
=== eq-recursion | depth | stack overflow
local m = {} m.__eq = function(a, b) return a == b end return setmetatable({}, m) == setmetatable({}, m)
=== eq-loop | instructions
local m = {__eq = function() while true do end end} return setmetatable({}, m) == setmetatable({}, m)
=== lt-recursion | depth | stack overflow
local m = {} m.__lt = function(a, b) return a < b end return setmetatable({}, m) < setmetatable({}, m)
=== le-by-lt | instructions
local m = {__lt = function() while true do end end} return setmetatable({}, m) <= setmetatable({}, m)
=== unm-recursion | depth | stack overflow
local t = setmetatable({}, {__unm = function(t) return 1 + -t end}) return -t
=== len-recursion | depth | stack overflow
local t = setmetatable({}, {__len = function(t) return 1 + #t end}) return #t
=== len-of-insert | ends
local t = setmetatable({}, {__len = function() return 2^60 end}) table.insert(t, 1) table.concat(t) table.sort(t) unpack(t)
=== arithmetic-recursion | depth | stack overflow
local t t = setmetatable({}, {__add = function(a, b) return 1 + (a + b) end, __div = error}) return t + t
=== tostring-recursion | depth | stack overflow
local t = setmetatable({}, {__tostring = function(t) return "x" .. tostring(t) end}) return tostring(t)
=== tostring-loop | instructions
return tostring(setmetatable({}, {__tostring = function() while true do end end}))
=== tostring-not-a-string | refused | must return a string
return tostring(setmetatable({}, {__tostring = function() return {} end}))
=== tostring-huge | instructions
local s = ("x"):rep(9e5) local t = setmetatable({}, {__tostring = function() return s end}) while true do local x = ("%s"):format(t) end
=== tostring-in-format | depth | stack overflow
local t = setmetatable({}, {__tostring = function(t) return ("%s"):format(t) end}) return tostring(t)
=== echo-tostring-loop | instructions
echo(setmetatable({}, {__tostring = function() while true do end end}))
=== metatable-hidden | refused | protected
local t = setmetatable({}, {__metatable = false}) assert(getmetatable(t) == false) setmetatable(t, {})
=== metatable-of-itself | instructions
local t = {} setmetatable(t, t) t.__index = function() return t end while t.x do end
=== metatable-swapped | instructions
local t = {} local m = {} m.__index = function() setmetatable(t, {__index = m.__index}) return 1 end setmetatable(t, m) while t.x do end
=== metatable-gone | ends
local t = {} setmetatable(t, {__index = function() setmetatable(t, nil) return t.x end}) assert(t.x == nil)
=== gc-metamethod | ends
setmetatable({}, {__gc = function() while true do end end, __mode = "k"})
=== index-of-nonsense | refused | attempt to index
return setmetatable({}, {__index = 1}).x.y
=== mt-fields-of-host | ends
for _, t in ipairs {vec(1, 2, 3), rot(0, 0, 0), tag "x", new "ScriptObject" {}, import "witness", clientGroup} do assert(getmetatable(t) == false) assert(not pcall(setmetatable, t, {})) assert(not pcall(rawset, t, "x", 1)) assert(not pcall(rawget, t, "x")) end
=== string-metatable-changed | ends
assert(not pcall(setmetatable, "", {})) assert(getmetatable("") == false)
=== string-table-changed | ends
pcall(function() string.upper = function() while true do end end end) pcall(rawset, string, "lower", nil) pcall(setmetatable, string, {__index = error}) pcall(function() ("x").y = 1 end)
=== string-format-changed | ends
pcall(function() string.format = nil string.rep = nil table.concat = nil math.floor = nil coroutine.yield = nil end) pcall(rawset, string, "gsub", 1)
=== sort-true | refused | invalid order function
local t = {} for i = 1, 2e4 do t[i] = i end table.sort(t, function() return true end) while true do end
=== sort-random | ends
local t = {} for i = 1, 300 do t[i] = i end pcall(table.sort, t, function() return math.random() < 0.5 end)
=== sort-raises | refused | no order
table.sort({3, 2, 1}, function() error("no order") end)
=== sort-loops | instructions
table.sort({3, 2, 1}, function() while true do end end)
=== sort-shrinks | ends
local t = {} for i = 1, 100 do t[i] = i end pcall(table.sort, t, function(a, b) for i = 1, 100 do t[i] = nil end return a < b end)
=== sort-grows | instructions
local t = {} for i = 1, 100 do t[i] = i end table.sort(t, function(a, b) for i = 1, 100 do t[#t + 1] = 1 end return a < b end) while true do end
=== sort-sorts | depth | stack overflow
local t = {} for i = 1, 100 do t[i] = i end local function less(a, b) table.sort(t, less) return a < b end less(1, 2)
=== sort-mixed | refused | compare
table.sort({1, "x", {}, print, 2, "y"})
=== sort-nan | ends
pcall(table.sort, {0/0, 1, 0/0, 2, 0/0, -1, 0/0})
=== sort-strange-results | ends
pcall(table.sort, {3, 2, 1}, function() return {} end) pcall(table.sort, {3, 2, 1}, function() end) pcall(table.sort, {3, 2, 1}, function() return unpack({}, 1, 4000) end)
=== sort-metamethod | instructions
local m = {__lt = function() while true do end end} table.sort({setmetatable({}, m), setmetatable({}, m)})
=== sort-holes | ends
pcall(table.sort, {1, nil, 3, nil, 5})
=== gsub-raises | refused | no text
("x"):gsub("x", function() error("no text") end)
=== gsub-loops | instructions
("x"):gsub("x", function() while true do end end)
=== gsub-recursion | depth | stack overflow
local function f(s) return (s:gsub("x", f)) end f("x")
=== gsub-returns-table | refused | replace
("x"):gsub("x", function() return {} end)
=== gsub-returns-huge | string | longer than
local s = ("y"):rep(9e5) return (("x"):rep(100):gsub("x", function() return s end))
=== gsub-table-index-loops | instructions
("x"):gsub("x", setmetatable({}, {__index = function() while true do end end}))
=== gsub-many-results | ends
("x"):gsub("x", function() return unpack({}, 1, 4000) end)
=== gmatch-shared | ends
local it = ("xyz"):gmatch(".") it() coroutine.wrap(function() it() end)() pcall(it) pcall(it)
=== globals-metatable | refused | protected
setmetatable(_G, {})
=== globals-index | ends
assert(getmetatable(_G) == false) pcall(rawset, _G, "__index", print) pcall(rawset, _G, "_G", {}) _G._G = nil
=== globals-emptied | ends
local rawset, pcall, G = rawset, pcall, _G for k in pairs(G) do pcall(rawset, G, k, nil) end
=== globals-replaced | ends
local G = _G for k in next, G do G[k] = function() while true do end end end
=== globals-own-chunk | ends
rawset(_G, "pcall", nil) rawset(_G, "error", nil) rawset(_G, "type", nil) rawset(_G, "tostring", nil)
=== environment | refused | (a nil value)
return _ENV.io
=== getfenv | ends
assert(getfenv(0) == _G and getfenv(1) == _G and getfenv(print) == _G and not pcall(getfenv, 99))
=== setfenv-globals | refused | only functions written in Lua
setfenv(0, {})
=== setfenv-callers | ends
pcall(function() for level = 1, 9 do pcall(setfenv, level, {}) end end)
=== setfenv-loops | instructions
setfenv(1, setmetatable({}, {__index = function() while true do end end})) return x
=== setfenv-guards | string | longer than
local s = ("x"):rep(2^20) setfenv(1, {}) return s .. s
=== io-write | ends
io.write(("x"):rep(2^20)) for i = 1, 100 do io.write("y\n") io.stdout:write("z"):write("\n") end
=== io-write-forever | instructions
while true do io.write("x") end
=== os-date | ends
assert(os.date(("%c"):rep(1000)):len() > 1000) assert(not pcall(os.date, "%c", 1e300)) assert(not pcall(os.date, "%c", 0/0)) assert(not pcall(os.time, {year = 1e300, month = 1, day = 1}))
=== os-date-huge | refused
return os.date(("%c"):rep(2^19))
=== package-loaded-replaced | ends
package.loaded.string = nil package.loaded = nil package.preload = 5 package.path = {} pcall(require, "string") pcall(require, "x")
=== package-preload | depth
package.preload.x = function() return require("y") end package.preload.y = function() package.loaded.x = nil return require("x") end require "x"
=== library-replaced | ends
string.rep = nil table.insert = error math.floor = 5 assert(not pcall(function() return ("x"):rep(3) end)) string.format, string.find = nil
=== newproxy | refused | (a nil value)
return newproxy(true)
=== debug | refused | (a nil value)
return debug.getupvalue(print, 1)
=== os-exit | refused | (a nil value)
os.exit(1)
=== io-open | refused | (a nil value)
io.open("/etc/passwd")
=== package-loaded | ends
assert(package.loaded.string == string and package.loaded._G == _G)
=== dofile | refused | (a nil value)
dofile("/etc/passwd")
=== loadfile | refused | (a nil value)
loadfile("/etc/passwd")
=== collectgarbage | instructions
while true do collectgarbage() end
=== printregs | refused | (a nil value)
_printregs()
=== channel | refused | (a nil value)
channel.make()
=== cat-read | ends
assert(rawget(_G, "\0cat") == nil) assert(_G["\0cat"] == nil) for k in pairs(_G) do assert(k:byte() ~= 0) end
=== cat-replaced | ends
rawset(_G, "\0cat", function() return "stolen" end) _G["\0cat"] = error _G["\0set"] = error _G["\0fill"] = error assert(eval "'a' .. 'b'" == "ab") assert(eval "local t, i = {}, 1 t[i] = 2 return t[1]" == 2)
=== cat-written | compile | 
return loadstring("local \0cat = nil return 'a' .. 'b'")()
=== dump | ends
assert(not pcall(string.dump, function() end))
=== go-version | ends
assert(rawget(_G, "_GOPHER_LUA_VERSION") == nil)
