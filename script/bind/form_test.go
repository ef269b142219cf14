package bind

import (
	"testing"

	"github.com/stretchr/testify/assert"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// pairs walks a table in the order of insertion, so a mod could see the order in which Go walks a
// map.
func TestNamedEntriesHaveOneOrder(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	c := formConverter{Lua: L, Charge: func(int) {}, ToLua: func(v sim.Value) lua.LValue { return lua.LNumber(v.Number()) }}
	tree := &sim.Tree{Named: map[string]any{}}
	for _, name := range []string{"d", "b", "e", "a", "f", "c"} {
		tree.Named[name] = sim.Number(1)
	}
	for range 20 {
		order, made := "", c.table(tree)
		for k, _ := made.Next(lua.LNil); k != lua.LNil; k, _ = made.Next(k) {
			order += k.String()
		}
		assert.Equal(t, "abcdef", order)
	}
}
