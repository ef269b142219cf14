package vm

import (
	"strconv"
	"strings"
)

// stringFormat implements string.format with C's directives.
func stringFormat(a Args) int {
	format := a.String(1)
	a.Charge(len(format) / 8)
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
		v, n := parseDirective(a, format[i+1:])
		i += n
		arg++
		before := len(b)
		b = appendDirective(a, b, v, arg)
		a.Charge(v.cost(len(b) - before))
		if len(b) > a.Longest() {
			a.Fail("the result is longer than %d bytes", a.Longest())
		}
	}
	return a.Text(string(b))
}

// parseDirective parses the directive after a '%'. n is its length in bytes.
func parseDirective(a Args, s string) (v directive, n int) {
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
			a.Fail("the width or precision in '%%%s' is over 99", s[:n])
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
		a.Fail("'%%%s' is not a format directive", s[:min(n+1, len(s))])
	}
	v.kind = s[n]
	return v, n + 1
}

func appendDirective(a Args, b []byte, v directive, arg int) []byte {
	switch v.kind {
	case 'd', 'i':
		n := a.integer(arg)
		if n < 0 {
			return v.appendInteger(b, "-", uint64(-n))
		}
		return v.appendInteger(b, v.sign(), uint64(n))
	case 'u', 'o', 'x', 'X':
		return v.appendInteger(b, "", uint64(a.integer(arg)))
	case 'c':
		return v.pad(b, "", string([]byte{byte(a.Int(arg))}), false)
	case 'e', 'E', 'f', 'g', 'G':
		return v.appendFloat(b, a.Number(arg))
	case 'q':
		return appendQuoted(b, a.String(arg))
	}
	text := a.Mod.State.Text(a.L, a.Any(arg))
	if v.precision >= 0 && v.precision < len(text) {
		text = text[:v.precision]
	}
	return v.pad(b, "", text, false)
}

// integer returns argument i truncated to a 64-bit integer.
func (a Args) integer(i int) int64 {
	n := a.Number(i)
	switch {
	case n >= -1<<63 && n < 1<<63:
		return int64(n)
	case n >= 1<<63 && n < 1<<64:
		return int64(uint64(n))
	}
	a.Wrong(i, "an integer")
	return 0
}
