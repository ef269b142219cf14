package tui

import (
	"math"
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

// columnGap is what begins a new column of a table. A table has it between its columns, too.
const columnGap = "  "

// cells splits a row of a table into its columns: two spaces or more begin a column. The last one
// of at most most columns keeps its spaces, because a name can have them.
func cells(row string, most int) (columns []string) {
	for len(columns) < most-1 {
		before, after, ok := strings.Cut(row, columnGap)
		if !ok {
			break
		}
		columns, row = append(columns, before), strings.TrimLeft(after, " ")
	}
	return append(columns, row)
}

// alignColumns writes the columns of a table below each other. If the first row has several, no
// other row has more. Rows of one column, such as a sentence, stay as they are.
func alignColumns(rows []string) {
	if len(rows) == 0 {
		return
	}
	most := len(cells(rows[0], math.MaxInt))
	if most == 1 {
		most = math.MaxInt
	}
	var wide []int
	for _, row := range rows {
		in := cells(row, most)
		for i, cell := range in {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			if len(in) > 1 {
				wide[i] = max(wide[i], columns(cell))
			}
		}
	}
	for i, row := range rows {
		if in := cells(row, most); len(in) > 1 {
			rows[i] = aligned(in, wide)
		}
	}
}

// aligned returns the row of some cells, each as wide as its column.
func aligned(cells []string, wide []int) string {
	var row strings.Builder
	for i, cell := range cells {
		row.WriteString(cell)
		if i < len(cells)-1 {
			row.WriteString(strings.Repeat(" ", wide[i]-columns(cell)))
			row.WriteString(columnGap)
		}
	}
	return row.String()
}
