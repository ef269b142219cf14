package bind

import (
	"maps"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// VecLib has the functions for vectors and rotations. Both are immutable values.
func VecLib() vm.Lib {
	return Chapter("Vectors and rotations", append([]Row{
		{"vec", "[x: number, [y: number, [z: number]]] -> vec", vm.Both, "Makes a vector, with + - * / == and unary minus, .x .y .z.", newVec},
		{"rot", "[yaw: number, [pitch: number, [roll: number]]] -> rot", vm.Both, "Makes a rotation in degrees, with .yaw .pitch .roll.", newRot},
		{"vec.x", ": number", vm.Both, "Its x component.", nil},
		{"vec.y", ": number", vm.Both, "Its y component.", nil},
		{"vec.z", ": number", vm.Both, "Its z component; z points up.", nil},
		{"rot.yaw", ": number", vm.Both, "Its turn to the left in degrees.", nil},
		{"rot.pitch", ": number", vm.Both, "Its turn upward in degrees.", nil},
		{"rot.roll", ": number", vm.Both, "Its tilt to the side in degrees.", nil},
	}, vecMethods...))
}

var vecMethods = []Row{
	{"vec:length", "-> number", vm.Both, "Returns the length.", func(a Call) int { return a.Return(lua.LNumber(a.Vec(1).Len())) }},
	{"vec:dot", "v: vec -> number", vm.Both, "Returns the dot product.", func(a Call) int { return a.Return(lua.LNumber(a.Vec(1).Dot(a.Vec(2)))) }},
	{"vec:cross", "v: vec -> vec", vm.Both, "Returns the cross product.", func(a Call) int { return a.Return(a.Binding().Vec(a.Vec(1).Cross(a.Vec(2)))) }},
	{"vec:normalized", "-> vec", vm.Both, "Returns a vector with the same direction and length 1.", func(a Call) int { return a.Return(a.Binding().Vec(a.Vec(1).Normalized())) }},
}

func newVec(a Call) int {
	return a.Return(a.Binding().Vec(sim.Vec3{X: a.OptNumber(1, 0), Y: a.OptNumber(2, 0), Z: a.OptNumber(3, 0)}))
}

func newRot(a Call) int {
	return a.Return(a.Binding().Rot(sim.Rot{Yaw: a.OptNumber(1, 0), Pitch: a.OptNumber(2, 0), Roll: a.OptNumber(3, 0)}))
}

// A vector is the userdata of a vector together with its components, so that making one allocates
// once. Nothing changes it afterwards.
type vector struct {
	lua.LUserData
	parts sim.Vec3
}

// Vec returns a vector as a Lua value.
func (x *Binding) Vec(v sim.Vec3) lua.LValue { return &x.newVector(v).LUserData }

func (x *Binding) newVector(v sim.Vec3) *vector {
	u := &vector{parts: v}
	u.Value, u.Metatable = &u.parts, x.meta.vec
	return u
}

// A fieldVector is a vector that a script has read from a field of an object.
type fieldVector struct {
	id    sim.ID
	field *sim.Field
	*vector
}

// fieldVec returns the vector in a field of an object. As long as the field does not change, all
// mods get the same value of Lua: many mods look at the places of the same objects in a tick.
func (x *Binding) fieldVec(id sim.ID, f *sim.Field, v sim.Vec3) lua.LValue {
	e := x.env
	recent := &e.vectors[(uint32(id)+uint32(f.Group)*61)%uint32(len(e.vectors))]
	if recent.vector == nil || recent.id != id || recent.field != f || !identical(recent.parts, v) {
		*recent = fieldVector{id, f, x.newVector(v)}
	}
	return &recent.LUserData
}

// identical reports whether two vectors have the same bits. Unlike ==, it tells 0 from -0.
func identical(v, w sim.Vec3) bool {
	bits := math.Float64bits
	return bits(v.X) == bits(w.X) && bits(v.Y) == bits(w.Y) && bits(v.Z) == bits(w.Z)
}

// readVec makes the fast path of v.x, v.y and v.z. row handles all other reads and reports errors.
func (e *Env) readVec(row lua.LGFunction) lua.LGFunction {
	return func(l *lua.LState) int {
		u, _ := l.Get(1).(*lua.LUserData)
		name, _ := l.Get(2).(lua.LString)
		if u == nil {
			return row(l)
		}
		v, ok := u.Value.(*sim.Vec3)
		if !ok {
			return row(l)
		}
		switch name {
		case "x":
			l.Push(e.Boxes.Number(v.X))
		case "y":
			l.Push(e.Boxes.Number(v.Y))
		case "z":
			l.Push(e.Boxes.Number(v.Z))
		default:
			return row(l)
		}
		return 1
	}
}

// Vec returns argument i, a vector.
func (a Call) Vec(i int) sim.Vec3 {
	if u, ok := a.Get(i).(*lua.LUserData); ok {
		if v, ok := u.Value.(*sim.Vec3); ok {
			return *v
		}
	}
	a.Wrong(i, "a vec")
	return sim.Vec3{}
}

// rot returns argument i, a rotation.
func (a Call) rot(i int) sim.Rot {
	if u, ok := a.Get(i).(*lua.LUserData); ok {
		if r, ok := u.Value.(sim.Rot); ok {
			return r
		}
	}
	a.Wrong(i, "a rot")
	return sim.Rot{}
}

var vecMeta = []Row{
	{"__add", "", vm.Both, "", func(a Call) int {
		a.vecOperands("+")
		return a.Return(a.Binding().Vec(a.Vec(1).Add(a.Vec(2))))
	}},
	{"__sub", "", vm.Both, "", func(a Call) int {
		a.vecOperands("-")
		return a.Return(a.Binding().Vec(a.Vec(1).Sub(a.Vec(2))))
	}},
	{"__mul", "", vm.Both, "", mulVec},
	{"__div", "", vm.Both, "", func(a Call) int {
		a.vecOperands("/")
		return a.Return(a.Binding().Vec(a.Vec(1).Div(a.Number(2))))
	}},
	{"__mod", "", vm.Both, "", func(a Call) int { a.vecOperands("%"); return 0 }},
	{"__pow", "", vm.Both, "", func(a Call) int { a.vecOperands("^"); return 0 }},
	{"__unm", "", vm.Both, "", func(a Call) int { return a.Return(a.Binding().Vec(a.Vec(1).Neg())) }},
	{"__eq", "", vm.Both, "", func(a Call) int { return a.Return(lua.LBool(a.Vec(1) == a.Vec(2))) }},
	{"__tostring", "", vm.Both, "", func(a Call) int { return a.Text(a.Vec(1).String()) }},
	{"__index", "", vm.Both, "", indexVec},
	{"__newindex", "", vm.Both, "", func(a Call) int { a.Fail("a vec is read-only: make a new one"); return 0 }},
}

// vecOperands fails if the operands of an operator are not those that a vector needs.
func (a Call) vecOperands(operator string) {
	if text := reference.VecOperands(operator, KindOf(a.Get(1)), KindOf(a.Get(2))); text != "" {
		a.Fail("%s", text)
	}
}

// mulVec multiplies a vector by a number, in either order.
func mulVec(a Call) int {
	a.vecOperands("*")
	if _, ok := a.Get(1).(lua.LNumber); ok {
		return a.Return(a.Binding().Vec(a.Vec(2).Mul(a.Number(1))))
	}
	return a.Return(a.Binding().Vec(a.Vec(1).Mul(a.Number(2))))
}

func indexVec(a Call) int {
	v, key := a.Vec(1), a.String(2)
	switch key {
	case "x":
		return a.Return(lua.LNumber(v.X))
	case "y":
		return a.Return(lua.LNumber(v.Y))
	case "z":
		return a.Return(lua.LNumber(v.Z))
	}
	if fn := a.Binding().Method("vec", key); fn != nil {
		return a.Return(fn)
	}
	a.Fail("a vec has no %q%s", key, meantMember(a, "vec", key))
	return 0
}

var rotMeta = []Row{
	{"__eq", "", vm.Both, "", func(a Call) int { return a.Return(lua.LBool(a.rot(1) == a.rot(2))) }},
	{"__tostring", "", vm.Both, "", func(a Call) int { return a.Text(a.rot(1).String()) }},
	{"__index", "", vm.Both, "", indexRot},
	{"__newindex", "", vm.Both, "", func(a Call) int { a.Fail("a rot is read-only: make a new one"); return 0 }},
}

func indexRot(a Call) int {
	r, key := a.rot(1), a.String(2)
	switch key {
	case "yaw":
		return a.Return(lua.LNumber(r.Yaw))
	case "pitch":
		return a.Return(lua.LNumber(r.Pitch))
	case "roll":
		return a.Return(lua.LNumber(r.Roll))
	}
	a.Fail("a rot has no %q%s", key, meantMember(a, "rot", key))
	return 0
}

// meantMember suggests the nearest method of a kind, as the end of a sentence, or returns "".
func meantMember(a Call, kind, name string) string {
	if len(name) < 3 { // near to too many others
		return ""
	}
	var names []string
	for _, row := range slices.Sorted(maps.Keys(a.Binding().env.rows)) {
		if method, ok := strings.CutPrefix(row, kind+":"); ok {
			names = append(names, method)
		}
	}
	return vm.Meant(name, names)
}
