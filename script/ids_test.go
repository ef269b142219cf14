package script_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// TestIDTablesDoNotGrow checks that the cost of a table by id does not depend on the number of
// earlier objects. Ids skip the numbers that the VM would store in a list.
func TestIDTablesDoNotGrow(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		export("meet", function()
			local o, seen = new "ScriptObject" {}, {}
			seen[o.id] = true
			return o.id
		end)`})).load("m")
	w, m := h.host.World(), h.scripts.Runtime.Mod("m")
	for met := 0; met < 1<<20+2000; {
		for range 5000 {
			o, err := w.New("ScriptObject", nil)
			require.NoError(t, err)
			require.NoError(t, w.Delete(o))
		}
		w.Sweep()
		before := m.Usage.Instructions
		id, err := strconv.Atoi(h.line(`import("m").meet()`))
		require.NoError(t, err)
		require.Greater(t, sim.ID(id), sim.ID(met))
		require.Less(t, m.Usage.Instructions-before, int64(150_000), "at id %d", id)
		met = id
	}
}
