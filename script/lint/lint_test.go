package lint_test

import (
	"io/fs"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/lint"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/reference"
)

var known *reference.Model

// serverModel returns the names that a server's mods can call. It is made once.
func serverModel(t testing.TB) *reference.Model {
	t.Helper()
	if known != nil {
		return known
	}
	classes := sim.NewClasses()
	require.NoError(t, engine.Register(classes))
	require.NoError(t, game.Register(classes))
	entropy := rand.NewChaCha8([32]byte{1})
	id, err := seal.NewIdentity(entropy)
	require.NoError(t, err)
	c := console.New(func(string) {})
	host := engine.NewHost(engine.Config{Server: true, Classes: classes, Identity: id, Entropy: entropy})
	require.NoError(t, host.Bind(c))
	scripts, err := script.NewScripts(script.Setup{Engine: host, Console: c, Parts: script.NewParts(nil)})
	require.NoError(t, err)
	known = scripts.Reference()
	known.Commands = append(known.Commands, reference.ConsoleName{Name: "kick", Realm: "S"}) // the program adds such commands
	return known
}

// embedded returns the mods that come with the program.
func embedded(t testing.TB) map[string]*manifest.Manifest {
	t.Helper()
	installed, bad := manifest.Discover(mods.FS())
	require.Empty(t, bad)
	return installed
}

// check returns the complaints about a mod called m, made of files by name.
func check(t testing.TB, files map[string]string) []string {
	t.Helper()
	dir := fstest.MapFS{}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	installed := map[string]*manifest.Manifest{}
	for _, f := range dir { // reading base is slow
		if regexp.MustCompile(`import|override|sv\.|version`).Match(f.Data) {
			installed = embedded(t)
		}
	}
	if dir["mod.toml"] == nil {
		dir["mod.toml"] = &fstest.MapFile{Data: []byte("name = \"m\"\nversion = \"1.0.0\"\n")}
	}
	found, err := lint.Check(serverModel(t), "m", dir, installed)
	require.NoError(t, err)
	list := []string{}
	for _, f := range found {
		list = append(list, f.String())
	}
	return list
}

func TestEmbeddedModsAreClean(t *testing.T) {
	installed := embedded(t)
	for _, name := range []string{"base", "ctf", "deathmatch", "hello"} {
		require.NotNil(t, installed[name])
		found, err := lint.Check(serverModel(t), name, installed[name].FS, installed)
		require.NoError(t, err)
		assert.Empty(t, found, name)
	}
}

// TestSingleMistakesAreFound checks that a single mistake in any mod is found at its place.
func TestSingleMistakesAreFound(t *testing.T) {
	installed := embedded(t)
	for _, c := range []struct{ mod, file, from, to, want string }{
		{"ctf", "server/flags.lua", "self:setScopeAlways()", "self:setScopeAlway()", `class Flag has no setScopeAlway, did you mean "setScopeAlways"? (unknown)`},
		{"ctf", "server/flags.lua", "if list[self.team] == self then", "if list[self.taem] == self then", `class Flag has no taem, did you mean "team"? (unknown)`},
		{"ctf", "shared/armors.lua", "maxEnergy = 60,", "maxEnergie = 60,", `class PlayerData has no field maxEnergie, did you mean "maxEnergy"? (unknown)`},
		{"ctf", "server/init.lua", "GameConnection.onClientEnterGame", "GameConnection.onClientEnteredGame", `nothing calls GameConnection.onClientEnteredGame, did you mean "onClientEnterGame"? (callback)`},
		{"ctf", "server/chat.lua", "base.chatLine(", "base.chatline(", `mod base exports no "chatline", did you mean "chatLine"? (unknown)`},
		{"base", "server/spawn.lua", "math.sqrt", "math.sqr", `there is no math.sqr, did you mean "sqrt"? (unknown)`},
		{"hello", "server/init.lua", "block.mass", "block.mess", ``}, // find can return any object
		{"deathmatch", "server/init.lua", "dataBlock = Fighter", "datablok = Fighter", `class Player has no field datablok, did you mean "dataBlock"? (unknown)`},
		{"deathmatch", "server/init.lua", `import "base"`, `import "bass"`, `mod.toml does not list bass: write depends = ["bass"], or use optional if the mod can run without it (depends)`},
	} {
		dir := fstest.MapFS{}
		require.NoError(t, fs.WalkDir(installed[c.mod].FS, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(installed[c.mod].FS, name)
			dir[name] = &fstest.MapFile{Data: text}
			return err
		}))
		text := string(dir[c.file].Data)
		require.Contains(t, text, c.from)
		dir[c.file] = &fstest.MapFile{Data: []byte(strings.Replace(text, c.from, c.to, 1))}
		found, err := lint.Check(serverModel(t), c.mod, dir, installed)
		require.NoError(t, err)
		if c.want == "" {
			assert.Empty(t, found, c.to)
			continue
		}
		require.NotEmpty(t, found, c.to)
		assert.Contains(t, found[0].String(), c.file+":")
		assert.Contains(t, found[0].String(), c.want)
	}
}

// FuzzCheck checks that no file content can crash the check.
func FuzzCheck(f *testing.F) {
	for i, c := range bad {
		if i%8 == 0 || testenv.Fuzzing() { // TestBadMods checks each
			f.Add(c.source)
		}
	}
	f.Add(`for p in objects "" do echo(p.x) end F = class "" { fields = { [""] = ref "", x = ref '"' } } F.x = 1 new "" { x = 1 }`)
	f.Fuzz(func(t *testing.T, source string) {
		for _, found := range check(t, map[string]string{"server/init.lua": source}) {
			if strings.Contains(found, "\n") {
				t.Fatal(found)
			}
		}
	})
}

// TestTestsOfDependenciesDefineNothing checks that the tests of a mod give its dependents no
// exports, and that a mistake in a dependency is not reported.
func TestTestsOfDependenciesDefineNothing(t *testing.T) {
	files := func(name, lua, test, more string) fstest.MapFS {
		return fstest.MapFS{
			"mod.toml":         {Data: []byte("name = \"" + name + "\"\nversion = \"1.0.0\"\n" + more)},
			"server/init.lua":  {Data: []byte(lua)},
			"test/a_test.lua":  {Data: []byte(test)},
			"server/wrong.lua": {Data: []byte("")},
		}
	}
	dep := files("dep", `export("run", echo) goto nowhere`, `export("tested", echo)`, "")
	manifests, bad := map[string]*manifest.Manifest{}, error(nil)
	manifests["dep"], bad = manifest.Read("dep", dep)
	require.NoError(t, bad)
	mod := files("m", `local d = import "dep" d.run() d.tested()`, "", "depends = [\"dep\"]\n")
	delete(mod, "server/wrong.lua")
	found, err := lint.Check(serverModel(t), "m", mod, manifests)
	require.NoError(t, err)
	require.Len(t, found, 1, "%v", found)
	assert.Contains(t, found[0].String(), `mod dep exports no "tested"`)
}
