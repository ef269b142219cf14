//go:build unix

package main

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// serveAgain starts a server on an address that it keeps when it starts again, by another command
// as startWith does.
func serveAgain(t *testing.T, data string, with []string, args ...string) (p *process, address, key string) {
	t.Helper()
	address = freeAddress(t)
	p = startWith(t, "", with, append([]string{"serve", "--listen", address, "--data", data}, args...)...)
	return p, address, strings.Fields(p.expect("listening on "))[4]
}

// TestClientsComeBack ends a server in different ways. Clients in the game come back by themselves
// when the server does. The server knows them by their keys.
func TestClientsComeBack(t *testing.T) {
	t.Parallel()
	terminate := func(p *process) { p.signal(syscall.SIGTERM); p.ends(ended) }
	const supervised = "disconnected: the server restarts: only if its supervisor starts it again"
	for name, c := range map[string]struct {
		end  func(p *process)
		why  string
		same bool // the process itself starts again
		with []string
		args []string
	}{
		"killed":     {func(p *process) { p.kill(); p.ends(-1) }, "disconnected: the server does not know this connection: the server was restarted", false, nil, nil},
		"signal":     {func(p *process) { p.signal(syscall.SIGUSR1); p.ends(ended) }, "disconnected: the server restarts", false, nil, nil},
		"supervised": {terminate, supervised, false, nil, []string{"--supervised"}},
		"systemd":    {terminate, supervised, false, []string{"env", "INVOCATION_ID=1"}, nil},
		"restart":    {func(p *process) { p.say("restart new mods") }, "disconnected: the server restarts: new mods", true, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			server, address, key := serveAgain(t, data, c.with, c.args...)
			client := joinTo(t, address)
			c.end(server)
			if !c.same {
				server = start(t, "serve", "--listen", address, "--data", data)
			}
			assert.Contains(t, server.expect("listening on "), address+" key "+key)
			client.expect(c.why)
			client.expect("reconnecting…")
			client.expect("connected to ")
			server.say("players")
			assert.Contains(t, server.line(), " game")
			client.quits()
		})
	}
}

// TestRestartsKeepTheirPorts: the ports that the system picked at the first start stay, so that
// clients, links and programs find the server again.
func TestRestartsKeepTheirPorts(t *testing.T) {
	t.Parallel()
	server := child(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--ssh", "127.0.0.1:0", "--data", t.TempDir())
	announced := func() (lines []string) {
		for _, about := range []string{"metrics at ", "ssh console at ", "listening on "} {
			lines = append(lines, server.expect(about))
		}
		return lines
	}
	first := announced()
	for range 2 {
		server.say("restart")
		assert.Equal(t, first, announced())
	}
	server.quits()
}

// hudLines returns the lines on the screen of a client.
func (p *process) hudLines() (list []string) {
	p.t.Helper()
	p.say("hud", "echo 'end of hud'")
	for {
		line := p.line()
		if line == "end of hud" {
			return list
		}
		list = append(list, line)
	}
}

// shows waits until a line that begins so is on the screen of a client.
func (p *process) shows(want string) {
	p.t.Helper()
	for limit := testenv.Limit(p.t); ; {
		got := p.hudLines()
		if slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, want) }) {
			return
		}
		require.False(p.t, testenv.Expired(limit), "the HUD is %q, and never has %q", got, want)
		testenv.Pause()
	}
}

// TestScoresComeBack restarts a server on purpose. The mod gives a player the frags and the place
// of before the restart. After another end, the game begins anew.
func TestScoresComeBack(t *testing.T) {
	t.Parallel()
	data, game := t.TempDir(), []string{"--mod", "deathmatch"}
	server, address, _ := serveAgain(t, data, nil, game...)
	client := joinTo(t, address, "--name", "Ann")
	const (
		find = `function player(bot) for c in clientGroup:each() do if c.isBot == bot then return c end end end`
		east = `math.floor(player(false).controlObject.position.x + 0.5)`
	)
	server.say(find, `addBot("Bob"):stop()`, `player(false).controlObject.position = vec(37, 8, 9)`)
	server.until(`player(true).phase`, `"game"`)
	server.say(`player(true).controlObject:damage(player(false).controlObject, vec(0, 0, 0), 1000, "rocket")`)
	client.shows("1 1 frags ")
	server.until(east, "37")

	server.say("restart")
	server.expect("listening on ")
	client.expect("connected to ")
	client.shows("1 1 frags ")
	server.say(find)
	server.until(east, "37")

	server.kill()
	server.ends(-1)
	start(t, append([]string{"serve", "--listen", address, "--data", data}, game...)...)
	client.expect("connected to ")
	client.shows("1 0 frags ")
}

// TestClientsThatDoNotComeBack: whoever was thrown out, or asked for it, ends with the server.
func TestClientsThatDoNotComeBack(t *testing.T) {
	t.Parallel()
	server, address, _ := serveAgain(t, t.TempDir(), nil)
	once, kicked := joinTo(t, address, "--no-reconnect"), joinTo(t, address, "--name", "Eve")
	server.say("kick Eve enough")
	kicked.expect("disconnected: kicked: enough")
	kicked.ends(failed)
	server.say("restart")
	once.ends(failed)
	server.expect("listening on ")
	stays := joinTo(t, address)
	server.say("quit")
	stays.expect("disconnected: ")
	stays.ends(ended)
}

// TestPinnedKeysAreRemembered: whoever joined with the key of a server once refuses another server
// at its address, also without naming the key.
func TestPinnedKeysAreRemembered(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	server, address, key := listens(start(t, "serve", "--listen", freeAddress(t)))
	client := joinTo(t, address+"#"+key, "--data", data)
	client.quits()
	server.quits()
	start(t, "serve", "--listen", address).expect("listening on ")
	refused(t, "has CHANGED", address, "--data", data)
}
