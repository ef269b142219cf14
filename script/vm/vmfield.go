package vm

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/luac"
)

const (
	maxFields     = 256 // a table with more fields gets no suggestion
	maxFieldDepth = 8   // reads and metatables that lead from an error to a table
	minFieldName  = 3   // bytes: shorter names are near to too many others
	fieldCost     = 40  // instructions for each compared name
)

// meantField returns a suggestion for the field or method whose value, nil, is in a register. It
// returns "" if no name is near. called tells that the value must be a function.
func (e vmError) meantField(register int, v lua.LValue, called bool) string {
	if v != lua.LNil {
		return ""
	}
	read := luac.LastSet(e.f.Fn.Proto, e.f.PC-1, register)
	name := read.Key(e.f.Fn.Proto)
	if len(name) < minFieldName || len(name) > MaxName {
		return ""
	}
	owner := e.value(read.PC, read.Code.B(), 0)
	if owner == lua.LValue(e.s.globals) {
		return e.s.meant(name)
	}
	names := e.s.fieldNames(owner, called)
	e.s.Book(fieldCost * len(names))
	if near := spell.Nearest(name, names); near != "" && near != name {
		return ", did you mean '" + near + "'?"
	}
	return ""
}

// value returns the value that a register had at an instruction of the failed function, or nil if
// it cannot be found any more. It runs no Lua.
func (e vmError) value(pc, register, depth int) lua.LValue {
	p := e.f.Fn.Proto
	set := luac.LastSet(p, pc, register)
	if luac.LastSet(p, e.f.PC-1, register) == set {
		return e.register(register)
	}
	if depth > maxFieldDepth || set.PC < 0 {
		return lua.LNil
	}
	switch set.Code.Op() {
	case lua.OP_MOVE, lua.OP_MOVEN:
		return e.value(set.PC, set.Code.B(), depth+1)
	case lua.OP_LOADK:
		return p.Constants[set.Code.Bx()]
	case lua.OP_GETUPVAL:
		return e.f.Fn.Upvalues[set.Code.B()].Value()
	case lua.OP_GETGLOBAL:
		name := luac.ConstantText(p, set.Code.Bx())
		if e.f.Fn.Env == e.s.globals {
			return e.s.global(name)
		}
		return e.f.Fn.Env.RawGetString(name)
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS:
		var key lua.LValue
		if k := set.Code.C(); k >= luac.ConstantBit {
			key = p.Constants[k-luac.ConstantBit]
		} else {
			key = e.value(set.PC, k, depth+1)
		}
		return e.s.peek(e.value(set.PC, set.Code.B(), depth+1), key)
	}
	return lua.LNil
}

// peek reads a field of a table or of the tables that its metatables name, or of a handle of the
// host. It runs no Lua.
func (s *State) peek(of, key lua.LValue) lua.LValue {
	for range maxFieldDepth {
		t, ok := of.(*lua.LTable)
		if !ok {
			break
		}
		if v := t.RawGet(key); v != lua.LNil {
			return v
		}
		meta, ok := t.Metatable.(*lua.LTable)
		if !ok {
			return lua.LNil
		}
		of = meta.RawGetString("__index")
	}
	if u, ok := of.(*lua.LUserData); ok && s.Peek != nil {
		return s.Peek(u, key)
	}
	return lua.LNil
}

// fieldNames lists the fields of a table and of the tables that its metatables name, sorted, or the
// functions for strings. It returns none if there are too many.
func (s *State) fieldNames(of lua.LValue, called bool) (names []string) {
	if _, ok := of.(lua.LString); ok {
		of = s.library("string")
	}
	for range maxFieldDepth {
		t, ok := of.(*lua.LTable)
		if !ok {
			break
		}
		if len(names)+KeyCount(t) > maxFields {
			return nil
		}
		Each(t, func(k, v lua.LValue) {
			name, ok := k.(lua.LString)
			if _, function := v.(*lua.LFunction); ok && v != lua.LNil && (function || !called) {
				names = append(names, string(name))
			}
		})
		meta, ok := t.Metatable.(*lua.LTable)
		if !ok {
			break
		}
		of = meta.RawGetString("__index")
	}
	slices.Sort(names)
	return names
}
