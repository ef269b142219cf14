package script

import (
	"fmt"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// hudLib has the functions for text on the client's screen.
func hudLib() vm.Lib {
	return bind.Chapter("The HUD", []bind.Row{
		bind.Def("setHud", "line: integer, [text: string?]", vm.Client, "Shows a text in line 1…16 of the HUD until the next call for that line. \\n in it begins a new line of the screen; nil or \"\" clears the line. On the server, the functions hud, centerPrint and bottomPrint of base do the same; the last two use lines 15 and 16.", setHud),
	})
}

// viewLib has the functions for the player's camera and for effects that cover the screen.
func viewLib() vm.Lib {
	return bind.Chapter("The player's view", []bind.Row{
		bind.Def("client:setDamageFlash", "strength: number, [ms: number]", vm.Server, "Tints the player's screen as pain does, with a strength of 0…1. The tint fades within ms of simulation time (default 1000); with 0 it stays until the next call.", setTint(engine.DamageFlash)),
		bind.Def("client:setWhiteOut", "strength: number, [ms: number]", vm.Server, "Tints the player's screen as bright light does, like setDamageFlash.", setTint(engine.WhiteOut)),
		bind.Def("client.damageFlash", ": number", vm.Both, "How strongly setDamageFlash tints the player's screen now, 0…1.", nil),
		bind.Def("client.whiteOut", ": number", vm.Both, "How strongly setWhiteOut tints the player's screen now, 0…1.", nil),
		bind.Def("client:setFirstPerson", "on: boolean", vm.Both, "Changes the player's camera to first person or third person. On a client use server:setFirstPerson; the server learns of it. The server requests it from the client's program.", func(a bind.Call) int { a.Client(1).Camera.SetFirstPerson(a.Bool(2)); return 0 }),
		bind.Def("client.firstPerson", ": boolean", vm.Both, "Whether the player's camera is in first person, as at the start. On the server it is what the client has reported.", nil),
		bind.Def("client:setControlCameraFov", "degrees: integer", vm.Both, "Changes the field of view of the player's camera, 1…179 degrees, like setFirstPerson.", func(a bind.Call) int { a.Client(1).Camera.SetFOV(a.IntIn(2, 1, engine.MaxFOV)); return 0 }),
		bind.Def("client.controlCameraFov", ": integer", vm.Both, "The field of view of the player's camera in degrees, 90 at the start. On the server it is what the client has reported.", nil),
	})
}

func setTint(k engine.Tint) func(bind.Call) int {
	return func(a bind.Call) int {
		c, strength, fade := a.Client(1), a.Number(2), int64(1000)
		if !(strength >= 0 && strength <= 1) {
			a.Fail("strength must be 0…1, not %g", strength)
		}
		if a.Has(3) {
			fade = a.Delay(3)
		}
		c.Tints.Set(k, strength, fade)
		return 0
	}
}

func setHud(a bind.Call) int {
	line := a.IntIn(1, 1, HudLines)
	v, err := bind.FromLua(a.Get(2))
	switch v.Kind() {
	case sim.KindNil, sim.KindString, sim.KindTag, sim.KindNumber:
	default:
		err = fmt.Errorf("no text")
	}
	if err != nil {
		a.Wrong(2, "a string")
	}
	caller(a).scripts.screen.setHud(line, v.Print(nil))
	return 0
}
