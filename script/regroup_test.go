package script_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/testenv"
)

// regroup has a group, a set and an object of every kind, and puts one into another.
const regroup = `
	function everyKind()
		return {
			body = new "Player" { dataBlock = datablock "PlayerData" "Walked" {} }, item = new "Item" { dataBlock = datablock "ItemData" "Thing" {} },
			script = new "ScriptObject" {}, group = new "SimGroup" {}, set = new "SimSet" {}, client = player "Honest", bot = addBot "Bot",
			block = find "Walked", root = rootGroup, clients = clientGroup, mission = missionGroup, blocks = dataBlockGroup,
		}
	end
	function regroup(method, into, member)
		all = everyKind()
		return (pcall(function() all[into][method](all[into], all[member]) end))
	end
	function clear()
		for _, name in ipairs { "body", "item", "script", "group", "set", "bot" } do
			if isObject(all[name]) then all[name]:delete() end
		end
	end`

// TestEveryGroupTakesEveryObject calls add, remove and clear of every group and set with every kind
// of object, while people play. Then the mission changes, and a player leaves. No handler of a
// stock mod fails.
func TestEveryGroupTakesEveryObject(t *testing.T) {
	p, honest := besideHonest(t, "ctf")
	assert.Empty(t, p.server.line(regroup))
	kinds := []string{"body", "item", "script", "group", "set", "client", "bot", "block", "root", "clients", "mission", "blocks"}
	done := map[string]int{}
	for i, into := range kinds {
		for k, member := range kinds {
			for _, method := range []string{"add", "remove", "clear"} {
				if method == "clear" && member != "script" { // the same for every member
					continue
				}
				if method != "clear" && (i+k)%3 > 0 && !testenv.Long() {
					continue
				}
				if p.server.line(fmt.Sprintf("regroup(%q, %q, %q)", method, into, member)) == "true" {
					done[into]++
				}
				p.net.Run(p.net.Now()+2*engine.TickTime, engine.TickTime)
				assert.Empty(t, p.server.line("clear()"))
			}
		}
	}
	assert.Zero(t, done["clients"])
	for _, group := range []string{"root", "mission", "group", "set", "client", "bot"} {
		assert.Positive(t, done[group], group)
	}
	p.server.line(`loadMission "ridge"`)
	p.net.Run(p.net.Now()+5*time.Second, engine.TickTime)
	p.unharmed(t, honest)
	p.client.line(`disconnect "bye"`)
	p.net.Run(p.net.Now()+time.Second, engine.TickTime)
	p.withoutFaults(t)
}
