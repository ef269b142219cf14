Sources that break compilers: deep, long, strange.
=== brackets | compile | deeper than 200
assert(loadstring("return " .. ("("):rep(300) .. "1" .. (")"):rep(300)))
=== tables | compile | deeper than 200
assert(loadstring("return " .. ("{"):rep(1e5) .. ("}"):rep(1e5)))
=== indices | compile | deeper than 200
assert(loadstring("return " .. ("t["):rep(300) .. "1" .. ("]"):rep(300)))
=== calls | compile | deeper than 200
assert(loadstring("return " .. ("f("):rep(300) .. (")"):rep(300)))
=== blocks | compile | deeper than 200
assert(loadstring(("do "):rep(300) .. ("end "):rep(300)))
=== functions | compile | deeper than 200
assert(loadstring(("return function() "):rep(300) .. ("end "):rep(300)))
=== whiles | compile | deeper than 200
assert(loadstring(("while x do "):rep(300) .. ("end "):rep(300)))
=== repeats | compile | deeper than 200
assert(loadstring(("repeat "):rep(300) .. ("until x "):rep(300)))
=== fors | compile | deeper than 200
assert(loadstring(("for i = 1, 2 do "):rep(300) .. ("end "):rep(300)))
=== ifs | compile | deeper than 200
assert(loadstring(("if x then "):rep(300) .. ("end "):rep(300)))
=== elses | compile | deeper than 200
assert(loadstring(("if x then else "):rep(300) .. ("end "):rep(300)))
=== elseifs | compile | more than 1000 parts
assert(loadstring("if x then " .. ("elseif x then "):rep(20000) .. "end"))
=== brackets-behind-string | compile | deeper than 200
assert(loadstring("return '\\\\', " .. ("("):rep(300)))
=== brackets-behind-comment | compile | deeper than 200
assert(loadstring("--[==[ ]] ]==] return " .. ("("):rep(300)))
=== brackets-behind-closers | compile | 
assert(loadstring((")"):rep(3e4) .. ("("):rep(3e4)))
=== brackets-behind-ends | compile | 
assert(loadstring(("end "):rep(2e4) .. ("do "):rep(2e4)))
=== brackets-behind-elseif | compile | 
assert(loadstring(("elseif "):rep(1e4) .. ("{"):rep(1e4)))
=== brackets-between-long-strings | compile | deeper than 200
assert(loadstring("return " .. ("{[[x]],"):rep(300)))
=== brackets-behind-bad-quote | compile | 
assert(loadstring("return '\n" .. ("("):rep(3e4)))
=== brackets-behind-carriage-return | compile | 
assert(loadstring("-- x\r" .. ("("):rep(3e4)))
=== unary-minus | compile | more than 1000 parts
assert(loadstring("return " .. ("- "):rep(1e4) .. "x"))
=== unary-not | compile | more than 1000 parts
assert(loadstring("return " .. ("not "):rep(1e4) .. "1"))
=== unary-len | compile | more than 1000 parts
assert(loadstring("return " .. ("#"):rep(1e4) .. "x"))
=== sum | compile | more than 1000 parts
assert(loadstring("return x" .. ("+x"):rep(1e4)))
=== powers | compile | more than 1000 parts
assert(loadstring("return x" .. ("^x"):rep(1e4)))
=== comparisons | compile | more than 1000 parts
assert(loadstring("return 1" .. ("<1"):rep(1e4)))
=== ands | compile | more than 1000 parts
assert(loadstring("return 1" .. (" and 1"):rep(2e4)))
=== concats | compile | more than 150 '..'
assert(loadstring("return x" .. ("..x"):rep(1e4)))
=== concats-nested | compile | more than
assert(loadstring("return " .. ("-x.."):rep(3e4) .. "x"))
=== members | compile | more than 1000 parts
assert(loadstring("return x" .. (".x"):rep(1e4)))
=== call-chain | compile | more than 1000 parts
assert(loadstring("return f" .. ("()"):rep(1e4)))
=== method-chain | compile | more than 1000 parts
assert(loadstring("return f" .. (":f()"):rep(2e4)))
=== string-call-chain | compile | more than 1000 parts
assert(loadstring("return f" .. ("''"):rep(1e4)))
=== function-name-chain | compile | more than 1000 parts
assert(loadstring("function f" .. (".f"):rep(1e4) .. "() end"))
=== locals | compile | local variables
assert(loadstring(("local x "):rep(2e4)))
=== locals-in-one | compile | 
local n = {} for i = 1, 5000 do n[i] = "x" .. i end assert(loadstring("local " .. table.concat(n, ",")))
=== parameters | compile | 
local n = {} for i = 1, 5000 do n[i] = "x" .. i end assert(loadstring("return function(" .. table.concat(n, ",") .. ") end"))
=== upvalues | compile | upvalues
local s = {} for f = 1, 3 do s[#s + 1] = "local function f" .. f .. "() " for i = 1, 150 do s[#s + 1] = "local a" .. f .. "_" .. i .. " = 1 " end end
s[#s + 1] = "return function() local x " for f = 1, 3 do for i = 1, 150 do s[#s + 1] = "x = a" .. f .. "_" .. i .. " " end end
assert(loadstring(table.concat(s) .. "end " .. ("end "):rep(3)))
=== registers | compile | 
assert(loadstring("return f(" .. ("1,"):rep(5000) .. "1)"))
=== assignments | compile | 
assert(loadstring(("x,"):rep(5000) .. "x = 1"))
=== assignments-indexed | compile | 
assert(loadstring("local i, t = 1, {} " .. ("t[i],"):rep(5000) .. "t[i] = 1"))
=== values-of-assignment | compile | 
assert(loadstring("local x = " .. ("1,"):rep(5000) .. "1"))
=== labels | compile | 
local s = {} for i = 1, 3000 do s[i] = "::l" .. i .. ":: goto l" .. i end assert(loadstring(table.concat(s, " ") .. " x = = 1"))
=== label-twice | compile | label
assert(loadstring("::a:: ::a::"))
=== goto-into-block | compile | label
assert(loadstring("goto a do ::a:: end"))
=== goto-nowhere | compile | label
assert(loadstring("goto " .. ("a"):rep(1e5)))
=== goto-across-function | compile | label
assert(loadstring("::a:: local f = function() goto a end"))
=== goto-over-local | compile | 
assert(loadstring("goto a local x = 1 ::a:: print(x) x = = 1"))
=== break-outside | compile | break
assert(loadstring("break"))
=== break-in-function | compile | break
assert(loadstring("while true do local f = function() break end end"))
=== long-function | compile
assert(loadstring("while x do " .. ("x=1 "):rep(7e4) .. "end"))
=== long-source | compile | exceed the limit
local s = (" "):rep(1048577) assert(loadstring(s))
=== long-pieces | refused | longer than
assert(load(function() return ("x=1 "):rep(2e5) end))
=== endless-pieces | instructions
load(function() return " " end)
=== pieces-raise | refused | no piece
assert(load(function() error("no piece", 0) end))
=== pieces-strange | refused | must return a string
assert(load(function() return {} end))
=== pieces-nothing | ends
assert(load(function() end)) assert(load(function() return "" end))
=== pieces-many | refused | longer than
load(function() return ("-"):rep(100) end)
=== load-loop | instructions
while true do loadstring("return 1") end
=== load-big-loop | instructions
local s = ("x = 1 "):rep(5000) while true do loadstring(s) end
=== load-errors-loop | instructions
while true do loadstring(("x"):rep(1000) .. "=") end
=== load-recursion | depth | overflow
local s s = "local s = ... return 1 + loadstring(s)(s)" loadstring(s)(s)
=== eval-recursion | depth | overflow
function again() return 1 + eval "again()" end again()
=== eval-loop | instructions
while true do eval "1 + 1" end
=== long-line | ends
assert(loadstring("x = 1 -- " .. ("x"):rep(2e5)))
=== long-name | ends
assert(loadstring("local " .. ("x"):rep(2e5) .. " = 1"))
=== long-string | ends
assert(#loadstring("return '" .. ("x"):rep(2e5) .. "'")() == 2e5)
=== long-bracket-level | ends
assert(loadstring("return [" .. ("="):rep(1e4) .. "[x]" .. ("="):rep(1e4) .. "]"))
=== many-brackets-unfinished | compile | 
assert(loadstring(("[="):rep(3e4)))
=== many-comments-unfinished | compile | comment
assert(loadstring(("--[==[ "):rep(2e4)))
=== string-unfinished | compile | unterminated
assert(loadstring("return '" .. ("x"):rep(1e5)))
=== string-newline | compile | unterminated
assert(loadstring("return 'x\ny'"))
=== escape-unfinished | compile | 
assert(loadstring("return '\\"))
=== escape-huge | ends
assert(loadstring("return '\\999'"))
=== escapes-many | ends
assert(loadstring("return '" .. ("\\255\\0"):rep(2e4) .. "'"))
=== number-huge | ends
assert(loadstring("return " .. ("9"):rep(1e5)))
=== number-exponent | ends
assert(loadstring("return 1e" .. ("9"):rep(1000)))
=== number-malformed | compile | 
assert(loadstring("return 1e+ + 0x + 1..2"))
=== number-hex-huge | ends
assert(loadstring("return 0x" .. ("f"):rep(1000)))
=== number-dots | compile | 
assert(loadstring("return 1.2.3.4"))
=== number-letters | compile | 
assert(loadstring("return 1x"))
=== number-underscore | compile | 
assert(loadstring("return 1_000"))
=== number-octal | ends
assert(loadstring("return 010, 08, 0000")() == 10)
=== nul | compile | 
assert(loadstring("x = 1 \0 y = 2"))
=== nul-in-string | ends
assert(loadstring("return 'a\0b'")() == "a\0b")
=== bytes | compile | 
local s = "" for i = 128, 255 do s = s .. string.char(i) end assert(loadstring(s))
=== unicode-name | compile | 
assert(loadstring("local ünïcödé = 1"))
=== unicode-space | compile | 
assert(loadstring("x\194\160= 1"))
=== byte-order-mark | ends
local f = loadstring("\239\187\191x = 1") if f then f() end
=== overlong-utf8 | compile | 
assert(loadstring("\192\175 = 1"))
=== bidi | ends
assert(loadstring("x = 1 -- \226\128\174 end"))
=== carriage-returns | ends
assert(loadstring(("x = 1\r"):rep(1000) .. "y = 1\n\r z = 2"))
=== escape-bytes-told | compile | 
assert(loadstring("\27[2J = 1"))
=== bytecode | compile | 
assert(loadstring("\27Lua\81\0\1\4\4\4\8\0\7\0\0\0=stdin\0"))
=== bytecode-go | compile | 
assert(loadstring("\27Lua\82\0\1\4\8\4\8\0"))
=== shebang | ends
assert(loadstring("#!/usr/bin/lua\nx = 1"))
=== shebang-only | ends
assert(loadstring("#")) loadstring("##")
=== semicolons | ends
assert(loadstring((";"):rep(1e5)))
=== empty-statements | ends
assert(loadstring(("do end "):rep(2e4)))
=== keyword-names | compile | 
assert(loadstring("local end = 1"))
=== colons | compile | 
assert(loadstring((":"):rep(1e5)))
=== ambiguous-call | ends
loadstring("f\n(g)\n(h)")
=== varargs-outside | compile | 
assert(loadstring("return function() return ... end"))
=== constants | ends
local s = {} for i = 1, 2000 do s[i] = i + 0.5 end assert(#loadstring("return {" .. table.concat(s, ",") .. "}")() == 2000)
=== constants-keyed | ends
local s = {} for i = 1, 3000 do s[i] = "[" .. i .. "] = " .. i end assert(#loadstring("return {" .. table.concat(s, ",") .. "}")() == 3000)
=== fields-deep-values | ends
local s = {} for i = 1, 3000 do s[i] = "k" .. i .. " = {1, 2}" end assert(loadstring("return {" .. table.concat(s, ",") .. "}")().k7[2] == 2)
=== constants-again | instructions
local s = {} for i = 1, 200 do s[i] = i + 0.5 end s = "return {" .. table.concat(s, ",") .. "}" while true do loadstring(s) end
