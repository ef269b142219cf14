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

// TestMergedConsoles shows both texts of a command that does something else on a client.
func TestMergedConsoles(t *testing.T) {
	server := &Model{Commands: []ConsoleName{{"say", "TEXT", "S", "Shows a line."}, {"quit", "", "S", "Ends."}}}
	server.Merge(&Model{Commands: []ConsoleName{{"say", "TEXT", "C", "Sends a line."}, {"quit", "", "C", "Ends."}, {"view", "", "C", "Shows the world."}}})
	assert.Equal(t, []ConsoleName{
		{"quit", "", "SC", "Ends."}, {"say", "TEXT", "SC", "Shows a line. On a client: sends a line."}, {"view", "", "C", "Shows the world."},
	}, server.Commands)
}
