package vm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestVariableNames compares the names in error messages with Lua 5.1.
func TestVariableNames(t *testing.T) {
	o, here := newOracle(t), newHostModel(t)
	for _, c := range []struct{ source, want string }{
		// calls
		{`x = nil x()`, "attempt to call global 'x' (a nil value)"},
		{`local x x()`, "attempt to call local 'x' (a nil value)"},
		{`local x local function f() x() end f()`, "attempt to call upvalue 'x' (a nil value)"},
		{`local t = {} t.x()`, "attempt to call field 'x' (a nil value)"},
		{`local t = {} t:x()`, "attempt to call method 'x' (a nil value)"},
		{`local t, k = {}, "x" t[k]()`, "attempt to call field '?' (a nil value)"},
		{`local t = {} t[1]()`, "attempt to call field '?' (a nil value)"},
		{`local t = {} return t.x()`, "attempt to call field 'x' (a nil value)"},
		{`local a, b (a or b)()`, "attempt to call a nil value"},
		{`local f = function() end f()()`, "attempt to call a nil value"},
		{`for k in nil do end`, "attempt to call a nil value"},
		{`return "x" .. setmetatable({}, {__concat = 5})`, "attempt to call a number value"},
		{`return setmetatable({}, {__concat = {}}) .. "x"`, "attempt to call a table value"},
		{`local t = {1} for k in t do end`, "attempt to call a table value: write pairs(table) or ipairs(list)"},
		{`local a = 1 do local b = 2 b() end`, "attempt to call local 'b' (a number value)"},
		{`do local b = 2 end local c c()`, "attempt to call local 'c' (a nil value)"},
		// index
		{`x = nil return x.y`, "attempt to index global 'x' (a nil value)"},
		{`x = nil x.y = 1`, "attempt to index global 'x' (a nil value)"},
		{`x = nil x.y.z = 1`, "attempt to index global 'x' (a nil value)"},
		{`local x, k = nil, 1 x[k] = 1`, "attempt to index local 'x' (a nil value)"},
		{`local x, k = 1, 1 x[k] = 1`, "attempt to index local 'x' (a number value)"},
		{`local t = {} t.a.b = 1`, "attempt to index field 'a' (a nil value)"},
		{`local t = {} return t.a.b`, "attempt to index field 'a' (a nil value)"},
		{`local t = {} return t.a:b()`, "attempt to index field 'a' (a nil value)"},
		{`local t = {} local function f() return t.a.b end f()`, "attempt to index field 'a' (a nil value)"},
		{`local t local function f() return t.a end f()`, "attempt to index upvalue 't' (a nil value)"},
		{`local t local function f() t.a = 1 end f()`, "attempt to index upvalue 't' (a nil value)"},
		{`local t, k = nil, {} local function f() t[k] = 1 end f()`, "attempt to index upvalue 't' (a nil value)"},
		{`local x = true return x.y.z`, "attempt to index local 'x' (a boolean value)"},
		{`local x = 5 return x:y()`, "attempt to index local 'x' (a number value)"},
		{`local x = type return x.y`, "attempt to index local 'x' (a function value)"},
		// arithmetic
		{`local a return a + 1`, "attempt to perform arithmetic on local 'a' (a nil value)"},
		{`local a return 1 - a`, "attempt to perform arithmetic on local 'a' (a nil value)"},
		{`a = nil return 2 * a`, "attempt to perform arithmetic on global 'a' (a nil value)"},
		{`local t = {} t.n = t.n + 1`, "attempt to perform arithmetic on field 'n' (a nil value)"},
		{`local n local function f() n = n + 1 end f()`, "attempt to perform arithmetic on upvalue 'n' (a nil value)"},
		{`local a return -a`, "attempt to perform arithmetic on local 'a' (a nil value)"},
		{`local a = "x" return -a`, "attempt to perform arithmetic on local 'a' (a string value)"},
		{`local a = "x" return a * 2`, "attempt to perform arithmetic on local 'a' (a string value)"},
		{`local a, b = "2", "x" return a ^ b`, "attempt to perform arithmetic on local 'b' (a string value)"},
		{`local a, b = 1, {} return a % b`, "attempt to perform arithmetic on local 'b' (a table value)"},
		{`return 1 + nil`, "attempt to perform arithmetic on a nil value"},
		{`local a, b return (a or b) + 1`, "attempt to perform arithmetic on a nil value"},
		// concatenation and length
		{`local a return "x" .. a`, "attempt to concatenate local 'a' (a nil value)"},
		{`local a return a .. "x"`, "attempt to concatenate local 'a' (a nil value)"},
		{`local t = {} return "a" .. t.name .. "b"`, "attempt to concatenate field 'name' (a nil value)"},
		{`a = nil return "x" .. a .. 1`, "attempt to concatenate global 'a' (a nil value)"},
		{`local a return #a`, "attempt to get length of local 'a' (a nil value)"},
		{`local t = {} return #t.list`, "attempt to get length of field 'list' (a nil value)"},
		// locals of blocks, loops and methods
		{`do local b = 2 b = 3 end local t = {} t.x.y = 1`, "attempt to index field 'x' (a nil value)"},
		{`for k, v in next, {1} do local c c() end`, "attempt to call local 'c' (a nil value)"},
		{`for k, v in pairs {1} do v() end`, "attempt to call local 'v' (a number value)"},
		{`for i = 1, 1 do local a, c = 1 c() end`, "attempt to call local 'c' (a nil value)"},
		{`local t = {} function t:f(...) self.x.y = 1 end t:f()`, "attempt to index field 'x' (a nil value)"},
		{`local t = {} function t.f(a, b) return a + b end t.f(1)`, "attempt to perform arithmetic on local 'b' (a nil value)"},
		{`local a, b = 1 a, b = b, a return a.x`, "attempt to index local 'a' (a nil value)"},
		{`local i = 1 while i do i = nil local z = i z() end`, "attempt to call local 'z' (a nil value)"},
		{`repeat local done = 1 until done.x.y`, "attempt to index local 'done' (a number value)"},
		{`if true then local q = 1 end local function f() end local r f() r()`, "attempt to call local 'r' (a nil value)"},
		// comparison
		{`return {} < {}`, "attempt to compare two table values"},
		{`return 1 < "x"`, "attempt to compare number with string"},
		{`local a return a < 1`, "attempt to compare nil with number"},
		// loops
		{`for i = "x", 2 do end`, "'for' initial value must be a number"},
		{`local n for i = 1, n do end`, "'for' limit must be a number"},
		{`local n = {} for i = 1, n.x do end`, "'for' limit must be a number"},
		{`for i = 1, 2, {} do end`, "'for' step must be a number"},
		{`local n = "x" for i = 1, 2, n do end`, "'for' step must be a number"},
		// an error of a script is its own
		{`error("attempt to call a non-function object")`, "attempt to call a non-function object"},
	} {
		want := `error: "case:1: ` + c.want + `"`
		assert.Equal(t, want, here.ask(c.source), c.source)
		if o != nil {
			want = strings.Replace(want, ": write pairs(table) or ipairs(list)", "", 1) // advice of torc
			assert.Equal(t, want, o.ask(c.source), "Lua 5.1: %s", c.source)
		}
	}
}
