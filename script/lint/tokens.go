package lint

import (
	"sort"
	"strings"
)

// A place is where something stands in a file, from 1. Columns are bytes.
type place struct{ line, col int }

// A token is a name or a string. The parser's tree knows lines alone; its names and strings are those of the source in
// the same order, which gives their columns.
type token struct {
	at   place
	text string // of a name; of a string what is between its quotes
	name bool
}

// source is a file's text as the checks need it beside its tree.
type source struct {
	tokens  []token
	next    int              // of tokens: what has not been met in the tree
	ignored map[int][]string // by line: the rules that a comment there turns off, "" for all
	starts  []int            // offsets of the lines
}

// reserved words are no names.
var reserved = words("and break do else elseif end false for function goto if in local nil not or repeat return then true until while")

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// scan goes through a source that the parser has accepted.
func scan(text string) *source {
	s := &source{ignored: map[int][]string{}, starts: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '-' && strings.HasPrefix(text[i:], "--"), c == '#' && i == 0:
			i += s.comment(text[i:], i)
		case c == '"' || c == '\'':
			n := quoted(text[i:])
			s.tokens = append(s.tokens, token{at: s.place(i), text: strings.Trim(text[i:i+n], `"'`)})
			i += n
		case c == '[' && long(text[i:]) > 0:
			s.tokens = append(s.tokens, token{at: s.place(i)})
			i += long(text[i:])
		case digit(c), c == '.' && i+1 < len(text) && digit(text[i+1]):
			i += number(text[i:])
		case letter(c):
			n := 1
			for i+n < len(text) && (letter(text[i+n]) || digit(text[i+n])) {
				n++
			}
			if word := text[i : i+n]; !reserved[word] {
				s.tokens = append(s.tokens, token{s.place(i), word, true})
			}
			i += n
		default:
			i++
		}
	}
	return s
}

// place is where an offset is.
func (s *source) place(offset int) place {
	line := sort.SearchInts(s.starts, offset+1)
	return place{line, offset - s.starts[line-1] + 1}
}

// name is where the next name of this text stands; the line of the tree is the answer if the two have lost each other.
func (s *source) name(text string, line int) place {
	return s.find(line, func(t token) bool { return t.name && t.text == text })
}

// key is name for what may be written as a name or as a string: t.x and t["x"].
func (s *source) key(text string, line int) place {
	return s.find(line, func(t token) bool { return !t.name || t.text == text })
}

func (s *source) find(line int, is func(token) bool) place {
	for i := s.next; i < len(s.tokens); i++ {
		if is(s.tokens[i]) {
			s.next = i + 1
			return s.tokens[i].at
		}
	}
	return place{max(line, 1), 1}
}

const ignoreMark = "torc: ignore"

// comment is the length of the comment at the beginning of text, which may turn off rules for its line.
func (s *source) comment(text string, offset int) int {
	if text[0] == '-' {
		if n := long(text[2:]); n > 0 {
			return 2 + n
		}
	}
	n := strings.IndexByte(text, '\n')
	if n < 0 {
		n = len(text)
	}
	body := strings.TrimLeft(text[:n], "- \t")
	if rest, ok := strings.CutPrefix(body, ignoreMark); ok {
		line := s.place(offset).line
		rules := strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\r' })
		if len(rules) == 0 {
			rules = []string{""}
		}
		s.ignored[line] = append(s.ignored[line], rules...)
	}
	return n
}

// long is the length of the [[…]] or [==[…]==] at the beginning of text, 0 if there is none.
func long(text string) int {
	level := 0
	if text == "" || text[0] != '[' {
		return 0
	}
	for level+1 < len(text) && text[level+1] == '=' {
		level++
	}
	if level+1 >= len(text) || text[level+1] != '[' {
		return 0
	}
	end := strings.Index(text, "]"+strings.Repeat("=", level)+"]")
	if end < 0 {
		return len(text)
	}
	return end + level + 2
}

// quoted is the length of the string in quotes at the beginning of text.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// number is the length of the number at the beginning of text.
func number(text string) int {
	n := 1
	for n < len(text) {
		exponent := strings.IndexByte("eE", text[n-1]) >= 0 && !strings.HasPrefix(strings.ToLower(text), "0x")
		if c := text[n]; !digit(c) && !letter(c) && !(c == '.' && !strings.HasPrefix(text[n:], "..")) && !(exponent && (c == '+' || c == '-')) {
			break
		}
		n++
	}
	return n
}

func digit(c byte) bool  { return c >= '0' && c <= '9' }
func letter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
