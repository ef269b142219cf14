//go:build !js

package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/internal/testenv"
)

// bindPage is an empty page with the keys of the game, those of mods and the V menu. log has what
// they do.
const bindPage = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><title>keys</title>
<body><canvas id="view"></canvas><main id="hud"><div id="vote" hidden></div><div id="ask" hidden></div><div id="lines" hidden></div></main>
<div id="menu" hidden><section id="game"><button data-do="leave">Leave</button></section><section id="keys"></section></div><script type="module">
	import { Binds } from "/binds.js";
	import { Input } from "/input.js";
	import { Lines } from "/lines.js";
	import { settings } from "/settings.js";
	const log = globalThis.log = [], say = (text) => log.push(text);
	globalThis.settings = settings;
	globalThis.visit = (server) => { for (const e of document.querySelectorAll("#keys, #ask")) e.replaceChildren(); globalThis.binds = new Binds(server, { send: say, close() {}, silent: () => false }); };
	const lines = globalThis.lines = new Lines(document.getElementById("lines"), { say: (keys) => say("line " + keys) });
	new Input(document.getElementById("view"), { hold() {}, turn() {} }, {
		busy: () => false, typing: () => false, cancel: () => false, talk() {}, lines, watch: null,
		menu: () => say("menu"), chat: () => say("chat"), person: () => say("person"), key: say, slot: (n) => say("slot" + n),
		bound: (code) => binds.press(code), answer: (action) => binds.answer(action),
	});
	visit("server1");
	globalThis.ready = true;
</script>`

// openBinds opens the page of keys.
func openBinds(t *testing.T) *browser {
	t.Helper()
	b := openBrowser(t, 900, 1400)
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(www.FS))
	mux.HandleFunc("GET /binds", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(bindPage)) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	run(b, chromedp.Navigate(s.URL+"/binds"))
	b.until(`globalThis.ready`)
	return b
}

// strikes presses keys of the game and releases them, and returns what they have done.
func (b *browser) strikes(codes ...string) string {
	b.t.Helper()
	b.strikesNow(codes...)
	return eval[string](b, `log.splice(0).join(" ")`)
}

const threeBinds = `[{ mod: "m", name: "dance", key: "K", text: "dance" }, { mod: "m", name: "inventory", key: "I", text: "open the inventory" }, { mod: "m", name: "map", key: "T", text: "read the <b>map</b>" }]`

// TestKeysOfMods: the page asks the player once per server. The player says yes, another key or no,
// and changes the answers in the menu. No key of the page is taken.
func TestKeysOfMods(t *testing.T) {
	b := openBinds(t)
	asks := func(text string) {
		t.Helper()
		assert.Equal(t, text, eval[string](b, `document.getElementById("ask").hidden ? "" : document.querySelector("#ask p").textContent`))
	}
	eval[bool](b, `binds.show(`+threeBinds+`), true`)
	asks("This server would like K for “dance”.")
	b.picture("ask")
	eval[bool](b, `document.getElementById("vote").hidden = false, true`)
	assert.Equal(t, "vote no", b.strikes("KeyK", "F3"), "a vote comes first, and nothing has the key before the answer")
	eval[bool](b, `document.getElementById("vote").hidden = true, true`)
	b.strikes("F3")
	asks("This server would like I for “open the inventory”.")
	assert.Empty(t, b.strikes("F2"))
	asks("This server would like a key for “read the <b>map</b>”.")
	for _, taken := range [][2]string{{"KeyT", "“say to all” has T already."}, {"KeyI", "“open the inventory” has I already."}, {"Digit4", "“slot 4” has 4 already."}} {
		assert.Empty(t, b.strikes("F2", taken[0]))
		asks(taken[1])
	}
	b.clicks("#ask button")
	b.until(`document.querySelector("#ask p").textContent === "press a key…"`)
	assert.Empty(t, b.strikes("KeyM"))
	asks("")
	assert.Equal(t, "map chat inventory", b.strikes("KeyK", "KeyM", "KeyT", "KeyI"))
	eval[bool](b, `dispatchEvent(new KeyboardEvent("keydown", { code: "KeyI", ctrlKey: true })), true`)
	assert.Empty(t, b.strikes(), "Ctrl+I is the browser's")

	assert.Equal(t, `{"server1":{"m.dance":"","m.inventory":"KeyI","m.map":"KeyM"}}`, eval[string](b, `JSON.stringify(JSON.parse(localStorage.getItem("torc")).asked)`))
	eval[bool](b, `visit("server2"), binds.show(`+threeBinds+`), true`)
	asks("This server would like K for “dance”.")
	assert.Empty(t, b.strikes("KeyI", "KeyM"), "the answers are those for another server")
	eval[bool](b, `binds.show([]), visit("server1"), binds.show(`+threeBinds+`), true`)
	asks("")
	assert.Equal(t, "inventory", b.strikes("KeyI", "KeyK"), "it is asked once per server")

	const row = `Array.from(document.querySelectorAll("#keys article div"), (d) => d.firstChild.textContent + ":" + d.children[1].textContent).join()`
	eval[bool](b, `document.getElementById("menu").hidden = false, true`)
	assert.Equal(t, "dance:none,open the inventory:I,read the <b>map</b>:M", eval[string](b, row))
	waits := `document.querySelector("#keys article button").textContent === "press a key…"`
	b.clicks("#keys article div button")
	b.until(waits)
	assert.Empty(t, b.strikes("KeyW"))
	assert.Equal(t, "“walk forward” has W already.", eval[string](b, `document.querySelector("#keys p").textContent`))
	b.clicks("#keys article div button")
	b.until(waits)
	assert.Equal(t, "dance", b.strikes("KeyO", "KeyO"))
	assert.Equal(t, "read the <b>map</b>", eval[string](b, `settings.keys.jump = "KeyM", binds.lose("KeyM").join()`))
	b.picture("keys")
	b.clicks("#keys article div:nth-child(2) button:last-child")
	b.until(row + ` === "dance:O,open the inventory:none,read the <b>map</b>:none"`)
	assert.Empty(t, b.strikes("KeyI", "KeyM"))
	b.clicks("#game [data-bind$=map]")
	b.until(`log.length > 0`)
	assert.Equal(t, "map", b.strikes())
	eval[bool](b, `for (let i = 0; i < 150; i++) { visit("s" + i); binds.keep({ mod: "m", name: "x" }, "KeyU"); } true`)
	assert.Equal(t, 100, eval[int](b, `Object.keys(settings.asked).length`), "the oldest answers are forgotten")
	assert.Empty(t, b.complaints())
}

// TestVMenu goes through the menu by keys and by a click. Each letter goes one level deeper.
func TestVMenu(t *testing.T) {
	b := openBinds(t)
	const shown = `document.getElementById("lines").hidden ? "" : Array.from(document.querySelectorAll("#lines > *"), (e) => e.textContent).join()`
	assert.Empty(t, b.strikes("KeyV"), "this server has no menu")
	eval[bool](b, `lines.set("A>Attack¦AB Attack <b>it</b>!¦AV Vanish¦G>All¦GH Hello!¦bad¦"), true`)
	assert.Empty(t, b.strikes("KeyV"))
	assert.Equal(t, "say a line,AAttack …,GAll …", eval[string](b, shown))
	b.picture("lines")
	b.strikes("KeyA")
	assert.Equal(t, "Attack,BAttack <b>it</b>!,VVanish", eval[string](b, shown))
	assert.Equal(t, "line AV", b.strikes("KeyV"))
	assert.Empty(t, eval[string](b, shown))
	assert.Equal(t, "line GH", b.strikes("KeyV", "KeyG", "KeyH"))
	assert.Equal(t, "chat", b.strikes("KeyV", "KeyT"), "any other letter closes it, and is a key of the game")
	assert.Empty(t, eval[string](b, shown))
	b.strikes("KeyV", "ShiftLeft")
	b.clicks("#lines button:last-child")
	b.until(`document.querySelectorAll("#lines button").length === 1`)
	b.clicks("#lines button")
	b.until(`log.length > 0`)
	assert.Equal(t, "line GH", b.strikes())
	assert.Empty(t, b.strikes("KeyV", "Escape"), "Escape closes only the menu")
	assert.Equal(t, "menu person", b.strikes("Escape", "KeyX"))
	assert.Empty(t, b.complaints())
}

// TestKeysOfOldSettings: who has kept V for first or third person finds it at X, and nobody loses a
// key of their own.
func TestKeysOfOldSettings(t *testing.T) {
	b := openBinds(t)
	for kept, want := range map[string]string{
		`{}`: "KeyV KeyX", `{"person":"KeyV","jump":"Space"}`: "KeyV KeyX", `{"person":"KeyV","jump":"KeyX"}`: "KeyV ",
		`{"person":"KeyP"}`: "KeyV KeyP", `{"person":"KeyP","jump":"KeyV"}`: " KeyP", `{"person":"KeyV","voice":"KeyQ"}`: "KeyQ KeyV",
	} {
		got := b.result("localStorage.setItem(`torc`, JSON.stringify({ keys: " + kept + " })); const { settings } = await import(`/settings.js?" + want + "`); return settings.keys.voice + ` ` + settings.keys.person")
		assert.Equal(t, `"`+want+`"`, got, kept)
	}
}

// TestKeysAndLinesOfAServer asks for a key in a game of ctf, and says a line of its V menu.
func TestKeysAndLinesOfAServer(t *testing.T) {
	b := openBrowser(t, 640, 480)
	n, url, key := newGame(t, "0")
	s := server{n, t}
	b.join(url, key, "Ann")
	s.exec(`got = 0 function serverCmd.inventory(client) got = got + 1 end`)
	s.exec(`players()[1]:bind("inventory", "I", "open the inventory")`)
	b.until(`!document.getElementById("ask").hidden`)
	b.strikesNow("F2")
	b.until(`document.querySelector("#keys article button").textContent === "I"`)
	b.strikesNow("KeyI", "KeyV", "KeyG", "KeyH")
	b.until(`document.getElementById("output").textContent.includes("Ann: Hello!")`)
	for limit := testenv.Limit(t); s.exec(`return got`) != "1"; testenv.Pause() {
		require.False(t, testenv.Expired(limit))
	}
	assert.Empty(t, b.complaints())
}

// strikesNow presses keys and releases them. Their events go through the page, as those of a
// keyboard.
func (b *browser) strikesNow(codes ...string) {
	b.t.Helper()
	for _, code := range codes {
		eval[bool](b, `["keydown", "keyup"].forEach((kind) => document.body.dispatchEvent(new KeyboardEvent(kind, { code: "`+code+`", bubbles: true, cancelable: true }))), true`)
	}
}
