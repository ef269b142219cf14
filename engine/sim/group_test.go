package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

func newGroup(t *testing.T, w *World) *Group {
	o, err := w.New("SimGroup", nil)
	require.NoError(t, err)
	return o.(*Group)
}

func TestGroupOwns(t *testing.T) {
	w := testWorld(t)
	a, b := newGroup(t, w), newGroup(t, w)
	o := newThing(t, w)
	assert.True(t, w.Root.Has(o))
	require.NoError(t, a.Add(o))
	require.NoError(t, a.Add(o))
	assert.Equal(t, 1, a.Len())
	assert.False(t, w.Root.Has(o), "in one group only")
	require.NoError(t, b.Add(o))
	assert.Zero(t, a.Len())
	assert.Equal(t, b, o.Group())
	assert.True(t, b.Remove(o))
	assert.False(t, b.Remove(o))
	assert.Equal(t, w.Root, o.Group())
	assert.False(t, w.Root.Remove(o), "everything is somewhere")

	require.NoError(t, a.Add(b))
	require.NoError(t, b.Add(o))
	require.NoError(t, w.Delete(a))
	assert.True(t, a.Dead())
	assert.True(t, b.Dead())
	assert.True(t, o.Dead())
	assert.Equal(t, 3, w.Sweep())
}

func TestGroupRefuses(t *testing.T) {
	w := testWorld(t)
	a, b := newGroup(t, w), newGroup(t, w)
	require.NoError(t, a.Add(b))
	assert.ErrorContains(t, b.Add(a), "cannot be inside itself")
	assert.ErrorContains(t, a.Add(a), "cannot be inside itself")
	assert.ErrorContains(t, a.Add(w.Root), "cannot leave its group")
	o := newThing(t, w)
	require.NoError(t, w.Delete(o))
	assert.ErrorContains(t, a.Add(o), "is not in the world")
	require.NoError(t, w.Delete(a))
	assert.ErrorContains(t, a.Add(newThing(t, w)), "is not in the world")
	assert.ErrorContains(t, newGroup(t, testWorld(t)).Add(newThing(t, w)), "is not in the world")
	assert.False(t, new(Group).Remove(newThing(t, w)))
}

func TestSetRefers(t *testing.T) {
	w := testWorld(t)
	made, err := w.New("SimSet", nil)
	require.NoError(t, err)
	s := made.(*Set)
	a, b, c := newThing(t, w), newThing(t, w), newThing(t, w)
	for _, o := range []Object{b, a, c, a} {
		require.NoError(t, s.Add(o))
	}
	assert.Equal(t, []Object{b, a, c}, s.Members(nil), "in the order of adding")
	assert.Equal(t, w.Root, a.Group(), "a set does not own")
	require.NoError(t, w.Delete(a))
	assert.Equal(t, []Object{b, c}, s.Members(nil), "the dead are forgotten at once")
	assert.Equal(t, Object(c), s.At(1))
	assert.Nil(t, s.At(2))
	assert.Nil(t, s.At(-1))
	assert.True(t, s.Remove(b))
	assert.False(t, s.Remove(b))
	assert.ErrorContains(t, s.Add(a), "is not in the world")
	require.NoError(t, w.Delete(s))
	assert.False(t, c.Dead(), "a set does not delete")
	assert.Empty(t, c.sets)
}

func TestEachWhileTheSetChanges(t *testing.T) {
	w := testWorld(t)
	var s Set
	var all []Object
	for range 40 {
		o := newThing(t, w)
		all = append(all, o)
		require.NoError(t, s.Add(o))
	}
	var seen []Object
	s.Each(func(o Object) bool {
		seen = append(seen, o)
		i := slices.Index(all, o)
		if i+1 < len(all) {
			s.Remove(all[i+1])
		}
		return assert.NoError(t, s.Add(newThing(t, w)))
	})
	require.Len(t, seen, 20)
	for i, o := range seen {
		assert.Equal(t, all[2*i], o)
	}
	assert.Equal(t, 40, s.Len())
	s.Each(func(Object) bool { return false })
}

func TestEachWhileTheSetEmpties(t *testing.T) {
	w := testWorld(t)
	var s Set
	var all, seen []Object
	for range 40 {
		o := newThing(t, w)
		all = append(all, o)
		require.NoError(t, s.Add(o))
	}
	s.Each(func(o Object) bool {
		seen = append(seen, o)
		return s.Remove(o)
	})
	assert.Equal(t, all, seen)
	assert.Zero(t, s.Len())
	assert.Empty(t, s.members, "the holes are closed afterwards")
}

// TestSetAgainstSlice compares a set with a slice.
func TestSetAgainstSlice(t *testing.T) {
	w := testWorld(t)
	var pool []Object
	for range 30 {
		pool = append(pool, newThing(t, w))
	}
	for seed := range testenv.Seeds(t, 20, 100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var s Set
		model := []Object{}
		for range 200 {
			o := pool[rng.IntN(len(pool))]
			at := slices.Index(model, o)
			if rng.IntN(2) == 0 {
				require.NoError(t, s.Add(o))
				if at < 0 {
					model = append(model, o)
				}
			} else {
				require.Equal(t, at >= 0, s.Remove(o))
				if at >= 0 {
					model = slices.Delete(model, at, at+1)
				}
			}
			require.Equal(t, len(model), s.Len())
			require.Equal(t, model, s.Members([]Object{}))
			if len(model) > 0 {
				i := rng.IntN(len(model))
				require.Equal(t, model[i], s.At(i))
			}
		}
		for _, o := range pool {
			s.Remove(o)
		}
	}
}
