package script_test

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAHandleKeepsNoObjectInMemory checks that a script can keep the handle of a deleted object
// without keeping the object.
func TestAHandleKeepsNoObjectInMemory(t *testing.T) {
	h := costRig(t)
	require.Empty(t, h.line(`local n = p.heat p.own.n = n`))
	was := weak.Make(h.host.World().FindName("p").(*HotProbe))
	require.Empty(t, h.line(`p:delete()`))
	h.host.Tick(0)
	runtime.GC()
	assert.Nil(t, was.Value())
	h.steps(
		step{`p.id > 0`, `true`},
		step{`p.heat`, `error: console:1: object ` + h.line("p.id") + ` has been deleted`},
	)
}

// TestAReadOfAMemberIsAReadOfNow checks members whose values change between two reads at the same
// place, in objects of different classes.
func TestAReadOfAMemberIsAReadOfNow(t *testing.T) {
	h := costRig(t)
	h.steps(
		step{`q = new "Probe" { dataBlock = find "D", name = "q" } b = addBot "Bo"
			function seen(o) return o.name, o.position end`, ``},
		step{`for _, o in ipairs { p, q } do echo(seen(o)) end`, "p\t0 0 0\nq\t0 0 0"},
		step{`p.position = vec(1, 2, 3) q.name = "r"`, ``},
		step{`for _, o in ipairs { p, q } do echo(seen(o)) end`, "p\t1 2 3\nr\t0 0 0"},
		step{`v = p.position p.position = vec(4, 5, 6) echo(v, v.x + v.y + v.z, p.position)`, "1 2 3\t6\t4 5 6"},
		step{`echo(b.name) b.name = "Jo" echo(b.name)`, "Bo\nJo"},
	)
}

// TestAVectorReadAgainIsExact checks that a script never gets an older vector of a field, not even
// one that compares equal.
func TestAVectorReadAgainIsExact(t *testing.T) {
	h := costRig(t)
	h.steps(
		step{`z = 0 echo(p.position)`, `0 0 0`},
		step{`p.position = vec(5, 0, 0) p.position = vec(-z, 0, 0) echo(1 / p.position.x)`, `-inf`},
		step{`p.position = vec(5, 0, 0) p.position = vec(0, 0, 0) echo(1 / p.position.x)`, `inf`},
		step{`p.position = vec(5, 0, 0) local v = p.position p.position = vec(6, 0, 0) echo(v, p.position)`, "5 0 0\t6 0 0"},
	)
}

// TestValuesOfAllModsActInTheModThatRuns checks that the metatables which all mods share act for
// the mod whose code is running: its errors, and the values that it makes.
func TestValuesOfAllModsActInTheModThatRuns(t *testing.T) {
	h := newHalfOf(t, 1, true, probes, files(map[string]string{
		"a/server/init.lua": `
			export("sum", function(o) o.own.name = "a" return tostring(o.position + import("b").mine(o)) end)
			export("bad", function(o) return o.position.w end)
			export("gone", function(o) return o.heart end)`,
		"b/server/init.lua": `
			local a, D = import "a", datablock "ProbeData" "D" {}
			local p = new "Probe" { dataBlock = D, position = vec(1, 2, 3) }
			p.own.name = "b"
			export("mine", function(o) return coroutine.wrap(function() return o.position:cross(vec(0, 0, 1)) end)() end)
			export("run", function()
				echo(a.sum(p), p.position:length() > 3, p.own.name)
				echo(select(2, pcall(a.bad, p)))
				echo(select(2, pcall(a.gone, p)))
				echo(select(2, pcall(function() return p.position.q end)))
			end)`,
	})).load("a", "b")
	h.steps(step{`import("b").run()`, "3 1 3\ttrue\tb\n" +
		`mods/a/server/init.lua:3: a vec has no "w"` + "\n" +
		`mods/a/server/init.lua:4: unknown field "heart" of Probe, did you mean "heat"?` + "\n" +
		`mods/b/server/init.lua:10: a vec has no "q"`})
}

func TestPositionsOfManyObjects(t *testing.T) {
	h := costRig(t)
	h.steps(
		step{`p.position = vec(1, 2, 3) q = new "Probe" { dataBlock = find "D", position = vec(4, 5, 6) } g = new "SimGroup" {} q:delete()
			r = new "Probe" { dataBlock = find "D", position = vec(7, 8, 9) } b = addBot "Bo"
			function show(list) local who, x, y, z = positions(list) echo(#who, #x, #y, #z) for i, o in ipairs(who) do echo(rawequal(o, p), x[i], y[i], z[i]) end end`, ``},
		step{`show {}`, "0\t0\t0\t0"},
		step{`show { p, q, g, b, r, p }`, "3\t3\t3\t3\ntrue\t1\t2\t3\nfalse\t7\t8\t9\ntrue\t1\t2\t3"},
		step{`body = new "Player" { dataBlock = datablock "PlayerData" "Body" {}, position = vec(0, 0, 5) } b:setControlObject(body)`, ``},
		step{`local who, x, y, z = positions { b } echo(rawequal(who[1], body), z[1] == body.position.z)`, "true\ttrue"},
		step{`positions { p, vec() }`, `error: console:1: positions: value 2 of the list is a vec, not an object`},
		step{`positions(p)`, `error: console:1: positions: argument 1 (objects) must be a table, not an object`},
	)
}

// TestManyObjectsHaveTheirOwnHandles checks objects whose ids have the same place among the recent
// handles.
func TestManyObjectsHaveTheirOwnHandles(t *testing.T) {
	h := costRig(t)
	h.steps(
		step{`list = {} for i = 1, 300 do list[i] = new "Probe" { dataBlock = find "D", position = vec(i, 0, 0) } end`, ``},
		step{`for round = 1, 2 do for i, o in ipairs(list) do assert(rawequal(find(o.id), o) and o.position.x == i, i) end end`, ``},
	)
}

// TestNamesOfOnePlaceAreApart checks members whose names have the same place among the recent ones
// of a class.
func TestNamesOfOnePlaceAreApart(t *testing.T) {
	h := costRig(t)
	h.steps(
		step{`body = new "Player" { dataBlock = datablock "PlayerData" "Body" {}, position = vec(1, 2, 3) } body.energy = 7`, ``},
		step{`for round = 1, 2 do echo(body.position, body.energy) end`, "1 2 3\t7\n1 2 3\t7"},
	)
}

// TestPositionsHaveAPrice checks that a call for many objects is charged for each of them.
func TestPositionsHaveAPrice(t *testing.T) {
	const objects, price = 1000, 8
	h := newHalfOf(t, 1, true, probes, files(map[string]string{"m/server/init.lua": `
		local p = new "Probe" { dataBlock = datablock "ProbeData" "D" {} }
		local list = {}
		export("fill", function(n) for i = 1, n do list[i] = p end end)
		export("look", function() positions(list) end)`})).load("m")
	look := func() int64 {
		before := h.spent("m", "look")
		require.Empty(t, h.line(`import("m").look()`))
		return h.spent("m", "look") - before
	}
	none := look()
	require.Empty(t, h.line(fmt.Sprintf(`import("m").fill(%d)`, objects)))
	assert.Equal(t, int64(objects*price), look()-none)
}
