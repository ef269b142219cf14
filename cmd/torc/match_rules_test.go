package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// camp starts capture the flag with two players in opposite teams. The match runs, and objects have
// names.
func camp(t *testing.T) (b *table, ann, bob *half) {
	b = newTable(t, 7, "ctf")
	b.say(`ctf.warmup = 0`)
	b.run(200 * time.Millisecond)
	ann, bob = b.join("Ann", 2), b.join("Bob", 3)
	b.run(time.Second)
	b.say(`function of(name) for c in clientGroup:each() do if c.name == name then return c, c.controlObject end end end
		function flag(team) for f in objects "Flag" do if f.team == team then return f end end end
		function any(class, team) for o in objects(class) do if o.team == team then return o end end end
		function put(body, at) body:setTransform(at, rot(0, 0, 0)) end
		_, a = of("Ann") _, b = of("Bob")`)
	require.Equal(t, "1\t2", b.say(`a.team, b.team`))
	return b, ann, bob
}

// hud returns the text of a line of the client's HUD.
func (h *half) hud(line string) string {
	for _, l := range strings.Split(h.say("hud"), "\n") {
		if text, ok := strings.CutPrefix(l, line+" "); ok {
			return text
		}
	}
	return ""
}

// scores returns the rows of the scores that the client sees.
func (h *half) scores() (rows []string) {
	for _, l := range strings.Split(h.say("hud"), "\n") {
		if text, ok := strings.CutPrefix(l, "center "); ok {
			rows = append(rows, text)
		}
	}
	return rows
}

// TestClientWithOnlyBasePlaysCTF joins with only base installed. The client gets a player to
// control and reads the score.
func TestClientWithOnlyBasePlaysCTF(t *testing.T) {
	t.Parallel()
	b, ann, bob := camp(t)
	assert.Equal(t, `"Player"`, ann.say(`server.controlObject.className`))
	assert.Contains(t, ann.hud("1"), "Red 0 : 0 Blue   ")
	assert.Equal(t, "your flag: home   theirs: home", ann.hud("2"))
	assert.Contains(t, bob.hud("3"), "disc launcher 15   health 100")
	ann.say(`key slot2`)
	ann.say(`key scores`)
	b.run(time.Second)
	assert.Contains(t, ann.hud("3"), "chaingun 150")
	assert.Contains(t, ann.scores()[0], "score")
	assert.Contains(t, ann.scores()[1], "  Red  Ann")
	for _, h := range []*half{b.half, ann, bob} {
		assert.Empty(t, h.log)
	}
}

// TestFlagHasOneTaker lets two players touch a flag in the same tick. Exactly one takes it.
func TestFlagHasOneTaker(t *testing.T) {
	t.Parallel()
	b, _, _ := camp(t)
	b.join("Cat", 4)
	b.run(200 * time.Millisecond)
	b.say(referee)
	b.say(`_, c = of("Cat") put(a, flag(2).position) put(c, flag(2).position)`)
	b.run(200 * time.Millisecond)
	assert.Len(t, b.lines(), 1)
	assert.Equal(t, "1\t1\ttrue", b.say(`a.team, c.team, flag(2).carrier == a or flag(2).carrier == c`))
}

// TestHardLandings checks that a hard landing does damage, with a message if it kills.
func TestHardLandings(t *testing.T) {
	t.Parallel()
	b, ann, _ := camp(t)
	ann.lines()
	b.say(`put(a, vec(100, 0, terrainHeight(100, 0) + 10))`)
	b.run(2 * time.Second)
	assert.Equal(t, "0", b.say(`a.damageLevel`))
	b.say(`put(a, vec(100, 0, terrainHeight(100, 0) + 300))`)
	b.run(7 * time.Second)
	assert.Equal(t, []string{"Ann forgot to land."}, ann.lines())
	assert.Empty(t, b.log)
}

// TestStations uses stations. A station gives weapons and health, and the use key changes the
// armor. It serves only its own team.
func TestStations(t *testing.T) {
	t.Parallel()
	b, ann, bob := camp(t)
	b.say(`s = any("StaticShape", 1) a:setImageAmmo(0, 0) a.damageLevel = 40 b:setImageAmmo(0, 3)`)
	b.say(`for o in objects "StaticShape" do if o.team == 1 and o.dataBlock.name == "InventoryStation" then s = o end end`)
	b.say(`put(a, s.position + vec(0, 0, 0.5)) put(b, s.position + vec(0, 0, 0.5))`)
	b.run(300 * time.Millisecond)
	assert.Equal(t, "15\t3", b.say(`a:imageAmmo(0), b:imageAmmo(0)`))
	b.run(3 * time.Second)
	assert.Equal(t, "true", b.say(`a.damageLevel == 0`))
	ann.say(`key use`)
	bob.say(`key use`)
	b.run(300 * time.Millisecond)
	assert.Equal(t, "\"MediumArmor\"\t\"LightArmor\"", b.say(`of("Ann").controlObject.dataBlock.name, of("Bob").controlObject.dataBlock.name`))
	assert.Equal(t, "false", b.say(`isObject(a)`))
	b.say(`s.damageLevel = 0 put(of("Ann").controlObject, vec(0, 0, 100))`)
	b.run(300 * time.Millisecond)
	ann.say(`key use`)
	b.run(300 * time.Millisecond)
	assert.Equal(t, `"MediumArmor"`, b.say(`of("Ann").controlObject.dataBlock.name`))
	assert.Empty(t, b.log)
}

// TestVehicles enters a vehicle of the own team by walking into it and leaves it by jumping. A
// destroyed vehicle is rebuilt.
func TestVehicles(t *testing.T) {
	t.Parallel()
	b, ann, bob := camp(t)
	b.say(`for o in objects "Vehicle" do if o.team == 1 and o.dataBlock.name == "Scout" then v = o end end`)
	b.say(`put(b, v.position)`)
	b.run(300 * time.Millisecond)
	assert.Equal(t, "nil", b.say(`b.mount`))
	b.say(`put(a, v.position)`)
	b.run(300 * time.Millisecond)
	assert.Equal(t, "true", b.say(`a.mount == v`))
	assert.Equal(t, `"Vehicle"`, ann.say(`server.controlObject.mount.className`))
	assert.Equal(t, `nil`, bob.say(`server.controlObject.mount`))
	ann.say(`server:setTrigger(2, true)`)
	b.run(500 * time.Millisecond)
	assert.Equal(t, "nil", b.say(`a.mount`))
	ann.say(`server:setTrigger(2, false)`)
	b.say(`v:damage(nil, v.position, 10000, "disc")`)
	b.run(25 * time.Second)
	assert.Equal(t, "false\t1", b.say(`isObject(v), (function() local n = 0 for o in objects "Vehicle" do
		if o.team == 1 and o.dataBlock.name == "Scout" then n = n + 1 end end return n end)()`))
	assert.Empty(t, b.log)
}

// TestMalformedVotes checks that a command with a wrong argument starts no vote and counts in none.
func TestMalformedVotes(t *testing.T) {
	t.Parallel()
	b, ann, bob := camp(t)
	bob.lines()
	ann.say(`commandToServer("StartVote", "map", 5)`) // refused by the schema
	b.run(300 * time.Millisecond)
	assert.Empty(t, bob.lines())
	ann.say(`commandToServer("StartVote", "map", "ridge")`)
	bob.say(`commandToServer("CastVote", "yes")`)
	b.run(300 * time.Millisecond)
	assert.Equal(t, []string{"Ann asks for the map ridge. /yes or /no"}, bob.lines(), "it is open")
	bob.say(`commandToServer("CastVote", true)`)
	b.run(300 * time.Millisecond)
	assert.Contains(t, bob.lines(), "The vote has passed, 2 to 0.")
	require.Len(t, b.log, 2)
	for _, line := range b.log {
		assert.Contains(t, line, "command refused")
	}
}

// TestTeamChat checks that team chat reaches only the team.
func TestTeamChat(t *testing.T) {
	t.Parallel()
	b, ann, bob := camp(t)
	cat := b.join("Cat", 4)
	for _, h := range []*half{ann, bob, cat} {
		h.lines()
	}
	ann.say(`say /team over here`)
	b.run(300 * time.Millisecond)
	assert.Equal(t, []string{"(Red) Ann: over here"}, ann.lines())
	assert.Empty(t, bob.lines())
	assert.Equal(t, []string{"(Red) Ann: over here"}, cat.lines())
	bob.say(`commandToServer("TeamMessageSent", "come\27 back")`)
	b.run(300 * time.Millisecond)
	assert.Equal(t, []string{"(Blue) Bob: come back"}, bob.lines())
	bob.say(`say /switch`)
	b.run(300 * time.Millisecond)
	assert.Equal(t, []string{"The other team has no room."}, bob.lines())
	cat.say(`say /switch`)
	b.run(300 * time.Millisecond)
	assert.Equal(t, "2\t2", b.say(`of("Cat").controlObject.team, of("Bob").controlObject.team`))
	assert.Empty(t, b.log)
}
