package modtrial

import (
	"context"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/mods"
)

func TestTry(t *testing.T) {
	folders := []fs.FS{mods.FS(), folder("m/test/x_test.lua", "test('x', function() wait(1000) equal(1, 2) end)")}
	for mod, want := range map[string]string{
		"hello":  "",
		"m":      `its test "x" fails: mods/m/test/x_test.lua:1: got 1, want 2`,
		"nosuch": "unknown mod nosuch; installed are: base, ctf, deathmatch, hello, m",
	} {
		err := Try(context.Background(), folders, mod)
		if want == "" {
			assert.NoError(t, err, mod)
			continue
		}
		assert.EqualError(t, err, want)
	}
}

// TestTryLoadsModsWithoutTests checks that Try loads a mod that has no tests, and says in one line
// why it does not load: without the names of other mods, unless one of them is the reason.
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
		err := Try(context.Background(), folders, mod)
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
	assert.ErrorIs(t, Try(ctx, folders, "m"), context.Canceled)
}
