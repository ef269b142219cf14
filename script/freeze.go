package script

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// libraries are the tables that a mod cannot change.
var libraries = []string{"string", "table", "math", "coroutine"}

// freeze makes the empty table that stands in a library's place, whose metatable reads from the library and refuses to
// write: the VM knows no read-only tables. A read through it costs one table access more; ("x"):upper() and a function
// kept in a local cost nothing. _G stays open: a mod may still call something else of its own "string".
func (s *State) freeze(name string, library *lua.LTable) *lua.LTable {
	if !slices.Contains(libraries, name) {
		return library
	}
	stand, mt := s.main.CreateTable(0, 0), s.main.CreateTable(0, 3)
	mt.RawSetString("__index", library)
	mt.RawSetString("__newindex", s.main.NewFunction(func(l *lua.LState) int {
		l.Error(lua.LString(where(l, 1)+frozenText(name)), 0)
		return 0
	}))
	mt.RawSetString("__metatable", lua.LFalse)
	stand.Metatable = mt
	if s.frozen == nil {
		s.frozen = make(map[*lua.LTable]frozen, len(libraries))
	}
	s.frozen[stand] = frozen{name, library}
	return stand
}

// frozen is a library behind the table that stands for it.
type frozen struct {
	name  string
	table *lua.LTable
}

// behind is the library that a table stands for, or the table itself.
func (s *State) behind(t *lua.LTable) *lua.LTable {
	if t.Metatable == lua.LNil {
		return t
	}
	if f, ok := s.frozen[t]; ok {
		return f.table
	}
	return t
}

// frozenName is the library that a table stands for, or "".
func (s *State) frozenName(t *lua.LTable) string { return s.frozen[t].name }

func frozenText(name string) string {
	return "'" + name + "' is a library and cannot be changed; keep functions in a table of your own"
}
