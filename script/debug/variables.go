package debug

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/luac"
	"github.com/torc-engine/torc/script/vm"
)

const (
	maxVariables = 500 // of a scope or a table in one answer
	maxText      = 300 // bytes of a string in one line
)

// A reference is something that the client can expand.
type reference struct {
	place
	scope      string         // "Locals", "Upvalues" or "Globals"; "" for a value
	table      *lua.LTable    // nil for a value of the host
	data       *lua.LUserData // nil for a table
	expression string         // gives the value again; "" if none does
}

// A variable is a name with a value.
type variable struct {
	name, expression string
	value            lua.LValue
}

// refer gives a reference a number.
func (s *Session) refer(r reference) int {
	s.stop.refs = append(s.stop.refs, r)
	return len(s.stop.refs)
}

// scopes lists the scopes of a frame.
func (s *Session) scopes(p place) []dap.Scope {
	list := []dap.Scope{}
	for _, name := range []string{"Locals", "Upvalues", "Globals"} {
		list = append(list, dap.Scope{Name: name, VariablesReference: s.refer(reference{place: p, scope: name}), Expensive: name == "Globals"})
	}
	list[0].PresentationHint = "locals"
	return list
}

// variables lists the contents of a reference, at most maxVariables from an index on.
func (s *Session) variables(number, start, count int) ([]dap.Variable, error) {
	if number < 1 || number > len(s.stop.refs) {
		return nil, fmt.Errorf("no variables with the number %d", number)
	}
	r := s.stop.refs[number-1]
	var all []variable
	switch r.scope {
	case "Locals":
		all = r.locals()
	case "Upvalues":
		all = r.upvalues()
	case "Globals":
		all = r.globals()
	default:
		all = r.contents()
	}
	list := []dap.Variable{}
	for i := max(0, start); i < len(all) && (count <= 0 || len(list) < count); i++ {
		if len(list) == maxVariables {
			list = append(list, dap.Variable{Name: "…", Value: fmt.Sprintf("%d more", len(all)-i)})
			break
		}
		list = append(list, s.variable(r.place, all[i]))
	}
	return list, nil
}

// variable describes a variable in one line.
func (s *Session) variable(p place, v variable) dap.Variable {
	d := dap.Variable{Name: v.name, Value: s.text(p.mod, v.value), Type: v.value.Type().String(), EvaluateName: v.expression}
	d.VariablesReference = s.expandable(p, v.value, v.expression)
	return d
}

// expandable returns the number of a table, or of a value of the host with members. It returns 0
// for other values and while Lua runs.
func (s *Session) expandable(p place, v lua.LValue, expression string) int {
	r := reference{place: p, expression: expression}
	switch v := v.(type) {
	case *lua.LTable:
		r.table = v
	case *lua.LUserData:
		if e := p.mod.State.Explainer; e != nil {
			if _, expands := e.Title(v); expands {
				r.data = v
			}
		}
	}
	if s.stop == nil || r.table == nil && r.data == nil {
		return 0
	}
	return s.refer(r)
}

// contents lists the fields of a table, or the members of a value of the host.
func (r reference) contents() []variable {
	if r.data != nil {
		return r.members()
	}
	return r.fields()
}

// members lists the members of a value of the host.
func (r reference) members() (list []variable) {
	for _, m := range r.mod.State.Explainer.Members(r.data) {
		v := variable{name: m.Name, value: m.Value}
		if r.expression != "" {
			v.expression = r.expression + cmp.Or(m.Method, "."+m.Name)
		}
		list = append(list, v)
	}
	return list
}

// locals lists the locals in scope. A later one hides an earlier one of the same name.
func (p place) locals() (list []variable) {
	for register, name := range luac.LocalsAt(p.frame.Fn.Proto, p.frame.PC-1) {
		if name == "" || name[0] == '(' || name[0] < ' ' {
			continue
		}
		_, v := p.thread.GetLocal(p.frame.Debug, register+1)
		list = slices.DeleteFunc(list, func(other variable) bool { return other.name == name })
		list = append(list, variable{name, name, v})
	}
	return list
}

// upvalues lists the upvalues of the function.
func (p place) upvalues() (list []variable) {
	for i, name := range p.frame.Fn.Proto.DbgUpvalues {
		if name != "" && name[0] > ' ' && i < len(p.frame.Fn.Upvalues) {
			list = append(list, variable{name, name, p.frame.Fn.Upvalues[i].Value()})
		}
	}
	return list
}

// globals lists the globals of the mod itself.
func (p place) globals() []variable {
	all := reference{table: p.mod.State.Globals(), expression: "_G"}.fields()
	return slices.DeleteFunc(all, func(v variable) bool {
		return p.mod.State.IsRow(v.name) || v.name == "_G" || v.name == "_VERSION" || v.name == "(metatable)"
	})
}

// fields lists the fields of a table: numbers first, then the others by name.
func (r reference) fields() (list []variable) {
	var keys []lua.LValue
	vm.Each(r.table, func(k, _ lua.LValue) { keys = append(keys, k) })
	slices.SortStableFunc(keys, compareKeys)
	for _, k := range keys {
		list = append(list, r.field(k))
	}
	if mt, ok := r.table.Metatable.(*lua.LTable); ok && mt.RawGetString("__metatable") == lua.LNil {
		list = append(list, variable{"(metatable)", "", mt})
	}
	return list
}

func compareKeys(a, b lua.LValue) int {
	x, isX := a.(lua.LNumber)
	y, isY := b.(lua.LNumber)
	switch {
	case isX && isY:
		return cmp.Compare(x, y)
	case isX:
		return -1
	case isY:
		return 1
	}
	return strings.Compare(a.String(), b.String())
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// field names a field of a table.
func (r reference) field(k lua.LValue) variable {
	v := variable{value: r.table.RawGet(k)}
	expression := ""
	switch k := k.(type) {
	case lua.LString:
		v.name = "[" + quote(string(k)) + "]"
		switch {
		case len(k) > maxText: // the name is cut, and gives no value
		case identifier.MatchString(string(k)):
			v.name, expression = string(k), "."+string(k)
		default:
			expression = v.name
		}
	case lua.LNumber, lua.LBool:
		v.name = "[" + k.String() + "]"
		expression = v.name
	default:
		v.name = "[" + k.Type().String() + "]"
	}
	if r.expression != "" && expression != "" {
		v.expression = r.expression + expression
	}
	return v
}

// quote writes a string as Lua does.
func quote(text string) string {
	more := ""
	if len(text) > maxText {
		text, more = text[:maxText], "…"
	}
	return strconv.Quote(text) + more
}

// text describes a value in one line.
func (s *Session) text(m *vm.Mod, v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return quote(string(v))
	case lua.LNumber:
		return vm.NumberText(float64(v))
	case *lua.LTable:
		n := 0
		vm.Each(v, func(lua.LValue, lua.LValue) { n++ })
		return fmt.Sprintf("table (%d)", n)
	case *lua.LFunction:
		if v.IsG {
			return "function of torc"
		}
		return fmt.Sprintf("function %s:%d", v.Proto.SourceName, v.Proto.LineDefined)
	case *lua.LUserData:
		return s.dataText(m, v)
	case *lua.LState:
		return "thread"
	}
	return v.String()
}

// dataText describes a value of the host.
func (s *Session) dataText(m *vm.Mod, v *lua.LUserData) string {
	if m.State.Explainer != nil {
		if text, _ := m.State.Explainer.Title(v); text != "" {
			return vm.ClipText(text, maxText)
		}
	}
	return s.toString(m, v)
}
