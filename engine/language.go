package engine

import (
	"cmp"
	"strings"
)

// DefaultLanguage is the language of bots, and of clients that name none.
const DefaultLanguage = "en"

// CleanLanguage returns the language, script and region of a language tag as BCP 47 writes them,
// such as "de", "pt-BR" or "zh-Hant-TW". It also reads locales of Unix, such as "pt_BR.UTF-8". It
// drops what follows these three. Anything else, such as "C" or an empty text, is DefaultLanguage.
// The result is ASCII and has at most 11 bytes, so it can come from any peer.
func CleanLanguage(tag string) string {
	if end := strings.IndexAny(tag, ".@"); end >= 0 {
		tag = tag[:end]
	}
	parts := strings.FieldsFunc(tag, func(r rune) bool { return r == '-' || r == '_' })
	if len(parts) == 0 || len(parts[0]) < 2 || len(parts[0]) > 3 || !isLetters(parts[0]) {
		return DefaultLanguage
	}
	clean, rest := strings.ToLower(parts[0]), parts[1:]
	if len(rest) > 0 && len(rest[0]) == 4 && isLetters(rest[0]) {
		clean += "-" + strings.ToUpper(rest[0][:1]) + strings.ToLower(rest[0][1:])
		rest = rest[1:]
	}
	if len(rest) > 0 && (len(rest[0]) == 2 && isLetters(rest[0]) || len(rest[0]) == 3 && isDigits(rest[0])) {
		clean += "-" + strings.ToUpper(rest[0])
	}
	return clean
}

func isLetters(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// Language returns the language of the player of an inbound connection, as CleanLanguage returns
// it.
func (c *Connection) Language() string {
	if c.rare == nil {
		return DefaultLanguage
	}
	return cmp.Or(c.rare.language, DefaultLanguage)
}

// setLanguage takes over the language of a connect request.
func (c *Connection) setLanguage(tag string) {
	if clean := CleanLanguage(tag); clean != DefaultLanguage {
		c.setRare(func(r *rare) { r.language = clean })
	}
}
