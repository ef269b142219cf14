package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	cs := testClasses(t)
	c, err := cs.Find("tHiNg")
	require.NoError(t, err)
	assert.Equal(t, "Thing", c.Name)
	assert.Equal(t, "ThingData", c.DataBlock)
	_, err = cs.Find("Thinf")
	assert.EqualError(t, err, `unknown class "Thinf", did you mean "Thing"?`)
	_, err = cs.Find("Volcano")
	assert.EqualError(t, err, `unknown class "Volcano"`)
	assert.Equal(t, "SimGroup", cs.Nearest("simgrop"))
}

func TestInheritance(t *testing.T) {
	cs := testClasses(t)
	big, data := cs.Lookup("BigData"), cs.Lookup("ThingData")
	assert.True(t, big.IsA(data))
	assert.True(t, big.IsA(cs.Lookup("SimObject")))
	assert.False(t, data.IsA(big))
	assert.Equal(t, BlockClass, big.Kind)
	assert.Equal(t, data, big.ParentClass())
	all := big.AllFields()
	assert.Equal(t, "mass", all[0].Name, "inherited ones first")
	assert.Equal(t, "size", all[len(all)-1].Name)
	assert.Equal(t, Number(1), data.Default(data.Lookup("mass")))
	assert.Equal(t, Number(0), big.Default(big.Lookup("mass")), "New is the one truth")
	assert.Equal(t, Number(10), big.Default(big.Lookup("size")))
}

func TestRegisterRefuses(t *testing.T) {
	new := func() Object { return new(testObject) }
	at := func(t *testObject) *float64 { return &t.energy }
	float := func(name string, group uint8) Field { return FloatField(name, group, 0, 1, at) }
	net := func(fields ...Field) Class {
		return Class{Name: "X", Parent: "NetObject", New: new, Fields: fields}
	}
	many := make([]Field, MaxFields+1)
	for i := range many {
		many[i] = float("f"+string(rune('a'+i/26))+string(rune('a'+i%26)), 1)
	}
	huge := TextField("t", 0, MaxBlockSize, func(d testBlockUser) *string { return &d.thing().text })
	for _, c := range []struct {
		class Class
		want  string
	}{
		{Class{Name: "thing", New: new}, "class Thing is already registered"},
		{Class{Name: "", New: new}, `class "": the name must consist of letters, digits and _`},
		{Class{Name: "9x", New: new}, `class "9x": the name must consist of letters, digits and _`},
		{Class{Name: "X", Parent: "Thng", New: new}, `class X: unknown class "Thng", did you mean "Thing"?`},
		{Class{Name: "X"}, "class X: New is missing"},
		{Class{Name: "X", Parent: "NetObject", Kind: BlockClass, New: new}, "class X: its kind differs from that of its parent NetObject"},
		{Class{Name: "X", Parent: "SimDataBlock", New: new}, "class X: objects must embed Block if, and only if, the class is a block class"},
		{net(float("a", 1), float("A", 1)), `class X: duplicate field "A"`},
		{net(float("Name", 1)), `class X: field "Name": the name is reserved`},
		{net(float("a b", 1)), `class X: field "a b": the name must consist of letters, digits and _`},
		{net(float("a", 32)), `class X: field "a": group 32: must be at most 31`},
		{net(float("a", 1), float("b", 2), float("c", 1)), "class X: the fields of group 1 must be adjacent"},
		{net(FloatField("a", 1, 2, 1, at)), `class X: field "a": the range is empty`},
		{net(FloatField("a", 1, 5, 9, at)), "class X: the default is wrong: a must be a number from 5 to 9, got 0"},
		{net(float("a", 1).WithBits(33)), `class X: field "a": a width must be 2 to 32 bits, of a float, vec or rot`},
		{net(many...), "class X: it has 65 fields, the maximum is 64"},
		{Class{Name: "X", Parent: "NetObject", New: func() Object { return &NetObject{} }, Fields: []Field{float("a", 1)}},
			`class X: field "a" does not belong to a *sim.NetObject`},
		{Class{Name: "X", Parent: "SimDataBlock", New: thingDataClass.New, Fields: []Field{huge}},
			"class X: a datablock can take 262339 bytes, the maximum is 262144"},
		{Class{Name: "X", Parent: "SimDataBlock", New: thingDataClass.New, Fields: []Field{
			RefField("r", 0, "Thing", func(d testBlockUser) *ID { return nil })}},
			`class X: field "r": a datablock can refer only to datablocks`},
	} {
		assert.EqualError(t, testClasses(t).Register(c.class), c.want)
	}
}

func TestWireIDs(t *testing.T) {
	cs := testClasses(t)
	for _, c := range cs.List() {
		if c.Kind == PlainClass {
			assert.Equal(t, -1, cs.WireID(c))
			continue
		}
		assert.Equal(t, c, cs.ByWire(cs.WireID(c)))
	}
	assert.Equal(t, "BigData", cs.ByWire(0).Name)
	assert.Nil(t, cs.ByWire(-1))
	assert.Nil(t, cs.ByWire(1000))
}

func TestHash(t *testing.T) {
	base := testClasses(t).Hash()
	assert.Equal(t, base, testClasses(t).Hash())

	other := NewClasses()
	for _, c := range []Class{thingClass, thingDataClass, bigDataClass} { // the order of registration makes no difference
		require.NoError(t, other.Register(c))
	}
	require.NoError(t, other.Register(Class{Name: "Plain", Parent: "ScriptObject", New: func() Object { return new(ScriptObject) }}))
	assert.Equal(t, base, other.Hash(), "plain classes do not count")

	changes := map[string]func(c *Class){
		"name":    func(c *Class) { c.Fields[0].Name = "weight" },
		"range":   func(c *Class) { c.Fields[1].Hi = 2 },
		"width":   func(c *Class) { c.Fields[1].Bits = 9 },
		"default": func(c *Class) { c.New = func() Object { return &testBlock{mass: 2} } },
		"fields":  func(c *Class) { c.Fields = c.Fields[1:] },
	}
	for name, change := range changes {
		cs, c := NewClasses(), thingDataClass
		c.Fields = append([]Field(nil), c.Fields...)
		change(&c)
		require.NoError(t, cs.Register(c))
		require.NoError(t, cs.Register(bigDataClass))
		require.NoError(t, cs.Register(thingClass))
		assert.NotEqual(t, base, cs.Hash(), name)
	}

	registered := *testClasses(t).Lookup(thingDataClass.Name)
	registered.Fields = registered.Fields[1:]
	cs := NewClasses()
	require.NoError(t, cs.Register(registered))
	require.NoError(t, cs.Register(bigDataClass))
	require.NoError(t, cs.Register(thingClass))
	assert.NotEqual(t, base, cs.Hash(), "a class that was registered elsewhere, with a change")
}
