package vm

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

var tableLib = Lib{"Tables", []Func{
	{"table.concat", "list: table, [separator: string, [first: integer, [last: integer]]] -> string", Both, "Joins the strings and numbers of a list.", tableConcat},
	{"table.foreach", "table: table, fn: fun(key: any, value: any): any -> any", Both, "Calls fn for every field until it returns a value other than nil. Deprecated: use pairs.", tableEach},
	{"table.foreachi", "list: table, fn: fun(index: integer, value: any): any -> any", Both, "Calls fn for every value of a list until it returns a value other than nil. Deprecated: use ipairs.", tableEachIndex},
	{"table.getn", "list: table -> integer", Both, "Returns the length of a list.", tableLength},
	{"table.insert", "list: table, [position: integer,] value: any", Both, "Inserts a value at the end of a list or before a position.", tableInsert},
	{"table.maxn", "list: table -> number", Both, "Returns the largest positive index with a value, 0 if there is none.", tableMax},
	{"table.remove", "list: table, [position: integer] -> any", Both, "Removes and returns the last value of a list, or the value at a position.", tableRemove},
	{"table.sort", "list: table, [less: function]", Both, "Sorts a list in place.", tableSort},
}}

func tableLength(a Args) int { return a.Return(lua.LNumber(a.Table(1).Len())) }

func tableMax(a Args) int {
	largest, n := 0.0, 0
	a.Table(1).ForEach(func(k, _ lua.LValue) { // any order: the largest
		if n++; n%chargeEvery == 0 {
			a.Charge(4 * chargeEvery)
		}
		if i, ok := k.(lua.LNumber); ok {
			largest = max(largest, float64(i))
		}
	})
	a.Charge(4 * (n % chargeEvery))
	return a.Return(lua.LNumber(largest))
}

// element returns t[i] without metamethods.
func element(t *lua.LTable, i int) lua.LValue {
	if i >= 1 && i < MaxArray {
		return t.RawGetInt(i)
	}
	return t.RawGetH(lua.LNumber(i))
}

// tableEach is table.foreach: it calls fn(key, value) for every field until fn returns a value
// other than nil.
func tableEach(a Args) int {
	t, fn := a.Table(1), a.Function(2)
	for k, v := a.nextField(t, lua.LNil); k != lua.LNil; k, v = a.nextField(t, k) {
		if r := a.ask(fn, k, v); r != lua.LNil {
			return a.Return(r)
		}
	}
	return 0
}

// tableEachIndex is table.foreachi: it calls fn(index, value) for the values of a list until fn
// returns a value other than nil.
func tableEachIndex(a Args) int {
	t, fn := a.Table(1), a.Function(2)
	for i := 1; i <= t.Len(); i++ {
		if r := a.ask(fn, lua.LNumber(i), t.RawGetInt(i)); r != lua.LNil {
			return a.Return(r)
		}
	}
	return 0
}

// ask calls a Lua function on the caller's thread and returns its first result.
func (a Args) ask(fn *lua.LFunction, args ...lua.LValue) lua.LValue {
	a.L.Push(fn)
	for _, v := range args {
		a.L.Push(v)
	}
	a.L.Call(len(args), 1)
	r := a.L.Get(-1)
	a.L.Pop(1)
	return r
}

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
		switch v := element(t, i).(type) {
		case lua.LString:
			b.WriteString(string(v))
		case lua.LNumber:
			a.Charge(4)
			b.WriteString(NumberText(float64(v)))
		default:
			a.Fail("value %d of the list is %s, not a string or number", i, a.Mod.Runtime.Kind(v))
		}
		if i < last {
			b.WriteString(sep)
		}
		if b.Len() > a.Longest() {
			a.Fail("a string of more than %d bytes", a.Longest())
		}
		a.Charge(1)
	}
	return a.Text(b.String())
}

func tableInsert(a Args) int {
	t := a.Table(1)
	n := t.Len()
	if n+1 >= MaxArray {
		a.Fail("a list holds at most %d values", MaxArray-1)
	}
	if a.N() < 3 {
		t.RawSetInt(n+1, a.Any(2))
		return 0
	}
	if a.N() > 3 {
		a.Fail("%d arguments, it takes a list, a position and a value", a.N())
	}
	at := a.Int(2)
	if at < 1 || at > n+1 {
		a.Fail("position %d is outside 1…%d", at, n+1)
	}
	a.Charge((n - at) / 4)
	if at == n+1 {
		t.RawSetInt(at, a.L.Get(3))
	} else {
		t.Insert(at, a.L.Get(3))
	}
	return 0
}

// tableRemove returns no value at all when there is nothing to remove.
func tableRemove(a Args) int {
	t := a.Table(1)
	n := t.Len()
	at := a.OptInt(2, n)
	if at < 1 || at > n {
		return 0
	}
	a.Charge((n - at) / 4)
	return a.Return(t.Remove(at))
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
		a.Fail("%d values exceed the limit of %d", n, maxValues)
	}
	a.Charge(n / 4)
	for i := first; i <= last; i++ {
		a.L.Push(element(t, i))
	}
	return n
}
