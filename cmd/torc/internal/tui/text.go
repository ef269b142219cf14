package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Plain is text from elsewhere with nothing in it but what stands in a place of
// its own: no control characters, no invisible ones, no marks that pile up on
// others. Tabs and line ends become blanks.
func Plain(text string) string { return strings.Map(plain, text) }

func plain(r rune) rune {
	switch {
	case r >= ' ' && r < 0x7f:
		return r
	case r == '\t', r == '\n', r == '\r', unicode.Is(unicode.Z, r):
		return ' '
	case unicode.IsPrint(r) && width(r) > 0:
		return r
	}
	return -1
}

// width is the number of columns of a character: 0, 1 or 2.
func width(r rune) int {
	if r < 0x300 {
		return 1
	}
	return min(uniseg.StringWidth(string(r)), 2)
}

// columns is the number of columns of a plain text.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += width(r)
	}
	return n
}

// cut is the beginning of a plain text that takes no more columns than n.
func cut(text string, n int) string {
	for i, r := range text {
		if n -= width(r); n < 0 {
			return text[:i]
		}
	}
	return text
}

// tail is the end of a plain text that takes no more columns than n.
func tail(text string, n int) string {
	for columns(text) > max(n, 0) {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return text
}
