package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// sphere is an entry of the linear search that the grid is compared with.
type sphere struct {
	at     Vec3
	radius float64
}

func (s sphere) meets(c Vec3, radius float64) bool {
	dx, dy, dz, r := s.at.X-c.X, s.at.Y-c.Y, s.at.Z-c.Z, radius+s.radius
	return r >= 0 && float64(dx*dx)+float64(dy*dy)+float64(dz*dz) <= float64(r*r)
}

func around(of map[uint32]sphere, c Vec3, radius float64) []uint32 {
	var found []uint32
	for n, s := range of {
		if s.meets(c, radius) {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return found
}

func TestGridNear(t *testing.T) {
	g := NewGrid(10)
	g.Add(1, Vec3{}, 0)
	g.Add(2, Vec3{X: 10}, 1)
	g.Add(3, Vec3{Z: 500}, 2)
	g.Add(7, Vec3{X: -3000}, 2900)
	for _, c := range []struct {
		center Vec3
		radius float64
		want   []uint32
	}{
		{Vec3{}, 0, []uint32{1}},
		{Vec3{}, 9, []uint32{1, 2}},
		{Vec3{}, 8.999, []uint32{1}},
		{Vec3{}, 100, []uint32{1, 2, 7}},
		{Vec3{}, 99.9, []uint32{1, 2}},
		{Vec3{Z: 500}, 1, []uint32{3}},
		{Vec3{X: -1000}, 0, []uint32{7}},
		{Vec3{X: 10}, -0.5, []uint32{2}},
		{Vec3{X: 10}, -2, nil},
		{Vec3{}, math.Inf(1), []uint32{1, 2, 3, 7}},
		{Vec3{}, math.NaN(), nil},
		{Vec3{X: math.NaN()}, 50, nil},
		{Vec3{Y: math.Inf(-1)}, 50, nil},
	} {
		got := g.Near(c.center, c.radius, nil)
		slices.Sort(got)
		assert.Equal(t, c.want, got, "%v within %g", c.center, c.radius)
	}
}

// TestGridRoundsOutward checks that the grid finds spheres that touch only because of rounding.
func TestGridRoundsOutward(t *testing.T) {
	g := NewGrid(16)
	g.Add(1, Vec3{X: -1e-17}, 8)
	g.Add(2, Vec3{Y: -1e-17}, 8)
	for n := range uint32(100) { // enough for the query to use cells
		g.Add(3+n, Vec3{X: 1000}, 8)
	}
	assert.Contains(t, g.Near(Vec3{X: 16}, 8, nil), uint32(1))
	assert.Contains(t, g.Near(Vec3{Y: 16}, 8, nil), uint32(2))
}

func TestGridAddMoveRemove(t *testing.T) {
	g := NewGrid(10)
	g.Move(4, Vec3{})
	g.Remove(4)
	g.Remove(0)
	assert.Zero(t, g.Len())
	g.Add(4, Vec3{X: 5}, 1)
	g.Add(4, Vec3{X: 95}, 40)
	assert.Equal(t, 1, g.Len())
	assert.Empty(t, g.Near(Vec3{X: 5}, 1, nil))
	assert.Equal(t, []uint32{4}, g.Near(Vec3{X: 60}, 0, nil), "with its new radius")
	g.Move(4, Vec3{X: -95})
	assert.Equal(t, []uint32{9, 4}, g.Near(Vec3{X: -60}, 0, []uint32{9}), "what was there before stays")
	g.Remove(4)
	g.Remove(4)
	g.Move(4, Vec3{})
	assert.Zero(t, g.Len())
	assert.Empty(t, g.Near(Vec3{}, 1e9, nil))
	g.Add(5, Vec3{}, math.NaN())
	g.Add(6, Vec3{X: math.NaN()}, 1)
	assert.Equal(t, []uint32{5}, g.Near(Vec3{}, math.Inf(1), nil), "what is nowhere is not found")
	for _, cell := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		assert.Panics(t, func() { NewGrid(cell) }, "%g", cell)
	}
	assert.Panics(t, func() { g.Add(0, Vec3{}, 0) })
}

// TestGridAgainstLinearSearch compares the grid with a linear search. The seeds produce worlds from
// the size of a room to sizes beyond any world.
func TestGridAgainstLinearSearch(t *testing.T) {
	for seed := range testenv.Seeds(t, 20, 150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g, twin := NewGrid(16), NewGrid(16)
		is := make(map[uint32]sphere)
		extent := []float64{20, 500, 65536, 1e6, 1e12, 1e200}[rng.IntN(6)]
		at := func() Vec3 {
			v := Vec3{rng.Float64()*2 - 1, rng.Float64()*2 - 1, rng.Float64()*2 - 1}.Mul(extent)
			if rng.IntN(4) == 0 { // on the edges of cells
				v = Vec3{math.Round(v.X/16) * 16, math.Round(v.Y/16) * 16, 0}
			}
			return v
		}
		size := func(most float64) float64 { return math.Floor(most * math.Pow(rng.Float64(), 8)) }
		for step := range 300 {
			n := uint32(1 + rng.IntN(120))
			s := sphere{at(), size(extent)}
			switch _, there := is[n]; {
			case rng.IntN(8) == 0:
				delete(is, n)
				g.Remove(n)
				twin.Remove(n)
			case there && rng.IntN(3) > 0:
				s.radius = is[n].radius
				is[n] = s
				g.Move(n, s.at)
				twin.Move(n, s.at)
			default:
				is[n] = s
				g.Add(n, s.at, s.radius)
				twin.Add(n, s.at, s.radius)
			}
			center, radius := at(), size(2*extent)
			if rng.IntN(3) == 0 && len(is) > 0 { // a query that only just touches a sphere
				s.at.X += float64(s.radius + radius)
				center = s.at
			}
			found := g.Near(center, radius, nil)
			same := func(want, got []uint32, radius float64) {
				if !slices.Equal(want, got) { // require.Equal looks for its callers first
					require.Equal(t, want, got, "seed %d step %d: %v within %g", seed, step, center, radius)
				}
			}
			same(twin.Near(center, radius, nil), found, radius) // the same calls, the same order
			slices.Sort(found)
			same(around(is, center, radius), found, radius)
			inner := radius * []float64{0.9, 0.3, -1}[rng.IntN(3)]
			near, far := g.Around(center, inner, radius, nil, nil)
			slices.Sort(near)
			same(around(is, center, inner), near, inner)
			near = append(near, far...)
			slices.Sort(near)
			same(found, near, radius)
			if len(is) != g.Len() {
				require.Equal(t, len(is), g.Len())
			}
		}
	}
}

// randomSpheres returns a grid with n spheres of radius 1, one in each 20 m square of a square
// world.
func randomSpheres(n int) (*Grid, float64) {
	g, rng := NewGrid(64), rand.New(rand.NewPCG(1, uint64(n)))
	half := math.Sqrt(float64(n)) * 10
	for i := range n {
		g.Add(uint32(i+1), Vec3{(rng.Float64()*2 - 1) * half, (rng.Float64()*2 - 1) * half, rng.Float64() * 100}, 1)
	}
	return g, half
}

// TestGridCostIsLocal checks that the cost of a query depends on the entries nearby, not on the
// size of the world.
func TestGridCostIsLocal(t *testing.T) {
	cost := func(n int) (looked, found float64) {
		g, half := randomSpheres(n)
		rng := rand.New(rand.NewPCG(2, 2))
		for range 200 {
			c := Vec3{(rng.Float64()*2 - 1) * (half - 120), (rng.Float64()*2 - 1) * (half - 120), 50}
			near, _, l := g.around(c, 100, 100, nil, nil)
			looked, found = looked+float64(l)/200, found+float64(len(near))/200
		}
		return looked, found
	}
	small, most := cost(1000)
	large, alike := cost(64000)
	t.Logf("of 1,000 things it looks at %.0f for %.0f, of 64,000 at %.0f for %.0f", small, most, large, alike)
	assert.InEpsilon(t, most, alike, 0.1, "the density is the same")
	assert.Less(t, large, 1.2*small)
	assert.Less(t, large, 6*alike)
}

func TestGridOfMixedSizesStaysLocal(t *testing.T) {
	g, _ := randomSpheres(64000)
	for i := range uint32(10) {
		g.Add(70000+i, Vec3{X: float64(i) * 500}, 3000)
	}
	near, _, looked := g.around(Vec3{}, 100, 100, nil, nil)
	assert.Greater(t, len(near), 10)
	assert.Less(t, looked, int64(1000), "one that is large does not make every query large")
}

// TestGridTakesWholeCells checks that a query takes covered cells without testing their entries.
// The grid therefore keeps the height of each cell, and updates it when the highest entry leaves.
func TestGridTakesWholeCells(t *testing.T) {
	g, _ := randomSpheres(8000)
	ask := func() (asked, found int) {
		q := gridQuery{inner: 500, outer: 500}
		for i := range g.tiles {
			q.visitTile(g, &g.tiles[i])
		}
		return q.asked, len(q.near)
	}
	asked, found := ask()
	require.Greater(t, found, 1500)
	assert.Less(t, asked, found/2, "those at the edge")
	for n := uint32(1); n <= 8000; n++ {
		at := g.spots[g.things[n].at].at
		g.Move(n, Vec3{at.X, at.Y, 1e4})
		if n%16 == 0 {
			require.NotContains(t, g.Near(Vec3{}, 500, nil), n)
		}
		g.Move(n, at)
	}
	for range recomputeAfter + 1 {
		for n := uint32(1); n <= 8000; n++ {
			g.Move(n, g.spots[g.things[n].at].at)
		}
	}
	again, still := ask()
	assert.Equal(t, found, still)
	assert.Less(t, again, found/2, "what was high is so no more")
}

// TestGridAllocatesNothing moves all entries from place to place, except one per place. The grid
// must reuse its memory.
func TestGridAllocatesNothing(t *testing.T) {
	const things, places = 2000, 30
	g := NewGrid(64)
	for n := range uint32(things) {
		g.Add(n+1, Vec3{X: 1000 * float64(n%places)}, 1)
	}
	near, far := make([]uint32, 0, things), make([]uint32, 0, things)
	round := func() {
		for place := range places {
			for n := uint32(places); n < things; n++ {
				g.Move(n+1, Vec3{1000*float64(place) + float64(n%200), float64(n), 0})
			}
			g.Remove(2)
			g.Add(2, Vec3{X: 1000}, 1)
			near, far = g.Around(Vec3{X: 1000 * float64(place)}, 200, 300, near[:0], far[:0])
		}
	}
	round()
	assert.Zero(t, testing.AllocsPerRun(3, round))
	assert.Less(t, len(g.spots), 8*things, "there is little more than they need")
}

func BenchmarkGridMove(b *testing.B) {
	for name, far := range map[string]float64{"inside": 1, "across": 100} {
		b.Run(name, func(b *testing.B) {
			g := NewGrid(64)
			for n := range uint32(1000) {
				g.Add(n+1, Vec3{float64(n), 10, 0}, 1)
			}
			at := [2]Vec3{{10, 10, 0}, {10 + far, 10, 0}}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				g.Move(5, at[n&1])
			}
		})
	}
}

func BenchmarkGridNear(b *testing.B) {
	for _, n := range []int{1000, 8000, 64000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g, half := randomSpheres(n)
			rng, dst, found := rand.New(rand.NewPCG(3, 3)), make([]uint32, 0, n), 0
			b.ReportAllocs()
			for b.Loop() {
				dst = g.Near(Vec3{(rng.Float64() - 0.5) * half, (rng.Float64() - 0.5) * half, 50}, 100, dst[:0])
				found += len(dst)
			}
			b.ReportMetric(float64(found)/float64(b.N), "found/op")
		})
	}
}
