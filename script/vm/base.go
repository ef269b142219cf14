package vm

import lua "github.com/yuin/gopher-lua"

// This file has the functions of the base library for tables and arguments.

// nextCost is the charge for one step through a table, in instructions. The VM hashes the key to
// find it.
const nextCost = 4

func tableNext(a Args) int {
	key, value := a.nextField(a.iterated(), a.L.Get(2))
	if key == lua.LNil {
		return a.Return(key)
	}
	return a.Return(key, value)
}

// nextField returns the field after a key and charges for finding it.
func (a Args) nextField(t *lua.LTable, from lua.LValue) (key, value lua.LValue) {
	key, value = nextField(t, from)
	a.Charge(nextCost + 8*(skippedKeys(t, from, key)+skippedSlots(from, key)/32))
	return key, value
}

// nextField returns the field after key. If the list has become shorter than key, following
// continues after the list's last element. Table.Next would restart at the first field outside the
// list.
func nextField(t *lua.LTable, key lua.LValue) (lua.LValue, lua.LValue) {
	if i, listed := listIndex(key); listed && t.RawGetInt(i) == lua.LNil {
		if last := t.MaxN(); last == 0 {
			key = lua.LNil
		} else if i > last {
			key = lua.LNumber(last)
		}
	}
	return t.Next(key)
}

func pairs(a Args) int {
	t, s := a.iterated(), a.Mod.State
	if s.next == nil {
		s.next = s.Bind(&Func{Name: "next", Params: "table: table, [key: any] -> any, any", Fn: tableNext})
	}
	return a.Return(s.next, t, lua.LNil)
}

func ipairs(a Args) int {
	t, s := a.iterated(), a.Mod.State
	if s.nextIndex == nil {
		row := s.Bind(&Func{Name: "ipairs", Params: "list: table, index: integer", Fn: nextIndex})
		s.nextIndex = s.main.NewFunction(func(l *lua.LState) int { return nextOf(l, row.GFunction) })
	}
	return a.Return(s.nextIndex, t, indices[0])
}

// indices are the first indices of lists as Lua values, so that a step to one allocates nothing.
var indices = func() (values [256]lua.LValue) {
	for i := range values {
		values[i] = lua.LNumber(i)
	}
	return values
}()

// nextOf is the fast path of a step through a list. row handles all other arguments.
func nextOf(l *lua.LState, row lua.LGFunction) int {
	t, ok := l.Get(1).(*lua.LTable)
	n, isNumber := l.Get(2).(lua.LNumber)
	i := int(n) + 1
	if !ok || !isNumber || lua.LNumber(i) != n+1 || i < 1 || i >= MaxArray {
		return row(l)
	}
	v := t.RawGetInt(i)
	switch {
	case v == lua.LNil:
		l.Push(v)
		return 1
	case i < len(indices):
		l.Push(indices[i])
	default:
		l.Push(lua.LNumber(i))
	}
	l.Push(v)
	return 2
}

func nextIndex(a Args) int {
	i := a.Int(2) + 1
	v := element(a.Table(1), i)
	if v == lua.LNil {
		a.L.Push(v)
		return 1
	}
	a.L.Push(lua.LNumber(i))
	a.L.Push(v)
	return 2
}

func rawGet(a Args) int {
	s, key := a.Mod.State, a.Any(2)
	if name, ok := key.(lua.LString); ok && a.Table(1) == s.globals {
		return a.Return(s.global(string(name)))
	}
	return a.Return(a.Table(1).RawGet(key))
}

func rawSet(a Args) int {
	t, key := a.Table(1), a.Any(2)
	a.Mod.State.rawPut(a.L, t, key, a.Any(3))
	return a.Return(t)
}

func rawEqual(a Args) int { return a.Return(lua.LBool(a.Any(1) == a.Any(2))) }

// typeTexts holds the results of type, so that a call allocates nothing.
var typeTexts = func() (texts [lua.LTChannel + 1]lua.LValue) {
	for kind := range texts {
		texts[kind] = lua.LString(lua.LValueType(kind).String())
	}
	return texts
}()

func typeOf(a Args) int { return a.Return(typeTexts[a.Any(1).Type()]) }

func selectValues(a Args) int {
	if a.L.Get(1) == lua.LString("#") {
		return a.Return(lua.LNumber(a.N() - 1))
	}
	i, n := a.Int(1), a.N()
	if i < 0 {
		i += n
	}
	if i < 1 {
		a.Fail("position %d is outside the %d values", a.Int(1), n-1)
	}
	a.Charge((n - i) / 8)
	return max(n-i, 0)
}
