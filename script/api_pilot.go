package script

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// pilotLib has the functions for bots and pilots. On a client the same methods drive its own
// control object: server:moveTo(...).
func pilotLib() vm.Lib {
	return bind.Chapter("Bots and pilots", []bind.Row{
		bind.Def("addBot", "[name: string] -> Client", vm.Server, "Adds a bot and returns it: a client without a person. It joins, causes the same callbacks and leaves like other clients. The methods below steer it.", addBot),
		bind.Def("client.isBot", ": boolean", vm.Both, "Whether the client is a bot.", nil),
		bind.Def("client:aim", "[at: vec|Object?]", vm.Both, "Aims at a vec, or follows an object; nil ends it. Works for bots, and on a client for server: it aims the client's control object.", aim),
		bind.Def("client:moveTo", "[to: vec?, [near: number]]", vm.Both, "Goes straight towards a vec until the distance is below near in metres (default 0.5); nil stops.", moveTo),
		bind.Def("client.moving", ": boolean", vm.Both, "Whether it is still moving to the goal of moveTo.", nil),
		bind.Def("client:stop", "", vm.Both, "Stops moving. Aim and triggers stay.", func(a bind.Call) int { pilotArg(a).Stop(); return 0 }),
		bind.Def("client:setTrigger", "trigger: integer, held: boolean", vm.Both, "Presses or releases a trigger: 0 fire, 1 alternate fire, 2 jump, 3 jet, 4 crouch, 5 use.", setTrigger),
		bind.Def("client:setMove", "move: {x: number?, y: number?, z: number?, yaw: number?, pitch: number?, roll: number?, triggers: integer[]?, freeLook: boolean?}", vm.Both, "Makes this move in every tick until stop. x, y and z are -1…1 to the right, forward and up. yaw, pitch and roll are degrees per tick. triggers lists the pressed triggers.", setMove),
		bind.Def("client.steeredBy", ": string?", vm.Both, "The name of the last mod that steered it with these methods, or nil.", nil),
		bind.Def("client.moves", ": table", vm.Both, "A table of move counters. For moves executed here: done, null, dropped, mismatches. For moves made here: made, halts, states, corrections, visible, largestWarp.", nil),
	})
}

func addBot(a bind.Call) int {
	name := a.OptString(1, "Bot")
	if len(name) > sim.MaxName {
		a.Fail("argument 1 (name) must be at most %d bytes, not %d", sim.MaxName, len(name))
	}
	c, err := caller(a).scripts.engine.AddBot(name)
	if err != nil {
		a.Fail("%s", err)
	}
	caller(a).scripts.objects.record(a.Mod, c.ID())
	return a.Return(a.Binding().Object(c.ID()))
}

// pilotArg returns the pilot of argument 1: a bot, or this client. If another mod used it last, the
// pilot is reset first.
func pilotArg(a bind.Call) *engine.Pilot {
	c := a.Client(1)
	if c.Inbound() && !c.Bot() {
		a.Fail("%s is controlled by a remote player: the server can steer only bots", console.Quote(c.PlayerName))
	}
	steering := caller(a).scripts.objects.steeredBy
	last := steering[c.ID()]
	if w := a.Binding().World(); w.InTransaction() { // checked first, because scripts call this on every tick
		was := c.Pilot
		w.OnRollback(func() { c.Pilot, steering[c.ID()] = was, last })
	}
	if last != a.Mod.Name {
		c.Pilot = engine.Pilot{}
		steering[c.ID()] = a.Mod.Name
	}
	return &c.Pilot
}

func aim(a bind.Call) int {
	p := pilotArg(a)
	switch v := a.GameArg(2); v.Kind() {
	case sim.KindNil:
		p.AimAtObject(nil)
	case sim.KindVec:
		p.AimAt(v.Vec())
	case sim.KindObject:
		o := a.Object(2)
		if _, ok := o.(sim.Placer); !ok {
			a.Fail("%s has no position to aim at", o.Ident())
		}
		p.AimAtObject(o)
	default:
		a.Wrong(2, "a vec, an object or nil")
	}
	return 0
}

func moveTo(a bind.Call) int {
	p := pilotArg(a)
	switch v := a.GameArg(2); v.Kind() {
	case sim.KindNil:
		p.Stop()
	case sim.KindVec:
		near := 0.0
		if a.Has(3) {
			near = a.Finite(3)
		}
		p.MoveTo(v.Vec(), near)
	default:
		a.Wrong(2, "a vec or nil")
	}
	return 0
}

func setTrigger(a bind.Call) int {
	p := pilotArg(a)
	p.SetTrigger(a.IntIn(2, 0, sim.MoveTriggers-1), a.Bool(3))
	return 0
}

func setMove(a bind.Call) int {
	p := pilotArg(a)
	t := a.Options(2, "x", "y", "z", "yaw", "pitch", "roll", "triggers", "freeLook")
	share := func(key string) int8 { return int8(math.Round(symmetricOption(a, t, key, 1) * sim.MoveFull)) }
	angle := func(key string) int16 { return int16(sim.Turn(symmetricOption(a, t, key, 180))) }
	m := sim.Move{
		X: share("x"), Y: share("y"), Z: share("z"),
		Yaw: angle("yaw"), Pitch: angle("pitch"), Roll: angle("roll"),
		FreeLook: lua.LVAsBool(t.RawGetString("freeLook")),
	}
	switch list := t.RawGetString("triggers").(type) {
	case *lua.LNilType:
	case *lua.LTable:
		for i := 1; i <= list.Len(); i++ {
			n, ok := list.RawGetInt(i).(lua.LNumber)
			if !ok || !(n >= 0 && n < sim.MoveTriggers) || n != lua.LNumber(math.Trunc(float64(n))) {
				a.Fail("a trigger must be a number 0…%d, not %s", sim.MoveTriggers-1, bind.Literal(list.RawGetInt(i)))
			}
			m.SetTrigger(int(n), true)
		}
	default:
		a.Fail("triggers must be a list of numbers, not %s", bind.KindOf(list))
	}
	p.SetMove(m)
	return 0
}

// symmetricOption returns the number in a table's field, which must be from -most to most. A
// missing field is 0.
func symmetricOption(a bind.Call, t *lua.LTable, key string, most float64) float64 {
	v := t.RawGetString(key)
	if v == lua.LNil {
		return 0
	}
	n, ok := v.(lua.LNumber)
	if !ok || !(math.Abs(float64(n)) <= most) {
		a.Fail("%s must be a number from %g to %g, not %s", key, -most, most, bind.Literal(v))
	}
	return float64(n)
}
