package vm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	lua "github.com/yuin/gopher-lua"
)

func TestEachHasTheOrderOfNext(t *testing.T) {
	table := new(lua.LState).NewTable()
	for _, name := range []string{"d", "b", "e", "a", "gone", "c"} {
		table.RawSetString(name, lua.LTrue)
	}
	table.RawSetString("gone", lua.LNil)
	table.RawSetInt(1, lua.LTrue)
	for range 20 {
		order := ""
		Each(table, func(k, _ lua.LValue) { order += k.String() })
		assert.Equal(t, "1dbeac", order)
	}
}
