package bind

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// metatables are the metatables of the engine's values. The states of all mods share them: a state
// is smaller and made faster, and the tables stay in the processor's cache when a hundred mods run
// in turn. No script can reach them.
type metatables struct {
	tag, vec, rot, object, client, field *lua.LTable
}

func newMetatables(env *Env, h *vm.Runtime) *metatables {
	m := &metatables{
		tag: metatable(tagMeta, h.Bind), vec: metatable(vecMeta, h.Bind), rot: metatable(rotMeta, h.Bind),
		object: metatable(objectMeta, h.Bind), client: metatable(clientMeta, h.Bind), field: metatable(fieldMeta, h.Bind),
	}
	replaceIndex(m.vec, env.readVec)
	replaceIndex(m.object, readHandle)
	return m
}

// Metatable makes a metatable for the values of one mod.
func (x *Binding) Metatable(rows []Row) *lua.LTable { return metatable(rows, x.Mod.State.Bind) }

// metatable makes a metatable from rows and protects it from scripts.
func metatable(rows []Row, bind func(*vm.Func) *lua.LFunction) *lua.LTable {
	t := new(lua.LState).CreateTable(0, len(rows)+1)
	for i := range rows {
		f := rows[i].Func()
		t.RawSetString(rows[i].Name, bind(&f))
	}
	t.RawSetString("__metatable", lua.LFalse)
	return t
}

// replaceIndex puts a fast path before the row __index of a metatable.
func replaceIndex(meta *lua.LTable, fast func(row lua.LGFunction) lua.LGFunction) {
	row := meta.RawGetString("__index").(*lua.LFunction)
	meta.RawSetString("__index", vm.SharedFunction(fast(row.GFunction)))
}
