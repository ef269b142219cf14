package vm

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm/stack"
)

// compatLib has what Lua 5.1 libraries expect of the outside: output, environments, and the call
// stack.
var compatLib = Lib{"Compatibility", []Func{
	{"io.write", "...: string|number", Both, "Prints the values on the console, by whole lines. There are no files: io has nothing but write, stdout and stderr.", ioWrite},
	{"io.stdout", ": table", Both, "Has the methods write, flush, setvbuf and close. Only write does anything.", nil},
	{"io.stderr", ": table", Both, "The same as io.stdout.", nil},
	{"debug.traceback", "[message: any] -> string", Both, "The same as traceback.", traceback},
	{"debug.getinfo", "fn: function|integer, [what: string] -> table?", Both, "Returns source, short_src, currentline, linedefined, lastlinedefined and what of a function, or of the function at a level of the call stack.", getInfo},
	{"debug.getmetatable", "value: any -> any", Both, "The same as getmetatable.", getMetatable},
	{"collectgarbage", "[what: string, [n: number]] -> number", Both, "Does nothing and returns 0: the engine manages the memory.", func(a Args) int { return a.Return(lua.LNumber(0)) }},
	{"getfenv", "[fn: function|integer] -> table", Both, "Returns the table of globals of a function, or of the function at a level of the call stack.", getEnvironment},
	{"setfenv", "fn: function|integer, globals: table -> function", Both, "Sets the table of globals of a function, or of the function at a level of the call stack.", setEnvironment},
}}

// maxLine is the length of a line after which io.write prints it unfinished, in bytes.
const maxLine = 4096

// ioWrite prints with the row print, which limits how much a mod prints.
func ioWrite(a Args) int {
	writeValues(a, 1)
	return 0
}

func writeValues(a Args, first int) {
	s := a.Mod.State
	for i := first; i <= a.N(); i++ {
		s.line += a.String(i)
		a.ChargeString(len(s.line))
	}
	print := s.mod.Runtime.index.globals["print"]
	for print != nil && (strings.Contains(s.line, "\n") || len(s.line) > maxLine) {
		line, rest, _ := strings.Cut(s.line, "\n")
		s.line = rest
		a.L.Push(s.Bind(print))
		a.L.Push(lua.LString(line))
		a.L.Call(1, 0)
	}
	if len(s.line) > maxLine {
		s.line = ""
	}
}

// fillOutput sets the values of the library io.
func (s *State) fillOutput(t *lua.LTable) {
	out := s.main.NewTable()
	for _, m := range []struct {
		name string
		fn   func(Args) int
	}{
		{"write", func(a Args) int { writeValues(a, 2); return a.Return(a.Table(1)) }},
		{"flush", func(a Args) int { return 0 }},
		{"setvbuf", func(a Args) int { return a.Return(lua.LTrue) }},
		{"close", func(a Args) int { return a.Return(lua.LTrue) }},
	} {
		out.RawSetString(m.name, s.Bind(&Func{Name: "stdout:" + m.name, Params: "values: any", Fn: m.fn}))
	}
	t.RawSetString("stdout", out)
	t.RawSetString("stderr", out)
}

// functionArgument returns argument i: a function, or the function at a level of the call stack,
// where 1 is the caller. line is its current line, -1 if it does not run. fn is nil if there is no
// such level.
func functionArgument(a Args, i int) (fn *lua.LFunction, line int) {
	if fn, ok := a.L.Get(i).(*lua.LFunction); ok {
		return fn, -1
	}
	level, s := a.OptInt(i, 1), a.Mod.State
	if level < 0 {
		a.Fail("argument %s must not be negative", a.Label(i))
	}
	stack.Visit(a.L, func(f stack.Frame) bool {
		if s.isInternal(f.Fn) {
			return true
		}
		if level > 0 {
			level--
			return true
		}
		fn, line = f.Fn, -1
		if !fn.IsG && f.PC > 0 {
			line = fn.Proto.DbgSourcePositions[f.PC-1]
		}
		return false
	})
	return fn, line
}

func getInfo(a Args) int {
	fn, line := functionArgument(a, 1)
	if fn == nil {
		return a.Return(lua.LNil)
	}
	t := a.L.CreateTable(0, 6)
	set := func(name string, v lua.LValue) { t.RawSetString(name, v) }
	if fn.IsG {
		set("source", lua.LString("=[C]"))
		set("short_src", lua.LString("[C]"))
		set("what", lua.LString("C"))
		set("linedefined", lua.LNumber(-1))
		set("lastlinedefined", lua.LNumber(-1))
	} else {
		p := fn.Proto
		what := "Lua"
		if p.LineDefined == 0 {
			what = "main"
		}
		set("source", lua.LString("@"+p.SourceName))
		set("short_src", lua.LString(p.SourceName))
		set("what", lua.LString(what))
		set("linedefined", lua.LNumber(p.LineDefined))
		set("lastlinedefined", lua.LNumber(p.LastLineDefined))
	}
	set("currentline", lua.LNumber(line))
	return a.Return(t)
}

func getEnvironment(a Args) int {
	if a.L.Get(1) == lua.LNumber(0) {
		return a.Return(a.Mod.State.globals)
	}
	fn, _ := functionArgument(a, 1)
	switch {
	case fn == nil:
		a.Fail("there is no such level")
	case fn.IsG:
		return a.Return(a.Mod.State.globals)
	}
	return a.Return(fn.Env)
}

func setEnvironment(a Args) int {
	t := a.Table(2)
	fn, _ := functionArgument(a, 1)
	if fn == nil || fn.IsG {
		a.Fail("only functions written in Lua have an environment")
	}
	fn.Env = t
	return a.Return(fn)
}
