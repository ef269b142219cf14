package vm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refusedModules are the modules of Penlight that cannot run, with the reasons.
var refusedModules = map[string]string{
	"app": "LuaFileSystem", "dir": "LuaFileSystem", "file": "LuaFileSystem", "path": "LuaFileSystem", "test": "LuaFileSystem",
	"init": "the metatable is protected", "strict": "(a boolean value)",
}

// TestDebianLibraries runs the Lua 5.1 libraries of Debian's packages lua-penlight, lua-unit,
// lua-inspect and lua-messagepack. TORC_LUA_LIBRARIES is their folder, /usr/share/lua/5.1.
func TestDebianLibraries(t *testing.T) {
	folder := os.Getenv("TORC_LUA_LIBRARIES")
	if folder == "" {
		t.Skip("TORC_LUA_LIBRARIES is not set")
	}
	run := func(source string) string {
		r := newRig(t)
		m := r.NewMod("x", os.DirFS(folder))
		fn, err := m.Compile("run.lua", source, false)
		require.NoError(t, err)
		out, err := r.EnterWith(r.Limits().Load, m, fn)
		if err != nil {
			return "error: " + err.Error()
		}
		return show(out)
	}
	names, err := filepath.Glob(filepath.Join(folder, "pl", "*.lua"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 33)
	for _, name := range names {
		module := strings.TrimSuffix(filepath.Base(name), ".lua")
		said := run(`return type(require "pl.` + module + `") ~= "nil"`)
		if why := refusedModules[module]; why != "" {
			assert.Contains(t, said, why, module)
		} else {
			assert.Equal(t, "true", said, module)
		}
	}
	for _, c := range []struct{ source, want string }{
		{`return table.concat(require("pl.List"){1, 2, 3}:map("_*2"), ",")`, "2,4,6"},
		{`return require("pl.pretty").write({1, x = {2}}, "")`, "{1,x={2}}"},
		{`return require("pl.template").substitute("$(x) # y", {x = 5})`, "5 # y nil nil"},
		{`return require("pl.stringx").title("hello world"), table.concat(require("pl.tablex").keys({a = 1}))`, "Hello World a"},
		{`return require("pl.Date"){year = 2000, month = 2, day = 29}:last_day():day()`, "29"},
		{`return require("pl.data").read and 1, #require("pl.comprehension").new()("x for x=1,5")()`, "1 5"},
		{`return require("inspect")({1, a = {b = 2}})`, "{ 1,\n  a = {\n    b = 2\n  }\n}"},
		{`local lu = require "luaunit" TestX = {} function TestX:testA() lu.assertEquals({1}, {1}) end function TestX:testB() lu.assertEquals(1, 2) end
			local runner = lu.LuaUnit.new() runner:setOutputType("nil") return runner:runSuite("TestX"), runner.result.successCount`, "1 1"},
		{`return pcall(require, "MessagePack")`, "false mods/x/MessagePack.lua:16: string.dump: functions have no bytecode here"},
	} {
		assert.Equal(t, c.want, run(c.source), c.source)
	}
}
