package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLua51LibrariesAreClean checks small libraries of the shapes that are common in public Lua 5.1
// code. All of them run, so every finding is a false alarm.
func TestLua51LibrariesAreClean(t *testing.T) {
	names, err := filepath.Glob("../testdata/lua51/*.lua")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 20)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		module := strings.TrimSuffix(filepath.Base(name), ".lua")
		assert.Empty(t, check(t, map[string]string{
			"lib/" + module + ".lua": string(text),
			"server/init.lua":        `echo(require "lib.` + module + `")`,
		}), name)
	}
}
