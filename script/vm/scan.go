package vm

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"
)

// A table of the VM never removes a key. A key with the value nil stays in the table's list of
// keys, and every search for the next field passes it. The VM does not expose the number of such
// keys. These indices read it by reflection and never write, so that a step over a million dead
// keys can be charged.
var tableList, tableKeys, tableIndex, tableStrings, tableOthers = func() (list, keys, places, words, others int) {
	t := reflect.TypeFor[lua.LTable]()
	field := func(name string, kind reflect.Kind) int {
		f, ok := t.FieldByName(name)
		if !ok || f.Type.Kind() != kind {
			panic("BUG: the layout of gopher-lua's table has changed")
		}
		return f.Index[0]
	}
	return field("array", reflect.Slice), field("keys", reflect.Slice), field("k2i", reflect.Map), field("strdict", reflect.Map), field("dict", reflect.Map)
}()

// freeDeadKeys is the number of dead keys per table that are not charged.
const freeDeadKeys = 1024

// skippedKeys returns the number of keys between two consecutive keys of a traversal, or 0 if the
// table has few dead keys. It does not count array slots.
func skippedKeys(t *lua.LTable, from, to lua.LValue) int {
	v := reflect.ValueOf(t).Elem()
	all := v.Field(tableKeys).Len()
	if all-v.Field(tableStrings).Len()-v.Field(tableOthers).Len() < freeDeadKeys {
		return 0
	}
	place := func(key lua.LValue, none int) int {
		at := v.Field(tableIndex).MapIndex(reflect.ValueOf(&key).Elem())
		if key == lua.LNil || !at.IsValid() {
			return none
		}
		return int(at.Int())
	}
	return max(place(to, all)-place(from, 0), 0)
}

// KeyCount returns the number of slots and keys of a table, including those set to nil. A traversal
// passes all of them.
func KeyCount(t *lua.LTable) int {
	v := reflect.ValueOf(t).Elem()
	return v.Field(tableList).Len() + v.Field(tableKeys).Len()
}

// Each calls do for each entry of a table, in the order in which next walks it. ForEach of
// gopher-lua walks a Go map: in another order each time, so of two mistakes in a table a mod would
// be told another one.
func Each(t *lua.LTable, do func(k, v lua.LValue)) {
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		do(k, v)
	}
}

// ScanCost returns the charge for a traversal of a table beyond that for each field: for the slots
// and keys set to nil, in instructions.
func ScanCost(t *lua.LTable) int {
	v := reflect.ValueOf(t).Elem()
	dead := v.Field(tableKeys).Len() - v.Field(tableStrings).Len() - v.Field(tableOthers).Len()
	return 8*max(dead, 0) + v.Field(tableList).Len()/32
}

// arrayCapacity returns the capacity of a table's array: the number of slots before it must be
// moved.
func arrayCapacity(t *lua.LTable) int { return reflect.ValueOf(t).Elem().Field(tableList).Cap() }

// skippedSlots returns the number of array slots between two consecutive keys of a traversal.
func skippedSlots(from, to lua.LValue) int {
	last, listed := listIndex(to)
	if !listed {
		return 0 // keys after the array are close to its end
	}
	first, _ := listIndex(from)
	return last - first
}
