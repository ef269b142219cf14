package script_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mistakes are mods with one mistake each, in server/init.lua, and what the server says when it
// loads them. TestBadMods of package lint has what `torc mod check` says.
var mistakes = []struct{ source, want string }{
	{`function serverCmd.Bye() end override(serverCmd, "Byee", function() end)`, `m: mods/m/server/init.lua:1: override: nothing defines serverCmd.Byee, did you mean 'Bye'?`},
	{`override(serverCmd, "Kye", function() end)`, `m: mods/m/server/init.lua:1: override: nothing defines serverCmd.Kye, did you mean 'Key'?`},
	{`override(serverCmd, "Quest", function() end)`, `m: mods/m/server/init.lua:1: override: nothing defines serverCmd.Quest: there are Key, `},
	{`override(import "base", "mesageAll", function() end)`, `m: mods/m/server/init.lua:1: override: nothing defines mesageAll of mod base, did you mean 'messageAll'?`},
	{`override("Player", "onDamge", function() end)`, `m: mods/m/server/init.lua:1: override: nothing defines onDamge of class Player, did you mean 'onDamage'?`},
	{`D = datablock "ItemData" "D" {} override(D, "onColision", function() end)`, `m: mods/m/server/init.lua:1: override: nothing defines onColision of datablock D, did you mean 'onCollision'?`},
	{`addBot().score = 3`, `:1: unknown field "score" of GameConnection: a value of the mod belongs in obj.own.score`},
	{`echo(addBot().score)`, `:1: unknown field "score" of GameConnection: a value of the mod belongs in obj.own.score`},
	{`class "X" {} function X:onAdd() end`, `:1: attempt to index global 'X' (a nil value): class "X" sets no global, write X = class "X" {…}`},
	{`class "X" {} X()`, `:1: attempt to call global 'X' (a nil value): class "X" sets no global, write X = class "X" {…}`},
	{`class "X" {} echo(X)`, `:1: the global 'X' was never assigned and is nil: class "X" sets no global, write X = class "X" {…}`},
	{`datablock "ItemData" "Y" {} Y.mass = 2`, `:1: attempt to index global 'Y' (a nil value): datablock "ItemData" "Y" sets no global, write Y = datablock "ItemData" "Y" {…}`},
	{`new "Box" { name = "Tower" } Tower:delete()`, `:1: attempt to index global 'Tower' (a nil value): the name of an object is no global, write find("Tower")`},
	{`Player.x = 1`, `:1: attempt to index global 'Player' (a nil value): the name of a class is no global, write "Player"`},
	{`for c in clientGroup do echo(c) end`, `:1: attempt to call a userdata value: write for o in group:each() do`},
	{`for c in pairs(clientGroup) do echo(c) end`, `:1: pairs: argument 1 (table) must be a table, not an object: write for o in group:each() do`},
	{`for i, c in ipairs(clientGroup) do echo(i, c) end`, `:1: ipairs: argument 1 (list) must be a table, not an object: write for o in group:each() do`},
	{`next(clientGroup)`, `:1: next: argument 1 (table) must be a table, not an object: write for o in group:each() do`},
	{`for v in { 1 } do echo(v) end`, `:1: attempt to call a table value: write pairs(table) or ipairs(list)`},
	{`functon foo() end`, `:1: syntax error near 'foo': did you mean 'function' for 'functon'?`},
	{"echo(1)\n1 + 2", `:2: syntax error near '1': nothing uses the value of this line: write x = … to keep it, or call a function`},
	{`echo(vec(1, 2, 3) + 5)`, `:1: a vec and a number cannot be added: both must be a vec, as in v + vec(0, 0, 5)`},
	{`echo(vec(1, 2, 3) - 5)`, `:1: a number cannot be subtracted from a vec: both must be a vec, as in v - vec(0, 0, 5)`},
	{`echo(vec() * vec())`, `:1: two vecs cannot be multiplied: write a:dot(b) or a:cross(b)`},
	{`echo(vec() * {})`, `:1: a vec and a table cannot be multiplied: a vec needs a number, as in v * 5`},
	{`echo(vec() / vec())`, `:1: a vec cannot be divided by a vec: a vec needs a number, as in v / 5`},
	{`echo(2 / vec())`, `:1: a number cannot be divided by a vec`},
	{`echo(vec() ^ 2)`, `:1: a vec has no operator ^`},
	{`datablock "PlayerData" "P" {} local p = new "Player" { dataBlock = "P" } p:setTransfrom(vec())`, `:1: Player has no field or method "setTransfrom", did you mean "setTransform"?`},
	{`spawn(function() pcall(function() wait(1) end) end)`, `m: mods/m/server/init.lua:1: wait: only a function that spawn has started can wait, not a pcall, coroutine or callback in it`},
	{`pcall(wait, 1)`, `m: wait: only a function that spawn has started can wait, not a pcall, coroutine or callback in it`},
}

// TestMistakesNameWhatIsRight checks the texts of mistakes that modders make often, in the order of
// the load: of the files, and of the first tick.
func TestMistakesNameWhatIsRight(t *testing.T) {
	for _, c := range mistakes {
		h := newHalf(t, 1, true, folder(map[string]string{"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\n", "m/server/init.lua": c.source}))
		var said []string
		for _, err := range h.scripts.LoadMods("base", "m") {
			said = append(said, err.Error())
		}
		h.host.Tick(0)
		said = append(said, h.log...)
		assert.Contains(t, strings.Join(said, "\n"), c.want, c.source)
	}
}

// TestOverridesOfFunctionsThatExist checks that no override is called a mistake whose function is
// defined by any mod, or called by the engine.
func TestOverridesOfFunctionsThatExist(t *testing.T) {
	h := newHalf(t, 1, true, folder(map[string]string{
		"a/mod.toml": "name = \"a\"\nversion = \"1.0.0\"\n",
		"a/server/init.lua": `function serverCmdGo() end export("shout", function() end) F = class "F" {} function F:hit() end
			D = datablock "ItemData" "D" {} function D:used() end`,
		"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"a\"]\n",
		"m/server/init.lua": `local none = function() end override(serverCmd, "go", none) override(import "a", "shout", none)
			override("F", "hit", none) override("F", "onAdd", none) override("Player", "onDamage", none)
			class "G" { inherit = "F" } override("G", "hit", none)
			datablock "ItemData" "E" { inherit = "D" } override(find("E"), "used", none) override(find("D"), "onCollision", none)
			override(serverCmd, "Later", none)`,
		"z/mod.toml":        "name = \"z\"\nversion = \"1.0.0\"\n",
		"z/server/init.lua": `function serverCmd.Later() end`,
	}))
	require.Empty(t, h.scripts.LoadMods("base", "a", "m", "z"))
	assert.Empty(t, h.log)
}

// folder is a folder of mods in memory.
func folder(files map[string]string) fstest.MapFS {
	dir := fstest.MapFS{}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return dir
}
