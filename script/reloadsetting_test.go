package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLateSetting checks that a setting declared by an event has its value again when the event
// runs again. The same holds for a setting declared again after a version without it.
func TestLateSetting(t *testing.T) {
	const late = `export("late", function() setting "m.late" { default = 1 } end)`
	e := edit(t, map[string]string{"m/server/init.lua": late}, "m")
	e.steps(step{`import("m").late()`, ""}, step{"m.late 7", ""}, step{"mod reload m", "~reloaded"}, step{"m.late", "~undefined global"},
		step{"mod reload m", "~reloaded"}, step{`import("m").late()`, ""}, step{"m.late", "7"})
	e.write(map[string]string{"m/server/init.lua": `error "no"`}).steps(step{"mod reload m", "~no"}, step{"m.late", "7"}, step{"m.late 8", ""})
	e.write(map[string]string{"m/server/init.lua": ` `}).steps(step{"mod reload m", "~reloaded"}, step{"mod disable m", "m is disabled"})
	e.write(map[string]string{"m/server/init.lua": late}).steps(step{"mod enable m", "m 1.0.0 is on"}, step{`import("m").late()`, ""}, step{"m.late", "8"})
	e.steps(step{"m.late 1", ""}, step{"mod reload m", "~reloaded"}, step{`import("m").late()`, ""}, step{"m.late", "1"})
	e.steps(step{"m.late 5", ""}, step{"mod disable m", "m is disabled"}, step{"mod enable m", "m 1.0.0 is on"}, step{`import("m").late()`, ""}, step{"m.late", "5"})
	assert.Empty(t, e.log)
}

// TestSettingsAreKeptUpToACap checks that settings beyond the cap are not kept.
func TestSettingsAreKeptUpToACap(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": ``}, "m")
	e.line("mod.maxNames 2")
	for _, names := range []string{"a b", "c d"} {
		e.write(map[string]string{"m/server/init.lua": `for name in ("` + names + `"):gmatch "%a" do setting(name) { default = 1 }.value = 2 end`})
		e.steps(step{"mod reload m", "~reloaded"})
	}
	e.write(map[string]string{"m/server/init.lua": `export("declare", function(name) return setting(name) { default = 1 }.value end)`})
	e.steps(step{"mod reload m", "~reloaded"}, step{`import("m").declare "a"`, "2"}, step{`import("m").declare "c"`, "1"})
}

// TestASettingThatIsExpected checks that a setting takes its value from the configuration when it
// is declared: by a mod that is enabled later, by a new version, or in an event.
func TestASettingThatIsExpected(t *testing.T) {
	e := edit(t, map[string]string{"m/server/init.lua": ``, "n/server/init.lua": `echo(setting "n.laps" { default = 3, changed = echo }.value)`}, "m")
	for setting, text := range map[string]string{"m.laps": "5", "n.laps": "6", "m.wrong": "many"} {
		e.scripts.Expect(setting, text)
	}
	e.steps(step{"mod enable n", "6\nn 1.0.0 is on"}, step{"n.laps 7", "7"}, step{"mod reload n", "7\nn 1.0.0 reloaded in 0 ms, 0 files changed"})
	e.steps(step{"reset n.laps", "3"}, step{"mod reload n", "3\nn 1.0.0 reloaded in 0 ms, 0 files changed"})
	e.write(map[string]string{"m/server/init.lua": `setting "m.laps" { default = 1 } setting "m.wrong" { default = 2 } bad()`})
	e.steps(step{"mod reload m", "~bad"})
	e.write(map[string]string{"m/server/init.lua": `setting "m.laps" { default = 1 } setting "m.wrong" { default = 2 }`})
	e.log = nil
	e.steps(step{"mod reload m", "~reloaded"}, step{"m.laps", "5"}, step{"m.wrong", "2"})
	require.Equal(t, []string{`m: m.wrong cannot be "many" and is 2: it must be a number, got "many"`}, e.log)
}
