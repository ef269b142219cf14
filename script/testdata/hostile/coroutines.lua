Coroutines that tangle, hide and escape.
=== loop-inside | instructions
coroutine.wrap(function() while true do end end)()
=== loop-resumed | instructions
while true do coroutine.resume(coroutine.create(function() while true do end end)) end
=== yield-loop | instructions
local c = coroutine.wrap(function() while true do coroutine.yield() end end) while true do c() end
=== wrap-recursion | depth | deeper
local function f() coroutine.wrap(f)() end f()
=== create-recursion | instructions
local function f() coroutine.resume(coroutine.create(f)) end while true do f() end
=== chain | depth | deeper
local c = function() end for i = 1, 200 do local inner = c c = coroutine.wrap(function() inner() end) end c()
=== resume-each-other | ends
local a, b a = coroutine.create(function() return coroutine.resume(b) end) b = coroutine.create(function() return coroutine.resume(a) end) coroutine.resume(a)
=== resume-itself | ends
local c c = coroutine.create(function() return coroutine.resume(c) end) assert(coroutine.resume(c))
=== resume-main | ends
assert(coroutine.running() == nil) pcall(coroutine.resume, nil)
=== resume-dead | instructions
local c = coroutine.create(function() end) while true do coroutine.resume(c) end
=== wrap-dead | refused | dead
local c = coroutine.wrap(function() end) c() c()
=== wrap-itself | refused | running
local c c = coroutine.wrap(function() c() end) c()
=== yield-outside | refused | no coroutine
coroutine.yield(1)
=== yield-in-pcall | ends
local c = coroutine.create(function() local ok = pcall(coroutine.yield) assert(not ok) return "end" end) assert(coroutine.resume(c))
=== yield-in-xpcall-handler | ends
local c = coroutine.create(function() return xpcall(error, coroutine.yield) end) assert(coroutine.resume(c)) assert(coroutine.status(c) == "dead")
=== yield-in-index | refused | yield cannot cross
local t = setmetatable({}, {__index = function() return coroutine.yield() end}) coroutine.wrap(function() return t.x end)()
=== yield-in-newindex | refused | yield cannot cross
local t = setmetatable({}, {__newindex = function() coroutine.yield() end}) coroutine.wrap(function() t.x = 1 end)()
=== yield-in-newindex-number | refused | yield cannot cross
local t = setmetatable({}, {__newindex = function() coroutine.yield() end}) coroutine.wrap(function() local i = 3 t[i] = 1 end)()
=== yield-in-add | refused | yield cannot cross
local t = setmetatable({}, {__add = function() coroutine.yield() end}) coroutine.wrap(function() return t + 1 end)()
=== yield-in-concat | refused | yield cannot cross
local t = setmetatable({}, {__concat = function() coroutine.yield() end}) coroutine.wrap(function() return t .. 1 end)()
=== yield-in-eq | refused | yield cannot cross
local m = {__eq = function() coroutine.yield() end} local a, b = setmetatable({}, m), setmetatable({}, m) coroutine.wrap(function() return a == b end)()
=== yield-in-lt | refused | yield cannot cross
local m = {__lt = function() coroutine.yield() end} local a, b = setmetatable({}, m), setmetatable({}, m) coroutine.wrap(function() return a < b end)()
=== yield-in-le | refused | yield cannot cross
local m = {__le = function() coroutine.yield() end} local a, b = setmetatable({}, m), setmetatable({}, m) coroutine.wrap(function() return a <= b end)()
=== yield-in-unm | refused | yield cannot cross
local t = setmetatable({}, {__unm = function() coroutine.yield() end}) coroutine.wrap(function() return -t end)()
=== yield-in-len | refused | yield cannot cross
local t = setmetatable({}, {__len = function() coroutine.yield() end}) coroutine.wrap(function() return #t end)()
=== yield-in-tostring | refused | yield cannot cross
local t = setmetatable({}, {__tostring = function() coroutine.yield() end}) coroutine.wrap(function() return tostring(t) end)()
=== yield-in-call-metamethod | ends
local t = setmetatable({}, {__call = function() return coroutine.yield(1) end}) coroutine.resume(coroutine.create(function() return t() end))
=== yield-in-iterator | refused | yield cannot cross
coroutine.wrap(function() for x in function() return coroutine.yield(1) end do end end)()
=== yield-as-iterator | refused | yield cannot cross
coroutine.wrap(function() for x in coroutine.yield do end end)()
=== yield-in-sort | refused | yield cannot cross
coroutine.wrap(function() table.sort({3, 2, 1}, coroutine.yield) end)()
=== yield-in-gsub | refused | yield cannot cross
coroutine.wrap(function() return ("x"):gsub("x", coroutine.yield) end)()
=== yield-in-load | refused | no coroutine
coroutine.wrap(function() assert(load(coroutine.yield)) end)()
=== yield-in-exec | refused | yield cannot cross
coroutine.wrap(function() exec "yields.lua" end)()
--- evil/yields.lua
coroutine.yield(1)
=== yield-in-require | refused | yield cannot cross
coroutine.wrap(function() require "yields" end)()
--- evil/yields.lua
coroutine.yield(1)
=== yield-in-eval | refused | yield cannot cross
coroutine.wrap(function() eval "coroutine.yield()" end)()
=== yield-through-broadcast | ends
function attackAll() coroutine.yield(1) end coroutine.wrap(function() broadcast "attackAll" end)()
=== yield-through-import | refused | no coroutine
coroutine.wrap(function() import("witness").callBack() end)()
=== yield-through-schedule | ends
local c = coroutine.running() schedule(0, function() coroutine.yield() end)
=== yield-values-huge | instructions
local c = coroutine.wrap(function() while true do coroutine.yield(unpack({}, 1, 5000)) end end) while true do c() end
=== coroutine-in-pcall-in-coroutine | instructions
local function f() while true do pcall(coroutine.wrap(function() pcall(f) end)) end end coroutine.wrap(f)()
=== pcall-in-coroutines-deep | depth | deeper
local function f() local ok, e = pcall(coroutine.wrap(f)) if not ok then error(e, 0) end end f()
=== status-of-nothing | refused | coroutine
coroutine.status(print)
=== resume-function | refused | coroutine
coroutine.resume(print)
=== create-nothing | refused | function
coroutine.create(nil)
=== create-go-function | ends
assert(coroutine.resume(coroutine.create(pcall), error)) coroutine.resume(coroutine.create(coroutine.yield), 1) coroutine.resume(coroutine.create(coroutine.resume), coroutine.create(print))
=== create-yield-twice | ends
local c = coroutine.create(coroutine.yield) coroutine.resume(c, 1) coroutine.resume(c, 2) coroutine.resume(c, 3)
=== tail-yield | ends
local c = coroutine.create(function() return coroutine.yield(1) end) assert(coroutine.resume(c)) assert(select(2, coroutine.resume(c, 7)) == 7) assert(coroutine.status(c) == "dead")
=== wrap-yield | ends
local c = coroutine.wrap(coroutine.yield) pcall(c, 1) pcall(c, 2) pcall(c, 3)
=== steal-thread | ends
local c c = coroutine.create(function() c = coroutine.running() coroutine.yield() end) coroutine.resume(c) schedule(0, function() coroutine.resume(c) end)
=== resumed-by-others | ends
local c = coroutine.create(function() while true do coroutine.yield() end end) for i = 1, 5 do schedule(0, function() coroutine.resume(c) end) end
=== held-across-ticks | ends
local c = coroutine.wrap(function() while true do coroutine.yield() end end) function onTick() for i = 1, 100 do c() end end
=== abandoned | ends
for i = 1, 500 do coroutine.wrap(function() coroutine.yield() end)() end
=== dead-in-error-handler | ends
local c = coroutine.create(function() xpcall(error, function() coroutine.running() end) end) coroutine.resume(c) assert(coroutine.status(c) == "dead")
=== budget-inside-wrap | instructions
while true do pcall(coroutine.wrap(function() pcall(function() while true do end end) end)) end
