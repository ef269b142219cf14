package bots

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// put adds an object with these fields to a world.
func put(t *testing.T, w *sim.World, class string, fields map[string]sim.Value) sim.Object {
	t.Helper()
	o, err := w.New(class, func(o sim.Object) error {
		for name, v := range fields {
			f, err := o.Ident().Class().Field(name)
			require.NoError(t, err)
			require.NoError(t, f.Set(o, v))
		}
		return nil
	})
	require.NoError(t, err)
	return o
}

func at(x, y, z float64) sim.Value { return sim.Vec(sim.Vec3{X: x, Y: y, Z: z}) }

func TestWanderFightsVisibleEnemies(t *testing.T) {
	classes := sim.NewClasses()
	require.NoError(t, game.Register(classes))
	w := sim.NewWorld(classes)
	_, _, err := w.Blocks.Declare("PlayerData", "soldier", "", func(o sim.Object) error { return nil })
	require.NoError(t, err)
	player := func(team, x, y float64) *game.Player {
		return put(t, w, "Player", map[string]sim.Value{"dataBlock": sim.String("soldier"), "team": sim.Number(team), "position": at(x, y, 0)}).(*game.Player)
	}
	own, friend, far, near := player(1, 0, 0), player(1, 0, 10), player(2, -150, 0), player(2, 100, 0)
	p, wander := new(engine.Pilot), NewWander(1)
	fires := func() bool {
		wander.search(w, p, own)
		m := p.Move(own.Place())
		return m.Trigger(sim.FireTrigger)
	}
	assert.True(t, fires())
	assert.Equal(t, near, wander.prey, "the nearest enemy, and no friend")
	m := p.Move(own.Place())
	assert.InDelta(t, 270, sim.Degrees(uint16(m.Yaw)), 1, "it looks there")
	wall := put(t, w, "Box", map[string]sim.Value{"position": at(50, 0, -5), "size": at(2, 20, 20)})
	assert.False(t, fires(), "there is a wall between them")
	assert.Equal(t, near, wander.prey, "it goes after it")
	require.NoError(t, w.Delete(wall))
	w.Sweep()
	assert.True(t, fires())
	require.NoError(t, w.Delete(near))
	w.Sweep()
	for range 300 {
		wander.Steer(p, sim.Vec3{}) // the object is gone
	}
	assert.True(t, fires())
	assert.Equal(t, far, wander.prey)
	require.NoError(t, w.Delete(far))
	w.Sweep()
	assert.False(t, fires())
	assert.Nil(t, wander.prey)
	assert.True(t, friend.Alive())
	assert.False(t, wander.sight.sees(own, player(2, farthest+1, 0)))
}
