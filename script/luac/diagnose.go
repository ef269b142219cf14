package luac

import (
	"cmp"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/yuin/gopher-lua/parse"

	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/internal/spell"
)

// An opener is a word or bracket that waits for its end.
type opener struct {
	word string
	line int
}

// closers are the ends of openers. All others end with "end".
var closers = map[string]string{"(": ")", "[": "]", "{": "}", "repeat": "until"}

// diagnosis reads the tokens of a chunk up to its syntax error.
type diagnosis struct {
	open      []opener
	loop      *opener // a while or for without its "do"
	condition bool    // in the condition of if, elseif, while or until
	lastAt    int     // offset of the token before the error
	lastName  string  // the last token, if it is a name
	line      int
	unended   int // line of the first string without an end, 0 if there is none
	foreign   int // offset of the first character that is not ASCII, outside of strings; -1 if there is none
}

var keywords = strings.Fields("and break do else elseif end false for function if in local nil not or repeat return then true until while")

// diagnose returns what a person needs besides the place of a syntax error: the block that is open
// at the end of the chunk, or how to write what other languages write otherwise. It returns "" if
// it knows nothing. end is the offset of the token with the error.
func diagnose(source string, end int, token string) string {
	d := diagnosis{line: 1}
	d.read(source[:min(end, len(source))])
	if token == "" {
		return cmp.Or(d.unclosed(), d.unused(source, len(source)))
	}
	around := source[max(end-2, 0):min(end+2, len(source))]
	switch {
	case strings.Contains(around, "!="):
		return "write '~=' for 'not equal'"
	case strings.Contains(around, "!"):
		return "write 'not' for '!'"
	case strings.Contains(around, "&&"):
		return "write 'and' for '&&'"
	case strings.Contains(around, "||"):
		return "write 'or' for '||'"
	case len(token) == 1 && strings.Contains("+-*/%^", token) && strings.HasPrefix(source[min(end+1, len(source)):], "="):
		return fmt.Sprintf("there is no '%s=': write x = x %[1]s y", token)
	case strings.HasSuffix(strings.TrimRight(source[:min(end, len(source))], " \t\r\n"), "++") || strings.Contains(around, "++"):
		return "there is no '++': write x = x + 1"
	case token == "=" && d.condition:
		return "write '==' to compare"
	case token == "end" && len(d.open) == 0:
		return "there is no block that it closes" + d.misspeltFunction(source[:end])
	}
	if near := spell.Nearest(d.lastName, keywords); near != "" && near != d.lastName && len(d.lastName) > 2 {
		return fmt.Sprintf("did you mean '%s' for '%s'?", near, d.lastName)
	}
	if n := len(d.open); n > 0 && closers[d.open[n-1].word] != "" && d.open[n-1].line < d.line {
		return d.unclosed()
	}
	return d.unused(source, end)
}

// unused returns advice for a line that is an expression and no statement, or "". The parser finds
// the error in that line, or at the first token after it.
func (d *diagnosis) unused(source string, end int) string {
	if d.condition || d.loop != nil || len(d.open) > 0 && strings.Contains("([{", d.open[len(d.open)-1].word) {
		return "" // the expression began on an earlier line
	}
	before, at := lineAt(source, d.lastAt), lineAt(source, end)
	if isExpression(before) || at != before && isExpression(at) {
		return "nothing uses the value of this line: write x = … to keep it, or call a function"
	}
	return ""
}

// isExpression reports whether a line is an expression and no statement.
func isExpression(line string) bool {
	if line == "" || len(line) > maxExpression {
		return false
	}
	if _, err := parse.Parse(strings.NewReader("return "+line), ""); err != nil {
		return false
	}
	_, err := parse.Parse(strings.NewReader(line), "")
	return err != nil
}

// maxExpression limits the lines, in bytes, that a diagnosis parses once more.
const maxExpression = 200

// lineAt returns the line around an offset.
func lineAt(source string, at int) string {
	at = min(at, len(source))
	begin := strings.LastIndexByte(source[:at], '\n') + 1
	line, _, _ := strings.Cut(source[begin:], "\n")
	return strings.TrimSpace(line)
}

// misspeltFunction suggests "function" for a misspelt name before an end that closes nothing.
func (d *diagnosis) misspeltFunction(source string) string {
	for name := range calls(source) {
		if name[0] == 'f' && name != "function" && spell.Nearest(name, []string{"function"}) != "" {
			return fmt.Sprintf(", did you mean 'function' for '%s'?", name)
		}
	}
	return ""
}

// calls yields the words that a bracket follows.
func calls(source string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at < len(source); at++ {
			begin := at
			for at < len(source) && names.Word(source[at]) {
				at++
			}
			if at > begin && strings.HasPrefix(strings.TrimLeft(source[at:], " \t\n\f\r"), "(") && !yield(source[begin:at]) {
				return
			}
		}
	}
}

// unclosed says which end is missing.
func (d *diagnosis) unclosed() string {
	open := d.open
	if d.loop != nil {
		return fmt.Sprintf("'do' expected (for '%s' at line %d)", d.loop.word, d.loop.line)
	}
	if len(open) == 0 {
		return ""
	}
	last := open[len(open)-1]
	closer := closers[last.word]
	if closer == "" {
		closer = "end"
	}
	return fmt.Sprintf("'%s' expected (to close '%s' at line %d)", closer, last.word, last.line)
}

// read reads tokens. It skips comments and strings.
func (d *diagnosis) read(source string) {
	for i := 0; i < len(source); {
		n, c := 1, source[i]
		if c > ' ' && !strings.HasPrefix(source[i:], "--") {
			d.lastAt = i
		}
		switch {
		case strings.HasPrefix(source[i:], "--"):
			if n = longBracketLength(source[i+2:]); n > 0 {
				n += 2
			} else if n = strings.IndexByte(source[i:], '\n'); n < 0 {
				n = len(source) - i
			}
		case c == '"' || c == '\'':
			n = quotedLength(source[i:])
			if d.lastName = ""; d.unended == 0 && (n < 2 || source[i+n-1] != c) {
				d.unended = d.line
			}
		case c == '[' && longBracketLength(source[i:]) > 0:
			n = longBracketLength(source[i:])
			d.lastName = ""
		case isLetter(c) || c == '_':
			n = wordLength(source[i:])
			d.word(source[i : i+n])
		case isDigit(c):
			n = wordLength(source[i:])
			d.lastName = ""
		case c >= utf8.RuneSelf && d.foreign < 0:
			d.foreign = i
		case strings.IndexByte(" \t\r\n", c) < 0:
			d.sign(source[i : i+1])
		}
		d.line += strings.Count(source[i:i+n], "\n")
		i += n
	}
}

func (d *diagnosis) push(word string) { d.open = append(d.open, opener{word, d.line}) }

func (d *diagnosis) pop() {
	if len(d.open) > 0 {
		d.open = d.open[:len(d.open)-1]
	}
}

func (d *diagnosis) sign(c string) {
	d.lastName = ""
	switch c {
	case "(", "[", "{":
		d.push(c)
	case ")", "]", "}":
		d.pop()
	}
}

func (d *diagnosis) word(word string) {
	d.lastName = word
	switch word {
	case "function", "repeat":
		d.push(word)
	case "if":
		d.push(word)
		d.condition = true
	case "elseif":
		d.condition = true
	case "then":
		d.condition = false
	case "while", "for":
		d.loop = &opener{word, d.line}
		d.condition = word == "while"
	case "do":
		d.condition = false
		if d.loop != nil {
			d.open, d.loop = append(d.open, *d.loop), nil
		} else {
			d.push(word)
		}
	case "until":
		d.pop()
		d.condition = true
	case "end":
		d.pop()
	case "local", "return":
		d.condition = false
	}
}
