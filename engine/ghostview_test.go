package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/ghost"
)

// sledge is an object that moves with its velocity.
type sledge struct {
	sim.NetObject
	position, velocity sim.Vec3
}

func (g *sledge) Place() sim.Place {
	return sim.Place{Position: g.position, Velocity: g.velocity, Radius: 1}
}

func (g *sledge) Tick(uint64) {
	if g.velocity != (sim.Vec3{}) {
		g.position = g.position.Add(g.velocity.Mul(sim.TickSeconds))
		g.Mark(1 << 1)
	}
}

func addSledge(c *sim.Classes) {
	if err := c.Register(sim.Class{
		Name: "Sledge", Parent: "NetObject", New: func() sim.Object { return new(sledge) },
		Fields: []sim.Field{
			sim.VecField("position", 1, 4096, func(g *sledge) *sim.Vec3 { return &g.position }).WithBits(22).WithRate("velocity"),
			sim.VecField("velocity", 1, 64, func(g *sledge) *sim.Vec3 { return &g.velocity }).WithBits(14),
		},
	}); err != nil {
		panic(err)
	}
}

// views returns the views of a connection by object.
func views(h *engine.Host, c *engine.Connection) map[sim.Object]engine.GhostView {
	all := map[sim.Object]engine.GhostView{}
	h.Inspector.EachGhostView(c, func(v *engine.GhostView) { all[v.Object] = *v })
	return all
}

const exact = 0.002 // metres: the resolution of a sledge's position

// TestGhostViewOverAnInternetLine follows a moving and a resting object over a line with a
// round-trip time of 120 ms: the position that the peer has, its age, and where the peer shows the
// ghost.
func TestGhostViewOverAnInternetLine(t *testing.T) {
	link := netcore.LinkParams{Delay: 60 * time.Millisecond}
	r := enginetest.New(t, enginetest.Options{Classes: addSledge, Up: link, Down: link})
	moving := &sledge{velocity: sim.Vec3{X: 10}}
	resting := &sledge{position: sim.Vec3{Y: 50}}
	text := &enginetest.Thing{At: sim.Vec3{X: 3}}
	for _, o := range []sim.Object{moving, resting, text} {
		r.Server.World().Add(o)
	}
	r.Join()
	r.Run(2 * time.Second)
	was := map[uint64]sim.Vec3{}
	for range 30 {
		r.Run(engine.TickTime)
		was[r.Server.TickNumber()] = moving.position
		all := views(r.Server.Host, r.Peer(0))
		v := all[moving]
		require.Equal(t, ghost.Live, v.Status)
		require.True(t, v.Known)
		require.InDelta(t, 4.5, v.KnownAge, 2, "the round-trip time in ticks")
		if at, recorded := was[r.Server.TickNumber()-uint64(v.KnownAge)]; recorded {
			require.InDelta(t, at.X, v.At.X, exact)
		}
		require.Less(t, v.At.X, v.Truth.Position.X-0.5)
		require.InDelta(t, v.Truth.Position.X, v.Predicted.X, 0.02, "it moves evenly")
		require.False(t, v.Pending, "a packet in flight carries it")
		require.LessOrEqual(t, v.SentAge, 1)

		v = all[resting]
		require.True(t, v.Known)
		require.Zero(t, v.KnownAge)
		require.InDelta(t, 50, v.At.Y, exact)
		v = all[text]
		require.True(t, v.Known, "the position of this class is in no field of that name")
		require.Equal(t, text.At, v.Predicted)
	}

	moving.velocity = sim.Vec3{}
	r.Run(time.Second)
	v := views(r.Server.Host, r.Peer(0))[moving]
	assert.Zero(t, v.KnownAge)
	assert.InDelta(t, moving.position.X, v.At.X, exact)
}

// TestGhostViewWhileTheLineIsDead checks that the age grows, and that the predicted position stops
// as the ghost does.
func TestGhostViewWhileTheLineIsDead(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Classes: addSledge})
	o := &sledge{velocity: sim.Vec3{X: 10}}
	r.Server.World().Add(o)
	r.Join()
	r.Run(time.Second)
	before := views(r.Server.Host, r.Peer(0))[o]
	r.Peer(0).Line.SetLink(netcore.LinkParams{Loss: 1})
	r.Run(40 * engine.TickTime)
	v := views(r.Server.Host, r.Peer(0))[o]
	assert.Greater(t, v.KnownAge, 35)
	assert.InDelta(t, before.Truth.Position.X, v.At.X, 1)
	assert.InDelta(t, sim.DefaultExtrapolateTicks*10*sim.TickSeconds, v.Predicted.X-v.At.X, 0.02)
	assert.Greater(t, v.Truth.Position.X, v.Predicted.X+1)
	r.Run(3 * time.Second)
	v = views(r.Server.Host, r.Peer(0))[o]
	assert.False(t, v.Known, "the server has forgotten what it sent so long ago")
}

// TestGhostViewOfControlledAndUnseenObjects checks the marks of the peer's own object, and the
// objects out of scope.
func TestGhostViewOfControlledAndUnseenObjects(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Classes: addSledge})
	own, near, far := &enginetest.Runner{}, &sledge{position: sim.Vec3{X: 30}}, &sledge{position: sim.Vec3{X: 300}}
	for _, o := range []sim.Object{own, near, far} {
		r.Server.World().Add(o)
	}
	r.Join()
	require.NoError(t, r.Peer(0).Control.Set(own))
	r.Peer(0).Visible.SetView(engine.ScopeView{Distance: 100})
	r.Run(time.Second)
	all := views(r.Server.Host, r.Peer(0))
	assert.True(t, all[own].Own)
	assert.False(t, all[own].Known)
	assert.False(t, all[near].Own)
	assert.NotContains(t, all, sim.Object(far))
	at, _, view, ok := r.Peer(0).Visible.Eye()
	assert.True(t, ok)
	assert.Equal(t, own.At, at)
	assert.Equal(t, 100.0, view.Distance)

	unseen := func(within float64) (list []sim.Object) {
		r.Server.Inspector.EachUnseen(r.Peer(0), at, within, func(v *engine.GhostView) bool {
			assert.Equal(t, -1, v.ID)
			list = append(list, v.Object)
			return true
		})
		return list
	}
	assert.Equal(t, []sim.Object{far}, unseen(400))
	assert.Empty(t, unseen(200))

	near.position, near.velocity = sim.Vec3{X: 30}, sim.Vec3{}
	r.Server.World().Delete(near)
	r.Server.Tick(r.Net.Now())
	dying := views(r.Server.Host, r.Peer(0))[nil]
	assert.Nil(t, dying.Object)
	assert.Contains(t, []ghost.Status{ghost.Dying, ghost.Dead}, dying.Status)
}
