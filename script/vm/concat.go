package vm

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/luac"
)

// concatenate is the guard of `..`. It joins strings and numbers from right to left and calls
// __concat for other operands.
func (s *State) concatenate(l *lua.LState) int {
	left := l.GetTop() - 1 // operands not yet joined to the result
	result := l.Get(left + 1)
	var room [8]string
	for left > 0 {
		texts := room[:0] // in order from right to left
		for v := result; ; v = l.Get(left) {
			text, ok := operand(v)
			if !ok {
				break
			}
			if texts = append(texts, text); len(texts) > 1 {
				left--
			}
			if left == 0 {
				break
			}
		}
		if len(texts) > 1 {
			result = s.join(l, texts)
		} else {
			result = s.metaConcat(l, left, result)
			left--
		}
	}
	l.Push(result)
	return 1
}

// join concatenates texts given in order from right to left.
func (s *State) join(l *lua.LState, texts []string) lua.LString {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	if most := s.mod.Runtime.cfg.Limits.String; size > most {
		l.RaiseError("a string of %d bytes is longer than %d", size, most)
	}
	s.mod.NoteString(size)
	s.mod.Runtime.meter.chargeBytes(l, size)
	slices.Reverse(texts)
	return lua.LString(strings.Join(texts, ""))
}

// operand returns the text of a string or number.
func operand(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return NumberText(float64(v)), true
	}
	return "", false
}

// metaConcat joins argument left and the value after it, or what that was joined to.
func (s *State) metaConcat(l *lua.LState, left int, b lua.LValue) lua.LValue {
	a := l.Get(left)
	fn := l.GetMetaField(a, "__concat")
	if fn == lua.LNil {
		fn = l.GetMetaField(b, "__concat")
	}
	if fn == lua.LNil {
		bad, at := a, left
		if _, ok := operand(a); ok {
			bad, at = b, left+1
		}
		if l.Get(at) == bad {
			l.RaiseError("%s", s.attemptArgument(l, "concatenate", at))
		}
		l.RaiseError("%s", s.attempt("concatenate", luac.Variable{}, bad))
	}
	return callMetamethod(l, fn, a, b)
}

// callMetamethod calls a metamethod and returns its result. The VM's own message names no type.
func callMetamethod(l *lua.LState, fn lua.LValue, operands ...lua.LValue) lua.LValue {
	if !callable(l, fn) {
		l.RaiseError("attempt to call %s", withArticle(fn))
	}
	l.Push(fn)
	for _, v := range operands {
		l.Push(v)
	}
	l.Call(len(operands), 1)
	v := l.Get(-1)
	l.Pop(1)
	return v
}

// withArticle returns "a nil value", "a table value" and so on.
func withArticle(v lua.LValue) string { return "a " + v.Type().String() + " value" }
