package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFrequentCallsAllocateLittle checks what the stock mods do for each client several times a
// second: the phase of a client, type, tostring of a string, and a line of the HUD that has not
// changed. The call into another mod allocates once.
func TestFrequentCallsAllocateLittle(t *testing.T) {
	const rounds = 1000
	p := join(t, map[string]string{"m/server/init.lua": `
		local hud, text = import "base".hud, "text"
		local work = {
			nothing = function(c) end,
			phase = function(c) return c.phase end,
			type = function(c) return type(c) end,
			tostring = function(c) return tostring(text) end,
			hud = function(c) hud(c, 1, "%1 : %2", 3, "x") end,
		}
		export("measure", function(name)
			local c, f = clientGroup:at(1), work[name]
			for i = 1, 1000 do f(c) end
		end)`}, nil, "m")
	p.server.line(`m = import "m"`)
	allocs := func(name string) float64 {
		require.Empty(t, p.server.line(`m.measure("`+name+`")`))
		return testing.AllocsPerRun(3, func() { p.server.line(`m.measure("` + name + `")`) })
	}
	base := allocs("nothing")
	for name, most := range map[string]float64{"phase": 0, "type": 0, "tostring": 0, "hud": 1} {
		assert.InDelta(t, most, (allocs(name)-base)/rounds, 0.01, name)
	}
}

// TestCallbacksThatNoModHasCostNothing checks the callback for every acknowledged object.
func TestCallbacksThatNoModHasCostNothing(t *testing.T) {
	p := join(t, nil, nil)
	c := p.server.host.Connections()[0]
	assert.Zero(t, testing.AllocsPerRun(100, func() { p.server.scripts.Hooks().GhostAcked(c, c) }))
}
