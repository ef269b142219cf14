package script

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// callChains finds the functions that run for a callback, a command or an imported function: the
// overrides, newest first, then the definition. It caches what it finds.
type callChains struct {
	runtime   *vm.Runtime
	owners    *blockOwners
	overrides []override      // the outermost last
	defined   map[string]bool // names of callbacks that any datablock or class has, in lower case
	asked     map[string]bool // cache of defined, by name as queried
	classes   map[chainKey][]target
	parts     map[partKey]chainPart
	labels    map[partKey]string
	version   int // value of Runtime.Changes when classes and parts were made

	activations int // of packages, since the start
	made        int // overrides, since the start
}

func newCallChains(runtime *vm.Runtime, owners *blockOwners) *callChains {
	return &callChains{
		runtime: runtime, owners: owners, defined: map[string]bool{}, asked: map[string]bool{},
		classes: map[chainKey][]target{}, parts: map[partKey]chainPart{}, labels: map[partKey]string{},
	}
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

// chainForKey appends the functions for a callback of key: the overrides, then the definition of
// the last loaded mod. ends reports whether it found a definition.
func (c *callChains) chainForKey(chain []target, key, name string) (_ []target, ends bool) {
	chain = c.appendOverrides(chain, key, name, c.owners.ownerOf(key, name))
	for i := len(c.runtime.Mods) - 1; i >= 0; i-- {
		if fn := instanceOf(c.runtime.Mods[i]).callbacks[key][name]; fn != nil && c.runtime.Mods[i].Suspended() == "" {
			return append(chain, target{mod: c.runtime.Mods[i], fn: fn}), true
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

// refresh drops the cached chains if a mod has been added, removed, suspended or enabled since.
func (c *callChains) refresh() {
	if c.version != c.runtime.Changes {
		c.forget()
		c.version = c.runtime.Changes
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

func (c *callChains) overridesOf(m *vm.Mod) (n int) {
	for i := range c.overrides {
		if c.overrides[i].mod == m {
			n++
		}
	}
	return n
}

// add inserts an override at the place of its package.
func (c *callChains) add(o override) {
	c.made++
	o.made = c.made
	at := len(c.overrides)
	for at > 0 && c.compareOverrides(c.overrides[at-1], o) > 0 {
		at--
	}
	c.overrides = slices.Insert(c.overrides, at, o)
	c.runtime.Changes++
	c.note(o.name)
}

// detach removes the overrides of a mod. After restore, sort them.
func (c *callChains) detach(m *vm.Mod) (restore func()) {
	overrides := slices.DeleteFunc(slices.Clone(c.overrides), func(o override) bool { return o.mod != m })
	c.overrides = slices.DeleteFunc(c.overrides, func(o override) bool { return o.mod == m })
	return func() { c.overrides = append(c.overrides, overrides...) }
}

// sort sorts the overrides, after a change of the load order or an activation.
func (c *callChains) sort() { order.By(c.overrides, c.compareOverrides) }

// loadRank returns a mod's position in the load order. A mod that is not loaded yet comes last.
func (c *callChains) loadRank(m *vm.Mod) int {
	if at := slices.Index(c.runtime.Mods, m); at >= 0 {
		return at
	}
	return len(c.runtime.Mods)
}

// appendOverrides appends the overrides of one function of a mod to a chain, the outermost first.
// It skips those that are switched off, those of suspended mods, and of mods that may not override
// functions of the owner. A chain is a separate list: overrides activated while it runs do not join
// it. Those that end meanwhile leave it (running).
func (c *callChains) appendOverrides(chain []target, key, name, owner string) []target {
	for i := len(c.overrides) - 1; i >= 0; i-- {
		o := &c.overrides[i]
		if o.of.active && o.key == key && strings.EqualFold(o.name, name) && o.mod.Suspended() == "" && instanceOf(o.mod).mayOverride(owner, name) == nil {
			chain = append(chain, o.target)
		}
	}
	return chain
}

// rebuild rebuilds the set of callback names. It also clears the caches that refer to mods, classes
// and datablocks, because some of them may be gone.
func (c *callChains) rebuild() {
	clear(c.defined)
	for _, m := range c.runtime.Mods {
		bind.Of(m).ForgetMembers()
		for _, call := range instanceOf(m).imports {
			call.chain = nil
		}
		for _, functions := range instanceOf(m).callbacks {
			for name := range functions {
				c.defined[strings.ToLower(name)] = true
			}
		}
	}
	for _, o := range c.overrides {
		c.defined[strings.ToLower(o.name)] = true
	}
	clear(c.asked)
	c.forget()
	c.forgetScratch()
	c.runtime.Changes++
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

// A target is a function and the mod of its state. An override gets the rest of its chain as its
// first argument, parent, as in Torque's packages.
type target struct {
	mod *vm.Mod
	fn  *lua.LFunction
	of  *overridePackage // of an override; nil for a definition
}

// An override replaces the function called name in key.
type override struct {
	key  string // overridden table: "serverCmd", "block:disc", "class:flag", "import:ctf"
	name string
	target
	made    int  // number of the declaration
	mission bool // declared by a mission file, so it ends with the mission
}

// maxCallbackNames is the size of the cache of callChains.asked.
const maxCallbackNames = 1024

func blockKey(name string) string { return "block:" + strings.ToLower(name) }

func classKey(name string) string { return "class:" + strings.ToLower(name) }

// forgetScratch clears reused slices and thread pools, because they would keep unloaded instances
// and their states alive.
func (c *callChains) forgetScratch() {
	if c.runtime.Depth() > 0 {
		return
	}
	c.runtime.ForgetScratch()
}
