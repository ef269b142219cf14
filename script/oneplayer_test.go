package script_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// The ways in which a mod can break what it stores about a player: in base and in each of two
// games.
var (
	brokenInBase = []string{
		"own.stage = {}", "own.blocks = {}", "own.hud = 5", "own.patience = 'x'", "own.look = {} own.number = {}", "own.gone = true",
		"own.team = 7", "own.team = 'x'", "own.team = nil", "own.team = {}",
	}
	brokenInCtf = []string{
		"own.score = {}", "own.did = nil", "own.deaths = 'x'", "own.loadout = 'nothing'",
		"own.body = 5", "own.body = 'x'", "own.wantsScores = true own.did = {}", "own.roleUntil = 'x'", "own.at = 5 own.side = {}",
		"own.body.own.weapons = nil own.body.own.ammo = nil", "own.body.own.client = nil",
	}
	brokenInDeathmatch = []string{"own.frags = 'x'", "own.frags = {}", "own.frags = nil", "own.body = 5", "own.body.own.client = nil"}
)

// breakOne breaks the state that each mod stores about one player, and about one bot.
func (p *pair) breakOne(t *testing.T, state string) {
	for _, m := range p.server.scripts.Runtime.Mods {
		p.in(t, m.Name, `for client in clientGroup:each() do
			if client.name == "Dood" or client.name == "Abacus" then
				local own = client.own
				pcall(function() `+state+` end)
			end
		end`)
	}
}

// killBroken kills the player whose state is broken. Honest kills the bot.
const killBroken = `
	for client in clientGroup:each() do
		local body = client.controlObject
		if body and body:isMemberOfClass("Player") then
			if client.name == "Dood" then body:damage(nil, body.position, 1000, "impact") end
			if client.name == "Abacus" then body:damage(honest().controlObject, body.position, 1000, "ray") end
		end
	end`

const findHonest = `function honest()
	for client in clientGroup:each() do
		if client.name == "Honest" then return client end
	end
end`

// carry lets Honest take the flag of the other team and bring it home.
const carry = `
	local flags, teams, players = require "server.flags", require "server.teams", require "server.players"
	local mine, theirs = flags.of(teams.of(honest())), flags.of(teams.enemy(teams.of(honest())))
	players.alive(honest()).position = flagIsCarried and mine.position or theirs.position`

// TestABrokenPlayerDoesNotStopTheMatch breaks what ctf and base store about one player and one bot.
// Meanwhile another player captures flags until the match ends and the next mission begins.
func TestABrokenPlayerDoesNotStopTheMatch(t *testing.T) {
	for i, state := range slices.Concat(brokenInBase, brokenInCtf) {
		if i%testenv.Length(11, 1) != 0 {
			continue
		}
		t.Run(state, func(t *testing.T) {
			p, honest := besideHonest(t, "ctf")
			for _, line := range []string{"sv.bots 4", "ctf.warmup 0", "ctf.pause 1", "ctf.scoreLimit 2"} {
				require.Empty(t, p.server.line(line))
			}
			p.run(500 * time.Millisecond)
			require.Empty(t, p.server.line(`loadMission "valley"`))
			p.run(time.Second)
			require.Contains(t, honest.out, "The match has begun. First to 2 captures.")
			p.breakOne(t, state)
			p.in(t, "ctf", findHonest)
			p.in(t, "ctf", killBroken)
			honest.line(`key "scores"`)
			honest.out, honest.hud = nil, nil
			for range 2 {
				p.in(t, "ctf", "flagIsCarried = false"+carry)
				p.run(200 * time.Millisecond)
				p.in(t, "ctf", "flagIsCarried = true"+carry)
				p.run(200 * time.Millisecond)
				p.breakOne(t, state)
				p.run(2 * time.Second)
			}
			said := strings.Join(honest.out, "\n")
			assert.Equal(t, 2, strings.Count(said, "Honest has captured the"), said)
			assert.Contains(t, said, "wins, 2 to 0.")
			assert.NotEmpty(t, honest.hud)
			assert.Equal(t, `"ridge"`, p.server.line(`import("ctf").match().mission`))
			p.matchGoesOn(t)
		})
	}
}

// TestABrokenPlayerDoesNotStopTheRound does the same in deathmatch.
func TestABrokenPlayerDoesNotStopTheRound(t *testing.T) {
	for _, state := range testenv.Every(3, brokenInDeathmatch) {
		t.Run(state, func(t *testing.T) {
			p, honest := besideHonest(t, "deathmatch")
			for _, line := range []string{"sv.bots 4", "dm.fragLimit 2"} {
				require.Empty(t, p.server.line(line))
			}
			p.run(3 * time.Second)
			p.in(t, "deathmatch", findHonest)
			honest.out = nil
			for range 2 {
				p.breakOne(t, state)
				p.in(t, "deathmatch", killBroken)
				p.run(500 * time.Millisecond)
				p.in(t, "deathmatch", `for client in clientGroup:each() do
					if client.name == "Bramble" then client.controlObject:damage(honest().controlObject, vec(0), 1000, "ray") end
				end`)
				p.run(10 * time.Second)
			}
			said := strings.Join(honest.out, "\n")
			assert.Contains(t, said, " wins with 2 frags.")
			assert.Contains(t, said, "First to 2 frags.")
			honest.hud = nil
			p.run(1100 * time.Millisecond)
			assert.NotEmpty(t, honest.hud)
			p.matchGoesOn(t)
		})
	}
}

// matchGoesOn fails if a handler of a mod is suspended. Parts of a handler can be.
func (p *pair) matchGoesOn(t *testing.T) {
	t.Helper()
	for _, m := range p.server.scripts.Runtime.Mods {
		assert.Empty(t, m.Suspended())
		for _, h := range m.SuspendedHandlers() {
			assert.True(t, strings.HasPrefix(h, "part "), h)
		}
	}
}

// TestPcallForSkipsOneClient checks the results of pcallFor, and that its faults stop only the
// calls for one client.
func TestPcallForSkipsOneClient(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		ran, whole = {}, 0
		function step(client, what)
			ran[client.name] = (ran[client.name] or 0) + 1
			if client.own.broken == "error" then error "broken" end
			if client.own.broken == "loop" then while true do end end
			return what, client.name
		end
		function onTick()
			for client in clientGroup:each() do pcallFor(client, step) end
			whole = whole + 1
		end`}, nil, "m")
	for _, line := range []string{`b = addBot "Bot"`, `b2 = addBot "Other"`} {
		require.Empty(t, p.server.line(line))
	}
	p.run(200 * time.Millisecond)
	p.in(t, "m", `local client = clientGroup:each()()
		local ok, a, b = pcallFor(client, step, 5)
		assert(ok == true and a == 5 and b == "Dood")
		assert(not pcall(pcallFor, 12345, step) and not pcall(pcallFor, client, 5))`)
	for n, broken := range []string{"error", "loop"} {
		name := []string{"Bot", "Dood"}[n]
		p.in(t, "m", `for client in clientGroup:each() do client.own.broken = client.name == "`+name+`" and "`+broken+`" or nil end
			ran, whole = {}, 0`)
		p.run(20 * time.Second)
		p.in(t, "m", `assert(whole == 625, whole)
			assert(ran.Other == 625, ran.Other)
			assert(ran["`+name+`"] > 3 and ran["`+name+`"] < 9, ran["`+name+`"])`)
	}
	assert.Empty(t, p.server.scripts.Runtime.Mod("m").SuspendedHandlers())
	faults := p.server.scripts.Runtime.FaultsOf("m")
	require.Len(t, faults, 2)
	assert.Contains(t, faults[0].Text, "broken")
	assert.Contains(t, faults[1].Text, "the budget of 200000 instructions is used up")

	p.in(t, "m", `for client in clientGroup:each() do client.own.broken = "error" end whole = 0`)
	p.run(2 * time.Second)
	p.in(t, "m", `assert(whole > 60, whole)`)
	assert.Empty(t, p.server.scripts.Runtime.Mod("m").SuspendedHandlers(), "all bots have one address")
}

// TestPartsThatFailForAllSuspendNothing checks that faults for clients of several addresses suspend
// neither the failing parts of a handler, nor the handler, nor the mod.
func TestPartsThatFailForAllSuspendNothing(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		whole = 0
		local function a() error "a" end
		local function b() error "b" end
		local function c() error "c" end
		function onTick()
			for client in clientGroup:each() do
				for _, part in ipairs { a, b, c } do pcallFor(client, part) end
			end
			whole = whole + 1
		end`}, nil, "m")
	for n := uint16(3); n < 7; n++ {
		p.addClient(newHalf(t, n, false).load(), n)
	}
	p.in(t, "m", "whole = 0")
	p.run(8 * time.Second)
	p.in(t, "m", "assert(whole == 250, whole)")
	p.server.withoutSuspensions(t)
	for _, f := range p.server.scripts.Runtime.FaultsOf("m") {
		assert.Less(t, f.Count, 5*8, "each client pauses")
	}
}

// TestHostileClientsCloseNoDoor: requests and commands of clients with five addresses fail in a
// mod. It refuses these clients. Another one joins, and its command runs.
func TestHostileClientsCloseNoDoor(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		served = 0
		function GameConnection.onConnectRequest(client) if client.name:sub(1, 4) == "Evil" then error "x" end end
		function serverCmd.buy(client, what) served = served + #what end`}, nil, "m")
	for n := uint16(3); n < 8; n++ {
		evil := newHalf(t, n, false).load()
		p.net.Attach(netcore.SimAddr(n), evil.host)
		p.net.Link(netcore.SimAddr(n), netcore.SimAddr(1), netcore.LinkParams{}, netcore.LinkParams{})
		require.NoError(t, evil.host.Dialer.Connect("x:1", engine.ConnectArgs{Name: fmt.Sprint("Evil", n)}))
		p.run(time.Second)
		assert.Nil(t, evil.host.Server())
	}
	assert.Equal(t, 5, strings.Count(strings.Join(p.server.log, "\n"), "connect request refused: the mod m cannot check it"))
	for n := uint16(10); n < 15; n++ {
		evil := newHalf(t, n, false).load()
		p.addClient(evil, n)
		require.Empty(t, evil.line(`for i = 1, 3 do commandToServer("buy") end`))
	}
	p.run(200 * time.Millisecond)
	p.server.withoutSuspensions(t)
	nice := newHalf(t, 20, false).load()
	p.addClient(nice, 20)
	require.Empty(t, nice.line(`commandToServer("buy", "hat")`))
	p.run(200 * time.Millisecond)
	p.in(t, "m", "assert(served == 3, served)")
}
