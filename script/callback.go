package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
)

// Callbacks of datablocks (function Handle:onAdd(obj)) and of classes (function Handle:onAdd()) are
// stored by name of the block or class, in the defining mod. They survive if a block or class is
// declared again. If several mods define a callback, the last loaded mod's runs; override reaches
// the others.

func blockKey(name string) string { return "block:" + strings.ToLower(name) }
func classKey(name string) string { return "class:" + strings.ToLower(name) }

// setCallback stores fn as callback name of a block or class.
func (x *instance) setCallback(key, name string, fn *lua.LFunction) {
	if x.callbacks[key] == nil {
		x.callbacks[key] = map[string]*lua.LFunction{}
	}
	x.callbacks[key][name] = fn
	x.scripts.noteCallback(name)
}

// noteCallback records that a mod defines a callback of this name. A name without any definition needs
// no search.
func (s *Scripts) noteCallback(name string) {
	s.defined[strings.ToLower(name)] = true
	clear(s.definedCache)
	s.forgetChains()
}

// hasCallback reports whether any mod has defined a callback of this name.
func (s *Scripts) hasCallback(name string) bool {
	if len(name) > sim.MaxName {
		return false
	}
	is, asked := s.definedCache[name]
	if !asked {
		if len(s.definedCache) >= maxCallbackNames {
			clear(s.definedCache)
		}
		is = s.defined[strings.ToLower(name)]
		s.definedCache[name] = is
	}
	return is
}

// maxCallbackNames is the size of the cache of answered.
const maxCallbackNames = 1024

// chainForKey appends the functions for a callback of key: the overrides, then the definition of the
// last loaded mod. ends reports whether it found a definition.
func (s *Scripts) chainForKey(chain []target, key, name string) (_ []target, ends bool) {
	chain = s.addOverrides(chain, key, name, s.ownerOf(key, name))
	for i := len(s.Runtime.Mods) - 1; i >= 0; i-- {
		if fn := instanceOf(s.Runtime.Mods[i]).callbacks[key][name]; fn != nil && s.Runtime.Mods[i].Suspended() == "" {
			return append(chain, target{mod: s.Runtime.Mods[i], fn: fn}), true
		}
	}
	return chain, false
}

// blockChain returns the functions for a callback of a block. It follows the block's parents until
// one defines the callback. Blocks can change their names and parents, so the cache holds the part
// of each name.
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

// blockPart returns the part of a chain for one block.
func (s *Scripts) blockPart(block, name string) chainPart {
	key := partKey{block, name}
	part, known := s.parts[key]
	if !known {
		part.targets, part.ends = s.chainForKey(nil, blockKey(block), name)
		s.parts[key] = part
	}
	return part
}

// classChain returns the functions for a callback of a class and caches the whole chain. onTick and
// inScope request it for every object of the world.
func (s *Scripts) classChain(class *sim.Class, name string) []target {
	s.freshChains()
	key := chainKey{class, name}
	chain, known := s.chains[key]
	if known {
		return chain
	}
	for c, ends := class, false; c != nil && !ends; c = c.ParentClass() {
		chain, ends = s.chainForKey(chain, classKey(c.Name), name)
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
	ends    bool // the last target is a definition, not an override
}

// freshChains drops the cached chains if a mod has been added, removed, suspended or enabled since.
func (s *Scripts) freshChains() {
	if s.chainsVersion != s.Runtime.Changes {
		s.forgetChains()
		s.chainsVersion = s.Runtime.Changes
	}
}

func (s *Scripts) forgetChains() {
	clear(s.chains)
	clear(s.parts)
	clear(s.labels)
}

// chainOf returns the functions for a callback of an object: a datablock's own, or those of an
// object's class.
func (s *Scripts) chainOf(o sim.Object, name string) []target {
	if !s.hasCallback(name) {
		return nil
	}
	if _, ok := o.(sim.Datablock); ok {
		return s.blockChain(o, name)
	}
	return s.classChain(o.Ident().Class(), name)
}

// callbackOf returns the callback of a block, or of an object's class, as a function of this mod's
// state. It returns nil if no mod defines the callback.
func (x *instance) callbackOf(o sim.Object, name string) *lua.LFunction {
	return x.callable(name, func() []target { return x.scripts.chainOf(o, name) })
}

// classCallback is like callbackOf for a class by name. The class can be undeclared.
func (x *instance) classCallback(class, name string) *lua.LFunction {
	if !x.scripts.hasCallback(name) {
		return nil
	}
	return x.callable(name, func() []target {
		if c := x.values.World().Classes().Lookup(class); c != nil {
			return x.scripts.classChain(c, name)
		}
		chain, _ := x.scripts.chainForKey(nil, classKey(class), name)
		return chain
	})
}

func (x *instance) callable(name string, of func() []target) *lua.LFunction {
	switch chain := of(); {
	case len(chain) == 0:
		return nil
	case chain[0].mod == x.mod && !chain[0].override:
		return chain[0].fn
	}
	return x.chainFunction(name, of)
}

// A payload holds the arguments of a callback before their conversion to the receiving state. They
// are values of a mod or of the engine.
type payload struct {
	from   *bind.Binding
	values []lua.LValue // values of from's state
	plain  []sim.Value  // engine values after them
}

// convertTo converts the arguments to a state, with the objects of the callback first.
func (p payload) convertTo(x *bind.Binding, about ...sim.Object) ([]lua.LValue, error) {
	crossed, err := p.from.CopyTo(x, p.values)
	args := make([]lua.LValue, 0, len(about)+len(crossed)+len(p.plain))
	for _, o := range about {
		if o == nil {
			continue
		}
		args = append(args, x.Object(o.Ident().ID()))
	}
	args = append(args, crossed...)
	for _, v := range p.plain {
		args = append(args, x.ToLua(v))
	}
	return args, err
}

// callback runs a callback of the object's class, as function Handle:name(...), then the one of its
// datablock, as function Handle:name(obj, ...). It reports whether any mod defines one. Undefined
// callbacks cost only the lookup. An argument that is a deleted object becomes nil (binding.object).
func (s *Scripts) callback(o sim.Object, name string, p payload) bool {
	if !s.hasCallback(name) {
		return false
	}
	class := s.classChain(o.Ident().Class(), name)
	if len(class) > 0 {
		s.run(s.eventLabel(o.Ident().Class().Name, name), name, class, p, [2]sim.Object{o})
	}
	data := sim.BlockOf(o)
	if data == nil || !o.Ident().Alive() && s.env.Removing != o {
		return len(class) > 0 // no datablock, or the class deleted the object
	}
	block := s.blockChain(data, name)
	if len(block) > 0 {
		s.run(name, name, block, p, [2]sim.Object{data, o})
	}
	return len(class)+len(block) > 0
}

// damageRequest is the check of damage. To miss it refuses the damage.
const damageRequest = "onDamageRequest"

// repeated are the events that a mod can miss without being left in a broken state. Events that
// come in pairs, such as onEnterTrigger and onLeaveTrigger, are not among them.
var repeated = map[string]bool{"onCollision": true, "onImpact": true, "onTrigger": true, "onTickTrigger": true, "onDamage": true, "onFire": true,
	damageRequest: true}

// run runs a chain for the callback name of an object. event is the name with the class. A repeated
// event is skipped if the peer that causes it has exhausted a budget there a short time ago.
func (s *Scripts) run(event, name string, chain []target, p payload, about [2]sim.Object) {
	t := chain[0]
	switch {
	case repeated[name] && t.mod.Refuses(event, true):
		return
	case !t.override && len(p.values) == 0:
		s.deliver(t, event, about, p.plain)
		return
	}
	s.dispatchChain(event, chain, func(x *bind.Binding) ([]lua.LValue, error) { return p.convertTo(x, about[:]...) })
}

// eventLabel returns the name of an event with its class: "Flag onCollision". It caches the names.
func (s *Scripts) eventLabel(of, name string) string {
	key := partKey{of, name}
	text := s.labels[key]
	if text == "" {
		text = of + " " + name
		s.labels[key] = text
	}
	return text
}
