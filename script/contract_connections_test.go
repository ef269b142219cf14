package script_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// apart makes a server and a client that are not connected yet.
func apart(t testing.TB, server map[string]string, names ...string) *pair {
	p := &pair{net: netsim.New(1)}
	p.server = newHalf(t, 1, true, files(server)).load(names...)
	p.client = newHalf(t, 2, false).load()
	p.net.Attach(netcore.SimAddr(1), p.server.host)
	p.net.Attach(netcore.SimAddr(2), p.client.host)
	p.net.Link(netcore.SimAddr(2), netcore.SimAddr(1), netcore.LinkParams{}, netcore.LinkParams{})
	return p
}

func TestTheFirstReasonRefuses(t *testing.T) {
	p := apart(t, map[string]string{
		"a/server/init.lua": `function GameConnection.onConnectRequest(client, address, word, n)
			echo("a", client.name, address, word, n, client.address == address, #clientGroup)
			if word == "a" then return "a says no" end
		end`,
		"b/server/init.lua": `function GameConnection.onConnectRequest(client, address, word)
			echo("b", word)
			if word == "oops" then error "oops" end
			if word ~= "yes" then return "b says no" end
		end
		function GameConnection.onConnect(client, ...) echo("in", client.name, ...) end
		function GameConnection.onDrop(client, reason) echo("out", client.name, client.own.x, reason) end`,
	}, "a", "b")
	p.client.line(`function GameConnection.onConnectFailed(address, reason) echo(address, reason) end`)
	for word, want := range map[string][2][]string{
		"a": {{"a\tBot\tsim:2\ta\t7\ttrue\t0"}, {"x:1\ta says no"}},
		"b": {{"a\tBot\tsim:2\tb\t7\ttrue\t0", "b\tb"}, {"x:1\tb says no"}},
	} {
		require.Empty(t, p.client.line(`connect("x:1", {name = "Bot", args = {"`+word+`", 7}})`))
		p.run(time.Second)
		assert.Equal(t, want[0], p.server.out)
		assert.Equal(t, want[1], p.client.out)
		assert.Equal(t, "nil", p.client.line(`server`))
		assert.Equal(t, "0", p.server.line(`#clientGroup`))
	}
	require.Empty(t, p.client.line(`connect("x:1", {name = "Bot", args = {"yes"}})`))
	p.run(2 * time.Second)
	assert.Contains(t, p.server.out, "in\tBot\tyes")
	p.server.line(`clientGroup:at(1).own.x = 5 clientGroup:at(1):disconnect("go away")`)
	p.run(time.Second)
	assert.Equal(t, []string{"out\tBot\tnil\tgo away"}, p.server.out, "own tables are each mod's own")
}

// TestCallbacksOfAClient checks the order of the callbacks of a client from its first packet on.
func TestCallbacksOfAClient(t *testing.T) {
	p := apart(t, map[string]string{"m/shared/a.lua": `datablock "ItemData" "A" {} datablock "ItemData" "B" {}`}, "m")
	p.client.line(`for _, name in ipairs { "onConnectionAccepted", "onDataBlockObjectReceived", "onEnterGame", "onConnectionDropped", "onConnectionTimedOut" } do
		GameConnection[name] = function(s, ...) echo(name, s == server, s.serverName, ...) end
	end`)
	require.Empty(t, p.client.line(`connect "x:1"`))
	p.run(2 * time.Second)
	assert.Equal(t, []string{
		"onConnectionAccepted\ttrue\tServer",
		"onDataBlockObjectReceived\ttrue\tServer\t1\t2", "onDataBlockObjectReceived\ttrue\tServer\t2\t2",
		"onEnterGame\ttrue\tServer",
	}, p.client.out)
	p.server.line(`for c in clientGroup:each() do c:disconnect("that is all") end`)
	p.run(time.Second)
	require.Len(t, p.client.out, 1)
	assert.Regexp(t, `^onConnectionDropped\t(true|false)\tServer\t.*that is all`, p.client.out[0])
	p.client.steps(step{`server`, `nil`}, step{`commandToServer("x")`, `~not connected to a server`}, step{`find "A"`, `nil`})

	require.Empty(t, p.client.line(`connect "x:1"`))
	p.run(2 * time.Second)
	p.client.line(`net.timeout 2`)
	p.net.Blackout(p.net.Now(), p.net.Now()+time.Hour)
	p.run(time.Minute)
	require.Len(t, p.client.out, 2)
	assert.Contains(t, p.client.out[0], "onConnectionTimedOut\t")
	assert.Contains(t, p.client.out[1], "onConnectionDropped\t")
}

// TestSetRate: on both sides setRate limits what the server sends to the client. Variables that are
// set later do not undo it.
func TestSetRate(t *testing.T) {
	p := join(t, nil, nil)
	rates := func() string {
		p.run(time.Second)
		c, s := p.server.host.Connections()[0], p.client.host.Server()
		return fmt.Sprint(c.Line.SendRate(), " ", s.Line.SendRate())
	}
	require.Equal(t, "1250/s x 1400 B 1250/s x 1400 B", rates())
	require.Empty(t, p.server.line(`clientGroup:at(1):setRate{packets = 10, size = 300}`))
	assert.Equal(t, "10/s x 300 B 1250/s x 1400 B", rates())
	require.Empty(t, p.client.line(`server:setRate{packets = 20, size = 250}`))
	assert.Equal(t, "10/s x 250 B 1250/s x 1400 B", rates())
	require.Empty(t, p.server.line(`clientGroup:at(1):setReceiveRate{packets = 5, size = 400}`))
	assert.Equal(t, "10/s x 250 B 5/s x 400 B", rates())
	for _, h := range []*half{p.server, p.client} {
		h.host.Settings.Rate, h.host.Settings.MaxRate = 25, 100
		h.host.Apply()
	}
	assert.Equal(t, "10/s x 250 B 5/s x 400 B", rates())
	p.server.host.Settings.MaxRate, p.server.host.Settings.MaxSize = 8, 200
	p.server.host.Apply()
	assert.Equal(t, "8/s x 200 B 5/s x 400 B", rates(), "the limits of the operator hold as well")
	require.Empty(t, p.server.line(`sv.maxRate = auto`))
	require.Empty(t, p.server.line(`sv.maxSize = 1400`))
	require.Empty(t, p.server.line(`clientGroup:at(1):setRate{}`))
	require.Empty(t, p.server.line(`clientGroup:at(1):setReceiveRate{}`))
	require.Empty(t, p.client.line(`server:setRate{}`))
	require.Empty(t, p.client.line(`net.rate = auto`))
	assert.Equal(t, "5000/s x 1400 B 25/s x 1400 B", rates(), "all rates are handed back to the settings")
}

// TestProfileIsTrue: net.profile names the profile of the values, whatever has set them.
func TestProfileIsTrue(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`net.profile`, `"auto"`}, step{`net.profile = modem`, ``}, step{`net.profile`, `"modem"`}, step{`net.moves`, `5`},
		step{`net.rate 20`, ``}, step{`net.profile`, `"custom"`}, step{`net.profile = custom`, ``}, step{`net.rate`, `20`},
		step{`net.rate 10`, ``}, step{`net.profile`, `"modem"`}, step{`net.profile = auto`, ``}, step{`net.rate`, `"auto"`},
		step{`sv.maxRate`, `1250`}, step{`sv.maxRate = auto`, ``}, step{`sv.maxRate`, `"auto"`}, step{`reset sv.maxRate`, ``}, step{`sv.maxRate`, `1250`},
		step{`net.profile = fast`, `~net.profile must be auto, modem, dsl or lan, got "fast"`},
	)
}

func TestRatesAndLinksFromLua(t *testing.T) {
	p := join(t, nil, nil)
	require.Empty(t, p.client.line(`server:setRate{packets = 20, size = 450}`))
	require.Empty(t, p.server.line(`clientGroup:at(1):setSendRate{packets = 10, size = 300}`))
	require.Empty(t, p.client.line(`setSimulatedNetParams(nil, {delay = 50, jitter = 5, loss = 0.01})`))
	p.run(3 * time.Minute)
	p.client.steps(
		step{`server.ping > 90, server.packetLoss < 0.5, server.address, #server.key`, "true\ttrue\t\"sim:1\"\t52"},
		step{`server.pingLeast < server.ping, server.pingLeast >= 0, server.pingVariation < 50, server.lineRate >= 9600`, "true\ttrue\ttrue\ttrue"},
		step{`server:setRate{packets = 0, size = 450}`, `~packets must be`},
		step{`server:setRate{packets = 20, size = 90}`, `~size must be 100…1400`},
		step{`server:setRate{packet = 20}`, `~unknown option "packet", did you mean "packets"?`},
		step{`setSimulatedNetParams(nil, {loss = 2})`, `~loss must be 0…1`},
		step{`setSimulatedNetParams(nil, {lag = 2})`, `~unknown option "lag"`},
		step{`setSimulatedNetParams(nil, {delay = -1})`, `~delay must be 0…60000 ms`},
		step{`server.pong`, `~GameConnection has no field or method "pong", did you mean "ping"?`},
		step{`server:kick()`, `~unknown field "kick" of GameConnection`},
	)
	p.server.steps(
		step{`clientGroup:at(1).ping > 50`, `true`},
		step{`connect("x:1", {})`, `~connect`},
		step{`setSimulatedNetParams(nil, {})`, `~not connected to a server`},
	)
	require.Empty(t, p.client.line(`disconnect("bye")`))
	p.run(time.Second)
	assert.Equal(t, "0", p.server.line(`#clientGroup`))
	assert.Equal(t, `error: console:1: disconnect: not connected`, p.client.line(`disconnect()`))
}

// TestEveryModReceivesConnectionEvents checks that a handler that fails does not keep events from
// the others.
func TestEveryModReceivesConnectionEvents(t *testing.T) {
	p := apart(t, map[string]string{
		"a/server/init.lua": `function GameConnection.onConnect(client) echo "a" error "a is broken" end`,
		"b/server/init.lua": `function GameConnection.onConnect(client) echo "b" end`,
	}, "a", "b")
	p.server.line(`function GameConnection.onConnect(client) echo("console", client.name) end`)
	require.NoError(t, p.client.host.Dialer.Connect("x:1", engine.ConnectArgs{}))
	p.run(2 * time.Second)
	assert.Equal(t, []string{"a", "b", "console\tDood"}, p.server.out)
	assert.Contains(t, p.server.log[0], "a: onConnect: mods/a/server/init.lua:1: a is broken")
	assert.Equal(t, engine.PhaseGame, p.client.host.Server().Join.Phase())
}
