package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func keyOf(o Object) uint64 { return o.(Datablock).Data().Key() }

func TestDeclare(t *testing.T) {
	w := testWorld(t)
	o, changed, err := w.Blocks.Declare("thingdata", "Disc", "", setter(row{"mass", Number(5)}))
	require.NoError(t, err)
	assert.True(t, changed)
	d := o.(*testBlock)
	assert.Equal(t, "Disc", d.Name())
	assert.Equal(t, uint16(1), d.Index())
	assert.Equal(t, uint64(2), d.Key())
	assert.Equal(t, 5.0, d.mass)
	assert.Equal(t, "a thing", d.label, "the default of the class")
	assert.Equal(t, w.DataBlocks, d.Group())
	assert.Equal(t, o, w.FindName("disc"))
	assert.Equal(t, o, w.Blocks.ByName("DISC"))
	assert.Equal(t, o, w.Blocks.ByIndex(1))
	assert.Equal(t, o, w.Blocks.At(d.Ref()))
	assert.Nil(t, w.Blocks.At(0))
	assert.Nil(t, w.Blocks.ByIndex(2))
}

func TestDeclareRefuses(t *testing.T) {
	w := testWorld(t)
	declare(t, w, "BigData", "big", "")
	declare(t, w, "ThingData", "child", "plain")
	for _, c := range []struct {
		class, name, parent string
		set                 row
		want                string
	}{
		{"ThngData", "x", "", row{}, `unknown class "ThngData", did you mean "ThingData"?`},
		{"Thing", "x", "", row{}, `Thing is not a datablock class: make an object with new "Thing" { ... }`},
		{"SimDataBlock", "x", "", row{}, `SimDataBlock is not a datablock class: make an object with new "SimDataBlock" { ... }`},
		{"ThingData", "", "", row{}, "the name of a datablock must have 1 to 64 bytes, got 0"},
		{"ThingData", strings.Repeat("x", 65), "", row{}, "the name of a datablock must have 1 to 64 bytes, got 65"},
		{"BigData", "PLAIN", "", row{}, `cannot re-declare ThingData "plain" as BigData`},
		{"ThingData", "x", "plian", row{}, `unknown datablock "plian" to inherit from, did you mean "plain"?`},
		{"ThingData", "x", "big", row{}, `ThingData "x" cannot inherit from BigData "big"`},
		{"ThingData", "plain", "plain", row{}, `ThingData "plain" cannot inherit from itself`},
		{"ThingData", "plain", "child", row{}, `ThingData "plain" cannot inherit from itself`},
		{"ThingData", "x", "", row{"mas", Number(1)}, `unknown field "mas" of ThingData, did you mean "mass"?`},
		{"ThingData", "child", "", row{"description", String("x")}, `unknown field "description" of ThingData`},
		{"ThingData", "x", "", row{"mass", Number(-1)}, "mass must be a number of at least 0, got -1"},
		{"ThingData", "x", "", row{"label", String(strings.Repeat("x", 65))}, `label must be a string of at most 64 bytes, got "` + strings.Repeat("x", 40) + `"... (65 bytes)`},
	} {
		set := func(o Object) error { return setter(row{"heat", Number(1)}, c.set)(o) }
		if c.set.field == "" {
			set = nil
		}
		n, newest := w.Blocks.Len(), w.Blocks.Newest()
		_, changed, err := w.Blocks.Declare(c.class, c.name, c.parent, set)
		assert.EqualError(t, err, c.want)
		assert.False(t, changed)
		assert.Equal(t, n, w.Blocks.Len())
		assert.Equal(t, newest, w.Blocks.Newest(), "an error leaves no trace")
	}
	assert.Zero(t, w.Blocks.ByName("child").(*testBlock).heat, "not even of the fields before it")
}

func TestDeclareWithinDeclare(t *testing.T) {
	w := testWorld(t)
	_, _, err := w.Blocks.Declare("ThingData", "twice", "", func(Object) error {
		declare(t, w, "ThingData", "Twice", "")
		return nil
	})
	assert.EqualError(t, err, `ThingData "twice" is already declared`)
	assert.Equal(t, 2, w.Blocks.Len())
}

func TestInheritingValues(t *testing.T) {
	w := testWorld(t)
	base := declare(t, w, "ThingData", "Base", "", row{"mass", Number(7)}, row{"lit", Bool(true)})
	child := declare(t, w, "BigData", "child", "base", row{"lit", Bool(false)}).(*bigData)
	assert.Equal(t, 7.0, child.mass)
	assert.False(t, child.lit)
	assert.Equal(t, 10.0, child.size, "what the parent does not have is the default")
	assert.Equal(t, "Base", child.Parent())
	assert.Equal(t, base, child.ParentBlock())
	assert.Nil(t, base.(Datablock).Data().ParentBlock())

	declare(t, w, "ThingData", "base", "", row{"mass", Number(8)})
	assert.Equal(t, 7.0, child.mass, "values are taken when it is declared")
}

func TestRedeclare(t *testing.T) {
	w := testWorld(t)
	rows := []row{{"mass", Number(2)}, {"label", String("x")}}
	o := declare(t, w, "ThingData", "a", "plain", rows...)
	later := declare(t, w, "ThingData", "b", "")
	key := keyOf(o)

	same, changed, err := w.Blocks.Declare("ThingData", "A", "", setter(rows...))
	require.NoError(t, err)
	assert.Equal(t, o, same)
	assert.False(t, changed)
	assert.Equal(t, key, keyOf(o), "nothing differs, no new key")

	_, changed, err = w.Blocks.Declare("ThingData", "a", "", setter(row{"mass", Number(3)}))
	require.NoError(t, err)
	assert.True(t, changed)
	assert.Greater(t, keyOf(o), keyOf(later))
	assert.Equal(t, "x", o.(*testBlock).label, "what is not named stays")
	assert.Equal(t, "plain", o.(*testBlock).Parent())

	declare(t, w, "ThingData", "a", "b", row{"mass", Number(3)})
	assert.Equal(t, "a thing", o.(*testBlock).label, "another parent begins anew")
	assert.Equal(t, "b", o.(*testBlock).Parent())
}

func TestKeys(t *testing.T) {
	w := testWorld(t)
	a := declare(t, w, "ThingData", "a", "")
	b := declare(t, w, "ThingData", "b", "")
	plain := w.Blocks.ByName("plain")
	assert.Equal(t, []Object{plain, a, b}, w.Blocks.Newer(0))
	mass := a.Ident().Class().Lookup("mass")

	newest := w.Blocks.Newest()
	require.NoError(t, mass.Set(a, Number(1)))
	assert.Empty(t, w.Blocks.Newer(newest), "it was 1")
	for i := range 5 {
		require.NoError(t, mass.Set(a, Number(float64(10+i))))
	}
	assert.Equal(t, []Object{a}, w.Blocks.Newer(newest), "changed five times, listed once")
	assert.Equal(t, []Object{plain, b, a}, w.Blocks.Newer(0), "by key, not by number")
	assert.Error(t, mass.Set(a, String("x")))
	w.Blocks.Touch(plain)
	assert.Equal(t, []Object{b, a, plain}, w.Blocks.Newer(0))
	assert.Equal(t, []Object{plain}, w.Blocks.Newer(keyOf(a)))
	assert.Equal(t, uint16(0), plain.(Datablock).Data().Index(), "numbers stay")
}

func TestTableIsBounded(t *testing.T) {
	w := testWorld(t)
	for i := w.Blocks.Len(); i < MaxBlocks; i++ {
		declare(t, w, "ThingData", fmt.Sprint("d", i), "")
	}
	_, _, err := w.Blocks.Declare("ThingData", "one more", "", nil)
	assert.EqualError(t, err, "too many datablocks: the maximum is 16384")
}

func TestPut(t *testing.T) {
	w := NewWorld(testClasses(t))
	data, big := w.Classes().Lookup("ThingData"), w.Classes().Lookup("BigData")
	a, err := w.Blocks.Put(3, data, "a")
	require.NoError(t, err)
	assert.Nil(t, w.Blocks.ByIndex(0), "a gap is no block")
	assert.Equal(t, 1, w.Blocks.Len())
	same, err := w.Blocks.Put(3, data, "renamed")
	require.NoError(t, err)
	assert.Equal(t, a, same)
	assert.Nil(t, w.Blocks.ByName("a"))
	assert.Equal(t, a, w.FindName("renamed"))

	clash, err := w.Blocks.Put(3, big, "renamed")
	require.NoError(t, err)
	assert.True(t, a.Ident().Dead(), "another class replaces it")
	assert.Equal(t, clash, w.Blocks.ByIndex(3))
	assert.Equal(t, clash, w.Blocks.ByName("renamed"))

	for _, c := range []struct {
		index int
		class *Class
		name  string
	}{{-1, data, "x"}, {MaxBlocks, data, "x"}, {0, nil, "x"}, {0, w.Classes().Lookup("SimDataBlock"), "x"}, {0, data, ""}, {0, data, strings.Repeat("x", 65)}} {
		_, err := w.Blocks.Put(c.index, c.class, c.name)
		assert.Error(t, err)
	}
}

func TestTwoBlocksOfOneNameFromAPeer(t *testing.T) {
	w := NewWorld(testClasses(t))
	data, big := w.Classes().Lookup("ThingData"), w.Classes().Lookup("BigData")
	_, err := w.Blocks.Put(0, data, "x")
	require.NoError(t, err)
	b, err := w.Blocks.Put(1, data, "X")
	require.NoError(t, err)
	_, err = w.Blocks.Put(0, big, "y")
	require.NoError(t, err)
	assert.Equal(t, b, w.Blocks.ByName("x"), "the other's name goes with it, not this one's")
}

func TestClear(t *testing.T) {
	w := testWorld(t)
	o := w.Blocks.ByName("plain")
	user := newThing(t, w)
	newest := w.Blocks.Newest()
	w.Blocks.Clear()
	assert.Zero(t, w.Blocks.Len())
	assert.Nil(t, w.FindName("plain"))
	assert.True(t, o.Ident().Dead())
	assert.True(t, user.Class().Lookup("dataBlock").Get(user).IsNil())
	assert.Greater(t, keyOf(declare(t, w, "ThingData", "plain", "")), newest)
	require.NoError(t, o.Ident().Class().Lookup("mass").Set(o, Number(9)), "a dead block has no key to move")
}

func TestSecondBlocksTable(t *testing.T) {
	w := testWorld(t)
	theirs := w.NewBlocks()
	o, err := theirs.Put(0, w.Classes().Lookup("ThingData"), "theirs")
	require.NoError(t, err)
	assert.Nil(t, w.Blocks.ByName("theirs"))
	assert.Equal(t, "plain", w.Blocks.ByIndex(0).Ident().Name())
	assert.Error(t, setter(row{"dataBlock", Handle(o.Ident().ID())})(newThing(t, w)), "objects refer to the world's own")
}
