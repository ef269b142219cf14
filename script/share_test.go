package script_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// TestSlowModDelaysOnlyItself checks that a mod that needs more time than it gets, within its
// budgets, delays only itself. The timers, events and onTick of the other mods run in each tick.
func TestSlowModDelaysOnlyItself(t *testing.T) {
	hog := `
		Slow = class "Slow" { inherit = "Marker" }
		local function work() for i = 1, 400 do end end
		local function fill() for i = 1, 1000 do schedule(0, work) end end
		function Slow:onTick() work() end
		function Slow:onCollision() work() end
		fill()
		for i = 1, 100 do new "Slow" {} end`
	calm := `
		Quick = class "Quick" { inherit = "Marker" }
		timers, ticks, hits, all = 0, 0, 0, 0
		local function beat() timers = timers + 1 schedule(0, beat) end
		function Quick:onTick() ticks = ticks + 1 end
		function Quick:onCollision() hits = hits + 1 end
		beat()
		function onTick() all = all + 1 end
		new "Quick" {}
		export("counts", function() return timers, ticks, hits, all end)`
	h := newHalf(t, 1, true, files(map[string]string{"hog/server/init.lua": hog, "calm/server/init.lua": calm})).load("hog", "calm")
	h.perAsk = 200 * time.Microsecond
	h.scripts.Runtime.LimitsVar().Ticking = 80_000
	h.host.Tick(0)
	w := h.host.World()
	for range 20 {
		w.Each(nil, func(o sim.Object) bool {
			if name := o.Ident().Class().Name; name == "Slow" || name == "Quick" {
				w.Emit(o, "onCollision", sim.Nil(), sim.Vec(sim.Vec3{}))
			}
			return true
		})
		h.host.Tick(0)
	}
	h.perAsk = 0
	assert.Equal(t, "22\t21\t20\t21", h.line(`import("calm").counts()`))
	assert.Empty(t, h.log, "nobody is cut short or skipped")
	assert.Greater(t, h.host.Schedule().OfMod("hog"), 500, "it is far behind")
}

// TestMissionsInARowTakeATenthOfTheTime checks that missions that load each other use a tenth of
// the time.
func TestMissionsInARowTakeATenthOfTheTime(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"m/server/init.lua":   `function onMissionLoaded() loadMission "next" end`,
		"m/missions/next.lua": `echo(tick()) for i = 1, 100 do end`,
	})).load("m")
	h.perAsk = 2 * time.Millisecond
	h.line(`(function() loadMission "next" end)()`)
	h.out = nil
	h.ticks(100)
	require.Greater(t, len(h.out), 2)
	assert.Less(t, len(h.out), 40, "and not in each tick")
}

// TestAModLeavesTheOthersTheirTimersAndClients checks that a mod cannot cancel timers of other
// mods or move clients.
func TestAModLeavesTheOthersTheirTimersAndClients(t *testing.T) {
	evil := `
		local g = new "SimGroup" {}
		for id = 1, 1000 do cancel(id) end
		local own = schedule(10, print)
		echo(cancel(own), cancel(own))
		set = new "SimSet" {}
		export("steal", function(c)
			set:add(c)
			for _, f in ipairs { g, rootGroup } do echo(pcall(f.add, f, c)) end
			echo(pcall(clientGroup.remove, clientGroup, c))
			echo(#set, set:remove(c), #clientGroup)
		end)`
	h := newHalf(t, 1, true, files(map[string]string{
		"good/server/init.lua": `schedule(100, echo, "good")`, "evil/server/init.lua": evil,
	})).load("good", "evil")
	assert.Equal(t, []string{"true\tfalse"}, h.out)
	h.line(`bot = addBot "b"`)
	h.ticks(1)
	h.out = nil
	h.line(`import("evil").steal(bot)`)
	require.Len(t, h.out, 4)
	for _, line := range h.out[:3] {
		assert.Contains(t, line, "must stay in clientGroup; use a SimSet to group connections")
	}
	assert.Equal(t, "1\ttrue\t1", h.out[3])
	h.ticks(4)
	assert.Contains(t, h.out, "good")
}
