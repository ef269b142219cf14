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

// callChains finds the functions that run for a callback, a command or an imported function: the
// overrides, newest first, then the definition. It caches what it finds.
type callChains struct {
	scripts   *Scripts
	overrides []override      // in load order of their mods
	defined   map[string]bool // names of callbacks that any datablock or class has, in lower case
	asked     map[string]bool // cache of defined, by name as queried
	classes   map[chainKey][]target
	parts     map[partKey]chainPart
	labels    map[partKey]string
	version   int // value of Runtime.Changes when classes and parts were made
}

func newCallChains(s *Scripts) *callChains {
	return &callChains{
		scripts: s, defined: map[string]bool{}, asked: map[string]bool{},
		classes: map[chainKey][]target{}, parts: map[partKey]chainPart{}, labels: map[partKey]string{},
	}
}

// setCallback stores fn as callback name of a block or class.
func (x *instance) setCallback(key, name string, fn *lua.LFunction) {
	if x.callbacks[key] == nil {
		x.callbacks[key] = map[string]*lua.LFunction{}
	}
	x.callbacks[key][name] = fn
	x.scripts.chains.note(name)
}

// note records that a mod defines a callback of this name. A name without any definition needs
// no search.
func (c *callChains) note(name string) {
	c.defined[strings.ToLower(name)] = true
	clear(c.asked)
	c.forget()
}

// has reports whether any mod has defined a callback of this name.
func (c *callChains) has(name string) bool {
	if len(name) > sim.MaxName {
		return false
	}
	is, asked := c.asked[name]
	if !asked {
		if len(c.asked) >= maxCallbackNames {
			clear(c.asked)
		}
		is = c.defined[strings.ToLower(name)]
		c.asked[name] = is
	}
	return is
}

// maxCallbackNames is the size of the cache of answered.
const maxCallbackNames = 1024

// chainForKey appends the functions for a callback of key: the overrides, then the definition of the
// last loaded mod. ends reports whether it found a definition.
func (c *callChains) chainForKey(chain []target, key, name string) (_ []target, ends bool) {
	chain = c.appendOverrides(chain, key, name, c.scripts.owners.ownerOf(key, name))
	for i := len(c.scripts.Runtime.Mods) - 1; i >= 0; i-- {
		if fn := instanceOf(c.scripts.Runtime.Mods[i]).callbacks[key][name]; fn != nil && c.scripts.Runtime.Mods[i].Suspended() == "" {
			return append(chain, target{mod: c.scripts.Runtime.Mods[i], fn: fn}), true
		}
	}
	return chain, false
}

// blockChain returns the functions for a callback of a block. It follows the block's parents until
// one defines the callback. Blocks can change their names and parents, so the cache holds the part
// of each name.
func (c *callChains) blockChain(block sim.Object, name string) []target {
	c.refresh()
	var chain []target
	for o := block; o != nil; o = o.(sim.Datablock).Data().ParentBlock() {
		part := c.blockPart(o.Ident().Name(), name)
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
func (c *callChains) blockPart(block, name string) chainPart {
	key := partKey{block, name}
	part, known := c.parts[key]
	if !known {
		part.targets, part.ends = c.chainForKey(nil, blockKey(block), name)
		c.parts[key] = part
	}
	return part
}

// classChain returns the functions for a callback of a class and caches the whole chain. onTick and
// inScope request it for every object of the world.
func (c *callChains) classChain(class *sim.Class, name string) []target {
	c.refresh()
	key := chainKey{class, name}
	chain, known := c.classes[key]
	if known {
		return chain
	}
	for of, ends := class, false; of != nil && !ends; of = of.ParentClass() {
		chain, ends = c.chainForKey(chain, classKey(of.Name), name)
	}
	c.classes[key] = chain
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

// refresh drops the cached chains if a mod has been added, removed, suspended or enabled since.
func (c *callChains) refresh() {
	if c.version != c.scripts.Runtime.Changes {
		c.forget()
		c.version = c.scripts.Runtime.Changes
	}
}

func (c *callChains) forget() {
	clear(c.classes)
	clear(c.parts)
	clear(c.labels)
}

// chainOf returns the functions for a callback of an object: a datablock's own, or those of an
// object's class.
func (c *callChains) chainOf(o sim.Object, name string) []target {
	if !c.has(name) {
		return nil
	}
	if _, ok := o.(sim.Datablock); ok {
		return c.blockChain(o, name)
	}
	return c.classChain(o.Ident().Class(), name)
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
func (d *dispatcher) callback(o sim.Object, name string, p payload) bool {
	if !d.scripts.chains.has(name) {
		return false
	}
	class := d.scripts.chains.classChain(o.Ident().Class(), name)
	if len(class) > 0 {
		d.run(d.scripts.chains.eventLabel(o.Ident().Class().Name, name), name, class, p, [2]sim.Object{o})
	}
	data := sim.BlockOf(o)
	if data == nil || !o.Ident().Alive() && d.scripts.env.Removing != o {
		return len(class) > 0 // no datablock, or the class deleted the object
	}
	block := d.scripts.chains.blockChain(data, name)
	if len(block) > 0 {
		d.run(name, name, block, p, [2]sim.Object{data, o})
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
func (d *dispatcher) run(event, name string, chain []target, p payload, about [2]sim.Object) {
	t := chain[0]
	switch {
	case repeated[name] && t.mod.Refuses(event, true):
		return
	case !t.override && len(p.values) == 0:
		d.deliver(t, event, about, p.plain)
		return
	}
	d.runChain(event, chain, func(x *bind.Binding) ([]lua.LValue, error) { return p.convertTo(x, about[:]...) })
}

// eventLabel returns the name of an event with its class: "Flag onCollision". It caches the names.
func (c *callChains) eventLabel(of, name string) string {
	key := partKey{of, name}
	text := c.labels[key]
	if text == "" {
		text = of + " " + name
		c.labels[key] = text
	}
	return text
}
