package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestModNew makes a mod with torc mod new. The mod loads, passes its tests and torc mod check, and
// can be played.
func TestModNew(t *testing.T) {
	t.Chdir(t.TempDir())
	code, out, bad := runTorc("mod", "new", "rocket_golf", "--dir", "my mods")
	require.Equal(t, ended, code, bad)
	dir := filepath.Join("my mods", "rocket_golf")
	assert.True(t, strings.HasPrefix(out, "made "+dir+"; try it:\n"), out)

	for _, name := range []string{"mod.toml", "README.md", "shared/blocks.lua", "server/init.lua", "client/init.lua", "missions/first.lua",
		"test/rocket_golf_test.lua", ".luarc.json", ".editorconfig", ".luals/torc.lua"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if assert.NoError(t, err, name) {
			assert.NotContains(t, string(text), "NAME\"", name)
		}
	}
	code, out, bad = runTorc("mod", "test", dir)
	assert.Equal(t, ended, code, out)
	assert.Contains(t, out, "rocket_golf: 3 passed, 0 failed")
	assert.Empty(t, bad)
	code, out, bad = runTorc("mod", "check", dir)
	assert.Equal(t, ended, code, out+bad)
}

func TestModNewPlays(t *testing.T) {
	t.Parallel()
	_, err := torc() // before the working directory changes
	require.NoError(t, err)
	dir := t.TempDir()
	code, _, bad := runTorc("mod", "new", "golf", "--dir", dir)
	require.Equal(t, ended, code, bad)
	p := start(t, "play", "--mods", dir, "--mod", "golf", "--strict", "--console", "line")
	p.expect("connected to local")
	p.expect("Welcome to golf. 3 coins win.")
	p.say("golf.scores")
	p.expect("player 0")
	p.quits()
}

// TestModNewKeepsTheMission checks that a reload of the new mod does not restart the mission, and
// that --mission names another one.
func TestModNewKeepsTheMission(t *testing.T) {
	t.Parallel()
	_, err := torc() // before the working directory changes
	require.NoError(t, err)
	dir := t.TempDir()
	code, _, bad := runTorc("mod", "new", "golf", "--dir", dir)
	require.Equal(t, ended, code, bad)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "golf", "missions", "other.lua"), []byte(`new "SpawnSphere" { radius = 5 }`), 0o644))
	for _, c := range []struct{ flags, objects string }{{"", "9"}, {"--mission other", "1"}} {
		p, _, _ := serveOn(t, append([]string{"--mods", dir, "--mod", "golf"}, strings.Fields(c.flags)...)...)
		p.say(`schedule(100, function() first = missionGroup:at(1) echo("objects " .. #missionGroup) end)`)
		p.expect("objects " + c.objects)
		p.say("mod reload golf")
		p.expect("golf 0.1.0 reloaded")
		p.say(`schedule(100, function() echo("the same mission: " .. tostring(isObject(first))) end)`)
		p.expect("the same mission: true")
		p.quits()
	}
}

// TestModNewRefuses checks that an existing folder is not changed and that an invalid name is
// refused.
func TestModNewRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll("there", 0o755))
	require.NoError(t, os.WriteFile("file", nil, 0o644))
	for _, c := range []struct{ args, says string }{
		{"there", "there exists already; torc does not change it"},
		{"file", "file exists already; torc does not change it"},
		{"Golf", `mod name "Golf": must be 1 to 32 of a–z, 0–9 and _`},
		{"console", `mod name "console"`},
		{"../golf", `mod name "../golf"`},
		{"a/b", `mod name "a/b"`},
		{".", `mod name "."`},
		{strings.Repeat("x", 33), "mod name"},
		{"golf --dir file", "the folder file cannot be made"},
		{"golf extra", `torc mod new: unexpected argument "extra"`},
	} {
		code, out, bad := runTorc(append([]string{"mod", "new"}, strings.Fields(c.args)...)...)
		assert.Equal(t, misused, code, c.args)
		assert.Empty(t, out)
		assert.Contains(t, bad, c.says)
	}
	entries, err := os.ReadDir("there")
	require.NoError(t, err)
	assert.Empty(t, entries)
	assert.NoDirExists(t, "golf")
}
