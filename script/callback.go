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
	clear(s.asked)
	s.forgetChains()
}

// answered reports whether anybody has defined a function of this name.
func (s *Scripts) answered(name string) bool {
	if len(name) > sim.MaxName {
		return false
	}
	is, asked := s.asked[name]
	if !asked {
		if len(s.asked) >= maxAsked {
			clear(s.asked)
		}
		is = s.defined[strings.ToLower(name)]
		s.asked[name] = is
	}
	return is
}

// maxAsked is how many names are remembered as they were asked for.
const maxAsked = 1024

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
// inherits from, until one defines it. Blocks may change their names and their
// parents, so what is kept is the part of each name.
func (s *Scripts) blockChain(block sim.Object, name string) []target {
	s.freshChains()
	var chain []target
	for o := block; o != nil; o = o.(sim.Datablock).Data().ParentBlock() {
		part := s.blockPart(o.Ident().Name(), name)
		if len(chain) == 0 {
			chain = part.targets
		} else {
			chain = append(chain[:len(chain):len(chain)], part.targets...)
		}
		if part.ends {
			break
		}
	}
	return chain
}

// blockPart is what one block of a chain has to say.
func (s *Scripts) blockPart(block, name string) chainPart {
	key := partKey{block, name}
	part, known := s.parts[key]
	if !known {
		part.targets, part.ends = s.keyChain(nil, blockKey(block), name)
		s.parts[key] = part
	}
	return part
}

// classChain is the same of a class, and all of it is kept: whole worlds are
// asked for onTick and inScope.
func (s *Scripts) classChain(class *sim.Class, name string) []target {
	s.freshChains()
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

type partKey struct{ block, name string }

type chainPart struct {
	targets []target
	ends    bool // with one that is no override
}

// freshChains forgets the chains that were kept if a mod has come, gone or been
// suspended since.
func (s *Scripts) freshChains() {
	if s.chainsAt != s.changes {
		s.forgetChains()
		s.chainsAt = s.changes
	}
}

func (s *Scripts) forgetChains() {
	clear(s.chains)
	clear(s.parts)
	clear(s.labels)
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

// A payload is the arguments of a callback before they are in the state of who
// answers: values of a mod, or of the engine.
type payload struct {
	from   *ext
	values []lua.LValue // of from
	plain  []sim.Value  // after them
}

// in makes the arguments in a state, after the objects they are about.
func (p payload) in(x *ext, about ...sim.Object) ([]lua.LValue, error) {
	crossed, err := p.from.crossTo(x, p.values)
	args := make([]lua.LValue, 0, len(about)+len(crossed)+len(p.plain))
	for _, o := range about {
		if o == nil {
			continue
		}
		args = append(args, x.object(o.Ident().ID()))
	}
	args = append(args, crossed...)
	for _, v := range p.plain {
		args = append(args, x.toLua(v))
	}
	return args, err
}

// callback runs a callback of the object's class, as function
// Handle:name(...), then that of its datablock, as function
// Handle:name(obj, ...). It reports whether anybody has one. What nobody
// listens to costs nothing but the question.
func (s *Scripts) callback(o sim.Object, name string, p payload) bool {
	if !s.answered(name) {
		return false
	}
	class := s.classChain(o.Ident().Class(), name)
	if len(class) > 0 {
		s.run(s.label(o.Ident().Class().Name, name), class, p, [2]sim.Object{o})
	}
	data := sim.BlockOf(o)
	if data == nil {
		return len(class) > 0
	}
	block := s.blockChain(data, name)
	if len(block) > 0 {
		s.run(name, block, p, [2]sim.Object{data, o})
	}
	return len(class)+len(block) > 0
}

// run runs a chain for an event of the engine.
func (s *Scripts) run(event string, chain []target, p payload, about [2]sim.Object) {
	if t := chain[0]; !t.override && len(p.values) == 0 {
		s.deliver(t, event, about, p.plain)
		return
	}
	s.dispatchChain(event, chain, func(x *ext) ([]lua.LValue, error) { return p.in(x, about[:]...) })
}

// label is the name of an event that belongs to something: "Flag onCollision". Those of the chains that are kept are kept.
func (s *Scripts) label(of, name string) string {
	key := partKey{of, name}
	text := s.labels[key]
	if text == "" {
		text = of + " " + name
		s.labels[key] = text
	}
	return text
}
