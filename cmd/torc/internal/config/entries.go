package config

import (
	"strconv"
	"strings"

	"github.com/torc-engine/torc/internal/boundtoml"
)

// An entry is a key or the header of a table in a TOML text.
type entry struct {
	key        string // dotted, with the tables that contain it
	table      string // the prefix of the key that the header gives it: "vars." in [vars]; "" of a header
	line       int    // from 1
	start, end int    // of the value in the text; equal if this is a header
	after      int    // where the line of the value or the header ends, before its newline
}

// entries returns the keys and headers of a TOML text, in order. The text must have been parsed
// without an error. Keys within inline tables and arrays are left out.
func entries(text string) []entry {
	s := &scanner{text: text}
	for s.at < len(text) {
		switch c := text[s.at]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			s.at++
		case c == '#':
			s.at = s.lineEnd()
		case c == '[':
			s.header()
		default:
			s.pair()
		}
	}
	return s.found
}

type scanner struct {
	text  string
	at    int
	table string // the prefix of keys: "vars." in [vars]
	found []entry
}

// lineEnd returns the index of the newline after s.at, or the end of the text.
func (s *scanner) lineEnd() int {
	if n := strings.IndexByte(s.text[s.at:], '\n'); n >= 0 {
		return s.at + n
	}
	return len(s.text)
}

func (s *scanner) line() int { return 1 + strings.Count(s.text[:s.at], "\n") }

// header reads [TABLE] or [[TABLE]].
func (s *scanner) header() {
	line := s.line()
	for s.at < len(s.text) && s.text[s.at] == '[' {
		s.at++
	}
	name := s.key()
	s.table = name + "."
	end := s.lineEnd()
	s.found = append(s.found, entry{key: name, line: line, start: s.at, end: s.at, after: end})
	s.at = end
}

// pair reads KEY = VALUE.
func (s *scanner) pair() {
	e := entry{line: s.line(), table: s.table}
	e.key = s.table + s.key()
	if s.at < len(s.text) {
		s.at++ // the =
	}
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
	e.start = s.at
	e.end = s.value()
	s.at = e.end
	s.at = s.lineEnd()
	e.after = s.at
	s.found = append(s.found, e)
}

// key reads a dotted key up to = or ]. Its parts are joined by dots without quotes.
func (s *scanner) key() string {
	var b strings.Builder
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case '=', ']', '\n':
			return b.String()
		case ' ', '\t', '\r':
			s.at++
		case '"', '\'':
			end := boundtoml.StringEnd(s.text, s.at)
			b.WriteString(unquote(s.text[s.at:end]))
			s.at = end
		default:
			b.WriteByte(c)
			s.at++
		}
	}
	return b.String()
}

// value returns the index after the value that begins at s.at.
func (s *scanner) value() int {
	depth := 0
	for i := s.at; i < len(s.text); {
		switch c := s.text[i]; {
		case c == '"' || c == '\'':
			i = boundtoml.StringEnd(s.text, i)
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == '#' && depth > 0:
			if n := strings.IndexByte(s.text[i:], '\n'); n >= 0 {
				i += n
			}
		case (c == '#' || c == '\n') && depth <= 0:
			return s.at + len(strings.TrimRight(s.text[s.at:i], " \t\r"))
		}
		i++
	}
	return s.at + len(strings.TrimRight(s.text[s.at:], " \t\r\n"))
}

// unquote returns the text of a quoted key.
func unquote(quoted string) string {
	if text, err := strconv.Unquote(quoted); err == nil && quoted[0] == '"' {
		return text
	}
	return strings.Trim(quoted, "'\"")
}
