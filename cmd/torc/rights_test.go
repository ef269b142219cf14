package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRolesOnTheBuiltBinary lets a trusted player kick another player from the chat. A player
// without the permission gets no information. The audit log has every action, and roles and
// permissions persist across a restart.
func TestRolesOnTheBuiltBinary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, address, _ := serveOn(t, "--data", dir)
	ann := joinTo(t, address, "--name", "Ann")
	bob := joinTo(t, address, "--name", "Bob")
	ann.say(`commandToServer("MessageSent", "/kick Bob")`)
	ann.expect("no such command")

	server.say("role.give Ann Moderator", "role.give Nobody moderator", "role.allow moderator kik")
	server.lines("error: a role name must be 1 to 32 of a–z, 0–9 and _",
		`error: no player has the id or name "Nobody", and it is not a key (players lists them)`,
		`error: there is no command "kik"`)
	server.say(`bob = clientGroup:at(2)`, `bob.name = "4242"`, "role.give 4242 moderator",
		`bob.name = "ann"`, "role.give Ann builder",
		`bob.name = clientGroup:at(1).key`, `role.give(bob.name, "builder")`, "role", "role.take Ann builder", `bob.name = "Bob"`)
	server.lines(`error: no player has the id or name "4242", and it is not a key (players lists them)`,
		`error: ambiguous player name "Ann": use an id (players lists them)`)
	assert.Contains(t, server.line(), " builder Ann", "a name that reads like a key is not who has that key")
	server.say("role give Ann moderator", "role allow moderator kick say", "mod.grant ctf console.mission", "say go")
	ann.expect("*** Server: go")
	ann.say(`commandToServer("MessageSent", "/commands")`)
	ann.expect("/commands: lists the chat commands")
	ann.expect("/kick ID|NAME [REASON]: disconnects a player")
	ann.say(`commandToServer("MessageSent", "/quit")`)
	ann.expect("no such command")
	ann.say(`commandToServer("MessageSent", "/kick Bob too loud")`)
	assert.Contains(t, bob.expect("disconnected: "), "too loud")
	bob.ends(failed)

	server.say("audit 1")
	assert.Contains(t, server.expect("20"), "player Ann (")
	server.say("role.take Ann moderator", "role", "quit")
	server.expect("moderator may kick, say")
	server.ends(ended)

	text, err := os.ReadFile(filepath.Join(dir, "audit.log"))
	require.NoError(t, err)
	record := string(text)
	for _, want := range []string{
		`"by":"console","did":"role.give Ann Moderator","error":"a role name must be`, `"did":"role give Ann moderator"}`,
		`"did":"/kick Bob too loud"}`, `"by":"console","did":"quit"}`,
	} {
		assert.Contains(t, record, want)
	}
	assert.NotContains(t, record, "/quit", "what was not run is not on the record")
	assert.Equal(t, 1, strings.Count(record, `"by":"player `))

	server, _, _ = serveOn(t, "--data", dir)
	server.say("role", "mod.grants", "quit")
	server.expect("moderator may kick, say")
	server.lines("ctf console.mission")
	server.ends(ended)
}

// TestPlayGrantsAdmin checks that mods treat the player of torc play as an admin. The player's
// prompt has the console. Chat has it only if the player enables it, because a client mod can send
// chat.
func TestPlayGrantsAdmin(t *testing.T) {
	t.Parallel()
	p := start(t, "play", "--name", "Ann")
	p.expect("connected to ")
	p.say(`= clientGroup:each()().roles[1]`)
	p.expect(`"admin"`)
	p.say(`client commandToServer("MessageSent", "/role allow moderator kick")`)
	p.expect("no such command")
	p.say("role.give Ann admin", `client commandToServer("MessageSent", "/role allow moderator kick")`, `client commandToServer("MessageSent", "/role")`)
	p.expect("moderator may kick")
	p.quits()
}
