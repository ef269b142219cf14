package json

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

// An Encoder writes values as JSON.
type Encoder struct {
	Text   func(v *lua.LUserData) (text string, null, ok bool) // of a userdata: a string, or null
	Kind   func(v lua.LValue) string                           // names the type of a value: "a function"
	Charge func(n int)                                         // charges instructions; it may end the call
	Each   func(t *lua.LTable, do func(k, v lua.LValue))       // walks a table in a fixed order
	Most   int                                                 // bytes of the result
	Budget int                                                 // instructions of one text

	spent  int
	out    []byte
	within []*lua.LTable
	keys   [][]lua.LValue // free lists
}

// The costs of parts of a text, in instructions of about 30 ns. Nothing of it is made anew, so they
// are less than those of decoding.
const (
	encodedTable    = 8
	encodedKey      = 4  // in each table
	encodedFraction = 12 // its shortest text is searched
)

// charge charges instructions.
func (e *Encoder) charge(n int) {
	e.spent += n
	e.Charge(n)
}

// A placed error has the path of the value in the encoded one.
type placed struct {
	path, text string
}

func (p *placed) Error() string {
	if p.path == "" {
		return p.text
	}
	return p.path + ": " + p.text
}

// Encode returns the text of a value. The error names the place: ".players[1].name: …".
func (e *Encoder) Encode(v lua.LValue) (string, error) {
	if err := e.value(v); err != nil {
		return "", err
	}
	return string(e.out), nil
}

func (e *Encoder) value(v lua.LValue) error {
	switch {
	case len(e.out) > e.Most:
		return fmt.Errorf("the text is longer than %d bytes", e.Most)
	case e.spent > e.Budget:
		return e.tooMuch()
	}
	switch v := v.(type) {
	case *lua.LNilType:
		e.out = append(e.out, "null"...)
	case lua.LBool:
		e.out = strconv.AppendBool(e.out, bool(v))
	case lua.LNumber:
		return e.number(float64(v))
	case lua.LString:
		return e.text(string(v))
	case *lua.LTable:
		return e.table(v)
	case *lua.LUserData:
		text, null, ok := e.Text(v)
		switch {
		case null:
			e.out = append(e.out, "null"...)
		case ok:
			return e.text(text)
		default:
			return e.fail("%s cannot be JSON", e.Kind(v))
		}
	default:
		return e.fail("%s cannot be JSON", e.Kind(v))
	}
	return nil
}

func (e *Encoder) tooMuch() error {
	return fmt.Errorf("the value takes more than %d instructions: encode its parts", e.Budget)
}

func (e *Encoder) fail(format string, args ...any) error {
	return &placed{text: fmt.Sprintf(format, args...)}
}

// number writes the shortest text that reads as the same number.
func (e *Encoder) number(n float64) error {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return e.fail("%s cannot be JSON", map[bool]string{true: "nan", false: "an infinite number"}[math.IsNaN(n)])
	}
	cost := valueCost
	if n != math.Trunc(n) {
		cost = encodedFraction
	}
	e.charge(cost)
	format := byte('f')
	if size := math.Abs(n); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	e.out = strconv.AppendFloat(e.out, n, format, -1, 64)
	if last := len(e.out) - 1; format == 'e' && last >= 3 && e.out[last-1] == '0' && e.out[last-2] == '-' { // e-09
		e.out[last-1] = e.out[last]
		e.out = e.out[:last]
	}
	return nil
}

const hexDigits = "0123456789abcdef"

func (e *Encoder) text(s string) error {
	e.charge(valueCost + len(s)/bytesCost)
	if len(e.out)+len(s) > e.Most {
		return fmt.Errorf("the text is longer than %d bytes", e.Most)
	}
	e.out = append(e.out, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				return e.fail("byte %d of a string is not UTF-8", i+1)
			}
			if r != '\u2028' && r != '\u2029' { // JavaScript took them for line breaks
				i += size
				continue
			}
			e.out = append(append(e.out, s[from:i]...), `\u202`...)
			e.out = append(e.out, hexDigits[r&0xf])
			i += size
			from = i
			continue
		}
		e.out = append(e.out, s[from:i]...)
		e.out = appendEscape(e.out, c)
		i++
		from = i
	}
	e.out = append(append(e.out, s[from:]...), '"')
	return nil
}

func appendEscape(out []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(out, '\\', c)
	case '\b':
		return append(out, `\b`...)
	case '\f':
		return append(out, `\f`...)
	case '\n':
		return append(out, `\n`...)
	case '\r':
		return append(out, `\r`...)
	case '\t':
		return append(out, `\t`...)
	}
	return append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

func (e *Encoder) table(t *lua.LTable) error {
	switch {
	case slices.Contains(e.within, t):
		return e.fail("a table contains itself")
	case len(e.within) >= maxDepth:
		return e.fail("tables nest deeper than %d", maxDepth)
	}
	e.charge(encodedTable)
	e.within = append(e.within, t)
	defer func() { e.within = e.within[:len(e.within)-1] }()
	keys, texts, err := e.keysOf(t)
	defer func() { e.keys = append(e.keys, keys[:0]) }()
	switch {
	case err != nil:
		return err
	case texts || len(keys) == 0 && IsObject(t):
		return e.object(t, keys)
	case IsObject(t):
		return e.fail("an object has the key %s: its keys must be strings", step(keys[0]))
	}
	e.out = append(e.out, '[')
	for i := 1; i <= len(keys); i++ {
		if i > 1 {
			e.out = append(e.out, ',')
		}
		v := t.RawGetInt(i)
		if v == lua.LNil {
			return e.fail("a list has no value %d: use json.null, or strings as keys", i)
		}
		if err := e.value(v); err != nil {
			return within(lua.LNumber(i), err)
		}
	}
	e.out = append(e.out, ']')
	return nil
}

// keysOf returns the keys of a table, and whether they are strings.
func (e *Encoder) keysOf(t *lua.LTable) (keys []lua.LValue, texts bool, err error) {
	if n := len(e.keys); n > 0 {
		keys, e.keys = e.keys[n-1], e.keys[:n-1]
	}
	numbers := 0
	e.Each(t, func(k, _ lua.LValue) {
		if err != nil || len(keys) > e.Most/2 || e.spent > e.Budget { // too long already
			return
		}
		e.charge(encodedKey)
		switch k.(type) {
		case lua.LString:
		case lua.LNumber:
			numbers++
		default:
			err = e.fail("%s is a key: keys must be strings, or 1 to n", e.Kind(k))
		}
		keys = append(keys, k)
	})
	if err == nil && e.spent > e.Budget {
		err = e.tooMuch()
	}
	if err == nil && numbers > 0 && numbers < len(keys) {
		err = e.fail("a table has strings and numbers as keys")
	}
	return keys, len(keys) > 0 && numbers == 0, err
}

func (e *Encoder) object(t *lua.LTable, keys []lua.LValue) error {
	e.charge(len(keys) * bits.Len(uint(len(keys)))) // to sort them
	slices.SortFunc(keys, func(a, b lua.LValue) int {
		if a.(lua.LString) < b.(lua.LString) {
			return -1
		}
		return 1
	})
	e.out = append(e.out, '{')
	for i, k := range keys {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		if err := e.text(string(k.(lua.LString))); err != nil {
			return within(k, err)
		}
		e.out = append(e.out, ':')
		if err := e.value(t.RawGet(k)); err != nil {
			return within(k, err)
		}
	}
	e.out = append(e.out, '}')
	return nil
}

// within puts a key before the path of an error.
func within(k lua.LValue, err error) error {
	if p, ok := err.(*placed); ok {
		p.path = step(k) + p.path
	}
	return err
}

// maxStep is the number of bytes of a key in a path.
const maxStep = 40

// step returns the access to a key in Lua syntax.
func step(k lua.LValue) string {
	name, ok := k.(lua.LString)
	if !ok {
		return "[" + k.String() + "]"
	}
	plain := len(name) > 0 && len(name) <= maxStep && !(name[0] >= '0' && name[0] <= '9')
	for _, c := range []byte(name[:min(len(name), maxStep)]) {
		plain = plain && (c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z')
	}
	if plain {
		return "." + string(name)
	}
	return "[" + strconv.QuoteToASCII(string(name[:min(len(name), maxStep)])) + "]"
}
