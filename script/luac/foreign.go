package luac

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// byteOrderMark is what editors of Windows write before the text of a file in UTF-8.
const byteOrderMark = "\ufeff"

// utf16Error is the error for a file in UTF-16, as some editors and shells of Windows write it. It
// is nil for every other source.
func utf16Error(name, source string) *SyntaxError {
	if !strings.HasPrefix(source, "\xff\xfe") && !strings.HasPrefix(source, "\xfe\xff") {
		return nil
	}
	return &SyntaxError{File: name, Line: 1, Text: "the file is UTF-16: save it as UTF-8"}
}

// A foreignKind is a kind of characters that Lua accepts in strings and comments only.
type foreignKind struct {
	in   *unicode.RangeTable
	name string
	cure string
}

// foreignKinds are in the order in which they are tried.
var foreignKinds = []foreignKind{
	{runesOf('«', '»', '‘', '’', '‚', '‛', '“', '”', '„', '‟', '′', '″'), "a curly quote", `write " or '`},
	{runesOf('\u00a0', '\u2007', '\u202f'), "a non-breaking space", "write an ordinary space"},
	{runesOf('–'), "an en dash", "write -"},
	{runesOf('—'), "an em dash", "write -"},
	{runesOf('−'), "a minus sign of mathematics", "write -"},
	{runesOf('…'), "an ellipsis", "write ..."},
	{unicode.Pd, "a dash", "write -"},
	{unicode.Z, "a space that is not ASCII", "write an ordinary space"},
	{unicode.Cf, "an invisible character", "delete it"},
	{unicode.L, "a letter that is not ASCII", "names consist of A to Z, a to z, 0 to 9 and _"},
}

// runesOf returns the table of some characters, which must be in order.
func runesOf(list ...rune) *unicode.RangeTable {
	t := new(unicode.RangeTable)
	for _, r := range list {
		t.R16 = append(t.R16, unicode.Range16{Lo: uint16(r), Hi: uint16(r), Stride: 1})
	}
	return t
}

// nameForeign describes the character at the beginning of s: "a curly quote, U+201C", and what to
// write instead.
func nameForeign(s string) (name, cure string) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return fmt.Sprintf("the byte 0x%X, which is not UTF-8", s[0]), "save the file as UTF-8"
	}
	for _, k := range foreignKinds {
		if unicode.Is(k.in, r) {
			return fmt.Sprintf("%s, U+%04X", k.name, r), k.cure
		}
	}
	return fmt.Sprintf("a character that is not ASCII, U+%04X", r), "only strings and comments can have it"
}

// blameForeign makes e an error about the first character outside of strings and comments that Lua
// cannot have, if there is one up to the end of the line of e. The parser's words about such a
// line are seldom the cause.
func (e *SyntaxError) blameForeign(source string) bool {
	end := offset(source, e.Line+1, 1)
	if strings.Count(source, "\n") < e.Line {
		end = len(source)
	}
	d := diagnosis{line: 1, foreign: -1}
	d.read(source[:end])
	if d.foreign < 0 {
		return false
	}
	before := source[:d.foreign]
	name, cure := nameForeign(source[d.foreign:])
	e.Line, e.column = 1+strings.Count(before, "\n"), d.foreign-strings.LastIndexByte(before, '\n')
	e.Text, e.Incomplete = fmt.Sprintf("%s, at %d:%d: %s", name, e.Line, e.column, cure), false
	return true
}

// curlyQuote returns the first curly quote in a line of a source, to name it where a string does
// not end.
func curlyQuote(source string, line int) string {
	from := offset(source, line, 1)
	text, _, _ := strings.Cut(source[from:], "\n")
	at := strings.IndexFunc(text, func(r rune) bool { return unicode.Is(foreignKinds[0].in, r) })
	if at < 0 {
		return ""
	}
	name, _ := nameForeign(text[at:])
	return fmt.Sprintf("%s, at %d:%d does not end it", name, line, at+1)
}
