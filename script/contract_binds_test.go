package script_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
)

// bindMod asks for two keys.
var bindMod = map[string]string{"m/missions/hill.lua": ``, "m/server/init.lua": `
	allowCommand("inventory", { args = {}, rate = 1, burst = 3 })
	function serverCmd.inventory(client, ...) echo("inventory", client.name, select("#", ...)) end
	function serverCmd.map(client) echo("map", client.name) end
	export("ask", function(name, key, text) clientGroup:at(1):bind(name or "inventory", key or "i", text) end)
	export("unask", function(name) return clientGroup:at(1):unbind(name) end)
`}

const noBinds = "the server would like no keys"

// TestBindsAreCommands: a press calls the function of the command, within its rate limit.
func TestBindsAreCommands(t *testing.T) {
	p := join(t, bindMod, nil, "m")
	p.client.steps(step{`bind`, noBinds}, step{`bind inventory`, `error: the server has asked for no key named "inventory": bind lists them`})
	p.server.line(`m = import "m" m.ask("inventory", "i", "open the inventory") m.ask("map", "F5")`)
	p.run(settle)
	p.client.steps(step{`bind`, "bind inventory  (I)  open the inventory\nbind map  (F5)  map"}, step{`bind MAP`, ``}, step{`bind inventory`, ``})
	p.run(settle)
	assert.Equal(t, []string{"map\tDood", "inventory\tDood\t0"}, p.server.out)
	p.server.out = nil
	for range 9 {
		p.client.line(`bind inventory`)
	}
	p.run(settle)
	assert.Less(t, len(p.server.out), 5, "a command has a rate")
	p.server.steps(step{`m.unask "Inventory", m.unask "inventory"`, "true\tfalse"}, step{`m.ask("map", "7", "read the map")`, ``})
	p.run(settle)
	p.client.steps(step{`bind`, "bind map  (7)  read the map"})
}

// TestBindsEnd with the mission, a reload, the mod, and the connection.
func TestBindsEnd(t *testing.T) {
	for _, end := range []string{`mission hill`, `mod reload m --untested`, `mod disable m`} {
		p := join(t, bindMod, nil, "m")
		p.server.line(`import("m").ask()`)
		p.run(settle)
		p.client.steps(step{`bind`, "bind inventory  (I)  inventory"})
		p.server.line(end)
		p.run(settle)
		p.client.steps(step{`bind`, noBinds})
		assert.Empty(t, p.server.log, end)
	}
	p := join(t, bindMod, nil, "m")
	p.server.line(`import("m").ask()`)
	p.run(settle)
	p.client.line(`disconnect "bye"`)
	p.run(settle)
	p.client.steps(step{`bind`, `error: not connected to a server`})
}

// TestAReloadedModKeepsTheKeysItAsksForAgain while its files load.
func TestAReloadedModKeepsTheKeysItAsksForAgain(t *testing.T) {
	list := maps.Clone(bindMod)
	list["m/server/init.lua"] = `
		for c in clientGroup:each() do c:bind("later", "L") end
		function serverCmd.later(client) echo "later" end`
	p := join(t, list, nil, "m")
	p.server.line(`mod reload m --untested`)
	p.server.ticks(2)
	p.run(settle)
	p.client.steps(step{`bind`, "bind later  (L)  later"}, step{`bind later`, ``})
	p.server.line(`mod reload m --untested`)
	p.run(settle)
	p.client.steps(step{`bind`, "bind later  (L)  later"})
	assert.Empty(t, p.server.log)
}

// TestBadBindsAreErrorsOfTheMod gives one sentence for each mistake.
func TestBadBindsAreErrorsOfTheMod(t *testing.T) {
	p := join(t, bindMod, nil, "m")
	p.server.line(`c = clientGroup:at(1) function serverCmd.x() end`)
	p.server.steps(
		step{`c:bind("x")`, `~bind: argument 2 (key) must be a string`},
		step{`c:bind("x", "Escape")`, `~bind: the key must be A…Z, 0…9 or F1…F12, got "Escape"`},
		step{`c:bind("y", "I")`, `~bind: this mod has no function serverCmd.y, so the key would do nothing`},
		step{`c:bind("x", "I", {})`, `~bind: text must be a text, not a table`},
		step{`c:bind("x", "I", ("x"):rep(129))`, `~bind: the text has 129 bytes: must be at most 128`},
		step{`function serverCmd.s() end for i = 1, 17 do _G["serverCmdk" .. i] = serverCmd.s c:bind("k" .. i, "I") end`, `~bind: the client has 16 binds: end one with unbind first`},
		step{`b = addBot "Bo" b:bind("x", "I") echo(b:unbind "x")`, `true`},
	)
	p.client.steps(step{`server:bind("x", "I")`, `~bind is available only on the server`})
}

// TestBindsAreInThePlayersLanguage: the text of a bind is that of the client.
func TestBindsAreInThePlayersLanguage(t *testing.T) {
	list := maps.Clone(texted)
	list["m/server/init.lua"] = `function serverCmd.go() end export("go", function() clientGroup:at(1):bind("go", "G", text("frags", 2)) end)`
	p := join(t, list, nil, "m")
	p.server.line(`import("m").go()`)
	p.run(settle)
	p.client.steps(step{`bind`, "bind go  (G)  2 frags"})
}
