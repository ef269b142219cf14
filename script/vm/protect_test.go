package vm

import "testing"

func TestProtectedCalls(t *testing.T) {
	newRig(t).rows([]row{
		{`return pcall(function(a, b) return b, a end, 1, 2)`, "true 2 1"},
		{`return pcall(error, "x", 0)`, "false x"},
		{`return pcall(error)`, "false nil"},
		{`local t = {} local ok, e = pcall(error, t) return ok, e == t`, "false true"},
		{`return pcall(function() error("x") end)`, "false mods/x/init.lua:1: x"},
		{"local function f()\n error('x', 2)\nend\nreturn pcall(function()\n  f()\nend)", "false mods/x/init.lua:5: x"},
		{`return pcall(nil)`, "false attempt to call a nil value"},
		{`return pcall(setmetatable({}, {__call = function(self, x) return x end}), 7)`, "true 7"},
		{`return pcall()`, "error: pcall: argument 1 (fn) is missing"},
		{`return xpcall(function() return 1, 2 end, error)`, "true 1 2"},
		{`return xpcall(function(x) error(x, 0) end, function(e) return "<" .. e .. ">" end, "boom")`, "false <boom>"},
		{`return select("#", xpcall(error, function() return 1, 2 end)), select("#", xpcall(error, function() end))`, "2 2"},
		{`return xpcall(error, function() error("again", 0) end)`, "false error in the error handler: again"},
		{"local ok, t = xpcall(function()\n  error('x')\nend, traceback) return t:match('%[Go%] in error\\n\\t(.-) in')", "mods/x/init.lua:2"},
		{`return (traceback("hello"):match("^hello\nstack traceback:\n\t"))`, "hello\nstack traceback:\n\t"},
		{`return assert(1, 2)`, "1 2"},
		{`return pcall(assert, nil, "why")`, "false why"},
		{`assert(false)`, "error: mods/x/init.lua:1: assertion failed!"},
	})
}

// TestVariablesSurviveErrors checks that after a caught error live frames keep their variables,
// and closures that escaped keep theirs.
func TestVariablesSurviveErrors(t *testing.T) {
	clobber := ` local function clobber(a,b,c,d,e,f,g,h) local x,y,z = a,b,c return x end clobber("A","B","C","D","E","F","G","H") `
	newRig(t).rows([]row{
		{`local x = 1 local function inc() x = x + 1 end pcall(error) inc() return x`, "2"},
		{`local x = 1 local function inc() x = x + 1 end xpcall(error, function() end) inc() return x`, "2"},
		{`local saved pcall(function() local v, w = 42, "w" saved = function() return v, w end error("x") end)` + clobber + `return saved()`, "42 w"},
		{`local saved xpcall(function() local v, w = 42, "w" saved = function() return v, w end error("x") end, function() end)` + clobber + `return saved()`, "42 w"},
		{`local saved local co = coroutine.create(function() local v = 42 saved = function() return v end error("x") end)
		  coroutine.resume(co)` + clobber + `return saved()`, "42"},
		{`local n = 0 local function inc() n = n + 1 end
		  for i = 1, 10 do pcall(function() local k = i inc() pcall(error) inc() error(k) end) inc() end return n`, "30"},
		{`local fs = {} for i = 1, 3 do pcall(function() local k = i fs[i] = function() k = k + 1 return k end error("x") end) end
		  return fs[1](), fs[1](), fs[2](), fs[3]()`, "2 3 3 4"},
	})
}

func TestCoroutines(t *testing.T) {
	newRig(t).rows([]row{
		{`local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) return b * 2 end)
		  local _, x = coroutine.resume(co, 1) local _, y = coroutine.resume(co, 10) return x, y, coroutine.status(co)`, "2 20 dead"},
		{`return select("#", coroutine.resume(coroutine.create(function() end)))`, "1"},
		{`local f = coroutine.wrap(function(...) for i = 1, select("#", ...) do coroutine.yield((select(i, ...))) end end)
		  return f("a", "b"), f(), f()`, "a b"},
		{`local s = 0 for x in coroutine.wrap(function() for i = 1, 4 do coroutine.yield(i) end end) do s = s + x end return s`, "10"},
		{`return coroutine.running()`, "nil"},
		{`local co co = coroutine.create(function() return coroutine.running() == co, coroutine.status(co), pcall(function() return coroutine.running() == co end) end)
		  return select(2, coroutine.resume(co))`, "true running true true"},
		{`local outer outer = coroutine.create(function() local inner = coroutine.create(function() return coroutine.status(outer) end)
		  return select(2, coroutine.resume(inner)) end) return select(2, coroutine.resume(outer))`, "normal"},
		{`local co co = coroutine.create(function() return coroutine.resume(co) end) return coroutine.resume(co)`, "true false cannot resume a coroutine that is running"},
		{`local co = coroutine.create(function() end) coroutine.resume(co) return coroutine.resume(co)`, "false cannot resume a dead coroutine"},
		{`return coroutine.resume(coroutine.create(function() error("x") end))`, "false mods/x/init.lua:1: x"},
		{`return (pcall(coroutine.wrap(function() error({}) end)))`, "false"},
		{`coroutine.wrap(function() local t = nil; t.x = 1 end)()`, "error: mods/x/init.lua:1: attempt to index"},
		{`return coroutine.wrap(function() return coroutine.yield(1) end)()`, "1"},
		{`return coroutine.resume(coroutine.create(math.floor), 1.5)`, "true 1"},
		{`return coroutine.wrap(function() return pcall(pcall, error, "x") end)()`, "true false x"},
		{`coroutine.resume(1)`, "error: coroutine.resume: argument 1 (co) must be a coroutine, not a number"},
	})
}

// TestCallDepth checks that calls can nest 1,000 deep. One more is an error with its place,
// wherever it is caught.
func TestCallDepth(t *testing.T) {
	newRig(t).rows([]row{
		{`local function f(n) return n == 0 and 0 or 1 + f(n - 1) end return f(900)`, "900"},
		{`local function f() return 1 + f() end return f()`, "error: mods/x/init.lua:1: stack overflow"},
		{`local function f() return 1 + f() end return pcall(f)`, "false mods/x/init.lua:1: stack overflow"},
		{`local function f() return 1 + f() end return coroutine.resume(coroutine.create(f))`, "false mods/x/init.lua:1: stack overflow"},
		{`local function f() return 1 + f() end return pcall(coroutine.wrap(f))`, "false mods/x/init.lua:1: stack overflow"},
		{`local function f() table.sort({ 2, 1 }, f) return true end return pcall(f)`, "false mods/x/init.lua:1: stack overflow"},
		{`local function f(a) return (a:gsub(".", f)) end return pcall(f, "ab")`, "false mods/x/init.lua:1: stack overflow"},
		{`local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return pcall(function() return t.a end)`, "false mods/x/init.lua:1: stack overflow"},
		{`local n = 0 local function f() n = n + 1 return 1 + f() end pcall(f) local a = n n = 0 pcall(f) return a == n, n`, "true 999"},
		{`local x = 0 local function f() x = x + 1 return 1 + f() end pcall(f) local g = function() return x end x = 5 return g()`, "5"},
	})
}
