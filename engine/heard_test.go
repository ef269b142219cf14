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

// TestNewControlObjectKeepsState checks that a new control object gets no NULL moves until the
// client's first moves for it can arrive.
func TestNewControlObjectKeepsState(t *testing.T) {
	for _, ms := range []int{0, 100, 300} {
		r := newRace(t, lag(ms, 0))
		r.nextMove = ahead
		r.Run(2 * time.Second)
		before, null := *r.stats(0), r.peer(0).Control.Stats.Null
		old, body := r.runners[0], r.runner()
		body.Push(sim.Vec3{Y: 6})
		r.runners[0] = body
		require.NoError(t, r.peer(0).Control.Set(body))
		require.NoError(t, r.Server.World().Delete(old))
		r.Until(5*time.Second, func() bool { o := r.own(0); return o != nil && o.Alive() })
		r.Run(2 * time.Second)
		assert.Zero(t, r.peer(0).Control.Stats.Null-null, "%d ms", ms)
		assert.Zero(t, r.stats(0).Corrections-before.Corrections, "%d ms", ms)
		r.rests()
	}
}

// TestNullMovesResumeWithoutAck checks that the wait for the client's acknowledgement ends.
func TestNullMovesResumeWithoutAck(t *testing.T) {
	r := newRace(t, lag(50, 0))
	r.Run(time.Second)
	body, now := r.runner(), r.Net.Now()
	r.Net.Blackout(now, now+time.Hour)
	require.NoError(t, r.peer(0).Control.Set(body))
	r.ticks(4) // packets in flight have arrived
	body.Push(sim.Vec3{Y: 6})
	r.ticks(56)
	assert.Equal(t, 6.0, body.Speed.Y)
	r.ticks(30)
	assert.Zero(t, body.Speed.Y)
}

// TestGhostUpdates checks that updates of a ghost are counted and that its create is not.
func TestGhostUpdates(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Circuit: true})
	r.Join()
	thing := newThing(t, r.Server.Host, "one")
	other := newThing(t, r.Server.Host, "two")
	r.Run(time.Second)
	c := r.Clients[0].Host.Server()
	ghost := ghostOf(r.Peer(0), c, thing)
	require.NotNil(t, ghost)
	assert.Zero(t, c.PeerGhosts.UpdatesOf(ghost))
	for i := range 5 {
		set(t, thing, "energy", sim.Number(float64(i+1)))
		r.Run(200 * time.Millisecond)
		assert.EqualValues(t, i+1, c.PeerGhosts.UpdatesOf(ghost))
	}
	assert.Zero(t, c.PeerGhosts.UpdatesOf(ghostOf(r.Peer(0), c, other)))
	assert.Zero(t, c.PeerGhosts.UpdatesOf(thing), "it is no ghost")
}

// TestAlwaysInScopeClasses checks that objects of an always-in-scope class arrive with the first
// ghosts, at any distance, and stay in scope.
func TestAlwaysInScopeClasses(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Classes: func(c *sim.Classes) {
		require.NoError(t, c.Register(sim.Class{Name: "Ground", Parent: "Thing", Always: true, New: func() sim.Object { return new(enginetest.Thing) }}))
		require.NoError(t, c.Register(sim.Class{Name: "Lawn", Parent: "Ground", New: func() sim.Object { return new(enginetest.Thing) }}))
	}})
	far := map[string]sim.Object{}
	for _, class := range []string{"Thing", "Ground", "Lawn"} {
		o, err := r.Server.World().New(class, func(o sim.Object) error {
			f, err := o.Ident().Class().Field("at")
			require.NoError(t, err)
			return f.Set(o, sim.Vec(sim.Vec3{X: 1000}))
		})
		require.NoError(t, err)
		far[class] = o
	}
	r.Join()
	eye := newThing(t, r.Server.Host, "eye")
	require.NoError(t, r.Peer(0).Visible.SetObject(eye))
	r.Peer(0).Visible.SetView(engine.ScopeView{Distance: 100})
	sees := func(class string) bool { return ghostOf(r.Peer(0), r.Clients[0].Host.Server(), far[class]) != nil }
	r.Run(5 * time.Second)
	assert.False(t, sees("Thing"))
	assert.True(t, sees("Ground") && sees("Lawn"))
	r.Server.Rules.ClearAlways(far["Ground"])
	r.Run(5 * time.Second)
	assert.False(t, sees("Ground"), "scripts may say otherwise")
	assert.True(t, sees("Lawn"))
}
