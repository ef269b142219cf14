Protected calls, errors and their handlers.
=== pcall-loop | instructions
while true do pcall(error) end
=== pcall-swallows | instructions
while true do pcall(function() while true do end end) end
=== pcall-nested | instructions
local function f() while true do pcall(f) end end f()
=== pcall-pcall | instructions
while true do pcall(pcall, pcall, pcall, error) end
=== pcall-of-itself | depth | deeper
local function f(g, ...) return pcall(g, g, ...) end local ok, e = f(f) while ok do ok, e = e, nil end error("deeper " .. tostring(e))
=== pcall-recursion | instructions
local function f() pcall(f) pcall(f) end f()
=== xpcall-loop | instructions
while true do xpcall(function() while true do end end, function() while true do end end) end
=== xpcall-handler-fails | instructions
while true do xpcall(error, function() error("again") end) end
=== xpcall-handler-loops | instructions
xpcall(error, function() while true do end end)
=== xpcall-handler-recurses | ends
return xpcall(error, function() local function f() return 1 + f() end return f() end)
=== xpcall-handler-xpcall | instructions
local function h() xpcall(error, h) xpcall(error, h) end h()
=== xpcall-no-handler | ends
assert(not pcall(xpcall, error)) pcall(xpcall) pcall(xpcall, error, 1) pcall(xpcall, error, setmetatable({}, {__call = error}))
=== xpcall-traceback-deep | instructions
local function deep(n) if n == 0 then error("x") end return 1 + deep(n - 1) end while true do xpcall(deep, traceback, 150) end
=== traceback-loop | instructions
while true do traceback() end
=== traceback-tail-calls | instructions
local function f(n) if n == 0 then return traceback() end return f(n - 1) end while true do f(1000) end
=== traceback-long-names | instructions
local name = ("n"):rep(1e5) local f = assert(loadstring("local " .. name .. " function " .. name .. "(n) if n == 0 then error('x') end return 1 + " .. name .. "(n - 1) end return " .. name)) () while true do xpcall(f, traceback, 20) end
=== chunk-long-name | instructions
local name = ("n"):rep(9e5) while true do pcall(loadstring("error('x')", name)) end
=== error-huge | instructions
local s = ("x"):rep(9e5) while true do pcall(error, s) end
=== error-huge-told | refused | xxxx
error(("x"):rep(9e5))
=== error-many-lines | refused | line
error(("line\n"):rep(1e5))
=== error-tables | instructions
while true do pcall(error, {{}}) end
=== error-nil | refused | nil
error()
=== error-itself | refused | error object
error(error)
=== error-tostring-loops | refused | error object
error(setmetatable({}, {__tostring = function() while true do end end}))
=== error-tostring-raises | refused | error object
local t t = setmetatable({}, {__tostring = function() error(t) end}) error(t)
=== error-level-far | refused | x
error("x", 1e9)
=== error-level-minus | refused | x
error("x", -1e9)
=== error-level-nan | refused | level
error("x", 0/0)
=== error-control-characters | refused | [2J
error("\27[2J\0\r\n\8")
=== error-object-userdata | refused | error object
error(vec(1, 2, 3))
=== assert-huge | instructions
local s = ("x"):rep(9e5) while true do pcall(assert, false, s) end
=== assert-many | instructions
local t = {} for i = 1, 2000 do t[i] = i end while true do assert(unpack(t)) end
=== undefined-huge-name | instructions
local s = ("x"):rep(9e5) while true do pcall(function() return _G[s] end) end
=== index-nil-huge-key | instructions
local s = ("x"):rep(9e5) while true do pcall(function() local n return n[s] end) end
=== store-nil-huge-key | instructions
local s = ("x"):rep(9e5) while true do pcall(function() local n n[s] = 1 end) end
=== call-nil | refused | attempt to call
local n n()
=== huge-argument-told | instructions
local s = ("\0"):rep(9e5) while true do pcall(require, s) pcall(exec, s) pcall(new, s) pcall(import, s) pcall(loadMission, s) end
=== huge-argument-datablock | instructions
local s = ("\0"):rep(9e5) while true do pcall(datablock, s) pcall(class, s) pcall(tag, s) end
=== huge-argument-number | instructions
local s = ("\0"):rep(9e5) while true do pcall(string.rep, "x", s) pcall(schedule, s, print) end
=== huge-method-name | instructions
local o, s = new "ScriptObject" {}, ("x"):rep(9e5) while true do pcall(function() return o[s] end) end
=== huge-option-name | instructions
local t = {[("x"):rep(9e5)] = 1} while true do pcall(addCommand, t) pcall(new "ScriptObject", t) end
=== handler-fails-always | refused | again
error("again")
=== error-in-error | ends
local ok, e = pcall(function() local ok, e = pcall(error, "a") error(e .. "b") end) assert(e:find("ab"))
=== error-through-coroutine | refused | inside
coroutine.wrap(function() coroutine.wrap(function() error("inside") end)() end)()
=== carried-tracebacks | instructions
local function f(n) if n == 0 then error("x") end coroutine.wrap(f)(n - 1) end while true do pcall(f, 40) end
=== not-a-budget | ends
local ok, e = pcall(error, "the budget of 1 instructions is used up") assert(not ok)
