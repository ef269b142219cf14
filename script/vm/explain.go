package vm

import lua "github.com/yuin/gopher-lua"

// An Explainer knows the names and the handles of the host, for messages and for the debugger. It
// runs no Lua and changes nothing.
type Explainer interface {
	// NotGlobal explains why a name that the host knows is no global, as the end of a sentence. It
	// returns "" for other names.
	NotGlobal(name string) string
	// Iteration says how to iterate over a handle, as the end of a sentence, or returns "".
	Iteration(u *lua.LUserData) string
	// Title describes a value of the host in one line, and reports whether it has members. The text
	// is "" for values with nothing more than the result of tostring.
	Title(u *lua.LUserData) (text string, expands bool)
	// Members lists the members of such a value: its fields, then the elements of a group.
	Members(u *lua.LUserData) []Member
}

// A Member is a field of a value of the host, or an element of a group.
type Member struct {
	Name   string
	Method string // the call that gives an element, for example ":at(1)"; "" for a field
	Value  lua.LValue
}

// notGlobal is Explainer.NotGlobal for a name of a script.
func (s *State) notGlobal(name string) string {
	if s.Explainer == nil || len(name) > MaxName {
		return ""
	}
	return s.Explainer.NotGlobal(name)
}

// iteration says how to iterate over a value, as the end of a sentence.
func (s *State) iteration(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LTable:
		return ": write pairs(table) or ipairs(list)"
	case *lua.LUserData:
		if s.Explainer != nil {
			return s.Explainer.Iteration(v)
		}
	}
	return ""
}

// iterated returns argument 1, a table.
func (a Args) iterated() *lua.LTable {
	if u, ok := a.Get(1).(*lua.LUserData); ok {
		if advice := a.Mod.State.iteration(u); advice != "" {
			a.Fail("argument %s must be a table, not %s%s", a.Label(1), a.Kind(1), advice)
		}
	}
	return a.Table(1)
}
