//go:build !js

package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// pale lists the texts with a contrast below 4.5 to 1 over a white or a black picture. A pixel of
// the picture can have any colour, so only the backgrounds of the elements count.
const pale = `(() => {
	const rgb = (text) => { const n = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0]; return { c: n.slice(0, 3), a: n[3] ?? 1 }; };
	const over = (top, below) => below.map((v, i) => top.c[i] * top.a + v * (1 - top.a));
	const light = (c) => c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
	const found = new Set();
	for (const e of document.querySelectorAll("body *")) {
		if (!e.checkVisibility({ visibilityProperty: true }) || e.disabled || !Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.data.trim())) continue;
		const layers = [];
		for (let p = e; p && p !== document.body; p = p.parentElement) {
			const style = getComputedStyle(p), image = style.backgroundImage.match(/rgba?\([^)]*\)/g);
			layers.unshift(rgb(image ? image[0] : style.backgroundColor));
		}
		const beside = e.parentElement.classList.contains("bar") && e.parentElement.querySelector("i");
		if (beside) layers.push(rgb(getComputedStyle(beside).backgroundColor));
		for (const picture of [[255, 255, 255], [0, 0, 0]]) {
			const below = layers.reduce((c, layer) => over(layer, c), picture), least = ratio(over(rgb(getComputedStyle(e).color), below), below);
			if (least < 4.5) found.add(least.toFixed(1) + " " + e.tagName + " " + (e.id || e.parentElement.id) + " " + e.textContent.slice(0, 20));
		}
	}
	return Array.from(found);
})()`

// TestEveryTextCanBeRead: the texts over the picture have enough contrast with all pictures, and
// teams have a sign besides their colour.
func TestEveryTextCanBeRead(t *testing.T) {
	b := openBrowser(t, 1600, 1000)
	n, url, key := newGame(t, "4")
	s := server{n, t}
	run(b, chromedp.Navigate(url+"/#"+key))
	b.until(`document.activeElement?.id === "name"`)
	assert.Empty(t, eval[[]string](b, pale), "the first page")
	b.join(url, key, "Ann")
	b.until(`torc.view.ground > 0 && torc.view.things.people.length > 2`)
	s.exec(`for c in clientGroup:each() do if not c.isBot then ann = c end end base = import "base"`)
	s.exec(`base.centerPrint(ann, "centre", 60) base.bottomPrint(ann, "bottom", 60) base.messageClient(ann, "MsgServer", "*** Server: hello") base.messageClient(ann, "MsgFrag", "a death") base.messageClient(ann, "MsgVote", "a vote") base.menu(ann, "m", "Choose", {"one", "two"})`)
	b.press("Tab", true)
	b.until(`document.querySelector("[data-name=scores] td") && torc.forms.shown && torc.hud.lines[15] && torc.hud.lines[16]`)
	eval[bool](b, `torc.hud.message("Bob: hello", "", true), torc.hud.message("error: no", "error"), document.getElementById("trouble").textContent = "the line is interrupted", true`)
	assert.Empty(t, eval[[]string](b, pale), "the game")
	assert.Contains(t, "▲■", eval[string](b, `document.getElementById("team").textContent`))
	b.picture("texts")
	for _, tab := range []string{"game", "settings", "keys", "console"} {
		eval[bool](b, `torc.menu.print("error: no"), torc.menu.print("> x", "typed"), torc.menu.show("`+tab+`"), true`)
		assert.Empty(t, eval[[]string](b, pale), tab)
		b.picture("menu-" + tab)
	}
	assert.Empty(t, b.complaints())
}

// TestScoresHaveColumns: the scores of ctf are a table with ping and team, and mark bots. So do the
// lines 4 to 14 of the HUD. Line 3 leaves out what the bars show.
func TestScoresHaveColumns(t *testing.T) {
	b := openBrowser(t, 1280, 960)
	_, url, key := newGame(t, "2")
	b.join(url, key, "Ann")
	b.until(`torc.hud.lines[3].includes("health 100")`)
	assert.Equal(t, "disc launcher 15", eval[string](b, `document.getElementById("hud3").textContent`))
	b.press("Tab", true)
	b.until(`document.querySelectorAll("[data-name=scores] tr").length >= 4`)
	row := func(of, n string) string {
		return eval[string](b, `Array.from(document.querySelectorAll("`+of+` tr")[`+n+`].children, (c) => c.tagName + " " + c.textContent).join("|")`)
	}
	assert.Equal(t, "TH score|TH kills|TH captures|TH deaths|TH ping|TH team|TH player", row("[data-name=scores]", "0"))
	assert.Regexp(t, `^(TD -?\d+\|){4}TD (bot|\d+)\|TD (Red|Blue)\|TD \w+$`, row("[data-name=scores]", "1"))
	assert.Contains(t, eval[[]string](b, `Array.from(document.querySelectorAll("[data-name=scores] td"), (c) => c.textContent)`), "bot")
	b.press("Tab", true)
	b.until(`!document.querySelector("[data-name=scores]")`)
	eval[bool](b, `torc.hud.setLine(4, "name"), torc.hud.setLine(5, "Two  words"), true`)
	assert.Equal(t, "TD Two|TD words", row("#board", "1"), "lines without a heading")
	eval[bool](b, `torc.hud.setLine(4, "points  name"), torc.hud.setLine(5, "1  Two  words"), torc.hud.setLine(6, "none"), true`)
	assert.Equal(t, "TD 1|TD Two  words", row("#board", "1"), "the last column takes the rest")
	assert.Equal(t, "TD none", row("#board", "2"))
}

// TestMenuBehindEscape: Escape opens a menu of what a player can do, and not the console.
func TestMenuBehindEscape(t *testing.T) {
	b := openBrowser(t, 1280, 960)
	n, url, key := newGame(t, "0")
	s := server{n, t}
	b.join(url, key, "Ann")
	b.until(`torc.view.ground > 0`)
	s.notesKeys()
	open := func() {
		t.Helper()
		b.press("Escape", true)
		b.until(`torc.menu.open && !document.getElementById("game").hidden && document.getElementById("console").hidden`)
		b.press("Escape", false)
	}
	click := func(selector string) { eval[bool](b, `document.querySelector("`+selector+`").click(), true`) }
	open()
	b.types(kb.Escape)
	b.until(`!torc.menu.open`)
	b.press("Backquote", true)
	b.until(`torc.menu.open && !document.getElementById("console").hidden`)
	b.types(kb.Escape)
	b.until(`!torc.menu.open`)

	for _, what := range []string{"loadout", "team"} {
		open()
		click("#game [data-do=" + what + "]")
		b.until(`torc.forms.shown && !torc.menu.open`)
		s.keyed(what)
		b.until(`document.querySelector(".form h2").textContent === "Choose a ` + what + `"`)
		b.press("Digit1", true)
		b.until(menuClosed)
		if what == "loadout" { // the teams are a form of ctf, whose buttons are no keys of the game
			s.keyed("slot1")
		}
	}
	b.until(says("You are in this team.") + " || " + says("The other team has no room."))

	open()
	click("#game [data-do=mute]")
	assert.Zero(t, eval[float64](b, `torc.view.sounds.volume`))
	click("#game [data-do=mute]")
	assert.NotZero(t, eval[float64](b, `torc.view.sounds.volume`))
	click("#game [data-tab=keys]")
	b.until(`!document.getElementById("keys").hidden`)
	keys := `Array.from(document.querySelectorAll("#keys button"), (b) => b.textContent)`
	assert.Equal(t, []string{"W", "S", "A", "D", "Space", "right button", "left button", "F"}, eval[[]string](b, keys)[:8])
	click("#keys [data-action=use]")
	b.press("KeyW", true)
	assert.Equal(t, "“walk forward” had W and now has no key.", eval[string](b, `document.querySelector("#keys p").textContent`))
	assert.Equal(t, "none", eval[[]string](b, keys)[0])
	assert.Equal(t, "W", eval[string](b, `document.querySelector("#keys [data-action=use]").textContent`))

	click("#menu nav [data-tab=settings]")
	eval[bool](b, `(() => { const name = document.querySelector("#settings input[type=text]"); name.value = "Zoë"; return name.dispatchEvent(new Event("change")); })()`)
	b.until(says("Ann is now called Zoë."))
	click("#menu nav [data-tab=game]")
	click("#game [data-do=leave]")
	b.until(`torc.ended !== undefined`)
	assert.Equal(t, "You have left the game.", eval[string](b, `document.getElementById("status").textContent`))
	for limit := testenv.Limit(t); ; testenv.Pause() {
		players := 0
		require.NoError(t, s.Do(func() { players = s.Host().Summary().Players }))
		if players == 0 {
			break
		}
		require.False(t, testenv.Expired(limit), "the server is told")
	}
	assert.Empty(t, b.complaints())
}

// TestKeyboardNames: the keys have the names of the keyboard, if the browser tells its layout.
func TestKeyboardNames(t *testing.T) {
	b := openBrowser(t, 640, 480)
	_, url, key := newGame(t, "0")
	b.beforePages(`Object.defineProperty(navigator, "keyboard", { value: { getLayoutMap: async () => new Map([["KeyW", "z"]]) } })`)
	b.join(url, key, "Ann")
	b.until(`document.querySelector("#keys [data-action=forward]").textContent === "Z"`)
	assert.Equal(t, "S", eval[string](b, `document.querySelector("#keys [data-action=back]").textContent`))
}

// TestAClickAnywhereBegins: the body of the player is in the game before the first click, so a
// click anywhere must do.
func TestAClickAnywhereBegins(t *testing.T) {
	b := openBrowser(t, 1280, 960)
	_, url, key := newGame(t, "0")
	b.open(url, key, "Ann")
	b.until(`document.getElementById("start").classList.contains("ready")`)
	assert.Contains(t, eval[string](b, `document.getElementById("status").textContent`), "You are in the game.")
	run(b, chromedp.MouseClickXY(20, 20))
	b.until(`document.getElementById("start").hidden && document.pointerLockElement !== null`)
	assert.Empty(t, b.complaints())
}

// TestWallsHide: neither a tag nor the camera behind the player goes through a wall.
func TestWallsHide(t *testing.T) {
	b := openBrowser(t, 1280, 720)
	n, url, key := newGame(t, "0")
	s := server{n, t}
	b.join(url, key, "Ann")
	b.until(`torc.view.ground > 0`)
	s.exec(`for c in clientGroup:each() do ann = c end
		local body = ann.controlObject
		way = vec(-math.sin(math.rad(body.rotation.yaw)), math.cos(math.rad(body.rotation.yaw)), 0)
		new "Player" { name = "Dummy", dataBlock = "LightArmor", team = body.team, position = body.position + way * 7 + vec(0, 0, 1), shapeName = "Dummy" }
		function wall(far) return new "Box" { name = "Wall", position = body.position + way * far - vec(0, 0, 2), size = vec(2, 2, 9), shape = "wall" } end`)
	tag := `Array.from(document.querySelectorAll("#tags div:not([hidden])"), (d) => d.textContent).join()`
	b.until(tag + `.endsWith("Dummy")`)
	assert.Equal(t, eval[string](b, `document.getElementById("team").textContent`)+"Dummy", eval[string](b, tag), "the sign of the team is before the name")
	s.exec(`wall(3.5)`)
	b.until(tag + ` === ""`)
	s.exec(`find("Wall"):delete()`)
	b.until(tag + `.endsWith("Dummy")`)

	behind := `Math.hypot(...["x", "y", "z"].map((a, i) => torc.view.camera.position[a] - torc.program.state[torc.program.word.eye + i]))`
	b.press("KeyX", true)
	b.until(`!torc.program.is("firstPerson") && ` + behind + ` > 5`)
	s.exec(`wall(-3.5)`)
	b.until(behind + ` < 3`)
	b.picture("wall")
	assert.Empty(t, b.complaints())
}
