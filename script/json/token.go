package json

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// word skips a word if it is next.
func (d *Decoder) word(word string) bool {
	if !strings.HasPrefix(d.text[d.at:], word) {
		return false
	}
	d.at += len(word)
	return true
}

// number reads a number.
func (d *Decoder) number() (float64, error) {
	from := d.at
	if d.text[d.at] == '-' {
		d.at++
	}
	whole := d.at
	if d.digits(); d.at == whole {
		return 0, d.fail("expected a digit")
	}
	if d.text[whole] == '0' && d.at > whole+1 {
		d.at = whole + 1
		return 0, d.fail("a number begins with 0")
	}
	small := d.at-whole < 16
	if d.at < len(d.text) && d.text[d.at] == '.' {
		small = false
		d.at++
		if at := d.at; d.digits() == at {
			return 0, d.fail("expected a digit")
		}
	}
	if d.at < len(d.text) && d.text[d.at]|0x20 == 'e' {
		small = false
		d.at++
		if d.at < len(d.text) && (d.text[d.at] == '+' || d.text[d.at] == '-') {
			d.at++
		}
		if at := d.at; d.digits() == at {
			return 0, d.fail("expected a digit")
		}
	}
	d.Cost += (d.at - from) / bytesCost
	if small {
		return wholeNumber(d.text[whole:d.at], whole > from), nil
	}
	n, err := strconv.ParseFloat(d.text[from:d.at], 64)
	if err != nil || math.IsInf(n, 0) {
		d.at = from
		return 0, d.fail("a number is too large")
	}
	return n, nil
}

// digits skips digits and returns the place after them.
func (d *Decoder) digits() int {
	for d.at < len(d.text) && d.text[d.at] >= '0' && d.text[d.at] <= '9' {
		d.at++
	}
	return d.at
}

// wholeNumber returns the number of at most 15 digits.
func wholeNumber(digits string, negative bool) float64 {
	n := 0
	for i := range len(digits) {
		n = 10*n + int(digits[i]-'0')
	}
	if negative {
		return -float64(n)
	}
	return float64(n)
}

// quoted reads a string. The result can share the memory of the text.
func (d *Decoder) quoted() (string, error) {
	from := d.at + 1
	ascii := true
	for i := from; i < len(d.text); i++ {
		switch c := d.text[i]; {
		case c == '"':
			d.at = i + 1
			d.Cost += (i - from) / bytesCost
			if !ascii && !utf8.ValidString(d.text[from:i]) {
				return "", d.badText(from, i)
			}
			return d.text[from:i], nil
		case c == '\\':
			return d.escaped(from, i)
		case c < ' ':
			d.at = i
			return "", d.fail(fmt.Sprintf("a string has the control character %d: write \\u%04x", c, c))
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return "", d.fail("a string does not end")
}

// escaped reads a string with its first escape at i.
func (d *Decoder) escaped(from, i int) (string, error) {
	var b strings.Builder
	b.WriteString(d.text[from:i])
	part := i // the beginning of what is not in b yet
	for i < len(d.text) {
		switch c := d.text[i]; {
		case c == '"':
			b.WriteString(d.text[part:i])
			if !utf8.ValidString(d.text[from:i]) {
				return "", d.badText(from, i)
			}
			d.at = i + 1
			d.Cost += (i - from) / bytesCost * 2
			return b.String(), nil
		case c == '\\':
			b.WriteString(d.text[part:i])
			r, size := unescape(d.text[i:])
			if size == 0 {
				d.at = i
				return "", d.fail("a bad escape in a string")
			}
			b.WriteRune(r)
			i += size
			part = i
		case c < ' ':
			d.at = i
			return "", d.fail(fmt.Sprintf("a string has the control character %d: write \\u%04x", c, c))
		default:
			i++
		}
	}
	return "", d.fail("a string does not end")
}

// badText returns the error for bytes that are no UTF-8, in text[from:to].
func (d *Decoder) badText(from, to int) error {
	for d.at = from; d.at < to; {
		r, size := utf8.DecodeRuneInString(d.text[d.at:to])
		if r == utf8.RuneError && size == 1 {
			break
		}
		d.at += size
	}
	return d.fail("a string has bytes that are not UTF-8")
}

// unescape reads an escape at the beginning of s. A surrogate without its other half is U+FFFD. The
// size is 0 if there is no escape.
func unescape(s string) (r rune, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	if at := strings.IndexByte(`"\/bfnrt`, s[1]); at >= 0 {
		return rune("\"\\/\b\f\n\r\t"[at]), 2
	}
	r, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if second, ok := hex4(s[6:]); ok {
			if both := utf16.DecodeRune(r, second); both != utf8.RuneError {
				return both, 12
			}
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

// hex4 reads \uXXXX.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	r := rune(0)
	for _, c := range []byte(s[2:6]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// fail returns an error at the current place.
func (d *Decoder) fail(what string) error {
	before := d.text[:d.at]
	line := 1 + strings.Count(before, "\n")
	column := d.at - strings.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %s", line, column, what)
}
