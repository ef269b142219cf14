Loops of every form. `=== NAME | WHAT STOPS IT | a piece of what is said`; what follows is run as an event of the mod evil.
=== while-true | instructions
while true do end
=== while-empty-call | instructions
local function f() end while true do f() end
=== repeat-false | instructions
repeat until false
=== repeat-nil-local | instructions
repeat local x = nil until x
=== goto-back | instructions
::top:: goto top
=== goto-tangle | instructions
::a:: do goto c end ::b:: goto a ::c:: goto b
=== for-huge | instructions
for i = 1, 1e300 do end
=== for-inf | instructions
for i = 1, math.huge do end
=== for-minus-inf | instructions
for i = 0, -math.huge, -1 do end
=== for-tiny-step | instructions
for i = 0, 1, 1e-300 do end
=== for-step-absorbed | instructions
for i = 2^53, 2^53 + 2 do end
=== for-step-zero | ends
for i = 1, 2, 0 do end
=== for-step-zero-down | instructions
for i = 2, 1, 0 do end
=== for-nan-limit | ends
for i = 1, 0/0 do end
=== for-nan-step | ends
for i = 1, 2, 0/0 do end
=== for-nan-start | ends
for i = 0/0, 1 do end
=== for-inf-start | instructions
for i = -math.huge, 1 do end
=== for-string-limit | refused | must be a number
for i = 1, {} do end
=== tail-call | instructions
local function f() return f() end f()
=== tail-call-mutual | instructions
local f, g function f() return g() end function g() return f() end f()
=== tail-call-args | instructions
local function f(a, b, c) return f(c, a, b) end f(1, 2, 3)
=== recursion | depth | stack overflow
local function f() return 1 + f() end f()
=== recursion-mutual | depth | stack overflow
local f, g function f() return 1 + g() end function g() return 1 + f() end f()
=== recursion-exponential | instructions
local function f(n) if n == 0 then return 0 end return f(n - 1) + f(n - 1) end f(60)
=== ackermann | depth | stack overflow
local function a(m, n) if m == 0 then return n + 1 elseif n == 0 then return a(m - 1, 1) else return 1 + a(m - 1, a(m, n - 1)) end end a(4, 4)
=== y-combinator | depth | stack overflow
(function(f) return 1 + f(f) end)(function(f) return 1 + f(f) end)
=== iterator-endless | instructions
for x in function() return 1 end do end
=== iterator-not-callable | refused | attempt to call
for x in 1 do end
=== iterator-nil | refused | attempt to call
for x in nil do end
=== iterator-callable-table | instructions
for x in setmetatable({}, {__call = function() return 1 end}) do end
=== iterator-raises | refused | no more
for x in function() error("no more") end do end
=== iterator-recursive | depth | stack overflow
local function it() for x in it do return x end return 1 end for x in it do end
=== iterator-rebinds | instructions
local t = {1} for k in function(s, c) return (c or 0) + 1 end, t do t[k % 8 + 1] = k end
=== next-grows | instructions
local t = {a = 1} while true do for k in pairs(t) do t[k .. "x"] = nil t[k] = 1 end end
=== pairs-inserts | instructions
local t = {1} for k in pairs(t) do t[#t + 1] = k end while true do end
=== next-bad-key | ends
local t = {} for i = 1, 100 do pcall(next, t, i) pcall(next, t, {}) pcall(next, t, 0/0) end
=== next-restart | instructions
local t = {a = 1, b = 2} local k while true do k = next(t, k) end
=== ipairs-of-itself | instructions
local t = setmetatable({}, {__index = function(_, i) return i end}) for i, v in ipairs({1}) do end while t[1] do end
=== select-loop | instructions
while true do select("#", 1, 2, 3) end
=== vararg-grows | time
local function f(...) return f(1, ...) end f()
=== vararg-doubles | refused | values
local function twice(...) local t = {...} for i = 1, #t do t[#t + 1] = t[i] end return twice(unpack(t)) end twice(1, 2, 3, 4)
=== closure-loop | instructions
local f = function() end while true do local g = f f = function() return g end end
=== and-or-loop | instructions
while nil or false or not (nil and 1) do end
=== nested-loops | instructions
for a = 1, 1e9 do for b = 1, 1e9 do for c = 1, 1e9 do end end end
=== break-never | instructions
while true do repeat break until true end
=== sleep-by-counting | instructions
local t = now() while now() == t do end
=== wait-for-tick | instructions
local t = tick() repeat until tick() > t
=== string-iteration | instructions
while true do for c in ("abc"):gmatch(".") do end end
=== collatz-of-inf | instructions
local n = math.huge while n ~= 1 do n = n % 2 == 0 and n / 2 or 3 * n + 1 end
