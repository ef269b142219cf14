package script_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// manifestWith returns a manifest of the mod x with files, given as alternating paths and
// contents.
func manifestWith(pairs ...string) *manifest.Manifest {
	folder := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		folder[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return &manifest.Manifest{Name: "x", FS: folder}
}

func TestLoadRunsSharedThenTheSide(t *testing.T) {
	for _, side := range []vm.Realm{vm.Server, vm.Client} {
		r := newHalf(t, 1, side == vm.Server).scripts
		m, err := r.Load(manifestWith("shared/b.lua", `order = order .. "b"`, "shared/a.lua", `order = "a"`, "shared/sub/c.lua", `order = order .. "c"`,
			"server/init.lua", `order = order .. "S"`, "client/init.lua", `order = order .. "C"`, "server/other.lua", `order = "no"`))
		require.NoError(t, err)
		assert.Equal(t, lua.LString("ab"+side.Letters()), m.Global("order"))
		assert.Equal(t, []*vm.Mod{r.Runtime.Mods[0], m}, r.Runtime.Mods)
	}
}

func TestFailingModIsSkipped(t *testing.T) {
	r := newHalf(t, 1, true).scripts
	bad := manifestWith("server/init.lua", "local x = 1\nundefinedThing(x)")
	bad.Name = "bad"
	child := manifestWith("server/init.lua", "")
	child.Name, child.Depends = "child", []manifest.Requirement{{Name: "bad", Text: "bad"}}
	worse := manifestWith("shared/a.lua", "x = = 1")
	worse.Name = "worse"
	good := manifestWith()
	good.Name = "good"
	errs := r.LoadAll([]*manifest.Manifest{bad, child, worse, good})
	require.Len(t, errs, 3)
	assert.EqualError(t, errs[0], "mod bad is not loaded: mods/bad/server/init.lua:2: attempt to call global 'undefinedThing' (a nil value)")
	assert.EqualError(t, errs[1], "mod child is not loaded: it needs bad, which failed to load")
	assert.EqualError(t, errs[2], "mod worse is not loaded: mods/worse/shared/a.lua:1: syntax error near '='")
	require.Len(t, r.Runtime.Mods, 2, "the console and good")
	assert.Equal(t, "good", r.Runtime.Mods[1].Name)
}

// diskFolder is a folder of mods that knows its path on the disk.
type diskFolder struct{ fstest.MapFS }

func (diskFolder) Dir() string { return "/srv/torc" }

// TestErrorsNameTheFileOnTheDisk checks errors of loading and errors at run time, also after a
// reload.
func TestErrorsNameTheFileOnTheDisk(t *testing.T) {
	folder := files(map[string]string{"m/server/init.lua": "export('f', function() return 1 + nil end)", "bad/server/init.lua": "x = = 1"}).(fstest.MapFS)
	e := &edited{half: newHalf(t, 1, true, diskFolder{folder}), files: folder}
	bad := e.scripts.LoadMods("base", "m", "bad")
	require.Len(t, bad, 1)
	require.EqualError(t, bad[0], "mod bad is not loaded: /srv/torc/bad/server/init.lua:1: syntax error near '='")
	for range 2 {
		assert.Equal(t, "error: /srv/torc/m/server/init.lua:1: attempt to perform arithmetic on a nil value", e.line(`import("m").f()`))
		require.NoError(t, e.scripts.ReloadNow("m"))
	}
}

// TestFailedModsAreListed checks that mods and mod faults show the mods that could not be loaded,
// until they are loaded.
func TestFailedModsAreListed(t *testing.T) {
	good := "name = 'x'\nversion = '1.0.0'\n"
	folder := files(map[string]string{"m/server/init.lua": "", "x/mod.toml": good + "a = 1\n", "bad/server/init.lua": "local x\nx.y = 1"}).(fstest.MapFS)
	e := &edited{half: newHalf(t, 1, true, folder), files: folder}
	require.Len(t, e.scripts.LoadMods("base", "m", "bad"), 2)
	e.scripts.NotLoaded("z", errors.New("it is too old"))
	x := "x - not loaded: mods/x/mod.toml:3: unknown key \"a\"; known are name, version, description, depends, optional, conflicts, permissions"
	bad := "bad - not loaded: mods/bad/server/init.lua:2: attempt to index local 'x' (a nil value)"
	list := strings.Join([]string{bad, x, "z - not loaded: it is too old"}, "\n")
	assert.True(t, strings.HasSuffix(e.line("mods"), " on\n"+list), e.line("mods"))
	e.steps(step{"mod faults", list}, step{"mod faults bad", bad}, step{"mod faults x", x}, step{"mod faults m", "no faults"}, step{"mod faults q", `~mod "q" is not loaded`})
	assert.Equal(t, "bad 1.0.0"+strings.TrimPrefix(bad, "bad -"), e.line("mod info bad"))
	e.write(map[string]string{"x/mod.toml": good, "bad/server/init.lua": " "})
	e.steps(step{"mod enable x", "x 1.0.0 is on"}, step{"mod enable bad", "bad 1.0.0 is on"}, step{"mod faults", "z - not loaded: it is too old"}, step{"mod disable bad", "bad is disabled"},
		step{"mod faults", "z - not loaded: it is too old"})
}

// TestLoadWarnsOfMistakes checks the warnings about files, and about callbacks that nothing calls.
// A name that a mod uses itself causes none.
func TestLoadWarnsOfMistakes(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"server/init.lua", "function GameConnection.onClientEnteredGame(client) end", `m: mods/m/server/init.lua:1: nothing calls onClientEnteredGame, did you mean "onClientEnterGame"?`},
		{"server/init.lua", "-- onClientEnteredGame runs when …\nfunction GameConnection.onClientEnteredGame(client) end", `m: mods/m/server/init.lua:2: nothing calls onClientEnteredGame, did you mean "onClientEnterGame"?`},
		{"server/init.lua", "function GameConnection.onClientEnteredGame(client) end\nfunction onTick() GameConnection.onClientEnteredGame(nil) end", ""},
		{"server/init.lua", "function GameConnection.onClientEnteredGame(client) end broadcast('onClientEnteredGame')", ""},
		{"server/init.lua", "function GameConnection.onClientEnterGame(client) end function GameConnection.onDance() end", ""},
		{"server/init.lua", "function onTik() end", `m: mods/m/server/init.lua:1: nothing calls onTik, did you mean "onTick"?`},
		{"server/init.lua", "function onMissionLoad() end", `m: mods/m/server/init.lua:1: nothing calls onMissionLoad, did you mean "onMissionLoaded"?`},
		{"server/init.lua", "function onTik() end\nonTik()", ""},
		{"server/init.lua", "function onTik() end\nevery(100, onTik)", ""},
		{"server/init.lua", "function onTik() end\n_G['on' .. 'Tik']()", ""},
		{"server/init.lua", "function onTik() end\ngetfenv()['on' .. 'Tik']()", ""},
		{"server/init.lua", "local function onTik() end function onTick() end function onTock() onDance() end function onDance() end onTock()", ""},
		{"server/init.lua", "onTik = print", ""},
		{"server/init.lua", "function onFiniish() end", ""},
		{"server/init.lua", "F = class 'F' {}\nfunction F:onTik() end", `m: mods/m/server/init.lua:2: nothing calls onTik, did you mean "onTick"?`},
		{"server/init.lua", "F = class 'F' {} function F:onTick() end function F:inScop() end function F:onDamge() end", ""},
		{"server/init.lua", "P = datablock 'PlayerData' 'P' {}\nfunction P:onColision(obj) end", `m: mods/m/server/init.lua:2: nothing calls onColision, did you mean "onCollision"?`},
		{"server/init.lua", "P = datablock 'PlayerData' 'P' {} function P:onColision(obj) end function P:onCollision(obj) P:onColision(obj) end", ""},
		{"server/init.lua", "P = datablock 'PlayerData' 'P' {} P.onColision = print", ""},
		{"server/other.lua", "function onTick() end", "m: mods/m: the mod has no code that runs: torc runs server/init.lua, client/init.lua, shared/*.lua and missions/*.lua, not server/other.lua"},
	} {
		h := newHalf(t, 1, true, files(map[string]string{"m/" + c.file: c.text, "n/server/init.lua": "function GameConnection.onDrop() end"}))
		require.Empty(t, h.scripts.LoadMods("m", "n"))
		assert.Equal(t, c.want, strings.Join(h.log, "\n"), c.text)
		h.log = nil
		require.NoError(t, h.scripts.ReloadNow("m"))
		assert.Equal(t, c.want, strings.Join(h.log, "\n"), c.text)
	}
}

// TestLoadWarnsOnce checks that another mod can use the name, and that clients do not look at the
// files.
func TestLoadWarnsOnce(t *testing.T) {
	list := map[string]string{"m/server/init.lua": "F = class 'F' {} function F:onTik() end", "n/server/init.lua": "for o in objects 'F' do o:onTik() end"}
	h := newHalf(t, 1, true, files(list))
	require.Empty(t, h.scripts.LoadMods("m", "n"))
	assert.Empty(t, h.log)
	h = newHalf(t, 1, false, files(list))
	require.Empty(t, h.scripts.LoadMods("m"))
	assert.Empty(t, h.log)
}
