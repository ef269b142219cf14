package script_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// TestReloadUsesTestedFiles checks that a reload loads the files that were tested, even if the
// files on disk change during the tests or later. Files that are read later come from the disk.
func TestReloadUsesTestedFiles(t *testing.T) {
	first := map[string]string{
		"m/server/init.lua":  `require "server.score" v = v .. 1 export("v", v) export("late", function() return exec "server/late.lua" end)`,
		"m/server/score.lua": `v = "tried "`, "m/server/late.lua": `return "early"`, "m/test/x_test.lua": `test("x", function() end)`,
	}
	e := edit(t, map[string]string{"m/server/init.lua": ``}, "m")
	e.write(first)
	var done func(error)
	e.scripts.SetTrial(func(mod string, folders []fs.FS, end func(error)) {
		h := newHalf(t, 2, true, folders[len(folders)-1]).load(mod) // as a trial does
		h.steps(step{`import("m").v`, `"tried 1"`})
		done = end
	})
	e.steps(step{"mod reload m", "m is tested first, then reloaded"})
	e.write(map[string]string{"m/server/init.lua": `error "torn"`, "m/server/score.lua": `error "torn"`, "m/server/late.lua": `return "late"`,
		"m/shared/more.lua": `error "torn"`, "m/mod.toml": `error`})
	done(nil)
	e.steps(step{`import("m").v, import("m").late()`, "\"tried 1\"\t\"late\""}, step{"mod reload m", "~mods/m/mod.toml:1: "})
	e.write(map[string]string{"m/server/late.lua": `return "later"`}).steps(step{`import("m").late()`, `"later"`})
	e.write(map[string]string{"m/mod.toml": "name = 'm'\nversion = '1.0.1'\n", "m/server/init.lua": `export("v", "next")`, "m/shared/more.lua": ""})
	e.scripts.SetTrial(nil)
	e.steps(step{"mod reload m", "~m 1.0.1 reloaded"}, step{`import("m").v`, `"next"`})
}

// TestReloadUsesCompiledFilesOfTheTrial checks that a reload does not compile the files again that
// its trial has compiled.
func TestReloadUsesCompiledFilesOfTheTrial(t *testing.T) {
	var tried *half
	function := func(h *half) *lua.LFunction { return h.scripts.Runtime.Mod("m").Global("work").(*lua.LFunction) }
	folder := files(map[string]string{"m/server/init.lua": `function work() end`})
	h := newHalfWith(t, 1, true, nil, func(s *script.Setup) {
		s.RunTests = func(name string, folders []fs.FS, _ bool, done func(*vm.Protos, error)) {
			protos := vm.NewProtos()
			tried = newHalfWith(t, 2, true, nil, func(s *script.Setup) { s.Protos = protos }, folders...).load(name)
			done(protos, nil)
		}
	}, folder).load("m")
	h.steps(step{"mod reload m", "~m 1.0.0 reloaded"})
	first := function(h)
	folder.(fstest.MapFS)["m/server/init.lua"] = &fstest.MapFile{Data: []byte(`function work() return 1 end`)}
	h.steps(step{"mod reload m", "~m 1.0.0 reloaded"})
	assert.Same(t, function(tried).Proto, function(h).Proto)
	assert.NotSame(t, first.Proto, function(h).Proto)
}

// TestUntestedReachesTheTrial checks which trials skip the tests: those of lines with --untested.
func TestUntestedReachesTheTrial(t *testing.T) {
	var tried []bool
	h := newHalfWith(t, 1, true, nil, func(s *script.Setup) {
		s.RunTests = func(_ string, _ []fs.FS, untested bool, done func(*vm.Protos, error)) {
			tried = append(tried, untested)
			done(nil, nil)
		}
	}, files(map[string]string{"m/server/init.lua": ""})).load("m")
	h.steps(
		step{"mod reload m", "~m 1.0.0 reloaded"}, step{"mod reload m --untested", "~m 1.0.0 reloaded"}, step{"mod.reload --untested m", "~m 1.0.0 reloaded"},
		step{"mod disable m", "m is disabled"}, step{"mod enable m --untested", "m 1.0.0 is on"},
		step{"mod reload m --untestd", "error: usage: mod reload NAME [--untested]"}, step{"mod enable --untested", "error: usage: mod enable NAME [--untested]"},
	)
	assert.Equal(t, []bool{false, true, true, true}, tried)
}

// TestTrialReadsFilesAtItsStart checks that tests use the files as they are when the tests start,
// not when they were requested.
func TestTrialReadsFilesAtItsStart(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": `export("v", 1)`}, "m")
	var folder fs.FS
	var done func(error)
	e.scripts.SetTrial(func(_ string, folders []fs.FS, end func(error)) { folder, done = folders[len(folders)-1], end })
	e.line("mod reload m")
	e.write(map[string]string{"m/server/init.lua": `export("v", 2)`})
	_, err := fs.ReadFile(folder, "m/server/none.lua")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, fstest.TestFS(folder, "m/server/init.lua", "m/mod.toml"))
	_, err = fs.Stat(folder, "m/server/none.lua")
	require.ErrorIs(t, err, fs.ErrNotExist)
	entries, err := fs.ReadDir(folder, "m/server")
	require.NoError(t, err)
	entries[0] = nil
	e.write(map[string]string{"m/server/init.lua": `export("v", 3)`, "m/server/none.lua": `return 1`})
	_, err = fs.ReadFile(folder, "m/server/none.lua")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = fs.Stat(folder, "m/server/none.lua")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	entries, err = fs.ReadDir(folder, "m/server")
	require.NoError(t, err)
	assert.Equal(t, "init.lua", entries[0].Name())
	m, err := fs.Sub(folder, "m")
	require.NoError(t, err)
	server, err := fs.Sub(m, "server")
	require.NoError(t, err)
	text, err := fs.ReadFile(server, "init.lua")
	require.NoError(t, err)
	assert.Equal(t, `export("v", 2)`, string(text))
	done(nil)
	e.steps(step{`import("m").v`, "2"})
	_, err = fs.ReadFile(folder, "m/server/none.lua")
	assert.NoError(t, err)
}
