package wasm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"syscall/js"
	"unsafe"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/voice"
	"github.com/torc-engine/torc/game/scene"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/play"
)

// The settings of the program, the client of the page, and the datagram that JavaScript has written
// for receive.
var (
	common node.Common
	client *play.Client
	ended  bool
	inbox  [netcore.MaxDatagram]byte
)

// page has the functions that JavaScript passes to start.
var page js.Value

//go:wasmimport torc send
func sendDatagram(line int32, at unsafe.Pointer, length int32)

// send passes a datagram to a line. JavaScript copies it.
func send(to netcore.Addr, b []byte) {
	if len(b) > 0 {
		sendDatagram(int32(to.Port), unsafe.Pointer(&b[0]), int32(len(b)))
	}
}

// frame runs what is due, and fills the slab and the state. It returns 0 when the client has ended.
//
//go:wasmexport frame
func frame() int32 {
	if client == nil || ended {
		return 0
	}
	if err := client.Step(); err != nil {
		ended = true // the page still shows the last frame
		_ = client.Close()
		page.Call("ended", err.Error())
		return 0
	}
	tellRules()
	tellForms()
	tellElements()
	tellBinds()
	return 1
}

// receive handles the first bytes of the inbox as a datagram of a line.
//
//go:wasmexport receive
func receive(line, length int32) {
	if client != nil && !ended && length > 0 && int(length) <= len(inbox) {
		client.ReceiveFrom(netcore.LocalAddr(uint16(line)), inbox[:length])
	}
}

// hold sets what the player holds: translations of -1…1, and the bits of the triggers.
//
//go:wasmexport hold
func hold(right, forward, up float64, triggers int32) {
	if client != nil {
		client.Hold(play.Input{Right: right, Forward: forward, Up: up, Triggers: uint32(triggers)})
	}
}

// turn turns the view, in degrees: yaw to the left, pitch up.
//
//go:wasmexport turn
func turn(yaw, pitch float64) {
	if client != nil {
		client.Turn(yaw, pitch)
	}
}

// Run is the client of a page, with the classes, commands, mods, scripts and variables of c. Name,
// Password, Identity, Log and Output come from the page. Call it from main; it does not return.
func Run(c node.Common) error {
	common = c
	ready := js.Global().Get("torcReady")
	ready.Invoke(js.ValueOf(map[string]any{
		"start":    export(start),
		"line":     export(line),
		"complete": export(complete),
		"command":  export(command),
		"say":      export(say),
		"rename":   export(rename),
		"answer":   export(answer),
		"picture":  export(picture),
		"view":     export(view),
		"observe":  export(observe),
		"next":     export(next),
		"followed": export(followed),
		"reel":     export(reel),
		"text":     export(text),
		"elements": export(elements),
		"terrain":  export(terrain),
		"wrong":    export(wrong),
		"identity": export(identity),
		"reached":  export(reached),
		"follow":   export(follow),
	}))
	select {}
}

// export makes a function for JavaScript.
func export(f func(args []js.Value) any) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args) })
}

// identity returns a new key of a player as text.
func identity([]js.Value) any {
	id, err := seal.NewIdentity(rand.Reader)
	if err != nil {
		return ""
	}
	text, err := id.MarshalText()
	if err != nil {
		return ""
	}
	return string(text)
}

// start makes the client: start({address, key, name, password, identity, language, watch}, page),
// or start({demo}, page). It returns the layout of the memory, or a text that says why there is no
// client.
func start(args []js.Value) any {
	given := args[0]
	page = args[1]
	cfg := node.Config{
		Common: common,
		Client: node.ClientConfig{Message: func(kind, text string) { page.Call("message", kind, text) },
			Effect:  func(kind string) { page.Call("effect", kind) },
			Hud:     func(line int, text string) { page.Call("hud", line, text) },
			VoiceIn: hear,
			Demo:    keepDemo},
	}
	cfg.Log, cfg.Output = slog.New(logger{}), func(text string) { page.Call("print", text) }
	var err error
	if demo := given.Get("demo"); demo.Truthy() {
		data := make([]byte, demo.Length())
		js.CopyBytesToGo(data, demo)
		client, err = play.NewReplay(cfg, data)
	} else {
		client, err = join(given, cfg)
	}
	if err != nil {
		client = nil
		return err.Error()
	}
	return layout()
}

// keepDemo passes a recorded demo to the page: its name, and the parts of its file as a list.
func keepDemo(name string, parts [][]byte) {
	list := make([]any, len(parts))
	for i, b := range parts {
		list[i] = js.Global().Get("Uint8Array").New(len(b))
		js.CopyBytesToJS(list[i].(js.Value), b)
	}
	page.Call("demo", name, list)
}

// join makes the client of a game.
func join(given js.Value, cfg node.Config) (*play.Client, error) {
	var id seal.KeyPair
	if err := id.UnmarshalText([]byte(given.Get("identity").String())); err != nil {
		return nil, err
	}
	cfg.Client.Address = given.Get("address").String() + "#" + given.Get("key").String()
	cfg.Name, cfg.Password = given.Get("name").String(), given.Get("password").String()
	cfg.Identity, cfg.Client.Reconnect, cfg.Client.Watch = &id, true, given.Get("watch").Truthy()
	if language := given.Get("language"); language.Truthy() {
		cfg.Client.Language = language.String()
	}
	followBy(&cfg.Client)
	return play.New(cfg, send)
}

// reel changes the demo, and returns its state: reel(pause, value), reel(speed, percent),
// reel(seek, seconds) or reel() is {at, length, speed, paused}, or null for a game.
func reel(args []js.Value) any {
	if client == nil {
		return nil
	}
	if len(args) == 2 {
		switch args[0].String() {
		case "pause":
			client.Pause(args[1].Truthy())
		case "speed":
			client.SetSpeed(args[1].Int())
		case "seek":
			client.Seek(args[1].Float())
		}
	}
	r, ok := client.Reel()
	if !ok {
		return nil
	}
	return map[string]any{"at": r.At, "length": r.Length, "speed": r.Speed, "paused": r.Paused}
}

// layout tells JavaScript where everything is.
func layout() js.Value {
	at := func(p unsafe.Pointer) int { return int(uintptr(p)) }
	kinds := map[string]any{}
	for k := scene.Unseen; k < scene.Kinds; k++ {
		kinds[k.String()] = int(k)
	}
	states := map[string]any{}
	for name, bit := range play.States {
		states[name] = int(bit)
	}
	return js.ValueOf(map[string]any{
		"states": states, "protocol": int(netcore.ProtocolVersion),
		"inbox": at(unsafe.Pointer(&inbox)), "inboxBytes": len(inbox),
		"slab": at(unsafe.Pointer(&client.Slab.Words)), "state": at(unsafe.Pointer(&client.State)),
		"rowWords": scene.RowWords, "maxRows": scene.MaxRows, "stateWords": play.StateWords, "kinds": kinds,
		"row": map[string]any{
			"id": scene.WordID, "kind": scene.WordKind, "flags": scene.WordFlags, "team": scene.WordTeam,
			"position": scene.WordPosition, "rotation": scene.WordRotation, "velocity": scene.WordVelocity,
			"size": scene.WordSize, "health": scene.WordHealth, "energy": scene.WordEnergy, "age": scene.WordAge,
			"mount": scene.WordMount, "name": scene.WordName, "shape": scene.WordShape,
			"states": scene.WordStates, "state": scene.WordState, "look": scene.WordLook, "held": scene.WordHeld, "fade": scene.WordFade,
			"own": scene.FlagOwn, "down": scene.FlagDown,
		},
		"frame": map[string]any{
			"flags": play.WordFlags, "rows": play.WordRows, "edition": play.WordEdition, "ground": play.WordGround,
			"tick": play.WordTick, "eye": play.WordEye, "yaw": play.WordYaw, "pitch": play.WordPitch, "fov": play.WordFOV,
			"damageFlash": play.WordDamageFlash, "whiteOut": play.WordWhiteOut, "ping": play.WordPing, "loss": play.WordLoss,
			"bars": play.WordBars, "health": play.WordHealth, "energy": play.WordEnergy, "ride": play.WordRide,
			"team": play.WordTeam, "speed": play.WordSpeed, "corrections": play.WordCorrections, "sight": play.WordSight, "followed": play.WordFollowed,
			"ready": play.FlagReady, "body": play.FlagBody, "firstPerson": play.FlagFirstPerson,
			"paused": play.FlagPaused, "riding": play.FlagRiding, "watching": play.FlagWatching,
		},
	})
}

// line runs a line of the console: line(text).
func line(args []js.Value) any {
	if client != nil {
		client.Line(args[0].String())
	}
	return nil
}

// complete returns the candidates for the word before a position in UTF-8 bytes: complete(text,
// pos) is {start, words}.
func complete(args []js.Value) any {
	if client == nil {
		return nil
	}
	words, from := client.Complete(args[0].String(), args[1].Int())
	list := make([]any, len(words))
	for i, w := range words {
		list[i] = w
	}
	return map[string]any{"start": from, "words": list}
}

// command sends a command to the server: command(name, ...texts). It returns what went wrong, or
// "".
func command(args []js.Value) any {
	if client == nil {
		return "not connected to a server"
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.String()
	}
	if err := client.Command(texts[0], texts[1:]...); err != nil {
		return err.Error()
	}
	return ""
}

// say sends a frame of the player's voice: say(channel, range, silence, bytes).
func say(args []js.Value) any {
	if client != nil {
		var b [voice.MaxFrame]byte
		if n := args[3].Length(); n <= len(b) {
			js.CopyBytesToGo(b[:], args[3])
			client.Say(args[0].Int(), args[1].Int(), args[2].Int(), b[:n])
		}
	}
	return nil
}

// hear passes a frame of another player's voice to the page.
func hear(f engine.VoiceFrame) {
	data := js.Global().Get("Uint8Array").New(len(f.Data))
	js.CopyBytesToJS(data, f.Data)
	t := f.Talker
	page.Call("heard", int(t.Number), float64(t.Client), console.Clean(t.Name), hex.EncodeToString(t.Mark[:]), float64(t.Object), int(f.Channel), int(f.Number), data)
}

// told are the rules of voice that the page knows.
var told engine.VoiceRules

// permits are the names of voice.Permit for the page.
var permits = [voice.Permits]string{voice.May: "may", voice.Muted: "muted", voice.Roleless: "role"}

// tellRules tells the page the rules of voice, if they have changed.
func tellRules() {
	r := client.Voice()
	if r == told {
		return
	}
	told = r
	page.Call("voice", map[string]any{"mode": r.Mode.String(), "channels": int(r.Channels), "permit": permits[r.Permit], "recorded": r.Recorded})
}

// tellForms passes the open forms to the page, if they have changed: page.forms(list), the oldest
// first. A page without that function shows none.
//
//	form  {number, replaces, name, title, rows, complete, answered}
//	row   {kind, name, text, …} with the keys of a mod's row: value, length, min, max, step, choices,
//	      columns, rows; look is a list of elements as elements returns it, or null; picture is the number
//	      of a picture, and ready is true when it has arrived
//
// replaces is the number of the form whose place it took, or 0. complete is false while rows are
// still on their way. answered is true from the answer until the server closes or replaces the
// form. The value of a choice or a table is a number from 1, or 0 for none.
func tellForms() {
	shown, changed := client.Forms()
	if !changed || page.Get("forms").Type() != js.TypeFunction {
		return
	}
	list := make([]any, len(shown))
	for i, f := range shown {
		list[i] = client.Plain(f)
	}
	page.Call("forms", list)
}

// tellElements passes the parts of the HUD to the page, if they have changed: page.elements(list),
// the oldest first, each as {number, name, at, rows}. at is the name of a place, such as top left,
// and rows are as those of forms. A page without that function shows none.
func tellElements() {
	shown, changed := client.HudElements()
	if !changed || page.Get("elements").Type() != js.TypeFunction {
		return
	}
	list := make([]any, len(shown))
	for i, e := range shown {
		list[i] = client.PlainHudElement(e)
	}
	page.Call("elements", list)
}

// tellBinds passes the keys that mods ask for to the page, if they have changed: page.binds(list),
// by mod and name, each as {mod, name, key, text}. A press is the command name. A page without that
// function has no such keys.
func tellBinds() {
	asked, changed := client.Binds()
	if !changed || page.Get("binds").Type() != js.TypeFunction {
		return
	}
	list := make([]any, len(asked))
	for i, b := range asked {
		list[i] = map[string]any{"mod": b.Mod, "name": b.Name, "key": b.Key.String(), "text": b.Text}
	}
	page.Call("binds", list)
}

// answer answers a form: answer(number, button, values), with the row of the pressed button from 0,
// or -1, and values as a list of [row, value]: a text for a field of texts, else a number.
// answer(number) closes the form. It returns what went wrong, or "".
func answer(args []js.Value) any {
	if client == nil {
		return "not connected to a server"
	}
	a := form.Answer{Number: uint32(args[0].Int()), Closed: len(args) == 1, Button: form.NoButton}
	if !a.Closed {
		a.Button = args[1].Int()
		for i := range args[2].Length() {
			v := args[2].Index(i)
			one := form.Value{Row: v.Index(0).Int(), IsText: v.Index(1).Type() == js.TypeString}
			if one.IsText {
				one.Text = v.Index(1).String()
			} else {
				one.Number = v.Index(1).Float()
			}
			a.Values = append(a.Values, one)
		}
	}
	if err := client.Answer(a); err != nil {
		return err.Error()
	}
	return ""
}

// picture returns a picture of a form by its number, or null: {type, width, height, bytes}, with
// the media type and the size in pixels that its bytes have.
func picture(args []js.Value) any {
	if client == nil {
		return nil
	}
	p := client.Picture(uint32(args[0].Int()))
	if p == nil {
		return nil
	}
	data := js.Global().Get("Uint8Array").New(len(p.Data))
	js.CopyBytesToJS(data, p.Data)
	return map[string]any{"type": p.Type.String(), "width": p.Width, "height": p.Height, "bytes": data}
}

// rename asks for another name of the player: rename(name). It returns what went wrong, or "".
func rename(args []js.Value) any {
	if client == nil {
		return "not connected to a server"
	}
	if err := client.Rename(args[0].String()); err != nil {
		return err.Error()
	}
	return ""
}

// view changes the player's camera: view(firstPerson, degrees).
func view(args []js.Value) any {
	if client != nil {
		client.View(args[0].Bool(), args[1].Int())
	}
	return nil
}

// observe changes how a spectator looks at the game: observe(sight).
func observe(args []js.Value) any {
	if client != nil {
		client.Observe(play.Sight(args[0].Int()))
	}
	return nil
}

// next follows the next player, or the one before: next(1 or -1).
func next(args []js.Value) any {
	if client != nil {
		client.Next(args[0].Int())
	}
	return nil
}

// followed returns the name of the player that a spectator follows, or "".
func followed([]js.Value) any {
	if client == nil {
		return ""
	}
	return client.Followed()
}

// text returns the text of a number in the slab: text(number).
func text(args []js.Value) any {
	if client == nil {
		return ""
	}
	return client.Slab.Text(uint32(args[0].Int()))
}

// elements returns the elements of a look: elements(number) is a list, or null.
func elements(args []js.Value) any {
	if client == nil {
		return nil
	}
	if all := client.Elements(uint32(args[0].Int())); all != nil {
		return all
	}
	return nil
}

// wrong says what is wrong with the line to the server: wrong() is "" if it works.
func wrong([]js.Value) any {
	if client == nil {
		return ""
	}
	return client.LineText()
}

// terrain returns the terrain: terrain() is {size, square, x, y, z, heights}, or null. heights is
// the place of size × size float32 in the memory, until the next frame.
func terrain([]js.Value) any {
	if client == nil {
		return nil
	}
	r, heights, ok := client.Ground()
	if !ok || len(heights) == 0 {
		return nil
	}
	return map[string]any{
		"size": r.Size, "square": r.Square, "x": r.Corner.X, "y": r.Corner.Y, "z": r.Corner.Z,
		"heights": int(uintptr(unsafe.Pointer(&heights[0]))),
	}
}

// logger passes the log to the page.
type logger struct{ attrs string }

func (logger) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (l logger) Handle(_ context.Context, r slog.Record) error {
	text := r.Level.String() + " " + r.Message + l.attrs
	r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	page.Call("log", text)
	return nil
}

func (l logger) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		l.attrs += " " + a.String()
	}
	return l
}

func (l logger) WithGroup(string) slog.Handler { return l }
