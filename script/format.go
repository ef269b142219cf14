package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// verb is one directive of a format: %[flags][width][.precision]conversion.
type verb struct {
	flags     string
	width     int
	precision int // -1: none
	kind      byte
}

// stringFormat formats as C does.
func stringFormat(a Args) int {
	format := a.String(1)
	b := make([]byte, 0, len(format)+16)
	arg := 1
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b = append(b, format[i])
			continue
		}
		if i+1 < len(format) && format[i+1] == '%' {
			b = append(b, '%')
			i++
			continue
		}
		v, n := a.verb(format[i+1:])
		i += n
		arg++
		b = a.appendVerb(b, v, arg)
		if len(b) > maxString {
			a.Fail("the result is longer than %d bytes", maxString)
		}
	}
	return a.Text(string(b))
}

// verb reads a directive after its '%'; n is its length.
func (a Args) verb(s string) (v verb, n int) {
	for n < len(s) && strings.IndexByte("-+ #0", s[n]) >= 0 {
		n++
	}
	v.flags, v.precision = s[:n], -1
	number := func() int {
		from := n
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		if n-from > 2 {
			a.Fail("a width or precision in '%%%s' is over 99", s[:n])
		}
		x, _ := strconv.Atoi(s[from:n])
		return x
	}
	v.width = number()
	if n < len(s) && s[n] == '.' {
		n++
		v.precision = number()
	}
	if n == len(s) || strings.IndexByte("diucoxXeEfgGqs", s[n]) < 0 || len(v.flags) > 5 {
		a.Fail("'%%%s' is not a directive", s[:min(n+1, len(s))])
	}
	v.kind = s[n]
	return v, n + 1
}

func (a Args) appendVerb(b []byte, v verb, arg int) []byte {
	switch v.kind {
	case 'd', 'i':
		return fmt.Appendf(b, v.spec('d'), a.integer(arg))
	case 'u':
		return fmt.Appendf(b, v.spec('d'), uint64(a.integer(arg)))
	case 'o', 'x', 'X':
		return fmt.Appendf(b, v.spec(v.kind), uint64(a.integer(arg)))
	case 'c':
		return v.pad(b, string([]byte{byte(a.Int(arg))}))
	case 'e', 'E', 'f', 'g', 'G':
		return v.appendFloat(b, a.Number(arg))
	case 'q':
		return appendQuoted(b, a.String(arg))
	}
	text := a.Mod.State.Text(a.L, a.Any(arg))
	if v.precision >= 0 && v.precision < len(text) {
		text = text[:v.precision]
	}
	return v.pad(b, text)
}

// integer is argument i cut to a whole number of 64 bits.
func (a Args) integer(i int) int64 {
	n := a.Number(i)
	switch {
	case n >= -1<<63 && n < 1<<63:
		return int64(n)
	case n >= 1<<63 && n < 1<<64:
		return int64(uint64(n))
	}
	a.wrong(i, "an integer")
	return 0
}

// spec is the directive in the words of package fmt.
func (v verb) spec(kind byte) string {
	s := "%" + v.flags
	if v.width > 0 {
		s += strconv.Itoa(v.width)
	}
	if v.precision >= 0 {
		s += "." + strconv.Itoa(v.precision)
	}
	return s + string(kind)
}

func (v verb) appendFloat(b []byte, n float64) []byte {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		text := numberText(n)
		if n > 0 && strings.Contains(v.flags, "+") {
			text = "+" + text
		}
		return v.pad(b, text)
	}
	if v.precision < 0 {
		v.precision = 6 // fmt's default for %g is another
	}
	if v.precision == 0 && v.kind|0x20 == 'g' {
		v.precision = 1
	}
	return fmt.Appendf(b, v.spec(v.kind), n)
}

// pad appends text in the width, counted in bytes.
func (v verb) pad(b []byte, text string) []byte {
	gap := max(v.width-len(text), 0)
	if strings.Contains(v.flags, "-") {
		b = append(b, text...)
		return append(b, strings.Repeat(" ", gap)...)
	}
	b = append(b, strings.Repeat(" ", gap)...)
	return append(b, text...)
}

// appendQuoted writes a string so that Lua reads it back.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\', '\n':
			b = append(b, '\\', c)
		case '\r':
			b = append(b, `\r`...)
		case 0:
			b = append(b, `\000`...)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
