package vm

import lua "github.com/yuin/gopher-lua"

// sorter implements the quicksort of Lua 5.1: it makes the same comparisons in the same order.
// Equal values therefore end in the same places as in Lua 5.1, and an inconsistent comparison gets
// the same kind of error. sorter works on a copy, so the comparison may change the list.
type sorter struct {
	a      Args
	less   *lua.LFunction
	values []lua.LValue
}

func tableSort(a Args) int {
	t := a.Table(1)
	n := t.Len()
	s := &sorter{a, a.OptFunction(2), make([]lua.LValue, n)}
	a.Charge(n / 8)
	for i := range s.values {
		s.values[i] = t.RawGetInt(i + 1)
	}
	s.sort(0, n-1)
	for i, v := range s.values {
		t.RawSetInt(i+1, v)
	}
	return 0
}

// before reports whether x comes before y.
func (s *sorter) before(x, y lua.LValue) bool {
	if s.less != nil {
		s.a.Charge(1)
		return lua.LVAsBool(s.a.ask(s.less, x, y))
	}
	s.a.Charge(4)
	switch m := x.(type) {
	case lua.LNumber:
		if n, ok := y.(lua.LNumber); ok {
			return m < n
		}
	case lua.LString:
		if n, ok := y.(lua.LString); ok {
			s.a.Charge(min(len(m), len(n)) / 64)
			return m < n
		}
	}
	return s.a.L.LessThan(x, y)
}

// order swaps the values at i < j if they are out of order.
func (s *sorter) order(i, j int) {
	if v := s.values; s.before(v[j], v[i]) {
		v[i], v[j] = v[j], v[i]
	}
}

// sort sorts the values lo…hi. It recurses only into the smaller part, so its depth is logarithmic.
func (s *sorter) sort(lo, hi int) {
	v := s.values
	for lo < hi {
		s.order(lo, hi)
		if hi-lo == 1 {
			return
		}
		mid := (lo + hi) / 2
		if s.before(v[mid], v[lo]) {
			v[mid], v[lo] = v[lo], v[mid]
		} else {
			s.order(mid, hi)
		}
		if hi-lo == 2 {
			return
		}
		mid = s.partition(lo, hi, mid)
		if mid-lo < hi-mid {
			s.sort(lo, mid-1)
			lo = mid + 1
		} else {
			s.sort(mid+1, hi)
			hi = mid - 1
		}
	}
}

// partition moves the values before the pivot to its left. It returns the final index of the pivot.
func (s *sorter) partition(lo, hi, mid int) int {
	v := s.values
	pivot := v[mid]
	v[mid], v[hi-1] = v[hi-1], v[mid]
	i, j := lo, hi-1
	for {
		for i++; s.before(s.at(i), pivot); i++ {
			if i > hi {
				s.failOrder()
			}
		}
		for j--; s.before(pivot, s.at(j)); j-- {
			if j < lo {
				s.failOrder()
			}
		}
		if j < i {
			break
		}
		v[i], v[j] = v[j], v[i]
	}
	v[hi-1], v[i] = v[i], v[hi-1]
	return i
}

// at returns value i. Only an inconsistent comparison makes i run out of range.
func (s *sorter) at(i int) lua.LValue {
	if i < 0 || i >= len(s.values) {
		s.failOrder()
	}
	return s.values[i]
}

func (s *sorter) failOrder() {
	s.a.Fail("invalid order function: it must return false for equal values, and never true for both orders of a pair")
}
