Bombs: strings, tables, closures and values without end.
=== concat-double | string | longer than
local s = "x" while true do s = s .. s end
=== concat-loop | instructions
local s = "" while true do s = s .. "xxxxxxxxxxxxxxxx" end
=== concat-many | string | longer than
local s = ("x"):rep(60000) local function f(s) return s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s end return #f(f(f(f(s))))
=== concat-numbers | instructions
local s = 1 while true do s = s .. 1 s = 1 end
=== rep-1e10 | string | exceed the limit
return ("x"):rep(1e10)
=== rep-1e300 | refused | integer
return ("x"):rep(1e300)
=== rep-double | string | exceed the limit
local s = "x" while true do s = s:rep(2) end
=== rep-negative | ends
return ("x"):rep(-1e15), (""):rep(1e15)
=== rep-in-table | instructions
local t = {} while true do t[#t + 1] = ("x"):rep(50000) end
=== gsub-grows | instructions
local s = "xx" while true do s = s:gsub("x", "xxxx") end
=== gsub-whole-match | instructions
local s = "x" while true do s = s:gsub(".*", "%0%0%0%0%0%0%0%0") end
=== gsub-empty-matches | instructions
while true do ("xxxxxxxxxxxxxxxx"):gsub("", "-") end
=== gsub-captures | instructions
while true do ("x"):rep(1000):gsub("(((.)))", "%1%2%3%0%0%0") end
=== format-s | string | longer than
local s = ("x"):rep(9e5) local f = ("%s"):rep(40) while true do s = f:format(s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s) end
=== format-width | refused | over 99
return ("%1000000000d"):format(1)
=== format-precision | refused | over 99
return ("%.1000000000f"):format(1)
=== format-flags | refused | string.format
return ("%" .. ("-"):rep(1e5) .. "d"):format(1)
=== format-endless-directive | refused | %
return ("%"):rep(1e5 + 1):format()
=== format-q-zeros | instructions
local s = ("\0"):rep(1e5) while true do s = ("%q"):format(s) s = s:sub(1, 1e5) end
=== format-many | instructions
while true do ("%99.99f%99.99f%99.99f"):format(1e300, 1e300, 1e300) end
=== table-concat | string | more than
local s, t = ("x"):rep(9e5), {} for i = 1, 40 do t[i] = s end while true do s = table.concat(t) for i = 1, 40 do t[i] = s end end
=== table-concat-separator | string | more than
local t = {} for i = 1, 100 do t[i] = "" end local s = ("x"):rep(9e5) return table.concat(t, s)
=== table-concat-range | refused | table.concat
return table.concat({}, "", 1, 1e15)
=== table-concat-minus | refused | table.concat
return table.concat({}, "", -1e15, -1)
=== sparse-index | instructions
local t = {} for i = 1, 1e9 do t = {} t[1048575] = i end
=== sparse-keep | instructions
local all = {} for i = 1, 1e9 do local t = {} t[1048575] = i all[i] = t end
=== sparse-rawset | instructions
while true do rawset({}, 1048575, 1) end
=== sparse-constructor | instructions
while true do local t = {[1048575] = 1} end
=== sparse-constructor-dynamic | instructions
local n = 1048575 while true do local t = {[n] = 1} end
=== sparse-multiple | instructions
local n = 1048575 while true do local a, b = {}, {} a[n], b[n] = 1, 2 end
=== sparse-newindex | instructions
while true do local t = setmetatable({}, {__newindex = {}}) t[1048575] = 1 end
=== sparse-after-calm | instructions
for i = 1, 20000 do end local all = {} while true do local t = {} t[1048575] = 1 all[#all + 1] = t end
=== sparse-by-loop | instructions
while true do for i = 1048575, 1048575 do local t = {} t[i] = 1 end end
=== sparse-length | instructions
local t = {} t[60000] = 1 t[60000] = nil while true do local n = #t end
=== sparse-length-lie | instructions
local t = setmetatable({}, {__len = function() return 1048574 end}) while true do t = setmetatable({}, getmetatable(t)) t[#t + 1] = 1 end
=== beyond-array | ends
local t = {} t[67108863] = 1 t[67108864] = 1 t[2^53] = 1 t[-1] = 1 t[0.5] = 1 t[1e300] = 1 t[math.huge] = 1
=== nan-key | refused | NaN
local t = {} t[0/0] = 1
=== dense | instructions
local t = {} for i = 1, 1e9 do t[i] = i end
=== hash-numbers | instructions
local t = {} for i = 1, 1e9 do t[-i] = i end
=== hash-strings | instructions
local t = {} for i = 1, 1e9 do t["k" .. i] = true end
=== hash-tables | instructions
local t = {} while true do t[{}] = {} end
=== keys-never-forgotten | instructions
local t = {} for i = 1, 1e9 do t["k" .. i] = true t["k" .. i] = nil end
=== nested-tables | instructions
local t = {} while true do t = {t, t} end
=== self-reference | instructions
local t = {} while true do t[#t + 1] = t t[t] = t end
=== insert-far | refused | outside
table.insert({}, 5e7, 1)
=== insert-negative | refused | outside
table.insert({}, -1e15, 1)
=== insert-nan | refused | table.insert
table.insert({}, 0/0, 1)
=== insert-front | instructions
local t = {} while true do table.insert(t, 1, 1) end
=== remove-front | instructions
local t = {} for i = 1, 5000 do t[i] = i end while true do table.remove(t, 1) t[#t + 1] = 1 end
=== remove-far | ends
table.remove({1}, 1e15)
=== sort-huge | instructions
local t = {} for i = 1, 1e4 do t[i] = -i end while true do table.sort(t) end
=== sort-strings | instructions
local t = {} for i = 1, 200 do t[i] = ("x"):rep(1000) .. i end while true do table.sort(t) end
=== unpack-huge | refused | values
return unpack({}, 1, 1e8)
=== unpack-minus | refused | values
return unpack({}, -1e15, 1e15)
=== unpack-again | instructions
local t = {} while true do unpack(t, 1, 5000) end
=== unpack-nested | instructions
local function f(...) return select("#", ...) end while true do f(unpack({}, 1, 5000)) end
=== vararg-copies | time
local function g() end local function f(...) while true do g(...) end end f(unpack({}, 1, 5000))
=== vararg-tables | time
local function f(...) while true do local t = {...} end end f(unpack({}, 1, 5000))
=== select-huge | time
local function f(...) while true do select(1, ...) end end f(unpack({}, 1, 5000))
=== select-inf | refused | position
return select(-1e15, 1)
=== byte-all | refused | values
return ("x"):rep(9e5):byte(1, -1)
=== byte-again | instructions
local s = ("x"):rep(5000) while true do s:byte(1, -1) end
=== char-again | instructions
while true do string.char(("x"):rep(5000):byte(1, -1)) end
=== upper-huge | instructions
local s = ("x"):rep(9e5) while true do s:upper() end
=== lower-huge | instructions
local s = ("X"):rep(9e5) while true do s:lower() end
=== reverse-huge | instructions
local s = ("x"):rep(9e5) while true do s = s:reverse() end
=== sub-huge | instructions
local s = ("x"):rep(9e5) while true do s:sub(2, -2) end
=== compare-huge | time
local a, b = ("x"):rep(9e5), ("x"):rep(9e5) while a == b do end
=== less-huge | time
local a, b = ("x"):rep(9e5), ("x"):rep(9e5) while not (a < b) do end
=== key-huge | time
local t, a, b = {}, ("x"):rep(9e5), ("x"):rep(9e5) t[a] = 1 while t[b] do end
=== number-huge | instructions
local s = ("1"):rep(9e5) while true do local n = tonumber(s) end
=== number-sum-huge | instructions
local s = ("0"):rep(9e5) .. 1 while true do local n = s + 1 end
=== number-for-huge | time
local s = ("0"):rep(9e5) .. 1 while true do pcall(function() for i = s, 2 do end end) end
=== number-base-huge | instructions
local s = ("z"):rep(9e5) while true do tonumber(s, 36) end
=== tostring-huge | instructions
while true do tostring(("x"):rep(9e5)) end
=== closures | instructions
local t = {} while true do local a, b, c = 1, 2, 3 t[#t + 1] = function() return a + b + c end end
=== coroutines-kept | refused | coroutines
local t = {} while true do local c = coroutine.create(function() coroutine.yield() end) coroutine.resume(c) t[#t + 1] = c end
=== coroutines-unstarted | refused | coroutines
local t = {} while true do t[#t + 1] = coroutine.create(print) end
=== coroutines-wrapped | refused | coroutines
local t = {} while true do t[#t + 1] = coroutine.wrap(function() coroutine.yield() end) t[#t]() end
=== coroutines-ended | instructions
while true do coroutine.wrap(function() end)() end
=== coroutines-big-stacks | heap | memory budget
local t = {} while true do local c = coroutine.create(function() local function f(...) coroutine.yield() end f(unpack({}, 1, 5000)) end) coroutine.resume(c) t[#t + 1] = c end
=== iterators-kept | instructions
local t = {} while true do t[#t + 1] = ("x"):gmatch("x") end
=== vecs | instructions
local t = {} while true do t[#t + 1] = vec(1, 2, 3) end
=== vec-chain | instructions
local v = vec(1, 2, 3) while true do v = v + v * 2 - v end
=== random-intervals | instructions
while true do pcall(math.random, 5, 1) math.random(2^53) end
=== reseed | instructions
while true do math.randomseed(0/0) end
=== dead-keys | instructions
local t = {} for i = 1, 3000 do t["k" .. i] = true t["k" .. i] = nil end t.last = 1 while true do next(t) end
=== dead-keys-between | instructions
local t = {} t.first = 1 for i = 1, 3000 do t["k" .. i] = true t["k" .. i] = nil end t.last = 1 while true do next(t, "first") end
=== empty-slots | instructions
local t = {} t[60000] = 1 while true do next(t) end
=== number-power-huge | instructions
local s = "0." .. ("1"):rep(9e5) while true do local n = s ^ s end
=== number-minus-huge | instructions
local s = ("0"):rep(9e5) .. 1 while true do local n = -s end
=== number-string-and-table | refused | arithmetic on a table
local n = "1" + {}
=== number-table-and-string | refused | arithmetic on a table
local n = {} * "1"
=== number-operators-of-strings | refused | arithmetic on a string
local n = -"x"
=== maxn-huge | instructions
local t = {} for i = 1, 3000 do t[i + 0.5] = i end while true do table.maxn(t) end
=== foreach-dead-keys | instructions
local t = {} for i = 1, 3000 do t["k" .. i] = true t["k" .. i] = nil end t.last = 1 while true do table.foreach(t, type) end
=== fields-of-a-block | refused | too large
local t = {} for i = 1, 1001 do t["k" .. i] = i end datablock "ItemData" "Wide" (t)
=== fields-of-an-object | refused | too large
local t = {} for i = 1, 1001 do t["k" .. i] = i end new "ScriptObject" (t)
=== fields-forgotten | refused | too large
local t = {} for i = 1, 1001 do t["k" .. i] = i t["k" .. i] = nil end new "ScriptObject" (t)
=== fields-of-a-class | refused | too large
local t, n = {}, int(0, 7) for i = 1, 1001 do t["k" .. i] = n end class "Wide" { fields = t }
=== fields-far | refused | too large
new "ScriptObject" { [90000] = 1 }
=== options-wide | refused | too large
local t = {} for i = 1, 1001 do t["k" .. i] = i end addCommand(t)
=== holes-to-another-mod | refused | holes
import("witness").keep { [140000] = 1 }
