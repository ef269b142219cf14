package script

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// gateEvent is the callback of GameConnection that accepts or refuses a connect request.
const gateEvent = "onConnectRequest"

// gateInstructions limits the instructions of all gates of a tick: when they are used up, requests
// wait for the next tick. The last request can use as many again. The instructions of gates are not
// booked to the budget of the tick, so a crowd of requests postpones no event.
const gateInstructions = 1_000_000

// gates are the callbacks that decide: about a connect request, or about what happens to an object.
type gates struct {
	runtime  *vm.Runtime
	dispatch *dispatcher
	used     int64 // instructions of the gates in this tick

	asking *joinCheck   // the request that the gates decide about now
	checks []*joinCheck // those that mods have deferred, the oldest first
}

// CanCheck reports whether the gates have instructions left in this tick.
func (s *hooks) CanCheck() bool { return s.gates.used < gateInstructions }

// ConnectRequest calls onConnectRequest in every mod. The first returned reason refuses the
// connection. A gate that fails, is suspended or uses up the budget refuses it too. If mods have
// deferred the request, it waits until all of them agree.
func (s *hooks) ConnectRequest(c *engine.Connection, args []string) (refuse string) {
	check := &joinCheck{conn: c}
	s.gates.asking = check
	refuse = s.askGates(c, args)
	s.gates.asking = nil
	if refuse != "" || len(check.waiting) == 0 {
		check.over = true
		return refuse
	}
	check.tell()
	s.gates.checks = append(s.gates.checks, check)
	return ""
}

// StillRefuses refuses nobody: a mod that has agreed does not decide twice.
func (s *hooks) StillRefuses(*engine.Connection) (refuse string) { return "" }

// askGates asks the mods in the order of loading.
func (s *hooks) askGates(c *engine.Connection, args []string) (refuse string) {
	defer s.Runtime.SetPeer(s.Runtime.SetPeer(peerOf(c)))
	values := append([]sim.Value{sim.String(c.Address())}, stringValues(args)...)
	for _, m := range slices.Clone(s.Runtime.Mods) {
		table, _ := m.Global("GameConnection").(*lua.LTable)
		if table == nil {
			continue
		}
		fn, ok := table.RawGetString(gateEvent).(*lua.LFunction)
		if !ok {
			continue
		}
		refuse, why := s.gates.ask(m, fn, c, values)
		if why != "" {
			s.Runtime.Log(slog.LevelWarn, "connect request refused: the mod "+m.Name+" cannot check it", "mod", m.Name, "address", c.Address(), "name", c.PlayerName, "why", why)
		}
		if refuse = cmp.Or(refuse, s.gates.asking.refuse); refuse != "" {
			return refuse
		}
	}
	return ""
}

// cannotCheck is the refusal of a mod that cannot decide.
func cannotCheck(m *vm.Mod) string {
	return fmt.Sprintf("the mod %s cannot check connect requests at the moment: try again later", m.Name)
}

// ask asks one mod about a connect request. refuse is the reason for the client. why is set if the
// mod could not answer.
func (g *gates) ask(m *vm.Mod, fn *lua.LFunction, c *engine.Connection, values []sim.Value) (refuse, why string) {
	failed := cannotCheck(m)
	if !m.Receives(gateEvent) {
		return failed, "it is suspended"
	}
	x := instanceOf(m)
	limit, before := g.runtime.Limits().Callback, g.runtime.InstructionCount()
	limit.Instructions = min(limit.Instructions, max(2*gateInstructions-g.used, 1))
	out, err := g.runtime.EnterEvent(gateEvent, m, fn, limit, append([]lua.LValue{x.values.Object(c.ID())}, x.values.ToLuaAll(values)...))
	g.used += min(limit.Instructions, g.runtime.InstructionCount()-before)
	switch {
	case err != nil:
		return failed, g.runtime.Fail(m, gateEvent, err).Text
	case len(out) == 0 || out[0] == lua.LNil || out[0] == lua.LFalse:
		return "", ""
	}
	return x.scripts.textFor(c, out[0]), ""
}

// Checks reports whether the class or the datablock of an object has a callback of this name. That
// of a suspended mod counts too: it refuses.
func (s *hooks) Checks(o sim.Object, name string) bool {
	if !s.chains.has(name) {
		return false
	}
	data := sim.BlockOf(o)
	return len(s.chains.classChain(o.Ident().Class(), name)) > 0 || data != nil && len(s.chains.blockChain(data, name)) > 0 || s.gates.checkSuspended(o, name)
}

// checkSuspended reports whether a suspended mod defines a callback of an object.
func (g *gates) checkSuspended(o sim.Object, name string) bool {
	return slices.ContainsFunc(g.runtime.Mods, func(m *vm.Mod) bool { return m.Suspended() != "" && instanceOf(m).checks(o, name) })
}

// checks reports whether this mod defines a callback for the class or the datablock of an object,
// or a parent of these.
func (x *instance) checks(o sim.Object, name string) bool {
	for c := o.Ident().Class(); c != nil; c = c.ParentClass() {
		if x.callbacks[classKey(c.Name)][name] != nil {
			return true
		}
	}
	for data := sim.BlockOf(o); data != nil; data = data.(sim.Datablock).Data().ParentBlock() {
		if x.callbacks[blockKey(data.Ident().Name())][name] != nil {
			return true
		}
	}
	return false
}

// Check runs the callback of the class, then that of the datablock with the amount of the first.
// One that refuses, fails or is suspended refuses for all.
func (s *hooks) Check(o sim.Object, name string, args []sim.Value) (verdict sim.Value, told bool) {
	if s.Runtime.Busy() && s.dispatch.mustWait(o, name) {
		return sim.Nil(), false
	}
	cause := s.causes.causeOf(o, name, args)
	if s.Runtime.OverShare(cause) {
		return sim.Bool(false), s.dispatch.postpone(cause, name)
	}
	defer s.Runtime.SetPeer(s.Runtime.SetPeer(cause))
	if s.gates.checkSuspended(o, name) {
		return sim.Bool(false), true
	}
	verdict = s.gates.checkChain(s.chains.eventLabel(o.Ident().Class().Name, name), s.chains.classChain(o.Ident().Class(), name), args, o)
	data := sim.BlockOf(o)
	if data == nil || verdict.Kind() == sim.KindBool || !o.Ident().Alive() {
		return verdict, true
	}
	if verdict.Kind() == sim.KindNumber {
		args = append([]sim.Value{verdict}, args[1:]...)
	}
	if of := s.gates.checkChain(name, s.chains.blockChain(data, name), args, data, o); !of.IsNil() {
		verdict = of
	}
	return verdict, true
}

// checkChain runs a chain of a check and returns its verdict: nil, false, or a number of at least
// 0.
func (g *gates) checkChain(event string, chain []target, args []sim.Value, about ...sim.Object) sim.Value {
	if len(chain) == 0 {
		return sim.Nil()
	}
	m := chain[0].mod
	if m.Refuses(event, true) {
		return sim.Bool(false)
	}
	out, ok := g.dispatch.runChain(event, chain, func(x *bind.Binding) ([]lua.LValue, error) {
		return payload{from: x, plain: args}.convertTo(x, about...)
	})
	switch {
	case !ok:
		return sim.Bool(false)
	case len(out) == 0 || out[0] == lua.LNil || out[0] == lua.LTrue:
		return sim.Nil()
	case out[0] == lua.LFalse:
		return sim.Bool(false)
	}
	if n, is := out[0].(lua.LNumber); is && n >= 0 && bind.IsFinite(sim.Number(float64(n))) {
		return sim.Number(float64(n))
	}
	g.runtime.Fail(m, event, fmt.Errorf("%s must return true, false, nil or a number of at least 0, not %s", event, bind.Literal(out[0])))
	return sim.Bool(false)
}
