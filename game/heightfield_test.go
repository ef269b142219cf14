package game

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

func newRelief(l terrainParams) *heightField {
	r := new(heightField)
	r.generate(l)
	return r
}

// TestHeightFieldIsPinned pins some heights, because they are the same on every machine.
func TestHeightFieldIsPinned(t *testing.T) {
	r := newRelief(terrainParams{seed: 7, size: 64, square: 8, height: 100, roughness: 0.5})
	sum := 0.0
	for i, z := range r.heights {
		require.GreaterOrEqual(t, z, float32(0))
		require.LessOrEqual(t, z, float32(100))
		sum += float64(float64(z) * float64(i%97))
	}
	assert.Equal(t, 10409441.921875, sum)
	assert.Greater(t, r.high-r.low, 40.0, "there are hills")
	assert.Equal(t, r.heights, newRelief(r.terrainParams).heights)
	assert.NotEqual(t, r.heights, newRelief(terrainParams{seed: 8, size: 64, square: 8, height: 100, roughness: 0.5}).heights)
}

func TestRoughness(t *testing.T) {
	bumps := func(roughness float64) float64 {
		r, sum := newRelief(terrainParams{seed: 7, size: 64, square: 8, height: 100, roughness: roughness}), 0.0
		for i := range len(r.heights) - 1 {
			sum += math.Abs(float64(r.heights[i+1] - r.heights[i]))
		}
		return sum
	}
	assert.Less(t, bumps(0), bumps(0.5))
	assert.Less(t, bumps(0.5), bumps(1))
	assert.Zero(t, newRelief(terrainParams{seed: 7, size: 16, square: 8}).high, "without height it is level")
}

// TestHeightFieldIsContinuous checks that the height is continuous, also where the field repeats.
func TestHeightFieldIsContinuous(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	r := newRelief(terrainParams{seed: 3, size: 16, square: 2.5, height: 50, roughness: 1, at: sim.Vec3{X: 5, Y: -7, Z: 20}})
	for range testenv.Length(5000, 20_000) {
		x, y := spread(rng, 100), spread(rng, 100)
		if rng.IntN(2) == 0 { // at an edge of a square
			x = r.corner.X + math.Round((x-r.corner.X)/2.5)*2.5
		}
		z, n := r.ground(x, y)
		require.Greater(t, n.Z, 0.0)
		require.InDelta(t, 1, n.Len(), 1e-12)
		for _, d := range []sim.Vec3{{X: 1e-7}, {X: -1e-7}, {Y: 1e-7}, {Y: -1e-7}} {
			near, _ := r.ground(x+d.X, y+d.Y)
			require.InDelta(t, z, near, 1e-5)
		}
		again, _ := r.ground(x+16*2.5, y-16*2.5)
		require.InDelta(t, z, again, 1e-6, "it repeats")
	}
}

// TestHeightFieldRays checks that a ray ends at the first point below the ground. Small steps along
// the ray find the expected point.
func TestHeightFieldRays(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	r := newRelief(terrainParams{seed: 3, size: 16, square: 4, height: 30, roughness: 0.75})
	hits, rays := 0, testenv.Length(500, 1500)
	for i := range rays {
		from := sim.Vec3{X: spread(rng, 60), Y: spread(rng, 60), Z: rng.Float64() * 45}
		d := sim.Vec3{X: spread(rng, 60), Y: spread(rng, 60), Z: spread(rng, 40)}
		switch i % 5 {
		case 0:
			d.X = 0
		case 1:
			d.Y = d.X
		case 2:
			d.X, d.Y = 0, 0
		}
		if z, _ := r.ground(from.X, from.Y); from.Z < z {
			continue
		}
		got, n, ok := r.cast(from, d)
		const steps = 4000
		want, found := 1.0, false
		for k := 1; k <= steps && !found; k++ {
			p := from.Add(d.Mul(float64(k) / steps))
			z, _ := r.ground(p.X, p.Y)
			if p.Z < z-0.02 {
				want, found = float64(k)/steps, true
			}
		}
		if found {
			hits++
			require.True(t, ok, "%v by %v", from, d)
			require.LessOrEqual(t, got, want)
			require.Less(t, n.Dot(d), 0.0, "the normal is of the near side")
		}
		if ok {
			p := from.Add(d.Mul(got))
			z, _ := r.ground(p.X, p.Y)
			require.InDelta(t, z, p.Z, 1e-6, "it ends on the ground")
		}
	}
	assert.Greater(t, hits, rays/5)
}

func TestTerrainBlocks(t *testing.T) {
	w := newWorld(t)
	ground := func() float64 { z, _ := spaceOf(w).ground(12, 34); return z }
	assert.Zero(t, ground(), "without terrain the ground is level")
	o, err := w.New("TerrainBlock", set(t, values{"seed": sim.Number(5), "position": vec(0, 0, 100)}))
	require.NoError(t, err)
	first := ground()
	assert.Greater(t, first, 99.0)
	require.NoError(t, set(t, values{"seed": sim.Number(6)})(o))
	w.Tick(1)
	assert.NotEqual(t, first, ground(), "it changes with its fields")
	second, err := w.New("TerrainBlock", set(t, values{"height": sim.Number(0), "position": vec(0, 0, 8)}))
	require.NoError(t, err)
	assert.InDelta(t, 8, ground(), 0.004, "the newest counts")
	require.NoError(t, w.Delete(second))
	w.Sweep()
	assert.Greater(t, ground(), 99.0)
	require.NoError(t, w.Delete(o))
	w.Sweep()
	assert.Zero(t, ground())
	for field, wrong := range map[string]float64{"size": 512, "squareSize": 0, "height": 5000, "roughness": 1.5, "seed": -1} {
		f, err := w.Classes().Lookup("TerrainBlock").Field(field)
		require.NoError(t, err)
		assert.ErrorContains(t, f.Set(o, sim.Number(wrong)), field+" must be a ", field)
	}
	_, err = w.New("TerrainBlock", set(t, values{"size": sim.Number(100)}))
	require.NoError(t, err)
	assert.Equal(t, 64, spaceOf(w).relief.size, "what is between the powers of two counts as the one below")
}

// TestGroundDescribesTheTerrain rebuilds the heights from the description, as a program does that
// draws them.
func TestGroundDescribesTheTerrain(t *testing.T) {
	w := newWorld(t)
	_, ok := GroundOf(w)
	assert.False(t, ok)
	o, err := w.New("TerrainBlock", set(t, values{"seed": sim.Number(5), "size": sim.Number(32), "squareSize": sim.Number(4), "position": vec(8, -8, 100)}))
	require.NoError(t, err)
	g, ok := GroundOf(w)
	require.True(t, ok)
	r, heights := g.Relief(), g.Heights()
	require.Len(t, heights, r.Size*r.Size)
	assert.Less(t, r.Corner.Sub(sim.Vec3{X: 8 - 64, Y: -8 - 64, Z: 100}).Len(), 0.004)
	for _, at := range []int{0, 5, 31, 32*7 + 3, 32*32 - 1} {
		x, y := r.Corner.X+float64(at%r.Size)*r.Square, r.Corner.Y+float64(at/r.Size)*r.Square
		assert.InDelta(t, g.Height(x, y), r.Corner.Z+float64(heights[at]), 1e-6, "%d", at)
	}
	w.Tick(1)
	assert.Equal(t, r, g.Relief(), "it stays the same while nothing changes")
	require.NoError(t, set(t, values{"seed": sim.Number(6)})(o))
	w.Tick(2)
	assert.NotEqual(t, r.Version, g.Relief().Version)
}

func BenchmarkRaiseRelief(b *testing.B) {
	r := new(heightField)
	for b.Loop() {
		r.generate(terrainParams{seed: 7, size: 256, square: 8, height: 100, roughness: 0.5})
	}
}
