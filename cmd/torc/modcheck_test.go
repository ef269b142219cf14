package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

// checked returns the output and the error of torc mod check.
func checked(t *testing.T, args ...string) (string, error) {
	t.Helper()
	o := read[*config.Mod](t, append([]string{"mod", "check"}, args...)...)
	var out strings.Builder
	err := modCheck(o, &out)
	return out.String(), err
}

// TestModCheckEmbedded checks that the embedded mods have no problems.
func TestModCheckEmbedded(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"base", "ctf", "deathmatch", "hello"} {
		out, err := checked(t, name)
		assert.NoError(t, err)
		assert.Empty(t, out, name)
	}
}

func TestModCheckFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll("mine/race/server", 0o755))
	write := func(name, text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o600)) }
	write("mine/race/mod.toml", "name = \"race\"\nversion = \"1.0.0\"\ndepends = [\"base\"]\n")
	write("mine/race/server/init.lua", "echo(nam)\nkick(3)\n")
	first := "race/server/init.lua:1:6: undefined global nam"
	for _, args := range [][]string{{"mine/race"}, {"./mine/race/"}, {"race", "--mods", "mine"}} {
		out, err := checked(t, args...)
		assert.EqualError(t, err, "mod race: 2 problems found")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		require.Len(t, lines, 2)
		where := "mine/"
		if len(args) > 1 {
			where = "mods/"
		}
		assert.Equal(t, where+first+" (undefined)", lines[0])
		assert.Contains(t, lines[1], where+"race/server/init.lua:2:1: kick is a console command")
	}
	out, err := checked(t, "mine/race", "--json")
	assert.EqualError(t, err, "mod race: 2 problems found")
	var row map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.Split(out, "\n")[0]), &row))
	assert.Equal(t, map[string]any{
		"file": "mine/race/server/init.lua", "line": 1.0, "col": 6.0, "rule": "undefined", "text": "undefined global nam",
	}, row)

	write("mine/race/server/init.lua", "echo(1)\n")
	out, err = checked(t, filepath.Join("mine", "race"))
	assert.NoError(t, err)
	assert.Empty(t, out)
	write("mine/race/mod.toml", "name = \"rice\"\nversion = \"1.0.0\"\n")
	out, err = checked(t, "mine/race")
	assert.EqualError(t, err, "mod race: 1 problem found")
	assert.Equal(t, "mine/race/mod.toml:1:1: the mod is named \"rice\" but its folder \"race\"; they must be the same (manifest)\n", out)

	_, err = checked(t, "nowhere")
	var usage *flags.UsageError
	require.ErrorAs(t, err, &usage)
	assert.Contains(t, usage.Text, "unknown mod nowhere; installed are: base, ctf")
}
