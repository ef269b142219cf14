package sim

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The fields of the declared classes of the tests.
var (
	teamSpec    = FieldSpec{Name: "team", Kind: KindNumber, Whole: true, Lo: 0, Hi: 7}
	heatSpec    = FieldSpec{Name: "warmth", Kind: KindNumber, Lo: 0, Hi: 1, Bits: 8}
	onSpec      = FieldSpec{Name: "on", Kind: KindBool}
	carrierSpec = FieldSpec{Name: "carrier", Kind: KindObject}
	placeSpec   = FieldSpec{Name: "place", Kind: KindVec, Step: 0.01}
	textSpec    = FieldSpec{Name: "title", Kind: KindString, Max: 255}
	turnSpec    = FieldSpec{Name: "facing", Kind: KindRot, Bits: 9}
	exactSpec   = FieldSpec{Name: "mass", Kind: KindNumber, Lo: 1, Hi: math.Inf(1)}
	dataSpec    = FieldSpec{Name: "style", Kind: KindObject, Class: "ThingData"}
)

func flagSpec(fields ...FieldSpec) ClassSpec {
	return ClassSpec{Name: "Flag", Source: "ctf shared/flag.lua:3", Fields: fields}
}

// everyKind returns a class with a field of every kind.
func everyKind() ClassSpec {
	return flagSpec(teamSpec, heatSpec, onSpec, carrierSpec, placeSpec, textSpec, turnSpec, exactSpec, dataSpec)
}

func session(t testing.TB) *Classes { return testClasses(t).Session() }

func declared(t testing.TB, cs *Classes, spec ClassSpec) *Class {
	c, err := cs.Declare(spec)
	require.NoError(t, err)
	return c
}

func TestDeclareClass(t *testing.T) {
	cs := session(t)
	before := len(cs.wire)
	c := declared(t, cs, everyKind())
	assert.Equal(t, c, cs.Lookup("flag"))
	assert.Equal(t, before, cs.WireID(c))
	assert.Equal(t, c, cs.ByWire(before))
	assert.Equal(t, []*Class{c}, cs.Declared())
	assert.Contains(t, cs.List(), c)
	assert.Equal(t, "ctf shared/flag.lua:3", c.Spec().Source)
	assert.Nil(t, cs.Lookup("Thing").Spec())
	assert.Equal(t, 10, c.Groups(), "one group per field, and that of creation")
	bits := 0
	for g := range c.Groups() {
		for _, cell := range c.Cells(g) {
			bits += cell.Bits
		}
	}
	assert.Equal(t, 3+8+1+3*24+3*9+64+15, bits)

	w := NewWorld(cs)
	declare(t, w, "ThingData", "plain", "")
	o, err := w.New("Flag", nil)
	require.NoError(t, err)
	assert.IsType(t, new(NetObject), o)
	assert.Equal(t, []Value{Number(0), Number(0), Bool(false), Nil(), Vec(Vec3{}), String(""), Rotation(Rot{}), Number(1), Nil()}, fieldValues(o))
	values := []row{
		{"team", Number(3)}, {"warmth", Number(1)}, {"on", Bool(true)}, {"carrier", Handle(o.Ident().ID())},
		{"place", Vec(Vec3{1.25, -0.07, 65536})}, {"title", String("the red one")}, {"facing", Rotation(Rot{90, 0, 180})},
		{"mass", Number(1e9)}, {"style", String("plain")},
	}
	other, err := w.New("Flag", nil)
	require.NoError(t, err)
	w.ClearMarks()
	for i, r := range values {
		require.NoError(t, setter(r)(o))
		assert.Equal(t, uint32(1)<<(i+2)-2, o.Ident().Dirty())
	}
	assert.NotEqual(t, fieldValues(o), fieldValues(other), "each object has cells of its own")
	var v Values
	for g := range c.Groups() {
		c.Quantise(o, g, &v)
		require.NoError(t, c.Restore(other, g, &v))
	}
	assert.Equal(t, fieldValues(o), fieldValues(other))
	assert.EqualError(t, setter(row{"team", Number(8)})(o), "team must be a whole number from 0 to 7, got 8")
	assert.EqualError(t, setter(row{"carrier", String("x")})(o), `carrier must be an object of class NetObject or nil, got "x"`)
}

// TestDeclaredAsRegistered checks that declared fields have the same cells as fields written in Go.
func TestDeclaredAsRegistered(t *testing.T) {
	cs := testClasses(t)
	require.NoError(t, cs.Register(Class{Name: "GoFlag", Parent: "NetObject", New: func() Object { return new(testObject) }, Fields: []Field{
		IntField("team", 1, 0, 7, func(t *testObject) *int { return &t.slot }),
		FloatField("warmth", 2, 0, 1, func(t *testObject) *float64 { return &t.energy }).WithBits(8),
		VecField("place", 3, PointRange, func(t *testObject) *Vec3 { return &t.at }).WithStep(0.01),
		BoolField("on", 4, func(t *testObject) *bool { return &t.lit }),
	}}))
	cs = cs.Session()
	a, b := cs.Lookup("GoFlag"), declared(t, cs, flagSpec(teamSpec, heatSpec, placeSpec, onSpec))
	require.Equal(t, a.Groups(), b.Groups())
	for g := range a.Groups() {
		require.Equal(t, len(a.Cells(g)), len(b.Cells(g)))
		for i, cell := range a.Cells(g) {
			other := b.Cells(g)[i]
			assert.Equal(t, cell.Field.Name, other.Field.Name)
			cell.Field, other.Field = nil, nil
			assert.Equal(t, cell, other)
		}
	}
}

func TestFieldsOfOneGroupAreAdjacent(t *testing.T) {
	in := func(group string, f FieldSpec) FieldSpec { f.Group = group; return f }
	c := declared(t, session(t), flagSpec(in("look", teamSpec), placeSpec, in("look", heatSpec), in("other", onSpec), in("other", textSpec), in("look", turnSpec)))
	assert.Equal(t, 4, c.Groups())
	var got []string
	for _, f := range c.AllFields() {
		got = append(got, fmt.Sprint(f.Group, " ", f.Name))
	}
	assert.Equal(t, []string{"1 team", "1 warmth", "1 facing", "2 place", "3 on", "3 title"}, got)
}

func TestInheritFromGoAndFromDeclared(t *testing.T) {
	cs := session(t)
	flag := declared(t, cs, ClassSpec{Name: "Flag", Parent: "thing", Fields: []FieldSpec{teamSpec, {Name: "hits", Kind: KindNumber, Whole: true, Hi: 9, Default: Number(4)}}})
	big := declared(t, cs, ClassSpec{Name: "BigFlag", Parent: "Flag", Fields: []FieldSpec{heatSpec, {Name: "keeper", Kind: KindObject, Class: "BIGFLAG"}}})
	assert.True(t, big.IsA(flag) && big.IsA(cs.Lookup("Thing")))
	assert.Equal(t, "ThingData", big.DataBlock)
	assert.Equal(t, 6+2+2, big.Groups())
	assert.Equal(t, flag.Cells(7), big.Cells(7))

	w := NewWorld(cs)
	declare(t, w, "ThingData", "plain", "")
	_, err := w.New("BigFlag", nil)
	require.EqualError(t, err, "a new BigFlag needs a dataBlock of class ThingData")
	a, err := w.New("BigFlag", setter(row{"dataBlock", String("plain")}, row{"team", Number(2)}, row{"warmth", Number(0.5)}))
	require.NoError(t, err)
	b, err := w.New("Flag", setter(row{"dataBlock", String("plain")}, row{"team", Number(5)}))
	require.NoError(t, err)
	assert.IsType(t, new(testObject), a)
	assert.Equal(t, Number(2), flag.Lookup("team").Get(a), "the parent's field is the heir's")
	assert.Equal(t, Number(5), flag.Lookup("team").Get(b))
	assert.Equal(t, Number(4), big.Lookup("hits").Get(a))
	require.NoError(t, setter(row{"keeper", Handle(a.Ident().ID())})(a))
	assert.Error(t, setter(row{"keeper", Handle(b.Ident().ID())})(a), "it is no BigFlag")
	var flags int
	w.Each(flag, func(Object) bool { flags++; return true })
	assert.Equal(t, 2, flags)
}

func TestDeclareClassRefuses(t *testing.T) {
	field := func(f FieldSpec) ClassSpec { return flagSpec(f) }
	number := func(lo, hi float64) FieldSpec { return FieldSpec{Name: "x", Kind: KindNumber, Lo: lo, Hi: hi} }
	many := func(n int, group string) ClassSpec {
		s := flagSpec()
		for i := range n {
			s.Fields = append(s.Fields, FieldSpec{Name: fmt.Sprint("f", i), Kind: KindBool, Group: group})
		}
		return s
	}
	step, whole, wide, high := number(0, 1e9), number(0.5, 2), number(0, 1), number(0, 1)
	step.Step, whole.Whole, wide.Bits, high.Default = 0.01, true, 33, Number(2)
	nan := math.NaN()
	for _, c := range []struct {
		spec ClassSpec
		want string
	}{
		{ClassSpec{Name: "thing", Source: "b.lua:1"}, "class thing cannot be declared at b.lua:1: the engine has a class Thing"},
		{ClassSpec{Name: "OLD", Source: "b.lua:2"}, "class OLD cannot be declared at b.lua:2: it is already declared at a.lua:1"},
		{ClassSpec{Name: "9x"}, "class 9x: the name must consist of letters, digits and _"},
		{ClassSpec{Name: "X", Parent: "Thng"}, `class X: unknown class "Thng", did you mean "Thing"?`},
		{ClassSpec{Name: "X", Parent: "SimSet"}, "class X: it cannot inherit from SimSet: only classes with ghosts can be inherited from"},
		{ClassSpec{Name: "X", Parent: "ThingData"}, "class X: it cannot inherit from ThingData: only classes with ghosts can be inherited from"},
		{ClassSpec{Name: "X", Parent: "Base"}, "class X: it cannot inherit from Base: use one of Heir"},
		{ClassSpec{Name: "X", Parent: "Thing", Fields: []FieldSpec{{Name: "ENERGY", Kind: KindBool}}}, `class X: duplicate field "ENERGY"`},
		{flagSpec(teamSpec, teamSpec), `class Flag: duplicate field "team"`},
		{field(FieldSpec{Name: "a b", Kind: KindBool}), `class Flag: field "a b": the name must consist of letters, digits and _`},
		{field(FieldSpec{Name: "name", Kind: KindBool}), `class Flag: field "name": the name is reserved`},
		{field(FieldSpec{Name: "x", Kind: KindTag}), `class Flag: field "x": a field cannot have kind tag`},
		{field(FieldSpec{Name: "x"}), `class Flag: field "x": a field cannot have kind nil`},
		{field(number(2, 1)), `class Flag: field "x": the range is empty`},
		{field(number(nan, 1)), `class Flag: field "x": the range is empty`},
		{field(number(0, nan)), `class Flag: field "x": the range is empty`},
		{field(number(math.Inf(1), math.Inf(1))), `class Flag: field "x": the range is empty`},
		{field(whole), `class Flag: field "x": the range of whole numbers must begin and end with one`},
		{field(wide), `class Flag: field "x": a width must be 2 to 32 bits, of a float, vec or rot`},
		{field(step), `class Flag: field "x": its range has too many steps: they take 37 bits, the maximum is 32`},
		{field(high), "class Flag: the default is wrong: x must be a number from 0 to 1, got 2"},
		{field(FieldSpec{Name: "x", Kind: KindString}), `class Flag: field "x": the maximum text length must be above 0`},
		{field(FieldSpec{Name: "x", Kind: KindString, Max: 1025}), `class Flag: field "x": text of 1025 bytes: must be at most 1024`},
		{field(FieldSpec{Name: "x", Kind: KindObject, Class: "Thng"}), `class Flag: field "x": unknown class "Thng", did you mean "Thing"?`},
		{field(FieldSpec{Name: "x", Kind: KindObject, Default: Handle(3)}), `class Flag: field "x": an object field cannot have a default`},
		{field(FieldSpec{Name: "dataBlock", Kind: KindObject, Class: "Thing"}), `class Flag: field "dataBlock": Thing is not a datablock class`},
		{many(32, ""), `class Flag: field "f31": group 32 exceeds the maximum 31; join fields with group=name`},
		{many(65, "a"), "class Flag: it has 65 fields, the maximum is 64"},
	} {
		classes := testClasses(t)
		require.NoError(t, classes.Register(Class{Name: "Base", Parent: "NetObject", Abstract: true}))
		require.NoError(t, classes.Register(Class{Name: "Heir", Parent: "Base", New: func() Object { return new(testObject) }}))
		cs := classes.Session()
		declared(t, cs, ClassSpec{Name: "Old", Source: "a.lua:1"})
		_, err := cs.Declare(c.spec)
		assert.EqualError(t, err, c.want)
		assert.Len(t, cs.Declared(), 1, "an error changes nothing")
	}
	for _, n := range []int{31, 64} {
		declared(t, session(t), many(n, map[int]string{64: "a"}[n]))
	}
}

func TestSessions(t *testing.T) {
	base := testClasses(t)
	hash := base.Hash()
	a, b := base.Session(), base.Session()
	declared(t, a, flagSpec(teamSpec))
	second := declared(t, a, ClassSpec{Name: "Ant", Parent: "Flag"})
	assert.Nil(t, b.Lookup("Flag"))
	assert.Nil(t, base.Lookup("Flag"))
	assert.Equal(t, hash, a.Hash(), "declared classes are described, not agreed on")
	assert.Equal(t, len(base.wire)+1, a.WireID(second), "the order is that of declaration")
	assert.Nil(t, a.Session().Lookup("Flag"))
	assert.Equal(t, base.wire, a.Session().wire)
	_, err := base.Declare(flagSpec())
	assert.EqualError(t, err, "class Flag: classes can only be declared on a host")
	assert.EqualError(t, a.Register(Class{Name: "Late", New: func() Object { return new(SimObject) }}),
		"class Late: must be registered before the first host is made")

	a.ClearDeclared()
	assert.Empty(t, a.Declared())
	assert.Nil(t, a.Lookup("Flag"))
	assert.Equal(t, base.list, a.list)
	assert.Equal(t, base.wire, a.wire)
	again := declared(t, a, ClassSpec{Name: "Ant"})
	assert.Equal(t, len(base.wire), a.WireID(again))
}

func TestClassLimit(t *testing.T) {
	cs := session(t)
	for i := len(cs.wire); i < 1<<classBits; i++ {
		declared(t, cs, ClassSpec{Name: fmt.Sprint("C", i)})
	}
	_, err := cs.Declare(ClassSpec{Name: "More"})
	assert.EqualError(t, err, "class More: too many net and block classes: the maximum is 1024, and reloads count until the server restarts")
}

func TestDeclaredFieldsDoNotAllocate(t *testing.T) {
	cs := session(t)
	c := declared(t, cs, everyKind())
	w := NewWorld(cs)
	o, err := w.New("Flag", nil)
	require.NoError(t, err)
	team := c.Lookup("team")
	var v Values
	n := 0.0
	all := func() {
		n = 1 - n
		_ = team.Set(o, Number(n))
		for g := range c.Groups() {
			c.Quantise(o, g, &v)
			_ = c.Restore(o, g, &v)
		}
	}
	all()
	assert.Zero(t, testing.AllocsPerRun(100, all))
}

// TestGhostFitsPacket checks that a class is refused if its objects might not fit into a
// packet, for Go classes and declared classes.
func TestGhostFitsPacket(t *testing.T) {
	vecs := func(n int) (fields []FieldSpec) {
		for i := range n {
			fields = append(fields, FieldSpec{Name: fmt.Sprint("v", i), Group: "a", Kind: KindVec, Lo: -1, Hi: 1})
		}
		return fields
	}
	cs := NewClasses().Session()
	_, err := cs.Declare(ClassSpec{Name: "Most", Fields: vecs(39)}) // each is 28 bytes with its mask bits
	require.NoError(t, err)
	_, err = cs.Declare(ClassSpec{Name: "TooMuch", Fields: vecs(40)})
	require.EqualError(t, err, "class TooMuch: an object can take 1120 bytes of a packet, the maximum is 1100: shorten its texts or give its numbers a width")
	require.Nil(t, cs.Lookup("TooMuch"))
	_, err = cs.Declare(ClassSpec{Name: "Heir", Parent: "Most", Fields: []FieldSpec{{Name: "text", Kind: KindString, Max: 20}}})
	require.ErrorContains(t, err, "1124 bytes of a packet")
	_, err = cs.Declare(ClassSpec{Name: "Sign", Fields: []FieldSpec{{Name: "text", Kind: KindString, Max: MaxDeclaredText}}})
	require.NoError(t, err)
	require.ErrorContains(t, NewClasses().Register(Class{
		Name: "Book", Parent: "NetObject", New: func() Object { return new(NetObject) },
		Fields: []Field{TextField("text", 0, 2000, func(o *NetObject) *string { return &o.name })},
	}), "bytes of a packet")
}

// TestDeepInheritanceCost checks the cost of hundreds of classes that derive from each
// other. A server can declare them, and its clients make objects of the last one.
func TestDeepInheritanceCost(t *testing.T) {
	cs := NewClasses().Session()
	parent := ""
	for i := range 500 {
		spec := ClassSpec{Name: fmt.Sprint("Heir", i), Parent: parent}
		if i%50 == 0 {
			spec.Fields = []FieldSpec{{Name: fmt.Sprint("f", i), Kind: KindNumber, Lo: 0, Hi: 1000, Default: Number(float64(i))}}
		}
		_, err := cs.Declare(spec)
		require.NoError(t, err)
		parent = spec.Name
	}
	last := cs.Lookup(parent)
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() { last.New() }), 12.0)
	o := NewWorld(cs).Make(last)
	for i := 0; i < 500; i += 50 {
		require.Equal(t, Number(float64(i)), last.Lookup(fmt.Sprint("f", i)).Get(o))
	}
}
