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

// dispatcher finds who answers to a callback of a block, walking up through
// the blocks it inherits from: the mod and its function.
func (s *Scripts) dispatcher(o sim.Object, name string) (target, bool) {
	for depth := 0; o != nil && depth < 64; depth++ {
		key := strings.ToLower(o.Ident().Name())
		for i := len(s.Mods) - 1; i >= 0; i-- {
			if fn := extOf(s.Mods[i]).callbacks[key][name]; fn != nil && s.Mods[i].Suspended() == "" {
				return target{s.Mods[i], fn}, true
			}
		}
		d, ok := o.(sim.Datablock)
		if !ok {
			break
		}
		o = d.Data().ParentBlock()
	}
	return target{}, false
}

// callbackOf makes a block's callback callable from this mod, whoever defined
// it; nil if nobody did.
func (x *ext) callbackOf(o sim.Object, name string) *lua.LFunction {
	if _, ok := o.(sim.Datablock); !ok {
		return nil
	}
	t, found := x.scripts.dispatcher(o, name)
	if !found {
		return nil
	}
	chain := x.scripts.chain(blockKey(o.Ident().Name()), name, t)
	if len(chain) == 1 && t.mod == x.mod {
		return t.fn
	}
	return x.callChain(name, chain)
}

// callback runs a callback of the object's datablock, as function
// Handle:name(obj, ...).
func (s *Scripts) callback(o sim.Object, name string, args []lua.LValue, from *ext) {
	block := s.blockOf(o)
	if block == nil {
		return
	}
	t, found := s.dispatcher(block, name)
	if !found {
		return
	}
	x := extOf(t.mod)
	values := []lua.LValue{x.object(block.Ident().ID()), x.object(o.Ident().ID())}
	if len(args) > 0 {
		crossed, err := crossAll(x, args)
		if err != nil {
			s.Fail(from.mod, name, err)
			return
		}
		values = append(values, crossed...)
	}
	chain := s.chain(blockKey(block.Ident().Name()), name, t)
	s.dispatchChain(name, chain, values)
}

// blockOf is the datablock of an object, nil if it has none.
func (s *Scripts) blockOf(o sim.Object) sim.Object {
	f := o.Ident().Class().Lookup("dataBlock")
	if f == nil {
		return nil
	}
	return s.engine.World().Find(f.Get(o).Object())
}
