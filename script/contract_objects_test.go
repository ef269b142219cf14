package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A step is a console line and the text that it prints. A want that begins with ~ only has to be
// contained.
type step struct{ line, want string }

func (h *half) steps(steps ...step) {
	h.t.Helper()
	for _, s := range steps {
		got := h.line(s.line)
		if part, ok := strings.CutPrefix(s.want, "~"); ok {
			assert.Contains(h.t, got, part, s.line)
			continue
		}
		assert.Equal(h.t, s.want, got, s.line)
	}
}

func TestFindAndIsObject(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`o = new "ScriptObject" { name = "Thing" }`, ``},
		step{`find("thing") == o, find(o.id) == o, find(tostring(o.id)) == o`, "true\ttrue\ttrue"},
		step{`isObject(o), isObject("THING"), isObject(o.id), isObject(tostring(o.id))`, "true\ttrue\ttrue\ttrue"},
		step{`isObject(nil), isObject("nobody"), isObject(-1), isObject(2^32 + o.id), isObject(o.id + 0.5), isObject(0/0), isObject {}`,
			"false\tfalse\tfalse\tfalse\tfalse\tfalse\tfalse"},
		step{`find("nobody"), find(-1)`, "nil\tnil"},
		step{`find()`, "~find: argument 1 (idOrName) is missing"},
		step{`o.className, o.name, type(o.id)`, "\"ScriptObject\"\t\"Thing\"\t\"number\""},
		step{`tostring(o), o:isMemberOfClass("ScriptObject"), o:isMemberOfClass("SimSet")`, "\"Thing\"\ttrue\tfalse"},
		step{`p = new "ScriptObject" { name = "thing" }`, ``},
		step{`find("Thing") == p`, `true`},
		step{`p:delete() return find("Thing") == o`, `true`},
		step{`o.name = "Other" return find("Other") == o, find("Thing")`, "true\tnil"},
		step{`o.name = ("n"):rep(65)`, `~a name must have at most 64 bytes`},
	)
}

func TestDeletedObject(t *testing.T) {
	h := newHalf(t, 1, true).load()
	h.steps(
		step{`o = new "ScriptObject" { name = "Thing" } o.own.score = 3 id = o.id`, ``},
		step{`o.own.score`, `3`},
		step{`o:delete() return isObject(o), find("Thing"), o.id == id`, "false\tnil\ttrue"},
		step{`o.name`, `~error: console:1: object `},
		step{`o.own`, `~has been deleted`},
		step{`o.name = "x"`, `~has been deleted`},
		step{`o:delete()`, `~has been deleted`},
		step{`rootGroup:add(o)`, `~has been deleted`},
		step{`tostring(o) == tostring(id), o == o`, "true\ttrue"},
		step{`new "ScriptObject" {}.id > id`, `true`},
	)
	h.host.Tick(0)
	h.steps(step{`isObject(id)`, `false`}, step{`new("ScriptObject"){}.id ~= id`, `true`})
}

func TestObjectsOfAClassAndItsHeirs(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`for i = 1, 3 do new "SimSet" { name = "s" .. i } end new "SimGroup" { name = "g" }`, ``},
		step{`function names(class) local t = {} for o in objects(class) do t[#t + 1] = o.name end return table.concat(t, " ") end`, ``},
		step{`names "SimSet"`, `"RootGroup ClientGroup MissionGroup DataBlockGroup s1 s2 s3 g"`},
		step{`names "SimGroup"`, `"RootGroup ClientGroup MissionGroup DataBlockGroup g"`},
		step{`for o in objects "SimSet" do if o.name == "s1" then find("s2"):delete() end if o.name:find("^s") then echo(o.name) end end`, "s1\ns3"},
		step{`for o in objects "SimSte" do end`, `~unknown class "SimSte", did you mean "SimSet"?`},
	)
}

func TestGroupsOwnAndSetsRefer(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`g, h, s = new "SimGroup" { name = "G" }, new "SimGroup" { name = "H" }, new "SimSet" { name = "S" }`, ``},
		step{`a, b = new "ScriptObject" { name = "a" }, new "ScriptObject" { name = "b" }`, ``},
		step{`a.group == rootGroup`, `true`},
		step{`g:add(a) g:add(b) s:add(a) s:add(b) return #g, #s, a.group == g`, "2\t2\ttrue"},
		step{`h:add(a) return #g, #h, #s, a.group == h`, "1\t1\t2\ttrue"},
		step{`(function() for o in s:each() do echo(o.name) end end)()`, "a\nb"},
		step{`s:at(1) == a, s:at(3)`, "true\tnil"},
		step{`s:remove(a), s:remove(a), #s`, "true\tfalse\t1"},
		step{`s:delete() return isObject(b)`, `true`},
		step{`g:delete() return isObject(b), isObject(a)`, "false\ttrue"},
		step{`h:remove(a) return a.group == rootGroup, #h`, "true\t0"},
		step{`h:add(h)`, `~error: console:1: group:add: SimGroup "H" cannot be inside itself`},
		step{`h:add(5)`, `~must be an object, not a number`},
		step{`a:add(h)`, `~unknown field "add" of ScriptObject`},
		step{`#a`, `~must be a group or a set, not an object`},
		step{`rootGroup:delete()`, `~cannot be deleted`},
	)
}

func TestSetsAreAskedClearedAndDrawnFrom(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`g, s = new "SimGroup" {}, new "SimSet" {} a, b, c = new "ScriptObject" {}, new "ScriptObject" {}, new "ScriptObject" {}`, ``},
		step{`for _, o in ipairs { a, b, c } do g:add(o) s:add(o) end`, ``},
		step{`s:remove(b) return s:contains(a), s:contains(b), g:contains(b)`, "true\tfalse\ttrue"},
		step{`s:contains()`, `~argument 1 (obj)`},
		step{`s:contains("a")`, `~must be an object`},
		step{`function drawn(n) math.randomseed(7) local t = {} for i = 1, n do t[i] = s:random().id - a.id end return table.concat(t) end`, ``},
		step{`first = drawn(40) return first == drawn(40), first:find("0") and first:find("2") and true, first:find("1")`, "true\ttrue\tnil"},
		step{`math.randomseed(7) math.random() n = math.random(1000) math.randomseed(7) s:random() return n == math.random(1000)`, `true`},
		step{`gone = new "ScriptObject" {} s:add(gone) gone:delete() return s:contains(gone), #s`, "false\t2"},
		step{`s:clear() return #s, s:random(), s:at(1), isObject(a), #g`, "0\tnil\tnil\ttrue\t3"},
		step{`g:clear() return #g, a.group == rootGroup, isObject(b)`, "0\ttrue\ttrue"},
		step{`g:clear() s:clear() return #g`, `0`},
		step{`rootGroup:clear()`, `~must stay in`},
	)
}

func TestFieldsAreChecked(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`datablock "ItemData" "D" {}`, `~object`},
		step{`i = new "Item" { dataBlock = find "D", position = vec(1, 2, 3) }`, ``},
		step{`i.position + vec(0, 0, 1), i.rotation, i.dataBlock.name`, "vec(1, 2, 4)\trot(0, 0, 0)\t\"D\""},
		step{`i.position = vec(0, 0, 5) return i.position.z`, `5`},
		step{`i.positon`, `~unknown field "positon" of Item, did you mean "position"?`},
		step{`i.positon = 1`, `error: console:1: unknown field "positon" of Item, did you mean "position"?`},
		step{`i.clasName, i:delte()`, `error: console:1: Item has no field or method "clasName", did you mean "className"?`},
		step{`i:delte()`, `error: console:1: Item has no field or method "delte", did you mean "delete"?`},
		step{`clientGroup:ech()`, `error: console:1: SimGroup has no field or method "ech", did you mean "each"?`},
		step{`i.own.cout.x`, `error: console:1: attempt to index field 'cout' (a nil value)`},
		step{`i.own.count = 1 local own = i.own return own.cout.x`, `error: console:1: attempt to index field 'cout' (a nil value), did you mean 'count'?`},
		step{`i.position = 5`, `~error: console:1: `},
		step{`i.position = print`, `error: console:1: position cannot be a function`},
		step{`i.dataBlock = "nobody"`, `~error: console:1: `},
		step{`find("D").mass = print`, `error: console:1: mass cannot be a function`},
		step{`new "Item" { dataBlock = find "D", positon = vec(1) }`, `~new: unknown field "positon"`},
		step{`new "Item" { 5, dataBlock = find "D" }`, `~new: field names must be strings`},
		step{`function i:hit() end`, `~only datablocks and classes have callbacks; Item`},
		step{`new "GameConnection" {}`, `~only a base of other classes`},
		step{`new "ItemData" {}`, `~declare one with datablock "ItemData"`},
	)
}

func TestOwnTablesArePerMod(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"a/server/init.lua": `rootGroup.own.x = "a's" export("x", function() return rootGroup.own.x end)`,
		"b/server/init.lua": `rootGroup.own.x = "b's" export("x", function() return rootGroup.own.x end)`,
	})).load("a", "b")
	h.steps(step{`import("a").x(), import("b").x(), rootGroup.own.x`, "\"a's\"\t\"b's\"\tnil"})
}

// TestAClientIsAGroup checks that a client is a group: its objects are deleted with it.
func TestAClientIsAGroup(t *testing.T) {
	p := join(t, nil, nil)
	p.server.steps(
		step{`c = clientGroup:at(1) c.own.score = 1 c:add(new "ScriptObject" { name = "Held" })`, ``},
		step{`#c, find("Held").group == c, c.className, c:isMemberOfClass "SimGroup"`, "1\ttrue\t\"GameConnection\"\ttrue"},
		step{`c.name, c.phase, type(c.ping), c.packetLoss, #c.key, c.id == c.id`, "\"Dood\"\t\"game\"\t\"number\"\t0\t52\ttrue"},
		step{`c.score`, `~unknown field "score" of GameConnection`},
	)
	p.client.line(`disconnect("enough")`)
	p.run(time.Second)
	p.server.steps(step{`isObject("Held"), isObject(c), #clientGroup`, "false\tfalse\t0"}, step{`c.own`, `~has been deleted`})
}

func TestCallbacksOfObjects(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		local base = datablock "ItemData" "Base" { mass = 2 }
		local heir = datablock "ItemData" "Heir" { inherit = base, mass = 3 }
		function base:onAdd(obj) echo("add", self, obj.name, obj.position, self.mass) obj.own.n = 7 end
		function base:onRemove(obj) echo("remove", self.name, obj.name, obj.own.n, isObject(obj)) end
		function heir:onTouch(obj, x) echo("touch", obj.name, x) end
	`})).load("m")
	h.steps(step{`new "Item" { dataBlock = find "Heir", name = "i", position = vec(1, 2, 3) }`, "~add\tHeir\ti\t1 2 3\t3"})
	h.steps(step{`find("i"):schedule(40, "onTouch", 5) find("i"):schedule(40, "onNothing")`, ``})
	h.out = nil
	h.host.Tick(0)
	h.host.Tick(0)
	assert.Equal(t, []string{"touch\ti\t5"}, h.out)
	assert.Contains(t, strings.Join(h.log, "\n"), `Item "i" has no method "onNothing"`)
	h.steps(
		step{`find("i"):schedule(10, "onTouch", 6) find("i"):delete()`, ``},
	)
	h.host.Tick(0)
	assert.Equal(t, []string{"remove\tHeir\ti\t7\tfalse"}, h.out, "at the end of the tick, still whole, its timers gone")
}

func TestCapsOfAMod(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		export("make", function(n) for i = 1, n do new "ScriptObject" {} end end)
		export("wait", function(n) for i = 1, n do schedule(1000, print) end end)
	`})).load("m")
	h.steps(
		step{`mod.maxObjects`, `65536`}, step{`mod.maxTags`, `65536`}, step{`mod.maxTimers`, `4096`},
		step{`import("m").wait(4097)`, `error: mods/m/server/init.lua:3: schedule: a mod can have at most 4096 timers`},
		step{`mod.maxTimers 4097`, ``},
		step{`import("m").wait(1)`, ``},
		step{`mod.maxObjects 10`, ``},
		step{`import("m").make(11)`, `error: mods/m/server/init.lua:2: new: a mod can have at most 10 objects`},
		step{`import("m").make(1)`, `~a mod can have at most 10 objects`},
		step{`new "ScriptObject" {}`, `~object`},
		step{`for o in objects "ScriptObject" do o:delete() end`, ``},
	)
	h.host.Tick(0)
	require.Equal(t, ``, h.line(`import("m").make(10)`), "what is deleted no longer counts")
}

// TestDumpIsLimited checks that dump counts as output and as work of the mod, and changes nothing.
func TestDumpIsLimited(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		local big = {} for i = 1, 1000 do big[i] = {i} end
		export("flood", function(o) for i = 1, 1000 do o:dump() end end)
		export("own", function(o) return next(o.own) end)
		export("burn", function() for i = 1, 1e4 do inspect(big) end end)
		export("levels", function() return pcall(inspect, {}, 17) end)
	`})).load("m")
	h.steps(
		step{`o = new "ScriptObject" { name = "Thing" }`, ``},
		step{`import("m").own(o) o:dump()`, "~ScriptObject \"Thing\" id"},
		step{`import("m").levels()`, "false\t\"inspect: argument 2 (depth) must be 1…16, not 17\""},
		step{`mod.lineInstructions 1000000`, ``}, step{`import("m").burn()`, `~the budget of`},
	)
	before := h.scripts.Dump()
	h.line(`o:dump() dump(o) inspect(o)`)
	assert.Equal(t, before, h.scripts.Dump())
	h.out = nil
	h.line(`import("m").flood(o)`)
	assert.Len(t, h.out, 1000, "mod.maxLines")
}
