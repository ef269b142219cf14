package script_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

// TestPlayersView checks that camera and tints reach the other side, from the server and from the
// client.
func TestPlayersView(t *testing.T) {
	p := joinOf(t, probes, drives, nil, "m")
	p.client.line(`function GameConnection.onFlash(s, on) echo("flash", s == server, on) end`)
	p.server.line(`c = clientGroup:at(1)`)
	p.server.steps(step{`c.firstPerson, c.controlCameraFov, c.damageFlash, c.whiteOut`, "true\t90\t0\t0"})
	p.client.steps(step{`server.firstPerson, server.controlCameraFov, server.damageFlash, server.whiteOut`, "true\t90\t0\t0"})

	p.client.line(`server:setFirstPerson(false) server:setControlCameraFov(40)`)
	p.client.steps(step{`server.firstPerson, server.controlCameraFov`, "false\t40"})
	p.run(settle)
	p.server.steps(step{`c.firstPerson, c.controlCameraFov`, "false\t40"})

	p.server.line(`for fov = 1, 100 do c:setControlCameraFov(fov) end c:setFirstPerson(true)`)
	p.run(settle)
	p.client.steps(step{`server.firstPerson, server.controlCameraFov`, "true\t100"})
	p.server.steps(step{`c.firstPerson, c.controlCameraFov`, "true\t100"})

	p.client.line(`server:setFirstPerson(false)`)
	p.run(settle)
	p.client.steps(step{`server.firstPerson`, "false"})

	p.server.line(`c:setDamageFlash(0.5, 1000) c:setWhiteOut(1, 0)`)
	p.run(500 * time.Millisecond)
	assert.Equal(t, []string{"flash\ttrue\ttrue"}, p.client.out)
	p.server.steps(step{`c.damageFlash > 0.2 and c.damageFlash < 0.3, c.whiteOut`, "true\t1"})
	p.client.steps(step{`server.damageFlash > 0.2 and server.damageFlash < 0.35, server.whiteOut`, "true\t1"})
	p.run(time.Second)
	assert.Empty(t, p.client.out)
	p.client.steps(step{`server.damageFlash, server.whiteOut`, "0\t1"})
	p.server.line(`c:setWhiteOut(0)`)
	p.run(settle)
	assert.Equal(t, []string{"flash\ttrue\tfalse"}, p.client.out)

	p.server.steps(
		step{`c:setWhiteOut(2)`, `~setWhiteOut: strength must be 0…1, not 2`},
		step{`c:setWhiteOut(0/0)`, `~setWhiteOut: strength must be 0…1`},
		step{`c:setDamageFlash(1, -1)`, `~setDamageFlash: ms must be 0 or more, not -1`},
		step{`c:setControlCameraFov(180)`, `~setControlCameraFov: argument 1 (degrees) must be 1…179, not 180`},
		step{`b = addBot "Robby" b:setWhiteOut(1) b:setFirstPerson(false)`, ``},
		step{`b.whiteOut, b.firstPerson`, "0\ttrue"},
	)
	p.client.steps(step{`server:setWhiteOut(1)`, `~setWhiteOut is available only on the server`})
}

// TestChangesOfTheControlObject checks onControlObjectChange: at the first object, at each other
// one, and at none.
func TestChangesOfTheControlObject(t *testing.T) {
	p := joinOf(t, probes, drives, nil, "m")
	p.client.line(`function GameConnection.initialControlSet() echo "initial" end`)
	p.client.line(`function GameConnection.onControlObjectChange(s, obj) echo("change", s == server, obj == server.controlObject, obj and obj.className) end`)
	p.server.line(`mission one`)
	p.run(2 * time.Second)
	assert.Equal(t, []string{"The mission is over.", "change\ttrue\ttrue\tnil", "initial",
		"change\ttrue\ttrue\tProbe"}, p.client.out, "the client enters the game before it knows of the body of before the mission")
	p.server.line(`c = clientGroup:at(1) c:setControlObject(nil)`)
	p.run(settle)
	assert.Equal(t, []string{"change\ttrue\ttrue\tnil"}, p.client.out)
	p.server.line(`other = new "Probe" { dataBlock = find "D" } c:setControlObject(other)`)
	p.run(settle)
	assert.Equal(t, []string{"change\ttrue\ttrue\tProbe"}, p.client.out)
}

// TestLagIcon checks that a client learns when its server stops answering, and when it answers
// again.
func TestLagIcon(t *testing.T) {
	p := joinOf(t, probes, drives, nil, "m")
	p.client.line(`function GameConnection.setLagIcon(s, on) echo("lag", s == server, on) end`)
	p.run(3 * time.Second)
	assert.Empty(t, p.client.out)
	broken := netcore.LinkParams{Loss: 1}
	p.net.Link(netcore.SimAddr(2), netcore.SimAddr(1), broken, broken)
	p.run(3 * time.Second)
	assert.Equal(t, []string{"lag\ttrue\ttrue"}, p.client.out)
	p.net.Link(netcore.SimAddr(2), netcore.SimAddr(1), netcore.LinkParams{}, netcore.LinkParams{})
	p.run(5 * time.Second)
	assert.Equal(t, []string{"lag\ttrue\tfalse"}, p.client.out)
}

// TestGhostAlwaysProgress checks the progress of the objects that are always in scope, in the first
// join and after a change of the mission.
func TestGhostAlwaysProgress(t *testing.T) {
	p := apart(t, map[string]string{
		"m/shared/init.lua":  `datablock "ItemData" "Box" {}`,
		"m/missions/one.lua": `for i = 1, 3 do new("Item") { dataBlock = "Box", position = vec(i, 0, 0) }:setScopeAlways() end`,
		"m/missions/two.lua": `new("Item") { dataBlock = "Box" }:setScopeAlways() new("Item") { dataBlock = "Box" }`,
	}, "m")
	p.server.line(`mission one`)
	p.run(settle)
	for _, name := range []string{"onGhostAlwaysStarted", "onGhostAlwaysObjectReceived"} {
		p.client.line(`function GameConnection.` + name + `(s, ...) echo("` + name + `", s == server, ...) end`)
	}
	p.client.line(`connect "x:1"`)
	p.run(2 * time.Second)
	assert.Equal(t, []string{"onGhostAlwaysStarted\ttrue\t3", "onGhostAlwaysObjectReceived\ttrue\t1\t3",
		"onGhostAlwaysObjectReceived\ttrue\t2\t3", "onGhostAlwaysObjectReceived\ttrue\t3\t3"}, p.client.out)
	p.server.line(`extra = new "Item" { dataBlock = "Box" } extra:setScopeAlways()`)
	p.run(settle)
	assert.Empty(t, p.client.out)
	p.server.line(`extra:delete()`)
	p.server.line(`mission two`)
	p.run(2 * time.Second)
	assert.Equal(t, []string{"The mission is over.", "onGhostAlwaysStarted\ttrue\t1", "onGhostAlwaysObjectReceived\ttrue\t1\t1"}, p.client.out)
}
