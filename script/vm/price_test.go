package vm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// TestTablesHaveAPrice checks what table constructors cost beside the instructions of the function:
// 8 for each of the first two named fields, 2 for each up to the eighth, and 8 for each further
// one. A function in a table pays for its own tables when it runs.
func TestTablesHaveAPrice(t *testing.T) {
	for source, price := range map[string]int{
		"{}":                          0,
		"{ 1, 2, 3 }":                 0,
		"{ {}, {} }":                  0,
		"{ x = 1 }":                   8,
		"{ x = 1, y = 2 }":            16,
		`{ x = 1, ["y"] = 2, z = 3 }`: 18,
		"{ 1, x = 1, 2 }":             8,
		"{ a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1, i = 1 }": 36,
		"{ { x = 1 }, { x = 1, y = 2 } }":                                   24,
		"{ a = { x = 1 } }":                                                 16,
		"{ f = function() return { x = 1, y = 2 } end }":                    8 - 1, // an instruction names an upvalue and does not run
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

// TestStoresHaveAPrice checks what a table costs that the next statements of its block fill: 16 for
// the first name, and 6 for each further one.
func TestStoresHaveAPrice(t *testing.T) {
	for body, price := range map[string]int{
		"local t = {} t.x = 1":                            16,
		"local t = {} t.x = 1 t.y = 2 t.z = 3":            28,
		"local t = {} t.x, t.y = 1, 2":                    22 - 1, // the VM moves two values in one step
		"local t, u = {}, {} t.x = 1 u.x = 1":             32,
		"t = {} t['x'] = 1":                               16,
		"local t = {} t.x = 1 t.x = 2":                    16,
		"local t = { x = 1 } t.y = 1":                     8 + 6,
		"local t = { {} } t.x = 1":                        16,
		"local t = {} u = { a = t } t.x = 1":              16 + 8,
		"local t = {} t = old t.x = 1":                    0,
		"local t = {} local t = old t.x = 1":              0,
		"local t = {} t = {} t.x = 1":                     16,
		"local t = {} old.x = 1 old.y = 1":                0,
		"local t = {} t[1] = 1":                           0,
		"local t = {} do t.x = 1 end":                     0,
		"local t = old t.x = 1":                           0,
		"local t = {} t.x = {} t.x.y = 1":                 16,
		"local t = same({}, 1) t.x = 1":                   0,
		"local t = setmetatable({}, nil) t.x = 1 t.y = 1": 22,
	} {
		r := newRig(t)
		m := r.mod("m", "old, t, u = {}, {}, {} function make() "+body+" end")
		same := m.State.main.NewFunction(func(l *lua.LState) int { l.SetTop(1); return 1 })
		m.SetGlobal("same", same)
		m.SetGlobal("setmetatable", same)
		make := m.Global("make").(*lua.LFunction)
		before := r.meter.n
		_, err := r.Enter(m, make)
		require.NoError(t, err)
		assert.EqualValues(t, len(make.Proto.Code)+price, r.meter.n-before, body)
	}
}

// TestTablesUseUpABudget checks that a loop that makes tables ends by its price, with the table's
// line.
func TestTablesUseUpABudget(t *testing.T) {
	r := newRig(t)
	m := r.mod("m", "function main()\n  for i = 1, 1000 do\n    local x = { x = i, y = 2 }\n  end\nend")
	_, err := r.EnterWith(Limit{Instructions: 20_000}, m, m.Global("main").(*lua.LFunction))
	assert.ErrorContains(t, err, "server/init.lua:3: the budget of 20000 instructions is used up")
	_, err = r.EnterWith(Limit{Instructions: 30_000}, m, m.Global("main").(*lua.LFunction))
	assert.NoError(t, err)
}
