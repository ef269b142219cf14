package lint

import (
	"sort"
	"strings"
)

// A position is a position in a file. Lines and columns count from 1, columns in bytes.
type position struct{ line, col int }

// A token is a name or a string. The parser's tree has lines but no columns. Its names and strings
// appear in the same order as in the source, so the tokens supply the columns.
type token struct {
	at   position
	text string // the name, or the string without its quotes
	name bool
}

// source is the text of a file, with the data that the tree lacks.
type source struct {
	tokens  []token
	next    int              // index of the first token not yet matched with the tree
	ignored map[int][]string // by line: the rules that a comment turns off, "" for all
	starts  []int            // offsets of the lines
}

// reserved words are not names.
var reserved = words("and break do else elseif end false for function goto if in local nil not or repeat return then true until while")

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// scan tokenizes a source that the parser has accepted.
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

// place returns the position of an offset.
func (s *source) place(offset int) position {
	line := sort.SearchInts(s.starts, offset+1)
	return position{line, offset - s.starts[line-1] + 1}
}

// name returns the position of the next token with this name. If there is none, it returns column 1
// of the given line.
func (s *source) name(text string, line int) position {
	return s.find(line, func(t token) bool { return t.name && t.text == text })
}

// key does the same for a key that can be a name or a string: t.x and t["x"].
func (s *source) key(text string, line int) position {
	return s.find(line, func(t token) bool { return !t.name || t.text == text })
}

func (s *source) find(line int, is func(token) bool) position {
	for i := s.next; i < len(s.tokens); i++ {
		if is(s.tokens[i]) {
			s.next = i + 1
			return s.tokens[i].at
		}
	}
	return position{max(line, 1), 1}
}

const ignoreMark = "torc: ignore"

// comment returns the length of the comment at the start of text. It records an ignore comment for
// the line.
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

// long returns the length of the [[…]] or [==[…]==] at the start of text, or 0.
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

// quoted returns the length of the quoted string at the start of text.
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

// number returns the length of the number at the start of text.
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
