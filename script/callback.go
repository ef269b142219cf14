package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// Callbacks of datablocks (function Handle:onAdd(obj)) are kept by the block's
// name, in the mod that defined them, so that they live through a block that
// comes again. Of several mods the one loaded last answers; override chains to
// the others.

func (x *ext) setCallback(o sim.Object, name string, fn *lua.LFunction) {
	x.setCallbackNamed(o.Ident().Name(), name, fn)
}

func (x *ext) setCallbackNamed(block, name string, fn *lua.LFunction) {
	key := strings.ToLower(block)
	if x.callbacks[key] == nil {
		x.callbacks[key] = map[string]*lua.LFunction{}
	}
	x.callbacks[key][name] = fn
}

// blockChain is who answers to a callback of a block: its overrides, and the
// mod loaded last that defines it; then those of the blocks it inherits from,
// until one defines it.
func (s *Scripts) blockChain(block sim.Object, name string) []target {
	var chain []target
	for o := block; o != nil; o = o.(sim.Datablock).Data().ParentBlock() {
		chain = s.addOverrides(chain, blockKey(o.Ident().Name()), name)
		key := strings.ToLower(o.Ident().Name())
		for i := len(s.Mods) - 1; i >= 0; i-- {
			if fn := extOf(s.Mods[i]).callbacks[key][name]; fn != nil && s.Mods[i].Suspended() == "" {
				return append(chain, target{mod: s.Mods[i], fn: fn})
			}
		}
	}
	return chain
}

// callbackOf makes a block's callback callable from this mod, whoever defined
// it; nil if nobody did.
func (x *ext) callbackOf(o sim.Object, name string) *lua.LFunction {
	if _, ok := o.(sim.Datablock); !ok {
		return nil
	}
	chain := x.scripts.blockChain(o, name)
	switch {
	case len(chain) == 0:
		return nil
	case chain[0].mod == x.mod && !chain[0].override:
		return chain[0].fn
	}
	return x.callChain(name, func() []target { return x.scripts.blockChain(o, name) })
}

// callback runs a callback of the object's datablock, as function
// Handle:name(obj, ...), and reports whether anybody has it; args belong to
// from, which may be nil if there are none.
func (s *Scripts) callback(o sim.Object, name string, from *ext, args []lua.LValue) bool {
	block := s.blockOf(o)
	if block == nil {
		return false
	}
	chain := s.blockChain(block, name)
	s.dispatchChain(name, chain, func(x *ext) ([]lua.LValue, error) {
		crossed, err := from.crossTo(x, args)
		return append([]lua.LValue{x.object(block.Ident().ID()), x.object(o.Ident().ID())}, crossed...), err
	})
	return len(chain) > 0
}

// blockOf is the datablock of an object, nil if it has none.
func (s *Scripts) blockOf(o sim.Object) sim.Object {
	f := o.Ident().Class().Lookup("dataBlock")
	if f == nil {
		return nil
	}
	return s.engine.World().Find(f.Get(o).Object())
}
