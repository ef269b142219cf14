package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServerWithBotsEnds ends a server with bots. Bots have no client to notify.
func TestServerWithBotsEnds(t *testing.T) {
	t.Parallel()
	p, _, _ := serveOn(t)
	p.say(`addBot("Bob").name`, "quit")
	p.lines(`"Bob"`)
	p.ends(ended)
}

// circler is a client bot that walks forward and turns.
const circler = `
function onTick() if server then server:setMove { y = 1, yaw = 3 } end end
function GameConnection.initialControlSet() echo "off I go" end
`

// TestBotsOfClients runs clients with bots. The server measures how far each one gets from its
// start.
func TestBotsOfClients(t *testing.T) {
	t.Parallel()
	server, address, key := serveOn(t, "--mod", "deathmatch", "--seed", "1")
	path := filepath.Join(t.TempDir(), "circler.lua")
	require.NoError(t, os.WriteFile(path, []byte(circler), 0o644))
	wander := joinTo(t, address+"#"+key, "--name", "Wanda", "--bot", "wander", "--seed", "2")
	circle := start(t, "join", address+"#"+key, "--name", "Cecil", "--bot", path)
	circle.expect("off I go")
	idle := joinTo(t, address+"#"+key, "--name", "Ida", "--bot", "idle")

	server.say(`far, from = {}, {}
function onTick()
  for c in clientGroup:each() do
    local o = c.controlObject
    if o then
      from[c.name] = from[c.name] or o.position
      local d = o.position - from[c.name]
      far[c.name] = math.max(far[c.name] or 0, vec(d.x, d.y, 0):length())
    end
  end
end`)
	server.until(`(far.Wanda or 0) > 5 and (far.Cecil or 0) > 1`, "true")
	server.say(`far.Ida < 1`)
	server.expect("true")
	for _, p := range []*process{wander, circle, idle} {
		p.quits()
	}
}

// TestBotsOfServers checks that the command line sets the number of bots.
func TestBotsOfServers(t *testing.T) {
	t.Parallel()
	for _, begin := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"play"}} {
		p := start(t, append(begin, "--mod", "deathmatch", "--bots", "3", "--eval", `function bots() local n = 0 for c in clientGroup:each() do if c.isBot then n = n + 1 end end return n end`)...)
		p.until("bots()", "3")
		p.say("sv.bots 1")
		p.until("bots()", "1")
		p.quits()
	}
}
