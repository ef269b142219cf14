package game

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

type values map[string]sim.Value

// set sets fields the way a script does.
func set(t testing.TB, vs values) func(sim.Object) error {
	return func(o sim.Object) error {
		for name, v := range vs {
			f, err := o.Ident().Class().Field(name)
			require.NoError(t, err)
			require.NoError(t, f.Set(o, v))
		}
		return nil
	}
}

func newWorld(t testing.TB) *sim.World {
	classes := sim.NewClasses()
	require.NoError(t, Register(classes))
	return sim.NewWorld(classes)
}

func newItem(t testing.TB, data, own values) *Item {
	w := newWorld(t)
	_, _, err := w.Blocks.Declare("ItemData", "disc", "", set(t, data))
	require.NoError(t, err)
	o, err := w.New("Item", func(o sim.Object) error {
		require.NoError(t, set(t, values{"dataBlock": sim.String("disc")})(o))
		return set(t, own)(o)
	})
	require.NoError(t, err)
	return o.(*Item)
}

func vec(x, y, z float64) sim.Value { return sim.Vec(sim.Vec3{X: x, Y: y, Z: z}) }

func ticks(i *Item, n int) {
	for t := range n {
		i.World().Tick(uint64(t))
	}
}

func TestRegister(t *testing.T) {
	classes := sim.NewClasses()
	require.NoError(t, Register(classes))
	assert.Error(t, Register(classes))
	for name, kind := range map[string]sim.ClassKind{
		"Item": sim.NetClass, "StaticShape": sim.NetClass, "Marker": sim.NetClass,
		"ItemData": sim.BlockClass, "StaticShapeData": sim.BlockClass,
	} {
		require.NotNil(t, classes.Lookup(name), name)
		assert.Equal(t, kind, classes.Lookup(name).Kind, name)
		for _, f := range classes.Lookup(name).AllFields() {
			assert.NotEmpty(t, f.Doc, "%s.%s", name, f.Name)
		}
	}
}

func TestEveryClassHasItsFields(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"Item", "StaticShape", "Marker"} {
		for _, field := range []string{"position", "rotation", "velocity"} {
			assert.NotNil(t, w.Classes().Lookup(name).Lookup(field), "%s.%s", name, field)
		}
	}
	for _, field := range []string{"mass", "friction", "elasticity", "gravityMod", "maxVelocity", "sticky", "shape", "description"} {
		assert.NotNil(t, w.Classes().Lookup("ItemData").Lookup(field), field)
	}
	_, err := w.Classes().Lookup("ItemData").Field("mas")
	assert.EqualError(t, err, `unknown field "mas" of ItemData, did you mean "mass"?`)
}

func TestShapesAndMarkers(t *testing.T) {
	w := newWorld(t)
	_, err := w.New("StaticShape", nil)
	assert.EqualError(t, err, "a new StaticShape needs a dataBlock of class StaticShapeData")
	_, _, err = w.Blocks.Declare("StaticShapeData", "tower", "", set(t, values{"shape": sim.String("tower.glb")}))
	require.NoError(t, err)
	o, err := w.New("StaticShape", set(t, values{"dataBlock": sim.String("tower"), "position": vec(1, 2, 3)}))
	require.NoError(t, err)
	s := o.(*StaticShape)
	assert.Equal(t, "tower.glb", s.Data().Shape())
	w.Tick(1)
	assert.Equal(t, sim.Vec3{X: 1, Y: 2, Z: 3}, s.Position())
	m, err := w.New("Marker", set(t, values{"rotation": sim.Rotation(sim.Rot{Yaw: 90})}))
	require.NoError(t, err)
	assert.Equal(t, 90.0, m.(*Marker).Rotation().Yaw)
}

func TestFalling(t *testing.T) {
	i := newItem(t, nil, values{"position": vec(0, 0, 100)})
	ticks(i, 31) // 0.992 s
	assert.InDelta(t, -Gravity*0.992, i.Velocity().Z, 1e-9)
	assert.InDelta(t, 100-Gravity/2*0.992*0.992, i.Position().Z, 0.4)
	assert.Greater(t, i.Position().Z, 0.0)
}

func TestLanding(t *testing.T) {
	start := values{"position": vec(0, 0, 5), "velocity": vec(3, 0, 0)}
	for name, c := range map[string]struct {
		data  values
		check func(i *Item)
	}{
		"it slides to a halt": {nil, func(i *Item) {
			assert.Equal(t, sim.Vec3{}, i.Velocity())
			assert.Zero(t, i.Position().Z)
			assert.Greater(t, i.Position().X, 1.0)
		}},
		"without friction it slides on": {values{"friction": sim.Number(0)}, func(i *Item) {
			assert.InDelta(t, 3, i.Velocity().X, 1e-9)
		}},
		"what is sticky stops where it falls": {values{"sticky": sim.Bool(true), "friction": sim.Number(0)}, func(i *Item) {
			assert.Equal(t, sim.Vec3{}, i.Velocity())
			assert.InDelta(t, 3*0.704, i.Position().X, 0.1)
		}},
		"what has no weight floats on": {values{"gravityMod": sim.Number(0)}, func(i *Item) {
			assert.Equal(t, 5.0, i.Position().Z)
			assert.InDelta(t, 3*400*sim.TickSeconds, i.Position().X, 1e-6)
		}},
		"what is lighter than air rises": {values{"gravityMod": sim.Number(-1)}, func(i *Item) {
			assert.Greater(t, i.Position().Z, 100.0)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			i := newItem(t, c.data, start)
			ticks(i, 400)
			c.check(i)
		})
	}
}

func TestBouncing(t *testing.T) {
	i := newItem(t, values{"elasticity": sim.Number(0.5)}, values{"position": vec(0, 0, 10)})
	for i.Velocity().Z <= 0 {
		ticks(i, 1)
	}
	assert.InDelta(t, 10, i.Velocity().Z, 0.7, "half of the 20 m/s it fell with")
	assert.Less(t, i.Position().Z, 10*sim.TickSeconds, "of the tick it has used what was left")
	ticks(i, 1000)
	assert.Equal(t, sim.Vec3{}, i.Velocity(), "it comes to rest")
}

func TestImpulseMovesRestingItem(t *testing.T) {
	i := newItem(t, nil, nil)
	ticks(i, 3)
	assert.Equal(t, sim.Vec3{}, i.Position())
	require.NoError(t, set(t, values{"velocity": vec(5, 0, 5)})(i))
	ticks(i, 1)
	assert.Greater(t, i.Position().Z, 0.0)
	_, _, err := i.World().Blocks.Declare("ItemData", "disc", "", set(t, values{"gravityMod": sim.Number(-1)}))
	require.NoError(t, err)
	j := newItem(t, values{"gravityMod": sim.Number(-1)}, nil)
	ticks(j, 2)
	assert.Greater(t, j.Position().Z, 0.0, "it need not be thrown to rise")
}

// TestHitItemTellsItsGhosts: a hit marks the place of an item, so its ghosts get the new velocity.
// From then on they fly by themselves.
func TestHitItemTellsItsGhosts(t *testing.T) {
	i := newItem(t, nil, nil)
	ticks(i, 3)
	i.World().ClearMarks()
	require.NoError(t, set(t, values{"velocity": vec(5, 0, 5)})(i))
	assert.NotZero(t, i.Dirty()&(1<<placeGroup))
	i.World().ClearMarks()
	ticks(i, 3)
	assert.Zero(t, i.Dirty()&(1<<placeGroup))
}

func TestSpeedIsLimited(t *testing.T) {
	i := newItem(t, values{"maxVelocity": sim.Number(10)}, values{"position": vec(0, 0, 5000), "velocity": vec(30, 40, 0)})
	ticks(i, 1)
	assert.InDelta(t, 10, i.Velocity().Len(), 1e-9)
	ticks(i, 500)
	assert.LessOrEqual(t, i.Velocity().Len(), 10+1e-9)
}

func TestFieldsStayInRange(t *testing.T) {
	i := newItem(t, values{"gravityMod": sim.Number(100), "friction": sim.Number(0), "elasticity": sim.Number(1)},
		values{"position": vec(Extent, -Extent, Extent), "velocity": vec(MaxSpeed, -MaxSpeed, MaxSpeed)})
	for range 2000 {
		ticks(i, 1)
		for _, name := range []string{"position", "velocity"} {
			f := i.Class().Lookup(name)
			require.NoError(t, f.Set(i, f.Get(i)))
		}
	}
}

func TestItemWithoutDatablock(t *testing.T) {
	i := newItem(t, nil, values{"position": vec(0, 0, 9)})
	i.World().Blocks.Clear()
	ticks(i, 2)
	assert.Nil(t, i.Data())
	assert.Equal(t, 9.0, i.Position().Z)
}

func TestLongItemDescription(t *testing.T) {
	text := strings.Repeat("A heavy disc. ", 1500)
	near, far := newItem(t, values{"description": sim.String(text)}, nil).World(), newWorld(t)
	out := bitstream.NewWriter(make([]byte, sim.MaxBlockSize))
	near.Blocks.Pack(out, near.Blocks.ByName("disc"), nil)
	require.NoError(t, out.Err())
	o, err := far.Blocks.Unpack(bitstream.NewReader(out.Bytes()))
	require.NoError(t, err)
	assert.Equal(t, text, o.(*ItemData).Description())
	assert.Equal(t, 1.0, o.(*ItemData).Mass())
	assert.Empty(t, o.(*ItemData).Shape())
}

// TestItemHashIsPinned pins the hash of the final states of many items. A machine that fuses
// products and sums gets another hash.
func TestItemHashIsPinned(t *testing.T) {
	assert.Equal(t, uint64(0xba5003a4327fae35), hashOfItems(t))
}

func hashOfItems(t *testing.T) uint64 {
	h, rng := fnv.New64a(), rand.New(rand.NewPCG(7, 7))
	number := func(most float64) sim.Value { return sim.Number(float64(rng.Float64() * most)) }
	spread := func(most float64) float64 { return float64(float64(rng.Float64()*2-1) * most) }
	for range 100 {
		data := values{"friction": number(1), "elasticity": number(1), "gravityMod": number(2), "maxVelocity": number(60)}
		i := newItem(t, data, values{
			"position": vec(spread(100), spread(100), math.Abs(spread(50))), "velocity": vec(spread(40), spread(40), spread(40))})
		ticks(i, 200)
		for _, x := range []float64{i.position.X, i.position.Y, i.position.Z, i.velocity.X, i.velocity.Y, i.velocity.Z} {
			require.NoError(t, binary.Write(h, binary.LittleEndian, x))
		}
	}
	return h.Sum64()
}

// drop makes an item and runs its world until the item is at rest.
func drop(t testing.TB, w *sim.World, data, own values) *Item {
	makeBlock(t, w, "ItemData", "disc", data)
	i := makeObject(t, w, "Item", "disc", own).(*Item)
	run(w, 600)
	return i
}

func TestItemsRestOnSolids(t *testing.T) {
	w := newWorld(t)
	addBox(t, w, sim.Vec3{}, sim.Vec3{X: 6, Y: 6, Z: 3})
	i := drop(t, w, nil, values{"position": vec(1, 1, 10)})
	assert.Equal(t, sim.Vec3{X: 1, Y: 1, Z: 3}, i.Position())
	assert.True(t, i.lies)
	wall := drop(t, w, values{"elasticity": sim.Number(0.5)}, values{"position": vec(-20, 0, 1), "velocity": vec(30, 0, 5)})
	assert.Less(t, wall.Position().X, -3.0, "a wall throws it back")
	assert.Zero(t, wall.Position().Z)
	w.Each(w.Classes().Lookup("Box"), func(o sim.Object) bool { return assert.NoError(t, w.Delete(o)) })
	w.Sweep()
	run(w, 100)
	assert.Zero(t, i.Position().Z, "what held it is gone")
}

func TestItemsOnHills(t *testing.T) {
	for friction, far := range map[float64]bool{0: true, 0.02: true, 3: false} {
		w := newWorld(t)
		addHills(t, w, 5, 40)
		z, _ := spaceOf(w).ground(20, 20)
		i := drop(t, w, values{"friction": sim.Number(friction)}, values{"position": vec(20, 20, z+2)})
		at := i.Position()
		assert.Equal(t, far, at.Sub(sim.Vec3{X: 20, Y: 20, Z: z}).Len() > 3, "friction %g", friction)
		ground, _ := spaceOf(w).ground(at.X, at.Y)
		assert.InDelta(t, ground, at.Z, 1)
		if !far {
			w.ClearMarks()
			w.TakePredicted(func(sim.Object, uint32) {})
			run(w, 100)
			w.TakePredicted(func(sim.Object, uint32) { t.Error("it lies") })
			assert.Equal(t, at, i.Position())
		}
	}
}

// An item that is put down on a slope stays only if its friction holds it.
func TestItemsPutDownOnSlopes(t *testing.T) {
	for friction, slides := range map[float64]bool{0: true, 0.02: true, 3: false} {
		w := newWorld(t)
		addHills(t, w, 5, 40)
		z, _ := spaceOf(w).ground(20, 20)
		i := drop(t, w, values{"friction": sim.Number(friction)}, values{"position": vec(20, 20, z)})
		assert.Equal(t, slides, i.Position().Sub(sim.Vec3{X: 20, Y: 20, Z: z}).Len() > 1, "friction %g", friction)
	}
}

// TestItemsNeverFallThrough checks that thrown items stay above hills and boxes, and that their
// ghosts follow the same paths.
func TestItemsNeverFallThrough(t *testing.T) {
	for seed := range testenv.Seeds(t, 10, 40) {
		rng := rand.New(rand.NewPCG(seed, 3))
		spread := func(most float64) float64 { return float64((rng.Float64()*2 - 1) * most) }
		data := values{"friction": sim.Number(rng.Float64()), "elasticity": sim.Number(rng.Float64())}
		i := newItem(t, data, values{"position": vec(spread(60), spread(60), 50), "velocity": vec(spread(90), spread(90), spread(300))})
		g := ghostOf(t, i, data)
		for range 20 {
			at, size := sim.Vec3{X: spread(60), Y: spread(60), Z: spread(20)}, sim.Vec3{X: 12 + spread(10), Y: 12 + spread(10), Z: 12}
			addBox(t, i.World(), at, size)
			addBox(t, g.World(), at, size)
		}
		addHills(t, i.World(), float64(seed), 25)
		addHills(t, g.World(), float64(seed), 25)
		for tick := range 500 {
			run(i.World(), 1)
			run(g.World(), 1)
			z, _ := spaceOf(i.World()).ground(i.position.X, i.position.Y)
			require.GreaterOrEqual(t, i.position.Z, z-maxSupportDistance, "seed %d tick %d", seed, tick)
			require.Equal(t, i.Place(), g.Place(), "seed %d tick %d", seed, tick)
		}
	}
}

func TestExtremeItemData(t *testing.T) {
	for _, data := range []values{
		{"mass": sim.Number(0), "radius": sim.Number(0)}, {"gravityMod": sim.Number(-100)}, {"radius": sim.Number(Extent)},
		{"friction": sim.Number(100), "elasticity": sim.Number(1), "gravityMod": sim.Number(100)},
	} {
		w := newWorld(t)
		addHills(t, w, 1, 60)
		i := drop(t, w, data, values{"position": vec(0, 0, 100), "velocity": vec(MaxSpeed, -MaxSpeed, -MaxSpeed)})
		explosion{at: i.position, radius: maxBlast, impulse: maxImpulse}.strike(spaceOf(w))
		run(w, 100)
		for _, name := range []string{"position", "velocity"} {
			f := i.Class().Lookup(name)
			require.NoError(t, f.Set(i, f.Get(i)))
		}
	}
}

func TestLyingItemsAllocateNothing(t *testing.T) {
	w := newWorld(t)
	addHills(t, w, 1, 5)
	drop(t, w, values{"friction": sim.Number(3)}, values{"position": vec(0, 0, 30)})
	assert.Zero(t, testing.AllocsPerRun(100, func() { w.Tick(1) }))
}

// BenchmarkLyingItems measures a tick of 1,000 items at rest on hills.
func BenchmarkLyingItems(b *testing.B) {
	w := newWorld(b)
	addHills(b, w, 1, 10)
	makeBlock(b, w, "ItemData", "disc", values{"friction": sim.Number(3)})
	for n := range 1000 {
		makeObject(b, w, "Item", "disc", values{"position": vec(float64(n%32)*8-128, float64(n/32)*8-128, 20)})
	}
	run(w, 300)
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n++ {
		w.Tick(n)
	}
}

func BenchmarkItemTick(b *testing.B) {
	i := newItem(b, values{"friction": sim.Number(0)}, values{"velocity": vec(1, 0, 0)})
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n++ {
		i.Tick(n)
	}
}
