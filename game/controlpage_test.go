package game_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// TestProtocolPageControlStates checks that control states have the lengths in PROTOCOL.md, and
// that the page lists their groups.
func TestProtocolPageControlStates(t *testing.T) {
	cs := sim.NewClasses()
	require.NoError(t, game.Register(cs))
	page, err := os.ReadFile("../netcore/PROTOCOL.md")
	require.NoError(t, err)
	w := sim.NewWorld(cs)
	bits := func(class string) int {
		o := w.Make(cs.Lookup(class))
		w.Add(o)
		s := bitstream.NewWriter(make([]byte, 1000))
		o.(sim.Controllable).CodeControl(sim.Coder{Codec: &s.Codec})
		require.NoError(t, s.Err())
		return s.Pos()
	}
	require.Contains(t, string(page), fmt.Sprintf("Empty-handed, a Player on foot is %d bits, a Vehicle %d, a Turret %d, a Camera that flies %d.",
		bits("Player"), bits("Vehicle"), bits("Turret"), bits("Camera")))

	said := map[string][]string{
		"Player":  {"position", "rotation", "energy", "mount", "leaps", "image0", "imageState0", "moveX"},
		"Vehicle": {"position", "rotation", "energy", "image0", "imageState0", "throttle"},
		"Turret":  {"rotation", "energy", "image0", "imageState0"},
		"Camera":  {"position", "rotation"},
	}
	for _, c := range cs.List() {
		mask := uint32(0)
		for _, field := range said[c.Name] {
			mask |= 1 << c.Lookup(field).Group
		}
		require.Equal(t, mask, c.Control, c.Name)
	}
}
