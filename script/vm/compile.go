package vm

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

const (
	maxSource   = 1 << 20 // bytes of one chunk
	maxNesting  = 200     // nesting depth of brackets and blocks
	maxCached   = 1024    // compiled files in the cache
	maxCode     = 1 << 17 // instructions of a function; jumps reach no farther
	maxUpvalues = 200     // upvalues of a function; the VM counts them in one byte
)

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

// Protos caches compiled files. Cached prototypes are never modified, so hosts on one goroutine can
// share one cache.
type Protos struct {
	seed  maphash.Seed
	files map[uint64]*cachedFile
}

type cachedFile struct {
	name, source string
	proto        *lua.FunctionProto
}

// NewProtos returns an empty cache.
func NewProtos() *Protos { return &Protos{maphash.MakeSeed(), map[uint64]*cachedFile{}} }

// Len returns the number of cached files.
func (p *Protos) Len() int { return len(p.files) }

// Clear empties the cache, so that files are compiled again.
func (p *Protos) Clear() { clear(p.files) }

func (p *Protos) compile(name, source string, afford func(cost int) error) (*lua.FunctionProto, error) {
	key := maphash.String(p.seed, name+"\x00"+source)
	if c := p.files[key]; c != nil && c.name == name && c.source == source {
		return c.proto, nil
	}
	proto, err := compile(name, source, afford)
	if err == nil {
		if len(p.files) >= maxCached {
			clear(p.files)
		}
		p.files[key] = &cachedFile{name, source, proto}
	}
	return proto, err
}

// Compile compiles source to a function of the mod's state. name is the chunk's name in errors:
// "mods/ctf/server/init.lua". If file is true, the result is cached; console lines and strings of
// mods are not files. The error is a *SyntaxError.
func (m *Mod) Compile(name, source string, file bool) (*lua.LFunction, error) {
	build := compile
	if file {
		build = m.Runtime.protos.compile
	}
	proto, err := build(name, source, m.affordCompile)
	if err != nil {
		return nil, err
	}
	if len(source) > largeText {
		m.NoteString(longest(proto))
	}
	fn := m.State.main.NewFunctionFromProto(proto)
	for i, name := range proto.DbgUpvalues {
		fn.Upvalues[i] = new(lua.Upvalue)
		fn.Upvalues[i].Close() // holds its own value instead of a register
		fn.Upvalues[i].SetValue(m.State.guards[slices.Index(guardNames[:], name)])
	}
	return fn, nil
}

// CompileLine compiles a line typed by a person: first as an expression whose values it returns,
// then as a chunk.
func (m *Mod) CompileLine(name, source string) (fn *lua.LFunction, expression bool, err error) {
	const lead = "return "
	fn, failed := m.Compile(name, lead+source, false)
	if failed == nil {
		return fn, true, nil
	}
	if fn, err = m.Compile(name, source, false); err == nil || Incomplete(err) {
		return fn, false, err
	}
	var asExpression, asChunk *SyntaxError
	if errors.As(failed, &asExpression) && errors.As(err, &asChunk) && asExpression.column-len(lead) > asChunk.column {
		return nil, false, failed // the parser got farther with the expression
	}
	return nil, false, err
}

// compile checks, parses, rewrites and compiles a chunk.
func compile(name, source string, afford func(cost int) error) (proto *lua.FunctionProto, err error) {
	if len(source) > maxSource {
		return nil, &SyntaxError{File: name, Line: 1, Text: fmt.Sprintf("the chunk has %d bytes, more than %d", len(source), maxSource)}
	}
	if line := tooDeep(source); line > 0 {
		return nil, &SyntaxError{File: name, Line: line, Text: fmt.Sprintf("brackets or blocks nest deeper than %d", maxNesting)}
	}
	defer func() {
		if r := recover(); r != nil {
			proto, err = nil, &SyntaxError{File: name, Line: 1, Text: fmt.Sprintf("the chunk cannot be compiled: %v", r)}
		}
	}()
	chunk, err := parseChunk(name, source)
	if err != nil {
		return nil, syntaxError(name, source, err)
	}
	w := rewriter{file: name}
	if chunk, err = w.chunk(chunk); err != nil {
		return nil, err
	}
	if err = afford(w.cost); err != nil {
		return nil, &SyntaxError{File: name, Line: 1, Text: err.Error()}
	}
	if proto, err = lua.Compile(chunk, name); err != nil {
		return nil, syntaxError(name, source, err)
	}
	proto = proto.FunctionPrototypes[0] // the enclosing function only declares the guards
	trim(proto)
	keepNames(proto)
	return proto, checkSize(name, proto)
}

// parseChunk parses a chunk. The first line can be "#!/usr/bin/lua".
func parseChunk(name, source string) ([]ast.Stmt, error) {
	if strings.HasPrefix(source, "#") {
		source = "--" + source
	}
	return parse.Parse(strings.NewReader(source), name)
}

// checkSize returns an error for functions whose jumps or upvalue numbers do not fit into the VM's
// instructions. gopher-lua's compiler truncates these silently.
func checkSize(file string, f *lua.FunctionProto) error {
	switch {
	case len(f.Code) >= maxCode:
		return &SyntaxError{File: file, Line: max(f.LineDefined, 1), Text: fmt.Sprintf("a function has more than %d instructions; split it", maxCode)}
	case len(f.DbgUpvalues) > maxUpvalues:
		return &SyntaxError{File: file, Line: f.LineDefined, Text: fmt.Sprintf("a function has more than %d upvalues: it uses too many locals of enclosing functions", maxUpvalues)}
	}
	for _, inner := range f.FunctionPrototypes {
		if err := checkSize(file, inner); err != nil {
			return err
		}
	}
	return nil
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

// clipped copies a list into an array of exactly its length.
func clipped[T any](list []T) []T { return append(make([]T, 0, len(list)), list...) }

// syntaxError converts an error of gopher-lua to a *SyntaxError.
func syntaxError(name, source string, err error) error {
	e := &SyntaxError{File: name, Line: 1, Text: err.Error()}
	var bad *parse.Error
	var uncompiled *lua.CompileError
	switch {
	case errors.As(err, &bad):
		e.Line, e.column, e.Text = bad.Pos.Line, bad.Pos.Column, bad.Message
		e.Incomplete = bad.Pos.Line == parse.EOF && bad.Message != "unterminated string"
		if bad.Pos.Line == parse.EOF {
			e.Line = 1 + strings.Count(strings.TrimRight(source, spaceChars), "\n")
			e.Text += " at the end"
		} else if bad.Token != "" && len(bad.Token) < 40 {
			e.Text += " near '" + strings.TrimSpace(bad.Token) + "'"
		}
	case errors.As(err, &uncompiled):
		e.Line, e.Text = max(uncompiled.Line, 1), uncompiled.Message
	}
	return e
}

// tooDeep returns the line where brackets or blocks nest deeper than maxNesting, or 0. The compiler
// is recursive, and deeper nesting would exhaust its stack. tooDeep skips strings and comments.
func tooDeep(source string) int {
	depth, line := 0, 1
	for i := 0; i < len(source); {
		c := source[i]
		switch {
		case c == '\n':
			line++
		case c == '-' && strings.HasPrefix(source[i:], "--"):
			n := longBracketLength(source[i+2:])
			if n > 0 {
				n += 2
			} else if n = strings.IndexByte(source[i:], '\n'); n < 0 {
				n = len(source) - i
			}
			line += strings.Count(source[i:i+n], "\n")
			i += n
			continue
		case c == '"' || c == '\'':
			n := quotedLength(source[i:])
			line += strings.Count(source[i:i+n], "\n")
			i += n
			continue
		case c == '[' && longBracketLength(source[i:]) > 0:
			n := longBracketLength(source[i:])
			line += strings.Count(source[i:i+n], "\n")
			i += n
			continue
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case isLetter(c) || c == '_':
			n := wordLength(source[i:])
			switch source[i : i+n] {
			case "function", "do", "then", "repeat":
				depth++
			case "end", "until", "elseif":
				depth--
			}
			i += n
			if depth > maxNesting {
				return line
			}
			continue
		}
		if depth > maxNesting {
			return line
		}
		i++
	}
	return 0
}

// longBracketLength returns the length of the [[…]] or [==[…]==] at the beginning of s, or 0 if there is
// none.
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

// compileCost returns the cost of compiling a chunk, in instructions. Compiling takes about 10 µs
// plus 200 ns per byte of ordinary source, and more for unusual source.
func compileCost(source string) int { return 2000 + 100*len(source) }

// affordCompile charges the cost of compiling. It fails if the cost exceeds the remaining budget or the
// budget for loading.
func (m *Mod) affordCompile(cost int) error {
	meter, left := &m.Runtime.meter, m.Runtime.cfg.Limits.Load.Instructions
	if m.Runtime.Depth() > 0 {
		left = meter.instructions - meter.n
		m.State.Book(cost)
	} else if left == 0 {
		left = unlimited
	}
	return affordUpTo(left)(cost)
}

// affordUpTo returns a function that fails if a cost exceeds most instructions.
func affordUpTo(most int64) func(cost int) error {
	return func(cost int) error {
		if int64(cost) > most {
			return errors.New("compiling it exceeds the rest of the budget; split its functions")
		}
		return nil
	}
}

// loadString implements loadstring and load. It accepts only source text, of at most 1 MiB.
func loadString(a Args) int {
	var source string
	if fn, ok := a.L.Get(1).(*lua.LFunction); ok {
		var failed *lua.ApiError
		if source, failed = a.pieces(fn); failed != nil {
			return a.Return(lua.LNil, failed.Object)
		}
	} else {
		source = a.String(1)
	}
	a.Charge(compileCost(source))
	name := a.OptString(2, "="+a.Mod.Dir()+" (string)")
	if name != "" && (name[0] == '=' || name[0] == '@') { // in Lua these prefixes mark a name that is not source text
		name = name[1:]
	}
	fn, err := a.Mod.Compile(ClipText(name, MaxQuoted), source, false)
	if err != nil {
		return a.Return(lua.LNil, lua.LString(err.Error()))
	}
	return a.Return(fn)
}

// pieces joins the strings returned by a reader function until it returns nil, "" or nothing. If
// the reader fails, load returns the error instead of raising it.
func (a Args) pieces(fn *lua.LFunction) (source string, failed *lua.ApiError) {
	var b strings.Builder
	s := a.Mod.State
	for {
		t, err := s.protected(a.L, s.quiet, fn, a.L.GetTop()+1)
		piece := t.Get(1)
		s.release(t)
		if err != nil {
			return "", err
		}
		text, ok := operand(piece)
		if piece == lua.LNil || text == "" && ok {
			return b.String(), nil
		}
		if !ok {
			a.Fail("the reader must return strings, not %s", a.Mod.Runtime.Kind(piece))
		}
		if b.Len()+len(text) > maxSource {
			a.Fail("the chunk is longer than %d bytes", maxSource)
		}
		b.WriteString(text)
	}
}
