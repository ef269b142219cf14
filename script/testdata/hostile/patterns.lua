Patterns that hang or break matchers.
=== lazy-nested | instructions
("a"):rep(1e5):find((".-"):rep(4) .. "b")
=== lazy-three | instructions
("a"):rep(1e5):find(".-.-b")
=== lazy-short | instructions
("a"):rep(400):find(".-.-.-b")
=== optional | instructions
("a"):rep(30):match(("a?"):rep(30) .. ("a"):rep(30) .. "b")
=== greedy-nested | instructions
("a"):rep(2000):find(".*.*.*b")
=== plus-nested | instructions
("a"):rep(2000):match("^(a+)+b"); ("a"):rep(2000):match("a+a+a+a+b")
=== sets-nested | instructions
("a"):rep(2000):match("[^b]*[^b]*[^b]*b")
=== set-huge | instructions
("a"):rep(1e4):match("[" .. ("bc"):rep(2e4) .. "]")
=== set-huge-range | instructions
("a"):rep(1e4):find("[" .. ("b-c"):rep(2e4) .. "]*x")
=== balanced | instructions
("("):rep(1e5):gsub("%b()", "")
=== balanced-same | ends
("x"):rep(1000):gsub("%bxx", "")
=== frontier | ends
("a"):rep(2e3):gsub("%f[" .. ("%D"):rep(100) .. "b]x", "")
=== backreference | instructions
("a"):rep(5000):find("(a*)%1%1b")
=== backreference-long | instructions
("a"):rep(20000):find("(.*).*%1x")
=== captures-many | refused | captures
("a"):rep(100):match(("(a)"):rep(33))
=== captures-open | refused | 
("a"):match(("("):rep(100))
=== captures-closed | refused | 
("a"):match(")")
=== captures-empty | ends
("a"):match(("()"):rep(32))
=== deep | refused | complex
("a"):rep(1000):find(("(a"):rep(30) .. ("a?"):rep(1000))
=== deep-optional | refused | complex
("a"):rep(1e4):find(("a?"):rep(1e4))
=== unfinished-set | refused | ]
("a"):match("[a")
=== unfinished-escape | refused | %
("a"):match("%")
=== unfinished-balanced | refused | 
("a"):match("%b")
=== unfinished-frontier | refused | 
("a"):match("%fa")
=== unfinished-range | refused | 
("a"):match("[a-")
=== bad-backreference | refused | capture
("a"):match("%9")
=== zero-backreference | refused | capture
("a"):match("(a)%0")
=== self-backreference | refused | capture
("a"):match("(%1)")
=== replacement-backreference | refused | capture
("a"):gsub("a", "%9")
=== position-capture-backreference | ends
("aa"):match("()a%1")
=== empty-forever | ends
assert(("x"):rep(1000):gsub("", "") == ("x"):rep(1000))
=== anchor-everywhere | ends
("a"):rep(1000):gsub("^^^^", "x"); ("a"):gsub("$$$$", "x")
=== find-init-far | ends
("a"):find("a", 1e15); ("a"):find("a", -1e15) pcall(string.find, "a", "a", 0/0) pcall(string.find, "a", "a", math.huge)
=== plain-huge | instructions
local s = ("a"):rep(2e5) while true do s:find(("a"):rep(1000) .. "b", 1, true) end
=== gsub-limit | ends
("a"):gsub("a", "b", -1); ("a"):gsub("a", "b", 1e15) pcall(string.gsub, "a", "a", "b", 0/0)
=== nul-pattern | ends
("a\0b"):gsub("%z", ""); ("a\0b"):find("\0"); ("a\0b"):match("[\0-\1]")
=== bytes-pattern | ends
local s = "" for i = 0, 255 do s = s .. string.char(i) end for i = 0, 255 do pcall(string.find, s, "[" .. string.char(i) .. "-\255]") pcall(string.find, s, "%" .. string.char(i)) end
=== pattern-huge | instructions
local p = ("a"):rep(9e5) while true do ("a"):rep(9e5):find(p .. ".") end
=== gmatch-loop | instructions
for a in ("a"):rep(1e5):gmatch(".-.-b") do end
=== gmatch-empty | ends
local n = 0 for _ in ("x"):rep(500):gmatch("") do n = n + 1 end assert(n == 501)
=== set-huge-frontier | instructions
local s, p = ("x"):rep(1e6), "%f[" .. ("ab"):rep(4e5) .. "]" while true do s:match(p) end
=== set-huge-optional | instructions
local s, p = ("x"):rep(1e6), "[" .. ("ab"):rep(4e5) .. "]?y" while true do s:match(p) end
