package vm

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// hostile are scripts that kill or freeze a process with plain gopher-lua. Each ends within a
// callback's budget, by an error with the reason or by itself, in little time and memory. The next
// entry works.
var hostile = []struct{ name, source, want string }{
	{"while-true", `while true do end`, "budget of 1000000 instructions"},
	{"while-true-pcall", `while true do pcall(function() while true do end end) end`, "budget of"},
	{"while-true-xpcall", `while true do xpcall(function() while true do end end, function() while true do end end) end`, "budget of"},
	{"string.rep-1e12", `local s=("x"):rep(1e12)`, "string.rep: 1000000000000 times 1 bytes"},
	{"string.rep-double", `local s="x" while true do s=s:rep(2) end`, "exceed the limit of 1048576"},
	{"concat-double", `local s="x" while true do s=s..s end`, "a string of 2097152 bytes is longer than 1048576"},
	{"concat-loop", `local s="" while true do s=s.."xxxxxxxxxxxxxxxx" end`, "budget of"},
	{"recursion", `local function f() return 1+f() end f()`, "stack overflow"},
	{"recursion-pcall", `local function f() local a, b = pcall(f) return a, b end return f()`, ""},
	{"recursion-co", `local function f() coroutine.wrap(f)() end f()`, "nest deeper than 100"},
	{"co-cross", `local c1,c2; c1=coroutine.create(function() return coroutine.resume(c2) end)
		c2=coroutine.create(function() return "inner",coroutine.resume(c1) end) return coroutine.resume(c1)`, ""},
	{"tailcall", `local function f() return f() end f()`, "budget of"},
	{"huge-table", `local t={} for i=1,1e9 do t[i]=i end`, "budget of"},
	{"huge-table-hash", `local t={} for i=1,1e9 do t["k"..i]={} end`, "budget of"},
	{"huge-index", `local t={} t[67108863]=1 t[67108864]=1 return #t`, ""},
	{"co-abuse", `local t={} while true do local c=coroutine.create(function() coroutine.yield() end) coroutine.resume(c) t[#t+1]=c end`, "1000 unfinished coroutines"},
	{"co-loop", `local c=coroutine.wrap(function() while true do end end) c()`, "budget of"},
	{"co-loop-pcall", `while true do coroutine.resume(coroutine.create(function() while true do end end)) end`, "budget of"},
	{"upval", `local saved; local x=1 local function inc() x=x+1 end; local function body() local v=42; local w="w"; saved=function() return v,w end; error("x") end
		pcall(body); inc(); local function clobber(a,b,c,d,e,f,g,h) local x,y,z=a,b,c; return x end
		clobber("A","B","C","D","E","F","G","H") local v, w = saved() assert(v == 42 and w == "w" and x == 2)`, ""},
	{"pcall-yield", `local co=coroutine.create(function() local ok, e = pcall(function() return coroutine.yield(1) end) assert(not ok) return "end" end)
		local ok, v = coroutine.resume(co) assert(v == "end")`, ""},

	{"pattern-nested", `("a"):rep(100000):find((".-"):rep(4).."b")`, "budget of"},
	{"pattern-lazy", `("a"):rep(100000):find(".-.-b")`, "budget of"},
	{"pattern-optional", `("a"):rep(30):match(("a?"):rep(30)..("a"):rep(30).."b")`, "budget of"},
	{"pattern-balanced", `("("):rep(100000):gsub("%b()", "")`, "budget of"},
	{"pattern-deep", `("a"):rep(1000):find(("(a"):rep(30)..("a?"):rep(1000))`, "too complex"},
	{"gsub-bomb", `local s = ("x"):rep(1e6) s:gsub("x", ("y"):rep(1000))`, "longer than 1048576"},
	{"gsub-callback", `("x"):rep(1e6):gsub("x", function() while true do end end)`, "budget of"},
	{"format-bomb", `local s = ("x"):rep(1e6) return ("%s%s"):format(s, s)`, "longer than 1048576 bytes"},
	{"concat-bomb", `local s = ("x"):rep(1e6) local t = {} for i = 1, 20 do t[i] = s end table.concat(t)`, "more than 1048576 bytes"},
	{"insert-far", `table.insert({}, 5e7, 1)`, "position 50000000 is outside 1…1"},
	{"insert-front", `local t = {} for i = 1, 1e9 do table.insert(t, 1, i) end`, "budget of"},
	{"unpack", `return unpack({}, 1, 1e8)`, "100000000 values exceed the limit of 16000"},
	{"byte", `return ("x"):rep(1e6):byte(1, -1)`, "1000000 values exceed the limit of 16000"},
	{"sort-liar", `local t = {} for i = 1, 1e5 do t[i] = i end table.sort(t, function() return true end)`, "invalid order function"},
	{"sort-shrinking", `local t = {} for i = 1, 100 do t[i] = i end table.sort(t, function(a, b) for i = 1, 100 do t[i] = nil end return a < b end)`, ""},
	{"metamethod-recursion", `local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x`, "stack overflow"},
	{"tostring-recursion", `local t = setmetatable({}, {__tostring = function(t) return tostring(t) end}) return tostring(t)`, "stack overflow"},
	{"handler-fails", `return xpcall(error, function() error("again") end)`, ""},
	{"error-in-error", `local t = setmetatable({}, {__tostring = function() error("x") end}) error(t)`, "error object is a table value"},
	{"load-huge", `return assert(loadstring(("x=1 "):rep(200000)))`, "budget of"},
	{"yield-in-metamethod", `local t = setmetatable({}, {__add = function() coroutine.yield(1) end})
		local co = coroutine.create(function() return t + 1 end) return assert(coroutine.resume(co))`, "yield cannot cross a"},
	{"yield-in-iterator", `local co = coroutine.create(function() for x in function() return coroutine.yield(1) end do end end) return assert(coroutine.resume(co))`, "yield cannot cross a"},
	{"yield-in-sort", `local co = coroutine.create(function() table.sort({2,1}, coroutine.yield) end) return assert(coroutine.resume(co))`, "yield cannot cross a"},
	{"yield-in-gsub", `local co = coroutine.create(function() return ("x"):gsub("x", function() return coroutine.yield(1) end) end) return assert(coroutine.resume(co))`, "yield cannot cross a"},
	{"yield-outside", `coroutine.yield(1)`, "no coroutine to suspend here"},
	{"go-panic", `crash()`, "crash: internal error: a bug"},
	{"go-panic-upvalues", `local x = 1 local f; pcall(function() local y = 5; f = function() y = y + 1 return y end; crash() end)
		local function clobber(a,b,c,d,e) return a end clobber("A","B","C","D","E") assert(f() == 6)`, ""},
	{"overflow-upvalues", `local f; local function deep(n) local y = n; if n == 50 then f = function() return y end end; return 1 + deep(n+1) end
		pcall(deep, 1) local function clobber(a,b,c,d,e) return a end clobber("A","B","C","D","E") assert(f() == 50)`, ""},
	{"no-way-out", `for _, name in ipairs{"dofile", "loadfile", "newproxy", "module", "channel"} do assert(not rawget(_G, name), name) end
		local function names(t) local list = {} for k in pairs(t) do list[#list + 1] = k end table.sort(list) return table.concat(list, " ") end
		assert(names(os) == "clock date difftime getenv time" and names(io) == "stderr stdout write" and names(debug) == "getinfo getmetatable traceback" and debug.getmetatable(_G) == false)
		assert(names(package) == "config cpath loaded path preload seeall" and os.getenv("HOME") == nil and not pcall(string.dump, print))
		assert(not pcall(setfenv, 0, {}) and not pcall(setfenv, print, {}) and not pcall(setfenv, math.floor, {}) and getfenv(print) == _G)
		assert(not pcall(package.seeall, _G) and not pcall(require, "lfs") and not pcall(require, "../x") and not pcall(require, "/etc/passwd"))`, ""},
	{"string-metatable", `assert(getmetatable("") == false) return setmetatable("", {})`, "must be a table, not a string"},
	{"number-metatable", `return setmetatable(1, {})`, "must be a table, not a number"},
	{"globals-metatable", `return setmetatable(_G, {})`, "the metatable is protected"},
	{"bytecode", `return assert(loadstring("\27Lua\81\0\1\4\4\4\8\0"))`, "mods/x (string):1: "},
}

func TestHostileScriptsEndInsideTheirBudget(t *testing.T) {
	for _, c := range testenv.Every(2, hostile) {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, func(c *Config) { c.Clock = nil })
			r.Install(bridge)
			m := r.NewMod("x", nil)
			fn, err := m.Compile("mods/x/init.lua", c.source, false)
			require.NoError(t, err)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err = r.Enter(m, fn)
			runtime.ReadMemStats(&after)
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
				require.False(t, strings.Contains(err.Error(), "nil pointer"))
			}
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30))
			require.Zero(t, r.Depth())
			require.Zero(t, r.guards)
			require.Equal(t, "2", r.runIn(m, "return 1 + 1"))
			t.Logf("%d MB allocated", (after.TotalAlloc-before.TotalAlloc)>>20)
		})
	}
}
