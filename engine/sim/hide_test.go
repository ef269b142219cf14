package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHide: hidden objects are found in no way. Afterwards they are as before, and at their old
// places if the change is undone.
func TestHide(t *testing.T) {
	w := testWorld(t)
	a, b := newThing(t, w), newThing(t, w)
	set, group := make1(t, w, "SimSet").(*Set), make1(t, w, "SimGroup").(*Group)
	for _, o := range []Object{a, b} {
		require.NoError(t, set.Add(o))
		require.NoError(t, group.Add(o))
	}
	require.NoError(t, a.SetName("A"))
	ofClass := func() (n int) {
		w.Each(a.Class(), func(Object) bool { n++; return true })
		return n
	}
	c := w.Begin()
	show := c.Hide([]Object{a, group, a})
	assert.Equal(t, []any{nil, nil, 1}, []any{w.Find(a.ID()), w.FindName("a"), ofClass()})
	assert.Equal(t, []Object{b}, set.Members(nil))
	assert.False(t, group.Has(a) || w.Root.Has(group))
	made := newThing(t, w)
	require.NoError(t, made.SetName("A"), "the name is free")
	require.NoError(t, set.Add(made))
	show()
	assert.Equal(t, []any{Object(a), Object(made), 3}, []any{w.Find(a.ID()), w.FindName("a"), ofClass()})
	assert.Equal(t, []Object{b, made, a}, set.Members(nil))
	assert.Equal(t, []Object{b, a}, group.Members(nil))
	assert.True(t, a.Ident().Group() == group && w.Root.Has(group))
	c.Rollback()
	assert.Equal(t, []Object{a, b}, set.Members(nil))
	assert.Equal(t, []Object{a, b}, group.Members(nil))
	require.NoError(t, w.Delete(group))
	assert.Equal(t, []bool{false, false}, []bool{a.Alive(), b.Alive()})
	assert.Zero(t, set.Len())
}
