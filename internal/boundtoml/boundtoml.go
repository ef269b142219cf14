// Package boundtoml reads TOML with limits on size and depth. The parser of TOML uses memory and
// stack far beyond the size of its input where tables, arrays and dotted keys are deep.
package boundtoml

import (
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

const (
	// MaxSize is the maximum size of a file, in bytes.
	MaxSize = 32 << 10
	// MaxDepth is the maximum depth of nested arrays and tables, and of the parts of a dotted key.
	MaxDepth = 16
)

// A LineError is an error about a line of a text, counted from 1.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Decode decodes text like toml.Decode. It returns an error before it parses if text is larger than
// MaxSize or deeper than MaxDepth.
func Decode(text string, v any) (toml.MetaData, error) {
	if err := check(text); err != nil {
		return toml.MetaData{}, err
	}
	meta, err := toml.Decode(text, v)
	var bad toml.ParseError
	if !errors.As(err, &bad) {
		return meta, err
	}
	if bad.Message == unclosed {
		bad.Message = "a string of this line has no closing quote"
	}
	if len(bad.Message) > mostMessage {
		bad.Message = strings.ToValidUTF8(bad.Message[:mostMessage], "") + "…"
	}
	return meta, bad
}

// mostMessage is how many bytes of a message of the parser are kept: it can quote a whole file.
const mostMessage = 200

// unclosed is what the parser says at the end of a line within a string.
const unclosed = "strings cannot contain newlines"

// SizeError is the error for a file that is too large.
func SizeError() error { return fmt.Errorf("the file is larger than %d KiB", MaxSize>>10) }

// check returns an error if text exceeds the limits. It knows strings and comments, and no more of
// the grammar.
func check(text string) error {
	if len(text) > MaxSize {
		return SizeError()
	}
	line, depth, parts := 1, 0, 1
	for i := 0; i < len(text); {
		c := text[i]
		i++
		switch c {
		case '#':
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(text)
			}
		case '"', '\'':
			end := StringEnd(text, i-1)
			line += strings.Count(text[i:end], "\n")
			i = end
		case '[', '{':
			depth++
			parts = 1
		case ']', '}':
			depth = max(depth-1, 0)
			parts = 1
		case '\n':
			line++
			parts = 1
		case '=', ',':
			parts = 1
		case '.':
			parts++
		}
		if depth > MaxDepth || parts > MaxDepth {
			return &LineError{line, fmt.Errorf("arrays, tables and dotted keys can be %d deep at most", MaxDepth)}
		}
	}
	return nil
}

// StringEnd returns the index after the string of TOML that begins at a quote. A string of one line
// ends with its line, where the parser stops with an error.
func StringEnd(text string, start int) int {
	quote := text[start : start+1]
	escapes := quote == `"`
	long := strings.Repeat(quote, 3)
	isLong := strings.HasPrefix(text[start:], long)
	i := start + 1
	if isLong {
		i = start + 3
	}
	for i < len(text) {
		switch {
		case escapes && text[i] == '\\':
			i++
		case isLong && strings.HasPrefix(text[i:], long):
			i += 3
			for range 2 { // a long string can end with one or two quotes of its own
				if strings.HasPrefix(text[i:], quote) {
					i++
				}
			}
			return i
		case !isLong && (text[i:i+1] == quote || text[i] == '\n'):
			return i + 1
		}
		i++
	}
	return len(text)
}
