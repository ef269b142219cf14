package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Plain returns untrusted text without control characters, invisible characters and combining
// marks. Tabs and line ends become blanks.
func Plain(text string) string { return strings.Map(plain, text) }

// plainRows is Plain for a text of several rows: it keeps the line ends.
func plainRows(text string) string {
	rows := strings.Split(text, "\n")
	for i, row := range rows {
		rows[i] = Plain(row)
	}
	return strings.Join(rows, "\n")
}

// Indent marks all lines of a message except the first. So no text within a message looks like the
// message of another player or of an operator, or like a line of torc's own.
func Indent(text string) string { return strings.ReplaceAll(text, "\n", "\n│ ") }

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

// width returns the number of columns of a character: 0, 1 or 2.
func width(r rune) int {
	if r < 0x300 {
		return 1
	}
	return min(uniseg.StringWidth(string(r)), 2)
}

// columns returns the number of columns of a plain text.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += width(r)
	}
	return n
}

// cut returns the longest beginning of a plain text with at most n columns.
func cut(text string, n int) string {
	for i, r := range text {
		if n -= width(r); n < 0 {
			return text[:i]
		}
	}
	return text
}

// tail returns the longest end of a plain text with at most n columns.
func tail(text string, n int) string {
	for columns(text) > max(n, 0) {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return text
}
