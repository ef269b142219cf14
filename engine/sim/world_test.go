package sim

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNew(t *testing.T) {
	w := testWorld(t)
	for _, c := range []struct{ class, want string }{
		{"Thng", `unknown class "Thng", did you mean "Thing"?`},
		{"NetObject", "cannot create a NetObject: it is only a base of other classes"},
		{"ThingData", `ThingData is a datablock class: declare one with datablock "ThingData" "name" { ... }`},
		{"Thing", "a new Thing needs a dataBlock of class ThingData"},
	} {
		before := w.Len()
		_, err := w.New(c.class, nil)
		assert.EqualError(t, err, c.want)
		assert.Equal(t, before, w.Len())
	}
	failure := errors.New("no")
	_, err := w.New("SimObject", func(Object) error { return failure })
	assert.ErrorIs(t, err, failure)

	o := newThing(t, w)
	assert.Equal(t, w, o.World())
	assert.Equal(t, "Thing", o.Class().Name)
	assert.Equal(t, Object(o), o.Object())
	assert.Equal(t, w.Root, o.Group())
	assert.True(t, o.Alive())
}

func TestAddObjectMadeInGo(t *testing.T) {
	w := testWorld(t)
	o := new(testObject)
	assert.False(t, o.Alive())
	id := w.Add(o)
	assert.Equal(t, "Thing", o.Class().Name)
	assert.Equal(t, id, w.Add(o), "adding twice changes nothing")
	assert.Panics(t, func() { w.Add(new(struct{ testObject })) }, "a type of no class")
}

func TestIDsAreNeverUsedAgain(t *testing.T) {
	w := testWorld(t)
	last := newThing(t, w).ID()
	for range 100 {
		o := newThing(t, w)
		require.Greater(t, o.ID(), last)
		last = o.ID()
		require.NoError(t, w.Delete(o))
		w.Sweep()
	}
	w.next = shortIDs - 1
	assert.Equal(t, []ID{16_383, 1 << 20, 1<<20 + 1}, []ID{newThing(t, w).ID(), newThing(t, w).ID(), newThing(t, w).ID()})
	w.next = math.MaxUint32
	newThing(t, w)
	_, err := w.New("SimObject", nil)
	assert.EqualError(t, err, "all object ids are used: restart the server")
}

func TestNames(t *testing.T) {
	w := testWorld(t)
	a, b, c := newThing(t, w), newThing(t, w), newThing(t, w)
	for _, o := range []*testObject{c, a, b} {
		require.NoError(t, o.SetName("Flag"))
	}
	assert.Equal(t, Object(c), w.FindName("fLAG"), "the newest, whenever it was named")
	require.NoError(t, w.Delete(c))
	assert.Equal(t, Object(b), w.FindName("flag"))
	require.NoError(t, b.SetName("other"))
	assert.Equal(t, Object(a), w.FindName("flag"))
	require.NoError(t, a.SetName(""))
	assert.Nil(t, w.FindName("flag"))
	assert.Nil(t, w.FindName(""))
	assert.Equal(t, "other", w.NameOf(b.ID()))
	assert.Equal(t, "", w.NameOf(c.ID()))
	assert.Error(t, a.SetName(strings.Repeat("x", MaxName+1)))
	assert.EqualError(t, w.Root.SetName("mine"), `SimGroup "RootGroup" cannot be renamed`)
	assert.Equal(t, Object(w.Clients), w.FindName("clientgroup"))
	assert.NoError(t, w.Make(a.Class()).Ident().SetName("early"))
}

func TestDeleteIsImmediateRemovalInSweep(t *testing.T) {
	w := testWorld(t)
	var removed []Object
	w.OnRemoved = func(o Object) { removed = append(removed, o) }
	o := newThing(t, w)
	n := w.Len()
	require.NoError(t, w.Delete(o))
	require.NoError(t, w.Delete(o))
	assert.True(t, o.Dead())
	assert.Nil(t, w.Find(o.ID()))
	assert.Nil(t, o.Group())
	assert.Equal(t, n-1, w.Len())
	assert.Empty(t, removed)
	assert.Equal(t, 1, w.Sweep())
	assert.Equal(t, []Object{o}, removed)
	assert.Zero(t, w.Sweep())
}

func TestRemovedCanDelete(t *testing.T) {
	w := testWorld(t)
	a, b := newThing(t, w), newThing(t, w)
	w.OnRemoved = func(o Object) {
		if o == Object(a) {
			require.NoError(t, w.Delete(b))
		}
	}
	require.NoError(t, w.Delete(a))
	assert.Equal(t, 2, w.Sweep())
	w.Each(a.Class(), func(Object) bool { return assert.Fail(t, "none is left") })
}

func TestTick(t *testing.T) {
	w := testWorld(t)
	var order []ID
	a, b := newThing(t, w), newThing(t, w)
	dead := newThing(t, w)
	require.NoError(t, w.Delete(dead))
	w.Tick(1)
	w.Sweep()
	w.Tick(2)
	assert.Equal(t, []uint64{1, 2}, a.ticks)
	assert.Equal(t, []uint64{1, 2}, b.ticks)
	assert.Empty(t, dead.ticks)
	w.Each(a.Class(), func(o Object) bool { order = append(order, o.Ident().ID()); return true })
	assert.Equal(t, []ID{a.ID(), b.ID()}, order)
}

func TestEach(t *testing.T) {
	w := testWorld(t)
	a, b := newThing(t, w), newThing(t, w)
	w.Each(a.Class(), func(o Object) bool {
		newThing(t, w) // not visited
		return assert.NoError(t, w.Delete(b)) && assert.Equal(t, Object(a), o)
	})
	n := 0
	w.Each(w.Classes().Lookup("SimSet"), func(Object) bool { n++; return true })
	assert.Equal(t, 4, n, "heirs included")
	n = 0
	w.Each(nil, func(Object) bool { n++; return n < 3 })
	assert.Equal(t, 3, n)
}

func TestBuiltinObjectsCannotBeDeleted(t *testing.T) {
	w := testWorld(t)
	assert.EqualError(t, w.Delete(w.Mission), `SimGroup "MissionGroup" cannot be deleted`)
	assert.EqualError(t, w.Delete(w.Blocks.ByName("plain")), `ThingData "plain" cannot be deleted`)
	assert.EqualError(t, w.Mission.Add(w.Blocks.ByName("plain")), `ThingData "plain" cannot leave its group`)
	assert.False(t, w.DataBlocks.Remove(w.Blocks.ByName("plain")))
	assert.True(t, w.DataBlocks.Has(w.Blocks.ByName("plain")))
}

// TestSameSeedSameWorld checks that two runs of the same random actions give the same hash.
func TestSameSeedSameWorld(t *testing.T) {
	for seed := range uint64(200) {
		require.Equal(t, randomActions(t, seed), randomActions(t, seed), "seed %d", seed)
	}
}

// randomActions runs random actions and returns a hash of everything observable.
func randomActions(t *testing.T, seed uint64) uint64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	w, h := testWorld(t), fnv.New64a()
	s := NewSchedule(w)
	w.OnAdded = func(o Object) { fmt.Fprintf(h, "+%d ", o.Ident().ID()) }
	w.OnRemoved = func(o Object) { fmt.Fprintf(h, "-%d ", o.Ident().ID()) }
	class := w.Classes().Lookup("SimObject")
	var all []Object
	for tick := range uint64(60) {
		for range 5 {
			pick := func() Object { return all[rng.IntN(len(all))] }
			switch n := rng.IntN(10); {
			case n < 3 || len(all) < 4:
				o, err := w.New([]string{"SimGroup", "SimSet", "SimObject"}[rng.IntN(3)], nil)
				require.NoError(t, err)
				all = append(all, o)
			case n < 6:
				if g, ok := pick().(*Group); ok {
					_ = g.Add(pick())
				}
			case n < 7:
				if set, ok := pick().(*Set); ok {
					_ = set.Add(pick())
				}
			case n < 8:
				_ = w.Delete(pick())
			case n < 9:
				o := pick()
				s.At(int64(tick)*TickMs, rng.Int64N(200), Owner{Object: o.Ident().ID()}, func() { fmt.Fprintf(h, "!%d ", o.Ident().ID()) })
			default:
				_, _, err := w.Blocks.Declare("ThingData", fmt.Sprint("d", rng.IntN(5)), "", setter(row{"mass", Number(float64(rng.IntN(3)))}))
				require.NoError(t, err)
			}
		}
		w.Tick(tick)
		s.Run(int64(tick) * TickMs)
		w.Sweep()
	}
	w.Each(class, func(o Object) bool {
		fmt.Fprintf(h, "%d", o.Ident().ID())
		if s, ok := o.(interface{ set() *Set }); ok {
			s.set().Each(func(m Object) bool { fmt.Fprintf(h, ",%d", m.Ident().ID()); return true })
		}
		return true
	})
	for _, o := range w.Blocks.Newer(0) {
		fmt.Fprint(h, o.Ident().Name(), o.(Datablock).Data().Key())
	}
	return h.Sum64()
}
