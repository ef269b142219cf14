package sim

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

func TestSet(t *testing.T) {
	w := testWorld(t)
	plain := w.Blocks.ByName("plain")
	other := newThing(t, w)
	stranger, err := w.New("SimObject", nil)
	require.NoError(t, err)
	for _, c := range []struct {
		field string
		value Value
		want  Value
		err   string
	}{
		{"energy", Number(42.5), Number(42.5), ""},
		{"ENERGY", Number(100), Number(100), ""},
		{"energy", Number(100.1), Nil(), "energy must be a number from 0 to 100, got 100.1"},
		{"energy", String("x"), Nil(), `energy must be a number from 0 to 100, got "x"`},
		{"energy", Nil(), Nil(), "energy must be a number from 0 to 100, got nil"},
		{"energy", Number(math.NaN()), Nil(), "energy must be a number from 0 to 100, got nan"},
		{"slot", Number(31), Number(31), ""},
		{"slot", Number(3.5), Nil(), "slot must be a whole number from 0 to 31, got 3.5"},
		{"lit", Bool(true), Bool(true), ""},
		{"lit", Number(1), Nil(), "lit must be true or false, got 1"},
		{"at", Vec(Vec3{1, -1000, 1000}), Vec(Vec3{1, -1000, 1000}), ""},
		{"at", Vec(Vec3{1, -1000.5, 0}), Nil(), "at must be a vec with components from -1000 to 1000, got vec(1 -1000.5 0)"},
		{"at", Number(3), Nil(), "at must be a vec with components from -1000 to 1000, got 3"},
		{"turn", Rotation(Rot{10, 20, 700}), Rotation(Rot{10, 20, 700}), ""},
		{"turn", Rotation(Rot{math.Inf(1), 0, 0}), Nil(), "turn must be a rot, got rot(+Inf 0 0)"},
		{"label", String("sixteen letters!"), String("sixteen letters!"), ""},
		{"label", Tag("tagged"), String("tagged"), ""},
		{"label", String("seventeen letters"), Nil(), `label must be a string of at most 16 bytes, got "seventeen letters"`},
		{"label", String(strings.Repeat("x", 99)), Nil(), `label must be a string of at most 16 bytes, got "` + strings.Repeat("x", 40) + `"... (99 bytes)`},
		{"friend", Handle(other.ID()), Handle(other.ID()), ""},
		{"friend", Nil(), Nil(), ""},
		{"friend", Handle(stranger.Ident().ID()), Nil(), "friend must be an object of class Thing or nil, got " + Handle(stranger.Ident().ID()).Literal()},
		{"friend", Handle(99999), Nil(), "friend must be an object of class Thing or nil, got object 99999"},
		{"dataBlock", String("PLAIN"), Handle(plain.Ident().ID()), ""},
		{"dataBlock", Handle(plain.Ident().ID()), Handle(plain.Ident().ID()), ""},
		{"dataBlock", Handle(other.ID()), Nil(), "dataBlock must be a datablock of class ThingData or nil, got " + Handle(other.ID()).Literal()},
		{"dataBlock", String("pain"), Nil(), `dataBlock must be a datablock of class ThingData or nil, got "pain"`},
		{"enrgy", Number(1), Nil(), `unknown field "enrgy" of Thing, did you mean "energy"?`},
		{"zzz", Number(1), Nil(), `unknown field "zzz" of Thing`},
	} {
		o := newThing(t, w)
		before := fieldValues(o)
		err := setter(row{c.field, c.value})(o)
		if c.err != "" {
			assert.EqualError(t, err, c.err)
			assert.Equal(t, before, fieldValues(o), "a refused value changes nothing")
			continue
		}
		require.NoError(t, err, c.field)
		assert.Equal(t, c.want, o.Class().Lookup(c.field).Get(o), c.field)
	}
}

// fieldValues returns the values of all fields of o.
func fieldValues(o Object) []Value {
	var vs []Value
	for _, f := range o.Ident().Class().AllFields() {
		vs = append(vs, f.Get(o))
	}
	return vs
}

func TestUnlimitedRanges(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{math.Inf(-1), math.Inf(1), "x must be a number, got nil"},
		{0, math.Inf(1), "x must be a number of at least 0, got nil"},
		{math.Inf(-1), 7, "x must be a number of at most 7, got nil"},
	} {
		f := FloatField("x", 0, c.lo, c.hi, func(t *testObject) *float64 { return &t.energy })
		assert.EqualError(t, f.Set(new(testObject), Nil()), c.want)
		assert.Error(t, f.Set(new(testObject), Number(math.Inf(1))), "no field is infinite")
	}
}

func TestReferenceToDeletedObjectIsNil(t *testing.T) {
	w := testWorld(t)
	friend := newThing(t, w)
	o := newThing(t, w, row{"friend", Handle(friend.ID())})
	require.NoError(t, w.Delete(friend))
	assert.True(t, o.Class().Lookup("friend").Get(o).IsNil())
}

// full returns a thing with every field set.
func full(t testing.TB, w *World) *testObject {
	o := newThing(t, w,
		row{"energy", Number(0.1)}, row{"heat", Number(17)}, row{"slot", Number(9)}, row{"lit", Bool(true)},
		row{"at", Vec(Vec3{0.1, -0.2, 999})}, row{"speed", Vec(Vec3{0, 50, -12})},
		row{"turn", Rotation(Rot{0.1, 720, -3})}, row{"aim", Rotation(Rot{90, -45, 720})}, row{"label", String("hello")})
	o.friend = o.ID()
	return o
}

func TestCodeFieldsRoundTrip(t *testing.T) {
	w := testWorld(t)
	o := full(t, w)
	out := bitstream.NewWriter(make([]byte, 512))
	for _, f := range o.Class().AllFields() {
		f.Serialize(&out.Codec, o)
	}
	require.NoError(t, out.Err())
	in := bitstream.NewReader(out.Bytes())
	far := w.Make(o.Class()).(*testObject)
	for _, f := range o.Class().AllFields() {
		f.Serialize(&in.Codec, far)
		switch f.Name {
		case "heat":
			assert.InDelta(t, o.heat, far.heat, 40.0/4095)
		case "speed":
			assert.InDelta(t, o.speed.Y, far.speed.Y, 100.0/4095)
			assert.InDelta(t, o.speed.Z, far.speed.Z, 100.0/4095)
			assert.Equal(t, 0.0, far.speed.X, "0 is exact")
		case "aim":
			assert.Equal(t, Rot{90, 315, 0}, far.aim)
		default:
			assert.Equal(t, f.Get(o), f.Get(far), f.Name)
		}
	}
	require.NoError(t, in.Err())
	assert.Equal(t, out.Pos(), in.Pos())
}

func TestQuantisedIsStable(t *testing.T) {
	w := testWorld(t)
	o, far, again := full(t, w), newThing(t, w), newThing(t, w)
	for _, f := range o.Class().AllFields() {
		roundTrip(t, f, o, far)
		roundTrip(t, f, far, again)
		assert.Equal(t, f.Get(far), f.Get(again), f.Name)
	}
}

func roundTrip(t *testing.T, f *Field, from, to Object) {
	out := bitstream.NewWriter(make([]byte, 256))
	f.Serialize(&out.Codec, from)
	in := bitstream.NewReader(out.Bytes())
	f.Serialize(&in.Codec, to)
	require.NoError(t, out.Err())
	require.NoError(t, in.Err())
	require.LessOrEqual(t, out.Pos(), f.maxBits(), f.Name)
}

func TestReaderRejectsInvalidValues(t *testing.T) {
	w := testWorld(t)
	for _, x := range []float64{-1, 101, math.NaN(), math.Inf(1), math.Inf(-1)} {
		out := bitstream.NewWriter(make([]byte, 16))
		out.Float64(&x)
		in := bitstream.NewReader(out.Bytes())
		o := newThing(t, w, row{"energy", Number(7)})
		o.Class().Lookup("energy").Serialize(&in.Codec, o)
		assert.ErrorIs(t, in.Err(), bitstream.ErrRange)
		assert.Equal(t, 7.0, o.energy)
	}
}

// shiftedIDs is a view with wire ids that are higher by its value.
type shiftedIDs uint32

func (s shiftedIDs) ToWire(obj uint32) uint32    { return obj + uint32(s) }
func (s shiftedIDs) FromWire(wire uint32) uint32 { return wire - uint32(s) }

func TestReferencesGoThroughTheView(t *testing.T) {
	w := testWorld(t)
	a, b := newThing(t, w), newThing(t, w)
	a.friend = b.ID()
	f := a.Class().Lookup("friend")
	out := bitstream.NewWriter(make([]byte, 16))
	f.Code(Coder{&out.Codec, shiftedIDs(1000)}, a)
	var wire uint64
	raw := bitstream.NewReader(out.Bytes())
	raw.Var(&wire)
	assert.Equal(t, uint64(b.ID())+1000, wire)
	far := newThing(t, w)
	in := bitstream.NewReader(out.Bytes())
	f.Code(Coder{&in.Codec, shiftedIDs(1000)}, far)
	assert.Equal(t, b.ID(), far.friend)

	tooBig := uint64(1) << 32
	out.Reset(make([]byte, 16))
	out.Var(&tooBig)
	in.Reset(out.Bytes())
	f.Serialize(&in.Codec, far)
	assert.ErrorIs(t, in.Err(), bitstream.ErrRange)
}

func TestFieldsTravelWithoutAllocating(t *testing.T) {
	w := testWorld(t)
	o, far := full(t, w), newThing(t, w)
	buf := make([]byte, 512)
	out, in := bitstream.NewWriter(buf), bitstream.NewReader(nil)
	fields := o.Class().AllFields()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		out.Reset(buf)
		for _, f := range fields {
			f.Serialize(&out.Codec, o)
		}
		in.Reset(out.Bytes())
		for _, f := range fields {
			if f.Kind == KindString {
				return // reading a text makes a new string
			}
			f.Serialize(&in.Codec, far)
		}
	}))
	energy, v := o.Class().Lookup("energy"), Number(3)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_ = energy.Set(o, v)
		_ = energy.Get(o)
	}))
}

// upper is a form whose texts are the upper-case letters.
type upper struct{}

func (upper) Pack(*Tree) (string, error) { return "X", nil }

func (upper) Unpack(text string) (*Tree, bool) { return &Tree{}, strings.ToUpper(text) == text }

// TestFieldWithFormHoldsOnlyItsTexts: a script cannot pass by the checks of a form.
func TestFieldWithFormHoldsOnlyItsTexts(t *testing.T) {
	w := testWorld(t)
	f := TextField("look", 0, 4, func(d testBlockUser) *string { return &d.thing().text }).WithForm(upper{})
	o := w.Blocks.ByName("plain")
	for text, ok := range map[string]bool{"": true, "AB": true, "ab": false, "ABCDE": false} {
		_, err := f.accept(o, String(text))
		assert.Equal(t, ok, err == nil, "%q", text)
	}
	_, err := f.accept(o, Number(3))
	assert.EqualError(t, err, "look must be a table, got 3")
}
