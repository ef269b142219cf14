package sim

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

func packClass(t testing.TB, cs *Classes, c *Class) []byte {
	out := bitstream.NewWriter(make([]byte, 8192))
	cs.PackClass(out, c)
	require.NoError(t, out.Err())
	return append([]byte(nil), out.Bytes()...)
}

func unpackClass(cs *Classes, b []byte) (*Class, error) {
	return cs.UnpackClass(bitstream.NewReader(b))
}

// requireSameClass compares everything of two classes that affects the wire.
func requireSameClass(t testing.TB, a, b *Class) {
	require.Equal(t, a.Name, b.Name)
	require.Equal(t, a.wire, b.wire)
	require.Equal(t, a.parent.Name, b.parent.Name)
	require.Equal(t, a.Groups(), b.Groups())
	require.Equal(t, len(a.fields), len(b.fields))
	for i, f := range a.fields {
		g := *b.fields[i]
		g.fits, g.place = nil, nil
		near := *f
		near.fits, near.place = nil, nil
		require.Equal(t, near, g)
		if f.Bits == 0 && f.Step == 0 {
			require.Equal(t, a.Default(f), b.Default(b.fields[i]), f.Name)
		}
	}
	require.Equal(t, len(a.spec.Fields), len(b.spec.Fields))
}

// wireSpecs returns classes that differ in every property of a description.
func wireSpecs() []ClassSpec {
	in := func(group string, value Value, f FieldSpec) FieldSpec { f.Group, f.Default = group, value; return f }
	return []ClassSpec{
		everyKind(),
		{Name: "Empty"},
		{Name: "Heir", Parent: "Flag", Fields: []FieldSpec{{Name: "x", Kind: KindNumber, Lo: -3, Hi: 5, Step: 0.25}, {Name: "keeper", Kind: KindObject, Class: "Heir"}}},
		{Name: "Goods", Parent: "Thing", Fields: []FieldSpec{
			in("a", Number(5), teamSpec), in("b", Nil(), placeSpec), in("a", Number(1), heatSpec),
			in("c", String("a title"), textSpec), in("c", Bool(true), onSpec), in("", Number(77), exactSpec),
			in("", Rotation(Rot{90, 0, 0}), turnSpec),
		}},
	}
}

func TestPackAndUnpackClasses(t *testing.T) {
	near, far := session(t), session(t)
	for _, spec := range wireSpecs() {
		c := declared(t, near, spec)
		got, err := unpackClass(far, packClass(t, near, c))
		require.NoError(t, err)
		requireSameClass(t, c, got)
		assert.Equal(t, packClass(t, near, c), packClass(t, far, got))
	}
	assert.Equal(t, Number(5), far.Lookup("Goods").Default(far.Lookup("Goods").Lookup("team")))

	// The decoded classes can be declared again.
	third := session(t)
	for _, c := range far.Declared() {
		requireSameClass(t, c, declared(t, third, *c.Spec()))
	}

	w := NewWorld(far)
	declare(t, w, "ThingData", "plain", "")
	o, err := w.New("Goods", setter(row{"dataBlock", String("plain")}, row{"team", Number(1)}))
	require.NoError(t, err)
	assert.IsType(t, new(testObject), o)
	far.ClearDeclared()
	_, err = unpackClass(far, packClass(t, near, near.Declared()[0]))
	assert.NoError(t, err, "another server, another set of classes")
}

func TestDescriptionIsShort(t *testing.T) {
	cs := session(t)
	assert.LessOrEqual(t, len(packClass(t, cs, declared(t, cs, everyKind()))), 160)
}

func TestTruncatedClassesAreRefused(t *testing.T) {
	near, far := session(t), session(t)
	for _, spec := range wireSpecs() {
		c := declared(t, near, spec)
		b := packClass(t, near, c)
		before := len(far.Declared())
		for n := range b {
			_, err := unpackClass(far, b[:n])
			require.Error(t, err, "%s: %d of %d bytes", spec.Name, n, len(b))
			require.Len(t, far.Declared(), before)
		}
		_, err := unpackClass(far, b)
		require.NoError(t, err)
	}
}

// forgedClass is a description that no correct peer sends.
type forgedClass struct {
	id, parent, n uint64
	name          string
	rows          []Field
	joins         bool
}

func (f forgedClass) bytes() []byte {
	out := bitstream.NewWriter(make([]byte, 8192))
	describeClass(&out.Codec, &f.id, &f.parent, &f.n, &f.name)
	for i := range f.rows {
		joins := f.joins
		f.rows[i].describeRow(&out.Codec, &joins)
		if f.rows[i].Kind != KindObject {
			out.WriteFlag(false)
		}
	}
	return out.Bytes()
}

func TestForgedClasses(t *testing.T) {
	cs := session(t)
	net, data := uint64(cs.Lookup("NetObject").wire), uint64(cs.Lookup("ThingData").wire)
	next := uint64(len(cs.wire))
	many := func(n int) (rows []Field) {
		for i := range n {
			rows = append(rows, Field{Name: "f" + string(rune('a'+i/26)) + string(rune('a'+i%26)), Kind: KindBool})
		}
		return rows
	}
	with := func(f Field) forgedClass { f.Name = "x"; return forgedClass{next, net, 1, "A", []Field{f}, false} }
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		what string
		f    forgedClass
		want string
	}{
		{"an id left out", forgedClass{id: next + 1, parent: net, name: "A"}, errClassOrder.Error()},
		{"an id that is taken", forgedClass{id: next - 1, parent: net, name: "A"}, errClassOrder.Error()},
		{"no parent", forgedClass{id: next, parent: 1000, name: "A"}, errClassParent.Error()},
		{"itself as parent", forgedClass{id: next, parent: next, name: "A"}, errClassParent.Error()},
		{"a datablock's class as parent", forgedClass{id: next, parent: data, name: "A"}, "only classes with ghosts"},
		{"a name that is none", forgedClass{id: next, parent: net, name: "a\x1bb"}, `class "a\x1bb": the name must consist`},
		{"no name", forgedClass{id: next, parent: net}, "the name must consist"},
		{"the name of a Go class", forgedClass{id: next, parent: net, name: "THING"}, "the engine has a class Thing"},
		{"too many fields", forgedClass{next, net, 65, "A", many(65), true}, bitstream.ErrRange.Error()},
		{"too many groups", forgedClass{next, net, 32, "A", many(32), false}, errClassGroups.Error()},
		{"two fields of a name", forgedClass{next, net, 2, "A", []Field{many(1)[0], many(1)[0]}, false}, "duplicate field"},
		{"a field without a name", forgedClass{next, net, 1, "A", []Field{{Kind: KindBool}}, false}, "the name must consist"},
		{"kind nil", with(Field{}), "a field cannot have kind nil"},
		{"kind tag", with(Field{Kind: KindTag}), "a field cannot have kind tag"},
		{"a range from NaN", with(Field{Kind: KindNumber, Lo: nan, Hi: 1}), "the range is empty"},
		{"a range to NaN", with(Field{Kind: KindNumber, Hi: nan}), "the range is empty"},
		{"a range backwards", with(Field{Kind: KindNumber, Lo: 1}), "the range is empty"},
		{"a range of no numbers", with(Field{Kind: KindNumber, Lo: -inf, Hi: -inf}), "the range is empty"},
		{"endless whole numbers", with(Field{Kind: KindNumber, Whole: true, Hi: inf}), "whole numbers must be between"},
		{"whole numbers and a half", with(Field{Kind: KindNumber, Whole: true, Hi: 0.5}), "whole number"},
		{"a width of one bit", with(Field{Kind: KindNumber, Hi: 1, Bits: 1}), "a width must be 2 to 32 bits"},
		{"a width of 63 bits", with(Field{Kind: KindRot, Bits: 63}), "a width must be 2 to 32 bits"},
		{"a width of the endless", with(Field{Kind: KindVec, Lo: -inf, Hi: inf, Bits: 9}), "a width needs a finite range"},
		{"a step of NaN", with(Field{Kind: KindNumber, Hi: 1, Step: nan}), "a step must be"},
		{"a tiny step", with(Field{Kind: KindVec, Lo: -1, Hi: 1, Step: math.SmallestNonzeroFloat64}), "too many steps"},
		{"a huge step", with(Field{Kind: KindVec, Lo: 1, Hi: 2, Step: math.MaxFloat64}), "no multiple"},
		{"a text of no bytes", with(Field{Kind: KindString}), "the maximum text length"},
		{"a text too long", with(Field{Kind: KindString, Max: 2000}), "must be at most 1024"},
		{"a reference to no class", with(Field{Kind: KindObject, Class: "Nothing"}), `unknown class "Nothing"`},
	} {
		_, err := unpackClass(cs, c.f.bytes())
		assert.ErrorContains(t, err, c.want, c.what)
		assert.Empty(t, cs.Declared(), c.what)
	}
	c, err := unpackClass(cs, forgedClass{next, net, 64, "A", many(64), true}.bytes())
	require.NoError(t, err)
	assert.Equal(t, 2, c.Groups(), "the first field joins nothing of the parent's")
}

// TestForgedDefault checks a default that the field does not accept.
func TestForgedDefault(t *testing.T) {
	cs := session(t)
	out := bitstream.NewWriter(make([]byte, 256))
	f := forgedClass{id: uint64(len(cs.wire)), parent: uint64(cs.Lookup("NetObject").wire), n: 1, name: "A"}
	describeClass(&out.Codec, &f.id, &f.parent, &f.n, &f.name)
	x, joins := 5.0, false
	(&Field{Name: "x", Kind: KindNumber, Hi: 1}).describeRow(&out.Codec, &joins)
	out.WriteFlag(true)
	out.Float64(&x)
	_, err := unpackClass(cs, out.Bytes())
	assert.ErrorIs(t, err, bitstream.ErrRange)
}

// TestUnpackClassAllocationIsBounded checks that a field count without fields allocates no
// memory for them.
func TestUnpackClassAllocationIsBounded(t *testing.T) {
	cs := session(t)
	b := forgedClass{id: uint64(len(cs.wire)), parent: uint64(cs.Lookup("NetObject").wire), n: 64, name: "A"}.bytes()
	assert.Less(t, leastAllocated(func() {
		_, err := unpackClass(cs, b)
		require.Error(t, err)
	}), uint64(4096))
}

// FuzzUnpackClass decodes random descriptions on a client. An accepted class must have working
// objects.
func FuzzUnpackClass(f *testing.F) {
	near := session(f)
	for _, spec := range wireSpecs() {
		f.Add(packClass(f, near, declared(f, near, spec)))
	}
	base := testClasses(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		cs := base.Session()
		c, err := unpackClass(cs, b)
		if err != nil {
			require.Empty(t, cs.Declared())
			require.Equal(t, base.wire, cs.wire)
			return
		}
		again := base.Session()
		got, err := unpackClass(again, packClass(t, cs, c))
		require.NoError(t, err)
		requireSameClass(t, c, got)
		w := NewWorld(cs)
		o := w.Make(c)
		w.Add(o)
		var v Values
		for g := range c.Groups() {
			c.Quantise(o, g, &v)
			require.NoError(t, c.Restore(o, g, &v))
			for i, cell := range c.Cells(g) {
				require.True(t, cell.Kind != CellBits || bitsOf(v.Cells[i]) <= cell.Bits)
			}
		}
	})
}
