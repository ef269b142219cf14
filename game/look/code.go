package look

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/torc-engine/torc/engine/sim"
)

// A look as text:
//
//	version 1 byte │ number of elements │ per element: kind 1 byte │ bytes of the rest │ mask │ values
//
// Bit n of the mask says that the value of attribute n follows, and differs from the standard one
// of the kind. All numbers without a size are varints. A number is a signed multiple of its
// precision, and vectors and rotations are three of them. A bool has no value: its bit inverts the
// standard one. A text is its length and its bytes. A choice is its place in the list. A colour is
// two more than its number: 0 is Dark and 1 is Team. A reader skips kinds and attributes that it
// does not know.

const version = 1

// The range of colours.
const (
	lowestColor  = Dark
	highestColor = 0xffffff
)

// encode returns the text of the look. Its elements begin with valid kinds.
func (l *Look) encode() string {
	b := binary.AppendUvarint([]byte{version}, uint64(len(l.Elements)))
	for i := range l.Elements {
		e := &l.Elements[i]
		rest := e.append(nil)
		b = binary.AppendUvarint(append(b, byte(e.Kind)), uint64(len(rest)))
		b = append(b, rest...)
	}
	return string(b)
}

// append appends the mask and the values.
func (e *Element) append(b []byte) []byte {
	var mask uint64
	var values []byte
	for _, n := range uses[e.Kind] {
		if a := &rows[n]; !a.same(e, &kinds[e.Kind].standard) {
			mask |= 1 << n
			values = a.append(values, e)
		}
	}
	return append(binary.AppendUvarint(b, mask), values...)
}

// append appends the value of an element.
func (a *attribute) append(b []byte, e *Element) []byte {
	number := func(x float64) { b = binary.AppendVarint(b, int64(math.Round(a.number(x)*a.per))) }
	switch p := a.at(e).(type) {
	case *float64:
		number(*p)
	case *sim.Vec3:
		number(p.X)
		number(p.Y)
		number(p.Z)
	case *sim.Rot:
		number(p.Yaw)
		number(p.Pitch)
		number(p.Roll)
	case *string:
		if a.choices == nil {
			b = append(binary.AppendUvarint(b, uint64(len(*p))), *p...)
			break
		}
		for i, c := range a.choices {
			if c == *p {
				b = binary.AppendUvarint(b, uint64(i))
			}
		}
	case *Color:
		b = binary.AppendUvarint(b, uint64(max(*p, lowestColor)-lowestColor))
	}
	return b
}

// A reader reads a text. After an error it returns zeros.
type reader struct {
	text string
	bad  bool
}

// Decode reads the text of a look. Values beyond their ranges are limited to them. It reports false
// for a text that is no look of this version. It never makes more elements than the text has bytes.
func Decode(text string) (*Look, bool) {
	r := &reader{text: text}
	if len(text) > MaxText || r.byte() != version {
		return nil, false
	}
	count := r.uvarint()
	if count > MaxElements {
		return nil, false
	}
	l := &Look{text: text}
	for range count {
		kind := Kind(r.byte())
		rest := reader{text: r.take(r.uvarint())}
		if r.bad {
			return nil, false
		}
		if kind == 0 || kind >= endOfKinds {
			continue
		}
		e := kinds[kind].standard
		if !e.read(&rest) {
			return nil, false
		}
		l.Elements = append(l.Elements, e)
	}
	return l, r.text == ""
}

// read reads the values of an element. A value of an attribute that the kind does not use is an
// error.
func (e *Element) read(r *reader) bool {
	mask := r.uvarint()
	for _, n := range uses[e.Kind] {
		if mask>>n&1 != 0 {
			rows[n].read(r, e)
			mask &^= 1 << n
		}
	}
	return !r.bad && mask&(1<<len(rows)-1) == 0
}

// read reads the value of an element.
func (a *attribute) read(r *reader, e *Element) {
	number := func() float64 { return a.number(float64(r.varint()) / a.per) }
	switch p := a.at(e).(type) {
	case *float64:
		*p = number()
	case *sim.Vec3:
		*p = sim.Vec3{X: number(), Y: number(), Z: number()}
	case *sim.Rot:
		*p = sim.Rot{Yaw: number(), Pitch: number(), Roll: number()}
	case *bool:
		*p = !*p
	case *string:
		if n := r.uvarint(); a.choices == nil {
			*p = strings.ToValidUTF8(r.take(min(n, maxString)), "?")
			r.bad = r.bad || n > maxString
		} else if n < uint64(len(a.choices)) {
			*p = a.choices[n]
		}
	case *Color:
		*p = Color(min(r.uvarint(), uint64(highestColor-lowestColor))) + lowestColor
	}
}

// take returns the next n bytes.
func (r *reader) take(n uint64) string {
	if n > uint64(len(r.text)) {
		r.bad, r.text = true, ""
		return ""
	}
	taken := r.text[:n]
	r.text = r.text[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != "" {
		return b[0]
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	var x uint64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		if x |= uint64(b&0x7f) << shift; b < 0x80 {
			return x
		}
	}
	r.bad = true
	return 0
}

func (r *reader) varint() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}
