package vm

import lua "github.com/yuin/gopher-lua"

// maxIndexChain is the number of tables an assignment can follow through __newindex, as in the VM.
const maxIndexChain = 100

// longKey is the length of the keys from which an assignment is charged for them, in bytes.
const longKey = 256

// slotCost is the charge, in instructions, for each empty slot the VM adds before an index. The VM
// moves the list whenever it grows: adding a million slots takes 60 ms, and nothing can interrupt
// it. Slots within the list's capacity cost a sixteenth.
const slotCost = 8

// assign is the guard of `t[k] = v`.
func (s *State) assign(l *lua.LState) int {
	o, k, v := l.Get(1), l.Get(2), l.Get(3)
	if t := assignTarget(l, o, k); t != nil {
		s.rawPut(l, t, k, v)
	} else if _, ok := o.(*lua.LTable); !ok && l.GetMetaField(o, "__newindex") == lua.LNil {
		l.RaiseError("%s", s.attemptArgument(l, "index", 1))
	} else {
		l.SetTable(o, k, v) // a function handles it, or the VM raises the error
	}
	return 0
}

// fill is the guard of `{[k] = v}`. Its arguments are a table, the number of its list elements, and
// the keys and values.
func (s *State) fill(l *lua.LState) int {
	t, elements := l.Get(1).(*lua.LTable), l.Get(2).(lua.LNumber)
	for i := 3; i < l.GetTop(); i += 2 {
		if n, ok := l.Get(i).(lua.LNumber); ok && n >= 1 && n <= elements && t.RawGet(n) != lua.LNil {
			continue
		}
		s.rawPut(l, t, l.Get(i), l.Get(i+1))
	}
	l.SetTop(1)
	return 1
}

// price is the guard of `{x = v}`. Its arguments are a new table, which it returns, and its price
// in instructions.
func (s *State) price(l *lua.LState) int {
	s.charge(l, int(l.Get(2).(lua.LNumber)))
	l.SetTop(1)
	return 1
}

// assignTarget returns the table that an assignment writes to, following __newindex. It returns nil
// if the chain ends at a value that is not a table.
func assignTarget(l *lua.LState, o, k lua.LValue) *lua.LTable {
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

// rawPut stores a value into t itself, without metamethods. It charges for the slots the VM adds
// before a new index. If the last element of a list becomes nil, put shortens the list: otherwise
// the VM would search for the end from behind on every use.
func (s *State) rawPut(l *lua.LState, t *lua.LTable, k, v lua.LValue) {
	i, listed := listIndex(k)
	if !listed {
		if text, ok := k.(lua.LString); ok && len(text) > longKey {
			s.mod.Runtime.meter.chargeBytes(l, len(text))
		}
		l.RawSet(t, k, v)
		return
	}
	switch last := t.Len(); {
	case v != lua.LNil:
		if i > last+1 {
			old := max(min(i, arrayCapacity(t))-last, 0)
			s.charge(l, slotCost*(i-last-old)+slotCost*old/16)
		}
		t.RawSetInt(i, v)
	case i < last:
		t.RawSetInt(i, v)
	case i == last:
		s.trimList(l, t, i)
	}
}

// MissingSlots returns the number of empty slots that an assignment to k adds before it.
func MissingSlots(t *lua.LTable, k lua.LValue) int {
	if i, listed := listIndex(k); listed {
		return max(i-t.Len()-1, 0)
	}
	return 0
}

// listIndex returns the index of a key if the VM stores it in the list part of a table.
func listIndex(k lua.LValue) (i int, listed bool) {
	n, ok := k.(lua.LNumber)
	i = int(n)
	if !ok || lua.LNumber(i) != n || i < 1 || i >= MaxArray {
		return 0, false
	}
	return i, true
}

// trimList removes the last value of a list and the empty slots before it.
func (s *State) trimList(l *lua.LState, t *lua.LTable, last int) {
	t.Remove(last)
	from := last
	for last--; last > 0 && t.RawGetInt(last) == lua.LNil; last-- {
		t.Remove(last)
	}
	s.charge(l, (from-last)/4)
}
