package manifest_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/script/manifest"
)

func files(pairs ...string) fs.FS {
	dir := fstest.MapFS{"mod.toml": &fstest.MapFile{}}
	for i := 0; i < len(pairs); i += 2 {
		dir[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return dir
}

// unreadable is a folder with a file that cannot be opened.
type unreadable struct {
	fs.FS
	name string
}

func (u unreadable) Open(name string) (fs.File, error) {
	if name == u.name {
		return nil, fs.ErrPermission
	}
	return u.FS.Open(name)
}

func TestMistakes(t *testing.T) {
	const runs = "torc runs server/init.lua, client/init.lua, shared/*.lua and missions/*.lua"
	const start = "server/init.lua"
	idle := func(module string) string {
		return fmt.Sprintf("nothing runs this file: %s, and no other file requires %q", runs, module)
	}
	for _, c := range []struct {
		name string
		dir  fs.FS
		want []manifest.Mistake
	}{
		{"code that runs", files(start, "x = 1", "client/init.lua", "", "shared/a.lua", "", "missions/deep/a.lua", ""), nil},
		{"only a mission", files("missions/a.lua", ""), nil},
		{"only the client", files("client/init.lua", ""), nil},
		{"no file", files(), []manifest.Mistake{{".", "the mod has no code that runs: " + runs}}},
		{"only tests", files("test/a_test.lua", ""), []manifest.Mistake{{".", "the mod has no code that runs: " + runs}}},
		{"in the wrong place", files("init.lua", ""), []manifest.Mistake{{".", "the mod has no code that runs: " + runs + ", not init.lua"}}},
		{"beside the folders", files(start, "", "int.lua", "", "Init.lua", ""), []manifest.Mistake{{"Init.lua", idle("Init")}, {"int.lua", idle("int")}}},
		{"tools and examples", files(start, "", "util.lua", "", "unit.lua", "", "docs/example.lua", "", "tools/init.lua", ""), nil},
		{"in a folder of shared", files(start, "", "shared/a/b.lua", ""), []manifest.Mistake{{"shared/a/b.lua", idle("shared.a.b")}}},
		{"misspelt", files(start, "", "server/initt.lua", ""), []manifest.Mistake{{"server/initt.lua", idle("server.initt")}}},
		{"required", files(start, `require "init" require('server.a') exec [[shared/lib/b.lua]] local c = require ( "shared.c" )`, "init.lua", "", "server/a.lua", "", "shared/lib/b.lua", "", "shared/c/init.lua", ""), nil},
		{"required by a test only", files(start, "", "server/a.lua", "", "test/x_test.lua", `require "server.a"`), []manifest.Mistake{{"server/a.lua", idle("server.a")}}},
		{"a computed name", files(start, `for _, n in ipairs(list) do require(n) end`, "server/a.lua", ""), nil},
		{"a name computed from a literal", files(start, `for _, n in ipairs(list) do require("server." .. n) end`, "server/a.lua", ""), nil},
		{"an alias", files(start, `local load = require load "server.a"`, "server/a.lua", ""), nil},
		{"a file of more than 4 MiB", files(start, `require "server.a"`+strings.Repeat(" ", 4<<20), "server/a.lua", ""), nil},
		{"a file that cannot be read", unreadable{files(start, `require "server.a"`, "server/a.lua", ""), start}, nil},
		{"hidden folders and other files", files(start, "", ".git/a.lua", "", ".luarc.json", "", "lua/readme.txt", ""), nil},
		{"a mod in a mod", files(start, "", "m/mod.toml", "", "m/server/init.lua", ""), []manifest.Mistake{
			{"m/mod.toml", "torc does not read this file: the folder of a mod must lie directly in a folder of mods"},
		}},
	} {
		assert.Equal(t, c.want, manifest.FilesOf(c.dir).Mistakes(), c.name)
	}
	many := files(start, "").(fstest.MapFS)
	for i := range 30 {
		many[fmt.Sprintf("server/a%d.lua", i)] = &fstest.MapFile{}
	}
	assert.Len(t, manifest.FilesOf(many).Mistakes(), 10)
}

func TestStockModsHaveNoMistakes(t *testing.T) {
	names, err := fs.Glob(mods.FS(), "*/mod.toml")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		dir, err := fs.Sub(mods.FS(), name[:len(name)-len("/mod.toml")])
		require.NoError(t, err)
		assert.Empty(t, manifest.FilesOf(dir).Mistakes(), name)
	}
}

func TestMentions(t *testing.T) {
	dir := files("server/a.lua", "-- onHit runs\nfunction Flag:onHit() end\n\t--onHit\nx.onHitAll() schedule(1, 'onHit') -- y", "shared/b.lua", "o:onHit() o:onHit()", "note.txt", "onHit")
	assert.Equal(t, 4, manifest.FilesOf(dir).Mentions("onHit"))
	assert.Equal(t, 6, manifest.FilesOf(dir).Mentions("onHit", "onHitAll", "schedule"))
	assert.Zero(t, manifest.FilesOf(dir).Mentions("on.it"))
}

func BenchmarkMistakes(b *testing.B) {
	dir, err := fs.Sub(mods.FS(), "ctf")
	require.NoError(b, err)
	for b.Loop() {
		manifest.FilesOf(dir).Mistakes()
	}
}
