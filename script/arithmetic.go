package script

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// The VM reads numbers out of strings by Go's rules, which know octals and underscores, and without an end: a numeral of
// a million digits takes it milliseconds, unpaid. The metamethods of strings, which it asks first, read Lua's numerals
// and pay for them.

// operators are those of numbers, as the VM works them out.
var operators = []struct {
	event string
	do    func(x, y float64) float64
}{
	{"__add", func(x, y float64) float64 { return x + y }},
	{"__sub", func(x, y float64) float64 { return x - y }},
	{"__mul", func(x, y float64) float64 { return x * y }},
	{"__div", func(x, y float64) float64 { return x / y }},
	{"__mod", remainder},
	{"__pow", math.Pow},
}

// remainder has the sign of y.
func remainder(x, y float64) float64 {
	r := math.Mod(x, y)
	if y > 0 && r < 0 || y < 0 && r > 0 {
		r += y
	}
	return r
}

// fenceArithmetic gives the metatable of strings its operators.
func (s *State) fenceArithmetic(mt *lua.LTable) {
	for _, o := range operators {
		mt.RawSetString(o.event, s.main.NewFunction(func(l *lua.LState) int {
			x, y := l.Get(1), l.Get(2)
			if fn := l.GetMetaField(y, o.event); y.Type() != lua.LTString && fn != lua.LNil {
				l.Insert(fn, 1)
				l.Call(2, 1) // the other operand knows how: "2" * vec(1, 2, 3)
				return 1
			}
			m, ok := s.numeral(l, x)
			n, also := s.numeral(l, y)
			if !ok || !also {
				l.RaiseError("cannot perform %s operation between %s and %s", o.event[2:], x.Type(), y.Type())
			}
			l.Push(lua.LNumber(o.do(m, n)))
			return 1
		}))
	}
	mt.RawSetString("__unm", s.main.NewFunction(func(l *lua.LState) int {
		n, ok := s.numeral(l, l.Get(1))
		if !ok {
			l.RaiseError("__unm undefined")
		}
		l.Push(lua.LNumber(-n))
		return 1
	}))
}

// numeral is the number that a value reads as.
func (s *State) numeral(l *lua.LState, v lua.LValue) (float64, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v), true
	case lua.LString:
		s.charge(l, len(v)/8)
		return parseNumber(string(v))
	}
	return 0, false
}
