package vm

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// The VM converts strings to numbers by Go's rules, which allow octals and underscores. The
// conversion has no length limit and is not charged: a numeral of a million digits takes
// milliseconds. The VM asks the metamethods of strings first, so these convert by Lua's rules and
// charge for the length.

// operators are the arithmetic operators, with the results that the VM computes for numbers.
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

// remainder returns x modulo y, with the sign of y.
func remainder(x, y float64) float64 {
	r := math.Mod(x, y)
	if y > 0 && r < 0 || y < 0 && r > 0 {
		r += y
	}
	return r
}

// fenceArithmetic sets the arithmetic metamethods in the metatable of strings.
func (s *State) fenceArithmetic(mt *lua.LTable) {
	for _, o := range operators {
		mt.RawSetString(o.event, s.main.NewFunction(func(l *lua.LState) int {
			x, y := l.Get(1), l.Get(2)
			if fn := l.GetMetaField(y, o.event); y.Type() != lua.LTString && fn != lua.LNil {
				l.Insert(fn, 1)
				l.Call(2, 1) // the other operand has its own operator: "2" * vec(1, 2, 3)
				return 1
			}
			m, ok := s.toNumber(l, x)
			n, also := s.toNumber(l, y)
			if !ok {
				s.failArithmetic(l, x, true)
			}
			if !also {
				s.failArithmetic(l, y, false)
			}
			l.Push(lua.LNumber(o.do(m, n)))
			return 1
		}))
	}
	mt.RawSetString("__unm", s.main.NewFunction(func(l *lua.LState) int {
		n, ok := s.toNumber(l, l.Get(1))
		if !ok {
			s.failArithmetic(l, l.Get(1), true)
		}
		l.Push(lua.LNumber(-n))
		return 1
	}))
}

// toNumber converts a number or a numeric string to a number.
func (s *State) toNumber(l *lua.LState, v lua.LValue) (float64, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v), true
	case lua.LString:
		s.charge(l, len(v)/8)
		return ParseNumber(string(v))
	}
	return 0, false
}
