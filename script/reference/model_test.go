package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/script/vm"
)

// TestRowsAreDocumented checks help and page for rows that the caller supplies.
func TestRowsAreDocumented(t *testing.T) {
	libs := []vm.Lib{{Name: "Test", Funcs: []vm.Func{
		{Name: "take", Params: "name, count, [flag]", Realm: vm.Server, Doc: "Takes."},
		{Name: "group:add", Params: "o", Doc: "Documented only."},
	}}}
	libs[0].Funcs[0].Fn = func(vm.Args) int { return 0 }
	assert.Equal(t, "take(name, count, [flag]) (server): Takes.", New(libs).Help("take"))
	assert.Contains(t, New(libs).Markdown(), "| `take(name, count, [flag])` | S | Takes. |")
	assert.Contains(t, New(libs).Markdown(), "| `group:add(o)` | SC | Documented only. |")
	assert.Empty(t, New(libs).Help("nothing"))
}
