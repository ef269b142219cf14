package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/pictures"
	"github.com/torc-engine/torc/script/texts"
	"github.com/torc-engine/torc/script/vm"
)

// An instance is one instance of a mod: its values, handlers and exports. A reload makes another
// one.
type instance struct {
	mod      *vm.Mod
	scripts  *Scripts
	values   *bind.Binding
	manifest *manifest.Manifest // nil for the console

	meta      handleMeta
	callbacks map[string]map[string]*lua.LFunction // of datablocks and classes, by blockKey and classKey

	server, client commandTable
	exports        map[string]lua.LValue
	output         outputLimiter
	imports        map[exportKey]*importedCall // functions of other mods, as functions of this state
	declaredBlocks map[string]bool             // datablocks declared by this instance, in lower case
	lostExports    map[string]bool             // exports of the previous instance that this one lacks
	packages       map[string]*overridePackage // by name in lower case
	texts          *texts.Tables               // of the mod; nil without texts, and on clients
	pictures       *pictures.Set               // of the mod; nil without pictures, and on clients
	plainTexts     map[textKey]*lua.LUserData  // texts without arguments, of all mods
	threads        threadQueue                 // the functions that spawn has started
	disabled       bool                        // the mod is disabled and runs no more code
	toldWait       bool                        // the mod was warned of wait inside a pcall
	toldQueue      bool                        // the mod was warned of a long queue of its commands
	jsonNull       *lua.LUserData              // json.null; nil before its first use
	fleetLibrary   *lua.LTable                 // the table fleet; nil before its first use
}

// handleMeta holds the metatables of handles by name, and of the mod's own things.
type handleMeta struct {
	store, namespace, pendingBlock, modHandle, setting, class, previous, override, text *lua.LTable
}

// instanceOf returns the instance of m.
func instanceOf(m *vm.Mod) *instance { return m.Binding.(*instance) }

// caller returns the instance of the calling mod.
func caller(a bind.Call) *instance { return instanceOf(a.Mod) }

// Values implements bind.Holder.
func (x *instance) Values() *bind.Binding { return x.values }

// Property implements bind.Holder.
func (x *instance) Property(name string) func(*engine.Connection) lua.LValue {
	return x.connectionProperty(name)
}

// Callback implements bind.Holder.
func (x *instance) Callback(o sim.Object, name string) *lua.LFunction { return x.callbackOf(o, name) }

// SetCallback implements bind.Holder.
func (x *instance) SetCallback(block sim.Object, name string, fn *lua.LFunction) {
	x.setCallback(blockKey(block.Ident().Name()), name, fn)
}

// onGlobal registers command handlers when they are defined. The function also stays a global.
func (x *instance) onGlobal(name string, v lua.LValue) bool {
	if _, ok := v.(*lua.LFunction); ok {
		x.server.defined(name)
		x.client.defined(name)
	}
	return false
}

// forget removes all data about a deleted object.
func (x *instance) forget(id sim.ID) {
	x.values.Forget(id)
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
