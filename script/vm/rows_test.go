package vm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	lua "github.com/yuin/gopher-lua"
)

// TestFunctionsAreMadeOnDemand checks that a state makes the functions of the rows when they are
// first used. A mod cannot detect this.
func TestFunctionsAreMadeOnDemand(t *testing.T) {
	r := newRig(t)
	m := r.NewMod("x", nil)
	assert.Equal(t, lua.LNil, m.State.globals.RawGetString("tostring"))
	assert.Contains(t, m.State.Names(), "tostring")
	assert.Contains(t, m.State.Names(), "math")
	assert.Equal(t, "true true true", r.runIn(m, `return tostring == tostring, tostring == rawget(_G, "tostring"), string.rep == ("").rep`))
	assert.NotEqual(t, lua.LNil, m.State.globals.RawGetString("tostring"))
	r.rows([]row{
		{`tostring = nil return rawget(_G, "tostring")`, "nil"},
		{`return tostring(setmetatable({}, {__tostring = true}))`, "error: attempt to call a boolean value"},
		{`tostring = nil return tostring(1)`, "error: attempt to call global 'tostring' (a nil value)"},
		{`local f = tostring tostring = nil return f(1), rawget(_G, "tostring")`, "1 nil"},
		{`string = { rep = 1 } return string.rep, ("x"):rep(3)`, "1 xxx"},
		{`function tostring() return "mine" end return tostring(1)`, "mine"},
		{`return nonsense`, "nil"},
	})
}
