package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// war is a mod that exists only on the server and declares its own class.
var war = map[string]string{
	"mod.toml": "name = 'war'\nversion = '1.0.0'\ndepends = ['base']\n",
	"shared/classes.lua": `
		FlagData = datablock "ItemData" "FlagData" { mass = 2 }
		Flag = class "Flag" { inherit = "Item", fields = {
			team = int(0, 7), heat = float(0, 1, 8), lit = bool(), carrier = ref(), at = point(0.01), label = str(32),
		} }
		Score = class "Score" { fields = { red = int(0, 99), blue = int(0, 99) } }`,
	"server/init.lua": `
		function Flag:inScope(client) return not self.lit or client.name == "Ann" end
		function GameConnection.onGhostAcked(client, o) echo("acked", client.name, o) end
		function serverCmd.Take(client, flag) flag.carrier = flag echo("taken", flag) end`,
	"missions/one.lua": `new "Flag" { name = "One", dataBlock = FlagData, label = "one" } new "Score" { name = "S1" }`,
	"missions/two.lua": `new "Flag" { name = "Two", dataBlock = FlagData, label = "two" }:setScopeAlways()`,
}

// watch makes a client print events of its ghosts.
const watch = `
function GameConnection.onGhostAdded(server, o) echo("added", server.phase, o.className, o.className == "Flag" and o.label or "") end
function GameConnection.onGhostRemoved(server, o) echo("removed", o.className) end
function clientCmd.See(...) echo("see", ...) end
function flag() for f in objects "Flag" do return f end end
function score() for s in objects "Score" do return s end end`

// TestEndToEndGhosts runs a server mod that declares classes. Clients that have only base see the
// objects, read their fields at the console and receive each change.
func TestEndToEndGhosts(t *testing.T) {
	t.Parallel()
	server, address, _ := serveOn(t, "--mods", mod(t, "war", war), "--mod", "war", "--strict")
	ann := joinTo(t, address, "--name", "Ann", "--exec", file(t, "watch.lua", watch))
	server.say(`f = new "Flag" { dataBlock = FlagData, name = "f", position = vec(1, 2, 0), team = 3, at = vec(1.234, 0, -1), label = "red base" }`)
	ann.lines("added\tgame\tFlag\tred base")
	server.lines("acked\tAnn\tf")
	ann.say(`f = flag()`, `f.className, f.dataBlock.name, f.team, f.heat, f.lit, f.carrier, f.label`, `f.at, f.rotation, f.velocity`,
		`find(f.id) == f, isObject(f)`, `#server`, `f.team = 1`, `f:delete()`, `f.tema`)
	ann.lines(`"Flag"	"FlagData"	3	0	false	nil	"red base"`, "vec(1.23, 0, -1)\trot(0, 0, 0)\tvec(0, 0, 0)", "true\ttrue", "1")
	assert.Contains(t, ann.line(), "is a ghost: on a client only its own table is writable")
	assert.Contains(t, ann.line(), "is a ghost: on a client only its own table is writable")
	assert.Contains(t, ann.line(), `unknown field "tema" of Flag, did you mean "team"?`)

	server.say(`f.team = 7`, `f.heat = 1`, `commandToClient(clientGroup:at(1), "See", f, f.team)`)
	ann.expect("see\t")
	ann.say(`f.team, f.heat`, `commandToServer("Take", f)`)
	ann.lines("7\t1")
	server.lines("taken\tf")
	server.say(`for c in clientGroup:each() do commandToClient(c, "See", f.carrier == f) end`)
	ann.lines("see\ttrue")
	ann.say(`f.carrier == f`)
	ann.lines("true")

	bob := joinTo(t, address, "--name", "Bob", "--exec", file(t, "watch.lua", watch))
	bob.lines("added\tgame\tFlag\tred base")
	bob.say(`flag().team`)
	bob.lines("7")
	server.say(`f.lit = true`) // Bob no longer has it in scope
	bob.lines("removed\tFlag")
	server.say(`f:delete()`)
	ann.expect("removed\tFlag")
	ann.say(`isObject(f)`, `f.team`)
	ann.lines("false")
	assert.Contains(t, ann.line(), "has been deleted")
	server.say(`quit`)
	ann.ends(ended)
	bob.ends(ended)
	server.ends(ended)
}

// TestEndToEndScope checks that ghosts appear with a mission. They disappear with the mission, with
// scope, with the mission phases and when the client leaves.
func TestEndToEndScope(t *testing.T) {
	t.Parallel()
	server, address, _ := serveOn(t, "--mods", mod(t, "war", war), "--mod", "war", "--mission", "one", "--strict")
	ann := start(t, "join", address, "--name", "Ann", "--exec", file(t, "watch.lua", watch))
	ann.expect("connected to ")
	ann.lines("added\tgame\tFlag\tone", "added\tgame\tScore\t")
	server.lines("acked\tAnn\tOne", "acked\tAnn\tS1")
	server.say(`mission two`)
	ann.lines("The mission is over.", "removed\tFlag", "removed\tScore", "added\tghosts\tFlag\ttwo")
	server.lines("acked\tAnn\tTwo")

	server.say(`c = clientGroup:at(1)`)
	server.until(`c.phase`, `"game"`)
	server.say(`eye = new "Marker" { name = "Eye" }`, `c:add(eye)`, `c:setScopeObject(eye)`)
	ann.lines("added\tgame\tMarker\t")
	server.lines("acked\tAnn\tEye")
	server.say(`c.scopeObject == eye`)
	server.lines("true")
	server.say(`c:setScopeView { distance = 100 }`, `far = new "Marker" { name = "Far", position = vec(500, 0, 0) }`, `far:scopeToClient(c)`)
	ann.lines("added\tgame\tMarker\t")
	server.lines("acked\tAnn\tFar")
	server.say(`far:clearScopeToClient(c)`)
	ann.lines("removed\tMarker")
	server.say(`far:setScopeAlways()`)
	ann.lines("added\tgame\tMarker\t")
	server.lines("acked\tAnn\tFar")
	server.say(`far:clearScopeAlways()`)
	ann.lines("removed\tMarker")

	server.say(`c:resetGhosting()`)
	ann.lines("removed\tFlag", "removed\tMarker")
	server.say(`c:activateGhosting()`)
	ann.lines("added\tghosts\tMarker\t", "added\tghosts\tFlag\ttwo") // the control object is always in scope, too
	server.lines("acked\tAnn\tEye", "acked\tAnn\tTwo")
	server.until(`c.phase`, `"game"`)
	ann.say(`quit`)
	ann.ends(ended)
	server.until(`isObject "Eye", #clientGroup`, "false\t0") // the objects of a client leave with it
	server.say(`quit`)
	server.ends(ended)
}

// TestEndToEndGhostsUnderCheck enables checks. Both ends then put a mark after every field if
// either one asks for it, and both log the same for a ghost.
func TestEndToEndGhostsUnderCheck(t *testing.T) {
	t.Parallel()
	server, address, _ := serveOn(t, "--mods", mod(t, "war", war), "--mod", "war", "--strict")
	ann := joinTo(t, address, "--eval", "net.check = true", "--eval", "net.log = 3", "--exec", file(t, "watch.lua", watch))
	server.say(`net.log 3`, `new "Flag" { name = "f", dataBlock = FlagData, label = "x" }`)
	ann.lines("added\tgame\tFlag\tx")
	server.expect("acked\t") // until then, a change is part of the create
	server.say(`find("f").label = "another"`)
	ann.until(`flag().label`, `"another"`)
	server.say(`find("f"):delete()`)
	ann.lines("removed\tFlag")
	ann.say(`quit`)
	ann.ends(ended)
	server.say(`quit`)
	server.ends(ended)
	for _, line := range []string{"create ghost 0 (Flag), groups 0x3ff: ", "update ghost 0 (Flag), groups 0x200: "} {
		assert.Contains(t, server.err.String(), "<- "+line)
		assert.Contains(t, ann.err.String(), "-> "+line)
	}
	assert.Contains(t, ann.err.String(), "-> kill ghost 0 (Flag)")
}
