package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// A target is a function and the mod whose state it belongs to.
type target struct {
	mod *Mod
	fn  *lua.LFunction
}

// An override stands in front of a target: it gets the rest of the chain as
// its first argument, parent (Torque's packages).
type override struct {
	key  string // what is overridden: "serverCmd", "block:disc", "import:ctf"
	name string
	target
}

func blockKey(name string) string { return "block:" + strings.ToLower(name) }

// chain is the newest override first, and the function itself last. It is a
// list of its own: overrides made while it runs do not join it.
func (s *Scripts) chain(key, name string, last target) []target {
	var chain []target
	for i := len(s.overrides) - 1; i >= 0; i-- {
		o := &s.overrides[i]
		if o.key == key && strings.EqualFold(o.name, name) && o.mod.Suspended() == "" {
			chain = append(chain, o.target)
		}
	}
	return append(chain, last)
}

// dispatchChain runs a chain for an event of the engine; values belong to the
// state of its last link.
func (s *Scripts) dispatchChain(event string, chain []target, values []lua.LValue) ([]lua.LValue, bool) {
	last := chain[len(chain)-1]
	if len(chain) == 1 {
		return s.Dispatch(last.mod, event, last.fn, values...)
	}
	first := extOf(chain[0].mod)
	args, err := crossAll(first, values)
	if err != nil {
		s.Fail(last.mod, event, err)
		return nil, false
	}
	var called bool
	parent := first.parent(event, chain[1:], args, &called)
	out, ok := s.Dispatch(chain[0].mod, event, chain[0].fn, append([]lua.LValue{parent}, args...)...)
	if ok || called {
		return out, ok
	}
	// A link that fails before it calls parent is skipped.
	if args, err = crossAll(extOf(chain[1].mod), values); err != nil {
		return nil, false
	}
	return s.dispatchChain(event, chain[1:], args)
}

// callChain makes the head of a chain callable from this mod.
func (x *ext) callChain(name string, chain []target) *lua.LFunction {
	return x.mod.State.Bind(&Func{Name: name, Realm: Both, Fn: func(a Args) int {
		return a.runChain(name, chain, keep(a, 1))
	}})
}

// parent is the rest of a chain as the function a link calls. Without
// arguments of its own it is called with the original ones.
func (x *ext) parent(name string, rest []target, original []lua.LValue, called *bool) lua.LValue {
	return x.mod.State.Bind(&Func{Name: "parent", Realm: Both, Fn: func(a Args) int {
		*called = true
		args := keep(a, 1)
		if len(args) == 0 {
			args = original
		}
		return a.runChain(name, rest, args)
	}})
}

// runChain runs a chain on behalf of the mod that calls; args belong to its
// state, and so do the results.
func (a Args) runChain(name string, chain []target, args []lua.LValue) int {
	x, t := a.ext(), chain[0]
	to := extOf(t.mod)
	crossed, err := crossAll(to, args)
	if err != nil {
		a.Fail("%s", err)
	}
	var called bool
	values := crossed
	if len(chain) > 1 {
		values = append([]lua.LValue{to.parent(name, chain[1:], crossed, &called)}, crossed...)
	}
	out, err := x.scripts.Enter(t.mod, t.fn, values...)
	if err != nil && len(chain) > 1 && !called {
		x.scripts.Fail(t.mod, name, err)
		return a.runChain(name, chain[1:], args)
	}
	if err != nil {
		a.Raise(err)
	}
	back, err := crossAll(x, out)
	if err != nil {
		a.Fail("%s", err)
	}
	return a.Return(back...)
}
