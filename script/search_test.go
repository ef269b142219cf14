package script_test

import "testing"

// TestSearchesAreIterators checks the searches in Lua: what the loops get, classes by name and by
// value, the options of a ray before its classes, and what a search costs.
func TestSearchesAreIterators(t *testing.T) {
	h := newHalf(t, 1, true).load()
	h.steps(
		step{`D = datablock "ItemData" "D" {} Runner = datablock "PlayerData" "Runner" {} Crate = class "Crate" { inherit = "Item" }`, ``},
		step{`a = new "Item" { name = "a", dataBlock = D } b = new(Crate) { name = "b", dataBlock = D, position = vec(3, 0, 0) }`, ``},
		step{`p = new "Player" { name = "p", dataBlock = Runner, position = vec(6, 0, 0) }`, ``},
		step{`function names(...) local t = {} for o in ... do t[#t + 1] = o.name end return table.concat(t, " ") end`, ``},
		step{`names(inSphere(vec(), 20))`, `"a b p"`},
		step{`names(inSphere(vec(9, 0, 0), 20, "Item", "Vehicle"))`, `"b a"`},
		step{`names(inSphere(vec(), 20, Crate, "Player"))`, `"b p"`},
		step{`names(inBox(vec(7, 2, 2), vec(2, -2, -2)))`, `"b p"`},
		step{`names(inBox(vec(7, 2, 2), vec(2, -2, -2), Crate))`, `"b"`},
		step{`#inRadius(vec(), 20, Crate, "Player"), inRadius(vec(), 20, "Item")[2].name`, "2\t\"b\""},
		step{`for o in inSphere(vec(), 20) do if o.name == "a" then find("b"):delete() end echo(o.name) end`, "a\np"},
		step{`castRay(vec(-5, 0, 0.2), vec(20, 0, 0.2)).name, castRay(vec(-5, 0, 0.2), vec(20, 0, 0.2), nil, "Player").name`, "\"a\"\t\"p\""},
		step{`castRay(vec(-5, 0, 0.2), vec(20, 0, 0.2), { except = p, ago = 0 }, "Player")`, ``},
		step{`castRay(vec(-5, 0, 0.2), vec(20, 0, 0.2), a, "Item", "Player").name`, `"p"`},
		step{`inSphere(vec(), 20, "Playr")`, `~inSphere: unknown class "Playr", did you mean "Player"?`},
		step{`castRay(vec(), vec(1), nil, "Playr")`, `~castRay: unknown class "Playr", did you mean "Player"?`},
		step{`castRay(vec(), vec(1), 200)`, `~castRay: except must be an object or nil, got 200`},
		step{`inSphere(vec(), 20, 5)`, `~class must be a string`},
		step{`mod.lineInstructions 4000000`, ``},
		step{`function search(n) for i = 1, n do inSphere(vec(), 20, "Vehicle") end end search(3000)`, ``},
		step{`for i = 1, 1000 do new "Item" { dataBlock = D } end search(10)`, ``},
		step{`search(3000)`, `~instructions`},
	)
}

// TestSearchesOfUnsentClasses checks that a client finds the objects of the other classes.
func TestSearchesOfUnsentClasses(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		new "Item" { dataBlock = datablock "ItemData" "D" {}, }
		function GameConnection.onClientEnterGame(client) client:setScopeObject(client:add(new "Camera" {}) or client:at(1)) end`}, nil, "m")
	p.client.steps(
		step{flagClass, ``},
		step{`for o in inSphere(vec(), 20, Flag, "Beacon", "Item") do echo(o.className) end`, `Item`},
		step{`for o in inSphere(vec(), 20, Flag, "Beacon") do echo(o.className) end`, ``},
		step{`castRay(vec(-5, 0, 0.2), vec(20, 0, 0.2), nil, Flag, "Item").className`, `"Item"`},
		step{`castRay(vec(-5, 0, 0.2), vec(20, 0, 0.2), nil, "Beacon")`, ``},
	)
}
