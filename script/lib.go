package script

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
	Server Realm = 1 << iota
	Client
	Both = Server | Client
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

// Letters is the realm as the tables print it: S, C or SC.
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

// Func is a row: the whole truth about one function that Lua may call.
type Func struct {
	Name   string         // "echo", or "string.rep" for a function in a table; with ':' or Fn nil the row only documents
	Params string         // a Signature: "client: Client, ...: any -> integer"; of a row that is a value ": " and its type
	Realm  Realm          // where it may be called; zero is Both
	Doc    string         // one sentence
	Fn     func(Args) int // returns how many values it pushed, like every function of gopher-lua
}

// Lib is a chapter of rows.
type Lib struct {
	Name  string // the chapter's title
	Funcs []Func
}

// List is every row of the host, in order of installation: for help, completion and the generated reference.
func (h *Host) List() []Lib { return h.libs }

// Names lists what the rows define, "string.rep" and the like, in order.
func (h *Host) Names() []string {
	var names []string
	for _, lib := range h.libs {
		for _, f := range lib.Funcs {
			names = append(names, f.Name)
		}
	}
	return names
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

func (f *Func) realm() Realm {
	if f.Realm == 0 {
		return Both
	}
	return f.Realm
}

// value says whether the row is no function but a value, a field or a global.
func (f *Func) value() bool { return strings.HasPrefix(f.Params, ": ") }

func (f *Func) signature() string {
	if f.value() {
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

// index finds the functions that a mod can call by their names.
type index struct {
	globals map[string]*Func
	tables  map[string][]*Func // of the libraries, in order
}

// add takes in the rows of a lib that are functions.
func (x *index) add(lib Lib) {
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

// has reports whether a mod finds something under a name.
func (x *index) has(name string) bool { return x.globals[name] != nil || x.tables[name] != nil }

// given makes the global that the rows define under a name, when a mod first asks for it: few mods use more than a few
// of them. nil if there is none, or if the mod has set it to nil.
func (s *State) given(name string) lua.LValue {
	if s.taken[name] {
		return nil
	}
	var v lua.LValue
	rows := &s.mod.Host.index
	if row := rows.globals[name]; row != nil {
		v = s.Bind(row)
	} else if rows.tables[name] != nil {
		v = s.freeze(name, s.library(name))
	} else {
		return nil
	}
	s.take(name)
	s.globals.RawSetString(name, v)
	return v
}

// global is what a mod finds under a name, without the error for undefined names: nil if there is nothing.
func (s *State) global(name string) lua.LValue {
	v := s.globals.RawGetString(name)
	if v == lua.LNil {
		if given := s.given(name); given != nil {
			return given
		}
	}
	return v
}

// names lists the globals that are there or would be made at need.
func (s *State) names() []string {
	var names []string
	s.globals.ForEach(func(k, _ lua.LValue) {
		if name, ok := k.(lua.LString); ok {
			names = append(names, string(name))
		}
	})
	rows := &s.mod.Host.index
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

// take notes that a name is the mod's from here on, whatever it makes of it.
func (s *State) take(name string) {
	if s.taken == nil {
		s.taken = map[string]bool{}
	}
	s.taken[name] = true
}

// library is a table of functions, made at need.
func (s *State) library(name string) *lua.LTable {
	if t := s.libraries[name]; t != nil {
		return t
	}
	rows := s.mod.Host.index.tables[name]
	t := s.main.CreateTable(0, len(rows))
	for _, row := range rows {
		t.RawSetString(row.Name[len(name)+1:], s.Bind(row))
	}
	if name == "math" {
		t.RawSetString("pi", lua.LNumber(math.Pi))
		t.RawSetString("huge", lua.LNumber(math.Inf(1)))
	}
	if s.libraries == nil {
		s.libraries = map[string]*lua.LTable{}
	}
	s.libraries[name] = t
	return t
}

// Bind makes a row callable in this state without giving it a name there: for methods and closures.
func (s *State) Bind(row *Func) *lua.LFunction {
	if side := s.mod.Host.Side; row.realm()&side == 0 {
		return s.main.NewFunction(func(l *lua.LState) int {
			l.Error(lua.LString(fmt.Sprintf("%s%s is for the %s", where(l, 1), row.Name, row.realm())), 0)
			return 0
		})
	}
	return s.main.NewFunction(func(l *lua.LState) int {
		defer s.rescue(l, row)
		return row.Fn(Args{l, s.mod, row})
	})
}

// rescue turns a panic of Go in a row into an error of Lua while the frames still stand; nothing that a mod calls
// ends the process.
func (s *State) rescue(l *lua.LState, row *Func) {
	if s.mod.Host.raising {
		return
	}
	if r := recover(); r != nil {
		if r == overflow {
			panic(r) // with the frames of the calls, which no row has
		}
		l.RaiseError("%s: internal error: %v", row.Name, r)
	}
}
