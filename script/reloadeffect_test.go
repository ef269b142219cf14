package script_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// meddling lists changes that files can make to objects and players of the game.
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
	local group, man, other = new "SimGroup" {}, find "Man", new "Player" { dataBlock = "Body" }
	group:add(find "Third")
	group:delete()
	man:damage(nil, vec(), 5)
	man:setEnergy(-1)
	other:damage(man, vec(), 5)
	radiusDamage(nil, vec(0, 0, 0), 10, 7)
	assert(other.damageLevel == 0 and man.damageLevel == 0)
	for id = 1, 1000 do cancel(id) end
	for i = 1, 20 do commandToClient(client, "Long", ("x"):rep(30000)) end
	commandToClient(client, "Told")
	commandToAll("Told")
	client:resetGhosting()
	client:setRate { packets = 3, size = 200 } client:setFirstPerson(false) client:setControlCameraFov(40) client:setDamageFlash(0.5, 0) client:setWhiteOut(1, 0)
	setSimulatedNetParams(client, { delay = 1 })
	for c in clientGroup:each() do c:disconnect("away") end
	for i = 1, 4 do loadMission "other" end
`

// TestFailingFilesAreRolledBack checks that effects of files on other objects are rolled back when
// the files fail. Effects without a rollback wait until the load succeeds.
func TestFailingFilesAreRolledBack(t *testing.T) {
	folder := files(map[string]string{"m/server/init.lua": ``, "m/missions/other.lua": `echo "another mission"`}).(fstest.MapFS)
	p := joinFolders(t, nil, folder, files(map[string]string{}), "m")
	p.client.line(`function clientCmd.Told() echo "told" end`)
	for _, line := range []string{
		`client = clientGroup:at(1)`, `bag = new "SimSet" { name = "Bag" }`, `cam = new "Camera" { name = "Cam" }`, `client:setControlObject(cam)`, `client:setScopeObject(cam)`,
		`block = datablock "ItemData" "Stone" {}`,
		`for _, name in ipairs { "First", "Second" } do bag:add(new "Item" { name = name, dataBlock = block }) find(name):scopeToClient(client) end`,
		`new "Item" { name = "Third", dataBlock = block }`, `datablock "PlayerData" "Body" {}`, `new "Player" { name = "Man", dataBlock = "Body" }`, `schedule(1e6, print)`,
		`find("First"):clearScopeToClient(client)`, `bot = addBot "Bot"`, `addBot("Other")`,
	} {
		require.NotContains(t, p.server.line(line), "error", line)
	}
	p.run(time.Second)
	state := func() string {
		return p.server.scripts.Dump() + p.server.line(`client.controlObject, client.scopeObject, client.name, client.phase, client.firstPerson, client.controlCameraFov, client.damageFlash, client.whiteOut, bot.moving, #bag, bag:at(1), bag:at(2), find("First").group, find("Third").group`)
	}
	write(folder, "m/server/init.lua", "local real, find = find find = function(n) return n == \"Bot\" and clientGroup:at(2) or real(n) end"+meddling+"error 'no'")
	state() // makes the handles that it shows
	before := state()
	require.Contains(t, p.server.line("mod reload m"), "mods/m/server/init.lua:37: no")
	assert.Empty(t, difference(before, state()))
	p.client.out, p.server.out = nil, nil
	p.stays()
	assert.Empty(t, append(p.client.out, p.server.out...))
	assert.Empty(t, difference(before, state()))
	write(folder, "m/server/init.lua", "local real, find = find find = function(n) return n == \"Bot\" and clientGroup:at(2) or real(n) end"+meddling)
	require.Contains(t, p.server.line("mod reload m"), "m 1.0.0 reloaded")
	p.server.steps(step{`isObject "First", isObject "Second", isObject "Third", #bag, find("Renamed").position`, "false\tfalse\tfalse\t1\tvec(7, 7, 7)"},
		step{`find("Man").damageLevel, isEventPending(1)`, "12\tfalse"})
	assert.Equal(t, []string{
		"m: load: mods/m/server/init.lua:24: ShapeBase:setEnergy: amount must be a number from 0 to 100000, got -1",
		"m: load: mods/m/server/init.lua:29: commandToClient: 512 KiB of this mod's commands are waiting",
	}, p.server.log)
	p.run(time.Second)
	assert.Contains(t, p.server.out, "another mission")
	assert.True(t, p.client.host.Server() == nil, "it was sent away")
	assert.Empty(t, p.server.host.Connections())
}

// TestAFirstLoadThatFails checks that a mod that fails in its first load changes nothing, on
// either side.
func TestAFirstLoadThatFails(t *testing.T) {
	for _, side := range []string{"server", "client"} {
		folder := files(map[string]string{
			"good/" + side + "/init.lua": `mine = new "ScriptObject" { name = "Mine" } timer = schedule(100, print) export("ok", function() return isEventPending(timer) end)`,
			"m/" + side + "/init.lua": `
				local mine, bag = find "Mine", new "SimSet" {}
				bag:add(mine)
				new("SimGroup") {}:add(mine)
				mine.name = "Renamed"
				mine:delete()
				for id = 1, 100 do cancel(id) end
				error "no"`,
		})
		h := newHalfOf(t, 1, side == "server", nil, folder)
		require.Len(t, h.scripts.LoadMods("good", "m"), 1, side)
		h.steps(step{`find("Mine").group.id == rootGroup.id, import("good").ok()`, "true\ttrue"})
		assert.Zero(t, h.host.World().Sweep(), side)
	}
}

// TestFailingFilesSendNothing checks that files of a client that fail send no command and do not
// disconnect.
func TestFailingFilesSendNothing(t *testing.T) {
	folder := files(map[string]string{"m/client/init.lua": ``}).(fstest.MapFS)
	p := joinFolders(t, nil, files(map[string]string{"m/server/init.lua": ``}), folder, "m")
	const call = `connect("x:1#" .. ("a"):rep(52)) server:setRate { packets = 3, size = 200 } server.name = "Nobody" commandToServer "Told" server:setFirstPerson(false) server:setControlCameraFov(40) disconnect() `
	write(folder, "m/client/init.lua", call+`error "no"`)
	p.server.line(`function serverCmd.Told() echo "told" end`)
	require.Contains(t, p.client.line("mod reload m"), "init.lua:1: no")
	p.client.line(`function GameConnection.onConnectFailed() echo "failed" end`)
	p.run(20 * time.Second)
	assert.Empty(t, append(p.server.out, p.client.out...))
	assert.NotEqual(t, "Nobody", p.client.line("server.name"))
	p.client.steps(step{"server.firstPerson, server.controlCameraFov", "true\t90"})
	write(folder, "m/client/init.lua", ``)
	require.Empty(t, p.client.line("reconnect"))
	p.run(2 * time.Second)
	require.NotNil(t, p.client.host.Server(), "at the address of before")
	write(folder, "m/client/init.lua", call)
	require.Contains(t, p.client.line("mod reload m"), "m 1.0.0 reloaded")
	p.run(2 * time.Second)
	assert.Nil(t, p.client.host.Server(), "with another key nobody is there")
}
