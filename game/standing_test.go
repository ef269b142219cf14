package game

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// TestStandingVehicleMatchesGhost checks that a standing vehicle has the same block on the server
// and on a client that predicts.
func TestStandingVehicleMatchesGhost(t *testing.T) {
	for _, kind := range []string{"wheeled", "hover", "flying"} {
		for seed := range testenv.Seeds(t, 2, 10) {
			data := values{"kind": sim.String(kind), "size": vec(4, 6, 2)}
			worlds := [2]*sim.World{newWorld(t), newWorld(t)}
			for _, w := range worlds {
				addHills(t, w, float64(seed), 25)
			}
			z, _ := spaceOf(worlds[0]).ground(11.3, 7.9)
			v := addVehicle(t, worlds[0], "car", data, values{"position": vec(11.3, 7.9, z+1)})
			run(worlds[0], 600)
			if !v.blocks() {
				continue // it rolls down some hill
			}
			g := vehicleGhost(t, worlds[1], v, data)
			for tick := range uint64(60) {
				g.Interpolate(tick)
				is, want := spaceOf(worlds[1]).places[g.bodyNumber], spaceOf(worlds[0]).places[v.bodyNumber]
				require.True(t, is.solid, "%s, seed %d, tick %d", kind, seed, tick)
				require.Equal(t, [2]sim.Vec3{want.block.lo, want.block.hi}, [2]sim.Vec3{is.block.lo, is.block.hi}, "%s, seed %d, tick %d", kind, seed, tick)
			}
			v.setInput(driverInput{throttle: 1})
			update(t, v, g, driveGroup)
			for tick := range uint64(20) {
				g.Interpolate(tick)
			}
			assert.NotZero(t, g.velocity, "%s: it goes on when its driver does", kind)
		}
	}
}

// vehicleGhost returns a new ghost of v in world w.
func vehicleGhost(t testing.TB, w *sim.World, v *Vehicle, data values) *Vehicle {
	_, _, err := w.Blocks.Declare("VehicleData", "car", "", set(t, data))
	require.NoError(t, err)
	g := w.Make(w.Classes().Lookup("Vehicle")).(*Vehicle)
	g.SetGhost(true)
	require.NoError(t, set(t, values{"dataBlock": sim.String("car")})(g))
	send(t, v, g, placeGroup, turnGroup, driveGroup)
	require.NotZero(t, w.Add(g))
	return g
}

// TestTerrainIsAlwaysInScope checks that terrain is always in scope, because players far from its
// middle stand on it.
func TestTerrainIsAlwaysInScope(t *testing.T) {
	assert.True(t, newWorld(t).Classes().Lookup("TerrainBlock").Always)
	assert.False(t, newWorld(t).Classes().Lookup("Box").Always)
}
