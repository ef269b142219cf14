package texts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An isolate keeps the direction of what is inside from what is around it: the name "Ann!" in a
// text in Arabic, a name in Hebrew in an English one. Its first character is U+2068, its last
// U+2069.
const (
	isolate    = "\u2068"
	endIsolate = "\u2069"
)

// leftwardLanguages are written from right to left, unless they name another script.
var leftwardLanguages = map[string]bool{
	"ar": true, "arc": true, "ckb": true, "dv": true, "fa": true, "he": true, "ks": true, "nqo": true, "ps": true, "sd": true, "syr": true,
	"ug": true, "ur": true, "yi": true,
}

// writesLeftward reports whether a language is written from right to left.
func writesLeftward(language string) bool {
	parts := strings.Split(language, "-")
	if len(parts) > 1 && len(parts[1]) == 4 {
		switch parts[1] {
		case "Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm":
			return true
		}
		return false
	}
	return leftwardLanguages[parts[0]]
}

// NeedsIsolate reports whether an argument stands in an isolate in the texts of this table: it has
// a letter of the other direction.
func (t *LanguageTable) NeedsIsolate(argument string) bool {
	for i := 0; i < len(argument); {
		if c := argument[i]; c < utf8.RuneSelf {
			if t.leftward && (c|0x20) >= 'a' && (c|0x20) <= 'z' {
				return true
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(argument[i:])
		if leftward(r) != t.leftward && (leftward(r) || unicode.IsLetter(r)) {
			return true
		}
		i += n
	}
	return false
}

// leftward reports whether a character belongs to a script that is written from right to left.
func leftward(r rune) bool {
	return r >= 0x590 && r <= 0x8FF || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFE || r >= 0x10800 && r <= 0x10FFF ||
		r >= 0x1E800 && r <= 0x1EFFF
}

// Isolate returns a text in which the given arguments stand in isolates. Twenty of them add 120
// bytes.
func Isolate(text string, which Places) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		place := text[i : i+2]
		i++
		if c := place[1]; c >= '1' && c <= '9' && which&(1<<(c-'0')) != 0 {
			place = isolate + place + endIsolate
		}
		b.WriteString(place)
	}
	return b.String()
}

// Plain removes the characters that change the direction of a text from an argument, so that only
// the isolates of the tables remain.
func Plain(argument string) string {
	if !strings.Contains(argument, "\xe2\x80") && !strings.Contains(argument, "\xe2\x81") {
		return argument
	}
	return strings.Map(func(r rune) rune {
		if r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, argument)
}
