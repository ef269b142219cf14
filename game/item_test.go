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

func TestALyingItemIsPushed(t *testing.T) {
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

func TestSpeedIsLimited(t *testing.T) {
	i := newItem(t, values{"maxVelocity": sim.Number(10)}, values{"position": vec(0, 0, 5000), "velocity": vec(30, 40, 0)})
	ticks(i, 1)
	assert.InDelta(t, 10, i.Velocity().Len(), 1e-9)
	ticks(i, 500)
	assert.LessOrEqual(t, i.Velocity().Len(), 10+1e-9)
}

func TestNothingLeavesTheRangeOfItsFields(t *testing.T) {
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

func TestWithoutItsDataAnItemWaits(t *testing.T) {
	i := newItem(t, nil, values{"position": vec(0, 0, 9)})
	i.World().Blocks.Clear()
	ticks(i, 2)
	assert.Nil(t, i.Data())
	assert.Equal(t, 9.0, i.Position().Z)
}

func TestALongDescription(t *testing.T) {
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

// TestSameBitsEverywhere pins the bits that a storm of items ends with: a
// machine that fuses a product with a sum gets others.
func TestSameBitsEverywhere(t *testing.T) {
	assert.Equal(t, uint64(0xba5003a4327fae35), storm(t))
}

func storm(t *testing.T) uint64 {
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

func BenchmarkItemTick(b *testing.B) {
	i := newItem(b, values{"friction": sim.Number(0)}, values{"velocity": vec(1, 0, 0)})
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n++ {
		i.Tick(n)
	}
}
