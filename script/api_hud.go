package script

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/texts"
	"github.com/torc-engine/torc/script/vm"
)

// hudLib has the functions for text on the client's screen.
func hudLib() vm.Lib {
	return bind.Chapter("The HUD", []bind.Row{
		bind.Def("setHud", "line: integer, [text: string?]", vm.Client, "Shows a text in line 1…16 of the HUD until the next call for that line. \\n in it begins a new line of the screen; nil or \"\" clears the line. On the server, the functions hud, centerPrint and bottomPrint of base do the same; the last two use lines 15 and 16.", setHud),
		bind.Def("client:hud", "element: {name: string, at: string, rows: HudRow[]}", vm.Server, "Shows the player an element of the HUD at a place of the screen: \"top left\", \"top\", \"top right\", \"left\", \"center\", \"right\", \"bottom left\", \"bottom\" or \"bottom right\". It has at most 32 rows with 4,096 bytes of text, and they are only seen. Another call with the name changes the element: only what differs is sent, a bar as its value and a table as its cells. It ends by closeHud, with the mission, and when the mod is reloaded or unloaded. A client has at most 16 elements. Nobody else sees them.", showElement),
		bind.Def("client:closeHud", "name: string -> boolean", vm.Server, "Removes this mod's element of the HUD of a name. Returns whether it was there.", func(a bind.Call) int {
			return a.Return(lua.LBool(a.Client(1).Forms().HideElement(a.Mod.Name, a.String(2))))
		}),
		bind.Def("hudToWatchers", "element: {name: string, at: string, rows: HudRow[]}", vm.Server, "Shows an element of the HUD to all spectators, sv.watchDelay later, and in the demo that this server records, like client:hud. Its texts are English, and an image shows its text.", showElementToWatchers),
		bind.Def("closeHudToWatchers", "name: string -> boolean", vm.Server, "Removes this mod's element of a name from the screens of the spectators. Returns whether it was there.", func(a bind.Call) int {
			return a.Return(lua.LBool(caller(a).scripts.engine.Demos.HideElement(a.Mod.Name, a.String(1))))
		}),
		bind.Def("HudRow.kind", `: "text"|"table"|"bar"|"look"|"image"`, vm.Server, "What the row is. Nothing in it can be pressed or chosen.", nil),
		bind.Def("HudRow.text", ": string|Text?", vm.Server, "The text of the row, or before its value. An \"image\" needs one.", nil),
		bind.Def("HudRow.value", ": number?", vm.Server, "Of a \"bar\": 0…1.", nil),
		bind.Def("HudRow.columns", ": any[]?", vm.Server, "Of a \"table\": the heads of 1 to 16 columns, as strings, numbers or texts.", nil),
		bind.Def("HudRow.rows", ": table[]?", vm.Server, "Of a \"table\": at most 255 rows, each a list of a string, number or text for each column.", nil),
		bind.Def("HudRow.look", ": SimObject?", vm.Server, "Of a \"look\": a datablock.", nil),
		bind.Def("HudRow.picture", ": string?", vm.Server, "Of an \"image\": the name of a file in the folder pictures, without its ending.", nil),
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

// showElement shows a player an element of the HUD. While files are loading it waits until the load
// succeeds, like commands.
func showElement(a bind.Call) int {
	c, x := a.Client(1), caller(a)
	e := readElement(formReader{a, x.scripts.readerOf(c)}, 2)
	onceLoaded(a, func() error { return c.Forms().ShowElement(x, a.Mod.Name, e) })
	return 0
}

// showElementToWatchers shows the spectators an element of the HUD.
func showElementToWatchers(a bind.Call) int {
	x := caller(a)
	e := readElement(formReader{a, reader{language: texts.English, isolates: true, engine: x.scripts.engine}}, 1)
	onceLoaded(a, func() error { return x.scripts.engine.Demos.ShowElement(x, a.Mod.Name, e) })
	return 0
}

// readElement reads an element of the HUD from argument i.
func readElement(r formReader, i int) form.Element {
	t := r.Options(i, "name", "at", "rows")
	e := form.Element{Name: r.text(t, "name", "name"), At: r.place(t.RawGetString("at")), Rows: r.rows(t.RawGetString("rows"), form.MaxElementRows)}
	e.Clean()
	r.Check(e.Check())
	return e
}

// place reads a place of the screen.
func (r formReader) place(v lua.LValue) form.Place {
	text, ok := v.(lua.LString)
	known := strings.Join(form.PlaceNames[:], ", ")
	if !ok {
		r.Fail("at must be one of %s, not %s", known, bind.KindOf(v))
	}
	i := slices.Index(form.PlaceNames[:], string(text))
	if i < 0 {
		hint := "must be one of " + known
		if near := spell.Nearest(string(text), form.PlaceNames[:]); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		r.Fail("at = %q: %s", vm.ClipText(string(text), form.MaxName), hint)
	}
	return form.Place(i)
}

// endElements removes the elements that an instance shows, or those of all mods if it is nil.
func endElements(e *engine.Host, of *instance) {
	var owner any
	if of != nil {
		owner = of
	}
	for _, c := range e.Connections() {
		if c.Inbound() {
			c.Forms().EndElements(owner)
		}
	}
	e.Demos.EndElements(owner)
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
