package script

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// timeLib has the functions for simulation time.
func timeLib() vm.Lib {
	return chapter("Time", []row{
		{"function onTick(tick: integer)", "", vm.Both, "Runs once per tick of 32 ms.", nil},
		{"now", "-> integer", vm.Both, "Returns the simulation time in milliseconds.", func(a Call) int { return a.Return(lua.LNumber(a.binding().scripts.engine.Now())) }},
		{"tick", "-> integer", vm.Both, "Returns the number of ticks so far.", func(a Call) int { return a.Return(lua.LNumber(a.binding().scripts.engine.TickNumber())) }},
		{"schedule", "ms: number, fn: function, ...: any -> integer", vm.Both, "Calls fn after ms of simulation time. Returns an id for cancel.", schedule},
		{"obj:schedule", "ms: number, method: string, ...: any -> integer", vm.Both, "Calls obj:method(...) after ms, unless obj is deleted before.", scheduleMethod},
		{"cancel", "id: integer -> boolean", vm.Both, "Cancels a call that this mod has scheduled. Returns whether it was pending.", cancelEvent},
		{"isEventPending", "id: integer -> boolean", vm.Both, "Returns whether a scheduled call is still pending.", isPending},
	})
}

func schedule(a Call) int {
	fn := a.Function(2)
	x, args := a.binding(), keep(a, 3)
	return a.later(a.delay(1), 0, func() { x.scripts.call(x.mod, "schedule", fn, x.dropDeleted(args)...) })
}

// scheduleMethod schedules a method call. It looks up the method when the call is due.
func scheduleMethod(a Call) int {
	o, name := a.Object(1), a.String(3)
	id, args := o.Ident().ID(), keep(a, 4)
	x := a.binding()
	return a.later(a.delay(2), id, func() {
		if alive := x.world().Find(id); alive != nil {
			args := x.dropDeleted(args)
			fn := x.objectMethod(alive, name)
			if fn == nil {
				fn = x.callbackOf(alive, name)
			}
			if fn != nil {
				x.scripts.call(x.mod, "schedule", fn, append([]lua.LValue{x.object(id)}, args...)...)
				return
			}
			if !x.scripts.callback(alive, name, payload{from: x, values: args}) {
				x.scripts.Fail(x.mod, "schedule", fmt.Errorf("%s has no method %q", alive.Ident(), name))
			}
		}
	})
}

func (a Call) delay(i int) int64 {
	ms := a.Number(i)
	if !(ms >= 0 && ms <= 1<<40) {
		a.Fail("ms must be 0 or more, not %g", ms)
	}
	return int64(ms)
}

func (a Call) later(ms int64, owner sim.ID, fn func()) int {
	x := a.binding()
	if limit := x.scripts.caps.timers; x.scripts.engine.Schedule().OfMod(x.mod.Owner()) >= limit {
		a.Fail("a mod can have at most %d timers", limit)
	}
	cause := x.scripts.Peer()
	id := x.scripts.engine.Schedule().At(x.scripts.engine.Now(), ms, sim.Owner{Object: owner, Mod: x.mod.Owner(), Cause: sim.ID(cause)}, func() {
		defer x.scripts.SetPeer(x.scripts.SetPeer(x.scripts.connected(cause)))
		if !x.disabled && !x.mod.Refuses("schedule", true) {
			fn()
		}
	})
	return a.Return(lua.LNumber(id))
}

// cancelEvent cancels an event scheduled by this mod, including one scheduled before a reload.
// Events of other mods are left alone.
func cancelEvent(a Call) int {
	events, id := a.binding().scripts.engine.Schedule(), sim.TimerID(a.Int(1))
	of, _, _ := strings.Cut(events.Mod(id), "#")
	return a.Return(lua.LBool(of == a.Mod.Name && events.Cancel(id)))
}

func isPending(a Call) int {
	return a.Return(lua.LBool(a.binding().scripts.engine.Schedule().Pending(sim.TimerID(a.Int(1)))))
}
