package script_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// BenchmarkFieldChanges measures a packet with three changed fields of each of 128 players, which
// causes 384 calls of onFieldChange. The fields are set as a packet sets them.
func BenchmarkFieldChanges(b *testing.B) {
	h := newHalf(b, 2, false, files(map[string]string{"m/client/init.lua": `
		calls = 0
		Player = class "Player" {}
		function Player:onFieldChange(field, old, new) calls = calls + 1 end
		addCommand { name = "m.calls", run = function() return calls end }`})).load("m")
	class := h.host.World().Classes().Lookup("Player")
	changing := [3]*sim.Field{class.Lookup("damageLevel"), class.Lookup("energy"), class.Lookup("team")}
	groups, players := uint32(0), make([]sim.Object, 128)
	for _, f := range changing {
		require.NotNil(b, f)
		groups |= 1 << f.Group
	}
	for i := range players {
		players[i] = h.host.World().Make(class)
		players[i].Ident().SetGhost(true)
		h.host.World().Add(players[i])
		h.scripts.Hooks().GhostAdded(nil, players[i])
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		h.scripts.Hooks().BeginTick()
		for _, p := range players {
			for _, f := range changing {
				require.NoError(b, f.Set(p, sim.Number(float64(1+n%2))))
			}
		}
		b.StartTimer()
		for _, p := range players {
			h.scripts.Hooks().FieldsReceived(p, groups)
		}
		h.scripts.Hooks().FieldsDone()
	}
	require.Equal(b, fmt.Sprint(384*b.N), h.line("m.calls"))
}
