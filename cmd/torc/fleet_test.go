package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/internal/testenv"
)

// untilListed repeats a line of a console until its answer has all of the texts.
func untilListed(t *testing.T, p *process, line string, want ...string) {
	t.Helper()
	for limit := testenv.Limit(t); ; testenv.Pause() {
		p.say(line, `echo("listed")`)
		text := ""
		for l := p.line(); l != "listed"; l = p.line() {
			text += l + "\n"
		}
		missing := ""
		for _, w := range want {
			if !strings.Contains(text, w) {
				missing = w
			}
		}
		if missing == "" {
			return
		}
		require.False(t, testenv.Expired(limit), "%s is missing in\n%s", missing, text)
	}
}

// TestFleetOfProcesses: servers on a real NATS find each other, a player goes from one to the other
// by its name, and the list is there without a server, too. A name that lives refuses the start.
// When NATS dies, the game goes on, and the end of a server takes 3 s at most.
func TestFleetOfProcesses(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	log := filepath.Join(t.TempDir(), "log")
	a, at, _ := serveIn(t, "", "--fleet", c.URLs[0], "--as", "arena-1", "--metrics", "127.0.0.1:0", "--log-file", log, "--log-format", "json")
	b, _, _ := serveIn(t, "", "--fleet", c.URLs[0], "--as", "arena-2")
	untilListed(t, a, "fleet", "\narena-2 ", " ready ")
	untilListed(t, b, "fleet", "\narena-1 ", " ready ")
	untilListed(t, a, "metrics", `torc_fleet_connected{server="arena-1"} 1`)

	look := child(t, "fleet", "--fleet", c.URLs[0])
	look.expect("NAME")
	assert.Contains(t, look.line(), "arena-1 ")
	assert.Contains(t, look.line(), "arena-2 ")
	look.ends(0)
	look = child(t, "fleet", "targets", "--fleet", c.URLs[0])
	assert.Regexp(t, `^\[\{"targets":\["127\.0\.0\.1:\d+"\],"labels":\{"server":"arena-1"\}\}\]$`, look.line())
	look.ends(0)
	child(t, "serve", "--listen", "127.0.0.1:0", "--fleet", c.URLs[0], "--as", "arena-1").ends(1)

	ann := joinTo(t, at, "--name", "Ann")
	a.moves("Ann", "arena-2")
	c.Nodes[0].Kill()
	untilListed(t, a, "fleet", "the line to the fleet is down")
	a.quits()
	b.quits()
	ann.say("quit")
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"server":"arena-1"`)
}

// startsMod is a mod that counts the starts of servers.
const startsMod = `
shared:update("starts", function(n) return (n or 0) + 1 end, function() echo("start " .. shared:get("starts")) end)
addCommand { name = "late", run = function()
  shared:put("late", 1, function(ok, why) echo("late " .. tostring(ok) .. ": " .. (why or "")) end)
end }
addCommand { name = "starts", run = function() return shared:get "starts" end }
`

// bankMod writes the mod bank with the code of its servers into a folder of mods. It returns the
// folder.
func bankMod(t *testing.T, code string) string {
	t.Helper()
	return mod(t, "bank", map[string]string{"mod.toml": "name = 'bank'\nversion = '1.0.0'\n", "server/init.lua": code})
}

// TestFleetIsRestored: NATS has lost its disk while a server lives. That one keeps its values, and
// holds its changes back. The file of another server, which has ended, gives the fleet its values
// again. The living server takes them, what it held back ends as a conflict, and the next start
// counts on. So it is with the bans. A fleet that has values is left alone.
func TestFleetIsRestored(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	mods, folder := bankMod(t, startsMod), t.TempDir()
	run := func(name string, args ...string) *process {
		p, _, _ := serveIn(t, "", append([]string{"--fleet", c.URLs[0], "--as", name, "--mods", mods, "--mod", "bank"}, args...)...)
		return p
	}
	a := run("arena-1", "--data", folder)
	a.expect("start 1")
	log := filepath.Join(t.TempDir(), "log")
	b := run("arena-2", "--log-file", log)
	b.expect("start 2")
	a.until("starts", "2")
	a.say("ban 192.0.2.1 forever cheats")
	a.expect("bans: the fleet has 192.0.2.1")
	a.quits()
	copied := filepath.Join(folder, "fleet.db")
	child(t, "fleet", "restore", copied, "--fleet", c.URLs[0]).ends(1)
	c.Nodes[0].Kill()
	c.Nodes[0].Wipe()
	b.say("late", "starts")
	b.lines("2")
	c.Nodes[0].Start()
	c.Nodes[0].WaitHealthy()
	for limit := testenv.Limit(t); ; testenv.Pause() {
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		if strings.Contains(string(text), "run torc fleet restore") {
			break
		}
		require.False(t, testenv.Expired(limit), "%s", text)
	}
	b.say("starts")
	b.lines("2")
	r := child(t, "fleet", "restore", copied, "--fleet", c.URLs[0])
	r.expect("the fleet has these values again:")
	assert.Regexp(t, `^  bank +1$`, r.line())
	assert.Regexp(t, `^  bans +1$`, r.line())
	r.ends(0)
	b.expect("late false: another server has changed the value")
	b.until("starts", "2")
	d := run("arena-3", "--data", t.TempDir())
	d.expect("start 3")
	b.until("starts", "3")
	untilListed(t, d, "bans", "fleet 192.0.2.1 forever", "cheats (arena-1)")
	for _, p := range []*process{b, d} {
		p.quits()
	}
}

// TestFleetBansWhileAServerIsDown is F7: a player is banned while another server is down. That one
// refuses the player when it starts, and lets others in. It does so without NATS, too. A ban that
// the fleet lifts is over.
func TestFleetBansWhileAServerIsDown(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	home, folder := t.TempDir(), t.TempDir()
	a, at, _ := serveIn(t, "", "--fleet", c.URLs[0], "--as", "arena-1")
	second := func() (p *process, at string) {
		p, at, _ = serveIn(t, "", "--fleet", c.URLs[0], "--as", "arena-2", "--data", folder)
		return p, at
	}
	b, _ := second()
	untilListed(t, b, "fleet", "\narena-1 ", " ready ")
	b.quits()
	ann := joinTo(t, at, "--name", "Ann", "--data", home)
	a.say("ban Ann forever cheats")
	ann.ends(failed)
	a.expect("bans: the fleet has ")

	b, atB := second()
	untilListed(t, b, "bans", "fleet ", "cheats (arena-1)") // joins wait for it, but on a busy machine 3 s can be over
	refused(t, "banned: cheats (forever)", atB, "--name", "Ann", "--data", home)
	bob := joinTo(t, atB, "--name", "Bob")
	bob.say("quit")
	b.quits()

	c.Nodes[0].Kill()
	b, atB = second()
	refused(t, "banned: cheats (forever)", atB, "--name", "Ann", "--data", home)
	c.Nodes[0].Start()
	c.Nodes[0].WaitHealthy()
	untilListed(t, a, "metrics", `torc_fleet_connected{server="arena-1"} 1`)
	untilListed(t, b, "metrics", `torc_fleet_connected{server="arena-2"} 1`)
	a.say("bans")
	key := strings.Fields(a.expect("fleet "))[1]
	a.say("unban " + key)
	a.expect("bans: the fleet no longer has " + key)
	for limit := testenv.Limit(t); ; testenv.Pause() {
		b.say("bans", `echo("listed")`)
		if b.line() == "listed" {
			break
		}
		b.expect("listed")
		require.False(t, testenv.Expired(limit))
	}
	joinTo(t, atB, "--name", "Ann", "--data", home).say("quit")
}

// TestFleetHasAHostileMember: a member with valid credentials that writes roles makes nobody an
// admin, and a game server that NATS does not let write the lists bans for itself.
func TestFleetHasAHostileMember(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{Users: `authorization { users = [
		{ user: admin, password: pw }
		{ user: game, password: pw, permissions: { publish: { deny: ["$KV.torc_lists.>"] } } }
	] }`})
	as := func(user string) string { return strings.Replace(c.URLs[0], "//", "//"+user+":pw@", 1) }
	home := t.TempDir()
	evil, _, _ := serveIn(t, "", "--fleet", as("admin"), "--as", "evil")
	untilListed(t, evil, "metrics", `torc_fleet_connected{server="evil"} 1`)
	a, at, _ := serveIn(t, "", "--fleet", as("game"), "--as", "arena-1")
	ann := joinTo(t, at, "--name", "Ann", "--data", home)
	a.say(`for c in clientGroup:each() do echo("key " .. c.key) end`)
	key := strings.Fields(a.expect("key "))[1]
	evil.say("fleet.trustRoles admin", "role.give "+key+" admin")
	evil.expect("roles: the fleet has " + key)
	untilListed(t, a, "role", " admin ", "(evil) (does not count: fleet.trustRoles)")
	untilListed(t, a, `for c in clientGroup:each() do echo("roles " .. #c.roles) end`, "roles 0")

	a.say("ban Ann forever cheats")
	ann.ends(failed)
	a.expect("this holds on this server only: NATS does not let this server write to torc_lists")
	refused(t, "banned: cheats (forever)", at, "--name", "Ann", "--data", home)
}
