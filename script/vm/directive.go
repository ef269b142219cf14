package vm

import (
	"math"
	"strconv"
	"strings"
)

// directive is one directive of a format: %[flags][width][.precision]conversion.
type directive struct {
	flags     string
	width     int
	precision int // -1: none
	kind      byte
}

// cost returns the charge for writing n bytes, in instructions. Digits must be computed; bytes of a
// string are only copied or scanned.
func (v directive) cost(n int) int {
	switch v.kind {
	case 's':
		return 16 + n/64
	case 'q':
		return 16 + n/2
	}
	return 16 + 4*n
}

func (v directive) has(flag byte) bool { return strings.IndexByte(v.flags, flag) >= 0 }

// sign returns the prefix of a number that is not negative.
func (v directive) sign() string {
	switch {
	case v.has('+'):
		return "+"
	case v.has(' '):
		return " "
	}
	return ""
}

// appendInteger appends n with at least as many digits as the precision. A precision disables the
// flag '0'.
func (v directive) appendInteger(b []byte, sign string, n uint64) []byte {
	base := 10
	switch v.kind {
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
	}
	digits := strconv.FormatUint(n, base)
	if n == 0 && v.precision == 0 {
		digits = ""
	}
	if v.has('#') && base == 16 && n != 0 {
		sign = "0x"
	}
	if v.kind == 'X' {
		digits, sign = strings.ToUpper(digits), strings.ToUpper(sign)
	}
	if gap := v.precision - len(digits); gap > 0 {
		digits = strings.Repeat("0", gap) + digits
	}
	if v.has('#') && base == 8 && !strings.HasPrefix(digits, "0") {
		digits = "0" + digits
	}
	return v.pad(b, sign, digits, v.has('0') && v.precision < 0)
}

func (v directive) appendFloat(b []byte, n float64) []byte {
	sign := v.sign()
	if math.Signbit(n) && !math.IsNaN(n) {
		sign, n = "-", -n
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		text := NumberText(n)
		if v.kind < 'a' {
			text = strings.ToUpper(text)
		}
		return v.pad(b, sign, text, false)
	}
	precision := v.precision
	if precision < 0 {
		precision = 6
	}
	text := ""
	if v.kind|0x20 == 'g' {
		text = v.general(n, max(precision, 1))
	} else {
		text = v.withPoint(strconv.FormatFloat(n, v.kind, precision, 64))
	}
	return v.pad(b, sign, text, v.has('0'))
}

// general formats %g: the shorter form, without trailing zeros unless '#' is set.
func (v directive) general(n float64, digits int) string {
	kind := v.kind - 'g' + 'e'
	text := strconv.FormatFloat(n, kind, digits-1, 64)
	at := strings.IndexByte(text, kind)
	power, _ := strconv.Atoi(text[at+1:])
	if power >= -4 && power < digits {
		text = strconv.FormatFloat(n, 'f', digits-1-power, 64)
		at = len(text)
	}
	if v.has('#') {
		return v.withPoint(text)
	}
	whole, rest := text[:at], text[at:]
	if strings.IndexByte(whole, '.') >= 0 {
		whole = strings.TrimRight(strings.TrimRight(whole, "0"), ".")
	}
	return whole + rest
}

// withPoint adds a decimal point if the flag '#' is set.
func (v directive) withPoint(text string) string {
	if !v.has('#') || strings.IndexByte(text, '.') >= 0 {
		return text
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		return text[:at] + "." + text[at:]
	}
	return text + "."
}

// pad appends sign and text, padded to the width in bytes. Zeros go between the two, spaces
// outside.
func (v directive) pad(b []byte, sign, text string, zeros bool) []byte {
	gap := max(v.width-len(sign)-len(text), 0)
	switch {
	case v.has('-'):
		b = append(append(b, sign...), text...)
		return append(b, strings.Repeat(" ", gap)...)
	case zeros:
		b = append(append(b, sign...), strings.Repeat("0", gap)...)
	default:
		b = append(append(b, strings.Repeat(" ", gap)...), sign...)
	}
	return append(b, text...)
}

// appendQuoted appends s as a Lua string literal.
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
