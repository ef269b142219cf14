package sim

import (
	"fmt"
	"strconv"
)

// Kind says what a Value is.
type Kind uint8

// The kinds of values.
const (
	KindNil Kind = iota
	KindBool
	KindNumber
	KindString
	KindTag
	KindVec
	KindRot
	KindObject
)

var kindNames = [...]string{"nil", "bool", "number", "string", "tag", "vec", "rot", "object"}

// String is the kind's name, as in error messages.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// Value is the one dynamic type: fields are set and read as Values, commands
// carry them. Two Values may be compared with ==. The zero Value is nil.
type Value struct {
	kind     Kind
	expanded bool
	text     string
	v        Vec3 // a number, bool or object id in X
}

// Nil is the absence of a value.
func Nil() Value { return Value{} }

// Bool is true or false.
func Bool(b bool) Value {
	v := Value{kind: KindBool}
	if b {
		v.v.X = 1
	}
	return v
}

// Number is a number.
func Number(f float64) Value { return Value{kind: KindNumber, v: Vec3{X: f}} }

// String is a plain string of any bytes.
func String(s string) Value { return Value{kind: KindString, text: s} }

// Tag is a tagged string.
func Tag(text string) Value { return Value{kind: KindTag, text: text} }

// Expanded is a tag as it came from a peer, with its substitutions done. It is
// like any tag to those who read it, but sent on it travels as a plain string.
func Expanded(text string) Value { return Value{kind: KindTag, expanded: true, text: text} }

// Vec is a vector.
func Vec(v Vec3) Value { return Value{kind: KindVec, v: v} }

// Rotation is an orientation.
func Rotation(r Rot) Value { return Value{kind: KindRot, v: Vec3{r.Yaw, r.Pitch, r.Roll}} }

// Handle refers to an object by id; 0 is nil.
func Handle(id ID) Value {
	if id == 0 {
		return Value{}
	}
	return Value{kind: KindObject, v: Vec3{X: float64(id)}}
}

// Kind says what v is.
func (v Value) Kind() Kind { return v.kind }

// IsNil reports whether v is nil.
func (v Value) IsNil() bool { return v.kind == KindNil }

// Expanded reports whether v is a tag made by the function Expanded.
func (v Value) Expanded() bool { return v.expanded }

// Bool is the value of a bool, false for any other kind.
func (v Value) Bool() bool { return v.kind == KindBool && v.v.X != 0 }

// Number is the value of a number, 0 for any other kind.
func (v Value) Number() float64 {
	if v.kind != KindNumber {
		return 0
	}
	return v.v.X
}

// Text is the text of a string or tag, "" for any other kind.
func (v Value) Text() string { return v.text }

// Vec is the value of a vector, null for any other kind.
func (v Value) Vec() Vec3 {
	if v.kind != KindVec {
		return Vec3{}
	}
	return v.v
}

// Rot is the value of a rotation, null for any other kind.
func (v Value) Rot() Rot {
	if v.kind != KindRot {
		return Rot{}
	}
	return Rot{v.v.X, v.v.Y, v.v.Z}
}

// Object is the id of an object, 0 for any other kind.
func (v Value) Object() ID {
	if v.kind != KindObject {
		return 0
	}
	return ID(v.v.X)
}

// Names knows the names of objects; a World does.
type Names interface {
	NameOf(id ID) string // "" if it has none
}

// Print is v as a substitution shows it: nil is nothing, numbers have up to 14
// digits, vectors are "x y z", objects their name or id. names may be nil.
func (v Value) Print(names Names) string {
	switch v.kind {
	case KindBool:
		return strconv.FormatBool(v.Bool())
	case KindNumber:
		return printNumber(v.v.X)
	case KindString, KindTag:
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

// Literal is v as an error message shows it: strings quoted and cut to a
// length that fits into a sentence.
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
	}
	return v.String()
}

func printNumber(f float64) string { return fmt.Sprintf("%.14g", f) }
