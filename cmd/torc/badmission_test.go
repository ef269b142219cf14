package main

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// badMissions are faulty missions with the expected messages: for the caller that loads the
// mission, and at the faulty line.
var badMissions = map[string]struct{ lua, says string }{
	"syntax":   {`new "Marker" { position = `, "bad/missions/syntax.lua:1"},
	"class":    {"new \"Marker\" {}\nnew \"Markor\" {}", `bad/missions/class.lua:2: new: unknown class`},
	"block":    {`new "Item" { dataBlock = "Nowhere" }`, "dataBlock"},
	"noblock":  {`new "Item" {}`, "dataBlock"},
	"field":    {`new "TerrainBlock" { hight = 3 }`, `did you mean "height"`},
	"number":   {`new "TerrainBlock" { height = 0/0 }`, "height must be a number"},
	"far":      {`new "SpawnSphere" { position = vec(1e9, 0, 0) }`, "position must be a vec"},
	"global":   {`place(3)`, "attempt to call global 'place' (a nil value)"},
	"raises":   {`error { "no text" }`, "error object is a table"},
	"endless":  {`while true do end`, "bad/missions/endless.lua"},
	"hoard":    {`while true do new "Marker" {} end`, "bad/missions/hoard.lua"},
	"memory":   {`local s = "x" while true do s = s .. s end`, "bad/missions/memory.lua"},
	"deep":     {`local function f() return 1 + f() end f()`, "bad/missions/deep.lua"},
	"waits":    {`coroutine.yield()`, "bad/missions/waits.lua"},
	"itself":   {`loadMission "itself2"`, ""},
	"itself2":  {`schedule(0, loadMission, "valley")`, ""},
	"suicide":  {`for i = 1, 9 do new "Marker" {} end for o in missionGroup:each() do o:delete() end`, ""},
	"group":    {`missionGroup:delete()`, "cannot be deleted"},
	"everyone": {`for c in clientGroup:each() do c:delete() end`, ""},
	"bodies":   {`for o in objects "Player" do o:delete() end for c in clientGroup:each() do c:setControlObject(nil) end`, ""},
	"stacked":  {`for i = 1, 200 do new "Vehicle" { dataBlock = "Tank", position = vec(0, 0, 5) } new "Box" { size = vec(3, 3, 3) } end`, ""},
	"flags":    {`for i = 1, 20 do new "Flag" { dataBlock = "FlagItem", team = 1 + i % 2 } end`, ""},
	"nothing":  {``, ""},
}

// TestBadMissions loads faulty missions. The error names the line, the objects loaded so far can be
// played, and the next mission loads as usual.
func TestBadMissions(t *testing.T) {
	t.Parallel()
	folder := fstest.MapFS{"bad/mod.toml": {Data: []byte("name = \"bad\"\nversion = \"1.0.0\"\ndepends = [\"ctf\"]\n")}}
	require.NoError(t, fs.WalkDir(mods.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			var data []byte
			data, err = fs.ReadFile(mods.FS(), name)
			folder[name] = &fstest.MapFile{Data: data}
		}
		return err
	}))
	for name, m := range badMissions {
		folder["bad/missions/"+name+".lua"] = &fstest.MapFile{Data: []byte(m.lua)}
	}
	for _, name := range testenv.EveryKey(8, badMissions) {
		m := badMissions[name]
		t.Run(name, func(t *testing.T) {
			b := &table{newHalf(t, 3, true, folder), netsim.New(3), 0}
			b.net.Attach(netcore.SimAddr(1), b.host)
			require.Empty(t, b.scripts.LoadMods("base", "ctf", "bad"))
			b.say(`ctf.warmup = 0`)
			b.say(`mod.loadInstructions = 5000000`) // a billion instructions take minutes under the race detector
			b.run(time.Second)
			ann := b.join("Ann", 2)
			b.addBots(2)
			b.run(time.Second)
			_, err := b.console.Exec("mission " + name)
			if m.says == "" {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
				assert.Contains(t, err.Error(), m.says)
				assert.Less(t, strings.Count(err.Error(), "\n"), 30)
			}
			b.run(4 * time.Second)
			if name != "everyone" {
				require.NotNil(t, ann.own(), "somebody plays")
			}
			b.say("mission valley")
			b.run(3 * time.Second)
			if name == "everyone" {
				return
			}
			assert.Equal(t, `"Player"`, ann.say(`server.controlObject.className`))
			assert.Equal(t, "2", b.say(`(function() local n = 0 for _ in objects "Flag" do n = n + 1 end return n end)()`))
			assert.Empty(t, ann.log)
			for _, line := range b.log { // the scripts of the game go on
				assert.Regexp(t, "ghost table is full|^bad: mods/bad/missions/global.lua:1: the global 'place' was never assigned", line)
			}
		})
	}
}
