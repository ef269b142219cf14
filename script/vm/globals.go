package vm

import lua "github.com/yuin/gopher-lua"

var baseLib = Lib{"Base", []Func{
	{"assert", "value: any, [message: any, ...: any] -> ...: any", Both, "Returns its arguments. Raises an error if the first is false or nil.", luaAssert},
	{"error", "[value: any, [level: integer]]", Both, "Raises an error. Level 2 reports the caller's line.", luaError},
	{"getmetatable", "value: any -> any", Both, "Returns the metatable of a value, or its __metatable field.", getMetatable},
	{"setmetatable", "table: table, metatable: table? -> table", Both, "Sets the metatable of a table and returns the table.", setMetatable},
	{"pcall", "fn: any, ...: any -> boolean, ...: any", Both, "Calls fn. Returns true and its results, or false and the error.", pcall},
	{"xpcall", "fn: any, handler: any, ...: any -> boolean, ...: any", Both, "Calls fn. Returns true and its results, or false and the results of handler(error).", xpcall},
	{"traceback", "[message: any] -> string", Both, "Returns the call stack as text. In a handler of xpcall it is the stack of the error.", traceback},
	{"tostring", "value: any -> string", Both, "Returns the value as text.", toString},
	{"loadstring", "code: string, [name: string] -> function?, string?", Both, "Compiles Lua code. Returns a function, or nil and the error.", loadString},
	{"load", "reader: string|function, [name: string] -> function?, string?", Both, "Compiles Lua code from a string, or from the strings that repeated calls of a function return.", loadString},
	{"unpack", "list: table, [first: integer, [last: integer]] -> ...: any", Both, "Returns the elements of a list.", unpack},
	{"rawget", "table: table, key: any -> any", Both, "Reads a field without metamethods. rawget(_G, name) returns nil for a global that does not exist, without a warning.", rawGet},
	{"rawset", "table: table, key: any, value: any -> table", Both, "Writes a field without metamethods.", rawSet},
	{"rawequal", "a: any, b: any -> boolean", Both, "Compares two values without metamethods.", rawEqual},
	{"ipairs", "list: table -> function, table, integer", Both, "Iterates over the indices 1, 2, … up to the first nil.", ipairs},
	{"pairs", "table: table -> function, table, nil", Both, "Iterates over all fields, in the order of their first assignment.", pairs},
	{"next", "table: table, [key: any] -> any, any", Both, "Returns the field after key and its value.", tableNext},
	{"select", "n: integer|\"#\", ...: any -> ...: any", Both, "Returns the arguments from the n-th on. With \"#\" it returns their number.", selectValues},
	{"type", "value: any -> string", Both, "Returns the name of the value's type.", typeOf},
	{"_G", ": table", Both, "The table of global variables.", nil},
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

// fenceGlobals handles reads and first assignments of globals.
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
	if s.Strict {
		l.Error(lua.LString(CallerPosition(l, 1)+"undefined global '"+ClipText(string(name), MaxQuoted)+"'"+s.notGlobal(string(name))), 0)
	}
	s.readUndeclared(l, string(name))
	l.Push(lua.LNil)
	return 1
}

// define handles the first assignment to a global.
func (s *State) define(l *lua.LState) int {
	name, ok := l.Get(2).(lua.LString)
	if ok {
		s.declare(string(name))
	}
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

func toString(a Args) int {
	v := a.Any(1)
	if _, ok := v.(lua.LString); ok {
		return a.Return(v)
	}
	return a.Return(lua.LString(a.Mod.State.Text(a.L, v)))
}

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
	switch text := callMetamethod(l, fn, v).(type) {
	case lua.LString:
		return string(text)
	case lua.LNumber:
		return NumberText(float64(text))
	}
	l.RaiseError("'__tostring' must return a string")
	return ""
}
