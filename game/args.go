package game

import (
	"fmt"
	"math"
	"strconv"

	"github.com/torc-engine/torc/engine/sim"
)

// args reads the arguments of a script call in order. The first argument of the wrong kind sets
// err. After an error, every reading method returns the zero value.
type args struct {
	list []sim.Value
	next int
	err  error
}

// value returns the next argument, or nil if there is none.
func (a *args) value() sim.Value {
	a.next++
	if a.err != nil || a.next > len(a.list) {
		return sim.Nil()
	}
	return a.list[a.next-1]
}

// fail records an error for the argument just read. Only the first error is kept.
func (a *args) fail(name, wants string, v sim.Value) {
	if a.err == nil {
		a.err = fmt.Errorf("%s must be %s, got %s", name, wants, v.Literal())
	}
}

// number reads a number in lo…hi.
func (a *args) number(name string, lo, hi float64) float64 {
	v := a.value()
	if n := v.Number(); v.Kind() == sim.KindNumber && n >= lo && n <= hi {
		return n
	}
	a.fail(name, "a number from "+digits(lo)+" to "+digits(hi), v)
	return 0
}

// integer reads an integer in lo…hi.
func (a *args) integer(name string, lo, hi int) int {
	v := a.value()
	if n := v.Number(); v.Kind() == sim.KindNumber && n >= float64(lo) && n <= float64(hi) && n == math.Trunc(n) {
		return int(n)
	}
	a.fail(name, "a whole number from "+strconv.Itoa(lo)+" to "+strconv.Itoa(hi), v)
	return 0
}

// vec reads a vector with components in -most…most.
func (a *args) vec(name string, most float64) sim.Vec3 {
	v := a.value()
	if p := v.Vec(); v.Kind() == sim.KindVec && within(p, most) {
		return p
	}
	a.fail(name, "a vec with components from -"+digits(most)+" to "+digits(most), v)
	return sim.Vec3{}
}

// rot reads a rotation with finite angles.
func (a *args) rot(name string) sim.Rot {
	v := a.value()
	if r := v.Rot(); v.Kind() == sim.KindRot && within(sim.Vec3{X: r.Yaw, Y: r.Pitch, Z: r.Roll}, math.MaxFloat64) {
		return r
	}
	a.fail(name, "a rot", v)
	return sim.Rot{}
}

// text reads a string of at most most bytes. A missing argument reads as "".
func (a *args) text(name string, most int) string {
	v := a.value()
	switch v.Kind() {
	case sim.KindNil:
		return ""
	case sim.KindString, sim.KindTag:
		if len(v.Text()) <= most {
			return v.Text()
		}
	}
	a.fail(name, "a string of at most "+strconv.Itoa(most)+" bytes", v)
	return ""
}

// object reads a living object of w, or nil if the argument is nil.
func (a *args) object(name string, w *sim.World) sim.Object {
	v := a.value()
	if v.IsNil() {
		return nil
	}
	if o := w.Find(v.Object()); o != nil {
		return o
	}
	a.fail(name, "an object or nil", v)
	return nil
}

// within reports whether all components of v are in -most…most. It is false for NaN.
func within(v sim.Vec3, most float64) bool {
	return math.Abs(v.X) <= most && math.Abs(v.Y) <= most && math.Abs(v.Z) <= most
}

func digits(x float64) string { return strconv.FormatFloat(x, 'g', 14, 64) }

// handle returns a value that refers to o, or nil if o is nil.
func handle(o sim.Object) sim.Value {
	if o == nil {
		return sim.Nil()
	}
	return sim.Handle(o.Ident().ID())
}
