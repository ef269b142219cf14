package script

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// vecLib has the functions for vectors and rotations. Both are immutable values.
func vecLib() Lib {
	return Lib{"Vectors and rotations", append([]Func{
		{"vec", "[x: number, [y: number, [z: number]]] -> vec", Both, "A vector, with + - * / == and unary minus, .x .y .z.", newVec},
		{"rot", "[yaw: number, [pitch: number, [roll: number]]] -> rot", Both, "A rotation in degrees, with .yaw .pitch .roll.", newRot},
		{"vec.x", ": number", Both, "Its part along the x axis.", nil},
		{"vec.y", ": number", Both, "Its part along the y axis.", nil},
		{"vec.z", ": number", Both, "Its part along the z axis, which points up.", nil},
		{"rot.yaw", ": number", Both, "Its turn to the left, in degrees.", nil},
		{"rot.pitch", ": number", Both, "Its turn upward, in degrees.", nil},
		{"rot.roll", ": number", Both, "How far it leans, in degrees.", nil},
	}, vecMethods...)}
}

var vecMethods = []Func{
	{"vec:length", "-> number", Both, "Its length.", func(a Args) int { return a.Return(lua.LNumber(a.vec(1).Len())) }},
	{"vec:dot", "v: vec -> number", Both, "The scalar product.", func(a Args) int { return a.Return(lua.LNumber(a.vec(1).Dot(a.vec(2)))) }},
	{"vec:cross", "v: vec -> vec", Both, "The vector product.", func(a Args) int { return a.Return(a.ext().vec(a.vec(1).Cross(a.vec(2)))) }},
	{"vec:normalized", "-> vec", Both, "The same direction with length 1.", func(a Args) int { return a.Return(a.ext().vec(a.vec(1).Normalized())) }},
}

func newVec(a Args) int {
	return a.Return(a.ext().vec(sim.Vec3{X: a.OptNumber(1, 0), Y: a.OptNumber(2, 0), Z: a.OptNumber(3, 0)}))
}

func newRot(a Args) int {
	return a.Return(a.ext().rot(sim.Rot{Yaw: a.OptNumber(1, 0), Pitch: a.OptNumber(2, 0), Roll: a.OptNumber(3, 0)}))
}

// vec returns argument i, a vector.
func (a Args) vec(i int) sim.Vec3 {
	if u, ok := a.Get(i).(*lua.LUserData); ok {
		if v, ok := u.Value.(sim.Vec3); ok {
			return v
		}
	}
	a.wrong(i, "a vec")
	return sim.Vec3{}
}

// rot returns argument i, a rotation.
func (a Args) rot(i int) sim.Rot {
	if u, ok := a.Get(i).(*lua.LUserData); ok {
		if r, ok := u.Value.(sim.Rot); ok {
			return r
		}
	}
	a.wrong(i, "a rot")
	return sim.Rot{}
}

var vecMeta = []Func{
	{"__add", "", Both, "", func(a Args) int { return a.Return(a.ext().vec(a.vec(1).Add(a.vec(2)))) }},
	{"__sub", "", Both, "", func(a Args) int { return a.Return(a.ext().vec(a.vec(1).Sub(a.vec(2)))) }},
	{"__mul", "", Both, "", mulVec},
	{"__div", "", Both, "", func(a Args) int { return a.Return(a.ext().vec(a.vec(1).Div(a.Number(2)))) }},
	{"__unm", "", Both, "", func(a Args) int { return a.Return(a.ext().vec(a.vec(1).Neg())) }},
	{"__eq", "", Both, "", func(a Args) int { return a.Return(lua.LBool(a.vec(1) == a.vec(2))) }},
	{"__tostring", "", Both, "", func(a Args) int { return a.Text(a.vec(1).String()) }},
	{"__index", "", Both, "", indexVec},
	{"__newindex", "", Both, "", func(a Args) int { a.Fail("a vec is a value, it does not change: make a new one"); return 0 }},
}

// mulVec multiplies a vector by a number, in either order.
func mulVec(a Args) int {
	if _, ok := a.Get(1).(lua.LNumber); ok {
		return a.Return(a.ext().vec(a.vec(2).Mul(a.Number(1))))
	}
	return a.Return(a.ext().vec(a.vec(1).Mul(a.Number(2))))
}

func indexVec(a Args) int {
	v, key := a.vec(1), a.String(2)
	switch key {
	case "x":
		return a.Return(lua.LNumber(v.X))
	case "y":
		return a.Return(lua.LNumber(v.Y))
	case "z":
		return a.Return(lua.LNumber(v.Z))
	}
	if fn := a.ext().method("vec", key); fn != nil {
		return a.Return(fn)
	}
	a.Fail("a vec has no %q", key)
	return 0
}

var rotMeta = []Func{
	{"__eq", "", Both, "", func(a Args) int { return a.Return(lua.LBool(a.rot(1) == a.rot(2))) }},
	{"__tostring", "", Both, "", func(a Args) int { return a.Text(a.rot(1).String()) }},
	{"__index", "", Both, "", indexRot},
	{"__newindex", "", Both, "", func(a Args) int { a.Fail("a rot is a value, it does not change: make a new one"); return 0 }},
}

func indexRot(a Args) int {
	r, key := a.rot(1), a.String(2)
	switch key {
	case "yaw":
		return a.Return(lua.LNumber(r.Yaw))
	case "pitch":
		return a.Return(lua.LNumber(r.Pitch))
	case "roll":
		return a.Return(lua.LNumber(r.Roll))
	}
	a.Fail("a rot has no %q", key)
	return 0
}
