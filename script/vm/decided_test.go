package vm

import "testing"

// decided are the differences from Lua 5.1 that are intended, or that only a change of the
// gopher-lua VM could remove. The other tests against Lua 5.1 leave them out and show that the
// rest is equal.
var decided = []struct{ lua, here, there, why string }{
	{`return tostring(1e15), 123456789012345 .. ""`, `"1000000000000000" "123456789012345"`, `"1e+15" "1.2345678901234e+14"`, "whole numbers print all their digits: ids and times in milliseconds stay whole"},
	{`return tostring(0 * -1)`, `"0"`, `"-0"`, "negative zero prints as 0: the VM's -4 % 2 is one"},
	{`return tonumber("inf"), tonumber("nan"), tonumber("0x1p4")`, `nil nil nil`, `inf nan 16`, "what a C library reads besides Lua's own numerals is no number"},
	{`return tonumber("-7", 16), tonumber("20000000000000000", 16) == 2^65`, `-7 true`, `1.844674407e+19 false`, "integers in a base are not cut to 64 bits"},
	{`return tonumber("1\0"), tonumber("a\0", 16)`, `nil nil`, `1 10`, "a zero byte is a byte"},
	{`return string.format("%s %s", nil, true), string.format("%s", setmetatable({}, {__tostring = function() return "T" end}))`, `"nil true" "T"`, "error", "%s takes any value, as in Lua 5.2"},
	{`return string.format("%s|%c", "a\0b", 0)`, `"a\000b|\000"`, `"a|"`, "a zero byte is a byte"},
	{`return string.format("%d", 0/0)`, "error", `"-9223372036854775808"`, "nan is no integer"},
	{`local t = {} table.insert(t, 5, "x") return t`, "error", `{5="x"}`, "a position outside of the list is a mistake, as in Lua 5.3: it would leave a hole"},
	{`local t = setmetatable({}, {__tostring = function() end}) return tostring(t)`, "error", "nil", "tostring gives a string, or says why it cannot"},
	{`return pcall(assert, false, {1})`, `false {1=1}`, `false "bad argument #2 to '?' (string expected, got table)"`, "assert raises any value, as in Lua 5.3"},
	{`return pcall(function() assert(false, "x") end)`, `false "x"`, `false "case:1: x"`, "and raises it as it is"},
	{`return #setmetatable({}, {__len = function() return 9 end})`, "9", "0", "# asks __len of tables, as in Lua 5.2"},
	{`return (string.gsub("a", "a", "%"))`, `"%"`, `"\000"`, "a replacement ends where it ends"},
	{`local n = 0 local function count() n = n + 1 return n end return {[count()] = "key", count()}`, `{1=1 2="key"}`, `{1=2}`, "keys that are worked out are put in when the rest of a constructor stands"},
	{`return xpcall(function(...) return select("#", ...) end, type, 1, 2)`, "true 2", "true 0", "xpcall passes arguments on, as in Lua 5.2"},
	{`return load("return 7")()`, "7", "error", "load takes a string, as in Lua 5.2"},
	{`return type(io.open), type(os.remove), type(debug.getlocal), type(loadfile)`, `"nil" "nil" "nil" "nil"`, `"function" "function" "function" "function"`, "nothing reaches outside of the mod"},
	{`return #string.rep("x", 2^25)`, "error", "33554432", "a string has at most 1 MiB"},
	{`return pcall(function() local s = "a" return loadstring("return s" .. ("..s"):rep(150)) end)`, `true nil "mods/x (string):1: a chain has more than 150 '..'; use table.concat on a list"`, "true function", "a chain of concatenations needs a register for each operand"},

	{`return 5 % math.huge, 1 / (-4 % 2)`, "5 -inf", "nan inf", "the VM's remainder is C's fmod, mended for signs"},
	{`return next({}, "nothing")`, "nil", "error", "the VM does not know an invalid key"},
	{`return (next({key = 1}, 7))`, `"key"`, "error", "a number that is in no list is after the list"},
	{`return (getmetatable("") or {}).__index == string`, "false", "true", "a mod could change the strings of the host"},
	{`return -setmetatable({}, {__unm = function(...) return select("#", ...) end})`, "1", "2", "the VM passes the operand of a unary minus once"},
	{`local f = setmetatable({}, {__call = function() return "called" end}) return pcall(function() return setmetatable({}, {__add = f}) + 1 end)`,
		`false "case:1: attempt to perform arithmetic on a table value"`, `true "called"`, "the VM calls only functions as metamethods of operators"},
	{`local f = setmetatable({}, {__call = function() return true end}) local m = {__eq = f} return setmetatable({}, m) == setmetatable({}, m)`, "false", "true", "and of comparisons"},
	{`local a = setmetatable({}, {__concat = function() return {} end}) return pcall(function() return "y" .. a .. "x" end)`,
		`false "case:1: attempt to concatenate a table value"`, `false "case:1: attempt to concatenate upvalue 'a' (a table value)"`, "the result of a metamethod is no variable"},
	{`local f = function() return f end return f() == nil`, "false", "true", "the VM takes a local function to be in scope in itself, however it is declared"},
	{`return (loadstring("goto = 1"))`, "nil", "function", "goto is a keyword, as in Lua 5.2"},
}

func TestDecidedDifferences(t *testing.T) {
	o, here := newOracle(t), newHostModel(t)
	isError := func(text string) bool { return len(text) > 7 && text[:7] == "error: " }
	check := func(side, source, got, want, why string) {
		if got != want && !(want == "error" && isError(got)) {
			t.Errorf("%s\n\tin %s gives %s\n\tnot %s (%s)", source, side, got, want, why)
		}
	}
	for _, c := range decided {
		check("torc", c.lua, here.ask(c.lua), c.here, c.why)
		if o != nil {
			check("Lua 5.1", c.lua, o.ask(c.lua), c.there, c.why)
		}
	}
}
