package vm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Realm is a set of sides.
type Realm uint8

const (
	Server Realm = 1 << iota // the half of a mod on the server
	Client                   // the half on a client
	Both   = Server | Client
)

func (r Realm) String() string {
	switch r {
	case Server:
		return "server"
	case Client:
		return "client"
	case Both:
		return "server and client"
	}
	return "nowhere"
}

// Letters returns the abbreviation for tables: S, C or SC.
func (r Realm) Letters() string {
	text := ""
	if r&Server != 0 {
		text += "S"
	}
	if r&Client != 0 {
		text += "C"
	}
	return text
}

// Func is a row: it defines and documents one function of the Lua API.
type Func struct {
	Name   string         // "echo", or "string.rep" for a function in a table; a row with ':' or a nil Fn is only documentation
	Params string         // a Signature: "client: Client, ...: any -> integer"; for a value ": " and its type
	Realm  Realm          // the sides on which it can be called; zero is Both
	Doc    string         // one sentence
	Fn     func(Args) int // pushes the results and returns their number, as in gopher-lua
}

// Lib is a chapter of rows in the reference.
type Lib struct {
	Name  string // the title
	Funcs []Func
}

// List returns all libraries of the host in order of installation. Help, completion and the
// generated reference use it.
func (h *Runtime) List() []Lib { return h.libs }

// Names lists the names of all rows in order, such as "string.rep".
func (h *Runtime) Names() []string {
	var names []string
	for _, lib := range h.libs {
		for _, f := range lib.Funcs {
			names = append(names, f.Name)
		}
	}
	return names
}

// Sides returns the sides on which the row can be called.
func (f *Func) Sides() Realm {
	if f.Realm == 0 {
		return Both
	}
	return f.Realm
}

// IsValue reports whether the row describes a value: a field or a global.
func (f *Func) IsValue() bool { return strings.HasPrefix(f.Params, ": ") }

// Signature returns the row as readers see it: name, parameters and results.
func (f *Func) Signature() string {
	if f.IsValue() {
		return f.Name + f.Params
	}
	if f.Fn == nil && f.Params == "" {
		return f.Name
	}
	params, results, gives := strings.Cut(f.Params, "->")
	if params = strings.TrimSpace(params); gives {
		return f.Name + "(" + params + ") ->" + results
	}
	return f.Name + "(" + params + ")"
}

// rowIndex finds rows by the names that mods use.
type rowIndex struct {
	globals map[string]*Func
	tables  map[string][]*Func // rows of each library, in order
}

// add adds the functions of a lib to the index.
func (x *rowIndex) add(lib Lib) {
	for i := range lib.Funcs {
		row := &lib.Funcs[i]
		if row.Fn == nil || strings.Contains(row.Name, ":") {
			continue
		}
		if table, _, ok := strings.Cut(row.Name, "."); ok {
			x.tables[table] = append(x.tables[table], row)
		} else {
			x.globals[row.Name] = row
		}
	}
}

// has reports whether the rows define a global of this name.
func (x *rowIndex) has(name string) bool { return x.globals[name] != nil || x.tables[name] != nil }

// lazyGlobal returns the global that the rows define for a name. It creates the function or table
// on first use, because most mods use few of them. It returns nil if the rows have no such name or
// the name is already taken.
func (s *State) lazyGlobal(name string) lua.LValue {
	if s.taken[name] {
		return nil
	}
	var v lua.LValue
	rows := &s.mod.Runtime.index
	if row := rows.globals[name]; row != nil {
		v = s.Bind(row)
	} else if rows.tables[name] != nil {
		v = s.library(name)
	} else {
		return nil
	}
	s.markTaken(name)
	s.globals.RawSetString(name, v)
	return v
}

// global returns the value of a global, or nil. It raises no error for undefined names.
func (s *State) global(name string) lua.LValue {
	v := s.globals.RawGetString(name)
	if v == lua.LNil {
		if given := s.lazyGlobal(name); given != nil {
			return given
		}
	}
	return v
}

// Names lists the existing globals and the globals created on first use.
func (s *State) Names() []string {
	var names []string
	Each(s.globals, func(k, _ lua.LValue) {
		if name, ok := k.(lua.LString); ok {
			names = append(names, string(name))
		}
	})
	rows := &s.mod.Runtime.index
	for name := range rows.globals {
		if !s.taken[name] {
			names = append(names, name)
		}
	}
	for name := range rows.tables {
		if !s.taken[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// markTaken records that the value of a name is in the mod's globals, so given no longer supplies
// it.
func (s *State) markTaken(name string) {
	if s.taken == nil {
		s.taken = map[string]bool{}
	}
	s.taken[name] = true
}

// library returns the table of a library's functions. It creates the table on first use.
func (s *State) library(name string) *lua.LTable {
	if t := s.libraries[name]; t != nil {
		return t
	}
	rows := s.mod.Runtime.index.tables[name]
	t := s.main.CreateTable(0, len(rows))
	for _, row := range rows {
		t.RawSetString(row.Name[len(name)+1:], s.Bind(row))
	}
	if s.libraries == nil {
		s.libraries = map[string]*lua.LTable{}
	}
	s.libraries[name] = t
	switch name {
	case "math":
		t.RawSetString("pi", lua.LNumber(math.Pi))
		t.RawSetString("huge", lua.LNumber(math.Inf(1)))
	case "string":
		t.RawSetString("dump", s.Bind(&noDump))
	case "utf8":
		t.RawSetString("charpattern", lua.LString(utf8Pattern))
	case "io":
		s.fillOutput(t)
	case "package":
		s.fillPackage(t)
	}
	if s.OnLibrary != nil {
		s.OnLibrary(name, t)
	}
	return t
}

// Bind makes a Lua function from a row without setting a global. Methods and closures use it.
func (s *State) Bind(row *Func) *lua.LFunction {
	if side := s.mod.Runtime.Side; row.Sides()&side == 0 {
		return s.main.NewFunction(func(l *lua.LState) int {
			l.Error(lua.LString(fmt.Sprintf("%s%s is available only on the %s", CallerPosition(l, 1), row.Name, row.Sides())), 0)
			return 0
		})
	}
	return s.main.NewFunction(func(l *lua.LState) int {
		defer s.Rescue(l, row)
		return row.Fn(Args{l, s.mod, row})
	})
}

// Bind makes a Lua function from a row for all mods. A call of it is a call by the mod whose code
// is running.
func (h *Runtime) Bind(row *Func) *lua.LFunction {
	return SharedFunction(func(l *lua.LState) int {
		s := h.Running().State
		defer s.Rescue(l, row)
		return row.Fn(Args{l, s.mod, row})
	})
}

// SharedFunction makes a Lua function that belongs to no state. Scripts must not be able to reach
// it.
func SharedFunction(fn lua.LGFunction) *lua.LFunction {
	return &lua.LFunction{IsG: true, GFunction: fn}
}

// Rescue converts a Go panic in a row to a Lua error while the frames still exist. A panic caused
// by a mod therefore never ends the process.
func (s *State) Rescue(l *lua.LState, row *Func) {
	if s.mod.Runtime.raising {
		return
	}
	if r := recover(); r != nil {
		if r == overflowText {
			panic(r) // the recovery needs the frames of the Lua calls, and a row has none
		}
		l.RaiseError("%s: internal error: %v", row.Name, r)
	}
}
