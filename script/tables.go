package script

import (
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

var tableLib = Lib{"Tables", []Func{
	{"table.concat", "list: table, [separator: string, [first: integer, [last: integer]]] -> string", Both, "The strings and numbers of a list joined.", tableConcat},
	{"table.getn", "list: table -> integer", Both, "The length of a list.", tableLength},
	{"table.insert", "list: table, [position: integer,] value: any", Both, "Puts a value into a list, at its end or before a position.", tableInsert},
	{"table.maxn", "list: table -> number", Both, "The largest index of a list that has a value.", tableMax},
	{"table.remove", "list: table, [position: integer] -> any", Both, "Takes the last value, or the one at a position, out of a list.", tableRemove},
	{"table.sort", "list: table, [less: function]", Both, "Sorts a list in place.", tableSort},
}}

func tableLength(a Args) int { return a.Return(lua.LNumber(a.Table(1).Len())) }

func tableMax(a Args) int { return a.Return(lua.LNumber(a.Table(1).MaxN())) }

func tableConcat(a Args) int {
	t, sep := a.Table(1), a.OptString(2, "")
	first, last := a.OptInt(3, 1), 0
	if a.Has(4) {
		last = a.Int(4)
	} else {
		last = t.Len()
	}
	var b strings.Builder
	for i := first; i <= last; i++ {
		switch v := t.RawGetInt(i).(type) {
		case lua.LString:
			b.WriteString(string(v))
		case lua.LNumber:
			b.WriteString(numberText(float64(v)))
		default:
			a.Fail("value %d of the list is %s, not a string or number", i, kindOf(v))
		}
		if i < last {
			b.WriteString(sep)
		}
		if b.Len() > maxString {
			a.Fail("a string of more than %d bytes", maxString)
		}
		a.Charge(1)
	}
	return a.Text(b.String())
}

func tableInsert(a Args) int {
	t := a.Table(1)
	n := t.Len()
	if n+1 >= maxArray {
		a.Fail("a list holds at most %d values", maxArray-1)
	}
	if a.N() < 3 {
		t.RawSetInt(n+1, a.Any(2))
		return 0
	}
	at := a.Int(2)
	if at < 1 || at > n+1 {
		a.Fail("position %d is outside 1…%d", at, n+1)
	}
	a.Charge((n - at) / 16)
	if at == n+1 {
		t.RawSetInt(at, a.L.Get(3))
	} else {
		t.Insert(at, a.L.Get(3))
	}
	return 0
}

func tableRemove(a Args) int {
	t := a.Table(1)
	n := t.Len()
	at := a.OptInt(2, n)
	if n == 0 && at == 0 || n > 0 && at == n+1 {
		return a.Return(lua.LNil)
	}
	if n == 0 || at < 1 || at > n {
		if !a.Has(2) {
			return a.Return(lua.LNil)
		}
		a.Fail("position %d is outside 1…%d", at, n)
	}
	a.Charge((n - at) / 16)
	return a.Return(t.Remove(at))
}

// sorter sorts a copy: the comparison may do to the list what it likes.
type sorter struct {
	a      Args
	less   *lua.LFunction
	values []lua.LValue
}

func (s *sorter) Len() int      { return len(s.values) }
func (s *sorter) Swap(i, j int) { s.values[i], s.values[j] = s.values[j], s.values[i] }
func (s *sorter) Less(i, j int) bool {
	l := s.a.L
	if s.less == nil {
		s.a.Charge(1)
		return l.LessThan(s.values[i], s.values[j])
	}
	l.Push(s.less)
	l.Push(s.values[i])
	l.Push(s.values[j])
	l.Call(2, 1)
	yes := lua.LVAsBool(l.Get(-1))
	l.Pop(1)
	return yes
}

func tableSort(a Args) int {
	t := a.Table(1)
	s := &sorter{a, a.OptFunction(2), make([]lua.LValue, t.Len())}
	a.Charge(t.Len() / 8)
	for i := range s.values {
		s.values[i] = t.RawGetInt(i + 1)
	}
	sort.Sort(s)
	for i, v := range s.values {
		t.RawSetInt(i+1, v)
	}
	return 0
}

func unpack(a Args) int {
	t := a.Table(1)
	first := a.OptInt(2, 1)
	last := a.OptInt(3, t.Len())
	n := last - first + 1
	if n <= 0 {
		return 0
	}
	if n > maxValues {
		a.Fail("%d values are more than %d", n, maxValues)
	}
	for i := first; i <= last; i++ {
		a.L.Push(t.RawGetInt(i))
	}
	return n
}
