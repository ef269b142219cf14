package script_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDeclaringDatablocks(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`a = datablock "ItemData" "A" { mass = 2, shape = "a.dts" }`, ``},
		step{`a.name, a.className, a.mass, a.group == dataBlockGroup`, "\"A\"\t\"ItemData\"\t2\ttrue"},
		step{`b = datablock "ItemData" "B" { inherit = "A", mass = 5 } return b.mass, b.shape`, "5\t\"a.dts\""},
		step{`k = dataBlockKey() a.mass = 2 return dataBlockKey() == k`, `true`},
		step{`a.mass = 3 return dataBlockKey() == k + 1, b.mass`, "true\t5"},
		step{`c = datablock "itemdata" "a" { mass = 4 } return c == a, a.mass, a.shape, a.name`, "true\t4\t\"a.dts\"\t\"A\""},
		step{`datablock "ItemDta" "X" {}`, `error: console:1: datablock: unknown class "ItemDta", did you mean "ItemData"?`},
		step{`datablock "Item" "X" {}`, `~Item is not a datablock class: make an object with new "Item" { ... }`},
		step{`datablock "ItemData" "X" { mas = 1 }`, `~unknown field "mas" of ItemData, did you mean "mass"?`},
		step{`find "X"`, `nil`},
		step{`datablock "ItemData" "X" { mass = "heavy" }`, `~error: console:1: datablock: `},
		step{`datablock "ItemData" "X" { inherit = "AA" }`, `~unknown datablock "AA" to inherit from`},
		step{`datablock "StaticShapeData" "A" {}`, `~cannot re-declare ItemData "A" as StaticShapeData`},
		step{`datablock "StaticShapeData" "X" { inherit = a }`, `~cannot inherit from ItemData "A"`},
		step{`datablock "ItemData" "A" { inherit = b }`, `~cannot inherit from itself`},
		step{`datablock "ItemData" "" {}`, `~the name of a datablock must have 1 to 64 bytes, got 0`},
		step{`a.name = "Z"`, `~cannot be renamed`},
		step{`a:delete()`, `~cannot be deleted`},
		step{`a.nothing`, `~unknown field "nothing" of ItemData`},
		step{`a:nothing()`, `~unknown field "nothing" of ItemData`},
		step{`datablock "ItemData" "Y" { mass = -1/0 }`, `~error: console:1: datablock: `},
	)
}

// TestObjectsFollowTheirDatablock checks that a redeclared datablock inherits as before, and that
// its objects change with it.
func TestObjectsFollowTheirDatablock(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`a = datablock "ItemData" "A" { mass = 2 } i = new "Item" { dataBlock = a }`, ``},
		step{`datablock "ItemData" "A" { mass = 9 } return i.dataBlock.mass, i.dataBlock == a`, "9\ttrue"},
	)
}

func TestDatablocksOfAModOnItsClient(t *testing.T) {
	shared := `
		Disc = datablock "ItemData" "Disc" { mass = 2 }
		Big = datablock "ItemData" "Big" { inherit = Disc, mass = 20 }
		function Disc:describe(x) return self.name .. " weighs " .. self.mass + x end
	`
	p := join(t, map[string]string{
		"m/shared/a.lua":    shared,
		"m/server/init.lua": `function serverCmd.Which(client, block) echo(block == Disc, block) end`,
	}, map[string]string{
		"m/shared/a.lua": shared,
		"m/client/init.lua": `
			assert(tostring(Disc) == "Disc")
			echo(pcall(function() return Disc.mass end))
			export("look", function() return Disc.mass, Disc == find "Disc", find "Big":describe(1), Disc.id == find("Disc").id, isObject(Disc) end)
			export("ask", function() commandToServer("Which", Disc) end)
			export("change", function() Disc.mass = 4 end)
			function clientCmd.Block(block) echo(block == Disc, block:describe(0)) end
		`,
	}, "m")
	assert.Empty(t, p.client.log)
	p.client.steps(
		step{`import("m").look()`, "2\ttrue\t\"Big weighs 21\"\ttrue\ttrue"},
		step{`import("m").change()`, `~datablock "Disc" belongs to the server and is read-only here`},
		step{`find("Disc").mass = 3`, `~read-only`},
		step{`new "Item" { dataBlock = find "Disc", name = "mine" } return find("mine").dataBlock.name`, `"Disc"`},
		step{`import("m").ask()`, ``},
	)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"true\tDisc"}, p.server.out)
	p.server.line(`commandToAll("Block", find "Disc")`)
	p.run(300 * time.Millisecond)
	assert.Equal(t, []string{"true\tDisc weighs 2"}, p.client.out)
	p.server.line(`find("Disc").mass = 7`)
	p.run(500 * time.Millisecond)
	p.client.steps(step{`import("m").look()`, "7\ttrue\t\"Big weighs 21\"\ttrue\ttrue"})
}

func TestUnsentDatablock(t *testing.T) {
	c := newHalf(t, 2, false).load()
	c.steps(
		step{`d = datablock "ItemData" "Disc" { mass = 2 } return tostring(d), isObject(d)`, "\"Disc\"\tfalse"},
		step{`d.mass`, `error: console:1: datablock "Disc" has not arrived from the server`},
		step{`d.mass = 3`, `error: console:1: datablock "Disc" belongs to the server and is read-only here`},
	)
}

func TestTransmissionsAreNumbered(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		datablock "ItemData" "A" { mass = 1 }
		function GameConnection.onDataBlocksDone(client, seq) echo("done", client.name, seq) end
	`}, nil, "m")
	p.server.line(`sv.liveDatablocks = false`)
	p.run(100 * time.Millisecond)
	p.server.line(`find("A").mass = 3 clientGroup:at(1):transmitDataBlocks(77)`)
	p.run(500 * time.Millisecond)
	assert.Equal(t, []string{"done\tDood\t77"}, p.server.out)
	p.client.steps(step{`find("A").mass`, `3`})
	p.server.steps(step{`transmitDataBlocks(clientGroup:at(1), -1)`, `~error: console:1: transmitDataBlocks: argument 2 (sequence)`})
}

// TestDatablocksOfOtherMods checks that a mod cannot change a loaded mod's datablock by declaring
// the same name, unless it depends on that mod and says override = true.
func TestDatablocksOfOtherMods(t *testing.T) {
	depends := func(mod, on string) string {
		return fmt.Sprintf("name = %q\nversion = \"1.0.0\"\n%s\n", mod, on)
	}
	e := edit(t, map[string]string{
		"lib/shared/a.lua": `datablock "ItemData" "Stone" { mass = 5, friction = 0.25 }`,
		"m/mod.toml":       depends("m", `depends = ["lib"]`),
		"m/shared/a.lua":   `datablock "ItemData" "Stone" { override = true, mass = 6 }`,
	}, "lib", "m")
	e.steps(step{`find("Stone").mass, find("Stone").friction`, "6\t0.25"})

	e.write(map[string]string{
		"x/mod.toml":     depends("x", ""),
		"x/shared/a.lua": `datablock "ItemData" "stone" { mass = 7 }`,
	})
	e.steps(
		step{"mod enable x", `~mods lib and x both declare datablock "stone": choose another name. To change the one of lib, add it to depends in mod.toml of x and write override = true`},
		step{`find("Stone").mass`, "6"},
	)
	e.write(map[string]string{"x/shared/a.lua": `datablock "ItemData" "stone" { override = true, mass = 7 }`})
	e.steps(step{"mod enable x", "~add it to depends"})
	e.write(map[string]string{"x/mod.toml": depends("x", `optional = ["lib"]`)})
	e.steps(step{"mod enable x", "~on"}, step{`find("Stone").mass`, "7"})

	e.write(map[string]string{"m/shared/a.lua": `datablock "ItemData" "Stone" { mass = 6 }`})
	e.steps(step{"mod reload m", `~To change the one of lib, write datablock "ItemData" "Stone" { override = true, ... }`})
	e.write(map[string]string{"m/shared/a.lua": `datablock "ItemData" "Pebble" { override = true, mass = 6 }`})
	e.steps(step{"mod reload m", `~datablock "Pebble" overrides nothing`}, step{`find("Pebble")`, "nil"})
	e.write(map[string]string{"m/shared/a.lua": `datablock "ItemData" "Pebble" { override = 1, mass = 6 }`})
	e.steps(step{"mod reload m", `~override must be true, not a number`})

	e.steps(step{`datablock "ItemData" "Stone" { mass = 9 }`, "~object"}, step{`find("Stone").mass`, "9"})
}

// TestDatablocksOfUnloadedMods checks that the datablock of a mod that is no longer loaded belongs
// to the next mod that declares it, and that it begins with the defaults.
func TestDatablocksOfUnloadedMods(t *testing.T) {
	e := edit(t, map[string]string{
		"lib/shared/a.lua": `datablock "ItemData" "Stone" { mass = 5, friction = 0.25 }`,
	}, "lib")
	e.write(map[string]string{"x/shared/a.lua": `datablock "ItemData" "Stone" { mass = 7 }`, "x/mod.toml": "name = \"x\"\nversion = \"1.0.0\"\n"})
	e.steps(step{"mod disable lib", "~disabled"}, step{"mod enable x", "~on"},
		step{`find("Stone").mass, find("Stone").friction == 0.25`, "7\tfalse"},
		step{"mod enable lib", `~mods x and lib both declare datablock "Stone"`},
		step{"mod reload x", "~reloaded"}, step{`find("Stone").mass`, "7"})
}

// TestNewDataBlock checks that onNewDataBlock runs for objects in the game alone, when the
// datablock really changes, and not for a change that is undone.
func TestNewDataBlock(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		Light = datablock "ItemData" "Light" { mass = 1 }
		Heavy = datablock "ItemData" "Heavy" { mass = 9 }
		function Heavy:onNewDataBlock(obj, old) echo("heavy", self == Heavy, obj == thing, obj.dataBlock == Heavy, old == Light) end
		function Light:onNewDataBlock(obj, old) echo("light", old == Heavy) end
		Crate = class "Crate" { inherit = "Item" }
		function Crate:onNewDataBlock(old) echo("class", self == thing, old.name) end
		thing = new "Crate" { dataBlock = Light }
		export("change", function(to) thing.dataBlock = to end)`,
		"bad/server/init.lua": `find("Heavy").mass = 3 for o in objects "Crate" do o.dataBlock = "Heavy" end error "no"`})).load("m")
	change := func(line string) []string {
		h.line(line)
		h.ticks(1)
		return h.out
	}
	assert.Equal(t, []string{"class\ttrue\tLight", "heavy\ttrue\ttrue\ttrue\ttrue"}, change(`import("m").change(find "Heavy")`))
	assert.Empty(t, change(`import("m").change("Heavy")`))
	assert.Equal(t, []string{"class\ttrue\tHeavy", "light\ttrue"}, change(`import("m").change("Light")`))
	require.NotEmpty(t, h.scripts.LoadMods("bad"))
	assert.Equal(t, []string{"Light"}, change(`echo(objects "Crate"().dataBlock.name)`))
}
