package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// rounds is the number of loop iterations of a measured Lua function.
const rounds = 10_000

// costRig is a server with a probe p and functions that do one thing many times.
func costRig(t testing.TB) *half {
	h := newHalfOf(t, 1, true, probes, files(map[string]string{"m/server/init.lua": `
		D = datablock "ProbeData" "D" {}
		function D:onOther() end`})).load("m")
	require.Empty(t, h.line(`p = new "HotProbe" { dataBlock = find "D", name = "p" }`))
	for name, body := range map[string]string{
		"nothing": ``, "own": `local t = p.own`, "heat": `local n = p.heat`, "look": `local f = p.isHot`, "place": `local v = p.position`, "part": `local n = v.x`, "call": `p:back()`, "give": `p:back(true, true, p)`,
	} {
		require.Empty(t, h.line(`function `+name+`() local p, v = p, p.position for i = 1, 10000 do `+body+` end end`))
	}
	return h
}

// TestAMethodCostsItsArguments checks that reading a member of a handle allocates nothing, nor does
// a vector that has not changed. A call allocates only its arguments and its name: the VM makes a
// value of the name for each o:method().
func TestAMethodCostsItsArguments(t *testing.T) {
	h := costRig(t)
	allocs := func(name string) float64 {
		return testing.AllocsPerRun(3, func() { require.Empty(t, h.line(name+"()")) })
	}
	base := allocs("nothing")
	for name, most := range map[string]float64{"own": 0, "heat": 0, "look": 0, "place": 0, "part": 0, "call": 1, "give": 2} {
		assert.InDelta(t, most, (allocs(name)-base)/rounds, 0.01, name)
	}
}

// TestEventWithoutHandlersCostsNothing checks that an event without a handler costs nothing.
func TestEventWithoutHandlersCostsNothing(t *testing.T) {
	h := costRig(t)
	h.line(`new "Probe" { dataBlock = datablock "ProbeData" "E" {}, name = "q" }`)
	args := []sim.Value{sim.Number(1)}
	for object, name := range map[string]string{"p": "onUnheard", "q": "onOther"} { // D has a handler for it, E has none
		o := h.host.World().FindName(object)
		assert.Zero(t, testing.AllocsPerRun(100, func() { h.scripts.Hooks().Event(o, name, args) }), name)
	}
}

func BenchmarkMethod(b *testing.B) {
	h := costRig(b)
	for _, name := range []string{"nothing", "own", "look", "call", "give"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N / rounds {
				h.line(name + "()")
			}
		})
	}
}

func BenchmarkEvent(b *testing.B) {
	h := costRig(b)
	h.line(`override("Probe", "onHeat", function(parent, self) end)`)
	o, args := h.host.World().FindName("p"), []sim.Value{sim.Number(1)}
	for _, name := range []string{"onUnheard", "onOther", "onHeat"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				h.scripts.Hooks().Event(o, name, args)
			}
		})
	}
}
