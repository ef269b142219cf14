package vm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestModules(t *testing.T) {
	folder := fstest.MapFS{
		"lib/init.lua": {Data: []byte(`return {name = ..., runs = 1}`)},
		"a.lua":        {Data: []byte(`local M = {name = ...} package.loaded[...] = M M.b = require "b" return nil`)},
		"b.lua":        {Data: []byte(`local M = {} function M.a() return require "a" end M.early = require "a" return M`)},
		"old.lua":      {Data: []byte(`local M = {} package.seeall(M) setfenv(1, M) function square(x) return tostring(x * x) end return M`)},
		"string.lua":   {Data: []byte(`error("never runs")`)},
		"once.lua":     {Data: []byte(`count = (count or 0) + 1 return count`)},
	}
	for _, c := range []struct{ source, want string }{
		{`return require "string" == string, require "_G" == _G, require("math").pi == math.pi, package.loaded.table == table`, "true true true true"},
		{`local lib = require "lib" return lib.name, require "lib" == lib, package.loaded.lib == lib`, "lib true true"},
		{`local a = require "a" return a.name, a.b.a() == a, a.b.early == a, package.loaded.b == a.b`, "a true true true"},
		{`local old = require "old" return old.square(3), rawget(_G, "square")`, "9 nil"},
		{`require "once" require "once" package.loaded.once = nil return require "once", package.path`, "2 ?.lua;?/init.lua"},
		{`package.preload.made = function(name) return {name = name} end return require("made").name`, "made"},
		{`function string.trim(s) return (s:gsub("^%s+", "")) end table.unpack = unpack math.tau = 2 * math.pi return ("  x"):trim(), table.unpack{1, 2}`, "x 1 2"},
		{`local f = loadstring("return x") setfenv(f, {x = 5}) return f(), getfenv(f).x, getfenv(1) == _G, getfenv(print) == _G`, "5 5 true true"},
		{`local function f() return debug.getinfo(1).currentline, debug.getinfo(2).what, debug.getinfo(print).what, debug.getinfo(99) end local a, b, c, d = f() return a, b, c, d`, "1 main C nil"},
	} {
		r := newRig(t)
		r.Install(Lib{"Out", []Func{{"print", "...: any", Both, "Prints.", func(Args) int { return 0 }}}})
		assert.Equal(t, c.want, r.runIn(r.NewMod("x", folder), c.source), c.source)
	}
	r := newRig(t)
	a, b := r.NewMod("a", nil), r.NewMod("b", nil)
	assert.Equal(t, "1", r.runIn(a, `function string.mine() return 1 end return ("x").mine()`))
	assert.Equal(t, "nil nil", r.runIn(b, `return string.mine, ("x").mine`), "a mod extends only its own library")
}

func TestDates(t *testing.T) {
	now := 90 * time.Second
	r := newRig(t, func(c *Config) { c.Date, c.Now = 1_000_000_000, func() time.Duration { return now } })
	r.rows([]row{
		{`return os.time(), os.clock(), os.date("%Y-%m-%d %H:%M:%S"), os.date("!%c", 0)`, "1000000000 90 2001-09-09 01:46:40 Thu Jan  1 00:00:00 1970"},
		{`local d = os.date("*t", 951827696) return d.year, d.month, d.day, d.hour, d.min, d.sec, d.wday, d.yday, d.isdst, os.time(d)`, "2000 2 29 12 34 56 3 60 false 951827696"},
		{`return os.time{year = 2000, month = 14, day = -1}, os.time{year = "1970", month = 1, day = 1, hour = 0}, os.difftime(5, 3)`, "980856000 0 2"},
		{`return os.date("%a %A %b %B %d %e %H %I %j %m %M %p %S %U %W %w %x %X %y %Y %Z %% %D %F %R %T", 951827696)`,
			"Tue Tuesday Feb February 29 29 12 12 060 02 34 PM 56 09 09 2 02/29/00 12:34:56 00 2000 UTC % 02/29/00 2000-02-29 12:34 12:34:56"},
		{`return os.time{year = 2000}`, "error: os.time: the field 'month' is missing in the date"},
		{`return os.date("%Q|%O|%Od|%", 0)`, "%Q|%O|%Od|%"},
	})
	now += time.Hour
	assert.Equal(t, "1000003600 3690", r.run(`return os.time(), os.clock()`), "dates go on with the simulation")
	r.SetDate(0)
	assert.Equal(t, "0", r.run(`return os.time()`))
}

// TestDatesAreThoseOfC compares os.date with Lua 5.1.
func TestDatesAreThoseOfC(t *testing.T) {
	o, here := newOracle(t), newHostModel(t)
	if o == nil {
		t.Skip("lua5.1 is not installed")
	}
	for _, at := range []string{"0", "951827696", "1234567890", "1704067199", "1704067200", "4102444800"} {
		for _, c := range strings.Split("abcdefghijklmnopqrstuvwxyABCDEFGHIJKLMNOPQRSTUVWXY%!", "") {
			source := `return os.date("!%` + c + `", ` + at + `)`
			assert.Equal(t, o.ask(source), here.ask(source), source)
		}
	}
}

// TestLua51Libraries runs small libraries of the shapes that are common in public Lua 5.1 code.
// Each ends with checks of its own.
func TestLua51Libraries(t *testing.T) {
	names, err := filepath.Glob("../testdata/lua51/*.lua")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 20)
	for _, name := range names {
		r := newRig(t)
		m := r.NewMod("x", os.DirFS("../testdata/lua51"))
		fn, err := m.Compile("run.lua", `require "`+strings.TrimSuffix(filepath.Base(name), ".lua")+`"`, false)
		require.NoError(t, err)
		_, err = r.EnterWith(r.Limits().Load, m, fn)
		assert.NoError(t, err, name)
	}
}
