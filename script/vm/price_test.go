package vm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// TestTablesHaveAPrice checks what table constructors cost beside the instructions of the function:
// 8 for each of the first two named fields, and 2 for each further one. A function in a table pays
// for its own tables when it runs.
func TestTablesHaveAPrice(t *testing.T) {
	for source, price := range map[string]int{
		"{}":                              0,
		"{ 1, 2, 3 }":                     0,
		"{ {}, {} }":                      0,
		"{ x = 1 }":                       8,
		"{ x = 1, y = 2 }":                16,
		`{ x = 1, ["y"] = 2, z = 3 }`:     18,
		"{ 1, x = 1, 2 }":                 8,
		"{ { x = 1 }, { x = 1, y = 2 } }": 24,
		"{ a = { x = 1 } }":               16,
		"{ f = function() return { x = 1, y = 2 } end }": 8 - 1, // an instruction names an upvalue and does not run
	} {
		r := newRig(t)
		m := r.mod("m", "function make() local x = "+source+" end")
		make := m.Global("make").(*lua.LFunction)
		before := r.meter.n
		_, err := r.Enter(m, make)
		require.NoError(t, err)
		assert.EqualValues(t, len(make.Proto.Code)+price, r.meter.n-before, source)
	}
}

// TestTablesUseUpABudget checks that a loop that makes tables ends by its price, with the table's line.
func TestTablesUseUpABudget(t *testing.T) {
	r := newRig(t)
	m := r.mod("m", "function main()\n  for i = 1, 1000 do\n    local x = { x = i, y = 2 }\n  end\nend")
	_, err := r.EnterWith(Limit{Instructions: 20_000}, m, m.Global("main").(*lua.LFunction))
	assert.ErrorContains(t, err, "server/init.lua:3: the budget of 20000 instructions is used up")
	_, err = r.EnterWith(Limit{Instructions: 30_000}, m, m.Global("main").(*lua.LFunction))
	assert.NoError(t, err)
}
