package script_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// guide is the files of a mod that the guide's sections from..to show: blocks
// of Lua that begin with the name of a file. Without to they are all the rest.
func guide(t *testing.T, from, to string) map[string]string {
	page, err := os.ReadFile("../docs/mods.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(page), "\n## "+from)
	require.True(t, ok, from)
	part := rest
	if to != "" {
		part, _, ok = strings.Cut(rest, "\n## "+to)
		require.True(t, ok, to)
	}
	mod := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```lua\n-- (\\S+\\.lua)\n(.*?)```").FindAllStringSubmatch(part, -1) {
		mod["race/"+block[1]] += block[2]
	}
	return mod
}

func TestTheGuideToClassesAndScope(t *testing.T) {
	mod := guide(t, "8. ", "10. ")
	require.Len(t, mod, 3)
	client := map[string]string{"race/shared/classes.lua": mod["race/shared/classes.lua"], "race/client/init.lua": mod["race/client/init.lua"]}
	p := join(t, mod, client, "race")
	assert.Contains(t, p.client.line("race.flags"), "red base\t1")
	p.server.steps(
		step{`(function() for f in objects "Flag" do flag = f end end)()`, ``},
		step{`flag.heat = 0.5 return flag.home, flag.lit, flag:points(), clientGroup:at(1).scopeObject.className`, "vec(0, 0, 10)\ttrue\t1\t\"Item\""},
	)
	p.run(time.Second)
	p.server.steps(step{`flag.heat < 0.3`, `true`}, step{`flag.lit = false`, ``})
	p.run(2 * time.Second)
	assert.Equal(t, []string{"Flag has left"}, p.client.out)
	p.server.line(`flag:delete()`)
	p.run(time.Second)
	assert.Equal(t, []string{"red base is gone"}, p.server.out)
	assert.Empty(t, p.server.log)
	assert.Empty(t, p.client.log)
}

func TestTheGuideToControlEventsBotsAndTheScreen(t *testing.T) {
	mod := guide(t, "10. ", "14. ")
	require.Len(t, mod, 3)
	p := join(t, mod, map[string]string{"race/client/init.lua": mod["race/client/init.lua"]}, "race")
	p.client.steps(step{`server.controlObject.shapeName`, `"Dood"`}, step{`hud`, "1 lap 1 of 3\n15 Welcome, Dood"})
	p.server.line(`body = clientGroup:at(1).controlObject`)
	p.server.steps(step{`body:damage(nil, body.position, 20, "lava")`, ``}, step{`clientGroup:at(1):setMove { y = 1 }`, `~is played from elsewhere`})
	p.client.line(`server:setMove { y = 1 }`)
	p.run(time.Second)
	p.client.steps(
		step{`hud`, "1 lap 1 of 3\n15 Welcome, Dood\n16 20 lost by lava"},
		step{`server.controlObject.position:length() > 5, math.floor(server.controlObject.damageLevel)`, "true\t20"},
		step{`server.controlObject:getEyePoint().z > 1`, `true`},
		step{`server:stop()`, ``},
	)
	p.server.line(`datablock "ItemData" "Cup" {} new "Item" { dataBlock = find "Cup", position = body.position }`)
	p.run(time.Second)
	p.client.steps(step{`hud`, "~15 You have found a Cup."})
	p.server.steps(step{`body:damage(nil, body.position, 80, "lava") return body:isDestroyed()`, `true`})
	p.run(4 * time.Second)
	p.server.steps(step{`isObject(body), clientGroup:at(1).controlObject.damageLevel`, "false\t0"})
	p.client.line(`key use`)
	p.run(time.Second)
	assert.Equal(t, []string{"There is nothing to use here."}, p.client.out)

	p.server.line(`new "Marker" { name = "RaceFlag", position = vec(30, 0, 0) } bot = addBot "Fred"`)
	p.run(8 * time.Second)
	p.server.steps(
		step{`(bot.controlObject.position - vec(30, 0, 0)):length() < 4, bot.steeredBy`, "true\t\"race\""},
	)
	assert.Empty(t, p.server.log)
	assert.Empty(t, p.client.log)
}

// The mod of the sections before with what section 16 adds to it: it is
// reloaded while somebody waits to appear.
func TestTheGuideToReloads(t *testing.T) {
	mod := guide(t, "10. ", "14. ")
	for name, text := range guide(t, "16. ", "") {
		mod[name] += text
	}
	folder := files(mod).(fstest.MapFS)
	p := joinFolders(t, func(*sim.Classes) {}, folder, files(map[string]string{"race/client/init.lua": mod["race/client/init.lua"]}), "race")
	folder["race/server/init.lua"].Data = append(folder["race/server/init.lua"].Data, `
		laps.total = laps.total + 1
		export("again", function(client, ms) client.controlObject:delete() again(client, now() + ms) end)
		export("laps", function() return laps.total end)`...)
	require.NoError(t, p.server.scripts.ReloadNow("race"))
	p.server.steps(step{`import("race").again(clientGroup:at(1), 1000)`, ``})
	p.run(500 * time.Millisecond)
	for range 3 {
		require.NoError(t, p.server.scripts.ReloadNow("race"))
	}
	p.server.steps(step{`clientGroup:at(1).controlObject`, `nil`}, step{`import("race").laps()`, `0`})
	p.run(time.Second)
	p.server.steps(step{`clientGroup:at(1).controlObject.className`, `"Player"`})
	assert.Empty(t, p.server.log)
}
