package script

import (
	"fmt"
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

// install puts the rows of a lib into the state's globals.
func (s *State) install(lib Lib) {
	for i := range lib.Funcs {
		row := &lib.Funcs[i]
		if row.Fn == nil || strings.Contains(row.Name, ":") {
			continue
		}
		t, name := s.globals, row.Name
		if table, field, ok := strings.Cut(row.Name, "."); ok {
			t, name = s.table(table), field
		}
		t.RawSetString(name, s.Bind(row))
	}
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
		l.RaiseError("%s: internal error: %v", row.Name, r)
	}
}

// table is a table of functions among the globals, made at need.
func (s *State) table(name string) *lua.LTable {
	if t, ok := s.globals.RawGetString(name).(*lua.LTable); ok {
		return t
	}
	t := s.main.CreateTable(0, 16)
	s.globals.RawSetString(name, t)
	return t
}
