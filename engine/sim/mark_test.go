package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNewObjectIsMarkedInAllGroups(t *testing.T) {
	w := testWorld(t)
	w.ClearMarks()
	o := newThing(t, w)
	assert.Equal(t, uint32(0b111111), o.Dirty(), "groups 0 to 5")
	assert.Equal(t, []Object{o}, w.Marked())
	w.ClearMarks()
	assert.Zero(t, o.Dirty())
	assert.Empty(t, w.Marked())
}

func TestSetMarksTheGroup(t *testing.T) {
	w := testWorld(t)
	a, b := newThing(t, w), newThing(t, w)
	w.ClearMarks()
	for _, c := range []struct {
		o    *testObject
		row  row
		want uint32
	}{
		{b, row{"energy", Number(0)}, 0}, // no change: it has that value
		{b, row{"energy", Number(200)}, 0},
		{b, row{"energy", Number(3)}, 1 << 1},
		{b, row{"heat", Number(3)}, 1 << 1},
		{b, row{"friend", Handle(a.ID())}, 1<<1 | 1<<5},
		{a, row{"label", String("x")}, 1 << 4},
		{a, row{"dataBlock", Nil()}, 1<<0 | 1<<4},
	} {
		_ = setter(c.row)(c.o)
		assert.Equal(t, c.want, c.o.Dirty(), c.row.field)
	}
	assert.Equal(t, []Object{b, a}, w.Marked(), "in the order of the first mark")
}

func TestTakeMarks(t *testing.T) {
	w := testWorld(t)
	a, b, c := newThing(t, w), newThing(t, w), newThing(t, w)
	w.ClearMarks()
	take := func(then func(o Object)) (took []row) {
		w.TakeMarks(func(o Object, groups uint32) {
			assert.Zero(t, o.Ident().Dirty())
			took = append(took, row{o.Ident().Name(), Number(float64(groups))})
			then(o)
		})
		return took
	}
	for i, o := range []*testObject{a, b, c} {
		o.SetName([]string{"a", "b", "c"}[i])
	}
	b.Mark(1 << 2)
	a.Mark(1 << 1)
	b.Mark(1 << 3)
	took := take(func(Object) { a.Mark(1 << 4); c.Mark(1 << 5) })
	assert.Equal(t, []row{{"b", Number(12)}, {"a", Number(2 + 16)}}, took[:2])
	assert.Len(t, took, 2)
	assert.Equal(t, []Object{c, a}, w.Marked(), "what was marked meanwhile is for the next time")
	assert.Equal(t, []row{{"c", Number(32)}, {"a", Number(16)}}, take(func(Object) {}))
	assert.Empty(t, w.Marked())
}

func TestMarkIgnoresUnmarkable(t *testing.T) {
	w := testWorld(t)
	plain, err := w.New("SimObject", nil)
	require.NoError(t, err)
	plain.Ident().Mark(1)
	new(testObject).Mark(1) // in no world
	require.NoError(t, setter(row{"mass", Number(3)})(w.Blocks.ByName("plain")))
	o := w.Make(w.classes.Lookup("Thing"))
	o.Ident().Mark(2) // not added yet
	assert.Zero(t, o.Ident().Dirty())
	assert.Empty(t, w.Marked())

	o = newThing(t, w)
	w.ClearMarks()
	o.Ident().Mark(0)
	o.Ident().Mark(^uint32(0b111111))
	assert.Empty(t, w.Marked(), "the class has no such groups")
	require.NoError(t, w.Delete(o))
	o.Ident().Mark(1)
	assert.Empty(t, w.Marked(), "it is dead")
}

func TestDeletedObjectsAreMarkedUntilSweep(t *testing.T) {
	w := testWorld(t)
	a, b := newThing(t, w), newThing(t, w)
	require.NoError(t, w.Delete(a))
	assert.Equal(t, []Object{a, b}, w.Marked())
	w.Sweep()
	assert.Equal(t, []Object{b}, w.Marked())
}

func TestMarksDoNotAllocate(t *testing.T) {
	w := testWorld(t)
	a, b := newThing(t, w), newThing(t, w)
	w.ClearMarks()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		a.Mark(2)
		b.Mark(4)
		w.ClearMarks()
	}))
}

func TestDrifts(t *testing.T) {
	w := testWorld(t)
	a, b, gone := newThing(t, w), newThing(t, w), newThing(t, w)
	w.ClearMarks()
	a.MarkPredicted(0)
	b.MarkPredicted(1<<3 | 1<<30)
	gone.MarkPredicted(1 << 3)
	a.MarkPredicted(1 << 1)
	b.MarkPredicted(1 << 2)
	require.NoError(t, w.Delete(gone))
	w.Sweep()
	assert.Empty(t, w.Marked(), "nobody needs to be told")
	var took []Object
	w.TakePredicted(func(o Object, groups uint32) {
		took = append(took, o)
		assert.Equal(t, map[Object]uint32{a: 1 << 1, b: 1<<3 | 1<<2}[o], groups)
	})
	assert.Equal(t, []Object{b, a}, took)
	w.TakePredicted(func(Object, uint32) { t.Error("they were taken") })
}

func TestSettle(t *testing.T) {
	w := testWorld(t)
	o := newThing(t, w, row{"heat", Number(1.2345)}, row{"speed", Vec(Vec3{X: 1.2345})})
	w.ClearMarks()
	var v, again Values
	for group := range o.Class().Groups() {
		o.Class().Quantise(o, group, &v)
		o.Class().ApplyRounding(o, group, &v)
		o.Class().Quantise(o, group, &again)
		assert.Equal(t, v, again)
	}
	assert.NotEqual(t, 1.2345, o.heat)
	assert.InDelta(t, 1.2345, o.heat, 0.01)
	assert.NotEqual(t, 1.2345, o.speed.X)
	assert.Empty(t, w.Marked())
}

// TestParkedObjectsAreNotListed checks that marks of a parked object are kept, and that TakeMarks
// does not see the object before Unpark.
func TestParkedObjectsAreNotListed(t *testing.T) {
	w := testWorld(t)
	o := newThing(t, w)
	w.ClearMarks()
	o.Mark(1 << 1)
	w.TakeMarks(func(o Object, groups uint32) { o.Ident().Park(groups) })
	o.Mark(1 << 2)
	w.TakeMarks(func(Object, uint32) { t.Error("it is parked") })
	assert.Equal(t, uint32(1<<1|1<<2), o.Ident().Unpark())
	o.Mark(1 << 3)
	assert.Equal(t, []Object{o}, w.Marked())
}

// TestLeapsEndParking checks that the world lists a parked object again when a script sets a field.
func TestLeapsEndParking(t *testing.T) {
	w := testWorld(t)
	o := newThing(t, w)
	w.ClearMarks()
	o.Mark(1 << 1)
	w.TakeMarks(func(o Object, groups uint32) { o.Ident().Park(groups) })
	f := o.Class().Lookup("heat")
	require.NoError(t, f.Set(o, Number(3)))
	require.NoError(t, f.Set(o, Number(4)))
	listed := 0
	w.TakeMarks(func(_ Object, groups uint32) {
		listed++
		assert.Equal(t, uint32(1<<1|1<<f.Group), groups)
	})
	assert.Equal(t, 1, listed)
}
