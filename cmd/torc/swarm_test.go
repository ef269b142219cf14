package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startSwarm starts a swarm and waits until all clients are in the game.
func startSwarm(t *testing.T, address string, args ...string) *process {
	t.Helper()
	p := start(t, append([]string{"swarm", address, "--count", "4"}, args...)...)
	p.expect("connected 4 of 4")
	return p
}

// TestSwarmEnds ends a swarm by command, by interrupt, by its time limit and with its server. Each
// is a successful exit.
func TestSwarmEnds(t *testing.T) {
	t.Parallel()
	server, address, key := serveOn(t, "--mod", "hello", "--password", "x")
	timed := startSwarm(t, address, "--for", "100ms", "--password", "x", "--name", "Ann")
	timed.ends(ended)
	told := startSwarm(t, address+"#"+key, "--password", "x")
	told.quits()
	interrupted := startSwarm(t, address+"#"+key, "--password", "x")
	interrupted.signal(os.Interrupt)
	interrupted.ends(ended)
	left := startSwarm(t, address+"#"+key, "--password", "x", "--name", "Bob")
	server.say(`names = {} for c in clientGroup:each() do names[#names + 1] = c.name end table.sort(names) echo("names " .. table.concat(names, " "))`)
	assert.Equal(t, "names Bob1 Bob2 Bob3 Bob4", server.expect("names "))
	server.say("quit")
	left.ends(ended)
	server.ends(ended)
}

// TestSwarmConsole checks that the console belongs to the first client. Every client runs the
// startup lines, and only the first one prints.
func TestSwarmConsole(t *testing.T) {
	t.Parallel()
	bot := filepath.Join(t.TempDir(), "bot.lua")
	require.NoError(t, os.WriteFile(bot, []byte(`function GameConnection.onConnectionAccepted() commandToServer "Here" end echo "ready"`), 0o600))
	server, address, _ := serveOn(t, "--mod", "hello", "--eval", `n = 0 function serverCmd.Here(client) n = n + 1 end`)
	p := start(t, "swarm", address, "--count", "4", "--bot", bot, "--eval", "net.rate = 20")
	heard := 0
	for line := ""; line != "connected 4 of 4"; line = p.line() {
		if line == "ready" {
			heard++
		}
	}
	assert.Equal(t, 1, heard)
	server.until("n", "4")
	p.say("net.rate")
	p.expect("20")
	p.say("view")
	p.expect("error: ") // a swarm has no view
	p.quits()
	server.quits()
}

// TestSwarmReportsLostClients checks that one lost or refused client sets the exit status. The
// other clients play on.
func TestSwarmReportsLostClients(t *testing.T) {
	t.Parallel()
	server, address, _ := serveOn(t, "--mod", "hello", "--max-clients", "4")
	p := startSwarm(t, address)
	none := start(t, "swarm", address, "--count", "2")
	none.expect("connected 0 of 2")
	none.ends(unconnected)
	assert.Contains(t, none.err.String(), "server is full (4)")
	server.say(`clientGroup:at(2):disconnect("begone")`)
	server.until("#clientGroup", "3")
	some := start(t, "swarm", address, "--count", "2", "--for", "10ms")
	some.expect("connected 1 of 2")
	some.ends(failed)
	p.complains("a client was lost")
	p.say("quit")
	p.ends(failed)
	assert.Contains(t, p.err.String(), "1 of 4 clients were lost, the first for this reason: begone")
	server.quits()
}

// TestSwarmUsage checks that errors in the command line are reported before any client connects.
func TestSwarmUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, says string }{
		{"swarm 127.0.0.1:1#nokey --count 2", "torc: 127.0.0.1:1#nokey: "},
		{"swarm 127.0.0.1:1 --count 2 --exec /does/not/exist.lua", "cannot be read"},
		{"swarm 127.0.0.1:1 --count 2 --accept-key x", "--accept-key"},
	} {
		p := start(t, strings.Fields(c.args)...)
		p.ends(misused)
		assert.Contains(t, p.err.String(), c.says)
	}
	p := start(t, "swarm", "127.0.0.1:1", "--count", "2", "--timeout", "100ms")
	p.expect("connected 0 of 2")
	p.ends(unconnected)
}
