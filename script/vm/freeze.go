package vm

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// libraries are the library tables that mods cannot change.
var libraries = []string{"string", "table", "math", "coroutine"}

// freeze returns an empty table to use in place of a library, because the VM has no read-only
// tables. Its metatable reads from the library and rejects assignments. A read through it costs one
// more table access. ("x"):upper() and functions stored in locals cost nothing more. _G stays
// writable: a mod can assign its own value to the global "string".
func (s *State) freeze(name string, library *lua.LTable) *lua.LTable {
	if !slices.Contains(libraries, name) {
		return library
	}
	stand, mt := s.main.CreateTable(0, 0), s.main.CreateTable(0, 3)
	mt.RawSetString("__index", library)
	mt.RawSetString("__newindex", s.main.NewFunction(func(l *lua.LState) int {
		l.Error(lua.LString(CallerPosition(l, 1)+frozenText(name)), 0)
		return 0
	}))
	mt.RawSetString("__metatable", lua.LFalse)
	stand.Metatable = mt
	if s.frozen == nil {
		s.frozen = make(map[*lua.LTable]frozenLibrary, len(libraries))
	}
	s.frozen[stand] = frozenLibrary{name, library}
	return stand
}

// frozenLibrary is a library and its name.
type frozenLibrary struct {
	name  string
	table *lua.LTable
}

// RealTable returns the library that t stands for, or t itself.
func (s *State) RealTable(t *lua.LTable) *lua.LTable {
	if t.Metatable == lua.LNil {
		return t
	}
	if f, ok := s.frozen[t]; ok {
		return f.table
	}
	return t
}

// frozenName returns the name of the library that t stands for, or "".
func (s *State) frozenName(t *lua.LTable) string { return s.frozen[t].name }

func frozenText(name string) string {
	return "'" + name + "' is a library and read-only; keep functions in a table of your own"
}
