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

// addOverride inserts an override after those of its own mod and of mods that were loaded earlier.
// A reloaded mod therefore keeps its position.
func (s *Scripts) addOverride(o override) {
	rank, at := s.loadRank(o.mod), len(s.overrides)
	for at > 0 && s.loadRank(s.overrides[at-1].mod) > rank {
		at--
	}
	s.overrides = slices.Insert(s.overrides, at, o)
	s.Runtime.Changes++
	s.noteCallback(o.name)
}

// sortOverrides sorts the overrides by the load order of their mods.
func (s *Scripts) sortOverrides() {
	slices.SortStableFunc(s.overrides, func(a, b override) int { return s.loadRank(a.mod) - s.loadRank(b.mod) })
}

// loadRank returns a mod's position in the load order. A mod that is not loaded yet comes last.
func (s *Scripts) loadRank(m *vm.Mod) int {
	if at := slices.Index(s.Runtime.Mods, m); at >= 0 {
		return at
	}
	return len(s.Runtime.Mods)
}

// ownerOf returns the mod that owns a function: it exports it, handles the command, or has declared the
// datablock or class. It returns "" if no mod does.
func (s *Scripts) ownerOf(key, name string) string {
	kind, of, _ := strings.Cut(key, ":")
	switch kind {
	case "import":
		return of
	case "block":
		return s.blocks[of]
	case "class":
		if c := s.engine.World().Classes().Lookup(of); c != nil && c.Spec() != nil {
			return c.Spec().Mod
		}
		return ""
	}
	if t, _, found := s.handler(key == "serverCmd", name); found {
		return t.mod.Name
	}
	return ""
}

// addOverrides appends the overrides of one function of a mod to a chain, newest first. It skips those
// of suspended mods, and of mods that may not override functions of the owner. A chain is a separate list: overrides added while it runs do not join it.
func (s *Scripts) addOverrides(chain []target, key, name, owner string) []target {
	for i := len(s.overrides) - 1; i >= 0; i-- {
		o := &s.overrides[i]
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

// dispatchChain runs a chain for an event of the engine. args makes the arguments in a mod's state.
// It returns the results of the chain, and whether it succeeded.
func (s *Scripts) dispatchChain(event string, chain []target, args func(*bind.Binding) ([]lua.LValue, error)) (out []lua.LValue, ok bool) {
	if len(chain) == 0 {
		return nil, false
	}
	t := chain[0]
	values, err := args(bind.Of(t.mod))
	if err != nil {
		s.Runtime.Fail(t.mod, event, err)
		return nil, false
	}
	if !t.override {
		return s.call(t.mod, event, t.fn, values...)
	}
	var l parentCall
	parent := parentFunction(t.mod, event, chain[1:], values, &l)
	out, ok = s.call(t.mod, event, t.fn, append([]lua.LValue{parent}, values...)...)
	if !ok && !l.called {
		// An override that fails before it calls parent is skipped.
		return s.dispatchChain(event, chain[1:], args)
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
