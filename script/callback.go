package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// Callbacks of datablocks (function Handle:onAdd(obj)) and of classes (function
// Handle:onAdd()) are kept by the name of the block or class, in the mod that
// defined them, so that they live through a block or class that comes again. Of
// several mods the one loaded last answers; override chains to the others.

func blockKey(name string) string { return "block:" + strings.ToLower(name) }
func classKey(name string) string { return "class:" + strings.ToLower(name) }

// setCallback keeps fn as the callback name of a block or a class.
func (x *ext) setCallback(key, name string, fn *lua.LFunction) {
	if x.callbacks[key] == nil {
		x.callbacks[key] = map[string]*lua.LFunction{}
	}
	x.callbacks[key][name] = fn
	x.scripts.answers(name)
}

// answers notes that somebody defines a function of this name for a block or a
// class: what nobody defines costs no search.
func (s *Scripts) answers(name string) {
	s.defined[strings.ToLower(name)] = true
	clear(s.chains)
}

func (s *Scripts) answered(name string) bool { return s.defined[strings.ToLower(name)] }

// keyChain appends who answers to a callback of key: its overrides, and the
// mod loaded last that defines it, with which the chain ends.
func (s *Scripts) keyChain(chain []target, key, name string) (_ []target, ends bool) {
	chain = s.addOverrides(chain, key, name)
	for i := len(s.Mods) - 1; i >= 0; i-- {
		if fn := extOf(s.Mods[i]).callbacks[key][name]; fn != nil && s.Mods[i].Suspended() == "" {
			return append(chain, target{mod: s.Mods[i], fn: fn}), true
		}
	}
	return chain, false
}

// blockChain is who answers to a callback of a block, or of the blocks it
// inherits from, until one defines it.
func (s *Scripts) blockChain(block sim.Object, name string) []target {
	var chain []target
	for o, ends := block, false; o != nil && !ends; o = o.(sim.Datablock).Data().ParentBlock() {
		chain, ends = s.keyChain(chain, blockKey(o.Ident().Name()), name)
	}
	return chain
}

// classChain is the same of a class. It is kept until a callback is defined or
// a mod comes, goes or is suspended: whole worlds are asked for onTick and
// inScope.
func (s *Scripts) classChain(class *sim.Class, name string) []target {
	if s.chainsAt != s.changes {
		clear(s.chains)
		s.chainsAt = s.changes
	}
	key := chainKey{class, name}
	chain, known := s.chains[key]
	if known {
		return chain
	}
	for c, ends := class, false; c != nil && !ends; c = c.ParentClass() {
		chain, ends = s.keyChain(chain, classKey(c.Name), name)
	}
	s.chains[key] = chain
	return chain
}

type chainKey struct {
	class *sim.Class
	name  string
}

// chainOf is who answers to the function name of an object: of a datablock its
// own callbacks, of any other object those of its class.
func (s *Scripts) chainOf(o sim.Object, name string) []target {
	if !s.answered(name) {
		return nil
	}
	if _, ok := o.(sim.Datablock); ok {
		return s.blockChain(o, name)
	}
	return s.classChain(o.Ident().Class(), name)
}

// callbackOf makes a function of a block, or of an object's class, callable
// from this mod, whoever defined it; nil if nobody did.
func (x *ext) callbackOf(o sim.Object, name string) *lua.LFunction {
	return x.callable(name, func() []target { return x.scripts.chainOf(o, name) })
}

// classCallback is the same of a class, which need not be there.
func (x *ext) classCallback(class, name string) *lua.LFunction {
	if !x.scripts.answered(name) {
		return nil
	}
	return x.callable(name, func() []target {
		if c := x.world().Classes().Lookup(class); c != nil {
			return x.scripts.classChain(c, name)
		}
		chain, _ := x.scripts.keyChain(nil, classKey(class), name)
		return chain
	})
}

func (x *ext) callable(name string, of func() []target) *lua.LFunction {
	switch chain := of(); {
	case len(chain) == 0:
		return nil
	case chain[0].mod == x.mod && !chain[0].override:
		return chain[0].fn
	}
	return x.callChain(name, of)
}

// callback runs a callback of the object's class, as function
// Handle:name(...), then that of its datablock, as function
// Handle:name(obj, ...). It reports whether anybody has one; args belong to
// from, which may be nil if there are none.
func (s *Scripts) callback(o sim.Object, name string, from *ext, args []lua.LValue) bool {
	if !s.answered(name) {
		return false
	}
	of, chain := o.Ident().Class(), s.classChain(o.Ident().Class(), name)
	s.dispatchChain(of.Name+" "+name, chain, func(x *ext) ([]lua.LValue, error) {
		crossed, err := from.crossTo(x, args)
		return append([]lua.LValue{x.object(o.Ident().ID())}, crossed...), err
	})
	block := s.blockOf(o)
	if block == nil {
		return len(chain) > 0
	}
	blocks := s.blockChain(block, name)
	s.dispatchChain(name, blocks, func(x *ext) ([]lua.LValue, error) {
		crossed, err := from.crossTo(x, args)
		return append([]lua.LValue{x.object(block.Ident().ID()), x.object(o.Ident().ID())}, crossed...), err
	})
	return len(chain)+len(blocks) > 0
}

// blockOf is the datablock of an object, nil if it has none.
func (s *Scripts) blockOf(o sim.Object) sim.Object {
	f := o.Ident().Class().Lookup("dataBlock")
	if f == nil {
		return nil
	}
	return s.engine.World().Find(f.Get(o).Object())
}
