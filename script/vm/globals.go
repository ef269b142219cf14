package vm

import lua "github.com/yuin/gopher-lua"

var baseLib = Lib{"Base", []Func{
	{"assert", "value: any, [message: any, ...: any] -> ...: any", Both, "Its arguments, or an error if the first is false or nil.", luaAssert},
	{"error", "value: any, [level: integer]", Both, "Raises an error; level 2 blames the caller.", luaError},
	{"getmetatable", "value: any -> any", Both, "The metatable of a value, or what it shows instead.", getMetatable},
	{"setmetatable", "table: table, metatable: table? -> table", Both, "Gives a table a metatable; returns the table.", setMetatable},
	{"pcall", "fn: any, ...: any -> boolean, ...: any", Both, "Calls fn: true and its results, or false and the error.", pcall},
	{"xpcall", "fn: any, handler: any, ...: any -> boolean, ...: any", Both, "Calls fn: true and its results, or false and what handler makes of the error.", xpcall},
	{"traceback", "[message: any] -> string", Both, "The calls in progress as text; in a handler of xpcall those that failed.", traceback},
	{"tostring", "value: any -> string", Both, "The value as text.", toString},
	{"loadstring", "code: string, [name: string] -> function?, string?", Both, "Compiles Lua: a function, or nil and the error.", loadString},
	{"load", "reader: string|function, [name: string] -> function?, string?", Both, "Compiles Lua from a string or from the pieces a function returns.", loadString},
	{"unpack", "list: table, [first: integer, [last: integer]] -> ...: any", Both, "The elements of a list as values.", unpack},
	{"rawget", "table: table, key: any -> any", Both, "Reads without metamethods; rawget(_G, name) asks for a global that may not exist.", rawGet},
	{"rawset", "table: table, key: any, value: any -> table", Both, "Writes without metamethods.", rawSet},
	{"rawequal", "a: any, b: any -> boolean", Both, "Compares without metamethods.", rawEqual},
	{"ipairs", "list: table -> function, table, integer", Both, "Iterates over 1, 2, … until nil.", ipairs},
	{"pairs", "table: table -> function, table, nil", Both, "Iterates over all fields, in the order in which they were first set.", pairs},
	{"next", "table: table, [key: any] -> any, any", Both, "The field after key.", tableNext},
	{"select", "n: integer|\"#\", ...: any -> ...: any", Both, "The arguments from the n-th on; with \"#\" their number.", selectValues},
	{"type", "value: any -> string", Both, "The name of the value's type.", typeOf},
	{"_G", ": table", Both, "The table of the globals.", nil},
	{"_VERSION", ": string", Both, "\"Lua 5.1\".", nil},
}}

// setValues sets Lua's own globals that are values, not functions.
func (s *State) setValues() {
	s.globals.RawSetString("_G", s.globals)
	s.globals.RawSetString("_VERSION", lua.LString("Lua 5.1"))
}

// fenceStrings makes ("x"):upper() work and hides the common metatable of all strings. It builds
// the string library on first use.
func (s *State) fenceStrings() {
	mt := s.main.CreateTable(0, 2)
	mt.RawSetString("__index", s.main.NewFunction(func(l *lua.LState) int {
		library := s.library("string")
		mt.RawSetString("__index", library)
		l.Push(library.RawGet(l.Get(2)))
		return 1
	}))
	mt.RawSetString("__metatable", lua.LFalse)
	s.fenceArithmetic(mt)
	s.main.SetMetatable(lua.LString(""), mt)
}

// fenceGlobals makes reading an undefined global an error with the global's name.
func (s *State) fenceGlobals() {
	mt := s.main.CreateTable(0, 3)
	mt.RawSetString("__index", s.main.NewFunction(s.undefined))
	mt.RawSetString("__newindex", s.main.NewFunction(s.define))
	mt.RawSetString("__metatable", lua.LFalse)
	s.globals.Metatable = mt
}

// undefined handles reads of a global without a value.
func (s *State) undefined(l *lua.LState) int {
	name, ok := l.Get(2).(lua.LString)
	if !ok {
		l.Push(lua.LNil)
		return 1
	}
	if v := s.lazyGlobal(string(name)); v != nil {
		l.Push(v)
		return 1
	}
	if s.Undefined != nil && len(name) <= maxQuotedTotal { // no defined name is longer
		if v := s.Undefined(string(name)); v != nil {
			l.Push(v)
			return 1
		}
	}
	l.Error(lua.LString(CallerPosition(l, 1)+"undefined global '"+ClipText(string(name), MaxQuoted)+"'"), 0)
	return 0
}

// define handles the first assignment to a global.
func (s *State) define(l *lua.LState) int {
	name, ok := l.Get(2).(lua.LString)
	if ok && s.mod.Runtime.index.has(string(name)) {
		s.markTaken(string(name))
	}
	if ok && s.OnGlobal != nil && s.OnGlobal(string(name), l.Get(3)) {
		return 0
	}
	l.RawSet(s.globals, l.Get(2), l.Get(3))
	return 0
}

func getMetatable(a Args) int { return a.Return(a.L.GetMetatable(a.Any(1))) }

func setMetatable(a Args) int {
	t, mt := a.Table(1), a.Any(2)
	if old, ok := t.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		a.Fail("the metatable is protected")
	}
	if mt != lua.LNil {
		mt = a.Table(2)
	}
	t.Metatable = mt
	return a.Return(t)
}

func toString(a Args) int { return a.Return(lua.LString(a.Mod.State.Text(a.L, a.Any(1)))) }

// Text returns the result of tostring, including __tostring. Call it only while Lua runs, with the
// calling thread l.
func (s *State) Text(l *lua.LState, v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return NumberText(float64(v))
	}
	fn := l.GetMetaField(v, "__tostring")
	if fn == lua.LNil {
		return v.String()
	}
	l.Push(fn)
	l.Push(v)
	l.Call(1, 1)
	text := l.Get(-1)
	l.Pop(1)
	switch text := text.(type) {
	case lua.LString:
		return string(text)
	case lua.LNumber:
		return NumberText(float64(text))
	}
	l.RaiseError("'__tostring' must return a string")
	return ""
}
