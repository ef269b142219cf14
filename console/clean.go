package console

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// There are two cleanings. Clean and CleanText are for logs, and for the operator:
// they show each character that could hide in a text. Readable and ReadableText
// are for texts that people read: they keep the invisible characters that words
// and emoji consist of.

// Clean turns any text into one harmless line. It replaces dangerous characters
// by escapes such as \n, \x1b and \u202e. These are control characters (newline,
// tab and ESC included), C1 codes, bidirectional overrides, zero-width and other
// invisible characters, and bytes that are not UTF-8. Visible characters stay.
func Clean(s string) string { return clean(s, "", visible) }

// CleanText does the same as Clean but keeps newlines and tabs, for several lines.
func CleanText(s string) string { return clean(s, "\n\t", visible) }

// Readable turns a text for people into one harmless line. It replaces control
// characters, line separators, bidirectional overrides and bytes that are not
// UTF-8 by escapes. All other characters stay, such as joiners and variation
// selectors. So do isolates if each line of the text closes those that it
// opens: then they keep to their own place.
func Readable(s string) string { return clean(s, "", readableIn(s)) }

// ReadableText does the same as Readable but keeps newlines and tabs.
func ReadableText(s string) string { return clean(s, "\n\t", readableIn(s)) }

// Quote returns s cleaned, between double quotes, with \ and " escaped. Words
// reads the result back as s. Quote escapes invisible characters byte by byte,
// because Words knows only \xHH.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteByte(s[i])
		case n == 1 && r != utf8.RuneError || visible(r, n):
			writeClean(&b, r, s[i:i+n], visible)
		default: // byte by byte, because Words can read that
			for _, char := range []byte(s[i : i+n]) {
				writeHex(&b, char)
			}
		}
		i += n
	}
	b.WriteByte('"')
	return b.String()
}

// clean escapes the characters for which shown is false, but those in keep.
func clean(s, keep string, shown func(r rune, n int) bool) string {
	first := firstEscaped(s, keep, shown)
	if first < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:first])
	for i := first; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if strings.ContainsRune(keep, r) && n == 1 && r != utf8.RuneError {
			b.WriteByte(s[i])
		} else {
			writeClean(&b, r, s[i:i+n], shown)
		}
		i += n
	}
	return b.String()
}

// firstEscaped returns the offset of the first character to escape, or -1.
func firstEscaped(s, keep string, shown func(r rune, n int) bool) int {
	for i := 0; i < len(s); {
		if s[i] >= ' ' && s[i] < utf8.RuneSelf-1 || strings.IndexByte(keep, s[i]) >= 0 {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !shown(r, n) {
			return i
		}
		i += n
	}
	return -1
}

// visible reports whether a character of n bytes is printable as itself. A byte
// that is not UTF-8 is decoded as U+FFFD with n = 1.
func visible(r rune, n int) bool {
	if r == utf8.RuneError && n <= 1 {
		return false
	}
	if unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r) {
		return false // letters and marks by category, but invisible
	}
	return unicode.IsPrint(r) || r == '\u3000' // the wide space of Japanese text
}

// readable reports whether people can read a character of n bytes as part of a text.
func readable(r rune, n int) bool {
	switch {
	case r == utf8.RuneError && n <= 1, unicode.IsControl(r), unicode.In(r, unicode.Zl, unicode.Zp):
		return false
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069': // embeddings, overrides, isolates
		return false
	}
	return true
}

// The isolates that servers write around names of another direction.
const (
	isolate    = '\u2068'
	endIsolate = '\u2069'
)

// readableIn returns what people can read in a text: isolates only if all are closed.
func readableIn(s string) func(r rune, n int) bool {
	if !strings.ContainsRune(s, isolate) || !closesIsolates(s) {
		return readable
	}
	return func(r rune, n int) bool { return r == isolate || r == endIsolate || readable(r, n) }
}

// closesIsolates reports whether each line of a text closes the isolates that it opens, and no
// more.
func closesIsolates(s string) bool {
	open := 0
	for _, r := range s {
		switch r {
		case isolate:
			open++
		case endIsolate:
			open--
		case '\n':
			if open != 0 {
				return false
			}
		}
		if open < 0 {
			return false
		}
	}
	return open == 0
}

// writeClean writes one character, unchanged or escaped; raw are its bytes.
func writeClean(b *strings.Builder, r rune, raw string, shown func(r rune, n int) bool) {
	switch {
	case shown(r, len(raw)):
		b.WriteString(raw)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case len(raw) == 1:
		writeHex(b, raw[0])
	case r < 0x10000:
		b.WriteString(`\u`)
		b.WriteString(strconv.FormatInt(0x10000|int64(r), 16)[1:])
	default:
		b.WriteString(`\U`)
		b.WriteString(strconv.FormatInt(0x100000000|int64(r), 16)[1:])
	}
}

func writeHex(b *strings.Builder, char byte) {
	b.WriteString(`\x`)
	b.WriteString(strconv.FormatInt(0x100|int64(char), 16)[1:])
}
