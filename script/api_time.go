package script

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// timeLib has the functions for simulation time.
func timeLib() vm.Lib {
	return bind.Chapter("Time", []bind.Row{
		bind.Def("function onTick(tick: integer)", "", vm.Both, "Runs once per tick of 32 ms.", nil),
		bind.Def("now", "-> integer", vm.Both, "Returns the simulation time in milliseconds.", func(a bind.Call) int { return a.Return(lua.LNumber(caller(a).scripts.engine.Now())) }),
		bind.Def("tick", "-> integer", vm.Both, "Returns the number of ticks so far.", func(a bind.Call) int { return a.Return(lua.LNumber(caller(a).scripts.engine.TickNumber())) }),
		bind.Def("schedule", "ms: number, fn: function, ...: any -> integer", vm.Both, "Calls fn after ms of simulation time. Returns an id for cancel.", schedule),
		bind.Def("obj:schedule", "ms: number, method: string, ...: any -> integer", vm.Both, "Calls obj:method(...) after ms, unless obj is deleted before.", scheduleMethod),
		bind.Def("every", "ms: number, fn: function, ...: any -> integer", vm.Both, "Calls fn every ms of simulation time, at most once per tick. Returns an id for cancel.", every),
		bind.Def("spawn", "fn: function, ...: any", vm.Both, "Starts fn(...) as a thread, in the next tick at the latest. It can call wait. After 250,000 instructions without wait it stops where it is until the next tick. An error ends only this thread. Unloading the mod ends it.", spawn),
		bind.Def("obj:spawn", "fn: function, ...: any", vm.Both, "Starts fn(obj, ...) as a thread, which also ends when obj is deleted.", spawnMethod),
		bind.Def("wait", "ms: number", vm.Both, "Suspends the thread for ms, at least until the next tick. It works only in a function that spawn has started, and not inside a pcall. In test files it runs the game.", waitThread),
		bind.Def("getEventTimeLeft", "id: integer -> integer?", vm.Both, "Returns the ms until a scheduled call, or nil if it is not pending.", eventTime(func(begun, due, now int64) int64 { return max(due-now, 0) })),
		bind.Def("getScheduleDuration", "id: integer -> integer?", vm.Both, "Returns the ms from scheduling a call to the call, or nil if it is not pending.", eventTime(func(begun, due, now int64) int64 { return due - begun })),
		bind.Def("getTimeSinceStart", "id: integer -> integer?", vm.Both, "Returns the ms since a call was scheduled, or nil if it is not pending.", eventTime(func(begun, due, now int64) int64 { return now - begun })),
		bind.Def("cancel", "id: integer -> boolean", vm.Both, "Cancels a call that this mod has scheduled. Returns whether it was pending.", cancelEvent),
		bind.Def("cancelAll", "[obj: Object] -> integer", vm.Both, "Cancels every timer and waiting thread of this mod, or only those of an object, which obj:schedule and obj:spawn made. Returns how many were pending.", cancelAll),
		bind.Def("isEventPending", "id: integer -> boolean", vm.Both, "Returns whether a scheduled call is still pending.", isPending),
	})
}

func schedule(a bind.Call) int {
	fn := a.Function(2)
	x, args := caller(a), bind.Rest(a, 3)
	return later(a, a.Delay(1), 0, fn, func() { x.scripts.dispatch.call(x.mod, scheduleEvent, fn, x.values.DropDeleted(args)...) })
}

// scheduleMethod schedules a method call. It looks up the method when the call is due.
func scheduleMethod(a bind.Call) int {
	o, name := a.Object(1), a.String(3)
	id, args := o.Ident().ID(), bind.Rest(a, 4)
	x := caller(a)
	return later(a, a.Delay(2), id, name, func() {
		if alive := x.values.World().Find(id); alive != nil {
			args := x.values.DropDeleted(args)
			fn := x.values.ObjectMethod(alive, name)
			if fn == nil {
				fn = x.callbackOf(alive, name)
			}
			if fn != nil {
				x.scripts.dispatch.call(x.mod, scheduleEvent, fn, append([]lua.LValue{x.values.Object(id)}, args...)...)
				return
			}
			if !x.scripts.dispatch.callback(alive, name, payload{from: x.values, values: args}) {
				x.scripts.Runtime.Fail(x.mod, scheduleEvent, fmt.Errorf("%s has no method %q", alive.Ident(), name))
			}
		}
	})
}

func later(a bind.Call, ms int64, owner sim.ID, what any, fn func()) int {
	return a.Return(lua.LNumber(after(a, scheduleEvent, ms, owner, what, fn)))
}

func after(a bind.Call, event string, ms int64, owner sim.ID, what any, fn func()) sim.TimerID {
	return startTimer(a, event, owner, what, fn, func(s *sim.Schedule, now int64, o sim.Owner, do func()) sim.TimerID { return s.At(now, ms, o, do) })
}

// The handlers of timers.
const (
	scheduleEvent = "schedule"
	everyEvent    = "every"
	threadEvent   = "spawn"
)

// retryTime is the time in ms after which a timer whose handler is suspended looks again.
const retryTime = 320

// startTimer schedules fn for this mod by the function at. event is the handler that fn calls, and
// what describes it for the list of timers. While the handler is suspended, a timer waits, because
// whatever schedules itself again would end otherwise.
func startTimer(a bind.Call, event string, owner sim.ID, what any, fn func(), at func(*sim.Schedule, int64, sim.Owner, func()) sim.TimerID) sim.TimerID {
	x := caller(a)
	cause := x.scripts.Runtime.Peer()
	x.checkTimers(a, sim.ID(cause))
	return at(x.scripts.engine.Schedule(), x.scripts.engine.Now(), sim.Owner{Object: owner, Mod: x.mod.Owner(), Cause: sim.ID(cause), What: what}, func() { x.due(event, cause, fn) })
}

// checkTimers fails if the mod has no room for another timer with a cause. The mod's own timers
// have a limit, and those that clients cause have the same once more. So no client uses up the
// timers of the mod, and vm.MayUse keeps some for each client.
func (x *instance) checkTimers(a bind.Call, cause sim.ID) {
	s, mod, limit := x.scripts.engine.Schedule(), x.mod.Owner(), x.scripts.caps.timers
	own := s.OfCause(mod, 0)
	if cause == 0 && own >= limit {
		a.Fail("a mod can have at most %d timers", limit)
	}
	if cause != 0 && !vm.MayUse(s.OfCause(mod, cause), s.OfMod(mod)-own, limit) {
		a.Fail("the clients of a mod can have at most %d timers, one client %d", limit, vm.PartOf(limit))
	}
}

// due runs fn, of a timer that is due, for the peer that has caused the timer.
func (x *instance) due(event string, cause vm.Peer, fn func()) {
	defer x.scripts.Runtime.SetPeer(x.scripts.Runtime.SetPeer(x.scripts.causes.connected(cause)))
	switch {
	case x.disabled || x.mod.Refuses(event, true):
	case !x.mod.Receives(event):
		x.scripts.engine.Schedule().Retry(retryTime)
	default:
		fn()
	}
}

func every(a bind.Call) int {
	ms, fn := a.Delay(1), a.Function(2)
	x, args := caller(a), bind.Rest(a, 3)
	return a.Return(lua.LNumber(startTimer(a, everyEvent, 0, fn, func() { x.scripts.dispatch.call(x.mod, everyEvent, fn, x.values.DropDeleted(args)...) }, func(s *sim.Schedule, now int64, o sim.Owner, do func()) sim.TimerID {
		return s.Every(now, ms, o, do)
	})))
}

// eventTime returns a function of Lua that computes something from the times of a timer of its mod.
func eventTime(compute func(begun, due, now int64) int64) func(bind.Call) int {
	return func(a bind.Call) int {
		e, id := caller(a).scripts.engine, sim.TimerID(a.Int(1))
		if of, _, _ := strings.Cut(e.Schedule().Mod(id), "#"); of != a.Mod.Name || !e.Schedule().Pending(id) {
			return a.Return(lua.LNil)
		}
		begun, due := e.Schedule().Times(id)
		return a.Return(lua.LNumber(compute(begun, due, e.Now())))
	}
}

// warnOfWait warns once for each instance of a mod that wait fails inside a pcall or a coroutine,
// which can drop the error.
func (x *instance) warnOfWait(a bind.Call, why string) {
	if x.toldWait {
		return
	}
	x.toldWait = true
	x.scripts.warn(fmt.Sprintf("%s: %swait: %s", x.mod.Name, vm.CallerPosition(a.L, 1), why))
}

// cancelEvent cancels an event scheduled by this mod, including one scheduled before a reload.
// Events of other mods are left alone.
func cancelEvent(a bind.Call) int {
	events, id := caller(a).scripts.engine.Schedule(), sim.TimerID(a.Int(1))
	of, _, _ := strings.Cut(events.Mod(id), "#")
	return a.Return(lua.LBool(of == a.Mod.Name && events.Cancel(id)))
}

// cancelAll is cancelEvent for all events of this mod, or for its events of one object.
func cancelAll(a bind.Call) int {
	events, object, n := caller(a).scripts.engine.Schedule(), sim.ID(0), 0
	if a.Has(1) {
		object = a.Object(1).Ident().ID()
	}
	list := events.List(object)
	a.Charge(4 * len(list))
	for _, t := range list {
		if modOfTimer(t) == a.Mod.Name && events.Cancel(t.ID) {
			n++
		}
	}
	return a.Return(lua.LNumber(n))
}

// listTimers implements `mod timers [MOD]`.
func (c *modCommands) listTimers(args []string) (string, error) {
	if len(args) > 1 {
		return "", errors.New("usage: mod timers [MOD]")
	}
	mod := ""
	if len(args) == 1 {
		m, err := c.findLoaded(args[0])
		if err != nil {
			return "", err
		}
		mod = m.Name
	}
	return timerTable(c.scripts.engine.Schedule().List(0), mod, c.scripts.engine.World(), c.scripts.engine.Now()), nil
}

func isPending(a bind.Call) int {
	return a.Return(lua.LBool(caller(a).scripts.engine.Schedule().Pending(sim.TimerID(a.Int(1)))))
}
