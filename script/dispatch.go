package script

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// A dispatcher runs the functions of mods for events of the engine.
type dispatcher struct {
	runtime   *vm.Runtime
	chains    *callChains
	env       *bind.Env
	thread    *spawnedThread  // the one that runs now, of those that spawn has started
	postponed map[vm.Peer]int // events that wait for the share of a peer, in this tick
	clashes   map[string]bool // commands with two handlers that have been logged
}

// everyMod calls a global function in every mod that defines it. It has the budget for loading,
// because it can handle a hundred clients at once. A client missed here would stay in the old
// mission, or lose its score in a restart.
func (d *dispatcher) everyMod(name string, args ...sim.Value) {
	d.eachMod(name, func(m *vm.Mod) []lua.LValue { return bind.Of(m).ToLuaAll(args) })
}

// eachMod is everyMod with arguments that are made for each mod.
func (d *dispatcher) eachMod(name string, args func(m *vm.Mod) []lua.LValue) {
	for _, m := range append([]*vm.Mod(nil), d.runtime.Mods...) {
		fn, ok := m.Global(name).(*lua.LFunction)
		if !ok || !m.Receives(name) {
			continue
		}
		if _, err := d.runtime.EnterEvent(name, m, fn, d.runtime.Limits().Load, args(m)); err != nil {
			d.runtime.Fail(m, name, err)
		}
	}
}

// callback runs a callback of the object's class, as function Handle:name(...), then the one of its
// datablock, as function Handle:name(obj, ...). It reports whether any mod defines one. Undefined
// callbacks cost only the lookup. An argument that is a deleted object becomes nil
// (Binding.Object).
func (d *dispatcher) callback(o sim.Object, name string, p payload) bool {
	if !d.chains.has(name) {
		return false
	}
	class := d.chains.classChain(o.Ident().Class(), name)
	if len(class) > 0 {
		d.run(d.chains.eventLabel(o.Ident().Class().Name, name), name, class, p, [2]sim.Object{o})
	}
	data := sim.BlockOf(o)
	if data == nil || !o.Ident().Alive() && d.env.Removing != o {
		return len(class) > 0 // no datablock, or the class deleted the object
	}
	block := d.chains.blockChain(data, name)
	if len(block) > 0 {
		d.run(name, name, block, p, [2]sim.Object{data, o})
	}
	return len(class)+len(block) > 0
}

// run runs a chain for the callback name of an object. event is the name with the class. A repeated
// event is skipped if the peer that causes it has exhausted a budget there a short time ago.
func (d *dispatcher) run(event, name string, chain []target, p payload, about [2]sim.Object) {
	t := chain[0]
	switch {
	case repeated[name] && t.mod.Refuses(event, true):
		return
	case t.of == nil && len(p.values) == 0:
		d.deliver(t, event, about, p.plain)
		return
	}
	d.runChain(event, chain, func(x *bind.Binding) ([]lua.LValue, error) { return p.convertTo(x, about[:]...) })
}

// callEach runs a callback of GameConnection in every mod, in load order. It ends early if stop
// returns true for a result.
func (d *dispatcher) callEach(name string, c *engine.Connection, args []sim.Value, stop func(lua.LValue) bool) {
	if !d.hears(name) {
		return // the usual case of frequent callbacks
	}
	defer d.runtime.SetPeer(d.runtime.SetPeer(peerOf(c)))
	for _, m := range append([]*vm.Mod(nil), d.runtime.Mods...) {
		fn := connectionCallback(m, name)
		if fn == nil {
			continue
		}
		x := instanceOf(m)
		values := x.values.ToLuaAll(args)
		if c != nil {
			values = append([]lua.LValue{x.values.Object(c.ID())}, values...)
		}
		out, ok := d.call(m, name, fn, values...)
		if ok && stop != nil && len(out) > 0 && stop(out[0]) {
			return
		}
	}
}

// hears reports whether a mod has a callback of GameConnection.
func (d *dispatcher) hears(name string) bool {
	return slices.ContainsFunc(d.runtime.Mods, func(m *vm.Mod) bool { return connectionCallback(m, name) != nil })
}

// postpone lets an event wait for the share of its peer. It returns true if too many wait and the
// mods can miss this one.
func (d *dispatcher) postpone(p vm.Peer, name string) (drop bool) {
	d.postponed[p]++
	return d.postponed[p] > maxPostponed && repeated[name]
}

// mustWait reports whether a mod with a callback for the event has used up its share of this tick.
func (d *dispatcher) mustWait(o sim.Object, name string) bool {
	if !d.chains.has(name) {
		return false
	}
	wait := func(t target) bool { return d.runtime.BusyFor(t.mod) }
	data := sim.BlockOf(o)
	return slices.ContainsFunc(d.chains.classChain(o.Ident().Class(), name), wait) ||
		data != nil && slices.ContainsFunc(d.chains.blockChain(data, name), wait)
}

// handler finds the handler of a command: the definition of the last loaded mod.
func (d *dispatcher) handler(called bool, name string) (t target, rule *commandRule, found bool) {
	for i := len(d.runtime.Mods) - 1; i >= 0; i-- {
		m := d.runtime.Mods[i]
		table := &instanceOf(m).client
		if called {
			table = &instanceOf(m).server
		}
		if r := table.rules[strings.ToLower(name)]; r != nil && rule == nil {
			rule = r
		}
		fn := table.find(m, name)
		switch {
		case fn == nil || m.Suspended() != "":
		case !found:
			t, found = target{mod: m, fn: fn}, true
		default:
			d.warnDuplicate(table.prefix, name, t.mod, m)
		}
	}
	return t, rule, found
}

// warnDuplicate warns once if two mods handle the same command.
func (d *dispatcher) warnDuplicate(prefix, name string, last, first *vm.Mod) {
	key := prefix + strings.ToLower(name)
	if d.clashes[key] || last.Name == manifest.Console {
		return
	}
	d.clashes[key] = true
	d.runtime.Log(slog.LevelWarn, fmt.Sprintf("mods %s and %s both handle %s%s; only %s runs. To run both, use override(%s, %q, function(parent, ...) end)",
		first.Name, last.Name, prefix, name, last.Name, prefix, name))
}

// objectAdded runs onAdd of an object's class and datablock.
func (d *dispatcher) objectAdded(o sim.Object) { d.callback(o, "onAdd", payload{}) }

// runChain runs a chain for an event of the engine. args makes the arguments in a mod's state.
// It returns the results of the chain, and whether it succeeded.
func (d *dispatcher) runChain(event string, chain []target, args func(*bind.Binding) ([]lua.LValue, error)) (out []lua.LValue, ok bool) {
	if chain = running(chain); len(chain) == 0 {
		return nil, false
	}
	t := chain[0]
	values, err := args(bind.Of(t.mod))
	if err != nil {
		d.runtime.Fail(t.mod, event, err)
		return nil, false
	}
	if t.of == nil {
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

// deliver runs a function for an event of the engine that needs no result. The arguments are the
// objects in about, followed by args. They are made in the state of the target's mod.
func (d *dispatcher) deliver(t target, event string, about [2]sim.Object, args []sim.Value) bool {
	r := t.mod.EventRecord(event)
	if !t.mod.ReceivesOn(r) {
		return false
	}
	e, err := d.runtime.OpenCallback(t.mod, r, t.fn)
	if err == nil {
		x, n := bind.Of(t.mod), len(args)
		for _, o := range about {
			if o != nil {
				e.Thread.Push(x.Object(o.Ident().ID()))
				n++
			}
		}
		for _, v := range args {
			e.Thread.Push(x.ToLua(v))
		}
		if err = e.Run(n, 0); err == nil {
			err = e.Close(nil)
		}
	}
	if err != nil {
		d.runtime.Fail(t.mod, event, err)
	}
	return err == nil
}

// call runs a function of a mod as an event. An error counts as a fault of the mod.
func (d *dispatcher) call(m *vm.Mod, event string, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, bool) {
	if d.runtime.Depth() == 0 {
		return d.runtime.Dispatch(m, event, fn, args...)
	}
	out, err := d.runtime.EnterCallback(event, m, fn, args)
	if err != nil {
		d.runtime.Fail(m, event, err)
	}
	return out, err == nil
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

// repeated are the events that a mod can miss without being left in a broken state. Events that
// come in pairs, such as onEnterTrigger and onLeaveTrigger, are not among them.
var repeated = map[string]bool{"onCollision": true, "onImpact": true, "onTrigger": true, "onTickTrigger": true, "onDamage": true, "onFire": true,
	damageRequest: true}

// damageRequest is the check of damage. To miss it refuses the damage.
const damageRequest = "onDamageRequest"

// maxPostponed is the number of events of one peer that wait in a tick. The engine offers each of
// them twice.
const maxPostponed = 128

// connectionCallback returns a mod's callback of GameConnection, or nil.
func connectionCallback(m *vm.Mod, name string) *lua.LFunction {
	table, ok := m.Global("GameConnection").(*lua.LTable)
	if !ok {
		return nil
	}
	fn, _ := table.RawGetString(name).(*lua.LFunction)
	return fn
}

func stringValues(args []string) []sim.Value {
	values := make([]sim.Value, len(args))
	for i, a := range args {
		values[i] = sim.String(a)
	}
	return values
}

// parentCall records one call of an override: whether it called parent, and the results of parent
// in the state of the override's mod.
type parentCall struct {
	called, returned bool
	out              []lua.LValue
}

// parentFunction makes the Lua function that runs the rest of a chain. Called without arguments, it
// passes on the original ones. At the end of the chain it does nothing.
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

// rootExhausted reports whether the budget of the whole event is used up. Nothing more may run
// then.
func rootExhausted(err error) bool {
	var e *vm.Error
	return errors.As(err, &e) && e.Spent != nil && e.Spent.Root
}
