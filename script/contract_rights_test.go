package script_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
)

// fakeRights are the rights in a test: the roles of player names, the commands that roles allow,
// and permissions.
type fakeRights struct {
	roles  map[string]string // "Dood" → "builder moderator"
	allows map[string]string // "moderator" → "kick say"
	given  map[string]bool   // "ctf console.kick"
}

func newFakeRights() *fakeRights {
	return &fakeRights{roles: map[string]string{}, allows: map[string]string{}, given: map[string]bool{}}
}

func (r *fakeRights) Roles(c *engine.Connection) []string {
	return strings.Fields(r.roles[c.PlayerName])
}

func (r *fakeRights) May(c *engine.Connection, command string) bool {
	return slices.ContainsFunc(r.Roles(c), func(role string) bool {
		return slices.Contains(strings.Fields(r.allows[role]), command)
	})
}

func (r *fakeRights) Muted(*engine.Connection) string { return "" }

func (r *fakeRights) Granted(mod, permission string) bool { return r.given[mod+" "+permission] }

func (r *fakeRights) Grant(mod, permission string, on bool) error {
	r.given[mod+" "+permission] = on
	maps.DeleteFunc(r.given, func(_ string, on bool) bool { return !on })
	return nil
}

func (r *fakeRights) Grants() string { return strings.Join(slices.Sorted(maps.Keys(r.given)), "\n") }

const roleMod = `
	addCommand { name = "hi", chat = true, params = "[WHO]", description = "says hello", run = function(caller, who) return "hi " .. (who or caller and caller.name or "operator") end }
	addCommand { name = "wall", chat = true, role = "builder", run = function() return "built" end }
	addCommand { name = "hidden", role = "builder", run = function() return "hidden" end }
	function run(line)
		local client = clientGroup:each()()
		local ok, answer = runChatCommand(client, line)
		return ok, answer
	end
	function list() return table.concat(chatCommands(clientGroup:each()()), " | ") end
	function roles() local c = clientGroup:each()() return table.concat(c.roles, ","), c:hasRole "builder", c:hasRole "admin" end
	export("run", run) export("list", list) export("roles", roles)`

// notTyped is the answer to a chat line that no person has typed.
const notTyped = "a command that needs a role runs only as the player typed it, while that chat line is handled"

// operatorRuns defines the function run, which runs a chat command for a player.
const operatorRuns = `function run(line) local ok, answer = runChatCommand(clientGroup:each()(), line) return ok, answer end`

// TestCommandsOfRoles checks that a command with a role runs for players with that role and for
// the operator. It does not exist for others.
func TestCommandsOfRoles(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": roleMod}, nil, "m")
	s := p.server
	s.line(operatorRuns)
	s.steps(
		step{`run "hi"`, "true\t\"hi Dood\""},
		step{`run "wall"`, "false\t\"no such command\""},
		step{`run "nothing"`, "false\t\"no such command\""},
		step{`import("m").list()`, `"/commands: lists the chat commands | /hi [WHO]: says hello"`},
		step{`wall`, `built`},
		step{`import("m").roles()`, "\"\"\tfalse\tfalse"},
	)
	assert.Empty(t, s.audited, "what everybody may is not worth a record")

	for _, role := range []string{"build", "builders", "Builder", "adm", "administrator"} {
		s.rights.roles["Dood"] = role
		s.steps(step{`run "wall"`, "false\t\"no such command\""})
	}
	s.rights.roles["Dood"] = "builder"
	s.steps(
		step{`run "wall"`, "true\t\"built\""},
		step{`run "hidden"`, "false\t\"no such command\""},
		step{`import("m").list()`, `"/commands: lists the chat commands | /hi [WHO]: says hello | /wall"`},
		step{`import("m").roles()`, "\"builder\"\ttrue\tfalse"},
	)
	s.rights.roles["Dood"] = "admin"
	s.steps(
		step{`run "wall"`, "true\t\"built\""},
		step{`import("m").roles()`, "\"admin\"\ttrue\ttrue"},
	)
	assert.Len(t, s.audited, 2)
	assert.Contains(t, s.audited[0], "player Dood (")
	assert.Contains(t, s.audited[0], "): /wall")
}

// TestChatCommandsOfASuspendedMod checks that the commands of a suspended mod do not exist in the
// chat. Text from a player stays on one line, whatever escapes it contains.
func TestChatCommandsOfASuspendedMod(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": roleMod, "n/server/init.lua": `
		addCommand { name = "n.hi", chat = true, run = function(caller, who) return who end }`}, nil, "m", "n")
	s := p.server
	s.steps(step{`import("m").run [[n.hi "a\nb"]]`, `true	"a\\nb"`})
	s.scripts.Runtime.Mod("n").Suspend("a test")
	s.steps(step{`import("m").run "n.hi x"`, "false\t\"no such command\""})
	s.scripts.Runtime.Mod("n").Enable()
	s.steps(step{`import("m").run "n.hi x"`, "true\t\"x\""})
}

// TestChatCommandsDeclaredAnew checks that a redeclared command is in the chat in its new form, or
// not at all. No command accepts a word of Lua.
func TestChatCommandsDeclaredAnew(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": roleMod + `
		addCommand { name = "hi", run = function() return "no more" end }
		local _, one = pcall(addCommand, { name = "return", run = function() end })
		local _, two = pcall(setting("for.x"), { default = 1 })
		export("why", function() return one .. two end)
		addCommand { name = "forever", run = function() end }`}, nil, "m")
	p.server.steps(
		step{`import("m").why()`, `~\"return\" is a keyword of Lua and cannot name a command or setting`},
		step{`import("m").why()`, `~\"for\" is a keyword of Lua`},
		step{`import("m").run "hi"`, "false\t\"no such command\""},
		step{`hi`, "no more"},
		step{`return 7`, "7"},
	)
}

// TestConsoleCommandsOfRoles checks that console commands allowed by a role run from the chat and
// are audited. Other commands do not run, and Lua never runs.
func TestConsoleCommandsOfRoles(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": roleMod}, nil, "m")
	s := p.server
	s.line(operatorRuns)
	s.rights.roles["Dood"], s.rights.allows["moderator"] = "moderator", "mods say gone"
	for line, want := range map[string]string{
		`run "mods"`:                  "~base 1.0.0 on",
		`run "status"`:                "false\t\"no such command\"",
		`run "gone"`:                  "false\t\"no such command\"",
		`run "net.rate 1"`:            "false\t\"no such command\"",
		`run "= 1"`:                   "false\t\"no such command\"",
		`run "help nothing_at_all_x"`: "false\t\"no such command\"",
		`run "mods x y z"`:            "~",
	} {
		s.steps(step{line, want})
	}
	assert.Contains(t, s.line(`import("m").list()`), "/mods: lists the mods in load order")
	assert.NotContains(t, s.line(`import("m").list()`), "status")
	assert.Contains(t, strings.Join(s.audited, "\n"), "): /mods")
}

// TestModsCannotChatAsPlayers checks that only lines typed by a player run with the player's role,
// also when another mod passes the line on. A line made up by a mod in the player's name does not,
// at once or later.
func TestModsCannotChatAsPlayers(t *testing.T) {
	p := join(t, map[string]string{
		"m/server/init.lua": roleMod,
		"n/server/init.lua": `
			function list(client, made, when)
				local _, answer = runChatCommand(client, made)
				echo(when .. " " .. answer)
			end
			override(serverCmd, "MessageSent", function(parent, client, text)
				if text == "rewrite" then text = "/mods" end
				if text == "/mods later" then schedule(0, list, client, "mods later", "later") end
				list(client, "mods", "made up")
				list(client, "wall", "made up")
				list(client, "hi", "for all")
				return parent(client, text)
			end)`,
	}, nil, "m", "n")
	s := p.server
	s.rights.roles["Dood"], s.rights.allows["builder"] = "builder", "mods"
	for _, c := range []struct {
		said string
		runs []string
	}{
		{"hello", nil}, {"rewrite", nil}, {"mods", nil}, {"/mods ", []string{"/mods"}}, {"/wall x", []string{"/wall x"}}, {"/mods later", []string{"/mods later"}},
	} {
		s.out, s.audited = nil, nil
		p.client.line(`commandToServer("MessageSent", "` + c.said + `")`)
		p.run(300 * time.Millisecond)
		assert.Equal(t, []string{"made up " + notTyped, "made up " + notTyped, "for all hi Dood"}, s.out[:3], c.said)
		for _, line := range s.out[3:] {
			assert.NotContains(t, line, "base", c.said)
		}
		require.Len(t, s.audited, len(c.runs), c.said)
		for i, line := range c.runs {
			assert.Contains(t, s.audited[i], "): "+line)
		}
	}
	assert.Equal(t, "false\t\""+notTyped+"\"", s.line(`import("m").run "mods"`), "nor for the operator's call of a mod")
}

// TestRefusalsHaveNames checks that base can say in other languages what the engine answers.
func TestRefusalsHaveNames(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		addCommand { name = "wall", chat = true, role = "builder", run = function() return "built" end }
		addCommand { name = "boom", chat = true, run = function() error "x" end }
		export("run", function(line) return runChatCommand(clientGroup:at(1), line) end)
		broken = true
		function onChat(client, text) if broken then error "y" end end
		export("filter", function(on) broken = on return chatFilter(clientGroup:at(1), "hi") end)`}, nil, "m")
	s := p.server
	s.rights.roles["Dood"] = "builder"
	s.steps(
		step{`import("m").run "nothing"`, "false\t\"no such command\"\t\"unknown\""},
		step{`import("m").run "wall"`, "false\t\"" + notTyped + "\"\t\"untyped\""},
		step{`import("m").run "boom"`, "false\t\"the command failed\"\t\"failed\""},
		step{`import("m").filter(true)`, "false\t\"Your line was not sent: the mod m cannot check it at the moment.\"\t\"m\""},
		step{`import("m").filter(false)`, "\"hi\""},
	)
}

// TestModsCannotChatAsClients checks that the answer of a client to a command does not count as a
// line typed by a person.
func TestModsCannotChatAsClients(t *testing.T) {
	p := join(t, map[string]string{
		"m/server/init.lua": roleMod + `
			local function run(parent, client, answer)
				local _, why = runChatCommand(client, answer:sub(2))
				echo(answer .. " " .. why)
			end
			allowCommand("MissionStartPhase1Ack", { args = { "any" } })
			override(serverCmd, "MissionStartPhase1Ack", run)
			override(serverCmd, "TeamMessageSent", run)`,
	}, nil, "m")
	s := p.server
	s.rights.roles["Dood"], s.rights.allows["builder"] = "builder", "mods"
	s.line(`commandToAll("MissionStartPhase1", "/mods")`)
	s.line(`commandToAll("MissionStartPhase1", "/wall")`)
	s.line(`commandToAll("MissionStartPhase1", "/hi")`)
	p.client.line(`commandToServer("TeamMessageSent", "/mods")`)
	p.run(300 * time.Millisecond)
	assert.ElementsMatch(t, []string{"/mods " + notTyped, "/wall " + notTyped, "/hi hi Dood", "/mods " + notTyped}, s.out)
	assert.Empty(t, s.audited)
}

// TestModsRunCommandsOfClients: a mod runs a command of a client with its overrides, without its
// rule, and with any value. The line of a chat command does not count as typed, also while the
// player's own is handled.
func TestModsRunCommandsOfClients(t *testing.T) {
	p := join(t, map[string]string{
		"m/server/init.lua": roleMod + `
			allowCommand("Pick", { args = { "string" }, rate = 1 })
			function serverCmd.Pick(client, ...) echo("picked", client.name, ...) end`,
		"n/server/init.lua": `
			override(serverCmd, "Pick", function(parent, client, n) if n ~= 3 then parent(client, "over", n) end end)
			export("pick", function(...) clientGroup:at(1):runCommand(...) end)
			override(serverCmd, "MessageSent", function(parent, client, text)
				if text == "/mods twice" then client:runCommand("MessageSent", "/wall") end
				return parent(client, text)
			end)`,
	}, nil, "m", "n")
	s := p.server
	s.rights.roles["Dood"], s.rights.allows["builder"] = "builder", "mods"
	s.line(`for n = 1, 4 do import("n").pick("Pick", n) end`)
	assert.Equal(t, []string{"picked\tDood\tover\t1", "picked\tDood\tover\t2", "picked\tDood\tover\t4"}, s.out)
	s.steps(step{`import("n").pick("Nothing")`, `~client:runCommand: unknown command "Nothing"`})
	p.client.line(`commandToServer("MessageSent", "/mods twice")`)
	p.run(300 * time.Millisecond)
	require.Len(t, s.audited, 1)
	assert.Contains(t, s.audited[0], "): /mods twice")
	s.line(`import("n").pick("MessageSent", "/wall")`)
	s.line(`import("n").pick("MessageSent", "/hi")`)
	p.run(300 * time.Millisecond)
	assert.Len(t, s.audited, 1)
	assert.Contains(t, p.client.out, "hi Dood", "a command for all")
}

// TestClientsCannotChatAsOthers checks that a line typed by one player does not count as typed by
// another player.
func TestClientsCannotChatAsOthers(t *testing.T) {
	p := join(t, map[string]string{
		"m/server/init.lua": roleMod + `
			function boss() addBot("Boss") end export("boss", boss)
			override(serverCmd, "MessageSent", function(parent, client, text)
				for other in clientGroup:each() do
					local ok = runChatCommand(other, text:sub(2))
					echo(other.name .. " " .. tostring(ok))
				end
			end)`,
	}, nil, "m")
	s := p.server
	s.line(`import("m").boss()`)
	s.rights.roles["Boss"], s.rights.allows["builder"] = "builder", "mods"
	for _, line := range []string{"/mods", "/wall"} {
		p.client.line(`commandToServer("MessageSent", "` + line + `")`)
		p.run(300 * time.Millisecond)
		assert.Equal(t, []string{"Dood false", "Boss false"}, s.out, line)
	}
	assert.Empty(t, s.audited)
}

// TestPermissionsAreOnTheRecord checks that the actions of a mod that need a permission are
// audited.
func TestPermissionsAreOnTheRecord(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"console.mods\"]\n",
		"m/server/init.lua": `function look() return mods() end export("look", look)
			export("more", function() return status() end)`,
	})).load("m")
	h.rights.given["m console.status"] = true // from a version that requested it
	h.steps(step{`import("m").more()`, `~mod m has no permission console.status: its mod.toml does not request it`})
	delete(h.rights.given, "m console.status")
	h.steps(
		step{`mod.grant m console.mods`, ``},
		step{`mod.grants`, `m console.mods`},
		step{`import("m").look()`, `~base 1.0.0 on`},
		step{`mod.grant other mods`, "~\"other mods\" is not a valid permission; example: `mod.grant ctf console.kick`"},
		step{`mod.grant "two words" console.kick`, "~is not a valid permission"},
		step{`mod.grant other console.*`, "~is not a valid permission"},
		step{`mod.grant other console.`, "~is not a valid permission"},
		step{`mod.grant other "console.kick say"`, "~is not a valid permission"},
		step{`mod.revoke m console.mods`, ``},
		step{`mod.grants`, ``},
		step{`mod.revoke m console.mods`, `error: "m" has no granted permission "console.mods" (mod.grants lists them)`},
	)
	assert.Equal(t, []string{"mod m: mods"}, h.audited)
}

func TestBadRoles(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`addCommand { name = "x", role = "A b", run = echo }`, `~role "A b" must be 1 to 32 of a–z, 0–9 and _`},
		step{`addCommand { name = "x", rolle = "a", run = echo }`, `~unknown option "rolle", did you mean "role"?`},
	)
}

func TestSettings(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		told = {}
		local function changed(v) told[#told + 1] = tostring(v) end
		local size = setting "m.size" { default = 4, min = 1, max = 8, integer = true, description = "players in a team", changed = changed }
		setting "m.mode" { default = "flag", choices = { "flag", "arena" }, changed = changed }
		setting "m.open" { default = true, changed = function(v) error("no") end }
		setting "m.speed" { default = 0.5, min = 0, changed = function(v) if v > 1 then size.value = 8 end end }
		function list() return table.concat(told, " ") end
		function set(v) size.value = v end
		export("list", list) export("set", set)`})).load("m")
	h.steps(
		step{`m.size`, `4`}, step{`m.size 5`, ``}, step{`m.size 5`, ``}, step{`m.size 6`, ``},
		step{`m.size 4.5`, `error: m.size must be a whole number from 1 to 8, got "4.5"`},
		step{`m.size 9`, `error: m.size must be a whole number from 1 to 8, got "9"`},
		step{`m.mode arena`, ``},
		step{`m.mode x`, `error: m.mode must be flag or arena, got "x"`},
		step{`import("m").list()`, `"5 6 arena"`},
		step{`import("m").set(7)`, ``}, step{`import("m").set(70)`, `~error: mods/m/server/init.lua:9: `},
		step{`import("m").list()`, `"5 6 arena 7"`},
		step{`m.speed 2`, ``}, step{`m.size`, `8`},
		step{`import("m").list()`, `"5 6 arena 7 8"`},
		step{`m.open false`, ``}, step{`m.open`, `false`},
	)
	assert.Contains(t, strings.Join(h.log, "\n"), "m: setting m.open: mods/m/server/init.lua:6: no", "its mistake is its own: the setting is set")
	h.steps(
		step{`setting "x" { default = 9, max = 8 }`, `~default must be a number of at most 8, got "9"`},
		step{`setting "x" { default = 1.5, integer = true }`, `~default must be a whole number`},
		step{`setting "x" { default = "c", choices = { "a", "b" } }`, `~default must be a or b, got "c"`},
		step{`setting "x" { default = "c", choices = "a b" }`, `~choices must be a list of strings, not a string`},
		step{`setting "x" { default = 1, choices = { "1" } }`, `~choices needs a default of type string, not a number`},
		step{`setting "x" { default = "1", max = 2 }`, `~max needs a default of type number, not a string`},
		step{`setting "x" { default = true, integer = true }`, `~integer needs a default of type number, not a boolean`},
		step{`setting "x" { default = "c", choices = {} }`, `~choices must not be empty`},
		step{`setting "x" { default = "c", choices = { 1 } }`, `~choices must be strings, not a number`},
		step{`setting "x" { default = 1, min = "0" }`, `~min must be a number, not a string`},
		step{`setting "x" { default = 1, changed = 1 }`, `~changed must be a function, not a number`},
		step{`setting "x" { default = {} }`, `~default must be a number, a boolean or a string, not a table`},
	)
}
