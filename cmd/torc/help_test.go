package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

// read returns the options of a command line, without an environment.
func read[T config.Options](t *testing.T, words ...string) T {
	t.Helper()
	_, all, err := config.Parse(words, func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	o, is := all.(T)
	require.True(t, is, "%T", all)
	return o
}

// TestHelpOfSubcommands checks that the help of a subcommand describes only that subcommand.
func TestHelpOfSubcommands(t *testing.T) {
	says := func(line string) string {
		var out, complaint bytes.Buffer
		assert.Equal(t, ended, run(strings.Fields(line), &out, &complaint), line)
		assert.Empty(t, complaint.String(), line)
		return out.String()
	}
	all := says("help")
	for _, line := range []string{"help serve", "serve --help", "serve --mod ctf -h"} {
		text := says(line)
		assert.True(t, strings.HasPrefix(text, "torc serve "), line)
		assert.Contains(t, text, "--listen")
		assert.NotContains(t, text, "torc join")
		assert.Contains(t, all, text)
	}
}

// TestModsFlagNamesParentFolder checks the error for a mod in a folder that --mods does not name,
// for --mods with the mod's own folder instead of its parent, and for a broken manifest.
func TestModsFlagNamesParentFolder(t *testing.T) {
	t.Parallel()
	dir := modFolder(t, "server/init.lua", "")
	broken := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(broken, "m"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(broken, "m", "mod.toml"), []byte("name = \"m\"\nversion = \"1.0.0\"\n\npermissions = [\"banana\"]\n"), 0o644))
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "torc: --mod m: unknown mod m; installed are: base, ctf, deathmatch, hello; --mods DIR adds a folder of your own\n"},
		{[]string{"--mods", dir}, "torc: --mods " + dir + " is a mod itself; name its parent folder: --mods " + filepath.Dir(dir) + "\n"},
		{[]string{"--mods", broken}, "torc: --mod m: " + filepath.ToSlash(broken) + "/m/mod.toml:4: permissions: unknown \"banana\"; known are mod.delete, mod.override, mod.settings, console.NAME, net:HOST:PORT, listen:PORT, transfer and transfer:HOST:PORT; did you mean console.banana?\n"},
		{[]string{"--mods", t.TempDir()}, "torc: --mod m: unknown mod m; installed are: base, ctf, deathmatch, hello\n"},
	} {
		p := start(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--mod", "m"}, c.args...)...)
		p.ends(misused)
		assert.Equal(t, c.says, p.err.String())
	}
}
