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

// TestFlagRules takes a flag and drops it by command, by death and by disconnecting. A teammate or
// a timeout returns it. Captures need the own flag at home.
func TestFlagRules(t *testing.T) {
	t.Parallel()
	b, ann, _ := camp(t)
	b.say(referee)
	run := func(want ...string) {
		t.Helper()
		b.run(100 * time.Millisecond)
		got := b.lines()
		for i, line := range got {
			got[i] = strings.Join(strings.Fields(line), " ")
		}
		assert.Equal(t, want, got)
	}
	step := func(line string) {
		t.Helper()
		require.Empty(t, b.say(line))
	}
	id := b.say(`a.id`)
	step(`put(a, flag(2).position)`)
	run("taken 2 1 " + id)
	assert.Equal(t, "true\tfalse", b.say(`flag(2).carrier == a, flag(2).home`))
	step(`put(a, vec(60, 0, 200))`)
	run()
	assert.Equal(t, "true", b.say(`(flag(2).position - a.position):length() < 3`))
	ann.say(`key drop`)
	run("dropped 2") // the thrower does not catch it again
	b.run(2 * time.Second)
	step(`put(a, flag(2).position)`)
	run("taken 2 1 " + id)
	step(`put(b, flag(1).position)`)
	run("taken 1 2 " + b.say(`b.id`))
	step(`stand = vec(0, -220, terrainHeight(0, -220) + 1.5) put(b, vec(90, 0, 120)) put(a, stand)`)
	run() // no capture without the own flag at home
	step(`b:damage(a, b.position, 1000, "disc")`)
	run("dropped 1")
	step(`put(b, vec(-90, 0, 120)) flag(1).position = vec(90, 0, 120)`)
	step(`put(a, flag(1).position)`)
	run("returned 1")
	step(`put(a, stand)`)
	run("captured 2 1 " + id + " true")
	assert.Equal(t, `"1:0"`, b.say(`score()`))
	step(`put(a, flag(2).position)`)
	run("taken 2 1 " + id)
	step(`of("Ann"):disconnect("bye")`)
	run("dropped 2")
	b.run(46 * time.Second)
	assert.Equal(t, []string{"returned\t2"}, b.lines())
	assert.Empty(t, b.log)
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

// TestKilledPlayersRespawn kills a player. The player respawns after a delay, the killer gets a
// point, and all players read the message.
func TestKilledPlayersRespawn(t *testing.T) {
	t.Parallel()
	b, ann, bob := camp(t)
	ann.lines()
	b.say(`b:damage(a, b.position, 30, "laser")`)
	b.say(`b:damage(a, b.position, 1000, "laser")`)
	b.run(200 * time.Millisecond)
	assert.Equal(t, []string{"Ann picked off Bob."}, ann.lines())
	assert.Equal(t, "nil", b.say(`of("Bob").controlObject ~= b and "another" or nil`))
	b.run(5 * time.Second)
	assert.Equal(t, "false\tfalse", b.say(`isObject(b), of("Bob").controlObject:isDestroyed()`))
	ann.say("key scores")
	b.run(time.Second)
	assert.Equal(t, []string{"1  1  0  0  40  Red  Ann", "0  0  0  1  40  Blue  Bob"}, ann.scores()[1:])
	assert.Equal(t, `"Player"`, bob.say(`server.controlObject.className`))
	assert.Empty(t, b.log)
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

// TestVotes checks that more than half of the players decide a vote, and that malformed votes count
// for nothing.
func TestVotes(t *testing.T) {
	t.Parallel()
	b, ann, bob := camp(t)
	cat := b.join("Cat", 4)
	b.say(`addBot("Robot")`)
	b.run(time.Second)
	hear := func(c *half) string {
		b.run(300 * time.Millisecond)
		return strings.Join(c.lines(), "|")
	}
	for _, h := range []*half{ann, bob, cat} {
		h.lines()
	}
	ann.say(`say /vote map nowhere`)
	assert.Equal(t, "The maps are: valley, ridge.", hear(ann))
	ann.say(`say /vote kick Cat`)
	assert.Equal(t, "Ann asks to kick Cat. /yes or /no", hear(bob))
	bob.say(`say /vote map ridge`)
	assert.Equal(t, "Another vote is running.", hear(bob))
	cat.say(`say /no`)
	bob.say(`commandToServer("CastVote", false)`)
	assert.Equal(t, "The vote has failed, 1 to 2.", hear(bob))
	ann.say(`commandToServer("StartVote", "map", 5)`) // refused by the schema
	ann.say(`commandToServer("StartVote", "map", "ridge")`)
	hear(ann)
	bob.say(`say /yes`)
	assert.Contains(t, hear(bob), "The vote has passed, 2 to 0.")
	b.run(5 * time.Second)
	assert.Equal(t, `"ridge"`, b.say(`import("ctf").match().mission`))
	assert.Equal(t, `"Player"	"Player"`, b.say(`of("Cat").controlObject.className, of("Robot").controlObject.className`))
	ann.say(`say /vote kick Cat`)
	bob.say(`say /yes`)
	b.run(time.Second)
	assert.Equal(t, "true", b.say(`of("Cat") == nil`))
	ann.say(`say /vote map valley`)
	b.run(31 * time.Second)
	assert.Contains(t, strings.Join(bob.lines(), "|"), "The vote has failed, 1 to 0.", "half of the people is not enough")
	assert.Len(t, b.log, 1)
	assert.Contains(t, b.log[0], "command refused")
}

// TestNextMissionFollows ends an undecided match by time limit. The next mission follows with the
// same players.
func TestNextMissionFollows(t *testing.T) {
	t.Parallel()
	b, ann, _ := camp(t)
	b.say(`ctf.timeLimit = 1`)
	b.say(referee)
	b.say(`loadMission "valley"`)
	b.run(3 * time.Second)
	assert.Equal(t, []string{"start\t0:0"}, b.lines())
	b.run(58 * time.Second)
	assert.Equal(t, []string{"end\t0:0\t0"}, b.lines())
	b.run(time.Second)
	assert.Contains(t, ann.hud("1"), "over")
	assert.Contains(t, ann.scores()[0], "score")
	b.run(15 * time.Second)
	assert.Equal(t, `"ridge"`, b.say(`import("ctf").match().mission`))
	assert.Equal(t, `"Player"`, ann.say(`server.controlObject.className`))
	assert.Empty(t, ann.scores())
	assert.Empty(t, b.log)
}

// TestNumberOfBots checks that sv.bots sets the number of bots, in teams of equal size, and that
// they leave again.
func TestNumberOfBots(t *testing.T) {
	t.Parallel()
	b, _, _ := camp(t)
	b.say(`sv.bots = 6`)
	b.run(2 * time.Second)
	sizes := `(function() local n = { 0, 0 } for c in clientGroup:each() do local o = c.controlObject n[o.team] = n[o.team] + 1 end return n[1], n[2] end)()`
	assert.Equal(t, "4\t4", b.say(sizes))
	b.say(`sv.bots = 0`)
	b.run(2 * time.Second)
	assert.Equal(t, "1\t1", b.say(sizes))
	assert.Empty(t, b.log)
}
