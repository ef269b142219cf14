package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// binding is the rows' data for one mod: its values, handlers and exports.
type binding struct {
	mod      *vm.Mod
	scripts  *Scripts
	manifest *manifest.Manifest // nil for the console

	meta         metatables
	tags         tags
	declaredTags map[string]int // reference counts of tags added by addTaggedString
	handles      map[sim.ID]*lua.LUserData
	own          map[sim.ID]*lua.LTable
	callbacks    map[string]map[string]*lua.LFunction // of datablocks and classes, by blockKey and classKey

	server, client commandTable
	exports        map[string]lua.LValue
	boundMethods   map[string]*lua.LFunction // methods, by "kind:name"
	members        memberCache
	lastClass      *sim.Class // the class of the most recent name lookup
	names          map[string]member
	output         outputLimiter
	imports        map[exportKey]*importedCall // functions of other mods, as functions of this state
	declaredBlocks map[string]bool             // datablocks declared by this instance, in lower case
	lostExports    map[string]bool             // exports of the previous instance that this one lacks
	disabled       bool                        // the mod is disabled and runs no more code
}

// metatables are the metatables of a state.
type metatables struct {
	tag, vec, rot, object, store, namespace, pendingBlock, modHandle, setting, class, field, previous *lua.LTable
}

// bindingOf returns the rows' data for m.
func bindingOf(m *vm.Mod) *binding { return m.Binding.(*binding) }

func (a Call) binding() *binding { return bindingOf(a.Mod) }

func (x *binding) world() *sim.World { return x.scripts.engine.World() }

// newExt prepares a new state: metatables, command tables, and globals for engine objects.
func newExt(s *Scripts, m *vm.Mod) *binding {
	x := &binding{
		mod: m, scripts: s,
		declaredTags:   map[string]int{},
		handles:        map[sim.ID]*lua.LUserData{},
		own:            map[sim.ID]*lua.LTable{},
		callbacks:      map[string]map[string]*lua.LFunction{},
		exports:        map[string]lua.LValue{},
		boundMethods:   map[string]*lua.LFunction{},
		members:        memberCache{},
		imports:        map[exportKey]*importedCall{},
		lostExports:    map[string]bool{},
		declaredBlocks: map[string]bool{},
		server:         newCommandTable("serverCmd"),
		client:         newCommandTable("clientCmd"),
	}
	m.Binding = x
	x.tags.sweep()
	x.meta.tag = x.metatable(tagMeta)
	x.meta.vec = x.metatable(vecMeta)
	x.meta.rot = x.metatable(rotMeta)
	x.meta.object = x.metatable(objectMeta)
	x.meta.object.RawSetString("__index", m.State.Lua().NewFunction(x.indexHandle(objectMeta[0].fn())))
	x.meta.namespace = x.metatable(namespaceMeta)
	x.meta.pendingBlock = x.metatable(pendingBlockMeta)
	x.meta.pendingBlock.RawSetString("__eq", x.meta.object.RawGetString("__eq")) // a future compares equal to its datablock
	x.meta.modHandle = x.metatable(modHandleMeta)
	x.meta.previous = x.metatable(previousMeta)
	x.meta.setting = x.metatable(settingMeta)
	x.meta.class = x.metatable(classMeta)
	x.meta.field = x.metatable(fieldMeta)
	x.meta.store = x.metatable(storeMeta)
	x.installCommands()
	x.installSenders()
	m.SetGlobal("GameConnection", m.State.Lua().CreateTable(0, 4))
	m.State.OnGlobal = x.onGlobal
	m.State.Undefined = x.undefined
	return x
}

// metatable makes a metatable from rows and protects it from scripts.
func (x *binding) metatable(rows []row) *lua.LTable {
	t := x.mod.State.Lua().CreateTable(0, len(rows)+1)
	for i := range rows {
		t.RawSetString(rows[i].Name, bind(x.mod.State, rows[i]))
	}
	t.RawSetString("__metatable", lua.LFalse)
	return t
}

// onGlobal registers command handlers when they are defined. The function also stays a global.
func (x *binding) onGlobal(name string, v lua.LValue) bool {
	if _, ok := v.(*lua.LFunction); ok {
		x.server.defined(name)
		x.client.defined(name)
	}
	return false
}

// undefined returns the predefined globals of the engine, then names of the console.
func (x *binding) undefined(name string) lua.LValue {
	w := x.world()
	switch name {
	case "rootGroup":
		return x.object(w.Root.ID())
	case "clientGroup":
		return x.object(w.Clients.ID())
	case "missionGroup":
		return x.object(w.Mission.ID())
	case "dataBlockGroup":
		return x.object(w.DataBlocks.ID())
	case "store":
		return x.newStoreHandle()
	case "server":
		if c := x.scripts.engine.Server(); c != nil && x.scripts.Side == vm.Client {
			return x.object(c.ID())
		}
		return lua.LNil
	}
	if v := x.consoleName(name); v != nil {
		return v
	}
	if x.mod != x.scripts.operator {
		return nil
	}
	if o := w.FindName(name); o != nil { // in the console, an object's name is a global
		return x.object(o.Ident().ID())
	}
	return nil
}

// forget removes all data about a deleted object.
func (x *binding) forget(id sim.ID) {
	delete(x.handles, id)
	delete(x.own, id)
	for _, t := range []*commandTable{&x.server, &x.client} {
		for _, r := range t.rules {
			delete(r.buckets, id)
		}
	}
}

// A commandTable finds a mod's command handlers for one direction, by name in lower case.
type commandTable struct {
	prefix string            // serverCmd or clientCmd
	global map[string]string // lower-case command name → name of the handler's global
	rules  map[string]*commandRule
}

func newCommandTable(prefix string) commandTable {
	return commandTable{prefix: prefix, global: map[string]string{}, rules: map[string]*commandRule{}}
}

// defined records a global if its name is that of a command handler.
func (t *commandTable) defined(global string) {
	if len(global) > len(t.prefix) && strings.EqualFold(global[:len(t.prefix)], t.prefix) {
		t.global[strings.ToLower(global[len(t.prefix):])] = global
	}
}

// find returns m's handler of a command, or nil.
func (t *commandTable) find(m *vm.Mod, name string) *lua.LFunction {
	global, ok := t.global[strings.ToLower(name)]
	if !ok {
		return nil
	}
	fn, _ := m.Global(global).(*lua.LFunction)
	return fn
}
