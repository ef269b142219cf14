package sim

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// maxWhole is the limit of the whole numbers that a float64 holds exactly.
const maxWhole = 1 << 53

// A Field is one row of a class: a name, the place of the value in the Go struct, the valid values,
// and the wire format. Make one with the builders below.
//
// On the wire, numbers, vectors and rotations are exact, 64 bits per number, unless the field has a
// width (WithBits) or a precision (WithStep).
type Field struct {
	Name  string
	Doc   string    // for people
	Group uint8     // 0 is sent on creation only; a group 1…31 is sent whole when a field changes
	Kind  ValueKind // of its values
	Jumps bool      // of a number, see WithJumps
	Harm  bool      // of a number, see WithHarm
	Lo    float64   // range of a number, or of each component of a vector
	Hi    float64
	Whole bool    // only whole numbers
	Bits  int     // per number on the wire, 0 is exact
	Step  float64 // of numbers on the wire, 0 is none
	Rate  string  // the field of the same kind and group that holds its change per second; "" for none
	Max   int     // most bytes of a text
	Class string  // class of the target of a reference

	Choices []string // the only valid texts; empty allows any
	Form    Form     // of tables in a text; nil for plain texts

	block bool  // refers to a datablock
	scale scale // of its numbers; set when the class is registered
	fits  func(Object) bool
	place func(Object) any // pointer to the value
}

// build makes the members common to all fields. T is the pointer type of the struct with the field,
// or an interface if several structs have it.
func build[T, V any](name string, group uint8, kind ValueKind, at func(T) *V) Field {
	return Field{
		Name: name, Group: group, Kind: kind,
		fits: func(o Object) bool { _, ok := Part[T](o); return ok },
		place: func(o Object) any {
			if part, ok := o.(T); ok {
				return at(part)
			}
			part, _ := Part[T](o) // Register has checked that it fits
			return at(part)
		},
	}
}

// FloatField is a number from lo to hi. Both limits can be infinite.
func FloatField[T any](name string, group uint8, lo, hi float64, at func(T) *float64) Field {
	f := build(name, group, KindNumber, at)
	f.Lo, f.Hi = lo, hi
	return f
}

// IntField is a whole number from lo to hi, within ±2^53. It takes as many bits as the range needs.
func IntField[T any](name string, group uint8, lo, hi int, at func(T) *int) Field {
	f := build(name, group, KindNumber, at)
	f.Lo, f.Hi, f.Whole = float64(lo), float64(hi), true
	return f
}

// BoolField is true or false. It takes one bit.
func BoolField[T any](name string, group uint8, at func(T) *bool) Field {
	return build(name, group, KindBool, at)
}

// VecField is a vector with components from -max to max. max can be infinite.
func VecField[T any](name string, group uint8, max float64, at func(T) *Vec3) Field {
	f := build(name, group, KindVec, at)
	f.Lo, f.Hi = -max, max
	return f
}

// RotField is a rotation.
func RotField[T any](name string, group uint8, at func(T) *Rot) Field {
	f := build(name, group, KindRot, at)
	f.Lo, f.Hi = math.Inf(-1), math.Inf(1)
	return f
}

// TextField is a string of at most max bytes. All byte values are valid.
func TextField[T any](name string, group uint8, max int, at func(T) *string) Field {
	f := build(name, group, KindString, at)
	f.Max = max
	return f
}

// RefField refers to an object of a class or its subclasses, or to none. Datablocks cannot have
// such a field, because objects come and go.
func RefField[T any](name string, group uint8, class string, at func(T) *ID) Field {
	f := build(name, group, KindObject, at)
	f.Class = class
	return f
}

// BlockField refers to a datablock of a class or its subclasses, or to none. It can also be set to
// the name of a datablock.
func BlockField[T any](name string, group uint8, class string, at func(T) *BlockRef) Field {
	f := build(name, group, KindObject, at)
	f.Class, f.block = class, true
	return f
}

// WithJumps marks a number whose changes are not small: updates carry it whole.
func (f Field) WithJumps() Field { f.Jumps = true; return f }

// WithHarm marks a number of which more is harm. Set adds none to an object that World.Spares
// spares, as damage adds none: the object keeps its lower value.
func (f Field) WithHarm() Field { f.Harm = true; return f }

// WithBits sets the width of a number on the wire: 2…32 bits for the whole range, for each
// component of a vector, or for a full turn of each angle.
func (f Field) WithBits(n int) Field { f.Bits = n; return f }

// WithStep sets the precision of a number or of a vector's components on the wire: multiples of
// step. The width follows from the number of multiples in the range, 32 bits at most. 0 is exact if
// the range contains it.
func (f Field) WithStep(step float64) Field { f.Step = step; return f }

// WithRate names the field of the same group that holds the change of this one per second. Updates
// are shorter then, because the peer predicts the one from the other. Both need a width or a
// precision.
func (f Field) WithRate(name string) Field { f.Rate = name; return f }

// WithChoices sets the only valid texts. The default must be one of them. A value from the wire can
// still be another text.
func (f Field) WithChoices(texts ...string) Field { f.Choices = texts; return f }

// WithDoc sets the description of the field for people.
func (f Field) WithDoc(doc string) Field { f.Doc = doc; return f }

// Get returns the field's value in o, an object of the field's class.
func (f *Field) Get(o Object) Value {
	switch p := f.place(o).(type) {
	case *float64:
		return Number(*p)
	case *int:
		return Number(float64(*p))
	case *bool:
		return Bool(*p)
	case *Vec3:
		return Vec(*p)
	case *Rot:
		return Rotation(*p)
	case *string:
		return String(*p)
	case *ID:
		return Handle(idIfAlive(o, *p))
	case *BlockRef:
		return Handle(blockID(o, *p))
	}
	panic("BUG: field of unknown type")
}

// Float returns the value of a number field without a Value, for code that reads many of them. ok
// is false for fields of other kinds.
func (f *Field) Float(o Object) (n float64, ok bool) {
	switch p := f.place(o).(type) {
	case *float64:
		return *p, true
	case *int:
		return float64(*p), true
	}
	return 0, false
}

// Vec3 is Float for vectors.
func (f *Field) Vec3(o Object) (v Vec3, ok bool) {
	if p, ok := f.place(o).(*Vec3); ok {
		return *p, true
	}
	return Vec3{}, false
}

// idIfAlive returns id if o's world has the object, else 0.
func idIfAlive(o Object, id ID) ID {
	if w := o.Ident().world; w != nil && w.Find(id) == nil {
		return 0
	}
	return id
}

// Set sets the field's value in o, an object of the field's class. The error is one sentence and
// says which values are valid. If the value changes, a datablock gets a new modified key and a net
// object is marked.
func (f *Field) Set(o Object, v Value) error {
	v, err := f.accept(o, v)
	was := f.Get(o)
	if err != nil || v == was || f.Harm && v.Number() > was.Number() && o.Ident().spared() {
		return err
	}
	if b, ok := o.(Datablock); ok {
		b.Data().touch()
	} else if c := o.Ident().older(); c != nil {
		c.onRollback = append(c.onRollback, func() { f.put(o, was) })
	}
	f.put(o, v)
	if id := o.Ident(); id.Alive() && id.class.data == f {
		id.world.OnCommit(func() { id.world.Emit(o, "onNewDataBlock", was) })
	}
	return nil
}

// put stores a valid value in o, and marks its group.
func (f *Field) put(o Object, v Value) {
	f.store(o, v)
	o.Ident().MarkLeap(1 << f.Group)
}

// store stores a valid value in o.
func (f *Field) store(o Object, v Value) {
	switch p := f.place(o).(type) {
	case *float64:
		*p = v.Number()
	case *int:
		*p = int(v.Number())
	case *bool:
		*p = v.Bool()
	case *Vec3:
		*p = v.Vec()
	case *Rot:
		*p = v.Rot()
	case *string:
		*p = v.Text()
	case *ID:
		*p = v.Object()
	case *BlockRef:
		*p = refTo(o, v.Object())
	}
}

// accept returns v in the form that the field stores, or an error.
func (f *Field) accept(o Object, v Value) (Value, error) {
	w := v.Vec()
	switch {
	case f.Kind == KindString:
		if (v.kind == KindString || v.kind == KindTag) && f.holdsText(v.text) {
			return String(v.text), nil
		}
	case f.Kind == KindObject:
		if found, ok := f.resolve(o, v); ok {
			return found, nil
		}
	case v.kind != f.Kind:
	case f.Kind == KindNumber:
		if f.holds(v.v.X) {
			return v, nil
		}
	case f.Kind == KindVec:
		if f.holds(w.X) && f.holds(w.Y) && f.holds(w.Z) {
			return v, nil
		}
	case f.Kind == KindRot:
		if r := v.Rot(); f.holds(r.Yaw) && f.holds(r.Pitch) && f.holds(r.Roll) {
			return v, nil
		}
	default:
		return v, nil
	}
	return Nil(), fmt.Errorf("%s must be %s, got %s", f.Name, f.expected(), v.Literal())
}

// holds reports whether a number is in range. NaN and infinities never are.
func (f *Field) holds(x float64) bool {
	return x >= f.Lo && x <= f.Hi && !math.IsInf(x, 0) && (!f.Whole || x == math.Trunc(x))
}

// resolve returns the object that v refers to, and whether the field may refer to it.
func (f *Field) resolve(o Object, v Value) (Value, bool) {
	if v.kind == KindNil {
		return v, true
	}
	w := o.Ident().World()
	if w == nil {
		return v, false
	}
	target := w.Find(v.Object())
	if f.block && v.kind == KindString {
		target = w.Blocks.ByName(v.text)
	}
	if target == nil || !target.Ident().class.IsA(w.classes.Lookup(f.Class)) {
		return v, false
	}
	if f.block && target.(Datablock).Data().table != w.Blocks {
		return v, false
	}
	return Handle(target.Ident().id), true
}

// expected describes the valid values, for an error.
func (f *Field) expected() string {
	switch f.Kind {
	case KindNumber:
		if f.Whole {
			return "a whole number" + between(f.Lo, f.Hi)
		}
		return "a number" + between(f.Lo, f.Hi)
	case KindBool:
		return "true or false"
	case KindVec:
		if math.IsInf(f.Hi, 0) {
			return "a vec"
		}
		return "a vec with components" + between(f.Lo, f.Hi)
	case KindRot:
		return "a rot"
	case KindString:
		if f.Form != nil {
			return "a table"
		}
		if len(f.Choices) > 0 {
			return "one of " + strings.Join(f.Choices, ", ")
		}
		return fmt.Sprintf("a string of at most %d bytes", f.Max)
	}
	if f.block {
		return "a datablock of class " + f.Class + " or nil"
	}
	return "an object of class " + f.Class + " or nil"
}

func between(lo, hi float64) string {
	switch least, most := !math.IsInf(lo, 0), !math.IsInf(hi, 0); {
	case least && most:
		return " from " + printNumber(lo) + " to " + printNumber(hi)
	case least:
		return " of at least " + printNumber(lo)
	case most:
		return " of at most " + printNumber(hi)
	}
	return ""
}

// valid reports errors of the row itself.
func (f *Field) valid(kind ClassKind) error {
	switch {
	case !IsName(f.Name):
		return fmt.Errorf("field %q: the name must consist of letters, digits and _", f.Name)
	case slices.ContainsFunc(reserved, func(r string) bool { return strings.EqualFold(r, f.Name) }):
		return fmt.Errorf("field %q: the name is reserved", f.Name)
	case f.Group > MaxGroups:
		return fmt.Errorf("field %q: group %d: must be at most %d", f.Name, f.Group, MaxGroups)
	case !(f.Lo <= f.Hi) || math.IsInf(f.Lo, 1) || math.IsInf(f.Hi, -1):
		return fmt.Errorf("field %q: the range is empty", f.Name)
	case f.Whole && (f.Lo < -maxWhole || f.Hi > maxWhole):
		return fmt.Errorf("field %q: whole numbers must be between -2^53 and 2^53", f.Name)
	case f.Whole && (f.Lo != math.Trunc(f.Lo) || f.Hi != math.Trunc(f.Hi)):
		return fmt.Errorf("field %q: the range of whole numbers must begin and end with one", f.Name)
	case f.Bits != 0 && (f.Bits < 2 || f.Bits > 32 || f.Whole || f.Kind != KindNumber && f.Kind != KindVec && f.Kind != KindRot):
		return fmt.Errorf("field %q: a width must be 2 to 32 bits, of a float, vec or rot", f.Name)
	case f.Bits != 0 && f.Kind != KindRot && (math.IsInf(f.Lo, 0) || math.IsInf(f.Hi, 0)):
		return fmt.Errorf("field %q: a width needs a finite range", f.Name)
	case f.Bits != 0 && f.Kind != KindRot && (f.Lo == f.Hi || math.IsInf(f.Hi-f.Lo, 0)):
		return fmt.Errorf("field %q: a width needs a range with different, not too distant ends", f.Name)
	case f.Step != 0 && (!(f.Step > 0) || math.IsInf(f.Step, 0) || f.Bits != 0 || f.Whole || f.Kind != KindNumber && f.Kind != KindVec):
		return fmt.Errorf("field %q: a step must be above 0, of a float or vec without width", f.Name)
	case f.Step != 0 && (math.IsInf(f.Lo, 0) || math.IsInf(f.Hi, 0)):
		return fmt.Errorf("field %q: a step needs a finite range", f.Name)
	case f.Kind == KindString && f.Max <= 0:
		return fmt.Errorf("field %q: the maximum text length must be above 0", f.Name)
	}
	if f.Kind == KindObject && !f.block && kind == BlockClass {
		return fmt.Errorf("field %q: a datablock can refer only to datablocks", f.Name)
	}
	return nil
}

// describe writes every property that both peers must agree on.
func (f *Field) describe(w io.Writer) {
	fmt.Fprintf(w, "%q %d %d %g %g %t %d %g %d %q ", f.Name, f.Group, f.Kind, f.Lo, f.Hi, f.Whole, f.Bits, f.Step, f.Max, f.Class)
	if f.Rate != "" {
		fmt.Fprintf(w, "rate %q ", f.Rate)
	}
	if f.Jumps {
		fmt.Fprint(w, "jumps ")
	}
}
