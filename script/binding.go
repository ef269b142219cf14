package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/command"
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

// forget removes all data about a deleted object.
func (x *binding) forget(id sim.ID) {
	delete(x.handles, id)
	delete(x.own, id)
	for _, t := range []*commandTable{&x.server, &x.client} {
		for _, r := range t.rules { // any order: each forgets by itself
			r.Forget(id)
		}
	}
}

// A commandTable finds a mod's command handlers for one direction, by name in lower case.
type commandTable struct {
	prefix string            // serverCmd or clientCmd
	global map[string]string // lower-case command name → name of the handler's global
	rules  map[string]*command.Rule
}

func newCommandTable(prefix string) commandTable {
	return commandTable{prefix: prefix, global: map[string]string{}, rules: map[string]*command.Rule{}}
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
