package script

import (
	"errors"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// A target is a function and the mod of its state. An override gets the rest of its chain as its
// first argument, parent, as in Torque's packages.
type target struct {
	mod      *vm.Mod
	fn       *lua.LFunction
	override bool
}

// An override replaces the function called name in key.
type override struct {
	key  string // overridden table: "serverCmd", "block:disc", "class:flag", "import:ctf"
	name string
	target
}

// add inserts an override after those of its own mod and of mods that were loaded earlier.
// A reloaded mod therefore keeps its position.
func (c *callChains) add(o override) {
	rank, at := c.loadRank(o.mod), len(c.overrides)
	for at > 0 && c.loadRank(c.overrides[at-1].mod) > rank {
		at--
	}
	c.overrides = slices.Insert(c.overrides, at, o)
	c.scripts.Runtime.Changes++
	c.note(o.name)
}

// detach removes the overrides of a mod. After restore, sort them.
func (c *callChains) detach(m *vm.Mod) (restore func()) {
	overrides := slices.DeleteFunc(slices.Clone(c.overrides), func(o override) bool { return o.mod != m })
	c.overrides = slices.DeleteFunc(c.overrides, func(o override) bool { return o.mod == m })
	return func() { c.overrides = append(c.overrides, overrides...) }
}

// sort sorts the overrides by the load order of their mods.
func (c *callChains) sort() {
	slices.SortStableFunc(c.overrides, func(a, b override) int { return c.loadRank(a.mod) - c.loadRank(b.mod) })
}

// loadRank returns a mod's position in the load order. A mod that is not loaded yet comes last.
func (c *callChains) loadRank(m *vm.Mod) int {
	if at := slices.Index(c.scripts.Runtime.Mods, m); at >= 0 {
		return at
	}
	return len(c.scripts.Runtime.Mods)
}

// blockOwners knows the mod that owns a function or a datablock.
type blockOwners struct {
	scripts *Scripts
	blocks  map[string]string // mod that declared a datablock first, by its name in lower case
}

// ownerOf returns the mod that owns a function: it exports it, handles the command, or has declared the
// datablock or class. It returns "" if no mod does.
func (b *blockOwners) ownerOf(key, name string) string {
	kind, of, _ := strings.Cut(key, ":")
	switch kind {
	case "import":
		return of
	case "block":
		return b.blocks[of]
	case "class":
		if c := b.scripts.engine.World().Classes().Lookup(of); c != nil && c.Spec() != nil {
			return c.Spec().Mod
		}
		return ""
	}
	if t, _, found := b.scripts.dispatch.handler(key == "serverCmd", name); found {
		return t.mod.Name
	}
	return ""
}

// appendOverrides appends the overrides of one function of a mod to a chain, newest first. It skips those
// of suspended mods, and of mods that may not override functions of the owner. A chain is a separate list: overrides added while it runs do not join it.
func (c *callChains) appendOverrides(chain []target, key, name, owner string) []target {
	for i := len(c.overrides) - 1; i >= 0; i-- {
		o := &c.overrides[i]
		if o.key == key && strings.EqualFold(o.name, name) && o.mod.Suspended() == "" && instanceOf(o.mod).mayOverride(owner, name) == nil {
			chain = append(chain, o.target)
		}
	}
	return chain
}

// parentCall records one call of an override: whether it called parent, and the results of parent in the
// state of the override's mod.
type parentCall struct {
	called, returned bool
	out              []lua.LValue
}

// runChain runs a chain for an event of the engine. args makes the arguments in a mod's state.
// It returns the results of the chain, and whether it succeeded.
func (d *dispatcher) runChain(event string, chain []target, args func(*bind.Binding) ([]lua.LValue, error)) (out []lua.LValue, ok bool) {
	if len(chain) == 0 {
		return nil, false
	}
	t := chain[0]
	values, err := args(bind.Of(t.mod))
	if err != nil {
		d.scripts.Runtime.Fail(t.mod, event, err)
		return nil, false
	}
	if !t.override {
		return d.call(t.mod, event, t.fn, values...)
	}
	var l parentCall
	parent := parentFunction(t.mod, event, chain[1:], values, &l)
	out, ok = d.call(t.mod, event, t.fn, append([]lua.LValue{parent}, values...)...)
	if !ok && !l.called {
		// An override that fails before it calls parent is skipped.
		return d.runChain(event, chain[1:], args)
	}
	if !ok && l.returned {
		return l.out, true // it failed after calling parent, so the results of parent count
	}
	return out, ok
}

// chainFunction makes a Lua function that runs a chain. It calls chain anew for each call.
func (x *instance) chainFunction(name string, chain func() []target) *lua.LFunction {
	return bind.Bind(x.mod.State, bind.Row{Name: name, Realm: vm.Both, Fn: func(a bind.Call) int {
		return forwardCall(a, name, chain())
	}})
}

// parentFunction makes the Lua function that runs the rest of a chain. Called without arguments, it passes
// on the original ones. At the end of the chain it does nothing.
func parentFunction(m *vm.Mod, name string, rest []target, original []lua.LValue, l *parentCall) lua.LValue {
	return bind.Bind(m.State, bind.Row{Name: "parent", Realm: vm.Both, Fn: func(a bind.Call) int {
		l.called, l.returned = true, false
		args := bind.Rest(a, 1)
		if len(args) == 0 {
			args = original
		}
		l.out = runChain(a, name, rest, args)
		l.returned = true
		return a.Return(l.out...)
	}})
}

// runChain runs a chain on behalf of the calling mod. Arguments and results belong to the state of
// that mod.
func runChain(a bind.Call, name string, chain []target, args []lua.LValue) []lua.LValue {
	if len(chain) == 0 {
		return nil
	}
	t, x := chain[0], a.Binding()
	to, s := bind.Of(t.mod), caller(a).scripts
	values := copyValues(a, x, to, args)
	if !t.override {
		out, err := s.Runtime.EnterCallback(name, t.mod, t.fn, values)
		if err != nil {
			a.Raise(err)
		}
		return copyValues(a, to, x, out)
	}
	var l parentCall
	parent := parentFunction(t.mod, name, chain[1:], values, &l)
	out, err := s.Runtime.EnterCallback(name, t.mod, t.fn, append([]lua.LValue{parent}, values...))
	switch {
	case err == nil:
		return copyValues(a, to, x, out)
	case rootExhausted(err) || l.called && !l.returned:
		a.Raise(err)
	}
	s.Runtime.Fail(t.mod, name, err)
	if l.returned { // it failed after calling parent, so the results of parent count
		return copyValues(a, to, x, l.out)
	}
	return runChain(a, name, chain[1:], args)
}

// rootExhausted reports whether the budget of the whole event is used up. Nothing more may run then.
func rootExhausted(err error) bool {
	var e *vm.Error
	return errors.As(err, &e) && e.Spent != nil && e.Spent.Root
}

// copyValues copies values of one state into another. It fails for a value that cannot be copied.
func copyValues(a bind.Call, from, to *bind.Binding, vs []lua.LValue) []lua.LValue {
	out, err := from.CopyTo(to, vs)
	if err != nil {
		a.Fail("%s", err)
	}
	return out
}
