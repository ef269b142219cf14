package luac

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// MaxSource is the size of the largest chunk, in bytes.
const MaxSource = 4 << 20

const maxNesting = 200 // nesting depth of brackets and blocks

// SyntaxError reports a chunk that failed to compile. Its text begins with file:line.
type SyntaxError struct {
	File       string
	Line       int
	Text       string // without file and line
	Incomplete bool   // the chunk ends too early: more lines could complete it
	column     int    // in bytes, 0 if unknown
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// Incomplete reports whether err is a *SyntaxError of a chunk that ends too early.
func Incomplete(err error) bool {
	var e *SyntaxError
	return errors.As(err, &e) && e.Incomplete
}

// Compile checks, parses, rewrites and compiles a chunk. afford gets the cost of compiling in
// instructions, without the cost for each byte, and its error ends the compilation. The values of
// the upvalues in Guards are the caller's task. The error is a *SyntaxError.
func Compile(name, source string, afford func(cost int) error) (*lua.FunctionProto, error) {
	for first := firstConstants; ; first *= 8 {
		proto, err := compile(name, source, first, afford)
		if err != errEarlyPlaceholder {
			return proto, err
		}
	}
}

// compile is Compile with the number of constants of each function that pass through the compiler.
func compile(name, source string, first int, afford func(cost int) error) (proto *lua.FunctionProto, err error) {
	if len(source) > MaxSource {
		return nil, &SyntaxError{File: name, Line: 1, Text: fmt.Sprintf("the chunk has %d bytes, more than %d", len(source), MaxSource)}
	}
	if err := utf16Error(name, source); err != nil {
		return nil, err
	}
	source = strings.TrimPrefix(source, byteOrderMark) // columns are those that editors show
	if line := tooDeep(source); line > 0 {
		return nil, &SyntaxError{File: name, Line: line, Text: fmt.Sprintf("brackets or blocks nest deeper than %d", maxNesting)}
	}
	defer func() {
		if r := recover(); r != nil {
			proto, err = nil, &SyntaxError{File: name, Line: 1, Text: fmt.Sprintf("the chunk cannot be compiled: %v", r)}
		}
	}()
	chunk, err := Parse(name, source)
	if err != nil {
		return nil, syntaxError(name, source, err)
	}
	w := rewriter{file: name, firstConstants: first, stores: map[*ast.TableExpr]int{}, visible: map[string]int{}, farJumps: map[int]bool{}}
	if chunk, err = w.chunk(chunk); err != nil {
		return nil, err
	}
	if err = afford(w.cost); err != nil {
		return nil, &SyntaxError{File: name, Line: 1, Text: err.Error()}
	}
	if proto, err = lua.Compile(chunk, name); err != nil {
		var uncompiled *lua.CompileError
		if errors.As(err, &uncompiled) {
			uncompiled.Line = w.places.line(uncompiled.Line)
			uncompiled.Message = w.places.lines(uncompiled.Message)
		}
		return nil, syntaxError(name, source, err)
	}
	proto = proto.FunctionPrototypes[0] // the enclosing function only declares the guards
	if err = w.fill(proto); err != nil {
		return nil, err
	}
	w.places.settle(proto)
	trim(proto)
	keepNames(proto)
	numberGroups(proto)
	return proto, w.checkSize(proto)
}

// Parse parses a chunk without any checks. A byte order mark is skipped, and the first line can be
// "#!/usr/bin/lua".
func Parse(name, source string) ([]ast.Stmt, error) {
	source = strings.TrimPrefix(source, byteOrderMark)
	if strings.HasPrefix(source, "#") {
		source = "--" + source
	}
	return parse.Parse(strings.NewReader(source), name)
}

// trim releases capacity that the compiler reserved and did not use: about 12 KiB per function.
func trim(p *lua.FunctionProto) {
	p.Code, p.Constants, p.FunctionPrototypes = clipped(p.Code), clipped(p.Constants), clipped(p.FunctionPrototypes)
	p.DbgSourcePositions, p.DbgLocals = clipped(p.DbgSourcePositions), clipped(p.DbgLocals)
	p.DbgCalls, p.DbgUpvalues = clipped(p.DbgCalls), clipped(p.DbgUpvalues)
	for _, inner := range p.FunctionPrototypes {
		trim(inner)
	}
}

// keepNames replaces OP_GETTABLEKS by OP_GETTABLE. For a field of an object, OP_GETTABLEKS
// allocates a new value for the name on every read. OP_GETTABLE passes the constant itself.
func keepNames(p *lua.FunctionProto) {
	const opcode = 26 // bit position of the opcode in an instruction
	for i, code := range p.Code {
		if int(code>>opcode) == lua.OP_GETTABLEKS {
			p.Code[i] = code&(1<<opcode-1) | uint32(lua.OP_GETTABLE)<<opcode
		}
	}
	for _, inner := range p.FunctionPrototypes {
		keepNames(inner)
	}
}

// numberGroups writes the numbers of the groups in which lists of more than 25,550 elements are
// stored. Such a number stands in the word after OP_SETLIST, where gopher-lua's compiler always
// writes 0.
func numberGroups(p *lua.FunctionProto) {
	var last [1 << 8]int // by the register of a table: its last group
	for pc := 0; pc < len(p.Code); pc++ {
		switch i := Instruction(p.Code[pc]); {
		case i.Op() == lua.OP_CLOSURE:
			pc += int(p.FunctionPrototypes[i.Bx()].NumUpvalues)
		case i.Op() == lua.OP_SETLIST && i.C() != 0:
			last[i.A()] = i.C()
		case i.Op() == lua.OP_SETLIST:
			last[i.A()]++
			pc++
			p.Code[pc] = uint32(last[i.A()])
		}
	}
	for _, inner := range p.FunctionPrototypes {
		numberGroups(inner)
	}
}

// clipped copies a list into an array of exactly its length.
func clipped[T any](list []T) []T { return append(make([]T, 0, len(list)), list...) }

// syntaxError converts an error of gopher-lua to a *SyntaxError.
func syntaxError(name, source string, err error) error {
	e := &SyntaxError{File: name, Line: 1, Text: err.Error()}
	var bad *parse.Error
	var uncompiled *lua.CompileError
	switch {
	case errors.As(err, &bad):
		e.Line, e.column, e.Text = bad.Pos.Line, bad.Pos.Column, strings.Replace(bad.Message, "parse error", "syntax error", 1)
		e.Incomplete = bad.Pos.Line == parse.EOF && bad.Message != "unterminated string"
		if bad.Pos.Line == parse.EOF {
			e.Line = 1 + strings.Count(strings.TrimRight(source, " \t\n\v\f\r"), "\n")
		}
		if e.blameForeign(source) {
			break
		}
		if bad.Pos.Line == parse.EOF {
			e.Text += " at the end"
			if bad.Message == "syntax error" || bad.Message == "parse error" {
				e.add(diagnose(source, len(source), ""))
			}
			break
		}
		if bad.Token != "" && len(bad.Token) < 40 {
			e.Text += " near '" + strings.TrimSpace(strings.Map(printable, bad.Token)) + "'"
		}
		if bad.Message == "unterminated string" {
			d := diagnosis{line: 1}
			d.read(source)
			e.Line, e.column = max(d.unended, 1), 0
			e.add(cmp.Or(curlyQuote(source, e.Line), "close it on its line, or write [[…]] for several lines"))
		} else {
			at := offset(source, bad.Pos.Line, bad.Pos.Column)
			if first := at + 1 - len(bad.Token); bad.Token != "" && isLetter(bad.Token[0]) && first >= 0 && strings.HasPrefix(source[first:], bad.Token) {
				e.column, at = e.column+first-at, first // the parser counts to the end of a word
			}
			e.add(diagnose(source, at, bad.Token))
		}
	case errors.As(err, &uncompiled):
		e.Line, e.Text = max(uncompiled.Line, 1), uncompiled.Message
	}
	return e
}

// printable returns r, or a space for a control character: a token can be a string of several
// lines, and gopher-lua reads a line break after "0e" as part of the number.
func printable(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// add appends an explanation.
func (e *SyntaxError) add(explanation string) {
	if explanation != "" {
		e.Text += ": " + explanation
	}
}

// offset returns the offset of a line and a column in a source, both from 1.
func offset(source string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		n := strings.IndexByte(source[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return min(at+max(column-1, 0), len(source))
}

// tooDeep returns the line where brackets or blocks nest deeper than maxNesting, or 0. The compiler
// is recursive, and deeper nesting would exhaust its stack. tooDeep skips strings and comments.
func tooDeep(source string) int {
	depth, line := 0, 1
	for i := 0; i < len(source); {
		if n := skippedLength(source[i:]); n > 0 {
			line += strings.Count(source[i:i+n], "\n")
			i += n
			continue
		}
		n := 1
		switch c := source[i]; {
		case c == '\n':
			line++
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case isLetter(c) || c == '_':
			n = wordLength(source[i:])
			depth += nesting(source[i : i+n])
		}
		if depth > maxNesting {
			return line
		}
		i += n
	}
	return 0
}

// nesting returns 1 for a word that begins a block, −1 for one that ends a block, and 0 for others.
func nesting(word string) int {
	switch word {
	case "function", "do", "then", "repeat":
		return 1
	case "end", "until", "elseif":
		return -1
	}
	return 0
}

// skippedLength returns the length of the string or comment at the beginning of s, or 0 if there is
// none.
func skippedLength(s string) int {
	switch {
	case strings.HasPrefix(s, "--"):
		if n := longBracketLength(s[2:]); n > 0 {
			return 2 + n
		}
		if n := strings.IndexByte(s, '\n'); n >= 0 {
			return n
		}
		return len(s)
	case s[0] == '"' || s[0] == '\'':
		return quotedLength(s)
	case s[0] == '[':
		return longBracketLength(s)
	}
	return 0
}

// longBracketLength returns the length of the [[…]] or [==[…]==] at the beginning of s, or 0 if
// there is none.
func longBracketLength(s string) int {
	level := 0
	if len(s) == 0 || s[0] != '[' {
		return 0
	}
	for level+1 < len(s) && s[level+1] == '=' {
		level++
	}
	if level+1 >= len(s) || s[level+1] != '[' {
		return 0
	}
	end := strings.Index(s, "]"+strings.Repeat("=", level)+"]")
	if end < 0 {
		return len(s)
	}
	return end + level + 2
}

// quotedLength returns the length of the quoted string at the beginning of s.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		case '\n':
			return i // unterminated; the parser reports it
		}
	}
	return len(s)
}

func wordLength(s string) int {
	n := 1
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n]) || s[n] == '_') {
		n++
	}
	return n
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// Column returns the column of the error in its line, in bytes from 1. It returns 1 if the column
// is unknown.
func (e *SyntaxError) Column() int { return max(e.column, 1) }
