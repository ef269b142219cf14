package console

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Words splits a line at spaces and tabs outside quotes. The package comment has
// the rules.
func Words(line string) ([]string, error) {
	var words []string
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return words, nil
		}
		word, rest, err := nextWord(line)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), rest
	}
}

// nextWord reads the word at the beginning of line. Text after a closing quote,
// without a space, belongs to the word.
func nextWord(line string) (word, rest string, err error) {
	rest = line
	switch line[0] {
	case '"':
		word, rest, err = quoted(line[1:])
	case '\'':
		var closed bool
		if word, rest, closed = strings.Cut(line[1:], "'"); !closed {
			err = errors.New("missing closing '")
		}
	}
	if err != nil {
		return "", "", err
	}
	end := strings.IndexAny(rest, " \t")
	if end < 0 {
		end = len(rest)
	}
	return word + rest[:end], rest[end:], nil
}

// quoted reads up to the closing double quote.
func quoted(line string) (word, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			return b.String(), line[i+1:], nil
		case '\\':
			char, n, err := escape(line[i+1:])
			if err != nil {
				return "", "", err
			}
			b.WriteByte(char)
			i += n
		default:
			b.WriteByte(line[i])
		}
	}
	return "", "", errors.New(`missing closing "`)
}

// escapes are pairs: the letter after a backslash, and its meaning.
const escapes = "n\nt\tr\r\\\\\"\"''"

// escape decodes the text after a backslash. It returns the byte and the number
// of bytes of s that it used.
func escape(s string) (char byte, n int, err error) {
	if s == "" {
		return 0, 0, errors.New(`missing closing "`)
	}
	if s[0] == 'x' {
		if len(s) < 3 || hexDigit(s[1]) < 0 || hexDigit(s[2]) < 0 {
			return 0, 0, errors.New(`\x must be followed by two hexadecimal digits`)
		}
		return byte(hexDigit(s[1])<<4 | hexDigit(s[2])), 3, nil
	}
	for i := 0; i < len(escapes); i += 2 {
		if escapes[i] == s[0] {
			return escapes[i+1], 1, nil
		}
	}
	return 0, 0, fmt.Errorf(`unknown escape \%s: must be \n \t \r \\ \" \' or \xHH`, Clean(firstChar(s)))
}

func firstChar(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

// hexDigit returns the value of a hexadecimal digit, or -1.
func hexDigit(b byte) int {
	if b >= 'A' && b <= 'F' {
		b += 'a' - 'A'
	}
	return strings.IndexByte("0123456789abcdef", b)
}

// value parses the text after a variable's name: one quoted word, or the rest of
// the line unchanged.
func value(rest string) (string, error) {
	if rest[0] != '"' && rest[0] != '\'' {
		return rest, nil
	}
	words, err := Words(rest)
	if err != nil {
		return "", err
	}
	if len(words) != 1 {
		return "", fmt.Errorf("expected one value, got %d", len(words))
	}
	return words[0], nil
}

// Join is the inverse of Words. It quotes the words that need quotes.
func Join(words []string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(join(word))
	}
	return b.String()
}

func join(word string) string {
	if word == "" || strings.IndexByte(`"'=(.:[`, word[0]) >= 0 || strings.ContainsAny(word, " \t") || Clean(word) != word {
		return Quote(word)
	}
	return word
}

// cutSpace cuts a line after its first word and skips the following spaces.
func cutSpace(line string) (word, rest string, spaced bool) {
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		return line, "", false
	}
	return line[:end], strings.TrimLeft(line[end:], " \t"), true
}

// truncate shortens s to at most n bytes without splitting a character.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
