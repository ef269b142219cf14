package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
)

// comet moves by a step that the wire cannot represent exactly. Its ghosts do the same.
type comet struct {
	sim.NetObject
	at  float64
	lit bool
}

func (c *comet) Tick(uint64)          { c.at += 0.1; c.MarkPredicted(1 << 1) }
func (c *comet) Interpolate(n uint64) { c.Tick(n) }
func (c *comet) Received(sim.Place)   {}
func (c *comet) Place() sim.Place     { return sim.Place{Position: sim.Vec3{X: c.at}} }
func (c *comet) Shown(float64) sim.Place {
	return c.Place()
}

func registerComet(t testing.TB) func(*sim.Classes) {
	return func(cs *sim.Classes) {
		require.NoError(t, cs.Register(sim.Class{
			Name: "Comet", Parent: "NetObject", New: func() sim.Object { return new(comet) },
			Motion: sim.MotionRule{Predict: true}, PredictedGroups: 1 << 1,
			Fields: []sim.Field{
				sim.FloatField("at", 1, 0, 1000, func(c *comet) *float64 { return &c.at }).WithStep(0.25),
				sim.BoolField("lit", 2, func(c *comet) *bool { return &c.lit }),
			},
		}))
	}
}

// TestPredictedMotionNeedsNoUpdates checks that predicted motion causes no updates. A later client
// gets the current position, and all ghosts agree.
func TestPredictedMotionNeedsNoUpdates(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2, Classes: registerComet(t)})
	join := func(i int) {
		require.NoError(t, r.Clients[i].Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute}))
		r.Until(time.Minute, func() bool {
			c := r.Clients[i].Host.Server()
			return c != nil && c.Join.Phase() == engine.PhaseGame
		})
	}
	join(0)
	o, err := r.Server.World().New("Comet", nil)
	require.NoError(t, err)
	r.Run(10 * time.Second)
	stats := r.Peer(0).Ghosts().Stats()
	assert.Equal(t, []uint64{1, 0}, []uint64{stats.Creates, stats.Updates})
	at := func(i int) float64 {
		return ghostOf(peerOf(r, i), r.Clients[i].Host.Server(), o).(*comet).at
	}
	behind := o.(*comet).at - at(0)
	assert.LessOrEqual(t, behind, 0.21, "two ticks of the network")

	set(t, o, "lit", sim.Bool(true))
	r.Run(time.Second)
	assert.EqualValues(t, 1, stats.Updates)
	assert.InDelta(t, behind, o.(*comet).at-at(0), 1e-9, "what else is told does not move it")

	join(1)
	r.Run(10 * time.Second)
	assert.EqualValues(t, 2, stats.Updates, "the newcomer's numbers are for everybody")
	for i := range r.Clients {
		assert.InDelta(t, o.(*comet).at, at(i), 0.21, "client %d", i)
		whole := (o.(*comet).at - at(i)) * 10
		assert.InDelta(t, whole, float64(int(whole+0.5)), 1e-6, "client %d is some ticks behind and not otherwise elsewhere", i)
	}
}
