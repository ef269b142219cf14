package script_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/game/look"
)

func TestLooksAreTables(t *testing.T) {
	newHalf(t, 1, true).load().steps(
		step{`a = datablock "ItemData" "A" { look = { { "box", size = vec(1, 2, 3), color = "red" }, { "label", text = "hi" } } }`, ``},
		step{`#a.look, a.look[1][1], a.look[1].size, a.look[1].color, a.look[2].text, a.look[2].size`, "2\t\"box\"\tvec(1, 2, 3)\t\"#e03028\"\t\"hi\"\tnil"},
		step{`b = datablock "ItemData" "B" { inherit = "A" } return b.look[2].text`, `"hi"`},
		step{`k = dataBlockKey() a.look = a.look return dataBlockKey() == k`, `true`},
		step{`l = a.look l[2].text = "ho" return a.look[2].text`, `"hi"`},
		step{`a.look = l return a.look[2].text, b.look[2].text, dataBlockKey() == k + 1`, "\"ho\"\t\"hi\"\ttrue"},
		step{`a.look = {} return #a.look`, `0`},
		step{`a.look = nil return a.look`, `nil`},
		step{`datablock "ItemData" "C" { look = { { "box", size = 1e9 } } }`, `error: console:1: datablock: look: element 1 (box): size must be a number or a vec of 0.01 to 200 m, got 1000000000`},
		step{`find "C"`, `nil`},
		step{`a.look = { { "bxo" } }`, `~look: element 1: unknown kind "bxo", did you mean "box"?`},
		step{`a.look = "box"`, `~look must be a table or nil, not a string`},
		step{`a.look = { { "box", at = echo } }`, `~look cannot have a function`},
		step{`a.look = { [1] = { "box" }, [3] = { "box" } }`, `~look cannot have a list with gaps`},
		step{`a.look = { [true] = 1 }`, `~look cannot have a boolean as a key`},
		step{`l = {} l[1] = l a.look = l`, `~look cannot have a table nested deeper than 8`},
		step{`l = {} for i = 1, 2000 do l[i] = { "box" } end a.look = l`, `~look cannot have a table of more than 1000 entries`},
		step{`l = {} for i = 1, 65 do l[i] = { "box" } end a.look = l`, `~look has 65 elements: it must have at most 64`},
	)
}

// TestWrongLookNamesItsLine: the error of a mod names file, line and attribute.
func TestWrongLookNamesItsLine(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/shared/a.lua": "\n\ndatablock \"ItemData\" \"A\" { look = { { \"cone\", glow = -1 } } }"}))
	errs := h.scripts.LoadMods("base", "m")
	require.Error(t, errs[len(errs)-1])
	assert.ErrorContains(t, errs[len(errs)-1], `m/shared/a.lua:3: datablock: look: element 1 (cone): glow must be a number from 0 to 4, got -1`)
}

// TestLooksReachClients: a client has the look that the server declares, and each later one.
func TestLooksReachClients(t *testing.T) {
	p := join(t, map[string]string{"m/shared/a.lua": `A = datablock "ItemData" "A" { look = { { "torus", color = "#ff00c8" } } }`}, nil, "m")
	kind := func() look.Kind {
		block := p.client.host.World().Blocks.ByName("A")
		require.NotNil(t, block)
		l, ok := look.Decode(block.Ident().Class().Lookup("look").Get(block).Text())
		require.True(t, ok)
		return l.Elements[0].Kind
	}
	assert.Equal(t, look.Torus, kind())
	assert.Empty(t, p.server.line(`find("A").look = { { "sphere" } }`))
	p.run(time.Second)
	assert.Equal(t, look.Sphere, kind())
	assert.Equal(t, `"sphere"`, p.client.line(`find("A").look[1][1]`))
}
