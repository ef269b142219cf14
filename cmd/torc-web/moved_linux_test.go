package main

import (
	"io/fs"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node"
)

// desk is a mod that shows each player a form, a part of the HUD and a key, all with the name of
// the server. At arena-1 it has a V menu of its own.
var desk = fstest.MapFS{
	"desk/mod.toml": {Data: []byte("name = \"desk\"\nversion = \"1.0.0\"\ndepends = [\"ctf >=1.0\"]\n")},
	"desk/server/init.lua": {Data: []byte(`
		local name = setting "desk.name" { default = "", description = "the name of this server" }
		local said = {}
		function GameConnection.onClientEnterGame(client)
			local row = name.value == "lobby" and { kind = "field", name = "who", text = "Who?", value = "", length = 9 } or { kind = "text", text = "Stay here." }
			client:form { name = "desk", title = "desk of " .. name.value, rows = { row, { kind = "button", name = name.value, text = "at " .. name.value } },
				done = function(_, values) said[#said + 1] = values and values.button or "closed" end }
			client:hud { name = "sign." .. name.value, at = "top left", rows = { { kind = "text", text = "this is " .. name.value } } }
			client:bind("wave", "K", "wave at " .. name.value)
			if name.value == "arena-1" then import "base".voiceMenu { { "G", "greet", to = "all", { { "W", "Welcome!" } } } } end
		end
		function serverCmd.wave(client) said[#said + 1] = "waved" end
		addCommand { name = "said", description = "prints what players have done, sorted", run = function()
			table.sort(said)
			return table.concat(said, ", ")
		end }`)},
}

// shownOfServer is what the page shows of its server: the form, the HUD, the keys in the menu, and
// the buttons for them and for the V menu.
const shownOfServer = `[
	...Array.from(document.querySelectorAll("#forms .form:not([hidden])"), (f) => f.querySelector("h2").textContent + ": " + f.querySelectorAll("input").length + " fields, " + Array.from(f.querySelectorAll(".rows button"), (b) => b.textContent)),
	...Array.from(document.querySelectorAll(".element"), (e) => e.dataset.name + ": " + e.textContent),
	...Array.from(document.querySelectorAll("#keys article div"), (d) => d.firstChild.textContent + ": " + d.children[1].textContent),
	...Array.from(document.querySelectorAll("#game [data-bind]"), (b) => b.textContent),
	document.querySelector("#menu [data-do=voice]").hidden ? "no lines" : "lines",
].join("; ")`

// TestPageShowsTheNewServer: with the swap, the page shows the forms, the HUD, the keys, the V menu
// and the voices of the new server, and nothing of the old one. Actions of the player there reach
// the new one.
func TestPageShowsTheNewServer(t *testing.T) {
	peers := peersOf(t)
	b, p, servers := openFleet(t, func(name string, c *node.Config) {
		peers(name, c)
		c.Mods, c.Server.Load = []fs.FS{desk}, []string{"ctf", "desk"}
		c.Vars = append(c.Vars, node.Var{Name: "sv.voice", Value: "all"}, node.Var{Name: "desk.name", Value: name})
	}, microphone(t)...)
	lobby, arena := servers["lobby"], servers["arena-1"]
	var heard atomic.Int64 // frames of Ann
	bob, err := node.NewClient(node.Config{Common: node.Common{Name: "Bob"}, Client: node.ClientConfig{
		Address: arena.Address(), VoiceOut: hum(),
		VoiceIn: func(f engine.VoiceFrame) {
			if f.Talker.Name == "Ann" {
				heard.Add(1)
			}
		},
	}})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- bob.Run(t.Context()) }()
	shows := func(text string) {
		t.Helper()
		b.until(shownOfServer + ` === "` + text + `"`)
	}

	run(b, chromedp.Navigate(p.Origin+"/s/lobby/?line=ws"))
	run(b, chromedp.Evaluate[chromedp.Void](`localStorage.setItem("torc", JSON.stringify({name: "Ann", quality: "low", channel: 2}))`))
	run(b, chromedp.Reload())
	b.until(`globalThis.torc?.program.is("body")`)
	eval[bool](b, `document.querySelector("#start button").click(), true`)
	b.until(`!document.getElementById("ask").hidden`)
	b.strikesNow("F2")
	shows("desk of lobby: 1 fields, at lobby; sign.lobby: this is lobby; wave at lobby: K; wave at lobby; lines")
	b.strikesNow("KeyV")
	assert.Contains(t, eval[string](b, `document.getElementById("lines").textContent`), "Attack")
	b.press("KeyB", true)
	b.until(`torc.voice.microphone.open`)

	lobby.sends(b, "arena-1")
	assert.True(t, eval[bool](b, `!torc.voice.microphone.open && document.getElementById("lines").hidden`), "the player has said nothing here yet")
	b.until(`!document.getElementById("ask").hidden`)
	shows("desk of arena-1: 0 fields, at arena-1; sign.arena-1: this is arena-1; wave at arena-1: none; wave at arena-1; lines")
	b.strikesNow("F2", "Digit1", "KeyK")
	arena.soon("the new server has no answer", func() bool { return arena.exec("said") == "arena-1, waved" })
	b.until(`!torc.forms.shown`)
	b.strikesNow("KeyV", "KeyG", "KeyW")
	b.until(says("Ann: Welcome!"))
	lobby.soon("the old form has no end", func() bool { return lobby.exec("said") == "closed" })

	b.until(`torc.voice.speaking(performance.now()).some((t) => t.name === "Bob" && t.decoded > 25)`)
	assert.Zero(t, heard.Load(), "the microphone has closed with the swap")
	b.press("KeyB", false)
	b.press("KeyB", true)
	arena.soon("Bob does not hear Ann", func() bool { return heard.Load() > 25 })

	arena.sends(b, "lobby")
	shows("desk of lobby: 1 fields, at lobby; sign.lobby: this is lobby; wave at lobby: K; wave at lobby; lines")
	assert.True(t, eval[bool](b, `document.getElementById("ask").hidden && torc.voice.speaking(performance.now()).length === 0`))
	assert.Equal(t, "arena-1, waved", arena.exec("said"))
	require.NoError(t, bob.Close())
	require.NoError(t, <-ended)
	assert.Empty(t, b.complaints())
}
