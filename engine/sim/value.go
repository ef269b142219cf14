package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ValueKind is the type of a Value.
type ValueKind uint8

// The kinds of values.
const (
	KindNil ValueKind = iota
	KindBool
	KindNumber
	KindString
	KindTag
	KindVec
	KindRot
	KindObject
	KindClient // a client of the server, on another machine
)

var kindNames = [...]string{"nil", "bool", "number", "string", "tag", "vec", "rot", "object", "client"}

// String returns the kind's name, as in error messages.
func (k ValueKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// Value is the one dynamic type: fields are set and read as Values, and commands carry them. Values
// can be compared with ==. The zero Value is nil.
type Value struct {
	kind     ValueKind
	expanded bool
	text     string
	v        Vec3 // a number, bool or object id in X
}

// Nil returns the nil Value.
func Nil() Value { return Value{} }

// Bool returns a bool.
func Bool(b bool) Value {
	v := Value{kind: KindBool}
	if b {
		v.v.X = 1
	}
	return v
}

// Number returns a number.
func Number(f float64) Value { return Value{kind: KindNumber, v: Vec3{X: f}} }

// String returns a plain string of any bytes.
func String(s string) Value { return Value{kind: KindString, text: s} }

// Tag returns a tagged string.
func Tag(text string) Value { return Value{kind: KindTag, text: text} }

// Expanded returns a tag received from a peer, with its substitutions done. It reads like any tag,
// but is sent on as a plain string.
func Expanded(text string) Value { return Value{kind: KindTag, expanded: true, text: text} }

// Vec returns a vector.
func Vec(v Vec3) Value { return Value{kind: KindVec, v: v} }

// Rotation returns a rotation.
func Rotation(r Rot) Value { return Value{kind: KindRot, v: Vec3{r.Yaw, r.Pitch, r.Roll}} }

// Handle returns a reference to an object by id; 0 gives nil.
func Handle(id ID) Value {
	if id == 0 {
		return Value{}
	}
	return Value{kind: KindObject, v: Vec3{X: float64(id)}}
}

// Client returns a client of the server that a command came from, by the id and the name that it
// has there. On the server itself, a client is a reference to its connection.
func Client(id ID, name string) Value {
	return Value{kind: KindClient, text: name, v: Vec3{X: float64(id)}}
}

// Kind returns the type of v.
func (v Value) Kind() ValueKind { return v.kind }

// IsNil reports whether v is nil.
func (v Value) IsNil() bool { return v.kind == KindNil }

// Expanded reports whether v is a tag made by the function Expanded.
func (v Value) Expanded() bool { return v.expanded }

// Bool returns the value of a bool, false for any other kind.
func (v Value) Bool() bool { return v.kind == KindBool && v.v.X != 0 }

// Number returns the value of a number, 0 for any other kind.
func (v Value) Number() float64 {
	if v.kind != KindNumber {
		return 0
	}
	return v.v.X
}

// Client returns the id and the name of a client, 0 and "" for any other kind.
func (v Value) Client() (id ID, name string) {
	if v.kind != KindClient {
		return 0, ""
	}
	return ID(v.v.X), v.text
}

// Text returns the text of a string or tag, the name of a client, "" for any other kind.
func (v Value) Text() string { return v.text }

// Vec returns the value of a vector, the null vector for any other kind.
func (v Value) Vec() Vec3 {
	if v.kind != KindVec {
		return Vec3{}
	}
	return v.v
}

// Rot returns the value of a rotation, the null rotation for any other kind.
func (v Value) Rot() Rot {
	if v.kind != KindRot {
		return Rot{}
	}
	return Rot{v.v.X, v.v.Y, v.v.Z}
}

// Object returns the id of an object, 0 for any other kind.
func (v Value) Object() ID {
	if v.kind != KindObject {
		return 0
	}
	return ID(v.v.X)
}

// Names looks up the names of objects. World implements it.
type Names interface {
	NameOf(id ID) string // "" if it has none
}

// Print formats v as in a substitution: nil is empty, numbers have up to 14 digits, vectors are "x
// y z", clients are their name, and objects are their name or id. names may be nil.
func (v Value) Print(names Names) string {
	switch v.kind {
	case KindBool:
		return strconv.FormatBool(v.Bool())
	case KindNumber:
		return printNumber(v.v.X)
	case KindString, KindTag, KindClient:
		return v.text
	case KindVec, KindRot:
		return v.v.String()
	case KindObject:
		if names != nil {
			if name := names.NameOf(v.Object()); name != "" {
				return name
			}
		}
		return strconv.FormatUint(uint64(v.Object()), 10)
	}
	return ""
}

// String is Print without names.
func (v Value) String() string { return v.Print(nil) }

// Literal formats v for an error message: strings are quoted and cut to 40 bytes.
func (v Value) Literal() string {
	const most = 40
	switch v.kind {
	case KindNil:
		return "nil"
	case KindString, KindTag:
		if len(v.text) > most {
			return fmt.Sprintf("%q... (%d bytes)", v.text[:most], len(v.text))
		}
		return strconv.Quote(v.text)
	case KindVec:
		return "vec(" + v.v.String() + ")"
	case KindRot:
		return "rot(" + v.v.String() + ")"
	case KindObject:
		return "object " + v.String()
	case KindClient:
		return fmt.Sprintf("client %d", uint64(v.v.X))
	}
	return v.String()
}

// printNumber formats a number as tostring of Lua does: whole numbers below 2^53 with all digits,
// and others as %.14g. Negative zero is 0.
func printNumber(f float64) string {
	switch {
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return strconv.FormatInt(int64(f), 10)
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	}
	return strconv.FormatFloat(f, 'g', 14, 64)
}
