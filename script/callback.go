package script

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// Callbacks of datablocks (function Handle:onAdd(obj)) and of classes (function Handle:onAdd()) are
// stored by name of the block or class, in the defining mod. They survive if a block or class is
// declared again. If several mods define a callback, the last loaded mod's runs; override reaches
// the others.

// setCallback stores fn as callback name of a block or class.
func (x *instance) setCallback(key, name string, fn *lua.LFunction) {
	if x.callbacks[key] == nil {
		x.callbacks[key] = map[string]*lua.LFunction{}
	}
	x.callbacks[key][name] = fn
	x.scripts.chains.note(name)
}

// callbackOf returns the callback of a block, or of an object's class, as a function of this mod's
// state. It returns nil if no mod defines the callback.
func (x *instance) callbackOf(o sim.Object, name string) *lua.LFunction {
	return x.callable(name, func() []target { return x.scripts.chains.chainOf(o, name) })
}

// classCallback is like callbackOf for a class by name. The class can be undeclared.
func (x *instance) classCallback(class, name string) *lua.LFunction {
	if !x.scripts.chains.has(name) {
		return nil
	}
	return x.callable(name, func() []target {
		if c := x.values.World().Classes().Lookup(class); c != nil {
			return x.scripts.chains.classChain(c, name)
		}
		chain, _ := x.scripts.chains.chainForKey(nil, classKey(class), name)
		return chain
	})
}

func (x *instance) callable(name string, of func() []target) *lua.LFunction {
	switch chain := of(); {
	case len(chain) == 0:
		return nil
	case chain[0].mod == x.mod && chain[0].of == nil:
		return chain[0].fn
	}
	return x.chainFunction(name, of)
}
