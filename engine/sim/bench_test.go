package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

func BenchmarkFields(b *testing.B) {
	w := testWorld(b)
	o := full(b, w)
	buf := make([]byte, 512)
	out := bitstream.NewWriter(buf)
	fields := o.Class().AllFields()
	run := func(name string, list ...*Field) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out.Reset(buf)
				for _, f := range list {
					f.Serialize(&out.Codec, o)
				}
			}
		})
	}
	run("one float", o.Class().Lookup("energy"))
	run("one quantised vec", o.Class().Lookup("speed"))
	run("all of a thing", fields...)
}

func BenchmarkSet(b *testing.B) {
	w := testWorld(b)
	o := full(b, w)
	f := o.Class().Lookup("energy")
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		_ = f.Set(o, Number(float64(n%100)))
	}
}

func BenchmarkPack(b *testing.B) {
	w := testWorld(b)
	parent := declare(b, w, "ThingData", "parent", "", row{"text", String("what it is about")})
	o := declare(b, w, "ThingData", "child", "parent", row{"mass", Number(0.3)})
	buf := make([]byte, 1024)
	out := bitstream.NewWriter(buf)
	for name, base := range map[string]Object{"full": nil, "difference": parent} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out.Reset(buf)
				w.Blocks.Pack(out, o, base)
			}
			b.ReportMetric(float64(len(out.Bytes())), "bytes")
		})
	}
}

func BenchmarkDeclare(b *testing.B) {
	w := testWorld(b)
	for i := range 500 {
		declare(b, w, "ThingData", fmt.Sprint("d", i), "")
	}
	o := w.Blocks.ByName("d3")
	mass := o.Ident().Class().Lookup("mass")
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		_ = mass.Set(o, Number(float64(n)))
	}
}

func BenchmarkObjects(b *testing.B) {
	w := testWorld(b)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		o, _ := w.New("SimObject", nil)
		_ = w.Delete(o)
		if n%100 == 99 {
			w.Sweep()
		}
	}
}

func BenchmarkSchedule(b *testing.B) {
	s := NewSchedule(nil)
	for i := range 1000 {
		s.At(0, int64(1<<40+i), Owner{}, func() {})
	}
	b.ReportAllocs()
	for n := int64(0); b.Loop(); n++ {
		s.At(n, 1, Owner{Mod: "m", Object: 7}, func() {})
		s.Run(n)
	}
}

// BenchmarkQuantise measures quantising a group of a vec, a rot and an integer. It compares fields
// written in Go with the same fields declared at run time.
func BenchmarkQuantise(b *testing.B) {
	cs := testClasses(b)
	require.NoError(b, cs.Register(Class{Name: "GoMover", Parent: "NetObject", New: func() Object { return new(testObject) }, Fields: []Field{
		VecField("place", 1, PointRange, func(t *testObject) *Vec3 { return &t.at }).WithStep(0.01),
		RotField("facing", 1, func(t *testObject) *Rot { return &t.aim }).WithBits(9),
		IntField("team", 1, 0, 7, func(t *testObject) *int { return &t.slot }),
	}}))
	cs = cs.Session()
	spec := ClassSpec{Name: "Declared", Fields: []FieldSpec{placeSpec, turnSpec, teamSpec}}
	for i := range spec.Fields {
		spec.Fields[i].Group = "all"
	}
	declared(b, cs, spec)
	w := NewWorld(cs)
	for _, name := range []string{"GoMover", "Declared"} {
		objects := make([]Object, 1000)
		for i := range objects {
			o, err := w.New(name, setter(row{"place", Vec(Vec3{float64(i), 3.25, -7})}, row{"facing", Rotation(Rot{float64(i), 0, 90})}))
			require.NoError(b, err)
			objects[i] = o
		}
		c, v := cs.Lookup(name), Values{}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				c.Quantise(objects[n%len(objects)], 1, &v)
			}
		})
		b.Run(name+" back", func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				_ = c.Restore(objects[n%len(objects)], 1, &v)
			}
		})
	}
}
