package vm

import "testing"

func TestStrings(t *testing.T) {
	newRig(t).rows([]row{
		{`return ("abc"):byte(), ("abc"):byte(-1), ("abc"):byte(1, -1)`, "97 99 97 98 99"},
		{`return select("#", ("abc"):byte(10))`, "0"},
		{`return string.char(72, 105)`, "Hi"},
		{`return string.char(256)`, "error: string.char: argument 1 must be 0…255, not 256"},
		{`return ("abc"):sub(2), ("abc"):sub(-2, -2), ("abc"):sub(0), ("abc"):sub(3, 2), ("abc"):sub(-100, 100)`, "bc b abc  abc"},
		{`return ("ab"):rep(3), ("ab"):rep(0), ("ab"):rep(-1)`, "ababab  "},
		{`return ("aZ\195\132"):upper() == "AZ\195\132", ("AZ\195\132"):lower() == "az\195\132"`, "true true"},
		{`return ("abc"):reverse(), ("abc"):len(), #"abc"`, "cba 3 3"},
		{`return (5):rep(2)`, "error: attempt to index a number value (key "},
		{`return string.rep(5, 2)`, "55"},
		{`return string.rep()`, "error: mods/x/init.lua:1: string.rep: argument 1 (text) must be a string, not nil"},
	})
}

func TestFormat(t *testing.T) {
	newRig(t).rows([]row{
		{`return ("%d %5d %-5d| %05d %+d % d"):format(1, 2, 3, 4, 5, 6)`, "1     2 3    | 00004 +5  6"},
		{`return ("%d %i"):format(3.9, -3.9)`, "3 -3"},
		{`return ("%.3d"):format(5)`, "005"},
		{`return ("%x %X %#x %o"):format(255, 255, 255, 8)`, "ff FF 0xff 10"},
		{`return ("%x"):format(-1)`, "ffffffffffffffff"},
		{`return ("%u"):format(2^53)`, "9007199254740992"},
		{`return ("%5.2f|%-8.3f|%f"):format(3.14159, 2.5, 1)`, " 3.14|2.500   |1.000000"},
		{`return ("%e %.2E"):format(12345.678, 0.00012)`, "1.234568e+04 1.20E-04"},
		{`return ("%g %g %g %g %g"):format(100000, 1000000, 0.0001, 0.00001, 0.1)`, "100000 1e+06 0.0001 1e-05 0.1"},
		{`return ("%.3g %.10g %g"):format(1234.5, 1/3, 100)`, "1.23e+03 0.3333333333 100"},
		{`return ("%g %f %d"):format(1/0, -1/0, 0)`, "inf -inf 0"},
		{`return ("%g %.1f %#.3g %#x %+05d|%-6.2e|"):format(0 * -1, 0 * -1, 2, 255, 7, 12345)`, "-0 -0.0 2.00 0xff +0007|1.23e+04|"},
		{`return ("%5s|%-5s|%.2s"):format("a", "b", "cdef")`, "    a|b    |cd"},
		{`return ("%s %s %s"):format(nil, true, 1.5)`, "nil true 1.5"},
		{`return ("%s"):format(setmetatable({}, {__tostring = function() return "T" end}))`, "T"},
		{`return ("%q"):format('a "b" \\ \n \0 \r')`, `"a \"b\" \\ \` + "\n" + ` \000 \r"`},
		{`return loadstring("return " .. ("%q"):format("x\n\"\\\0y"))() == "x\n\"\\\0y"`, "true"},
		{`return ("%c%c"):format(72, 105)`, "Hi"},
		{`return ("100%%"):format()`, "100%"},
		{`return ("%d"):format("10")`, "10"},
		{`return ("%d"):format()`, "error: string.format: argument 2 must be a number, not nil"},
		{`return ("%s"):format()`, "error: string.format: argument 2 is missing"},
		{`return ("%d"):format(0/0)`, "error: string.format: argument 2 must be an integer, not a number"},
		{`return ("%y"):format(1)`, "error: string.format: '%y' is not a format directive"},
		{`return ("%123d"):format(1)`, "error: string.format: the width or precision"},
		{`return ("%"):format(1)`, "error: string.format: '%' is not a format directive"},
		{`return ("%99.99f"):format(1):len()`, "101"},
	})
}

func TestConcatenation(t *testing.T) {
	newRig(t).rows([]row{
		{`return "a" .. 1 .. "b" .. 2.5`, "a1b2.5"},
		{`return 1 .. 2`, "12"},
		{`local function two() return "x", "y" end return "a" .. two(), two() .. "b"`, "ax xb"},
		{`local function f(...) return "a" .. ... end return f("x", "y")`, "ax"},
		{`local function f(...) return ... .. "a" end return f("x", "y")`, "xa"},
		{`return ("a" .. "b"):rep(2) .. #("x" .. "y")`, "abab2"},
		{`local t = {["k" .. 1] = "v" .. 2} return t.k1`, "v2"},
		{"local a = nil\nreturn 'x'\n  .. a", "error: mods/x/init.lua:2: attempt to concatenate local 'a' (a nil value)"},
		{`return {} .. "x"`, "error: attempt to concatenate a table value"},
		{`local mt = {__concat = function(a, b) return "<" .. tostring(type(a)) .. "," .. tostring(type(b)) .. ">" end}
		  local t = setmetatable({}, mt) return t .. "x", "x" .. t, t .. t, "a" .. "b" .. t, t .. "a" .. "b"`,
			"<table,string> <string,table> <table,table> a<string,table> <table,string>"},
		{`local s = "" for i = 1, 100 do s = s .. i end return #s`, "192"},
		{`local s = assert(loadstring("return 'a'" .. ("..'b'"):rep(149)))() return #s`, "150"},
		{`return loadstring("return 'a'" .. ("..'b'"):rep(150))`, "nil mods/x (string):1: a chain has more than 150 '..'; use table.concat on a list"},
		{`local function f() local a = "x" return function() return a .. "y" end end return f()()`, "xy"},
		{`return pcall(function() local x; return "a" .. x end)`, "false mods/x/init.lua:1: attempt to concatenate local 'x' (a nil value)"},
	})
}
