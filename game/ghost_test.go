package game

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// ghostOf returns a new ghost of i in a new world.
func ghostOf(t testing.TB, i *Item, data values) *Item {
	w := newWorld(t)
	_, _, err := w.Blocks.Declare("ItemData", "disc", "", set(t, data))
	require.NoError(t, err)
	ghost := w.Make(w.Classes().Lookup("Item")).(*Item)
	ghost.SetGhost(true)
	require.NoError(t, set(t, values{"dataBlock": sim.String("disc")})(ghost))
	send(t, i, ghost, placeGroup)
	send(t, i, ghost, turnGroup)
	require.NotZero(t, w.Add(ghost))
	return ghost
}

// send copies groups from one object to another with the precision of the wire.
func send(t testing.TB, from, to sim.Object, groups ...int) {
	for _, g := range groups {
		var v sim.Values
		class := from.Ident().Class()
		class.Quantise(from, g, &v)
		if class.PredictedGroups>>g&1 != 0 {
			class.ApplyRounding(from, g, &v)
		}
		require.NoError(t, to.Ident().Class().Restore(to, g, &v))
	}
}

// update is send for an existing ghost.
func update(t testing.TB, from sim.Object, to sim.Interpolator, groups ...int) {
	before := to.Place()
	send(t, from, to, groups...)
	to.Received(before)
}

func TestFieldBitWidths(t *testing.T) {
	for _, name := range []string{"Item", "StaticShape", "Marker"} {
		c := newWorld(t).Classes().Lookup(name)
		for group, want := range map[int]int{placeGroup: 3*24 + 3*18, turnGroup: 3 * 12} {
			bits := 0
			for _, cell := range c.Cells(group) {
				assert.True(t, cell.Smooth, "%s.%s%s", name, cell.Field.Name, cell.Part)
				bits += cell.Bits
			}
			assert.Equal(t, want, bits, "%s, group %d", name, group)
		}
	}
	i := newItem(t, nil, values{"position": vec(1234.567, -65536, 0.001), "velocity": vec(-20.02, 4096, 0),
		"rotation": sim.Rotation(sim.Rot{Yaw: 123.4, Pitch: -10})})
	g := ghostOf(t, i, nil)
	assert.InDelta(t, 1234.567, g.Position().X, 0.004)
	assert.Equal(t, -65536.0, g.Position().Y)
	assert.Zero(t, g.Position().Z, "what lies on the ground stays there")
	assert.InDelta(t, -20.02, g.Velocity().X, 0.016)
	assert.InDelta(t, 123.4, g.Rotation().Yaw, 0.05)
	assert.InDelta(t, 350, g.Rotation().Pitch, 0.05)
}

func TestMarks(t *testing.T) {
	const place, turn = 1 << placeGroup, 1 << turnGroup
	for name, c := range map[string]struct {
		data, own values
		then      values
		want      uint32
	}{
		"at rest":            {nil, nil, nil, 0},
		"afloat":             {values{"gravityMod": sim.Number(0)}, values{"position": vec(0, 0, 9)}, nil, 0},
		"falling":            {nil, values{"position": vec(0, 0, 9)}, nil, 0},
		"sliding":            {nil, values{"velocity": vec(3, 0, 0)}, nil, 0},
		"thrown":             {nil, nil, values{"velocity": vec(0, 0, 3)}, place},
		"turned":             {nil, nil, values{"rotation": sim.Rotation(sim.Rot{Yaw: 9})}, turn},
		"put where it is":    {nil, values{"position": vec(4, 0, 0)}, values{"position": vec(4, 0, 0)}, 0},
		"put elsewhere":      {nil, nil, values{"position": vec(4, 0, 0)}, place},
		"turned in the fall": {nil, values{"position": vec(0, 0, 9)}, values{"rotation": sim.Rotation(sim.Rot{Yaw: 9})}, turn},
	} {
		t.Run(name, func(t *testing.T) {
			i := newItem(t, c.data, c.own)
			assert.Equal(t, uint32(1<<constGroup|place|turn|1<<itemFadeGroup), i.Dirty(), "what is new has all to tell")
			i.World().ClearMarks()
			require.NoError(t, set(t, c.then)(i))
			ticks(i, 1)
			assert.Equal(t, c.want, i.Dirty())
		})
	}
}

// TestItemGhostsNeedNoUpdates checks that falling and rolling items cause no updates, because
// ghosts simulate them. A push causes one.
func TestItemGhostsNeedNoUpdates(t *testing.T) {
	i := newItem(t, values{"elasticity": sim.Number(0.5), "friction": sim.Number(0.01)},
		values{"position": vec(0, 0, 20), "velocity": vec(9, 1, 0)})
	w := i.World()
	marks, drifts := 0, 0
	run := func(n int) {
		for range n {
			w.ClearMarks()
			ticks(i, 1)
			marks += len(w.Marked())
			w.TakePredicted(func(sim.Object, uint32) { drifts++ })
		}
	}
	run(313) // 10 s
	assert.Zero(t, marks)
	assert.Equal(t, 313, drifts, "it rolls all the time")
	i.push(sim.Vec3{}, sim.Vec3{X: 3, Z: 3})
	assert.Equal(t, uint32(1<<placeGroup), i.Dirty())
	run(3000)
	assert.Zero(t, marks, "the tick of the hit has it, and none after")
	assert.Less(t, drifts, 2500, "it lies at last")
	drifts = 0
	run(100)
	assert.Zero(t, drifts)
}

func TestPlaces(t *testing.T) {
	turned := sim.Rotation(sim.Rot{Yaw: 90})
	i := newItem(t, values{"radius": sim.Number(2)}, values{"position": vec(1, 2, 3), "velocity": vec(4, 5, 6), "rotation": turned})
	want := sim.Place{Position: sim.Vec3{X: 1, Y: 2, Z: 3}, Velocity: sim.Vec3{X: 4, Y: 5, Z: 6}, Rotation: sim.Rot{Yaw: 90}, Radius: 2}
	assert.Equal(t, want, i.Place())
	assert.Equal(t, want, i.Shown(0.5), "what is no ghost is shown where it is")
	assert.Equal(t, 0.5, newItem(t, nil, nil).Place().Radius)
	w := i.World()
	w.Blocks.Clear()
	assert.Zero(t, i.Place().Radius)
	block, _, err := w.Blocks.Declare("StaticShapeData", "tower", "", nil)
	require.NoError(t, err)
	assert.Equal(t, 1.0, block.(*StaticShapeData).Radius())
	require.NoError(t, set(t, values{"radius": sim.Number(30)})(block))
	s, err := w.New("StaticShape", set(t, values{"dataBlock": sim.String("tower"), "position": vec(1, 2, 3), "rotation": turned}))
	require.NoError(t, err)
	want.Velocity, want.Radius = sim.Vec3{}, 30
	assert.Equal(t, want, s.(sim.Placer).Place())
	m, err := w.New("Marker", nil)
	require.NoError(t, err)
	assert.Zero(t, m.(sim.Placer).Place())
	for name, interest := range map[string]float64{"Item": 0.25, "StaticShape": 0, "Marker": 0} {
		assert.Equal(t, interest, w.Classes().Lookup(name).Interest, name)
	}
}

// TestItemGhostIsBitIdentical checks that an item and its ghost follow bit-identical paths without
// updates. Both start from a state that the wire can represent exactly.
func TestItemGhostIsBitIdentical(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	number := func(most float64) sim.Value { return sim.Number(float64(rng.Float64() * most)) }
	spread := func(most float64) float64 { return (rng.Float64()*2 - 1) * most }
	for range testenv.Length(25, 50) {
		data := values{"friction": number(1), "elasticity": number(1), "gravityMod": number(2), "maxVelocity": number(60)}
		i := newItem(t, data, values{
			"position": vec(spread(1000), spread(1000), rng.Float64()*50), "velocity": vec(spread(40), spread(40), spread(40))})
		g := ghostOf(t, i, data)
		send(t, g, i, placeGroup)
		require.Equal(t, g.Place(), i.Place())
		for tick := range 300 {
			ticks(i, 1)
			ticks(g, 1)
			if i.Place() != g.Place() || g.Position() != g.Shown(0).Position { // require is slow
				require.Equal(t, i.Place(), g.Place(), "tick %d", tick)
				require.Equal(t, g.Position(), g.Shown(0).Position, "tick %d", tick)
			}
		}
	}
}

// TestPredictionIsCorrected checks a ghost with occasional updates, one of them about a push that
// it could not predict. It moves without a jump and ends at the position of its item.
func TestPredictionIsCorrected(t *testing.T) {
	const most = 36 * sim.TickSeconds // metres that it moves in a tick
	data := values{"friction": sim.Number(0.1), "elasticity": sim.Number(0.6)}
	for seed := range testenv.Seeds(t, 25, 100) {
		rng := rand.New(rand.NewPCG(seed, 9))
		i := newItem(t, data, values{"position": vec(0, 0, 30), "velocity": vec(5, 0, 0)})
		g := ghostOf(t, i, data)
		last, gap, owed := g.Shown(0).Position, 0.0, false
		for tick := range 1000 {
			if tick == 60 {
				require.NoError(t, set(t, values{"velocity": vec(-8, 9, 12)})(i))
			}
			owed = owed || i.Dirty() != 0
			if owed && rng.IntN(4) == 0 {
				update(t, i, g, placeGroup)
				gap, owed = last.Sub(g.Position()).Len(), false
			}
			i.World().ClearMarks()
			ticks(i, 1)
			ticks(g, 1)
			shown := g.Shown(0).Position
			require.LessOrEqual(t, shown.Sub(last).Len(), max(2.5*most, most+gap/3), "seed %d tick %d", seed, tick)
			last = shown
		}
		assert.Equal(t, i.Place(), g.Place(), "seed %d", seed)
		assert.Equal(t, i.Place(), g.Shown(0.5), "seed %d", seed)
	}
}

// TestMarkerGhostIsExtrapolated checks the ghost of a marker that a script moves.
func TestMarkerGhostIsExtrapolated(t *testing.T) {
	const metreATick = 31.25
	here, there := newWorld(t), newWorld(t)
	o, err := here.New("Marker", set(t, values{"velocity": vec(metreATick, 0, 0)}))
	require.NoError(t, err)
	g := there.Make(there.Classes().Lookup("Marker")).(*Marker)
	g.SetGhost(true)
	send(t, o, g, placeGroup, turnGroup)
	there.Add(g)
	for tick, want := range []float64{1, 2, 3, 4} {
		there.Tick(uint64(tick))
		assert.InDelta(t, want, g.Shown(0).Position.X, 0.01)
		assert.InDelta(t, max(want-0.5, 1), g.Shown(0.5).Position.X, 0.51)
	}
	assert.Zero(t, g.Position().X, "its field is what was received")
	require.NoError(t, set(t, values{"position": vec(10, 0, 0), "velocity": vec(0, 0, 0)})(o))
	update(t, o, g, placeGroup)
	for tick, want := range []float64{6, 8, 10, 10} {
		there.Tick(uint64(tick))
		assert.InDelta(t, want, g.Shown(0).Position.X, 0.01)
	}
	assert.Equal(t, g.Position(), g.Shown(0).Position)
}

func TestGhostsAllocateNothing(t *testing.T) {
	i := newItem(t, values{"friction": sim.Number(0)}, values{"velocity": vec(1, 0, 0)})
	g := ghostOf(t, i, values{"friction": sim.Number(0)})
	var v sim.Values
	ticks(g, 1)
	g.World().ClearMarks()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		i.Tick(1)
		i.Class().Quantise(i, placeGroup, &v)
		before := g.Place()
		assert.NoError(t, g.Class().Restore(g, placeGroup, &v))
		g.Received(before)
		g.World().Tick(1)
		g.Shown(0.5)
	}))
}

// TestUnseenWorldSkipsGhostTicks checks that ghosts do not tick while World.Unseen is set.
func TestUnseenWorldSkipsGhostTicks(t *testing.T) {
	g := ghostOf(t, newItem(t, nil, values{"velocity": vec(3, 0, 9), "position": vec(0, 0, 5)}), nil)
	g.World().SkipGhostTicks = true
	before := g.Place()
	g.World().Tick(1)
	assert.Equal(t, before, g.Place())
	g.World().SkipGhostTicks = false
	g.World().Tick(2)
	assert.NotEqual(t, before, g.Place())
}

func BenchmarkGhostTick(b *testing.B) {
	i := newItem(b, nil, values{"velocity": vec(1, 0, 0)})
	g := ghostOf(b, i, values{"friction": sim.Number(0)})
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n++ {
		g.Interpolate(n)
	}
}
