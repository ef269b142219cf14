package bind

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// Defaults for options missing in a field's declaration.
const (
	defaultMaxText   = 255  // bytes of a str
	defaultPrecision = 0.01 // metres, of a point
)

// A FieldRow describes a field for a new class, as made by int, float, bool, ref, point and str.
// The class gives the field its name.
type FieldRow struct{ Spec sim.FieldSpec }

var fieldMeta = []Row{
	{"__index", "", vm.Both, "", func(a Call) int { a.Fail("a field can be used only in the fields of a class"); return 0 }},
	{"__newindex", "", vm.Both, "", func(a Call) int { a.Fail("a field cannot be changed"); return 0 }},
}

// makeField returns a row to Lua. Argument i can be a table of options.
func makeField(a Call, spec sim.FieldSpec, i int) int {
	if a.Has(i) {
		t := a.Options(i, "group", "default")
		if v := t.RawGetString("group"); v != lua.LNil {
			name, ok := v.(lua.LString)
			if !ok || name == "" {
				a.Fail("group must be the name of a group, not %s", KindOf(v))
			}
			spec.Group = string(name)
		}
		if v := t.RawGetString("default"); v != lua.LNil {
			spec.Default = defaultOf(a, &spec, v)
		}
	}
	if a.N() > i {
		a.Fail("argument %d is not allowed", i+1)
	}
	return a.Return(a.Binding().Userdata(FieldRow{spec}, a.Binding().meta.field))
}

// defaultOf returns a field's default and fails if it is not of the field's kind. The class checks
// the range, because its error can name the field.
func defaultOf(a Call, spec *sim.FieldSpec, v lua.LValue) sim.Value {
	value, err := FromLua(v)
	switch {
	case spec.Kind == sim.KindObject:
		a.Fail("a ref has no default: it starts as nil")
	case err != nil || value.Kind() != spec.Kind:
		a.Fail("default must be %s, not %s", kindNames[spec.Kind], KindOf(v))
	}
	return value
}

var kindNames = map[sim.ValueKind]string{
	sim.KindNumber: "a number", sim.KindBool: "a boolean", sim.KindVec: "a vec", sim.KindString: "a string",
}

// optionsAt returns the position of the options: the first table from i on, or last.
func optionsAt(a Call, i, last int) int {
	for ; i < last; i++ {
		if _, ok := a.Get(i).(*lua.LTable); ok {
			return i
		}
	}
	return last
}

// Finite returns argument i, a finite number.
func (a Call) Finite(i int) float64 {
	n := a.Number(i)
	if math.IsNaN(n) || math.IsInf(n, 0) {
		a.Fail("argument %s must be a finite number, not %g", a.Label(i), n)
	}
	return n
}

// span returns arguments 1 and 2, a range that is not empty.
func span(a Call) (lo, hi float64) {
	lo, hi = a.Finite(1), a.Finite(2)
	if lo > hi {
		a.Fail("the range from %s to %s is empty", vm.NumberText(lo), vm.NumberText(hi))
	}
	return lo, hi
}

// IntField makes a field of whole numbers: int(lo, hi, options).
func IntField(a Call) int {
	lo, hi := span(a)
	if lo != math.Trunc(lo) || hi != math.Trunc(hi) || lo < -1<<53 || hi > 1<<53 {
		a.Fail("the range must be of whole numbers up to 2^53, not from %s to %s", vm.NumberText(lo), vm.NumberText(hi))
	}
	return makeField(a, sim.FieldSpec{Kind: sim.KindNumber, Whole: true, Lo: lo, Hi: hi}, 3)
}

// FloatField makes a field of numbers: float(lo, hi, bits, options).
func FloatField(a Call) int {
	lo, hi := span(a)
	spec, at := sim.FieldSpec{Kind: sim.KindNumber, Lo: lo, Hi: hi}, optionsAt(a, 3, 4)
	if at == 4 && a.Has(3) {
		spec.Bits = a.IntIn(3, 2, 32)
	}
	return makeField(a, spec, at)
}

// BoolField makes a field that is true or false: bool(options).
func BoolField(a Call) int { return makeField(a, sim.FieldSpec{Kind: sim.KindBool}, 1) }

// RefField makes a field with an object: ref(class, options).
func RefField(a Call) int {
	spec, at := sim.FieldSpec{Kind: sim.KindObject}, optionsAt(a, 1, 2)
	if at == 2 && a.Has(1) {
		spec.Class = ClassName(a, a.Get(1), "argument "+a.Label(1))
	}
	return makeField(a, spec, at)
}

// PointField makes a field with a place: point(precision, options). The precision is in metres.
func PointField(a Call) int {
	spec, at := sim.FieldSpec{Kind: sim.KindVec, Step: defaultPrecision}, optionsAt(a, 1, 2)
	if at == 2 && a.Has(1) {
		if spec.Step = a.Finite(1); spec.Step <= 0 {
			a.Fail("argument 1 (precision) must be above 0 metres, not %s", vm.NumberText(spec.Step))
		}
	}
	return makeField(a, spec, at)
}

// StrField makes a field with a text: str(max, options). max is in bytes.
func StrField(a Call) int {
	spec, at := sim.FieldSpec{Kind: sim.KindString, Max: defaultMaxText}, optionsAt(a, 1, 2)
	if at == 2 && a.Has(1) {
		if spec.Max = a.Int(1); spec.Max < 1 {
			a.Fail("argument 1 (max) must be at least 1 byte, not %d", spec.Max)
		}
	}
	return makeField(a, spec, at)
}

func (FieldRow) Kind() string { return "a field" }

// ClassName returns the name of a class given as a string or a handle.
func ClassName(a Call, v lua.LValue, what string) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case *lua.LUserData:
		if c, ok := v.Value.(ClassHandle); ok {
			return c.ClassName()
		}
	}
	a.Fail("%s must be a class or its name, not %s", what, KindOf(v))
	return ""
}
