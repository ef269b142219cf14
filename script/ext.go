package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// ext is the rows' data for one mod: its values, handlers and exports.
type ext struct {
	mod      *Mod
	scripts  *Scripts
	manifest *Manifest // nil for the console

	meta      metas
	tags      tags
	declared  map[string]int // reference counts of tags added by addTaggedString
	handles   map[sim.ID]*lua.LUserData
	own       map[sim.ID]*lua.LTable
	callbacks map[string]map[string]*lua.LFunction // of datablocks and classes, by blockKey and classKey

	server, client commandTable
	exports        map[string]lua.LValue
	bound          map[string]*lua.LFunction // methods, by "kind:name"
	members        members
	newest         *sim.Class // the class of the most recent name lookup
	names          map[string]member
	output         output
	imports        map[exportKey]*importedCall // functions of other mods, as functions of this state
	anew           map[string]bool             // datablocks declared by this instance, in lower case
	lost           map[string]bool             // exports of the previous instance that this one lacks
	gone           bool                        // the mod is disabled and runs no more code
}

// metas are the metatables of a state.
type metas struct {
	tag, vec, rot, object, store, namespace, future, imported, setting, class, field, former *lua.LTable
}

// extOf returns the rows' data for m.
func extOf(m *Mod) *ext { return m.Ext.(*ext) }

func (a Args) ext() *ext { return extOf(a.Mod) }

func (x *ext) world() *sim.World { return x.scripts.engine.World() }

// newExt prepares a new state: metatables, command tables, and globals for engine objects.
func newExt(s *Scripts, m *Mod) *ext {
	x := &ext{
		mod: m, scripts: s,
		declared:  map[string]int{},
		handles:   map[sim.ID]*lua.LUserData{},
		own:       map[sim.ID]*lua.LTable{},
		callbacks: map[string]map[string]*lua.LFunction{},
		exports:   map[string]lua.LValue{},
		bound:     map[string]*lua.LFunction{},
		members:   members{},
		imports:   map[exportKey]*importedCall{},
		lost:      map[string]bool{},
		anew:      map[string]bool{},
		server:    newCommandTable("serverCmd"),
		client:    newCommandTable("clientCmd"),
	}
	m.Ext = x
	x.tags.sweep()
	x.meta.tag = x.metatable(tagMeta)
	x.meta.vec = x.metatable(vecMeta)
	x.meta.rot = x.metatable(rotMeta)
	x.meta.object = x.metatable(objectMeta)
	x.meta.object.RawSetString("__index", m.State.Lua().NewFunction(x.indexHandle(&objectMeta[0])))
	x.meta.namespace = x.metatable(namespaceMeta)
	x.meta.future = x.metatable(futureMeta)
	x.meta.future.RawSetString("__eq", x.meta.object.RawGetString("__eq")) // a future compares equal to its datablock
	x.meta.imported = x.metatable(importMeta)
	x.meta.former = x.metatable(formerMeta)
	x.meta.setting = x.metatable(settingMeta)
	x.meta.class = x.metatable(classMeta)
	x.meta.field = x.metatable(fieldMeta)
	x.meta.store = x.metatable(storeMeta)
	x.installCommands()
	x.installCallers()
	m.SetGlobal("GameConnection", m.State.Lua().CreateTable(0, 4))
	m.State.OnGlobal = x.onGlobal
	m.State.Undefined = x.undefined
	return x
}

// metatable makes a metatable from rows and protects it from scripts.
func (x *ext) metatable(rows []Func) *lua.LTable {
	t := x.mod.State.Lua().CreateTable(0, len(rows)+1)
	for i := range rows {
		t.RawSetString(rows[i].Name, x.mod.State.Bind(&rows[i]))
	}
	t.RawSetString("__metatable", lua.LFalse)
	return t
}

// onGlobal registers command handlers when they are defined. The function also stays a global.
func (x *ext) onGlobal(name string, v lua.LValue) bool {
	if _, ok := v.(*lua.LFunction); ok {
		x.server.defined(name)
		x.client.defined(name)
	}
	return false
}

// undefined returns the predefined globals of the engine, then names of the console.
func (x *ext) undefined(name string) lua.LValue {
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
		return x.vault()
	case "server":
		if c := x.scripts.engine.Server(); c != nil && x.scripts.Side == Client {
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
func (x *ext) forget(id sim.ID) {
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
func (t *commandTable) find(m *Mod, name string) *lua.LFunction {
	global, ok := t.global[strings.ToLower(name)]
	if !ok {
		return nil
	}
	fn, _ := m.Global(global).(*lua.LFunction)
	return fn
}
