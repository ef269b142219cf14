package vm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

func TestNumbers(t *testing.T) {
	newRig(t).rows([]row{
		{`return "010" + 1, "0x10" - 1, " 2 " * "3", 7 / "2", "-7" % 4, 2 ^ "0.5" == math.sqrt(2), -"1e1", pcall(function() return "1_000" + 1 end)`, `11 15 6 3.5 1 true -10 false mods/x/init.lua:1: attempt to perform arithmetic on a string value`},
		{`return "7" % -4, "-7" % -4, "8" % 4, 7 % "-4", "7" % "4"`, "-1 -3 0 -1 3"},
		{`local v = setmetatable({}, {__mul = function(a, b) return type(a) .. type(b) end}) return "2" * v, v * "2"`, "stringtable tablestring"},
		{`return tonumber("1e3"), tonumber(" 12 "), tonumber("0x1F"), tonumber("-0x10"), tonumber(".5"), tonumber("5."), tonumber("010")`, "1000 12 31 -16 0.5 5 10"},
		{`return tonumber(""), tonumber("x"), tonumber("1x"), tonumber("inf"), tonumber("nan"), tonumber("1_000"), tonumber("0x"), tonumber("--1"), tonumber({})`,
			"nil nil nil nil nil nil nil nil nil"},
		{`return tonumber("ff", 16), tonumber("zz", 36), tonumber("101", 2), tonumber("9", 8), tonumber("-ff", 16)`, "255 1295 5 nil -255"},
		{`return tonumber("1", 99)`, "error: tonumber: argument 2 (base) must be 2…36, not 99"},
		{`return 010, 1e3, 0x10, 007.5`, "10 1000 16 7.5"},
		{`return tostring(1e15), tostring(2^53), tostring(0.1), tostring(1/3), tostring(-0.5), tostring(1e100)`, "1000000000000000 9.007199254741e+15 0.1 0.33333333333333 -0.5 1e+100"},
		{`return tostring(1/0), tostring(-1/0), tostring(0/0), math.huge`, "inf -inf nan inf"},
		{`return "10" + 5, math.floor(2.7), math.max(1, 3, 2), math.fmod(7, 3)`, "15 2 3 1"},
		{`return math.random(5, 4)`, "error: math.random: the range 5 to 4 is empty"},
		{`return math.random(0)`, "error: math.random: the range 1 to 0 is empty"},
		{`for i = 1, 1000 do local r = math.random(3) assert(r >= 1 and r <= 3 and r == math.floor(r)) local f = math.random() assert(f >= 0 and f < 1) end`, ""},
		{`math.randomseed(7) local a = {math.random(100), math.random(100)} math.randomseed(7) return a[1] == math.random(100), a[2] == math.random(100)`, "true true"},
	})
}

func TestRandomNumbersComeFromSeedAndName(t *testing.T) {
	draw := func(seed uint64, name string) string {
		r := newRig(t, func(c *Config) { c.Seed = seed })
		return r.runIn(r.NewMod(name, nil), `return math.random(1e9), math.random(1e9)`)
	}
	assert.Equal(t, draw(1, "a"), draw(1, "a"))
	assert.NotEqual(t, draw(1, "a"), draw(2, "a"))
	assert.NotEqual(t, draw(1, "a"), draw(1, "b"))
}

func TestTables(t *testing.T) {
	newRig(t).rows([]row{
		{`local t = {1, 2} table.insert(t, 3) table.insert(t, 1, 0) return table.concat(t, ",")`, "0,1,2,3"},
		{`local t = {1, 2, 3} return table.remove(t), table.remove(t, 1), #t, t[1]`, "3 1 1 2"},
		{`return select("#", table.remove({})), select("#", table.remove({1, 2}, 5)), select("#", table.remove({1, 2}, 3)), table.remove({nil, 2, nil, 4}, 4)`, "0 0 0 4"},
		{`local k, none = 2, function() end local t, u, v = {10, 20, [k] = 5, [k - 1] = 6}, {7, [k - 2] = 5, [k - 2] = 6}, {[k - 1] = 5, none()} return t[1], t[2], u[0], v[1]`, "10 20 6 5"},
		{`table.insert({}, 1, 2, 3)`, "error: table.insert: 4 arguments, it takes a list, a position and a value"},
		{`return table.insert({}, 0, 1)`, "error: table.insert: position 0 is outside 1…1"},
		{`return table.insert({})`, "error: table.insert: argument 2 (position) is missing"},
		{`return table.concat({"a", 1, "b"}, "-"), table.concat({}, "x"), table.concat({"a", "b", "c"}, "", 2), table.concat({"a", "b", "c"}, "", 2, 2)`, "a-1-b  bc b"},
		{`return table.concat({"a", {}})`, "error: table.concat: value 2 of the list is a table, not a string or number"},
		{`return table.concat({"a"}, "", 1, 3)`, "error: table.concat: value 2 of the list is nil, not a string or number"},
		{`local k, f = "x", function(...) return ... end local t, u, v = {f(1, 2), [k] = 3}, {[k] = 3, f(1, 2)}, {f(1, 2), f(1, 2), [k] = 3, x = 4} return #t, #u, #v`, "1 2 2"},
		{`local t = {3, 1, 2} table.sort(t) return table.concat(t)`, "123"},
		{`local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) return table.concat(t)`, "321"},
		{`table.sort({1, "x"})`, "error: attempt to compare"},
		{`return unpack({1, 2, 3}, 2)`, "2 3"},
		{`return unpack({[-1] = "y", [0] = "z", "a"}, -1, 1)`, "y z a"},
		{`return table.concat({[0] = "z", "a"}, "-", 0, 1), unpack({[2^20] = "far"}, 2^20, 2^20)`, "z-a far"},
		{`return select("#", unpack({}, 1, 3))`, "3"},
		{`return table.maxn({1, 2, nil, 4}), table.getn({1, 2})`, "4 2"},
		{`local t, n = {1, 2, 3, a = 4, b = 5, [2.5] = 6}, 0 for k in pairs(t) do n = n + 1 t[k] = nil end return n, next(t)`, "6 nil"},
		{`local t, s = {1, 2, 3, a = 4, b = 5}, 0 for k, v in pairs(t) do s = s + v table.remove(t) end return s`, "12"},
		{`local t, s = {1, 2, a = 4, b = 5}, 0 table.foreach(t, function(k, v) s = s + v t[1] = nil t[2] = nil t[k] = nil end) return s, next(t)`, "10 nil"},
		{`local q = {} for i = 1, 1000 do q[#q + 1] = i end for i = 1, 1000 do table.remove(q) end return #q`, "0"},
	})
}

// TestAssignments checks assignments to locals that gopher-lua compiles wrongly, and the order of
// evaluation in the C implementation.
func TestAssignments(t *testing.T) {
	newRig(t).rows([]row{
		{`local a, b = 1, 2 a, b = b, a return a, b`, "2 1"},
		{`local a, b, c = 1, 2, 3 a, b, c = c, a, b return a, b, c`, "3 1 2"},
		{`local a, b = 1, 2 a, b = b + 1, a + 1 return a, b`, "3 2"},
		{`local a, b = {x = 1}, {x = 2} a, b = b.x, a.x return a, b`, "2 1"},
		{`local a, b = 1, 2 local function get() return a, b end a, b = b, a return get()`, "2 1"},
		{`local a, b a, b = (function() return 1, 2 end)() return a, b`, "1 2"},
		{`local a, b, c = 1, 2, 3 a, b, c = 4 return a, b, c`, "4 nil nil"},
		{`local a, n = 1, 0 local function count() n = n + 1 return n end a = 2, count(), count() return a, n`, "2 2"},
		{`local a = {} local was = a a, a.x = {}, 3 return a.x, was.x`, "nil 3"},
		{`local i, t = 1, {} i, t[i], t[i + 1] = 2, "one", "two" return i, t[1], t[2]`, "2 one two"},
		{`local t = {} t.x, t.y, t.x = 1, 2, 3 return t.x, t.y`, "1 2"},
		{`x, y = 1, 2 x, y = y, x return x, y`, "2 1"},
		{`local a, b = 1, {} a = b.x and b.x.y return a`, "nil"},
		{`local a, b = 1, 2 a = not b and a return a`, "false"},
		{`local a, b = 1 a = (type(b) == "string" and b) or (b and 2) return a`, "nil"},
		{`local function f(p) local a, b = 1, 2 p = p .. "x" return p, a, b end return f("p")`, "px 1 2"},
		{`local function f(p) local a, b = 1, 2 p = (tostring(p)) return p, a, b end return f(3)`, "3 1 2"},
		{`local function f(...) local a, b = 1, 2 a = (...) return a, b, select("#", ...) end return f(3, 4)`, "3 2 2"},
		{`local function f(p) local a, b = 1, 2 p = {[p] = b} return p[3], a, b end return f(3)`, "2 1 2"},
		{`local a, t = 1, {} t.x = a and t.x t.y = not a and t return t.x, t.y`, "nil false"},
	})
}

// TestLinesOfSplitExpressions checks that split expressions keep their line numbers.
func TestLinesOfSplitExpressions(t *testing.T) {
	newRig(t).rows([]row{
		{"\nlocal t, k, y = nil, 1\nt[k], y = 1, 2", "error: mods/x/init.lua:3: attempt to index local 't' (a nil value)"},
		{"\nlocal t, y = nil\nt.x, y = 1, 2", "error: mods/x/init.lua:3: attempt to index local 't' (a nil value)"},
		{"\nlocal y, t = 1\ny, t.a.x = 1, 2", "error: mods/x/init.lua:3: attempt to index local 't' (a nil value)"},
		{"\nlocal t, k\nt[k] = 1", "error: mods/x/init.lua:3: attempt to index local 't' (a nil value)"},
		{"\nlocal t = {}\nfor k in next, t.x.y do end", "error: mods/x/init.lua:3: attempt to index field 'x' (a nil value)"},
		{"\nlocal a\na = 1 ..\n\nnil", "error: mods/x/init.lua:3: attempt to concatenate a nil value"},
	})
}

func TestIteration(t *testing.T) {
	newRig(t).rows([]row{
		{`local sum = 0 for k, v in next, {4, 5} do sum = sum + k * v end return sum`, "14"},
		{`local function get() return {4}, nil end local n = 0 for k in next, get() do n = n + k end return n`, "1"},
		{`local function get() return next, {4} end local n = 0 for k in (get()), {5, 6} do n = n + k end return n`, "3"},
		{`local function get() return nil end local n = 0 for k, v in next, {4}, get() do n = n + v end return n`, "4"},
		{`local f = function(...) return nil, select("#", ...) end local g = {} for x in f do end return pcall(function() for x in function(s, k) assert(s == nil and k == nil) end do end end)`, "true"},
		{`local t = setmetatable({}, {__call = function(self, s, k) k = (k or 0) + 1 return k < 4 and k or nil end}) local n = 0 for k in t do n = n + k end return n`, "6"},
		{`local function get() return function(s, k) assert(s == nil and k == nil) end, 5, 6 end for x in (get()) do end`, ""},
		{`local function three(...) local n = 0 for k, v in ... do n = n + v end return n end return three(ipairs{1, 2}), three(next, {5})`, "3 5"},
		{`local n = 0 for a, b, c, d in function(s, k) if not k then return 1, 2, 3, 4 end end do n = a + b + c + d end return n`, "10"},
	})
}

func TestGlobals(t *testing.T) {
	newRig(t).rows([]row{
		{`return foo`, "nil"},
		{"local x = 1\nfoo(x)", "error: mods/x/init.lua:2: attempt to call global 'foo' (a nil value)"},
		{"return ecko.x", "error: attempt to index global 'ecko' (a nil value)"},
		{"return tostrin(1)", "error: attempt to call global 'tostrin' (a nil value), did you mean 'tostring'?"},
		{`return _G.foo`, "nil"},
		{`return rawget(_G, "foo")`, "nil"},
		{`foo = 1 return foo`, "1"},
		{`foo = nil return pcall(function() return foo end)`, "true nil"},
		{`return _VERSION, getmetatable(_G)`, "Lua 5.1 false"},
		{`local t = setmetatable({}, {__metatable = "locked"}) return getmetatable(t), pcall(setmetatable, t, {})`, "locked false setmetatable: the metatable is protected"},
		{`return load(function() return {} end)`, "nil reader function must return a string"},
		{`return pcall(loadstring("error(1)"))`, "false mods/x (string):1: 1"},
		{`return select(2, pcall(loadstring("error(1)", "=a"))), select(2, pcall(loadstring("error(1)", "@b.lua"))), select(2, pcall(loadstring("error(1)", "c")))`, "a:1: 1 b.lua:1: 1 c:1: 1"},
		{`for k in pairs(_G) do if k:find("%z") then return k end end return "clean"`, "clean"},
		{`return tostring(nil), tostring(true), tostring("x"), (tostring({}):gsub("0x%x+", ""))`, "nil true x table: "},
		{`return tostring(setmetatable({}, {__tostring = function() return {} end}))`, "error: must return a string"},
		{`local s = 0 for i, v in ipairs{1, 2, 3} do s = s + i * v end for k, v in pairs{a = 1} do s = s + v end return s, next({}), type(next), rawequal(1, 1)`, "15 nil function true"},
	})
}

func TestHooksOfGlobals(t *testing.T) {
	r := newRig(t)
	m := r.NewMod("x", nil)
	var set []string
	m.State.OnGlobal = func(name string, v lua.LValue) bool { set = append(set, name); return name == "taken" }
	m.State.Undefined = func(name string) lua.LValue {
		if name == "known" {
			return lua.LNumber(7)
		}
		return nil
	}
	assert.Equal(t, "7 nil 1", r.runIn(m, `function serverCmdHit() end taken = 1 mine = 1 mine = 2 local t, m = rawget(_G, "taken"), 1 return known, t, m`))
	assert.Equal(t, []string{"serverCmdHit", "taken", "mine"}, set)
	assert.Equal(t, "nil", r.runIn(m, `return unknown`))
	m.State.Strict = true
	assert.Contains(t, r.runIn(m, `return unknown`), "undefined global 'unknown'")
}

func TestRows(t *testing.T) {
	r := newRig(t)
	r.Install(bridge, Lib{"Args", []Func{
		{"take", "name, count, [flag]", Server, "Takes.", func(a Args) int {
			return a.Return(lua.LString(a.String(1)), lua.LNumber(a.Int(2)), lua.LBool(a.OptBool(3, true)))
		}},
		{"lists", "t, f", Both, "Takes.", func(a Args) int { a.Table(1); a.Function(2); return 0 }},
		{"obj", "x", Both, "Takes.", func(a Args) int { a.UserData(1, "an object"); return 0 }},
		{"group:add", "o", Both, "Documented only.", nil},
	}})
	r.rows([]row{
		{`onlyClient()`, "error: mods/x/init.lua:1: onlyClient is available only on the client"},
		{`crash()`, "error: mods/x/init.lua:1: crash: internal error: a bug"},
		{`return take("n", 3)`, "n 3 true"},
		{`return take(5, "3", false)`, "5 3 false"},
		{`take({}, 3)`, "error: mods/x/init.lua:1: take: argument 1 (name) must be a string, not a table"},
		{`take("n", 1e300)`, "error: take: argument 2 (count) must be an integer, not a number"},
		{`take("n")`, "error: take: argument 2 (count) must be a number, not nil"},
		{`take("n", 1, 2)`, "error: take: argument 3 (flag) must be a boolean, not a number"},
		{`lists(1)`, "error: lists: argument 1 (t) must be a table, not a number"},
		{`lists({}, 1)`, "error: lists: argument 2 (f) must be a function, not a number"},
		{`obj("x")`, "error: obj: argument 1 (x) must be an object, not a string"},
	})
	assert.Contains(t, r.Names(), "string.rep")
	require.NotEmpty(t, r.List())
	for _, lib := range r.List()[:6] {
		for _, f := range lib.Funcs {
			assert.NotEmpty(t, f.Doc, f.Name)
		}
	}
}
