package json

import lua "github.com/yuin/gopher-lua"

// maxDepth is the maximum depth of lists and objects in a text.
const maxDepth = 64

// objectMark is the metatable of tables that are written as objects even when they are empty. All
// states share it: nothing writes to it, and no script can reach it.
var objectMark = func() *lua.LTable {
	t := new(lua.LState).CreateTable(0, 1)
	t.RawSetString("__metatable", lua.LFalse)
	return t
}()

// MarkObject makes a table an object, and reports whether it could: a table has one metatable.
func MarkObject(t *lua.LTable) bool {
	if t.Metatable != nil && t.Metatable != lua.LNil && !IsObject(t) {
		return false
	}
	t.Metatable = objectMark
	return true
}

// IsObject reports whether a table is marked as an object.
func IsObject(t *lua.LTable) bool { return t.Metatable == objectMark }

// Plain reports whether a table has no metatable but the mark of objects.
func Plain(t *lua.LTable) bool {
	return t.Metatable == nil || t.Metatable == lua.LNil || IsObject(t)
}
