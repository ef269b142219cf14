package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// TestTheLargestGhostFits: whatever is in the fields of a class that may be
// declared, a new ghost fits into a packet, with marks and in bad weather.
func TestTheLargestGhostFits(t *testing.T) {
	text := make([]byte, 1000)
	for i := range text {
		text[i] = byte(i*37) | 0x80
	}
	for _, check := range []bool{false, true} {
		link := netcore.LinkParams{Delay: 20 * time.Millisecond, Loss: .3}
		r := enginetest.New(t, enginetest.Options{Seed: 3, Up: link, Down: link})
		r.Server.Settings.Check = check
		r.Server.Apply()
		spec := sim.ClassSpec{Name: "Full", Source: "x", Fields: []sim.FieldSpec{
			{Name: "text", Kind: sim.KindString, Max: len(text)}, {Name: "more", Kind: sim.KindString, Max: 1},
		}}
		for ; ; spec.Fields[1].Max++ { // up to the last that may be
			if _, err := sim.NewClasses().Session().Declare(spec); err != nil {
				break
			}
		}
		spec.Fields[1].Max--
		require.Greater(t, spec.Fields[1].Max, 40)
		_, err := r.Server.World().Classes().Declare(spec)
		require.NoError(t, err)
		r.Join()
		o, err := r.Server.World().New("Full", nil)
		require.NoError(t, err)
		set(t, o, "text", sim.String(string(text)))
		set(t, o, "more", sim.String(string(text[:spec.Fields[1].Max])))
		r.Run(3 * time.Second)
		equalGhost(t, r.Peer(0), r.Clients[0].Host.Server(), o)
		require.Zero(t, r.Peer(0).Ghosts().Stats().TooLarge)
	}
}
