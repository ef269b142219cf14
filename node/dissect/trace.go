package dissect

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// trace reads bits and keeps what it read as fields.
type trace struct {
	r      bitstream.Reader
	at     int    // position of the first bit
	prefix string // of the names of fields
	fields []Field
	where  string // name of the field at which reading failed
}

func newTrace(b []byte) *trace {
	t := new(trace)
	t.r.Reset(b)
	return t
}

// within makes a name the prefix of the fields until the returned function runs.
func (t *trace) within(name string) (leave func()) {
	outer := t.prefix
	t.prefix += name + "."
	return func() { t.prefix = outer }
}

// withinItem is within for the i-th item of a list.
func (t *trace) withinItem(i int) (leave func()) { return t.within(strconv.Itoa(i)) }

func (t *trace) pos() int   { return t.r.Pos() }
func (t *trace) err() error { return t.r.Err() }
func (t *trace) ok() bool   { return t.r.Err() == nil }

// fail ends reading, because a value breaks a rule.
func (t *trace) fail(name, format string, args ...any) {
	t.r.Fail(fmt.Errorf(format, args...))
	t.note(name)
}

// note keeps the name of the first field that cannot be read.
func (t *trace) note(name string) {
	if t.where == "" {
		t.where = t.prefix + name
	}
}

// failure describes why and where reading failed.
func (t *trace) failure() string {
	return fmt.Sprintf("bit %d, %s: %v", t.at+t.pos(), t.where, t.err())
}

// add keeps the field that begins at bit from and ends here. The pointer is valid until the next
// call.
func (t *trace) add(name string, from int, value any) *Field {
	if !t.ok() {
		t.note(name)
		return new(Field)
	}
	t.fields = append(t.fields, Field{Name: t.prefix + name, From: t.at + from, To: t.at + t.pos(), Value: value})
	return &t.fields[len(t.fields)-1]
}

// derive keeps a field without bits.
func (t *trace) derive(name string, value any) *Field { return t.add(name, t.pos(), value) }

func (t *trace) flag(name string) bool {
	from, v := t.pos(), t.r.ReadFlag()
	t.add(name, from, v)
	return v
}

func (t *trace) bits(name string, n int) uint64 {
	from, v := t.pos(), t.r.ReadBits(n)
	t.add(name, from, v)
	return v
}

// ranged reads an integer of the range lo to hi.
func (t *trace) ranged(name string, lo, hi int) int {
	from, v := t.pos(), lo
	t.r.Int(&v, lo, hi)
	t.add(name, from, v)
	return v
}

func (t *trace) varint(name string) uint64 {
	from, v := t.pos(), uint64(0)
	t.r.Var(&v)
	t.add(name, from, v)
	return v
}

// gamma reads a gamma and returns it less a number.
func (t *trace) gamma(name string, less uint64) uint64 {
	from, v := t.pos(), uint64(0)
	t.r.Gamma(&v)
	if !t.ok() {
		t.note(name)
		return 0
	}
	t.add(name, from, v-less)
	return v - less
}

func (t *trace) text(name string, most int) string {
	from, v := t.pos(), ""
	t.r.Text(&v, most)
	t.add(name, from, printable(v))
	return v
}

// bytes reads bytes after their length.
func (t *trace) bytes(name string, most int) []byte {
	from, v := t.pos(), []byte(nil)
	t.r.Bytes(&v, most)
	t.add(name, from, hex.EncodeToString(v))
	return v
}

// plainText reads a text of the handshake.
func (t *trace) plainText(name string, most int) string {
	from, v := t.pos(), []byte(nil)
	t.r.Bytes(&v, most)
	t.add(name, from, printable(string(v)))
	return string(v)
}

// raw reads n bits as bytes, lowest bits first.
func (t *trace) raw(name string, n int) []byte {
	from := t.pos()
	if n < 0 || n > t.r.Left() {
		t.r.Fail(bitstream.ErrShort)
		t.note(name)
		return nil
	}
	b := make([]byte, 0, (n+7)/8)
	for left := n; left > 0; left -= 8 {
		b = append(b, byte(t.r.ReadBits(min(left, 8))))
	}
	t.add(name, from, hex.EncodeToString(b))
	return b
}

// float reads an IEEE 754 number of 64 bits.
func (t *trace) float(name string) float64 {
	from, bits := t.pos(), t.r.ReadBits(64)
	v := math.Float64frombits(bits)
	t.add(name, from, bits).Means = number(v)
	return v
}

// part returns a trace of n bits of t, from bit from on, with the positions of t.
func (t *trace) part(b []byte, from int) *trace {
	p := newTrace(b)
	p.at, p.prefix = t.at+from, t.prefix
	return p
}

// maxHandshakeText is the most bytes of a text in the handshake.
const maxHandshakeText = 255

// number returns a number in a form that JSON has.
func number(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return v
}

// printable returns a text in a form that JSON has: invalid UTF-8 becomes hexadecimal digits.
func printable(s string) any {
	if utf8.ValidString(s) {
		return s
	}
	return map[string]string{"hex": hex.EncodeToString([]byte(s))}
}
