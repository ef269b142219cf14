package vm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	lua "github.com/yuin/gopher-lua"
)

func TestLibrariesAreFrozen(t *testing.T) {
	const refused = "' is a library and read-only; keep functions in a table of your own"
	newRig(t).rows([]row{
		{`string.trim = function() end`, "error: mods/x/init.lua:1: 'string" + refused},
		{`function math.round(x) return x end`, "error: mods/x/init.lua:1: 'math" + refused},
		{`math.floor = nil`, "error: 'math" + refused},
		{`local t = table t["sort"] = 1`, "error: 'table" + refused},
		{`coroutine[1] = 1`, "error: 'coroutine" + refused},
		{`rawset(string, "upper", 1)`, "error: mods/x/init.lua:1: rawset: 'string" + refused},
		{`table.insert(table, 1)`, "error: table.insert: 'table" + refused},
		{`setmetatable({}, {__newindex = math}).floor = 1`, "error: 'math" + refused},
		{`setmetatable(string, {})`, "error: the metatable is protected"},
		{`return getmetatable(string), getmetatable("")`, "false false"},
		{`return ("x").y`, "nil"},
		{`local s = "x" s.upper = 1`, "error: attempt to index local 's' (a string value)"},

		{`return math.floor(2.5), string.upper("a"), ("a"):upper(), rawget(math, "pi") == math.pi, math.nothing, rawget(math, "nothing")`, "2 A A true nil nil"},
		{`local names = {} for k, v in pairs(coroutine) do assert(v == coroutine[k]) names[#names + 1] = k end table.sort(names) return table.concat(names, " ")`,
			"create resume running status wrap yield"},
		{`local n = 0 for k in next, math do n = n + 1 end table.foreach(math, function() n = n - 1 end) return n`, "0"},
		{`return next(string) == nil, type(string), tostring(string):match("^table: ") ~= nil`, "false table true"},
		{`rawset(_G, "mine", 1) _G.other = 2 string = {upper = function(s) return "mine" end} return mine, other, string.upper("x"), ("x"):upper()`, "1 2 mine X"},
	})
}

func TestFrozenLibrariesCompleteAtTheConsole(t *testing.T) {
	r := newRig(t)
	m := r.NewMod("x", nil)
	library := m.State.RealTable(m.Global("math").(*lua.LTable))
	assert.NotEqual(t, lua.LNil, library.RawGetString("floor"))
	own := m.State.main.NewTable()
	assert.Same(t, own, m.State.RealTable(own))
}
