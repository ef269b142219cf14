package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNumberPlan checks that a plan gives exactly the numbers of its scale.
func TestNumberPlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 41))
	for _, f := range []Field{
		floatOf(0, 1).WithBits(8), floatOf(-10, 30).WithBits(12), floatOf(0.1, 0.7).WithBits(32), floatOf(-50, 50).WithBits(2),
		floatOf(-1e9, 1e9).WithBits(32), floatOf(-1000, 1000).WithStep(0.01), floatOf(0, 1).WithStep(0.3), floatOf(-5, 5).WithStep(10),
		floatOf(-65536, 65536).WithStep(2.5), RotField("x", 1, func(t *testObject) *Rot { return &t.turn }).WithBits(10),
	} {
		s := scaleOf(t, f)
		p := s.numberPlan()
		top := uint64(p.top >> p.far)
		require.LessOrEqual(t, top, s.top)
		require.LessOrEqual(t, s.top-top, uint64(2), "only the highest numbers are not in the plan")
		for i := range uint64(3000) {
			for _, code := range []uint64{min(i, top), top - min(i, top), rng.Uint64N(top + 1)} {
				require.Equal(t, s.at(code), p.value(uint32(code)), "code %d", code)
			}
		}
	}
}

// numbered has groups of numbers, with another group between them.
type numbered struct {
	NetObject
	at, speed Vec3
	slot      int
	aim       Rot
	heat      float64
	size      float64
}

func newNumbered() *numbered { return &numbered{size: 3} }

func numberedClasses(t *testing.T) *Classes {
	cs := NewClasses()
	require.NoError(t, cs.Register(Class{
		Name: "Numbered", Parent: "NetObject", New: func() Object { return newNumbered() },
		Fields: []Field{
			FloatField("heat", 0, 0, 1, func(o *numbered) *float64 { return &o.heat }).WithBits(9),
			VecField("at", 1, 1000, func(o *numbered) *Vec3 { return &o.at }).WithBits(18),
			IntField("slot", 2, 0, 31, func(o *numbered) *int { return &o.slot }),
			RotField("aim", 3, func(o *numbered) *Rot { return &o.aim }).WithBits(10),
			VecField("speed", 4, 100, func(o *numbered) *Vec3 { return &o.speed }).WithStep(0.1),
			FloatField("size", 5, 2.8, 13.1, func(o *numbered) *float64 { return &o.size }).WithBits(8),
		},
	}))
	return cs
}

// aligned returns the cells of the groups of numbers in mask as RestoreNumbers takes them.
func aligned(o Object, mask uint32) (cells [][2]uint32) {
	class, v := o.Ident().class, Values{}
	for g := range class.Groups() {
		if mask&class.numberGroups>>g&1 != 0 {
			class.Quantise(o, g, &v)
			for i, code := range v.Cells {
				cells = append(cells, [2]uint32{uint32(code) << (32 - class.Cells(g)[i].Bits), 99})
			}
		}
	}
	return cells
}

// TestRestoreNumbers checks which groups are restored, and that they get the values of Restore.
func TestRestoreNumbers(t *testing.T) {
	w := NewWorld(numberedClasses(t))
	from := &numbered{size: 13.1, at: Vec3{1, -2000, 3}, speed: Vec3{4.4, 5, -6}, slot: 7, aim: Rot{90, 180, 270}, heat: 1}
	w.Add(from)
	class := from.class
	const at, slot, aim, speed, size = 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5
	require.Less(t, class.numbers[len(class.numbers)-1].top>>24, uint32(254), "the formula gives more than 13.1 for the highest code")
	for _, tt := range []struct {
		mask, groups, rest uint32
		run                bool
	}{
		{at, at, 0, true}, {at | aim, at | aim, 0, true}, {aim | speed, aim | speed, 0, true}, {at | speed, at | speed, 0, false},
		{at | slot | aim, at | slot | aim, slot, false}, {slot, slot, slot, false}, {size, size, 0, true}, {at | aim | speed, at | speed, 0, true},
		{1 | at | slot | aim | speed, 1 | slot | speed, 1 | slot, false}, {at | aim, 0, 0, true},
	} {
		want, got := newNumbered(), newNumbered()
		w.Add(want)
		w.Add(got)
		got.SetNumber(5)
		w.ClearMarks()
		var v Values
		for g := range class.Groups() {
			if tt.groups&class.numberGroups>>g&1 != 0 {
				class.Quantise(from, g, &v)
				require.NoError(t, class.Restore(want, g, &v))
			}
		}
		rest, err := class.RestoreNumbers(got.Ident(), class.NumbersOf(got), tt.mask, tt.groups, aligned(from, tt.mask))
		require.NoError(t, err)
		assert.Equal(t, tt.rest, rest)
		assert.Equal(t, fieldValues(want), fieldValues(got))
		assert.Equal(t, want.Dirty(), got.Dirty())

		run := class.NumberRun(tt.mask)
		assert.Equal(t, tt.run, !run.Empty(), "groups %b", tt.mask)
		assert.True(t, run.Is(class, tt.mask))
		assert.False(t, run.Is(class, tt.mask^1))
		assert.False(t, run.Is(nil, tt.mask))
		if tt.run && tt.mask == tt.groups {
			again := newNumbered()
			w.Add(again)
			w.ClearMarks()
			require.NoError(t, run.Restore(again.Ident(), class.NumbersOf(again), aligned(from, tt.mask)))
			assert.Equal(t, fieldValues(want), fieldValues(again))
			assert.Zero(t, again.Dirty(), "it has no number")
		}
	}
}

// TestRestoreNumbersRefuses checks that codes out of range are refused, and the highest ones are
// not.
func TestRestoreNumbersRefuses(t *testing.T) {
	w := NewWorld(numberedClasses(t))
	o := newNumbered()
	w.Add(o)
	const groups = 1<<1 | 1<<3 | 1<<4 | 1<<5
	run := o.class.NumberRun(groups)
	for cell, tt := range []struct {
		bits    int
		highest uint32
		field   string
	}{{18, 1<<18 - 2, "at"}, {18, 1<<18 - 2, "at"}, {18, 1<<18 - 2, "at"}, {10, 1<<10 - 1, ""}, {10, 1<<10 - 1, ""}, {10, 1<<10 - 1, ""},
		{11, 2000, "speed"}, {11, 2000, "speed"}, {11, 2000, "speed"}, {8, 254, "size"}} {
		cells := aligned(o, groups)
		cells[cell][0] = tt.highest << (32 - tt.bits)
		require.NoError(t, run.Restore(o.Ident(), o.class.NumbersOf(o), cells))
		if tt.field == "" {
			continue
		}
		before := fieldValues(o)
		cells[cell][0] = (tt.highest + 1) << (32 - tt.bits)
		assert.EqualError(t, run.Restore(o.Ident(), o.class.NumbersOf(o), cells), "field "+tt.field+" of Numbered: value out of range")
		assert.Equal(t, before, fieldValues(o))
		_, err := o.class.RestoreNumbers(o.Ident(), o.class.NumbersOf(o), run.mask, run.mask, cells)
		assert.EqualError(t, err, "field "+tt.field+" of Numbered: value out of range")
	}
}
