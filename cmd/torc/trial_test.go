package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/mods"
)

// Trials run one after the other, in the order in which they were asked for, and are told by whoever drains the loop's
// posts: nothing of a server is touched meanwhile.
func TestTrials(t *testing.T) {
	dir := modFolder(t, "test/x_test.lua", "test('x', function() wait(1000) equal(1, 2) end)")
	folders, _, err := modTarget(&config.Options{Target: dir})
	require.NoError(t, err)
	posts := make(chan func(), 16)
	trial := &trial{posts: posts, folders: folders}
	var told []string
	for i, mod := range []string{"hello", "m", "nosuch", "hello"} {
		trial.run(mod, func(err error) { told = append(told, fmt.Sprint(i, " ", mod, ": ", err)) })
	}
	assert.Empty(t, told, "nothing is told at once")
	for len(told) < 4 {
		(<-posts)()
	}
	require.Equal(t, []string{
		"0 hello: <nil>",
		`1 m: its test "x" fails: mods/m/test/x_test.lua:1: got 1, want 2`,
		"2 nosuch: there is no mod nosuch; installed are: base, ctf, deathmatch, hello, m",
		"3 hello: <nil>",
	}, told)
	assert.Empty(t, trial.waiting)
}

// A mod that brings its trial down does not bring the server down.
func TestATrialThatPanics(t *testing.T) {
	err := try([]fs.FS{mods.FS(), brokenFS{}}, "hello")
	assert.ErrorContains(t, err, "its tests have broken their server: ")
}

type brokenFS struct{}

func (brokenFS) Open(string) (fs.File, error) { panic("the disk is gone") }

// A server tries a mod whose files have changed, plays on meanwhile, and takes it over only if its tests pass.
func TestReloadOnTrial(t *testing.T) {
	dir := modFolder(t, "server/init.lua", "version = 1", "test/x_test.lua", "test('is not three', function() truthy(version ~= 3) end)")
	p, _, _ := serveOn(t, "--mods", filepath.Dir(dir), "--mod", "m")
	for _, c := range []struct {
		n             int
		says, version string
	}{
		{2, "m 1.0.0 reloaded", "version 2"},
		{3, `error: m is not reloaded: its test "is not three" fails: mods/m/test/x_test.lua:1:`, "version 2"},
		{4, "m 1.0.0 reloaded", "version 4"},
	} {
		code := fmt.Sprintf("addCommand { name = 'm.version', run = function() return 'version %d' end }\nversion = %[1]d", c.n)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "server/init.lua"), []byte(code), 0o644))
		p.say("mod reload m")
		p.expect(c.says)
		p.say("m.version")
		p.expect(c.version)
	}
	p.say("quit")
	p.ends(ended)
}
