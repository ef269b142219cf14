package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// say runs a console line that must succeed.
func say(t *testing.T, h *half, line string) string {
	t.Helper()
	out, err := h.console.Exec(line)
	require.NoError(t, err, line)
	return out
}

func TestTopAndFaults(t *testing.T) {
	h := newHalfOf(t, 1, true, probes, files(map[string]string{
		"m/server/init.lua": "function onTick() end\nfunction broken() error 'oh' end\nschedule(10, broken)\nschedule(20, broken)",
	})).load("m")
	h.ticks(32)
	top := strings.Split(say(t, h, "mod.top"), "\n")
	assert.Regexp(t, `^ +calls +errors +ms +us/call +max ms +instructions +KiB +cpu %$`, top[0])
	assert.Len(t, top, 1+len(h.scripts.Runtime.Mods))
	assert.Regexp(t, `(?m)^onTick +3\d +0 `, say(t, h, "mod.top m"))
	assert.Regexp(t, `(?m)^schedule +2 +2 `, say(t, h, "mod.top m"))
	assert.Regexp(t, `(?m)^load +1 +0 `, say(t, h, "mod.top m"))
	assert.Equal(t, "2", h.line("1 + 1"))
	assert.Regexp(t, `(?m)^line +\d+ +0 `, say(t, h, "mod.top console"))
	assert.Contains(t, say(t, h, "mod.faults"), "2x, first at 0:00:00, last at 0:00:00: m: schedule: mods/m/server/init.lua:2: oh (in ")
	assert.Equal(t, say(t, h, "mod.faults"), say(t, h, "mod.faults m"))
	assert.Equal(t, "no faults", say(t, h, "mod.faults base"))
	for _, line := range []string{"mod.top x", "mod.faults x"} {
		_, err := h.console.Exec(line)
		assert.EqualError(t, err, `mod "x" is not loaded (mods lists the loaded mods)`)
	}
}

func TestLimitsAreVariables(t *testing.T) {
	h := newHalfOf(t, 1, true, probes, files(map[string]string{
		"m/server/init.lua": `function work() local n = 0 for i = 1, 3000 do n = n + 1 end return n end export("work", work)`,
	})).load("m")
	for line, want := range map[string]string{
		"mod.callbackTime": "640ms", "mod.callbackInstructions": "1000000", "mod.tickInstructions": "2000000", "mod.loadTime": "5s", "mod.tickTime": "20ms", "mod.maxLines": "1000",
	} {
		assert.Equal(t, want, say(t, h, line), line)
	}
	assert.Equal(t, "3000", h.line(`import("m").work()`))
	say(t, h, "mod.lineInstructions 2000")
	assert.Contains(t, h.line(`import("m").work()`), "the budget of 2000 instructions is used up")
	say(t, h, "mod.lineInstructions 1000000")
	assert.Equal(t, "65536", h.line(`#("x"):rep(65536)`))
	say(t, h, "mod.maxString 65536")
	assert.Contains(t, h.line(`("x"):rep(65537)`), "exceed the limit of 65536")
	for _, c := range []struct{ name, standard, least, most, less, more string }{
		{"mod.cpuWarn", "25", "0", "100", "-1", "101"}, {"mod.cpuSuspend", "60", "0", "100", "-1", "101"}, {"mod.reloadTime", "500ms", "1ms", "5m", "0s", "5m1s"},
	} {
		assert.Equal(t, c.standard, say(t, h, c.name))
		assert.Empty(t, say(t, h, c.name+" "+c.least)+say(t, h, c.name+" "+c.most))
		for _, bad := range []string{c.less, c.more, "x"} {
			_, err := h.console.Exec(c.name + " " + bad)
			assert.Error(t, err, c.name+" "+bad)
		}
	}
	_, err := h.console.Exec("mod.loadHeap 0")
	assert.EqualError(t, err, `mod.loadHeap must be a whole number from 1 to 1048576, got "0"`)
}

// TestOutputIsABudget checks that a mod that prints too much is muted for a second, and that other
// mods are not.
func TestOutputIsABudget(t *testing.T) {
	h := newHalfOf(t, 1, true, probes, files(map[string]string{
		"loud/server/init.lua":  `function shout() for i = 1, 5000 do echo(i) end end export("shout", shout) function long() echo(("x"):rep(5000)) echo "y" end export("long", long)`,
		"quiet/server/init.lua": `export("whisper", function() echo "psst" end)`,
	})).load("loud", "quiet")
	heard := func(line string) int {
		out := h.line(line)
		require.NotContains(t, out, "error: ")
		return len(strings.Fields(out))
	}
	assert.Equal(t, 1000, heard(`import("loud").shout()`))
	assert.Zero(t, heard(`import("loud").shout()`))
	assert.Equal(t, 1, heard(`import("quiet").whisper()`))
	assert.Contains(t, say(t, h, "mod.faults"), "loud: 9000 lines of output were dropped")
	assert.Equal(t, 5000, heard(`for i = 1, 5000 do echo(i) end`), "the operator may")
	h.ticks(64)
	assert.Equal(t, 1000, heard(`import("loud").shout()`))
	h.ticks(64)
	say(t, h, "mod.maxOutput 4096")
	assert.Zero(t, heard(`import("loud").long()`))
}
