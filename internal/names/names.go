// Package names says which texts can be names. The page of browsers has this package in its
// program, so it needs no regular expressions.
package names

// maxShort is the length in bytes of the longest short name.
const maxShort = 32

// Short reports whether a text is the name of a mod or of a role: 1 to 32 of a–z, 0–9 and _.
func Short(text string) bool {
	for i := range len(text) {
		if c := text[i]; !Small(c) {
			return false
		}
	}
	return 0 < len(text) && len(text) <= maxShort
}

// Small reports whether a byte is one of a–z, 0–9 and _.
func Small(c byte) bool { return 'a' <= c && c <= 'z' || Digit(c) || c == '_' }

// Digit reports whether a byte is one of 0–9.
func Digit(c byte) bool { return '0' <= c && c <= '9' }

// Word reports whether a byte is one of A–Z, a–z, 0–9 and _.
func Word(c byte) bool { return Small(c) || 'A' <= c && c <= 'Z' }

// Identifier reports whether a text is an identifier of Lua: letters, digits and _, and no digit in
// front.
func Identifier(text string) bool {
	for i := range len(text) {
		if !Word(text[i]) {
			return false
		}
	}
	return text != "" && !Digit(text[0])
}
