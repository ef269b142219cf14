package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestClientsInCommands sends a client to the clients, and back.
func TestClientsInCommands(t *testing.T) {
	p := join(t, nil, nil)
	other := newHalf(t, 3, false).load()
	p.addNamed(other, 3, "Ann")
	p.waitForGame(other)
	p.server.line(`ann = player "Ann"`)
	p.client.line(`got = {} function clientCmd.Who(c, text) got[#got + 1] = c echo(c, type(c), c and c.name, text) end`)
	p.server.line(`function serverCmd.Back(client, c, text) echo(c == ann, c and c.className, text) end`)

	p.server.steps(
		step{`commandToAll("Who", ann, tag "%1 of %2%", ann)`, ``},
		step{`ann.name = "Anna"`, ``},
		step{`commandToAll("Who", ann, 7)`, ``},
		step{`commandToAll("Who", player "Dood", nil)`, ``},
	)
	p.run(settle)
	assert.Equal(t, []string{"Ann\tuserdata\tAnn\tAnn of %", "Anna\tuserdata\tAnna\t7", "Dood\tuserdata\tDood\tnil"}, p.client.out)
	p.client.steps(
		step{`got[1].id == got[2].id, got[1] == got[2], got[1] == got[3]`, "true\ttrue\tfalse"},
		step{`(function() local t = {} t[got[1]] = 1 return t[got[2]], t[got[3]] end)()`, "1\tnil"},
		step{`got[1].name, isObject(got[1])`, "\"Anna\"\tfalse"},
		step{`got[1].score`, `~a client has only id and name here, not "score"`},
		step{`got[1].name = "x"`, `~a client is read-only here`},
		step{`commandToServer("Back", server)`, `~command argument 1 is an object of class GameConnection, which never has ghosts`},
		step{`commandToServer("Back", got[1], tag "%2 and %1", 5, got[1])`, ``},
		step{`commandToServer("Back", got[3], "x")`, ``},
	)
	p.run(settle)
	assert.Equal(t, []string{"true\tGameConnection\tAnna and 5", "false\tGameConnection\tx"}, p.server.out)

	other.line(`disconnect "bye"`)
	p.run(settle)
	p.client.line(`commandToServer("Back", got[1], "gone")`)
	p.run(settle)
	assert.Equal(t, []string{"false\tnil\tgone"}, p.server.out)
	assert.Equal(t, "\"Dood is here\"", p.server.line(`buildTaggedString(tag "%1 is here", player "Dood")`))
}

// TestCommandsForClientsOnly declares that an argument is a client.
func TestCommandsForClientsOnly(t *testing.T) {
	m := map[string]string{
		"m/server/init.lua": `allowCommand("Back", {args = {"client"}}) function serverCmd.Back(client, c) echo(c == client) end`,
		"m/client/init.lua": `allowCommand("Who", {args = {"client"}}) function clientCmd.Who(c) echo(c.name) commandToServer("Back", c) commandToServer("Back", c.id) end`,
	}
	p := join(t, m, m, "m")
	require.Empty(t, p.server.line(`commandToAll("Who", clientGroup:at(1)) commandToAll("Who", new "Item" { dataBlock = datablock "ItemData" "B" {} })`))
	p.run(settle)
	assert.Equal(t, []string{"Dood"}, p.client.out)
	assert.Equal(t, []string{"true"}, p.server.out, "a number is no client")
}
