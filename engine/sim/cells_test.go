package sim

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

func TestCells(t *testing.T) {
	c := testClasses(t).Lookup("Thing")
	assert.Equal(t, 6, c.Groups())
	f := c.Lookup
	num := func(name, part string, bits int, smooth bool) Cell {
		return Cell{Field: f(name), Part: part, Bits: bits, Smooth: smooth}
	}
	for g, want := range [][]Cell{
		{num("dataBlock", "", 15, false)},
		{num("energy", "", 64, false), num("heat", "", 12, true)},
		{num("slot", "", 5, false), num("lit", "", 1, false)},
		{
			num("at", "x", 64, false), num("at", "y", 64, false), num("at", "z", 64, false),
			num("speed", "x", 12, true), num("speed", "y", 12, true), num("speed", "z", 12, true),
			num("turn", "yaw", 64, false), num("turn", "pitch", 64, false), num("turn", "roll", 64, false),
			num("aim", "yaw", 10, true), num("aim", "pitch", 10, true), num("aim", "roll", 10, true),
		},
		{{Field: f("label"), Kind: CellText, Max: 16}},
		{{Field: f("friend"), Kind: CellRef}},
		nil,
	} {
		assert.Equal(t, want, c.Cells(g), "group %d", g)
	}
	net := testClasses(t).Lookup("NetObject")
	assert.Equal(t, 1, net.Groups())
	assert.Empty(t, net.Cells(0))
}

// TestCellsAreTheBitsOfCode checks that each cell contains the bits that Code writes, and that
// Restore sets the value that Code reads.
func TestCellsAreTheBitsOfCode(t *testing.T) {
	w := testWorld(t)
	o, byCode, byCells := full(t, w), newThing(t, w), newThing(t, w)
	var v Values
	for g := range o.class.Groups() {
		o.class.Quantise(o, g, &v)
		require.NoError(t, o.class.Restore(byCells, g, &v))
		at := 0
		for _, f := range o.class.groups[g].fields {
			out := bitstream.NewWriter(make([]byte, 64))
			f.Serialize(&out.Codec, o)
			in := bitstream.NewReader(out.Bytes())
			if f.Kind != KindString && f.Kind != KindObject {
				for ; at < len(v.Cells) && o.class.Cells(g)[at].Field == f; at++ {
					assert.Equal(t, in.ReadBits(o.class.Cells(g)[at].Bits), v.Cells[at], f.Name)
				}
				assert.Zero(t, in.Left()/8)
			} else {
				at++
			}
			in.Reset(out.Bytes())
			f.Serialize(&in.Codec, byCode)
		}
	}
	assert.Equal(t, fieldValues(byCode), fieldValues(byCells))
	assert.Equal(t, Rot{90, 315, 0}, byCells.aim)
}

func TestRestoreMarksWhatChanged(t *testing.T) {
	w := testWorld(t)
	o, far := full(t, w), newThing(t, w)
	var v Values
	for g := range o.class.Groups() {
		w.ClearMarks()
		o.class.Quantise(o, g, &v)
		require.NoError(t, o.class.Restore(far, g, &v))
		want := uint32(1) << g
		if g == 0 { // both have the same datablock
			want = 0
		}
		assert.Equal(t, want, far.Dirty())
		w.ClearMarks()
		require.NoError(t, o.class.Restore(far, g, &v))
		assert.Zero(t, far.Dirty(), "nothing has changed")
	}
}

func TestRestoreRefuses(t *testing.T) {
	w := testWorld(t)
	o := full(t, w)
	nan, inf := math.Float64bits(math.NaN()), math.Float64bits(math.Inf(1))
	for _, c := range []struct {
		group, cell int
		bits        uint64
		want        string
	}{
		{0, 0, MaxBlocks + 1, "field dataBlock of Thing: value out of range"},
		{1, 0, nan, "field energy of Thing: value out of range"},
		{1, 0, math.Float64bits(100.5), "field energy of Thing: value out of range"},
		{1, 1, 4095, "field heat of Thing: value out of range"},
		{2, 0, 32, "field slot of Thing: value out of range"},
		{2, 1, 2, "field lit of Thing: value out of range"},
		{3, 2, math.Float64bits(1001), "field at of Thing: value out of range"},
		{3, 5, 4095, "field speed of Thing: value out of range"},
		{3, 7, inf, "field turn of Thing: value out of range"},
		{3, 11, 1024, "field aim of Thing: value out of range"},
		{4, 0, 1, "field label of Thing: value out of range"},
		{5, 0, 1 << 32, "field friend of Thing: value out of range"},
	} {
		var v Values
		o.class.Quantise(o, c.group, &v)
		for i := range v.Cells { // every other cell would be a change
			if cell := o.class.Cells(c.group)[i]; cell.Kind == CellBits && cell.Bits < 64 {
				v.Cells[i] = 0
			}
		}
		v.Cells[c.cell] = c.bits
		before := fieldValues(o)
		w.ClearMarks()
		assert.EqualError(t, o.class.Restore(o, c.group, &v), c.want)
		assert.Equal(t, before, fieldValues(o), "an error changes nothing")
		assert.Zero(t, o.Dirty())
	}
	assert.EqualError(t, o.class.Restore(o, 2, &Values{Cells: []uint64{1}}), "group 2 of Thing must have 2 values, got 1")
	assert.EqualError(t, o.class.Restore(o, 9, &Values{Cells: []uint64{1}}), "group 9 of Thing must have 0 values, got 1")
	assert.EqualError(t, o.class.Restore(o, 4, &Values{Cells: []uint64{0}, Texts: []string{"seventeen letters"}}),
		"field label of Thing: value out of range")
}

func TestQuantiseReferenceToDeadObject(t *testing.T) {
	w := testWorld(t)
	o, friend := newThing(t, w), newThing(t, w)
	o.friend = friend.ID()
	var v Values
	o.class.Quantise(o, 5, &v)
	assert.Equal(t, []uint64{uint64(friend.ID())}, v.Cells)
	require.NoError(t, w.Delete(friend))
	o.class.Quantise(o, 5, &v)
	assert.Equal(t, []uint64{0}, v.Cells)
}

// TestQuantiseClampsInvalidFields checks invalid field values that Go code has set. They are
// quantised as the nearest valid value, because the peers did not cause them.
func TestQuantiseClampsInvalidFields(t *testing.T) {
	w := testWorld(t)
	o, far := newThing(t, w), newThing(t, w)
	o.slot, o.energy, o.label, o.data, o.at = 99, math.NaN(), strings.Repeat("x", 99), 65535, Vec3{X: 1e9, Y: -1e9}
	var v Values
	for g := range o.class.Groups() {
		o.class.Quantise(o, g, &v)
		require.NoError(t, o.class.Restore(far, g, &v))
	}
	assert.Equal(t, 31, far.slot)
	assert.Zero(t, far.energy)
	assert.Equal(t, strings.Repeat("x", 16), far.label)
	assert.Equal(t, Vec3{X: 1000, Y: -1000}, far.at)
	o.slot = -1
	o.class.Quantise(o, 2, &v)
	assert.Zero(t, v.Cells[0])
}

// TestTruncatedNumberKeepsField checks that Code does not change the field if the bits end.
func TestTruncatedNumberKeepsField(t *testing.T) {
	o := newThing(t, testWorld(t), row{"energy", Number(7)}, row{"heat", Number(17)})
	for _, name := range []string{"energy", "heat"} {
		f := o.class.Lookup(name)
		before := f.Get(o)
		in := bitstream.NewReader([]byte{0})
		f.Serialize(&in.Codec, o)
		require.Error(t, in.Err())
		assert.Equal(t, before, f.Get(o))
	}
}

func TestQuantiseDoesNotAllocate(t *testing.T) {
	w := testWorld(t)
	o := full(t, w)
	var v Values
	all := func() {
		for g := range o.class.Groups() {
			o.class.Quantise(o, g, &v)
			_ = o.class.Restore(o, g, &v)
		}
	}
	all()
	assert.Zero(t, testing.AllocsPerRun(100, all))
}

// handCodedObject is a thing with a hand-written group coder.
type handCodedObject struct{ testObject }

func handmadeClass() Class {
	code := func(c *GroupCoder, o Object) {
		m := o.(*handCodedObject)
		c.Int(&m.slot, 0, 31)
		c.End("slot")
		if c.Flag(&m.lit); m.lit {
			c.Float64(&m.energy)
		}
		c.End("energy")
	}
	c := Class{Name: "Handmade", Parent: "NetObject", New: func() Object { return new(handCodedObject) }}
	c.Fields = []Field{
		IntField("slot", 1, 0, 31, func(m *handCodedObject) *int { return &m.slot }),
		FloatField("energy", 1, 0, 100, func(m *handCodedObject) *float64 { return &m.energy }),
		BoolField("lit", 2, func(m *handCodedObject) *bool { return &m.lit }),
	}
	c.Coders = map[uint8]func(*GroupCoder, Object){1: code, 4: code}
	c.GroupWeight = [MaxGroups + 1]uint8{1: 7, 2: 8}
	return c
}

func TestHandWrittenCoders(t *testing.T) {
	cs := NewClasses()
	require.NoError(t, cs.Register(handmadeClass()))
	child := Class{Name: "Child", Parent: "Handmade", New: func() Object { return new(handCodedObject) }, GroupWeight: [MaxGroups + 1]uint8{2: 9}}
	require.NoError(t, cs.Register(child))
	for _, name := range []string{"Handmade", "Child"} {
		c := cs.Lookup(name)
		assert.Equal(t, 5, c.Groups())
		assert.Empty(t, c.Cells(1))
		assert.Len(t, c.Cells(2), 1)
		assert.Nil(t, c.Coder(2))
		assert.NotNil(t, c.Coder(4), "a group may have no fields at all")
		assert.Nil(t, c.Coder(9))

		var ends []string
		end := func(field string) { ends = append(ends, field) }
		near, far := &handCodedObject{testObject{slot: 9, lit: true, energy: 4}}, new(handCodedObject)
		out := bitstream.NewWriter(make([]byte, 64))
		c.Coder(1)(&GroupCoder{&out.Codec, end}, near)
		in := bitstream.NewReader(out.Bytes())
		c.Coder(1)(&GroupCoder{&in.Codec, end}, far)
		assert.Equal(t, near, far)
		assert.Equal(t, []string{"slot", "energy", "slot", "energy"}, ends)
	}
	assert.Equal(t, []uint8{0, 7, 9}, cs.Lookup("Child").GroupWeight[:3])

	w := NewWorld(cs.Session())
	o, err := w.New("Handmade", nil)
	require.NoError(t, err)
	w.ClearMarks()
	require.NoError(t, setter(row{"slot", Number(3)})(o))
	assert.Equal(t, uint32(2), o.Ident().Dirty(), "its fields are set and marked as any")

	byTable := handmadeClass()
	byTable.Coders = nil
	other := NewClasses()
	require.NoError(t, other.Register(byTable))
	require.NoError(t, other.Register(child))
	assert.NotEqual(t, cs.Hash(), other.Hash(), "peers must agree on what is coded by hand")
}

func TestRegisterRefusesInvalidCoders(t *testing.T) {
	cs := NewClasses()
	c := handmadeClass()
	c.Coders = map[uint8]func(*GroupCoder, Object){32: c.Coders[1]}
	assert.EqualError(t, cs.Register(c), "class Handmade: a coder is nil or its group is above 31")
	require.NoError(t, cs.Register(handmadeClass()))
	child := Class{Name: "Child", Parent: "Handmade", New: func() Object { return new(handCodedObject) }, Fields: []Field{
		TextField("label", 1, 9, func(m *handCodedObject) *string { return &m.label })}}
	assert.EqualError(t, cs.Register(child), `class Child: field "label": its inherited group 1 has a hand-written coder`)
}
