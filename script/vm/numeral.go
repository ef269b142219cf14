package vm

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

const spaceChars = " \t\n\v\f\r"

// ParseNumber reads a number in Lua's syntax: decimal with fraction and exponent, or hexadecimal.
// It ignores space around the number.
func ParseNumber(text string) (float64, bool) {
	text = strings.Trim(text, spaceChars)
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 || digits == "" {
		return 0, false
	}
	if len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x' {
		n, ok := parseInteger(digits[2:], 16)
		if text[0] == '-' {
			n = -n
		}
		return n, ok
	}
	if strings.Trim(digits, "0123456789.eE+-") != "" {
		return 0, false // ParseFloat accepts more than Lua: inf, nan, underscores
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(n, 0) {
		return 0, false
	}
	return n, true
}

// parseInteger reads an integer of any length in a base, with an optional sign. It ignores space
// around the integer.
func parseInteger(text string, base int) (float64, bool) {
	text = strings.Trim(text, spaceChars)
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	if base == 16 && len(text) > 2 && text[0] == '0' && text[1]|0x20 == 'x' {
		text = text[2:]
	}
	whole, n := uint64(0), 0.0 // whole is exact while it fits, so that its conversion rounds only once
	for _, c := range []byte(text) {
		d := digitValue(c)
		if d >= base {
			return 0, false
		}
		if n == 0 && whole < 1<<58 {
			whole = whole*uint64(base) + uint64(d)
			continue
		}
		if n == 0 {
			n = float64(whole)
		}
		n = float64(n*float64(base)) + float64(d)
	}
	if n == 0 {
		n = float64(whole)
	}
	if negative {
		n = -n
	}
	return n, text != ""
}

// digitValue returns the value of a digit or letter, and 99 for any other byte.
func digitValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case isLetter(c):
		return int(c|0x20-'a') + 10
	}
	return 99
}

// NumberText formats a number: whole numbers below 2^53 with all digits, others as %.14g. Negative
// zero, such as the VM's result of -4 % 2, prints as 0.
func NumberText(n float64) string {
	switch {
	case n == math.Trunc(n) && math.Abs(n) < 1<<53:
		return strconv.FormatInt(int64(n), 10)
	case math.IsNaN(n):
		return "nan"
	case math.IsInf(n, 1):
		return "inf"
	case math.IsInf(n, -1):
		return "-inf"
	}
	return strconv.FormatFloat(n, 'g', 14, 64)
}

// Boxes caches recent numbers as Lua values. A repeated number, such as an id, a team or the tick,
// then makes no garbage.
type Boxes [512]lua.LValue

// Number returns v as a Lua value.
func (b *Boxes) Number(v float64) lua.LValue {
	bits := math.Float64bits(v)
	slot := &b[bits*0x9e3779b97f4a7c15>>55]
	if n, ok := (*slot).(lua.LNumber); ok && math.Float64bits(float64(n)) == bits {
		return *slot
	}
	*slot = lua.LNumber(v)
	return *slot
}
