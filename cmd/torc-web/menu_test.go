//go:build !js

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
)

// server is the server of a test. It notes the keys that reach it.
type server struct {
	*node.Server
	t *testing.T
}

// exec runs a line of the server's console.
func (s server) exec(line string) (answer string) {
	s.t.Helper()
	require.NoError(s.t, s.Do(func() {
		var err error
		answer, err = s.Console().Exec(line)
		require.NoError(s.t, err)
	}))
	return answer
}

// notesKeys makes the server note keys, and sets ann to the player.
func (s server) notesKeys() {
	s.exec(`for c in clientGroup:each() do if not c.isBot then ann = c end end`)
	s.exec(`keys = {} override(serverCmd, "Key", function(parent, client, name) keys[#keys + 1] = name return parent() end)`)
}

// keyed waits until exactly these keys have reached the server since the last call.
func (s server) keyed(want string) {
	s.t.Helper()
	for limit := testenv.Limit(s.t); ; {
		got := strings.Trim(s.exec(`return table.concat(keys, " ")`), `"`)
		if got == want {
			break
		}
		require.False(s.t, testenv.Expired(limit), "keys %q", got)
	}
	s.exec(`keys = {}`)
}

const (
	menuOpen   = `document.querySelectorAll("#forms:not([hidden]) [data-name=menu] .row-button:enabled").length === 3`
	menuClosed = `document.getElementById("forms").hidden`
)

// says is the condition that a message contains a text.
func says(text string) string {
	return `Array.from(document.querySelectorAll("#messages div")).some((d) => d.textContent.includes(` + strconv.Quote(text) + `))`
}

// choice returns the selector of a choice of the open menu.
func choice(n string) string { return ".form .rows > button:nth-of-type(" + n + ")" }

// clicks clicks the middle of an element.
func (b *browser) clicks(selector string) {
	b.t.Helper()
	x, y := b.middle(selector)
	run(b, chromedp.MouseClickXY(x, y))
}

// types types keys. Unlike those of press, they let the page take the mouse.
func (b *browser) types(keys string) {
	b.t.Helper()
	run(b, chromedp.KeyEvent(keys))
}

// taps touches the middle of an element.
func (b *browser) taps(selector string) {
	b.t.Helper()
	x, y := b.middle(selector)
	b.touches(input.DispatchTouchEventTypeTouchStart, x, y)
	b.touches(input.DispatchTouchEventTypeTouchEnd)
}

// TestMenuByKeyAndMouse opens the menu of ctf with its key, and chooses by a number key and by a
// click. A number key also chooses from a menu that the player has not asked for. The mouse of the
// game is free while a menu is open that the player has asked for.
func TestMenuByKeyAndMouse(t *testing.T) {
	b := openBrowser(t, 1280, 720)
	n, url, key := newGame(t, "2")
	s := server{n, t}
	b.join(url, key, "Ann")
	b.until(`torc.view.ground > 0`)
	s.notesKeys()
	const locked, free = `document.pointerLockElement !== null`, `document.pointerLockElement === null`
	b.clicks("#view")
	b.until(locked)
	assert.True(t, eval[bool](b, menuClosed))

	b.types("l")
	b.until(menuOpen + " && " + free)
	assert.Equal(t, "Choose a loadout", eval[string](b, `document.querySelector(".form h2").textContent`))
	assert.Equal(t, "light medium heavy", eval[string](b, `Array.from(document.querySelectorAll(".row-button"), (b) => b.textContent).join(" ")`))
	assert.Zero(t, eval[int](b, `Array.from(document.querySelectorAll("#messages div")).filter((d) => d.textContent.includes("Choose")).length`), "it is no message")
	b.picture("menu")
	b.types("2")
	b.until(menuClosed + " && " + locked)
	s.keyed("loadout slot2")
	b.until(says("with the medium loadout"))

	b.types("l")
	b.until(menuOpen + " && " + free)
	b.clicks(choice("3"))
	b.until(menuClosed + " && " + locked)
	s.keyed("loadout slot3")
	b.until(says("with the heavy loadout"))

	menu := `import("base").menu(ann, "gear", "Two\nlines", {"a", "b", "c"})`
	eval[bool](b, `torc.input.asked = -1e9, true`)
	s.exec(menu)
	b.until(menuOpen)
	assert.True(t, eval[bool](b, locked), "nobody has asked for it")
	s.exec(`import("base").closeMenu(ann)`)
	b.until(menuClosed)
	s.exec(menu)
	b.until(menuOpen)
	b.types("2")
	b.until(menuClosed)
	s.keyed("slot2")
	s.exec(menu)
	b.until(menuOpen)
	run(b, chromedp.Evaluate[chromedp.Void](`document.exitPointerLock()`)) // as Escape does in a browser
	b.until(`document.activeElement.matches(".form")`)
	assert.True(t, eval[bool](b, menuOpen), "the menu only gets the keyboard")
	b.types(kb.Escape)
	b.until(menuClosed)
	s.keyed("cancel")
	assert.True(t, eval[bool](b, `document.getElementById("menu").hidden`), "only the menu of the game is closed")

	b.types("l")
	b.until(menuOpen)
	b.types(kb.Escape)
	b.until(menuClosed)
	s.keyed("loadout cancel")
	assert.True(t, eval[bool](b, `document.getElementById("menu").hidden`), "only the menu of the game is closed")
	assert.Empty(t, b.complaints())
}

// TestMenuByTouch opens the menu with the button of a phone, and chooses by a tap, upright and
// lying.
func TestMenuByTouch(t *testing.T) {
	b := openBrowser(t, 390, 844)
	n, url, key := newGame(t, "8")
	s := server{n, t}
	run(b, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.join(url, key, "Ann")
	b.until(`torc.view.ground > 0 && !document.getElementById("touch").hidden`)
	s.notesKeys()
	for _, turned := range []struct {
		name, chosen  string
		width, height int64
	}{{"upright", "heavy", 390, 844}, {"lying", "medium", 844, 390}} {
		run(b, chromedp.EmulateViewport(turned.width, turned.height, chromedp.EmulateMobile, chromedp.EmulateTouch))
		b.until(`innerWidth === ` + number(float64(turned.width)))
		b.taps("[data-tap=loadout]")
		b.until(menuOpen)
		b.picture("menu-" + turned.name)
		assert.True(t, eval[bool](b, `Array.from(document.querySelectorAll(".row-button")).every((b) => {
			const r = b.getBoundingClientRect(), hit = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
			return r.height >= 44 && r.width >= 44 && b.contains(hit);
		})`), "each choice can be tapped")
		if turned.chosen == "heavy" {
			b.taps(choice("3"))
			b.until(menuClosed)
			s.keyed("loadout slot3")
		} else {
			b.taps(choice("2"))
			b.until(menuClosed)
			s.keyed("loadout slot2")
		}
		b.until(says("with the " + turned.chosen + " loadout"))
		b.taps("[data-tap=scores]")
		b.until(`document.querySelector("[data-name=scores] td")`)
		b.picture("scores-" + turned.name)
		assert.True(t, eval[bool](b, `document.querySelector("[data-name=scores] table").getBoundingClientRect().right <= document.querySelector("[data-name=scores]").getBoundingClientRect().right`), "no column is cut off")
		assert.Less(t, eval[int](b, `Math.max(...Array.from(document.querySelectorAll("[data-name=scores] tr"), (row) => row.offsetHeight))`), 30, "each row is a line")
		assert.True(t, eval[bool](b, `(() => {
			const r = document.getElementById("map").getBoundingClientRect();
			return Array.from(document.querySelectorAll("#messages div")).every((d) => {
				const m = d.getBoundingClientRect(), list = document.getElementById("messages").getBoundingClientRect();
				return m.right <= r.left || Math.max(m.top, list.top) >= r.bottom;
			});
		})()`), "no message is over the map")
		b.taps("[data-tap=scores]")
		b.until(`!document.querySelector("[data-name=scores]")`)
		s.exec(`keys = {}`)
	}
	b.taps("[data-tap=loadout]")
	b.until(menuOpen)
	b.taps(".form .close")
	b.until(menuClosed)
	assert.Empty(t, b.complaints())
}

// TestTextsOfSeveralLines: a line end in a text of the server is a line break wherever the page
// shows it.
func TestTextsOfSeveralLines(t *testing.T) {
	b := openBrowser(t, 1280, 720)
	n, url, key := newGame(t, "0")
	s := server{n, t}
	b.join(url, key, "Ann")
	b.until(`torc.view.ground > 0`)
	s.notesKeys()
	s.exec(`base = import "base" base.messageAll("MsgAny", "one\nBob: two")`)
	b.until(says("one\nBob: two"))
	// Prints go after a minute, and the mod writes line 3 when the player's health or energy
	// changes, so the texts are sent again and again.
	s.exec(`function again()
		base.centerPrint(ann, "left\nright", 60) base.bottomPrint(ann, "up\ndown", 60) base.hud(ann, 3, "three\nfour")
		schedule(100, again)
	end again()`)
	for element, text := range map[string]string{"centre": "left\nright", "bottom": "up\ndown", "hud3": "three\nfour"} {
		b.until(`(() => {
			const e = document.getElementById("` + element + `");
			return e.innerText === ` + "`" + text + "`" + ` &&
				Math.round(e.getBoundingClientRect().height / (parseFloat(getComputedStyle(e).fontSize) * 1.35)) === 2;
		})()`)
	}
	assert.Equal(t, 1, eval[int](b, `Array.from(document.querySelectorAll("#output div")).filter((d) => d.textContent.includes("two")).length`), "a message is one piece")
	b.picture("lines")
	assert.Empty(t, b.complaints())
}
