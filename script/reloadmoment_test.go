package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAReloadWhileAMissionLoads checks that a reload requested while a mission loads runs once
// after the load, and that the mission then continues.
func TestAReloadWhileAMissionLoads(t *testing.T) {
	e := edit(t, map[string]string{
		"m/mod.toml":         "name = 'm'\nversion = '1.0.0'\npermissions = ['console.mod.reload', 'console.mod.disable', 'console.mod.enable']\n",
		"m/missions/one.lua": `echo(mod.reload "m", pcall(mod.reload, "m")) new "Marker" { name = "One" }`,
		"m/server/init.lua": `function onMissionLoaded(seq, name) echo(name, seq, isObject "One", mod.disable "m", mod.enable "m") end
			store:put("key", 1, function() echo "safe" end)`,
	}, "m")
	for _, command := range []string{"reload", "disable", "enable"} {
		e.line("mod grant m console.mod." + command)
	}
	e.steps(step{"mission one", "m is reloaded before the next tick\tfalse\tmod.reload: m is already being reloaded\n" +
		"one\t2\ttrue\tm is disabled before the next tick\tm is enabled before the next tick"})
	e.out = nil
	var said []string
	for _, line := range e.ticks(3).out {
		line, _, _ = strings.Cut(line, " in ")
		said = append(said, line)
	}
	assert.Equal(t, []string{"m 1.0.0 reloaded", "m is disabled", "m 1.0.0 is on", "safe"}, said, "only who is there hears of a write")
	assert.Equal(t, `true`, e.line(`isObject "One"`))
	assert.Equal(t, "one", e.line("mission"))
	assert.Empty(t, e.log)
}
