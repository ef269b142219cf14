package script_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// joinLog makes a client note the steps of its join.
const joinLog = `
	for phase = 1, 3 do
		override(clientCmd, "MissionStartPhase" .. phase, function(parent, seq, name) echo("phase", phase, seq, name) parent(seq, name) end)
	end
	function GameConnection.onDataBlockObjectReceived() echo "block" end
	function GameConnection.onGhostAdded() echo "ghost" end
	function GameConnection.onEnterGame() echo "game" end`

// steps are the notes of a join in their order. Repetitions count once.
var steps = []string{"phase\t1\t2\tone", "block", "phase\t2\t2\tone", "ghost", "phase\t3\t2\tone", "game"}

// gateMod has a mission with a datablock and an object that is always in scope.
var gateMod = map[string]string{
	"m/server/init.lua":  `datablock "ItemData" "Box" {}`,
	"m/missions/one.lua": `new "Item" { dataBlock = "Box" }:setScopeAlways()`,
}

// gated makes a server with gateMod, and a client that is not connected yet. Their line has a
// delay.
func gated(t *testing.T, server string) *pair {
	list := map[string]string{"m/missions/one.lua": gateMod["m/missions/one.lua"], "m/server/init.lua": gateMod["m/server/init.lua"] + "\n" + server}
	p := apart(t, list, "m")
	p.server.line(`mission one`)
	p.run(settle)
	link := netcore.LinkParams{Delay: 48 * time.Millisecond}
	p.net.Link(netcore.SimAddr(2), netcore.SimAddr(1), link, link)
	return p
}

func (p *pair) phase() engine.Phase {
	if c := p.client.host.Server(); c != nil {
		return c.Join.Phase()
	}
	return engine.PhaseJoining
}

// joins connects the client, and returns its notes after a time.
func (p *pair) joins(t *testing.T, d time.Duration) []string {
	require.Equal(t, "", p.client.line(`connect "x:1"`))
	p.run(d)
	return slices.Compact(p.client.out)
}

// TestPhasesOfAJoinInOrder lets mods of the client answer a phase late, in each way. The next step
// waits for the answer, and nothing else changes.
func TestPhasesOfAJoinInOrder(t *testing.T) {
	answers := map[string]string{
		"parent":  `parent(seq, name)`,
		"command": `commandToServer("MissionStartPhase" .. %[1]d .. "Ack", seq)`,
		"both":    `commandToServer("MissionStartPhase" .. %[1]d .. "Ack", seq) parent(seq, name)`,
	}
	for how, answer := range answers {
		for phase := range 4 {
			t.Run(fmt.Sprint(how, " ", phase), func(t *testing.T) {
				p := gated(t, "")
				if phase > 0 {
					p.client.line(fmt.Sprintf(`override(clientCmd, "MissionStartPhase%[1]d", function(parent, seq, name)
						schedule(2000, function() echo "answer" `+answer+` end)
					end)`, phase))
				}
				p.client.line(strings.ReplaceAll(joinLog, "\n", " "))
				got := p.joins(t, 4*time.Second)
				want := slices.Clone(steps)
				if phase > 0 {
					at := slices.Index(want, fmt.Sprintf("phase\t%d\t2\tone", phase)) + 1
					if phase == 1 {
						at++ // the datablocks decide nothing, so they do not wait
					}
					want = slices.Insert(want, at, "answer")
				}
				assert.Equal(t, want, got)
				assert.Equal(t, engine.PhaseGame, p.phase())
				assert.Empty(t, append(p.server.log, p.client.log...))
			})
		}
	}
}

// TestRefusedPhases lets mods of either side refuse a phase. The client never plays, and loses its
// place.
func TestRefusedPhases(t *testing.T) {
	for phase := 1; phase <= 3; phase++ {
		for _, side := range []string{"client", "server"} {
			t.Run(fmt.Sprint(side, " ", phase), func(t *testing.T) {
				refuse := map[string]string{
					"client": fmt.Sprintf(`override(clientCmd, "MissionStartPhase%d", function() end)`, phase),
					"server": fmt.Sprintf(`override(serverCmd, "MissionStartPhase%dAck", function() end)`, phase),
				}
				server := ""
				if side == "server" {
					server = refuse[side]
				}
				p := gated(t, server)
				if side == "client" {
					p.client.line(refuse[side])
				}
				p.client.line(strings.ReplaceAll(joinLog, "\n", " "))
				got := p.joins(t, 3*time.Second)
				assert.NotContains(t, got, "game")
				if phase < 3 {
					assert.NotContains(t, got, "ghost")
				}
				require.NotNil(t, p.client.host.Server())
				p.run(7 * time.Second)
				assert.Nil(t, p.client.host.Server(), "the join made no progress")
			})
		}
	}
}

// TestHeldAnswers lets a mod of the server pass on each answer of a client late.
func TestHeldAnswers(t *testing.T) {
	for phase := 1; phase <= 3; phase++ {
		p := gated(t, fmt.Sprintf(`override(serverCmd, "MissionStartPhase%dAck", function(parent, client, seq)
			schedule(2000, function() echo "passed on" parent(client, seq) end)
		end)
		function GameConnection.onClientEnterGame() echo "plays" end`, phase))
		require.Equal(t, "", p.client.line(`connect "x:1"`))
		p.run(4 * time.Second)
		assert.Equal(t, []string{"passed on", "plays"}, p.server.out, "phase %d", phase)
		assert.Equal(t, engine.PhaseGame, p.phase())
	}
}

// TestTransmissionsDuringAJoin lets a mod of the server send datablocks too, at each moment of a
// join. The join succeeds, with its phases in order.
func TestTransmissionsDuringAJoin(t *testing.T) {
	for wait := 0; wait < 1000; wait += testenv.Length(96, 32) {
		p := gated(t, fmt.Sprintf(`function GameConnection.onConnect(client)
			local function send() datablock "ItemData" "Late" {} client:transmitDataBlocks(7) end
			if %[1]d == 0 then send() else schedule(%[1]d, send) end
		end`, wait))
		p.client.line(strings.ReplaceAll(joinLog, "\n", " "))
		got := p.joins(t, 3*time.Second)
		got = slices.Compact(slices.DeleteFunc(got, func(s string) bool { return s == "block" }))
		assert.Equal(t, slices.DeleteFunc(slices.Clone(steps), func(s string) bool { return s == "block" }), got, "after %d ms", wait)
		assert.Equal(t, engine.PhaseGame, p.phase())
	}
}

// TestJoinAgain checks a change of the mission, and another join of the same client. Nothing is
// left of the phases before.
func TestJoinAgain(t *testing.T) {
	p := gated(t, "")
	p.client.line(strings.ReplaceAll(joinLog, "\n", " "))
	assert.Equal(t, steps, p.joins(t, 2*time.Second))
	p.server.line(`mission one`)
	p.run(2 * time.Second)
	assert.Equal(t, []string{"The mission is over.", "phase\t1\t3\tone", "phase\t2\t3\tone", "ghost", "phase\t3\t3\tone", "game"}, slices.Compact(p.client.out))
	p.client.line(`disconnect()`)
	p.run(time.Second)
	got := p.joins(t, 2*time.Second)
	assert.Equal(t, []string{"phase\t1\t3\tone", "block", "phase\t2\t3\tone", "ghost", "phase\t3\t3\tone", "game"}, got)
}
