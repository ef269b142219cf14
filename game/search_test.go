package game

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// addMixed adds bodies of four classes at random places, and the ids of those of each class.
func addMixed(t *testing.T, w *sim.World, rng *rand.Rand) {
	makeBlock(t, w, "ItemData", "pack", nil)
	makeBlock(t, w, "VehicleData", "car", nil)
	for range 80 {
		at := sim.Vec3{X: spread(rng, 60), Y: spread(rng, 60), Z: rng.Float64() * 30}
		switch rng.IntN(4) {
		case 0:
			addBox(t, w, at, sim.Vec3{X: rng.Float64() * 12, Y: rng.Float64() * 12, Z: rng.Float64() * 12})
		case 1:
			addPlayer(t, w, "soldier", nil, values{"position": sim.Vec(at)})
		case 2:
			makeObject(t, w, "Item", "pack", values{"position": sim.Vec(at)})
		default:
			makeObject(t, w, "Vehicle", "car", values{"position": sim.Vec(at)})
		}
	}
}

// searched returns the ids of the bodies of classes that a test of each body finds, in the order of
// a search around center.
func searched(s *space, center sim.Vec3, classes []string, finds func(lo, hi sim.Vec3) bool) (ids []sim.Value) {
	type found struct {
		distance float64
		id       sim.ID
	}
	var all []found
	for _, b := range s.bodies[1:] {
		name := b.Ident().Class().Name
		if wanted := name != "Box" && len(classes) == 0 || slices.Contains(classes, name); !wanted {
			continue
		}
		lo, hi := b.box()
		lo, hi = b.scene().position.Add(lo), b.scene().position.Add(hi)
		if finds(lo, hi) {
			all = append(all, found{distanceToBox(center, lo, hi), b.Ident().ID()})
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.id, b.id))
	})
	for _, f := range all {
		ids = append(ids, sim.Handle(f.id))
	}
	return ids
}

// TestSearchAgainstBruteForce compares searches in spheres and boxes with a test of each body.
func TestSearchAgainstBruteForce(t *testing.T) {
	for seed := range testenv.Seeds(t, 4, 30) {
		rng := rand.New(rand.NewPCG(seed, 7))
		w := newWorld(t)
		s := spaceOf(w)
		addMixed(t, w, rng)
		for range 40 {
			a := sim.Vec3{X: spread(rng, 70), Y: spread(rng, 70), Z: rng.Float64() * 30}
			b := a.Add(sim.Vec3{X: spread(rng, 30), Y: spread(rng, 30), Z: spread(rng, 20)})
			var classes []string
			var names []sim.Value
			for _, name := range []string{"Player", "Item", "Box"}[:rng.IntN(4)] {
				classes, names = append(classes, name), append(names, sim.String(name))
			}
			radius := rng.Float64() * 40
			got, err := callFunction(w, "inSphere", append([]sim.Value{sim.Vec(a), sim.Number(radius)}, names...)...)
			require.NoError(t, err)
			require.Equal(t, searched(s, a, classes, func(lo, hi sim.Vec3) bool { return distanceToBox(a, lo, hi) < radius }), got, "seed %d", seed)
			got, err = callFunction(w, "inBox", append([]sim.Value{sim.Vec(a), sim.Vec(b)}, names...)...)
			require.NoError(t, err)
			low, high := lowest(a, b), highest(a, b)
			is := solidBox{lo: low, hi: high}
			center := low.Add(high.Sub(low).Mul(0.5))
			require.Equal(t, searched(s, center, classes, func(lo, hi sim.Vec3) bool { return is.overlaps(lo, hi) }), got, "seed %d", seed)
		}
	}
}

// TestSearchesNameClasses checks base classes, names without regard to case, and unknown classes:
// those do not hide the objects of the others, since a client can lack a class.
func TestSearchesNameClasses(t *testing.T) {
	w := newWorld(t)
	p := addPlayer(t, w, "soldier", nil, values{"position": vec(0, 5, 0)})
	addBox(t, w, sim.Vec3{Y: 20}, sim.Vec3{X: 4, Y: 4, Z: 4})
	box := w.FindName("")
	w.Each(w.Classes().Lookup("Box"), func(o sim.Object) bool { box = o; return false })
	find := func(name string, args ...sim.Value) ([]sim.Value, error) {
		return callFunction(w, name, append([]sim.Value{vec(0, 0, 0), sim.Number(30)}, args...)...)
	}
	for _, name := range []string{"inSphere", "inRadius"} {
		for class, want := range map[string][]sim.Value{
			"": {handle(p)}, "shapebase": {handle(p)}, "SceneObject": {handle(p), handle(box)}, "Box": {handle(box)}, "Vehicle": nil,
		} {
			got, err := find(name, sim.String(class))
			require.NoError(t, err)
			assert.Equal(t, want, got, class)
		}
	}
	got, err := find("inSphere", sim.String("Bus"), sim.String("Player"))
	assert.ErrorIs(t, err, sim.ErrUnknownClass)
	assert.Equal(t, []sim.Value{handle(p)}, got)
	got, err = find("inSphere", sim.String("Bus"))
	assert.ErrorIs(t, err, sim.ErrUnknownClass)
	assert.Empty(t, got, "not everything")
	_, err = find("inSphere", slices.Repeat([]sim.Value{sim.String("Player")}, maxClasses+1)...)
	assert.EqualError(t, err, "the number of classes must be at most 16, got 17")
	_, err = callFunction(w, "inBox", vec(0, 0, 0), vec(9000, 0, 0))
	assert.EqualError(t, err, "opposite must be at most 8192 m from corner, got vec(9000 0 0)")
}

// TestSearchesAreBounded looks for more objects than a search returns.
func TestSearchesAreBounded(t *testing.T) {
	w := newWorld(t)
	makeBlock(t, w, "ItemData", "pack", nil)
	for range maxVisited + 20 {
		makeObject(t, w, "Item", "pack", nil)
	}
	for name, most := range map[string]int{"inSphere": maxVisited, "inRadius": maxFound} {
		got, err := callFunction(w, name, vec(0, 0, 0), sim.Number(5))
		require.NoError(t, err)
		assert.Len(t, got, most, name)
	}
}

// TestRaysOfClasses casts rays that hit some classes only.
func TestRaysOfClasses(t *testing.T) {
	w := newWorld(t)
	addBox(t, w, sim.Vec3{Y: 20}, sim.Vec3{X: 4, Y: 4, Z: 4})
	p := addPlayer(t, w, "soldier", nil, values{"position": vec(0, 10, 0)})
	makeBlock(t, w, "ItemData", "pack", nil)
	pack := makeObject(t, w, "Item", "pack", values{"position": vec(0, 30, 0.8)})
	none := sim.Nil()
	cast := func(to sim.Value, classes ...string) []sim.Value {
		list := []sim.Value{vec(0, 0, 1), to, none, none, none}
		for _, class := range classes {
			list = append(list, sim.String(class))
		}
		got, err := callFunction(w, "castRay", list...)
		require.NoError(t, err)
		return got
	}
	far, below := vec(0, 50, 1), vec(0, 50, -50)
	assert.Equal(t, handle(p), cast(far)[0])
	assert.Equal(t, handle(pack), cast(far, "Item")[0])
	assert.Equal(t, handle(pack), cast(far, "Item", "TerrainBlock")[0])
	assert.Equal(t, "Box", w.Find(cast(far, "Item", "Box")[0].Object()).Ident().Class().Name)
	assert.Empty(t, cast(far, "Vehicle"))
	assert.Empty(t, cast(below, "Vehicle"), "the flat ground is a TerrainBlock")
	assert.True(t, cast(below, "TerrainBlock")[0].IsNil())
	addHills(t, w, 4, 100)
	high := vec(0, 50, -1000)
	assert.Empty(t, cast(high, "Vehicle"))
	assert.Len(t, cast(high, "TerrainBlock"), 3)
	_, err := callFunction(w, "castRay", vec(0, 0, 1), far, none, none, none, sim.String("Bus"))
	assert.ErrorIs(t, err, sim.ErrUnknownClass)
}

// TestSearchesCountWhatTheyTouch checks World.Work: it grows with the bodies in reach, also of
// those that the search does not want, and with the length of a ray over hills.
func TestSearchesCountWhatTheyTouch(t *testing.T) {
	w := newWorld(t)
	makeBlock(t, w, "ItemData", "pack", nil)
	for range 300 {
		makeObject(t, w, "Item", "pack", nil)
	}
	work := func(name string, args ...sim.Value) int {
		w.Work = 0
		_, err := callFunction(w, name, args...)
		require.NoError(t, err)
		return w.Work
	}
	none := sim.Nil()
	assert.GreaterOrEqual(t, work("inSphere", vec(0, 0, 0), sim.Number(5), sim.String("Player")), 300)
	assert.GreaterOrEqual(t, work("inBox", vec(-5, -5, -5), vec(5, 5, 5), sim.String("Player")), 300)
	assert.GreaterOrEqual(t, work("castRay", vec(-5, 0, 3), vec(5, 0, 3), none, none, none, sim.String("Player")), 300)
	assert.Greater(t, work("inRadius", vec(0, 0, 0), sim.Number(5)), 1000, "sorting costs more")
	assert.Less(t, work("inRadius", vec(500, 0, 0), sim.Number(5)), 10)
	assert.Less(t, work("castRay", vec(800, 0, 200), vec(1200, 0, 200)), 10)
	addHills(t, w, 4, 1)
	assert.Greater(t, work("castRay", vec(800, 0, 0.9), vec(800, 400, 0.9), none, none, none, sim.String("TerrainBlock")), 0)
}
