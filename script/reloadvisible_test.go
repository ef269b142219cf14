package script_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
)

// cards is a mod whose clients are all of group 2. One card is public. Of the others, each client
// misses a field, or the card: the value of 2, the faces of 4 and 7, and 5. The mod m shows its
// trap to one client.
var cards = map[string]string{
	"cards/shared/data.lua": `class "Card" { fields = { no = int(0, 9), value = int(0, 99), face = int(0, 99) } }`,
	"cards/server/init.lua": `
		function GameConnection.onConnect(client) client:setScopeGroups { 2 } end
		all = {}
		export("deal", function()
			for no = 1, 7 do all[no] = new "Card" { no = no } end
			all[2]:hideField "value"
			all[3]:showFieldTo("value", { 2 })
			all[4]:showFieldTo("face", { 3 })
			all[5]:setScopeGroups { 3 }
			all[6]:showFieldTo("value", { 2 })
			all[7]:showFieldTo("face", { 3 })
		end)
		export("all", function(no) return all[no] end)
		export("set", function(n) for _, card in ipairs(all) do card.value, card.face = n, n end end)`,
	"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"cards\"]\n",
	"m/server/init.lua": `
		Trap = class "Trap" { fields = { no = int(0, 9) } }
		function Trap:inScope(client) return client.name == "After" end`,
}

// exposing turns the rules of the cards round, for all clients and for each one, and then fails. It
// leaves the rules of 6 and 7, which depend on the groups of the clients.
const exposing = `
	class "Trap" { fields = { no = int(0, 9), more = bool() } }
	local all = import("cards").all
	all(1):hideField "value"
	all(2):hideField("value", nil, false)
	all(3):hideField "value"
	all(4):showFieldTo("face", { 2, 4 })
	all(5):setScopeGroups { 2 }
	all(1):setScopeGroups { 5 }
	all(1):setScopeGroups { 6 }
	for client in clientGroup:each() do
		client:setScopeGroups { 3 }
		client:setScopeGroups { 4, 5 }
		all(1):hideField("face", client)
		all(2):hideField("value", client, false)
		all(3):hideField("value", client)
		all(3):hideField("value", client, false)
		all(4):hideField("face", client, false)
	end
	error "no"`

// TestVisibilityAfterAFailedReload checks that files that fail change nothing in what clients see:
// one in the game, one that is joining meanwhile, and one that joins afterwards.
func TestVisibilityAfterAFailedReload(t *testing.T) {
	folder := files(cards).(fstest.MapFS)
	p := joinFolders(t, nil, folder, files(map[string]string{}), "cards", "m")
	p.server.line(`import("cards").deal()`)
	p.server.line(`import("cards").set(11)`)
	p.server.line(`new "Trap" { no = 7 }`)
	p.run(time.Second)
	const cards = `(function() local t = {} for c in objects "Card" do t[#t + 1] = ("%d: %d %d"):format(c.no, c.value, c.face) end table.sort(t) return table.concat(t, ", ") end)()`
	p.client.steps(step{cards, `"1: 11 11, 2: 0 11, 3: 11 11, 4: 11 0, 6: 11 11, 7: 11 0"`})
	joining, after := newHalf(t, 3, false).load(), newHalf(t, 4, false).load()
	p.net.Attach(netcore.SimAddr(3), joining.host)
	p.net.Link(netcore.SimAddr(3), netcore.SimAddr(1), netcore.LinkParams{}, netcore.LinkParams{})
	require.NoError(t, joining.host.Dialer.Connect("x:1", engine.ConnectArgs{Name: "Joining"}))
	p.net.RunWhile(p.net.Now()+time.Second, engine.TickTime, func() bool { return len(p.server.host.Connections()) < 2 })
	require.NotEqual(t, engine.PhaseGame, p.server.host.Connections()[1].Join.Phase())

	write(folder, "m/server/init.lua", exposing)
	before := p.server.scripts.Dump()
	require.Contains(t, p.server.line("mod reload m"), "error: m is not reloaded: mods/m/server/init.lua:20: no")
	assert.Empty(t, difference(before, p.server.scripts.Dump()))
	p.waitForGame(joining)
	p.addNamed(after, 4, "After")
	for _, n := range []string{"22", "33"} {
		p.server.line(`import("cards").set(` + n + `)`)
		p.run(time.Second)
		for _, h := range []*half{p.client, joining, after} {
			h.steps(step{cards, `"1: ` + n + ` ` + n + `, 2: 0 ` + n + `, 3: ` + n + ` ` + n + `, 4: ` + n + ` 0, 6: ` + n + ` ` + n + `, 7: ` + n + ` 0"`})
			trap := map[bool]string{true: "7"}[h == after]
			h.steps(step{`(function() for trap in objects "Trap" do return trap.no end end)()`, trap})
		}
	}
	assert.Empty(t, p.server.log)
}
