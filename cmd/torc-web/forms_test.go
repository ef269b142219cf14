//go:build !js

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
)

// formPage is an empty page with the window of forms. answers are what the player has sent.
const formPage = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><title>forms</title>
<body><main id="hud"><div id="forms" hidden></div><div id="messages"><div>Ann: hello</div></div><input id="chat" aria-label="chat"></main><script type="module">
	import { Elements } from "/elements.js";
	import { Forms } from "/forms.js";
	const answers = globalThis.answers = [], mouse = globalThis.mouse = [];
	globalThis.wrong = "";
	const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
	const pictures = {
		1: { type: "image/webp", width: 1, height: 1, bytes: bytes("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==") },
		2: { type: "image/png", width: 9, height: 9, bytes: bytes("iVBORw0KGgo=") },
	};
	globalThis.forms = new Forms({
		picture: (number) => pictures[number] ?? null,
		answer: (...args) => { answers.push(JSON.stringify(args)); return globalThis.wrong; },
		mouse: (...args) => mouse.push(args.join()),
		idle: () => document.activeElement.id !== "chat", release() {},
	});
	globalThis.elements = new Elements(document.getElementById("hud"), (number) => pictures[number] ?? null);
	globalThis.form = (number, more, ...rows) => ({ number, replaces: 0, name: "shop", title: "Shop", complete: true, answered: false, rows, ...more });
	globalThis.row = (kind, name, more) => ({ kind, name, text: name, ...more });
</script>`

// openForms opens the page of forms.
func openForms(t *testing.T) *browser {
	t.Helper()
	b := openBrowser(t, 900, 1400)
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(www.FS))
	mux.HandleFunc("GET /forms", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(formPage)) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	run(b, chromedp.Navigate(s.URL+"/forms"))
	b.until(`globalThis.forms !== undefined`)
	return b
}

// answered returns the answers since the last call.
func (b *browser) answered() (all []string) {
	b.t.Helper()
	require.NoError(b.t, json.Unmarshal([]byte(eval[string](b, `JSON.stringify(answers.splice(0))`)), &all))
	return all
}

// everyRow is a form with a row of each kind.
const everyRow = `forms.show([form(7, {},
	row("text", "", { text: "Buy\nsomething" }), row("button", "buy", { text: "Buy" }), row("button", "sell"),
	row("field", "who", { length: 5, value: "" }), row("field", "many", { min: 1, max: 9, value: 3 }),
	row("choice", "size", { choices: ["small", "large"], value: 0 }), row("slider", "loud", { min: 0, max: 10, step: 1, value: 4 }),
	row("table", "item", { columns: ["Item", "Price"], rows: [["Disc", "5"], ["Mortar", "9"]], value: 0 }), row("table", "", { columns: ["a"], rows: [["b"]], value: 0 }),
	row("image", "", { text: "a dot", picture: 1, ready: true }), row("bar", "", { text: "health", value: 0.5 }), row("look", "", { text: "a flag", look: [{ kind: "box", at: [0, 0, 1], size: [1, 1, 2], color: 0xff0000, when: "" }] }),
	row("hologram", "new"))]), true`

// TestFormByMouse: a click presses a button, and the answer has the values that the player has
// touched.
func TestFormByMouse(t *testing.T) {
	b := openForms(t)
	eval[bool](b, everyRow)
	assert.Equal(t, "true", eval[string](b, `mouse.splice(0).join(" ")`), "the form asks for the mouse")
	b.picture("form")
	b.clicks(".form .row-button")
	assert.Equal(t, []string{"[7,1,[]]"}, b.answered(), "nothing is touched")

	eval[bool](b, `document.querySelector("tbody tr:nth-child(2) td:last-child").scrollIntoView({ block: "center" }), true`)
	b.clicks("tbody tr:nth-child(2) td:last-child")
	eval[bool](b, `document.querySelectorAll(".row-button")[1].scrollIntoView({ block: "center" }), true`)
	b.clicks(".form .rows > button:nth-of-type(2)")
	assert.Equal(t, []string{"[7,2,[[7,2]]]"}, b.answered(), "the second line of the table")
	assert.Empty(t, eval[string](b, `document.querySelector(".note").textContent`))
	eval[bool](b, `globalThis.wrong = "the price is too high", true`)
	b.clicks(".form .rows > button:nth-of-type(2)")
	assert.Equal(t, "the price is too high", eval[string](b, `document.querySelector(".note").textContent`))
	b.answered()

	b.clicks(".form .close")
	assert.Equal(t, []string{"[7]"}, b.answered(), "the cross closes it")
	eval[bool](b, `forms.show([]), true`)
	assert.True(t, eval[bool](b, `document.getElementById("forms").hidden && !forms.shown && !forms.press(1)`))
	assert.Equal(t, "false,true", eval[string](b, `mouse.splice(0).join(" ")`), "the game has the mouse again")
	assert.Empty(t, b.complaints())
}

// TestFormByKeys: Tab goes through the form, number keys press buttons outside of fields, Enter
// presses the next one, and Escape closes. No key reaches the game.
func TestFormByKeys(t *testing.T) {
	b := openForms(t)
	eval[bool](b, `globalThis.keys = 0, addEventListener("keydown", () => keys++), true`)
	eval[bool](b, `forms.show([form(1, {}, row("field", "who", { length: 5, value: "" }), row("field", "many", { min: 1, max: 9, integer: true, value: 3 }), row("button", "buy"), row("button", "sell"))]), true`)
	b.types("Zoë12")
	assert.Equal(t, "Zoë1", eval[string](b, `document.activeElement.value`), "five bytes, and the ë has two")
	b.types("\t1\r")
	assert.Equal(t, []string{`[1,2,[[0,"Zoë1"],[1,1]]]`}, b.answered())
	b.types("\t")
	assert.Equal(t, "buy", eval[string](b, `document.activeElement.textContent`))
	b.types("2")
	assert.Equal(t, []string{`[1,3,[[0,"Zoë1"],[1,1]]]`}, b.answered())
	assert.True(t, eval[bool](b, `forms.press(1) && !forms.press(3)`), "a number key of the game")
	b.answered()
	b.types("\x1b")
	assert.Equal(t, []string{"[1]"}, b.answered())
	assert.Zero(t, eval[int](b, `keys`))
	assert.Empty(t, b.complaints())
}

// TestWrongNumberInAForm: a wrong number is not sent and not changed. The player reads why, and the
// field has the keyboard.
func TestWrongNumberInAForm(t *testing.T) {
	b := openForms(t)
	eval[bool](b, `forms.show([form(1, {}, row("field", "price", { min: 0, max: 1, value: 0 }), row("field", "many", { min: 2, max: 9, integer: true, value: 7 }), row("button", "buy"))]), true`)
	const note, many = `document.querySelector(".note").textContent`, `document.querySelectorAll("input[type=number]")[1]`
	for _, typed := range []string{"12", "-4", "2.5", "1e1", "1", ""} {
		eval[bool](b, many+`.focus(), `+many+`.value = "`+typed+`", `+many+`.dispatchEvent(new Event("input")), true`)
		b.types("\r")
		b.clicks(".form .row-button")
		assert.Empty(t, b.answered(), typed)
		assert.Regexp(t, "^many: .{9}", eval[string](b, note), typed)
		assert.True(t, eval[bool](b, `document.activeElement === `+many), typed)
		assert.Equal(t, typed, eval[string](b, many+`.value`), "it is not changed")
	}
	eval[bool](b, many+`.value = "9", true`)
	b.types("\r")
	assert.Equal(t, []string{"[1,2,[[1,9]]]"}, b.answered())
	assert.Empty(t, eval[string](b, note))

	eval[bool](b, many+`.value = "5", true`)
	eval[bool](b, `forms.show([form(2, { replaces: 1 }, row("field", "many", { min: 0, max: 3, value: 1 }), row("button", "buy"))]), true`)
	b.types("\r")
	assert.Empty(t, b.answered(), "the next page keeps a number that is too large for it now")
	assert.Regexp(t, "^many: .*3", eval[string](b, note))
	assert.Empty(t, b.complaints())
}

// TestEnterInAForm: Enter in a row presses the next button below it, and none if there is none.
func TestEnterInAForm(t *testing.T) {
	b := openForms(t)
	eval[bool](b, `forms.show([form(1, {}, row("button", "medkit"), row("field", "who", { length: 9, value: "" }), row("field", "many", { min: 1, max: 9, value: 1 }), row("button", "give"), row("button", "close"), row("slider", "loud", { min: 0, max: 10, step: 1, value: 4 }))]), true`)
	for _, row := range []struct{ input, answer string }{{"[type=text]", "[1,3,[]]"}, {"[type=number]", "[1,3,[]]"}, {"[type=range]", ""}} {
		eval[bool](b, `document.querySelector(".form input`+row.input+`").focus(), true`)
		b.types("\r")
		answers := b.answered()
		if row.answer == "" {
			assert.Empty(t, answers)
			continue
		}
		assert.Equal(t, []string{row.answer}, answers)
	}
	assert.Empty(t, b.complaints())
}

// TestFormByTouch: a finger presses, and the fields can be reached.
func TestFormByTouch(t *testing.T) {
	b := openForms(t)
	eval[bool](b, `document.body.classList.add("touching"), forms.show([form(1, {}, row("slider", "loud", { min: 0, max: 10, step: 0, value: 4 }), row("button", "buy"))]), true`)
	b.taps(".form input")
	b.taps(".form .row-button")
	assert.Equal(t, []string{`[1,1,[[0,5]]]`}, b.answered(), "the middle of the slider")
	assert.GreaterOrEqual(t, eval[float64](b, `document.querySelector(".form .row-button").getBoundingClientRect().height`), 44.0)
	eval[bool](b, `forms.show([]), true`)
	b.elements()
}

// elements shows elements of the HUD at all places, on a screen of a computer and of a phone: each
// is where it says, none covers another or takes a touch, also from right to left. Rows that are as
// before stay.
func (b *browser) elements() {
	t := b.t
	eval[bool](b, `globalThis.names = ["top left", "top", "top right", "left", "center", "right", "bottom left", "bottom", "bottom right"], globalThis.element = (number, ...rows) => ({ number, name: "e" + number, at: names[number % 9], rows }), true`)
	eval[bool](b, `elements.show(names.map((_, i) => element(i, row("text", "", { text: "<b>" + i }), row("bar", "", { text: "health", value: 0.5 }), row("table", "", { columns: ["Kills"], rows: [["3"]], value: 0 })))), true`)
	where := `JSON.stringify(names.map((_, i) => {
		const { left, right, top, bottom } = document.querySelector("[data-name=e" + i + "]").getBoundingClientRect(), third = (v, all) => Math.floor(3 * v / all);
		return 3 * third((top + bottom) / 2, innerHeight) + third((left + right) / 2, innerWidth) + (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight ? 100 : 0);
	}).join())`
	covered := `names.map((_, i) => document.querySelector("[data-name=e" + i + "]").getBoundingClientRect()).some((a, i, all) => all.some((b, j) => j > i && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom))`
	for _, size := range [][2]int64{{900, 700}, {400, 800}} {
		run(b, chromedp.EmulateViewport(size[0], size[1]))
		eval[bool](b, fmt.Sprintf(`document.body.classList.toggle("touching", %t), true`, size[0] < 720))
		for _, dir := range []string{"ltr", "rtl"} {
			eval[bool](b, `document.documentElement.dir = "`+dir+`", true`)
			if size[0] > 720 {
				assert.Equal(t, `"0,1,2,3,4,5,6,7,8"`, eval[string](b, where), dir)
			} else { // above the thumbs, and beside the map
				assert.NotRegexp(t, `1\d\d`, eval[string](b, where), "outside of the screen")
			}
			assert.False(t, eval[bool](b, covered), "%v %s", size, dir)
		}
	}
	b.picture("elements")
	b.until(`document.getElementById("messages").getBoundingClientRect().bottom <= document.querySelector("[data-name=e6]").getBoundingClientRect().top`)
	assert.Equal(t, "none", eval[string](b, `getComputedStyle(document.querySelector("[data-name=e4]")).pointerEvents`))
	eval[bool](b, `globalThis.kept = document.querySelector("[data-name=e0] table"), elements.show([element(0, row("text", "", { text: "new" }), row("bar", "", { text: "health", value: 0.5 }), row("table", "", { columns: ["Kills"], rows: [["3"]], value: 0 })), element(10, row("image", "", { text: "a dot", picture: 1, ready: true }), row("look", "", { text: "a flag", look: null }))]), true`)
	assert.Equal(t, "new", eval[string](b, `document.querySelector("[data-name=e0] p").textContent`))
	assert.True(t, eval[bool](b, `kept.isConnected`), "a row that is as before")
	assert.Equal(t, 2, eval[int](b, `document.querySelectorAll(".element").length`))
	eval[bool](b, `elements.show([element(0, row("text", "", { text: "new" }))]), true`)
	assert.Equal(t, 1, eval[int](b, `document.querySelectorAll("[data-name=e0] > *").length`))
	assert.Empty(t, b.complaints())
}

// TestFormIsReplaced: the next form of a name keeps focus, typed text and scrolling. Rows arrive in
// parts.
func TestFormIsReplaced(t *testing.T) {
	b := openForms(t)
	eval[bool](b, `globalThis.more = Array.from({ length: 60 }, (_, i) => row("text", "", { text: "line " + i })), true`)
	eval[bool](b, `forms.show([form(1, {}, row("field", "who", { length: 20, value: "" }), row("choice", "size", { choices: ["a", "b"], value: 1 }), ...more)]), true`)
	b.types("Ann")
	eval[bool](b, `document.querySelector(".rows").scrollTop = 300, true`)
	eval[bool](b, `forms.show([form(2, { replaces: 1, title: "Store", complete: false }, row("text", "", { text: "new" }), row("field", "who", { length: 20, value: "Bob" }), row("choice", "size", { choices: ["a", "b"], value: 2 }))]), true`)
	eval[bool](b, `forms.show([form(2, { replaces: 1, title: "Store" }, row("text", "", { text: "new" }), row("field", "who", { length: 20, value: "Bob" }), row("choice", "size", { choices: ["a", "b"], value: 2 }), ...more)]), true`)
	assert.Equal(t, "Store 1 63 Ann 2 300", eval[string](b, `[document.querySelector("h2").textContent, document.querySelectorAll(".form").length, document.querySelectorAll(".rows > .row-text, .rows > label").length,
		document.activeElement.value, document.querySelector("select").value, document.querySelector(".rows").scrollTop].join(" ")`))
	b.types("a")
	assert.Equal(t, "OK", eval[string](b, `document.querySelector(".rows > button").textContent`), "a form with fields and no button")
	b.types("\r")
	assert.Equal(t, []string{`[2,-1,[[1,"Anna"]]]`}, b.answered())
	eval[bool](b, `forms.show([form(2, { answered: true }, row("text", "", { text: "new" }), row("field", "who", { length: 20, value: "Bob" }), row("choice", "size", { choices: ["a", "b"], value: 2 }), ...more)]), true`)
	assert.True(t, eval[bool](b, `document.querySelector(".rows input").disabled`))
	b.types("\r")
	assert.Empty(t, b.answered(), "it is answered")
	eval[bool](b, `forms.show([form(3, { replaces: 2 }, row("field", "who", { length: 20, value: "" }))]), true`)
	b.types("\r")
	assert.Equal(t, []string{`[3,-1,[[0,"Anna"]]]`}, b.answered(), "the next page has the focus of the answered one")
}

// TestPicturesInAForm: a picture takes the place of its text when it has arrived, and the text
// stays for a screen reader, and for a file that the browser cannot decode.
func TestPicturesInAForm(t *testing.T) {
	b := openForms(t)
	eval[bool](b, `globalThis.rows = (ready) => [row("image", "", { text: "a dot", picture: 1, ready }), row("image", "", { text: "a map", picture: 2, ready }), row("image", "", { text: "gone", picture: 3, ready })], true`)
	eval[bool](b, `forms.show([form(1, {}, ...rows(false))]), true`)
	const seen = `Array.from(document.querySelectorAll(".form .row-image"), (e) => e.textContent).join()`
	assert.Equal(t, "a dot,a map,gone", eval[string](b, seen))
	eval[bool](b, `forms.show([form(1, {}, ...rows(true))]), true`)
	b.until(`(() => { const img = document.querySelector(".form img[alt='a dot']"); return img?.complete && img.naturalWidth === 1; })()`)
	b.until(`document.querySelectorAll(".form img").length === 1`)
	assert.Equal(t, ",a map,gone", eval[string](b, seen), "the second file is damaged")
	eval[bool](b, `forms.show([form(1, {}, ...rows(false))]), true`)
	assert.Equal(t, "a dot,a map,gone", eval[string](b, seen), "the server has taken it back")
}

// TestFormsLieOverEachOther: the newest is seen, and the one below it comes back. A form does not
// take the keyboard from a player who types.
func TestFormsLieOverEachOther(t *testing.T) {
	b := openForms(t)
	eval[bool](b, `globalThis.one = form(1, { title: "one" }, row("field", "a", { length: 9, value: "" }), row("button", "x")), globalThis.two = form(2, { title: "two" }, row("button", "y")), true`)
	eval[bool](b, `forms.show([one]), true`)
	b.types("hi")
	eval[bool](b, `forms.show([one, two]), true`)
	const seen = `Array.from(document.querySelectorAll(".form:not([hidden]) h2"), (h) => h.textContent).join()`
	assert.Equal(t, "two", eval[string](b, seen))
	b.types("1")
	assert.Equal(t, []string{"[2,0,[]]"}, b.answered())
	eval[bool](b, `forms.show([one]), true`)
	assert.Equal(t, "one hi", eval[string](b, seen+` + " " + document.querySelector(".form input").value`))
	eval[bool](b, `forms.show([]), document.getElementById("chat").focus(), forms.show([two]), true`)
	b.types("1")
	assert.Empty(t, b.answered())
	assert.Equal(t, "1", eval[string](b, `document.getElementById("chat").value`))
	eval[bool](b, `document.getElementById("chat").blur(), forms.cancel(true), true`)
	b.types("1")
	assert.Equal(t, []string{"[2,0,[]]"}, b.answered(), "after the mouse is free")
}

// TestPictureOfAMod shows a picture from the folder of a mod in the page, under the policy of the
// server.
func TestPictureOfAMod(t *testing.T) {
	b := openBrowser(t, 1280, 960)
	var file bytes.Buffer
	drawn := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for i := range drawn.Pix {
		drawn.Pix[i] = byte(i*i>>7) | 0x80
	}
	require.NoError(t, png.Encode(&file, drawn))
	mod := fstest.MapFS{
		"shop/mod.toml":          {Data: []byte("name = \"shop\"\nversion = \"1.0.0\"\n")},
		"shop/pictures/disc.png": {Data: file.Bytes()},
		"shop/server/init.lua": {Data: []byte(`export("open", function(client)
			client:form { name = "shop", title = "Shop", rows = {
				{ kind = "image", picture = "disc", text = "A disc" }, { kind = "button", text = "Buy" } }, done = function() end }
		end)`)},
	}
	n, url, key := startGame(t, node.Config{
		Common: node.Common{Mods: []fs.FS{mod}, Vars: []node.Var{{Name: "sv.bots", Value: "0"}}},
		Server: node.ServerConfig{Load: []string{"ctf", "shop"}},
	})
	b.join(url, key, "Ann")
	server{n, t}.exec(`import("shop").open(players()[1])`)
	b.until(`(() => { const img = document.querySelector("#forms img"); return img?.complete && img.naturalWidth === 64; })()`)
	assert.Equal(t, "A disc 64 48", eval[string](b, `(() => { const img = document.querySelector("#forms img"); return [img.alt, img.naturalWidth, img.naturalHeight].join(" "); })()`))
	b.picture("picture")
	assert.Empty(t, b.complaints())
}

// TestFormOfAMod opens a form of the server in the page: the answer reaches Lua, and the next form
// of the name takes its place.
func TestFormOfAMod(t *testing.T) {
	b := openBrowser(t, 1280, 960)
	n, url, key := newGame(t, "0")
	s := server{n, t}
	b.join(url, key, "Ann")
	s.exec(`ann = players()[1]`)
	s.exec(`answers = {}`)
	s.exec(`function shop(coins)
		ann:form { name = "shop", title = "Shop", rows = {
			{ kind = "text", text = coins .. " coins" }, { kind = "field", name = "who", text = "for", length = 12 },
			{ kind = "choice", name = "what", choices = { "disc", "mortar" } }, { kind = "button", name = "buy", text = "Buy" } },
			done = function(client, values) answers[#answers + 1] = values and values.button .. " " .. values.what .. " for " .. values.who or "closed" if values and coins > 0 then shop(coins - 1) end end }
	end`)
	s.exec(`shop(1)`)
	b.until(`torc.forms.shown && torc.forms.top.rows.length === 4`)
	eval[bool](b, `document.querySelector("#forms select").value = 2, document.querySelector("#forms select").dispatchEvent(new Event("change")), document.querySelector("#forms input").focus(), true`)
	b.types("Zoë")
	b.clicks("#forms .row-button")
	b.until(`torc.forms.shown && document.querySelector("#forms p").textContent === "0 coins" && !torc.forms.top.answered`)
	assert.Equal(t, "Zoë", eval[string](b, `document.querySelector("#forms input").value`))
	b.picture("shop")
	b.types("\x1b")
	b.until(`!torc.forms.shown`)
	for limit := testenv.Limit(t); s.exec(`return #answers`) != "2"; testenv.Pause() {
		require.False(t, testenv.Expired(limit))
	}
	assert.Equal(t, `"buy 2 for Zoë, closed"`, s.exec(`return table.concat(answers, ", ")`))
	assert.Empty(t, b.complaints())
}
