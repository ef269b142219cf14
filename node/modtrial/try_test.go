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

func TestTryEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	folders := []fs.FS{mods.FS(), folder("m/test/x_test.lua", "test('x', function() wait(1000) end)")}
	assert.ErrorIs(t, Try(ctx, folders, "m"), context.Canceled)
}
