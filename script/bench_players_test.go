package script_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script"
)

// lookers and looked are the mods that look at players and the players that they look at.
const lookers, looked = 100, 32

// crew gives each client a body, at another height than the one before.
const crew = `
local n = 0
function GameConnection.onClientEnterGame(client)
	n = n + 1
	client:setControlObject(new "Player" { dataBlock = Body, position = vec(n, 0, n * 1.25) })
end`

// playersRig is a server with 32 bots that have bodies, and mods with the same server file.
func playersRig(t testing.TB, lookers int, source string) *half {
	list := map[string]string{"crew/shared/blocks.lua": `Body = datablock "PlayerData" "Body" {}`, "crew/server/init.lua": crew}
	names := []string{"crew"}
	for i := range lookers {
		name := fmt.Sprintf("look%d", i)
		list[name+"/server/init.lua"] = source
		names = append(names, name)
	}
	start := time.Now()
	h := newHalfWith(t, 1, true, nil, func(s *script.Setup) {
		s.Clock = func() time.Duration { return time.Since(start) }
	}, files(list)).load(names...)
	for range looked {
		require.Empty(t, h.line(`b = addBot "Bot"`))
	}
	for range 4 {
		h.host.Tick(0)
	}
	require.Equal(t, fmt.Sprint(looked), h.line(`(function() local n = 0 for _, c in ipairs(players()) do if c.controlObject then n = n + 1 end end return n end)()`))
	h.scripts.Runtime.Mod("base").SetGlobal("onTick", lua.LNil)
	require.Empty(t, h.log)
	return h
}

// BenchmarkPlayers measures mods that look at the place of every player in every tick.
func BenchmarkPlayers(b *testing.B) {
	for name, source := range map[string]string{
		"far":       `local far = 0; function onTick() for _, c in ipairs(players()) do local o = c.controlObject; if o then local p = o.position; if p.z > far then far = p.z end end end end`,
		"players":   `function onTick() local t = players() end`,
		"ipairs":    `local t = {} for i = 1, 32 do t[i] = i end function onTick() for _, c in ipairs(t) do end end`,
		"control":   `local t function onTick() if not t or not t[32] then t = players() return end for i = 1, 32 do local o = t[i].controlObject end end`,
		"place":     `local o function onTick() o = o or #players() > 0 and players()[1].controlObject if o then for i = 1, 32 do local p = o.position end end end`,
		"z":         `local v = vec(1, 2, 300.5) function onTick() for i = 1, 32 do local z = v.z end end`,
		"loop":      `function onTick() for i = 1, 32 do end end`,
		"positions": `local far = 0 function onTick() local bodies, x, y, z = positions(players()) for i = 1, #bodies do if z[i] > far then far = z[i] end end end`,
		"call":      `function onTick() end`,
	} {
		b.Run(name, func(b *testing.B) {
			h := playersRig(b, lookers, source)
			b.ReportAllocs()
			for n := uint64(0); b.Loop(); n++ {
				h.scripts.Hooks().BeginTick()
				h.scripts.Hooks().Tick(n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/lookers/looked, "ns/player")
			require.Empty(b, h.log)
		})
	}
}
