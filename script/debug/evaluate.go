package debug

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/luac"
	"github.com/torc-engine/torc/script/vm"
)

// An expression is compiled once for each instance of the mod.
type expression struct {
	text string
	mod  *vm.Mod
	fn   *lua.LFunction // of mod
}

// check returns the first value of an expression in a place.
func (s *Session) check(p place, e *expression) (v lua.LValue, err error) {
	v = lua.LNil
	s.aside(func() {
		if e.mod != p.mod {
			fn, _, failed := p.mod.CompileLine("debug", e.text)
			if err = failed; err != nil {
				return
			}
			e.mod, e.fn = p.mod, fn
		}
		var values []lua.LValue
		if values, err = s.call(p, e.fn); len(values) > 0 {
			v = values[0]
		}
	})
	return v, err
}

// evaluate runs an expression or a chunk that sees the locals, the upvalues and the globals of a
// place.
func (s *Session) evaluate(p place, code string) (values []lua.LValue, err error) {
	s.aside(func() {
		var fn *lua.LFunction
		if fn, _, err = p.mod.CompileLine("debug", code); err != nil {
			return
		}
		values, err = s.call(p, fn)
	})
	return values, err
}

// call calls a compiled line in a place.
func (s *Session) call(p place, fn *lua.LFunction) ([]lua.LValue, error) {
	fn.Env = p.environment()
	return s.enter(p.mod, fn)
}

// value returns the first value of an expression.
func (s *Session) value(p place, expression string) (lua.LValue, error) {
	values, err := s.evaluate(p, expression)
	if err != nil || len(values) == 0 {
		return lua.LNil, err
	}
	return values[0], nil
}

// toString returns the result of tostring.
func (s *Session) toString(m *vm.Mod, v lua.LValue) (text string) {
	s.aside(func() {
		fn := m.State.Lua().NewFunction(func(l *lua.LState) int {
			l.Push(lua.LString(m.State.Text(l, l.Get(1))))
			return 1
		})
		values, err := s.enter(m, fn, v)
		if text = fmt.Sprint(err); err == nil {
			text = vm.ClipText(values[0].String(), maxText)
		}
	})
	return text
}

// aside runs Lua for the client: its lines and errors are not followed, and nothing is charged to
// the mod.
func (s *Session) aside(f func()) {
	before := s.evaluating
	s.evaluating = true
	s.cfg.Runtime.Aside(f)
	s.evaluating = before
}

// enter calls a function with the budget of a line of the console.
func (s *Session) enter(m *vm.Mod, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, error) {
	return s.cfg.Runtime.EnterEvent(vm.LineEvent, m, fn, s.cfg.Runtime.Limits().Line, args)
}

// environment returns the globals of an expression: the variables of the place, then the globals of
// its mod.
func (p place) environment() *lua.LTable {
	l := p.mod.State.Lua()
	env, meta := l.NewTable(), l.NewTable()
	meta.RawSetString("__index", l.NewFunction(func(l *lua.LState) int {
		l.Push(p.get(l.Get(2).String()))
		return 1
	}))
	meta.RawSetString("__newindex", l.NewFunction(func(l *lua.LState) int {
		if !p.set(l.Get(2).String(), l.Get(3)) {
			l.SetTable(p.mod.State.Globals(), l.Get(2), l.Get(3))
		}
		return 0
	}))
	env.Metatable = meta
	return env
}

// show joins the values of an expression.
func (s *Session) show(m *vm.Mod, values []lua.LValue) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = s.text(m, v)
	}
	return strings.Join(texts, ", ")
}

// get returns the value of a name: a local, an upvalue or a global.
func (p place) get(name string) lua.LValue {
	if p.thread != nil {
		for _, list := range [][]variable{p.locals(), p.upvalues()} {
			for _, v := range list {
				if v.name == name {
					return v.value
				}
			}
		}
	}
	if v := p.mod.Global(name); v != lua.LNil || p.mod.State.Undefined == nil {
		return v
	}
	if v := p.mod.State.Undefined(name); v != nil {
		return v
	}
	return lua.LNil
}

// set changes a local or an upvalue. It returns false if there is none of the name.
func (p place) set(name string, v lua.LValue) bool {
	if p.thread == nil {
		return false
	}
	proto := p.frame.Fn.Proto
	locals := luac.LocalsAt(proto, p.frame.PC-1)
	for register := len(locals) - 1; register >= 0; register-- {
		if locals[register] == name {
			return p.thread.SetLocal(p.frame.Debug, register+1, v) != ""
		}
	}
	for i, other := range proto.DbgUpvalues {
		if other == name && i < len(p.frame.Fn.Upvalues) {
			p.frame.Fn.Upvalues[i].SetValue(v)
			return true
		}
	}
	return false
}
