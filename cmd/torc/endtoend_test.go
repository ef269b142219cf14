package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
)

const echoMessage = `
function clientCmdEchoMessage(message, a1, a2, a3, a4)
  echo(detag(message))
  for i, a in ipairs { a1 or "", a2 or "", a3 or "", a4 or "" } do echo("a" .. i .. " = " .. detag(a)) end
end
function clientCmd.Types(...)
  local t = {}
  for i = 1, select("#", ...) do t[i] = type((select(i, ...))) .. ":" .. tostring((select(i, ...))) end
  echo(table.concat(t, " "))
end`

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestEndToEndCommands sends commands in both directions between a server and a client, with tagged strings
// and typed arguments.
func TestEndToEndCommands(t *testing.T) {
	t.Parallel()
	server, address, _ := serveOn(t, "--mod", "hello")
	client := joinTo(t, address, "--name", "Ann", "--exec", file(t, "echo.lua", echoMessage))

	server.say(`c = clientGroup:at(1)`,
		`commandToClient(c, tag "EchoMessage", tag "This %1 guy is super %2", tag "Got Milk?", tag "slow at writing documentation")`,
		`commandToClient(c, tag "EchoMessage", tag "%1 is a good %2 for %3", tag "%1 the good %2", tag "Role Model", tag "SuperDood %1", tag "the dude of super")`)
	client.expect("This Got Milk? guy is super slow at writing documentation")
	client.lines("a1 = Got Milk?", "a2 = slow at writing documentation", "a3 = ", "a4 = ",
		"Role Model the good SuperDood the dude of super is a good Role Model for SuperDood the dude of super",
		"a1 = Role Model the good SuperDood the dude of super", "a2 = Role Model", "a3 = SuperDood the dude of super", "a4 = the dude of super")

	server.say(`commandToClient(c, "Types", nil, true, 3, -0.5, "a\0b" == "a", "text", vec(1, 2, 3), tag "tagged")`)
	client.lines("nil:nil boolean:true number:3 number:-0.5 boolean:false string:text userdata:1 2 3 userdata:tagged")

	client.say(`hello.ask HeavyBall`)
	client.lines("HeavyBall weighs 20 kg.")
	server.say(`function serverCmd.Add(client, a, b) commandToClient(client, "Types", client.name, a + b) end`)
	server.say(`say ready`)
	client.lines("*** Server: ready")
	client.say(`commandToServer("Add", 2, 40.5)`)
	client.lines("string:Ann number:42.5")

	server.say("quit bye")
	assert.Contains(t, client.expect("disconnected: "), "bye")
	client.ends(ended)
	server.ends(ended)
}

// TestEndToEndDatablocks sends 500 datablocks, one of 20 KiB. The client has all of them with equal
// fields before it reports that it is connected. When one datablock changes, only that one is sent
// again.
func TestEndToEndDatablocks(t *testing.T) {
	t.Parallel()
	server, address, _ := serveOn(t, "--mod", "hello", "--exec", file(t, "blocks.lua", `
		for i = 1, 500 do
			datablock "ItemData" ("Block" .. i) {
				inherit = i > 1 and "Block1" or nil, mass = i / 2, sticky = i % 2 == 0,
				shape = i == 1 and "block.dts" or nil,
				description = i == 250 and ("0123456789abcdef"):rep(1280) or nil,
			}
		end`))
	client := joinTo(t, address, "--exec", file(t, "check.lua", `
		function equal(i)
			local b = find("Block" .. i)
			return b and b.className == "ItemData" and b.mass == i / 2 and b.sticky == (i % 2 == 0) and b.shape == "block.dts"
				and b.description == (i == 250 and ("0123456789abcdef"):rep(1280) or "")
		end
		function GameConnection.onDataBlockObjectReceived(server, index, total)
			if server.phase == "game" then echo("block " .. index .. " of " .. total) end
		end`))
	client.say(`n = 0 for i = 1, 500 do if equal(i) then n = n + 1 end end echo(n)`,
		`find("HeavyBall").elasticity, find("HeavyBall").mass`, `find("Ball").mass = 2`)
	client.lines("500", "0.8\t20")
	client.expect("error: ")
	server.say(`sv.liveDatablocks off`, `find("Ball").mass = 3`, `for c in clientGroup:each() do transmitDataBlocks(c, 1000) end`)
	client.lines("block 1 of 1")
	client.say(`find("Ball").mass`)
	client.lines("3")
	server.say(`sv.liveDatablocks on`, `find("Ball").mass = 4`)
	client.lines("block 1 of 1")
	server.say(`quit`)
	client.ends(ended)
}

func TestEndToEndChatAndNames(t *testing.T) {
	t.Parallel()
	server, address, _ := serveOn(t)
	one := joinTo(t, address, "--name", "Ann")
	two := joinTo(t, address, "--name", "ann")
	one.expect("ann (2) joined the game.")
	two.say("say hello there")
	one.expect("ann (2): hello there")
	server.say(`addCommand { name = "where", chat = true, run = function(caller) return "here, " .. caller.name end } echo "added"`)
	server.expect("added")
	two.say(`say /where`, `say /nowhere`)
	two.expect("here, ann (2)")
	two.expect("no such command")
	server.say("players")
	assert.Contains(t, server.expect(""), "Ann 127.0.0.1:")
	server.say("kick Ann too loud")
	assert.Contains(t, one.expect("disconnected: "), "too loud")
	one.ends(failed)
	two.quits()
	server.quits()
}

func TestEndToEndPlay(t *testing.T) {
	t.Parallel()
	p := start(t, "play", "--mod", "hello", "--name", "Ann")
	p.expect("connected to local")
	p.say("hello.greet", "client hello.ask Ball", "players")
	p.expect("Hello Ann, this is the server.")
	p.expect("Ball weighs 1 kg.")
	p.say("client", "say hi")
	p.expect("Ann: hi")
	p.say("server", "say lo")
	p.expect("*** Server: lo")
	p.say("hud", "client", "kick Bob")
	assert.Equal(t, "error: console:1: undefined global 'hud'; did you mean client hud?", p.expect("error: "))
	assert.Equal(t, "error: console:1: syntax error near 'Bob'; did you mean server kick?", p.expect("error: "))
	p.say("server", "quit")
	p.ends(ended)
}

// TestEndToEndMissions changes the map. All clients go through the mission phases again, and their
// connections stay open.
func TestEndToEndMissions(t *testing.T) {
	t.Parallel()
	folder := mod(t, "maps", map[string]string{
		"mod.toml":         "name = 'maps'\nversion = '1.0.0'\ndepends = ['base']\n",
		"missions/one.lua": `new "Marker" { name = "One" }`,
		"missions/two.lua": `new "Marker" { name = "Two" }`,
		"server/init.lua":  `function onMissionLoaded(seq, name) echo("loaded " .. name) end`,
	})
	server, address, _ := serveOn(t, "--mods", folder, "--mod", "maps", "--mission", "one", "--strict")
	client := joinTo(t, address, "--eval", `function clientCmd.MissionStart(seq, name) echo("started " .. name) end`)
	client.expect("started one")
	server.say("mission", `isObject("One"), isObject("Two"), #missionGroup`, "mission two")
	server.lines("one", "true\tfalse\t1", "loaded two")
	client.lines("The mission is over.", "started two")
	server.say("mission", `isObject("One"), isObject("Two"), #missionGroup`, `loadMission("one")`)
	server.lines("two", "false\ttrue\t1", "loaded one")
	client.lines("The mission is over.", "started one")
	server.say("quit")
	client.ends(ended)
	server.ends(ended)
}

func TestEndToEndUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"dance"}, {"serve", "--bot", "idle"}, {"serve", "--exec", "/does/not/exist"}, {"join", ":28000"},
		{"join", "127.0.0.1:1", "--accept-key", "short"}, {"join", "127.0.0.1:1#short"}, {"serve", "--console", "tty"},
		{"serve", "--config", file(t, "t.toml", "[vars]\nnet.rat = 3\n")},
		{"serve", "--config", file(t, "t.toml", "[vars]\nnet.rate = 9000\n")},
	} {
		p := start(t, args...)
		p.ends(misused)
		assert.Equal(t, 1, strings.Count(p.err.String(), "\n"), "one sentence: %s", p.err)
	}
	p := start(t, "version")
	assert.Contains(t, p.line(), "protocol ")
	p.ends(ended)
}

func TestEndToEndRefusals(t *testing.T) {
	t.Parallel()
	server, address, key := serveOn(t, "--password", "sesame", "--max-clients", "1")
	refused(t, "this server needs a password: --password", address)
	refused(t, "wrong password", address, "--password", "guess")

	data := t.TempDir()
	client := joinTo(t, address+"#"+key, "--password", "@"+file(t, "word", "sesame\n"), "--data", data)
	refused(t, "server is full (1)", address, "--password", "sesame")

	server.say("ban 0 forever", "ban player forever no manners")
	client.expect("disconnected: ")
	client.ends(failed)
	refused(t, "banned: no manners (forever)", address, "--password", "sesame", "--data", data)

	start(t, "join", address+"#"+seal.Key{7}.String(), "--password", "sesame").ends(unconnected)
	start(t, "join", "127.0.0.1:9", "--timeout", "300ms").ends(unconnected)
}

// TestEndToEndChangedKey restarts a server with another key. The client refuses it until the user
// accepts the new key.
func TestEndToEndChangedKey(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	address := freeAddress(t)
	server, _, _ := listens(start(t, "serve", "--listen", address))
	client := joinTo(t, address, "--data", data)
	client.quits()
	server.quits()

	server = start(t, "serve", "--listen", address)
	key := strings.Fields(server.expect("listening on "))[4]
	refused(t, "--accept-key "+key, address, "--data", data)
	client = joinTo(t, address, "--data", data, "--accept-key", key)
	client.quits()
	joinTo(t, address, "--data", data)
}

func TestEndToEndSignalsAndEOF(t *testing.T) {
	t.Parallel()
	server, address, _ := serveIn(t, "")
	server.say("for i = 1, 2 do")
	require.NoError(t, server.in.Close())
	assert.Contains(t, server.expect("error: "), "for i = 1, 2 do")
	client := joinTo(t, address) // the server keeps running
	server.signal(syscall.SIGTERM)
	client.expect("disconnected: ")
	client.ends(ended)
	server.ends(ended)
}

// TestEndToEndOrderOfLines checks that typed lines wait until the server listens. Lines of --exec
// and --eval do not wait, and they keep their order.
func TestEndToEndOrderOfLines(t *testing.T) {
	t.Parallel()
	p := start(t, "serve", "--listen", "127.0.0.1:0", "--eval", `echo("one")`, "--exec", file(t, "two.txt", "echo('two')\n"), "--eval", "nope()", "--eval", `echo("three")`)
	p.say(`echo("four")`, `1 + 1, "two", nil`, `net.rate`, `local function f() end f()`, `nothing.here()`, "quit")
	p.lines("one", "two")
	p.expect("error: ")
	p.lines("three")
	assert.Contains(t, p.line(), "listening on ")
	p.lines("four", "2\t\"two\"\tnil", `"auto"`)
	assert.Contains(t, p.line(), "error: ")
	p.ends(ended)
}

// TestEndToEndScriptsWithErrors: a file with the habits of other servers runs to its end. Each
// error names its line on stderr, and the server does not start with half of its settings.
func TestEndToEndScriptsWithErrors(t *testing.T) {
	t.Parallel()
	lua, cfg := file(t, "bad.lua", "nowhere()"), file(t, "server.cfg", "# my server\n// its name\nset sv.name x\nsv.name \"A\"\nsv.bots many\necho(sv.name)\n")
	p := start(t, "serve", "--listen", "127.0.0.1:0", "--exec", cfg, "--exec", lua, "--eval", `echo("last")`)
	p.lines("A", "last")
	p.ends(failed)
	lines := strings.Split(strings.TrimSpace(p.err.String()), "\n")
	require.Len(t, lines, 3, p.err.String())
	assert.Contains(t, lines[0], "torc: "+cfg+":3: ")
	assert.Contains(t, lines[1], "torc: "+cfg+":5: sv.bots")
	assert.Contains(t, lines[2], "torc: "+lua+":1: ")
}

func TestEndToEndDataFolderIsLocked(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	_, _, _ = serveOn(t, "--data", data)
	p := start(t, "serve", "--listen", "127.0.0.1:0", "--data", data)
	p.ends(failed)
	assert.Contains(t, p.err.String(), "another torc server uses the data folder")
}

// TestPlayInMemory: a game whose data folder is in use, or that has no home folder, is in memory
// and says so.
func TestPlayInMemory(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	_, _, _ = serveOn(t, "--data", data)
	for _, p := range []*process{
		start(t, "play", "--data", data),
		startWith(t, "", []string{"env", "-u", "HOME"}, "play", "--data="),
	} {
		p.expect("connected to ")
		p.say("echo 'it plays'", "quit")
		p.expect("it plays")
		p.ends(ended)
		assert.Contains(t, p.err.String(), "this game is in memory, and nothing of it is kept")
	}
}
