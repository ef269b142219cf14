package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine/sim"
)

// drives is a mod that gives each player a probe to control.
var drives = map[string]string{"m/server/init.lua": `
	D = datablock "ProbeData" "D" {}
	function GameConnection.onConnect(client) echo("connect", client.name, client.isBot, client.address) end
	function GameConnection.onDrop(client, reason) echo("drop", client.name, reason) end
	function GameConnection.onClientEnterGame(client)
		echo("enter", client.name, client.phase)
		local body = new "Probe" { dataBlock = D, name = "body of " .. client.name }
		client:add(body)
		client:setControlObject(body)
	end`, "m/missions/one.lua": ``}

func probeOf(h *half, name string) *Probe {
	p, _ := h.host.World().FindName("body of " + name).(*Probe)
	return p
}

func TestABotJoinsPlaysAndLeaves(t *testing.T) {
	h := newHalfOf(t, 1, true, probes, files(drives)).load("m")
	h.line(`b = addBot "Fred" c = addBot "Fred"`)
	for range 4 {
		h.host.Tick(0)
	}
	assert.Equal(t, []string{
		"connect\tFred\ttrue\tbot", "connect\tFred (2)\ttrue\tbot",
		"enter\tFred\tgame", "enter\tFred (2)\tgame",
	}, h.out, "straight into the game, after every onConnect")
	h.steps(
		step{`b.className, b.isBot, b.phase, b.controlObject == find "body of Fred", #clientGroup`, "\"GameConnection\"\ttrue\t\"game\"\ttrue\t2"},
		step{`commandToClient(b, "Hud", 1, "x") b:setRate { packets = 10, size = 200 } return b.ping`, `0`},
		step{`b:setMove { x = 0.5, y = -1, z = 1, yaw = 90, triggers = { 0, 3 }, freeLook = true } b:setTrigger(1, true)`, ``},
	)
	h.host.Tick(0)
	moves := probeOf(h, "Fred").moves
	assert.Equal(t, sim.Move{X: 8, Y: -16, Z: 16, Yaw: 1 << 14, Triggers: 0b1011, FreeLook: true}, moves[len(moves)-1])
	h.steps(
		step{`b:stop() b:setTrigger(1, false) b:moveTo(vec(0, 50, 0), 5) return b.moving`, `true`},
	)
	h.host.Tick(0)
	moves = probeOf(h, "Fred").moves
	assert.Equal(t, sim.Move{Y: 16}, moves[len(moves)-1])
	h.steps(
		step{`b:moveTo(nil) return b.moving, b.steeredBy`, "false\t\"console\""},
		step{`b.moves.done > 0, b.moves.largestWarp`, "true\t0"},
		step{`b:aim(vec(1, 0, 0)) b:aim(c.controlObject) b:aim(nil)`, ``},
	)
	h.line(`b:disconnect("enough")`)
	h.host.Tick(0)
	h.host.Tick(0)
	assert.Contains(t, strings.Join(h.out, "\n"), "drop\tFred\t")
	h.steps(step{`isObject(b), #clientGroup`, "false\t1"}, step{`b:stop()`, `~has been deleted`})
	assert.Empty(t, h.log)
}

// TestABotAndTheNextMission checks that a bot passes a change of the mission as clients do.
func TestABotAndTheNextMission(t *testing.T) {
	h := newHalfOf(t, 1, true, probes, files(drives)).load("m")
	h.line(`addBot "Fred"`)
	for range 4 {
		h.host.Tick(0)
	}
	h.line(`mission one`)
	h.line(`mission one`)
	h.out = nil
	for range 4 {
		h.host.Tick(0)
	}
	assert.Equal(t, []string{"enter\tFred\tgame"}, h.out)
	assert.Empty(t, h.log)
}

func TestPilotErrors(t *testing.T) {
	p := joinOf(t, probes, drives, nil, "m")
	p.server.line(`b = addBot "Fred" dead = new "ScriptObject" {} set = new "SimSet" {} dead:delete() c = clientGroup:at(1)`)
	for call, want := range map[string]string{
		`b:aim(0/0)`:                          `client:aim: argument 1 (at) must be finite, not nan`,
		`b:aim(5)`:                            `client:aim: argument 1 (at) must be a vec, an object or nil, not a number`,
		`b:aim(vec(0, 1/0, 0))`:               `client:aim: argument 1 (at) must be finite`,
		`b:aim(dead)`:                         `client:aim: argument 1 (at): object `,
		`b:aim(set)`:                          `client:aim: SimSet `,
		`b:moveTo(vec(0/0, 0, 0))`:            `client:moveTo: argument 1 (to) must be finite`,
		`b:moveTo(b)`:                         `client:moveTo: argument 1 (to) must be a vec or nil, not an object`,
		`b:moveTo(vec(0, 0, 0), 0/0)`:         `client:moveTo: argument 2 (near) must be a finite number`,
		`b:moveTo(vec(0, 0, 0), {})`:          `client:moveTo: argument 2 (near) must be a number, not a table`,
		`b:setTrigger(6, true)`:               `client:setTrigger: argument 1 (trigger) must be 0…5, not 6`,
		`b:setTrigger(-1, true)`:              `client:setTrigger: argument 1 (trigger) must be 0…5, not -1`,
		`b:setTrigger(0/0, true)`:             `client:setTrigger: argument 1 (trigger) must be an integer`,
		`b:setTrigger(1)`:                     `client:setTrigger: argument 2 (held) must be a boolean, not nil`,
		`b:setMove()`:                         `client:setMove: argument 1`,
		`b:setMove { x = 1.5 }`:               `client:setMove: x must be a number from -1 to 1, not 1.5`,
		`b:setMove { y = 0/0 }`:               `client:setMove: y must be a number from -1 to 1, not nan`,
		`b:setMove { yaw = 181 }`:             `client:setMove: yaw must be a number from -180 to 180, not 181`,
		`b:setMove { z = "up" }`:              `client:setMove: z must be a number from -1 to 1, not "up"`,
		`b:setMove { speed = 1 }`:             `client:setMove: `,
		`b:setMove { triggers = 5 }`:          `client:setMove: triggers must be a list of numbers, not a number`,
		`b:setMove { triggers = { 6 } }`:      `client:setMove: a trigger must be a number 0…5, not 6`,
		`c:stop()`:                            `client:stop: "Dood" is controlled by a remote player: the server can steer only bots`,
		`addBot(("x"):rep(65))`:               `addBot: argument 1 (name) must be at most 64 bytes, not 65`,
		`c:setControlObject(new "Marker" {})`: `client:setControlObject: Marker `,
		`c:setControlObject(b)`:               `client:setControlObject: GameConnection `,
		`c:setControlObject(dead)`:            `client:setControlObject: object `,
		`c:setControlObject(5)`:               `client:setControlObject: argument 1 (obj) must be an object, not a number`,
	} {
		p.server.steps(step{call, `~error: console:1: ` + want})
	}
	p.client.steps(step{`addBot "Fred"`, `error: console:1: addBot is available only on the server`})
	p.server.line(`b:disconnect()`)
	p.run(settle)
}

// TestAClientSteersItself checks that a client's scripts can steer the object that the client
// controls.
func TestAClientSteersItself(t *testing.T) {
	client := map[string]string{"m/client/init.lua": `
		function GameConnection.initialControlSet(server) echo("control", server.controlObject.className) end`}
	p := joinOf(t, probes, drives, client, "m")
	p.run(time.Second)
	p.client.steps(
		step{`server.controlObject.className, server.isBot`, "\"Probe\"\tfalse"},
		step{`server:setMove { y = 1, triggers = { 2 } } return server.steeredBy`, `"console"`},
	)
	p.run(time.Second)
	moves := probeOf(p.server, "Dood").moves
	assert.Equal(t, sim.Move{Y: 16, Triggers: 4}, moves[len(moves)-1])
	p.client.steps(step{`server.moves.made > 10`, `true`})
	p.server.steps(step{`clientGroup:at(1).moves.done > 10`, `true`})
	assert.Empty(t, p.client.log)
	assert.Empty(t, p.server.log)
}

func TestTheControlObjectIsTheScopeObject(t *testing.T) {
	p := joinOf(t, probes, drives, nil, "m")
	p.server.line(`far = new "Probe" { dataBlock = find "D", position = vec(900, 900, 900) }`)
	p.run(settle)
	const count = `(function() local n = 0 for _ in objects "Probe" do n = n + 1 end return n end)()`
	p.client.steps(step{count, `1`})
	p.server.line(`clientGroup:at(1):setControlObject(nil)`)
	p.run(time.Second)
	p.client.steps(step{count, `2`})
}

func TestInitialControlSetOncePerJoin(t *testing.T) {
	p := joinOf(t, probes, drives, nil, "m")
	p.client.line(`function GameConnection.initialControlSet(s) echo("control", s == server, s.controlObject.className) end`)
	p.server.line(`mission one`)
	p.run(2 * time.Second)
	assert.Equal(t, []string{"The mission is over.", "control\ttrue\tProbe"}, p.client.out)
	p.server.line(`c = clientGroup:at(1) c:setControlObject(nil)`)
	p.run(settle)
	p.client.steps(step{`server.controlObject`, `nil`})
	p.server.line(`c:setControlObject(find "body of Dood")`)
	p.run(settle)
	assert.Empty(t, p.client.out)
}

// TestDefaultBots checks that base's own bots run and shoot, and that base leaves a bot alone when
// another mod steers it.
func TestDefaultBots(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/shared/m.lua": `
		D = datablock "PlayerData" "D" {}
		function GameConnection.onClientEnterGame(client)
			local body = new "Player" { dataBlock = D, name = "body of " .. client.name, team = client.own.team or 0 }
			client:add(body)
			client:setControlObject(body)
		end
		function D:onTrigger(obj, n, down) echo(obj.name, n, down) end`})).load("m")
	run := func(ticks int) string {
		h.out = nil
		for range ticks {
			h.host.Tick(0)
		}
		return strings.Join(h.out, "\n")
	}
	h.line(`b = addBot "Fred"`)
	assert.NotContains(t, run(100), "body of Fred\t0", "there is nobody to shoot at")
	h.steps(step{`b.steeredBy, b.moving`, "\"base\"\ttrue"}, step{`b.controlObject.position:length() > 2`, `true`})
	h.line(`c = addBot "Jim"`)
	assert.Contains(t, run(100), "body of Jim\t0\ttrue")
	h.steps(step{`c:setTrigger(4, true) return c.moving, c.steeredBy`, "false\t\"console\""})
	assert.Contains(t, run(100), "body of Jim\t0\tfalse\nbody of Jim\t4\ttrue")
	h.steps(step{`c.moving`, `false`})
	h.line(`b.controlObject:setTransform(c.controlObject.position + vec(5, 0, 0), rot(0, 0, 0))`)
	run(20)
	h.line(`b.controlObject.team = 1 c.controlObject.team = 1`)
	assert.Contains(t, run(100), "body of Fred\t0\tfalse", "not at its own team")
	assert.Empty(t, h.log)
}
