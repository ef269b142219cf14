package script

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"
)

// A table of the VM never forgets a key: one that was set and set to nil again stays in its list of keys, and whoever
// looks for the next field passes it. How many there are the VM does not tell; it is read by reflection (never
// written), so that a step over a million of them is paid for.
var tableList, tableKeys, tablePlaces, tableWords, tableOthers = func() (list, keys, places, words, others int) {
	t := reflect.TypeFor[lua.LTable]()
	field := func(name string, kind reflect.Kind) int {
		f, ok := t.FieldByName(name)
		if !ok || f.Type.Kind() != kind {
			panic("BUG: gopher-lua's table has another shape")
		}
		return f.Index[0]
	}
	return field("array", reflect.Slice), field("keys", reflect.Slice), field("k2i", reflect.Map), field("strdict", reflect.Map), field("dict", reflect.Map)
}()

// fewDead is how many forgotten keys of a table cost nothing.
const fewDead = 1024

// passed is how many keys lie between two that followed each other in a traversal of a table, as far as that matters.
// Slots of its list are none.
func passed(t *lua.LTable, from, to lua.LValue) int {
	v := reflect.ValueOf(t).Elem()
	all := v.Field(tableKeys).Len()
	if all-v.Field(tableWords).Len()-v.Field(tableOthers).Len() < fewDead {
		return 0
	}
	place := func(key lua.LValue, none int) int {
		at := v.Field(tablePlaces).MapIndex(reflect.ValueOf(&key).Elem())
		if key == lua.LNil || !at.IsValid() {
			return none
		}
		return int(at.Int())
	}
	return max(place(to, all)-place(from, 0), 0)
}

// breadth is how many slots and keys a table has, those that were set to nil among them: who goes through it passes
// them all.
func breadth(t *lua.LTable) int {
	v := reflect.ValueOf(t).Elem()
	return v.Field(tableList).Len() + v.Field(tableKeys).Len()
}

// room is how many slots the list of a table can have before it is moved.
func room(t *lua.LTable) int { return reflect.ValueOf(t).Elem().Field(tableList).Cap() }

// slots is how many slots of its list lie between two keys of a table that followed each other.
func slots(from, to lua.LValue) int {
	last, listed := listIndex(to)
	if !listed {
		return 0 // what follows the list is close to its end
	}
	first, _ := listIndex(from)
	return last - first
}
