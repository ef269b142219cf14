package sim

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// testObject is a net object with a field of every kind.
type testObject struct {
	NetObject
	energy, heat float64
	slot         int
	lit          bool
	at, speed    Vec3
	turn, aim    Rot
	label        string
	friend       ID
	data         BlockRef
	ticks        []uint64
}

func (t *testObject) Tick(n uint64) { t.ticks = append(t.ticks, n) }

// testBlock is a datablock with every kind of field that datablocks can have.
type testBlock struct {
	Block
	mass, heat float64
	count      int
	lit        bool
	at         Vec3
	turn       Rot
	label      string
	text       string
	other      BlockRef
}

func (d *testBlock) thing() *testBlock { return d }

type testBlockUser interface{ thing() *testBlock }

// bigData inherits from testBlock.
type bigData struct {
	testBlock
	size float64
}

var thingDataClass = Class{
	Name: "ThingData", Parent: "SimDataBlock",
	New: func() Object { return &testBlock{mass: 1, label: "a thing"} },
	Fields: []Field{
		FloatField("mass", 0, 0, math.Inf(1), func(d testBlockUser) *float64 { return &d.thing().mass }),
		FloatField("heat", 0, 0, 1, func(d testBlockUser) *float64 { return &d.thing().heat }).WithBits(8),
		IntField("count", 0, -5, 100, func(d testBlockUser) *int { return &d.thing().count }),
		BoolField("lit", 0, func(d testBlockUser) *bool { return &d.thing().lit }),
		VecField("at", 0, math.Inf(1), func(d testBlockUser) *Vec3 { return &d.thing().at }),
		RotField("turn", 0, func(d testBlockUser) *Rot { return &d.thing().turn }),
		TextField("label", 0, 64, func(d testBlockUser) *string { return &d.thing().label }),
		TextField("text", 0, 64<<10, func(d testBlockUser) *string { return &d.thing().text }),
		BlockField("other", 0, "ThingData", func(d testBlockUser) *BlockRef { return &d.thing().other }),
	},
}

var bigDataClass = Class{
	Name: "BigData", Parent: "ThingData",
	New:    func() Object { return &bigData{size: 10} },
	Fields: []Field{FloatField("size", 0, 0, 50, func(d *bigData) *float64 { return &d.size })},
}

var thingClass = Class{
	Name: "Thing", Parent: "NetObject", New: func() Object { return new(testObject) },
	Fields: []Field{
		BlockField("dataBlock", 0, "ThingData", func(t *testObject) *BlockRef { return &t.data }),
		FloatField("energy", 1, 0, 100, func(t *testObject) *float64 { return &t.energy }),
		FloatField("heat", 1, -10, 30, func(t *testObject) *float64 { return &t.heat }).WithBits(12),
		IntField("slot", 2, 0, 31, func(t *testObject) *int { return &t.slot }),
		BoolField("lit", 2, func(t *testObject) *bool { return &t.lit }),
		VecField("at", 3, 1000, func(t *testObject) *Vec3 { return &t.at }),
		VecField("speed", 3, 50, func(t *testObject) *Vec3 { return &t.speed }).WithBits(12),
		RotField("turn", 3, func(t *testObject) *Rot { return &t.turn }),
		RotField("aim", 3, func(t *testObject) *Rot { return &t.aim }).WithBits(10),
		TextField("label", 4, 16, func(t *testObject) *string { return &t.label }),
		RefField("friend", 5, "Thing", func(t *testObject) *ID { return &t.friend }),
	},
}

func testClasses(t testing.TB) *Classes {
	cs := NewClasses()
	for _, c := range []Class{thingDataClass, bigDataClass, thingClass} {
		require.NoError(t, cs.Register(c))
	}
	return cs
}

// testWorld returns a world with a datablock named "plain".
func testWorld(t testing.TB) *World {
	w := NewWorld(testClasses(t))
	declare(t, w, "ThingData", "plain", "")
	return w
}

// row is a field name and a value for the field.
type row struct {
	field string
	value Value
}

// setter returns a function that sets fields as a script does.
func setter(rows ...row) func(Object) error {
	return func(o Object) error {
		for _, r := range rows {
			f, err := o.Ident().Class().Field(r.field)
			if err == nil {
				err = f.Set(o, r.value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func declare(t testing.TB, w *World, class, name, parent string, rows ...row) Object {
	o, _, err := w.Blocks.Declare(class, name, parent, setter(rows...))
	require.NoError(t, err)
	return o
}

func newThing(t testing.TB, w *World, rows ...row) *testObject {
	o, err := w.New("Thing", setter(append([]row{{"dataBlock", String("plain")}}, rows...)...))
	require.NoError(t, err)
	return o.(*testObject)
}
