package script

import (
	lua "github.com/yuin/gopher-lua"
)

// maxIndexChain is how many tables an assignment may pass by way of __newindex, as in the VM.
const maxIndexChain = 100

// slotCost is what an empty slot costs that the VM makes before an index, in instructions: the list is moved each time
// that it grows, so that to fill a million takes it 60 ms, in which nothing can stop it. Where a list has had slots
// before, it costs a sixteenth.
const slotCost = 8

// assign is the guarded `t[k] = v`.
func (s *State) assign(l *lua.LState) int {
	o, k, v := l.Get(1), l.Get(2), l.Get(3)
	if t := landing(l, o, k); t != nil {
		s.put(l, t, k, v)
	} else {
		l.SetTable(o, k, v) // a function decides, or the VM says what is wrong
	}
	return 0
}

// fill is the guarded `{[k] = v}`: a table, the number of its elements, keys and values.
func (s *State) fill(l *lua.LState) int {
	t, elements := l.Get(1).(*lua.LTable), l.Get(2).(lua.LNumber)
	for i := 3; i < l.GetTop(); i += 2 {
		if n, ok := l.Get(i).(lua.LNumber); ok && n >= 1 && n <= elements && t.RawGet(n) != lua.LNil {
			continue
		}
		s.put(l, t, l.Get(i), l.Get(i+1))
	}
	l.SetTop(1)
	return 1
}

// landing is the table in which an assignment ends, nil if it does not end in one.
func landing(l *lua.LState, o, k lua.LValue) *lua.LTable {
	for range maxIndexChain {
		t, ok := o.(*lua.LTable)
		if !ok {
			return nil
		}
		if t.Metatable == lua.LNil || t.Metatable == nil || t.RawGet(k) != lua.LNil {
			return t
		}
		next := l.GetMetaField(t, "__newindex")
		if next == lua.LNil {
			return t
		}
		o = next
	}
	return nil
}

// put stores into a table itself. The VM fills a table up to the index that is assigned: that is paid for here. And a
// list that ends in nil is cut, for the VM looks for its end from behind, each time anew.
func (s *State) put(l *lua.LState, t *lua.LTable, k, v lua.LValue) {
	i, listed := listIndex(k)
	if !listed {
		if text, ok := k.(lua.LString); ok && len(text) > nearby {
			s.mod.Host.meter.chargeBytes(l, len(text))
		}
		l.RawSet(t, k, v)
		return
	}
	switch last := t.Len(); {
	case v != lua.LNil:
		if i > last+1 {
			old := max(min(i, room(t))-last, 0)
			s.charge(l, slotCost*(i-last-old)+slotCost*old/16)
		}
		t.RawSetInt(i, v)
	case i < last:
		t.RawSetInt(i, v)
	case i == last:
		s.cut(l, t, i)
	}
}

// gap is how many slots an assignment to k fills up before it.
func gap(t *lua.LTable, k lua.LValue) int {
	if i, listed := listIndex(k); listed {
		return max(i-t.Len()-1, 0)
	}
	return 0
}

// listIndex is the index of a key in a table's list, if that is where the VM keeps it.
func listIndex(k lua.LValue) (i int, listed bool) {
	n, ok := k.(lua.LNumber)
	i = int(n)
	if !ok || lua.LNumber(i) != n || i < 1 || i >= maxArray {
		return 0, false
	}
	return i, true
}

// cut takes the last value of a list away, and the empty slots before it.
func (s *State) cut(l *lua.LState, t *lua.LTable, last int) {
	t.Remove(last)
	from := last
	for last--; last > 0 && t.RawGetInt(last) == lua.LNil; last-- {
		t.Remove(last)
	}
	s.charge(l, (from-last)/4)
}
