package script_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine/sim"
)

// A mod that has more to do than time for it, and breaks no budget, holds up itself alone: the timers of the others, what
// happens to their objects and their onTick come in each tick.
func TestAModThatIsBehindHoldsUpNobodyElse(t *testing.T) {
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
