package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// concatenate is the guarded `..`: right to left, numbers as text, __concat where an operand is neither.
func (s *State) concatenate(l *lua.LState) int {
	n := l.GetTop()
	result := l.Get(n)
	for i := n - 1; i >= 1; {
		from, size := i, 0
		if _, ok := operand(result); ok {
			for from = i; from >= 1; from-- {
				if _, ok := operand(l.Get(from)); !ok {
					break
				}
			}
		}
		if from == i { // nothing to join: a metamethod decides
			result = s.metaConcat(l, l.Get(i), result)
			i--
			continue
		}
		parts := make([]string, 0, i-from+1)
		for k := from + 1; k <= i; k++ {
			text, _ := operand(l.Get(k))
			parts = append(parts, text)
		}
		text, _ := operand(result)
		parts = append(parts, text)
		for _, p := range parts {
			size += len(p)
		}
		if size > s.mod.Host.cfg.Limits.String {
			l.RaiseError("a string of %d bytes is longer than %d", size, s.mod.Host.cfg.Limits.String)
		}
		s.mod.Host.meter.chargeBytes(l, size)
		result = lua.LString(strings.Join(parts, ""))
		i = from
	}
	l.Push(result)
	return 1
}

// operand is the text of a string or number.
func operand(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return numberText(float64(v)), true
	}
	return "", false
}

func (s *State) metaConcat(l *lua.LState, a, b lua.LValue) lua.LValue {
	fn := l.GetMetaField(a, "__concat")
	if fn == lua.LNil {
		fn = l.GetMetaField(b, "__concat")
	}
	if fn == lua.LNil {
		bad := a
		if _, ok := operand(a); ok {
			bad = b
		}
		l.RaiseError("attempt to concatenate %s", withArticle(bad))
	}
	l.Push(fn)
	l.Push(a)
	l.Push(b)
	l.Call(2, 1)
	v := l.Get(-1)
	l.Pop(1)
	return v
}

// withArticle is "a nil value", "a table value".
func withArticle(v lua.LValue) string { return "a " + v.Type().String() + " value" }
