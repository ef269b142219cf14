package script_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// lateTick is the time after which the next tick is late.
const lateTick = 64 * time.Millisecond

// TestLongWorkMakesNoTickLate runs the longest work of mods, one tick after another: texts of 1 MiB
// that json.decode reads for a function and in a thread, and the search for a path on a grid of 96
// × 96. Each is done after several ticks. No tick uses more than two slices of a callback, and with
// A* no more than the instructions of threads. It prints the largest tick, as CPU time of the
// thread and as instructions.
func TestLongWorkMakesNoTickLate(t *testing.T) {
	for i, c := range []struct {
		name, code, result string
		most               int64 // instructions in a tick
	}{
		{"json.decode with a function, few tables", `json.decode(numbers, function(v) result = #v end)`, "524287", 510_000},
		{"json.decode with a function, many tables", `json.decode(objects, function(v) result = #v end)`, "41901", 510_000},
		{"json.decode in a thread, few tables", `spawn(function() result = #json.decode(numbers) end)`, "524287", 510_000},
		{"json.decode in a thread, many tables", `spawn(function() result = #json.decode(objects) end)`, "41901", 510_000},
		{"A* on 96 × 96", `spawn(function() result = star(96) end)`, `^\d{3,}$`, 255_000},
	} {
		if (i == 0 || i == 2) && !testenv.Long() {
			continue // the other text is slower
		}
		h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": star + `
			numbers = "[" .. ("0,"):rep(524286) .. "0]"
			objects = "[" .. ("{\"id\":1,\"name\":\"player\"},"):rep(41900) .. "{}]"
			export("start", function() ` + c.code + ` end)
			export("result", function() return result end)`})).load("m")
		h.line(`import("m").start()`)
		runtime.LockOSThread()
		instructions, cpu, ticks, result := int64(0), time.Duration(0), 0, "nil"
		for result == "nil" {
			before, start := h.instructions(), plainTime()
			h.ticks(1)
			cpu = max(cpu, plainTime()-start)
			instructions = max(instructions, h.instructions()-before)
			ticks++
			require.Less(t, ticks, 500, "%s\n%s", c.name, strings.Join(h.log, "\n"))
			result = h.line(`= import("m").result()`)
		}
		runtime.UnlockOSThread()
		assert.Empty(t, h.log, c.name)
		assert.Greater(t, ticks, 2, c.name)
		assert.Regexp(t, c.result, result, c.name)
		assert.LessOrEqual(t, instructions, c.most, c.name)
		assert.Less(t, cpu, lateTick, "%s: CPU time", c.name)
		t.Logf("%s: %d ticks, the largest with %d instructions in %.1f ms of CPU", c.name, ticks, instructions, ms(cpu))
	}
}
