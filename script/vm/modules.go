package vm

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// standardModules are the libraries that require finds without a file.
var standardModules = []string{"_G", "bit", "coroutine", "debug", "io", "math", "os", "package", "string", "table"}

// IsStandardModule reports whether require finds a name without a file.
func IsStandardModule(name string) bool { return slices.Contains(standardModules, name) }

// modulePath is the value of package.path.
const modulePath = "?.lua;?/init.lua"

// fillPackage sets the values of the library package.
func (s *State) fillPackage(t *lua.LTable) {
	loaded := s.loadedModules()
	for _, name := range standardModules {
		if loaded.RawGetString(name) == lua.LNil {
			loaded.RawSetString(name, s.standardModule(name))
		}
	}
	t.RawSetString("loaded", loaded)
	t.RawSetString("preload", s.main.NewTable())
	t.RawSetString("path", lua.LString(modulePath))
	t.RawSetString("cpath", lua.LString(""))
	t.RawSetString("config", lua.LString("/\n;\n?\n!\n-\n"))
}

func (s *State) loadedModules() *lua.LTable {
	if s.modules == nil {
		s.modules = s.main.NewTable()
	}
	return s.modules
}

func (s *State) standardModule(name string) lua.LValue {
	if name == "_G" {
		return s.globals
	}
	return s.library(name)
}

// module returns the module of a name, or nil. Names with slashes are names with dots.
func (s *State) module(name string) lua.LValue {
	if IsStandardModule(name) && s.libraries["package"] == nil {
		return s.standardModule(name)
	}
	loaded := s.loadedModules()
	if v := loaded.RawGetString(name); v != lua.LNil {
		return v
	}
	return loaded.RawGetString(dotted(name))
}

func (s *State) setModule(name string, v lua.LValue) {
	s.loadedModules().RawSetString(dotted(name), v)
}

func dotted(name string) string { return strings.ReplaceAll(ModulePath(name), "/", ".") }

// preloaded returns the function in package.preload for a module, or nil.
func (s *State) preloaded(name string) *lua.LFunction {
	library := s.libraries["package"]
	if library == nil {
		return nil
	}
	list, ok := library.RawGetString("preload").(*lua.LTable)
	if !ok {
		return nil
	}
	fn, _ := list.RawGetString(name).(*lua.LFunction)
	return fn
}

func seeAll(a Args) int {
	t, mt := a.Table(1), a.L.CreateTable(0, 1)
	if old, ok := t.Metatable.(*lua.LTable); ok {
		if mt = old; mt.RawGetString("__metatable") != lua.LNil {
			a.Fail("the metatable is protected")
		}
	}
	mt.RawSetString("__index", a.Mod.State.globals)
	t.Metatable = mt
	return 0
}
