package script_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// guide returns the files of a mod that sections from..to of the guide show. Each block of Lua
// begins with a file name; blocks without one belong to server/init.lua. Without to it reads the
// remaining sections.
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
	for _, block := range regexp.MustCompile("(?s)```lua\n(?:-- (\\S+\\.lua)\n)?(.*?)```").FindAllStringSubmatch(part, -1) {
		mod["race/"+cmp.Or(block[1], "server/init.lua")] += block[2]
	}
	return mod
}

func TestTheGuideToCommandsAndTime(t *testing.T) {
	mod := guide(t, "2. ", "8. ")
	require.Len(t, mod, 3)
	p := join(t, mod, map[string]string{"race/client/init.lua": mod["race/client/init.lua"]}, "race")
	p.client.line("race.go")
	p.run(time.Second)
	assert.Equal(t, []string{"Dood was first."}, p.client.out)
	p.server.steps(step{`find("Flag").mass = 3 return HeavyFlag.mass, HeavyFlag.friction, clientGroup:at(1).name`, "9\t0.5\t\"Dood\""})
	p.run(time.Second)
	p.client.steps(step{`find("Flag").mass`, `3`})
	p.run(5 * time.Second)
	assert.Equal(t, []string{"Nobody was first."}, p.client.out)
	p.client.line(`disconnect "enough"`)
	p.run(time.Second)
	assert.Equal(t, []string{"Dood left: enough"}, p.server.out)
	assert.Empty(t, p.server.log)
}

func TestTheGuideToSettingsRightsAndStorage(t *testing.T) {
	mod := guide(t, "14. ", "")
	mod["race/server/init.lua"] += `export("total", function() return laps.total end)`
	p := join(t, mod, nil, "race")
	says := func(line string) []string {
		p.client.line(fmt.Sprintf("commandToServer(%q, %q)", "MessageSent", line))
		p.run(time.Second)
		return p.client.out
	}
	p.server.line(`dood = clientGroup:at(1) theirs = import("race")`)
	p.server.steps(
		step{`race.rounds, race.ground`, "5\t\"dry\""}, step{`race.rounds = 100`, `~whole number from 1 to 99`},
		step{`race.ground wet`, "now\twet"}, step{`race.ground = "damp"`, `~dry or wet`}, step{`race.restart`, `the operator has restarted the race`},
	)
	assert.Equal(t, []string{"in the field"}, says("/where"))
	assert.Equal(t, []string{"no such command"}, says("/race.restart"))
	p.server.rights.roles["Dood"] = "referee"
	assert.Equal(t, []string{"Dood has restarted the race"}, says("/race.restart"))
	assert.Empty(t, says("a secret"))
	p.client.line(`commandToServer "RaceStop"`)
	p.run(time.Second)
	p.server.steps(step{`theirs.total()`, `-1`}, step{`theirs.leads(dood)`, ``}, step{`theirs.leader()`, `"Dood"`})
	p.run(time.Second)
	assert.Equal(t, []string{"Dood leads."}, p.client.out)

	p.server.steps(step{`theirs.win(dood)`, `1`}, step{`theirs.win(dood)`, `2`}, step{`theirs.most()`, `2`})
	p.run(time.Second)
	p.server.store.hold = true
	p.server.steps(step{`theirs.win(dood)`, `3`})
	p.run(time.Second)
	p.server.store.release(1, errors.New("disk full"))
	p.run(time.Second)
	p.server.steps(step{`theirs.most()`, `2`})
	require.Len(t, p.server.log, 1)
	assert.Contains(t, p.server.log[0], "not stored: disk full")
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
	p.server.steps(step{`body:damage(nil, body.position, 20, "lava")`, ``}, step{`clientGroup:at(1):setMove { y = 1 }`, `~is controlled by a remote player`})
	p.client.line(`server:setMove { y = 1 }`)
	p.run(time.Second)
	p.client.steps(
		step{`hud`, "1 lap 1 of 3\n15 Welcome, Dood\n16 20 lost by lava\nbottom right Dood\nbottom right Health: 75%"},
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

// TestTheGuideToReloads runs the mod of the earlier sections with the additions of section 16. It
// is reloaded while a player waits to spawn.
func TestTheGuideToReloads(t *testing.T) {
	mod := guide(t, "10. ", "14. ")
	for name, text := range guide(t, "16. ", "") {
		mod[name] += text
	}
	folder := files(mod).(fstest.MapFS)
	p := joinFolders(t, nil, folder, files(map[string]string{"race/client/init.lua": mod["race/client/init.lua"]}), "race")
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
