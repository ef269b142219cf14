package game

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// TestNoServerReplacesWhatMovesDependOn checks that a client keeps its own classes of everything
// that moves depend on: their code reads the fields of these by name. A server with another one is
// refused.
func TestNoServerReplacesWhatMovesDependOn(t *testing.T) {
	own := sim.NewClasses()
	require.NoError(t, Register(own))
	for _, name := range []string{"Box", "Camera", "Player", "TerrainBlock", "Turret", "Vehicle"} {
		assert.True(t, own.Lookup(name).Needed(), name)

		server := sim.NewClasses()
		other := sim.Class{Name: name, Parent: "NetObject", New: func() sim.Object { return new(sim.NetObject) }}
		require.NoError(t, server.Register(other))
		client := own.Session()
		prints, mine := server.Fingerprints(), client.Fingerprints()
		order, known := server.ListOrder(func(print uint32) bool { return slices.Contains(mine, print) })
		require.NoError(t, client.Adopt(len(order)))
		var err error
		for i, c := range order {
			w := bitstream.NewWriter(make([]byte, 4096))
			server.PackListed(w, c, prints[server.WireID(c)], i < known)
			require.NoError(t, w.Err())
			if err = client.UnpackListed(bitstream.NewReader(w.Bytes())); err != nil {
				break
			}
		}
		assert.ErrorContains(t, err, "a name that is taken", name)
	}
}
