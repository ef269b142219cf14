package script_test

import (
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
		assert.Equal(t, []*vm.Mod{r.Mods[0], m}, r.Mods)
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
	require.Len(t, r.Mods, 2, "the console and good")
	assert.Equal(t, "good", r.Mods[1].Name)
}
