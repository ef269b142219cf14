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

// TestFleetOfProcesses: servers on a real NATS find each other, a player goes from one to the other by its name, and the
// list is there without a server, too. A name that lives refuses the start. When NATS dies, the game goes on, and the
// end of a server takes 3 s at most.
func TestFleetOfProcesses(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	log := filepath.Join(t.TempDir(), "log")
	a, at, _ := serveOn(t, "--fleet", c.URLs[0], "--as", "arena-1", "--metrics", "127.0.0.1:0", "--log-file", log, "--log-format", "json")
	b, _, _ := serveOn(t, "--fleet", c.URLs[0], "--as", "arena-2")
	untilListed(t, a, "fleet", "\narena-2 ", " ready ")
	untilListed(t, b, "fleet", "\narena-1 ", " ready ")
	untilListed(t, a, "metrics", `torc_fleet_connected{server="arena-1"} 1`)

	look := start(t, "fleet", "--fleet", c.URLs[0])
	look.expect("NAME")
	assert.Contains(t, look.line(), "arena-1 ")
	assert.Contains(t, look.line(), "arena-2 ")
	look.ends(0)
	look = start(t, "fleet", "targets", "--fleet", c.URLs[0])
	assert.Regexp(t, `^\[\{"targets":\["127\.0\.0\.1:\d+"\],"labels":\{"server":"arena-1"\}\}\]$`, look.line())
	look.ends(0)
	start(t, "serve", "--listen", "127.0.0.1:0", "--fleet", c.URLs[0], "--as", "arena-1").ends(1)

	ann := joinTo(t, at, "--name", "Ann")
	a.say("transfer Ann arena-2")
	a.expect("Ann was transferred to arena-2")
	c.Nodes[0].Kill()
	untilListed(t, a, "fleet", "the line to the fleet is down")
	a.say("quit")
	a.ends(0)
	b.say("quit")
	b.ends(0)
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

// TestFleetIsRestored: NATS has lost its disk while a server lives. That one keeps its values, and
// holds its changes back. The file of another server, which has ended, gives the fleet its values
// again. The living server takes them, what it held back ends as a conflict, and the next start
// counts on. A fleet that has values is left alone.
func TestFleetIsRestored(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	mods, folder := t.TempDir(), t.TempDir()
	bank := filepath.Join(mods, "bank", "server")
	require.NoError(t, os.MkdirAll(bank, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(mods, "bank", "mod.toml"), []byte("name = \"bank\"\nversion = \"1.0.0\"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(bank, "init.lua"), []byte(startsMod), 0o600))
	run := func(name string, args ...string) *process {
		p, _, _ := serveOn(t, append([]string{"--fleet", c.URLs[0], "--as", name, "--mods", mods, "--mod", "bank"}, args...)...)
		return p
	}
	a := run("arena-1", "--data", folder)
	a.expect("start 1")
	log := filepath.Join(t.TempDir(), "log")
	b := run("arena-2", "--log-file", log)
	b.expect("start 2")
	a.until("starts", "2")
	a.say("quit")
	a.ends(0)
	copied := filepath.Join(folder, "fleet.db")
	start(t, "fleet", "restore", copied, "--fleet", c.URLs[0]).ends(1)
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
	r := start(t, "fleet", "restore", copied, "--fleet", c.URLs[0])
	r.expect("the fleet has these values again:")
	assert.Regexp(t, `^  bank +1$`, r.line())
	r.ends(0)
	b.expect("late false: another server has changed the value")
	b.until("starts", "2")
	d := run("arena-3", "--data", t.TempDir())
	d.expect("start 3")
	b.until("starts", "3")
	for _, p := range []*process{b, d} {
		p.say("quit")
		p.ends(0)
	}
}
