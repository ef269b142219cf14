package modtrial

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/script/vm"
)

// failure returns the error of a trial.
func failure(_ *vm.Protos, err error) error { return err }

func TestTry(t *testing.T) {
	folders := []fs.FS{mods.FS(), folder("m/test/x_test.lua", "test('x', function() wait(1000) equal(1, 2) end)")}
	for mod, want := range map[string]string{
		"hello":  "",
		"m":      `its test "x" fails: mods/m/test/x_test.lua:1: got 1, want 2`,
		"nosuch": "unknown mod nosuch; installed are: base, ctf, deathmatch, hello, m",
	} {
		_, err := For(node.Common{})(context.Background(), folders, mod, false)
		if want == "" {
			assert.NoError(t, err, mod)
			continue
		}
		assert.EqualError(t, err, want)
	}
}

// TestUntested checks that a trial without tests still loads the mod.
func TestUntested(t *testing.T) {
	folders := []fs.FS{mods.FS(), folder("m/test/x_test.lua", "test('x', function() equal(1, 2) end)",
		"broken/test/x_test.lua", "test('x', function() end)", "broken/server/init.lua", "x = = 1")}
	assert.NoError(t, failure(For(node.Common{})(context.Background(), folders, "m", true)))
	assert.EqualError(t, failure(For(node.Common{})(context.Background(), folders, "broken", true)), "mods/broken/server/init.lua:1: syntax error near '='")
}

// TestTryLoadsModsWithoutTests checks that a trial loads a mod that has no tests, and says in one
// line why it does not load: without the names of other mods, unless one of them is the reason.
func TestTryLoadsModsWithoutTests(t *testing.T) {
	folders := []fs.FS{mods.FS(), folder(
		"good/server/init.lua", "", "endless/server/init.lua", "while true do end", "broken/shared/a.lua", "x = = 1",
		"child/mod.toml", "name = 'child'\nversion = '1.0.0'\ndepends = ['middle']", "middle/mod.toml", "name = 'middle'\nversion = '1.0.0'\ndepends = ['broken']",
	)}
	for mod, want := range map[string]string{
		"good":    "",
		"endless": "mods/endless/server/init.lua:1: the budget of 20000000 instructions is used up",
		"broken":  "mods/broken/shared/a.lua:1: syntax error near '='",
		"child":   "it needs broken, which cannot be loaded: mods/broken/shared/a.lua:1: syntax error near '='",
	} {
		compiled, err := For(node.Common{})(context.Background(), folders, mod, false)
		assert.NotZero(t, compiled.Len(), "the files of base at least")
		if want == "" {
			assert.NoError(t, err, mod)
			continue
		}
		assert.EqualError(t, err, want)
	}
}

func TestTryEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	folders := []fs.FS{mods.FS(), folder("m/test/x_test.lua", "test('x', function() wait(1000) end)")}
	assert.ErrorIs(t, failure(For(node.Common{})(ctx, folders, "m", false)), context.Canceled)
}

// beacon is a class of a program.
type beacon struct {
	game.Marker
	reach float64
}

// TestForAProgram tests a mod of a program: it makes an object of the program's class, and calls
// the program's command, which must not run.
func TestForAProgram(t *testing.T) {
	c := node.Common{
		Register: func(classes *sim.Classes) error {
			return classes.Register(sim.Class{
				Name: "Beacon", Parent: "Marker", New: func() sim.Object { return &beacon{reach: 100} },
				Fields: []sim.Field{sim.FloatField("reach", 3, 0, 1000, func(b *beacon) *float64 { return &b.reach })},
			})
		},
		Commands: []console.Command{{Name: "ring", Params: "N", Run: func([]string) (string, error) { t.Error("it rings in the game"); return "", nil }}},
	}
	folders := []fs.FS{mods.FS(), folder("m/mod.toml", `name = "m"
version = "1.0.0"
depends = ["base"]
permissions = ["console.ring"]
`, "m/server/init.lua", `new "Beacon" { name = "light", reach = 50 }`,
		"m/test/x_test.lua", "test('x', function() equal(find('light').reach, 50) ring(1) end)")}
	require.NoError(t, failure(For(c)(t.Context(), folders, "m", false)))
	c.Register = nil
	assert.ErrorContains(t, failure(For(c)(t.Context(), folders, "m", false)), "Beacon")
	c.Register = func(*sim.Classes) error { return errors.New("no classes today") }
	assert.EqualError(t, failure(For(c)(t.Context(), folders, "m", false)), "no classes today")
}
