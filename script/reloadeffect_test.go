package script_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// meddling is what files may do to what is there, and to whoever plays.
const meddling = `
	local client, first = clientGroup:at(1), find "First"
	local eye = new "Camera" { name = "Eye" }
	client:setControlObject(eye)
	client:setScopeObject(eye)
	client:setScopeView { distance = 5 }
	client:setScopeGroups { 3 }
	client.name = "Nobody"
	find("Bot"):moveTo(vec(9, 9, 9))
	first:setScopeGroups { 5 }
	first:setScopeAlways()
	first:scopeToClient(client)
	find("Second"):clearScopeToClient(client)
	first.position = vec(7, 7, 7)
	first.name = "Renamed"
	client:add(first)
	find("Bag"):add(first)
	find("Bag"):remove(find "Second")
	find("Second"):delete()
	commandToClient(client, "Told")
	commandToAll("Told")
	client:resetGhosting()
	client:setRate { packets = 3, size = 200 }
	setSimulatedNetParams(client, { delay = 1 })
	for c in clientGroup:each() do c:disconnect("away") end
	loadMission "other"
`

// What files do to others while they are loaded is taken back when they fail,
// and what cannot be is not done before they hold.
func TestFilesMeddle(t *testing.T) {
	folder := files(map[string]string{"m/server/init.lua": ``, "m/missions/other.lua": `echo "another mission"`}).(fstest.MapFS)
	p := joinFolders(t, func(*sim.Classes) {}, folder, files(map[string]string{}), "m")
	p.client.line(`function clientCmd.Told() echo "told" end`)
	for _, line := range []string{
		`client = clientGroup:at(1)`, `bag = new "SimSet" { name = "Bag" }`, `cam = new "Camera" { name = "Cam" }`, `client:setControlObject(cam)`, `client:setScopeObject(cam)`,
		`block = datablock "ItemData" "Stone" {}`,
		`for _, name in ipairs { "First", "Second" } do bag:add(new "Item" { name = name, dataBlock = block }) find(name):scopeToClient(client) end`,
		`find("First"):clearScopeToClient(client)`, `bot = addBot "Bot"`, `addBot("Other")`,
	} {
		require.NotContains(t, p.server.line(line), "error", line)
	}
	p.run(time.Second)
	state := func() string {
		return p.server.scripts.Dump() + p.server.line(`client.controlObject, client.scopeObject, client.name, client.phase, bot.moving, #bag, bag:at(1), bag:at(2), find("First").group`)
	}
	write(folder, "m/server/init.lua", "local real, find = find find = function(n) return n == \"Bot\" and clientGroup:at(2) or real(n) end"+meddling+"error 'no'")
	state() // makes the handles that it shows
	before := state()
	require.Contains(t, p.server.line("mod reload m"), "mods/m/server/init.lua:27: no")
	assert.Empty(t, difference(before, state()))
	p.client.out, p.server.out = nil, nil
	p.stays()
	assert.Empty(t, append(p.client.out, p.server.out...))
	assert.Empty(t, difference(before, state()))
	write(folder, "m/server/init.lua", "local real, find = find find = function(n) return n == \"Bot\" and clientGroup:at(2) or real(n) end"+meddling)
	require.Contains(t, p.server.line("mod reload m"), "m 1.0.0 reloaded")
	p.server.steps(step{`isObject "First", isObject "Second", #bag, find("Renamed").position`, "false\tfalse\t1\tvec(7, 7, 7)"})
	p.run(time.Second)
	assert.Contains(t, p.server.out, "another mission")
	assert.True(t, p.client.host.Server() == nil, "it was sent away")
	assert.Empty(t, p.server.host.Connections())
}
