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

// Help is the text for the console of the rows of a name, a line each: signature, realm, sentence. A member of a class
// is found by its name alone too. "" if there is no such row.
func (h *Host) Help(name string) string {
	var lines []string
	for _, lib := range h.libs {
		for _, f := range lib.Funcs {
			_, member := f.member()
			if f.Name == name || member != "" && member == name {
				lines = append(lines, fmt.Sprintf("%s (%s): %s", f.signature(), f.realm(), f.Doc))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// Reference is the rows as Markdown, for mods/API.md.
func (h *Host) Reference() string {
	var b strings.Builder
	b.WriteString("# What a mod may call\n\nGenerated from the tables in script. S: on the server, C: on the client.\n")
	for _, lib := range h.libs {
		fmt.Fprintf(&b, "\n## %s\n\n| call | realm | meaning |\n|---|---|---|\n", lib.Name)
		for _, f := range lib.Funcs {
			call := strings.ReplaceAll(f.signature(), "|", `\|`)
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", call, f.realm().Letters(), strings.ReplaceAll(f.Doc, "|", `\|`))
		}
	}
	return b.String()
}

// member is a row's class, or kind of object, and what the row is of it: "Player:damage" or "Player.energy". Both are ""
// for a row that is no member.
func (f *Func) member() (of, name string) {
	if of, name, ok := strings.Cut(f.Name, ":"); ok {
		return of, name
	}
	if of, name, ok := strings.Cut(f.Name, "."); ok && f.Fn == nil && strings.Trim(of+name, nameLetters) == "" {
		return of, name
	}
	return "", ""
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
