package vm

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/luac"
)

// Compile compiles source to a function of the mod's state. name is the chunk's name in errors:
// "mods/ctf/server/init.lua". If file is true, the result is cached; console lines and strings of
// mods are not files. The error is a *luac.SyntaxError.
func (m *Mod) Compile(name, source string, file bool) (*lua.LFunction, error) {
	build := luac.Compile
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
	if file {
		m.State.declareAll(proto)
	}
	fn := m.State.main.NewFunctionFromProto(proto)
	for i, name := range proto.DbgUpvalues {
		fn.Upvalues[i] = new(lua.Upvalue)
		fn.Upvalues[i].Close() // holds its own value instead of a register
		fn.Upvalues[i].SetValue(m.State.guards[slices.Index(luac.Guards[:], name)])
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
	if fn, err = m.Compile(name, source, false); err == nil || luac.Incomplete(err) {
		return fn, false, err
	}
	var asExpression, asChunk *luac.SyntaxError
	if errors.As(failed, &asExpression) && errors.As(err, &asChunk) && isBehind(asExpression, len(lead), asChunk) {
		return nil, false, failed // the parser got farther with the expression
	}
	return nil, false, err
}

// isBehind reports whether an error is farther in a source than another one. The first line of e
// begins with lead bytes that the source does not have.
func isBehind(e *luac.SyntaxError, lead int, than *luac.SyntaxError) bool {
	column := e.Column()
	if e.Line == 1 {
		column -= lead
	}
	return cmp.Or(cmp.Compare(e.Line, than.Line), cmp.Compare(column, than.Column())) > 0
}

// compileCost returns the cost of compiling a chunk, in instructions. Compiling takes about 10 µs
// plus 200 ns per byte of ordinary source, and more for unusual source.
func compileCost(source string) int { return 2000 + 100*len(source) }

// affordCompile charges the cost of compiling. It fails if the cost exceeds the remaining budget or
// the budget for loading.
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

// loadString implements loadstring and load. It accepts only source text.
func loadString(a Args) int {
	var source string
	if fn, ok := a.L.Get(1).(*lua.LFunction); ok {
		var failed *lua.ApiError
		if source, failed = joinPieces(a, fn); failed != nil {
			return a.Return(lua.LNil, failed.Object)
		}
	} else {
		source = a.String(1)
	}
	a.Charge(compileCost(source))
	name := a.OptString(2, "="+a.Mod.dirName()+" (string)")
	if name != "" && (name[0] == '=' || name[0] == '@') { // in Lua these prefixes mark a name that is not source text
		name = name[1:]
	}
	fn, err := a.Mod.Compile(ClipText(name, MaxQuoted), source, false)
	if err != nil {
		return a.Return(lua.LNil, lua.LString(err.Error()))
	}
	return a.Return(fn)
}

// joinPieces joins the strings returned by a reader function until it returns nil, "" or nothing.
// If the reader fails, load returns the error instead of raising it.
func joinPieces(a Args, fn *lua.LFunction) (source string, failed *lua.ApiError) {
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
			return "", &lua.ApiError{Object: lua.LString("reader function must return a string")}
		}
		if b.Len()+len(text) > luac.MaxSource {
			a.Fail("the chunk is longer than %d bytes", luac.MaxSource)
		}
		b.WriteString(text)
	}
}
