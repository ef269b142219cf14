package game

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

func TestCastRay(t *testing.T) {
	w := newWorld(t)
	addBox(t, w, sim.Vec3{Y: 20}, sim.Vec3{X: 4, Y: 4, Z: 4})
	box := w.FindName("")
	w.Each(w.Classes().Lookup("Box"), func(o sim.Object) bool { box = o; return false })
	p := addPlayer(t, w, "soldier", nil, values{"position": vec(0, 10, 0)})
	cast := func(args ...sim.Value) []sim.Value {
		got, err := callFunction(w, "castRay", args...)
		require.NoError(t, err)
		return got
	}
	near := func(want sim.Vec3, got sim.Value) { assert.InDelta(t, 0, want.Sub(got.Vec()).Len(), 0.005, "%v", got) }

	got := cast(vec(0, 0, 1), vec(0, 50, 1))
	assert.Equal(t, sim.Handle(p.ID()), got[0])
	near(sim.Vec3{Y: 9.5, Z: 1}, got[1])
	near(sim.Vec3{Y: -1}, got[2])
	got = cast(vec(0, 0, 1), vec(0, 50, 1), sim.Handle(p.ID()))
	assert.Equal(t, sim.Handle(box.Ident().ID()), got[0])
	near(sim.Vec3{Y: 18, Z: 1}, got[1])
	got = cast(vec(0, 20, 50), vec(0, 20, -50))
	near(sim.Vec3{Y: 20, Z: 4}, got[1])
	near(sim.Vec3{Z: 1}, got[2])
	got = cast(vec(0, 0, 5), vec(0, 5, -5))
	assert.True(t, got[0].IsNil(), "the ground is no object")
	near(sim.Vec3{Y: 2.5}, got[1])
	assert.Empty(t, cast(vec(0, 0, 5), vec(0, 50, 5)))
	assert.Empty(t, cast(vec(0, 0, 5), vec(0, 0, 5)))
	addHills(t, w, 4, 100)
	z := spaceOf(w).relief.high
	got = cast(vec(30, 30, z+1), vec(30, 30, -1000))
	assert.Equal(t, "TerrainBlock", w.Find(got[0].Object()).Ident().Class().Name)
	height, err := callFunction(w, "terrainHeight", sim.Number(30), sim.Number(30))
	require.NoError(t, err)
	near(sim.Vec3{X: 30, Y: 30, Z: height[0].Number()}, got[1])

	_, err = callFunction(w, "castRay", vec(0, 0, 5), sim.Number(3))
	assert.EqualError(t, err, "to must be a vec with components from -65536 to 65536, got 3")
	_, err = callFunction(w, "terrainHeight", sim.String("x"))
	assert.EqualError(t, err, `x must be a number from -65536 to 65536, got "x"`)
	_, err = callFunction(w, "castRay", vec(0, 0, 5), vec(0, 0, 6), sim.Handle(9999))
	assert.EqualError(t, err, "except must be an object or nil, got object 9999")
}

// TestRayAgainstBruteForce compares ray with a test of each body.
func TestRayAgainstBruteForce(t *testing.T) {
	for seed := range testenv.Seeds(t, 7, 30) {
		rng := rand.New(rand.NewPCG(seed, 6))
		w := newWorld(t)
		s := spaceOf(w)
		for range 60 {
			at := sim.Vec3{X: spread(rng, 60), Y: spread(rng, 60), Z: rng.Float64() * 30}
			if rng.IntN(2) == 0 {
				addBox(t, w, at, sim.Vec3{X: rng.Float64() * 12, Y: rng.Float64() * 12, Z: rng.Float64() * 12})
			} else {
				addPlayer(t, w, "soldier", nil, values{"position": sim.Vec(at)})
			}
		}
		for range 100 {
			from := sim.Vec3{X: spread(rng, 80), Y: spread(rng, 80), Z: 1 + rng.Float64()*30}
			to := sim.Vec3{X: spread(rng, 80), Y: spread(rng, 80), Z: 1 + rng.Float64()*30}
			got, ok := s.ray(from, to, nil, 0)
			want := 1.0
			for n := 1; n < len(s.bodies); n++ {
				lo, hi := s.bodies[n].box()
				at := s.bodies[n].scene().position
				b := solidBox{lo: at.Add(lo), hi: at.Add(hi)}
				if s.places[n].solid {
					b = s.places[n].block
				}
				if hit, met := b.trace(from, to.Sub(from)); met {
					want = min(want, hit.t)
				}
			}
			require.Equal(t, want < 1, ok, "seed %d", seed)
			if ok {
				require.Equal(t, want, got.t, "seed %d", seed)
				require.NotNil(t, got.object)
			}
		}
	}
}

func TestSweeps(t *testing.T) {
	w := newWorld(t)
	addBox(t, w, sim.Vec3{Y: 20}, sim.Vec3{X: 4, Y: 4, Z: 4})
	s := spaceOf(w)
	size := sim.Vec3{X: 2, Y: 2, Z: 1}
	h, ok := s.sweep(size, sim.Vec3{Z: 3}, sim.Vec3{Y: 40, Z: 3})
	require.True(t, ok)
	assert.InDelta(t, 17, h.at.Y, 0.01)
	assert.Equal(t, sim.Vec3{Y: -1}, h.normal)
	_, ok = s.sweep(size, sim.Vec3{X: 3.1, Z: 3}, sim.Vec3{X: 3.1, Y: 40, Z: 3})
	assert.False(t, ok, "past it")
	_, ok = s.sweep(size, sim.Vec3{Z: 4.1}, sim.Vec3{Y: 40, Z: 4.1})
	assert.False(t, ok, "over it")
	h, ok = s.sweep(size, sim.Vec3{X: 9, Z: 5}, sim.Vec3{X: 9, Z: -5})
	require.True(t, ok)
	assert.Equal(t, sim.Vec3{X: 9}, h.at)
	assert.Nil(t, h.object)
}

// TestMovedSolidLeavesSpace checks that a moved or deleted box blocks nothing at its old
// position.
func TestMovedSolidLeavesSpace(t *testing.T) {
	w := newWorld(t)
	addBox(t, w, sim.Vec3{Y: 20}, sim.Vec3{X: 4, Y: 4, Z: 4})
	var box sim.Object
	w.Each(w.Classes().Lookup("Box"), func(o sim.Object) bool { box = o; return false })
	blocked := func() bool { _, ok := spaceOf(w).sweep(sim.Vec3{}, sim.Vec3{Z: 1}, sim.Vec3{Y: 40, Z: 1}); return ok }
	assert.True(t, blocked())
	require.NoError(t, set(t, values{"position": vec(30, 20, 0)})(box))
	w.Tick(1)
	assert.False(t, blocked())
	require.NoError(t, set(t, values{"size": vec(80, 4, 4)})(box))
	w.Tick(2)
	assert.True(t, blocked())
	require.NoError(t, w.Delete(box))
	w.Sweep()
	assert.False(t, blocked())
	assert.Zero(t, spaceOf(w).solids.Len())
	addBox(t, w, sim.Vec3{Y: 20}, sim.Vec3{X: 4, Y: 4, Z: 4})
	assert.True(t, blocked(), "its number is used again")
}

// TestSolidsMatchOnGhosts checks that solids have the same boxes on server and client, for any
// field values. The same moves therefore end with the same bits.
func TestSolidsMatchOnGhosts(t *testing.T) {
	for seed := range testenv.Seeds(t, 5, 20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		here, there := newWorld(t), newWorld(t)
		addTerrainAndBoxes(t, here, rng)
		here.Each(here.Classes().Lookup("SceneObject"), func(o sim.Object) bool {
			g := there.Make(there.Classes().Lookup(o.Ident().Class().Name))
			g.Ident().SetGhost(true)
			for group := range o.Ident().Class().Groups() {
				send(t, o, g, group)
			}
			there.Add(g)
			return true
		})
		own := values{"position": vec(spread(rng, 60), spread(rng, 60), 150)}
		p, q := addPlayer(t, here, "soldier", nil, own), addPlayer(t, there, "soldier", nil, own)
		q.SetGhost(true)
		bot := randomMoves{rng: rng}
		for tick := range 500 {
			m := bot.next()
			p.Control(m)
			q.Control(m)
			require.Equal(t, state(t, p), state(t, q), "seed %d tick %d", seed, tick)
			if tick%50 == 0 { // the order of a grid's results depends on its history
				spaceOf(there).update(spaceOf(there).bodies[1+rng.IntN(20)])
			}
		}
	}
}

// TestTracesDoNotDependOnOrder checks traces with the blocks in another order, as another machine
// finds them.
func TestTracesDoNotDependOnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	s := spaceOf(newWorld(t))
	ties := 0
	for range 6000 {
		whole := func() sim.Vec3 {
			return sim.Vec3{X: float64(rng.IntN(5) - 2), Y: float64(rng.IntN(5) - 2), Z: float64(rng.IntN(5) - 2)}
		}
		s.nearSolids = s.nearSolids[:0]
		for n := range uint32(6) {
			at := whole()
			s.nearSolids = append(s.nearSolids, solidBox{at, at.Add(sim.Vec3{X: 1 + float64(rng.IntN(3)), Y: 1 + float64(rng.IntN(3)), Z: 1}), n + 1})
		}
		from := whole().Mul(2)
		d := whole().Sub(from)
		first := s.trace(sim.Vec3{}, sim.Vec3{}, from, d)
		same := 0
		for i := range s.nearSolids {
			if one, ok := s.nearSolids[i].trace(from, d); ok && one.t == first.t {
				same++
			}
		}
		if same > 1 {
			ties++
		}
		rng.Shuffle(len(s.nearSolids), func(i, j int) { s.nearSolids[i], s.nearSolids[j] = s.nearSolids[j], s.nearSolids[i] })
		again := s.trace(sim.Vec3{}, sim.Vec3{}, from, d)
		first.n, again.n = 0, 0
		require.Equal(t, first, again)
	}
	assert.Greater(t, ties, 20)
}
