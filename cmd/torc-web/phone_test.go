//go:build !js

package main

import (
	"math"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// touches sends a touch event with the points of all fingers.
func (b *browser) touches(kind input.DispatchTouchEventType, points ...float64) {
	b.t.Helper()
	list := []*input.TouchPoint{}
	for i := 0; i < len(points); i += 2 {
		list = append(list, &input.TouchPoint{X: points[i], Y: points[i+1], ID: new(float64(i / 2))})
	}
	_, err := chromedp.Call(b.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: list})
	require.NoError(b.t, err)
}

// middle returns the middle of an element in CSS pixels.
func (b *browser) middle(selector string) (x, y float64) {
	b.t.Helper()
	at := eval[[]float64](b, `(() => { const r = document.querySelector("`+selector+`").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	require.Len(b.t, at, 2)
	return at[0], at[1]
}

func TestPhonePlaysByTouch(t *testing.T) {
	b := openBrowser(t, 390, 844)
	run(b, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	_, url, key := newGame(t, "4")
	b.join(url, key, "Ann")
	b.until(`torc.view.ground > 0 && !document.getElementById("touch").hidden`)
	assert.LessOrEqual(t, eval[float64](b, `document.documentElement.scrollWidth`), 390.0, "nothing is wider than the screen")

	eye := func() (x, y float64) {
		at := eval[[]float64](b, `Array.from(torc.program.state.slice(torc.program.word.eye, torc.program.word.eye + 2))`)
		return at[0], at[1]
	}
	x, y := b.middle("#stick")
	fromX, fromY := eye()
	b.touches(input.DispatchTouchEventTypeTouchStart, x, y-50)
	b.until(`torc.program.get("speed") > 2`)
	b.picture("phone")
	b.touches(input.DispatchTouchEventTypeTouchEnd)
	nowX, nowY := eye()
	assert.Greater(t, math.Hypot(nowX-fromX, nowY-fromY), 0.1, "the stick walks")

	eval[bool](b, `addEventListener("mousedown", () => { globalThis.clicked = true }), true`)
	b.touches(input.DispatchTouchEventTypeTouchStart, 300, 300)
	b.touches(input.DispatchTouchEventTypeTouchEnd)
	yaw := eval[float64](b, `torc.program.get("yaw")`)
	b.touches(input.DispatchTouchEventTypeTouchStart, 300, 400)
	b.touches(input.DispatchTouchEventTypeTouchMove, 200, 400)
	b.touches(input.DispatchTouchEventTypeTouchEnd)
	b.until(`Math.abs(torc.program.get("yaw") - ` + number(yaw) + `) > 15`)

	assert.False(t, eval[bool](b, `!!globalThis.clicked`), "a finger is no mouse, and never locks one")

	x, y = b.middle("[data-hold=fire]")
	b.touches(input.DispatchTouchEventTypeTouchStart, x, y)
	b.until(`Array.from(torc.view.things.known.values()).some((k) => k.kind === "shot" || k.kind === "burst")`)
	b.touches(input.DispatchTouchEventTypeTouchEnd)
	x, y = b.middle("[data-tap=menu]")
	b.touches(input.DispatchTouchEventTypeTouchStart, x, y)
	b.touches(input.DispatchTouchEventTypeTouchEnd)
	b.until(`!document.getElementById("menu").hidden`)
	b.picture("phone-menu")
	assert.Empty(t, b.complaints())
}

// covered lists the pairs of a message and a button that lie over each other, and the buttons that
// a finger cannot hit.
const covered = `(() => {
	const shown = (e) => e.checkVisibility() && e.getBoundingClientRect();
	const wrong = [];
	for (const b of document.querySelectorAll("#touch [data-hold], #touch [data-tap], #slots")) {
		const r = shown(b);
		if (!r) continue;
		if (r.right > innerWidth || r.bottom > innerHeight || r.left < 0 || r.top < 0) wrong.push(b.textContent + " is outside");
		if (r.height < 44 || r.width < 44) wrong.push(b.textContent + " is small");
		for (const m of document.querySelectorAll("#messages div, #feed div, #line, #hud1, #hud2, #hud3, #map, .bar, #stick, #team")) {
			const p = shown(m), list = m.closest("#messages, #feed")?.getBoundingClientRect() ?? p; // a list is cut off
			if (p && p.left < r.right && p.right > r.left && Math.max(p.top, list.top) < r.bottom && Math.min(p.bottom, list.bottom) > r.top) wrong.push((m.id || m.textContent) + " over " + b.textContent);
		}
	}
	return wrong;
})()`

// TestPhoneJoinsByTouch: a tap on Join leaves the mouse free, so fingers play on. They change
// weapons and open the menu, also while another finger holds the stick. Nothing covers the buttons.
func TestPhoneJoinsByTouch(t *testing.T) {
	b := openBrowser(t, 390, 844)
	run(b, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	n, url, key := newGame(t, "2")
	s := server{n, t}
	run(b, chromedp.Navigate(url+"/#"+key))
	run(b, chromedp.Evaluate[chromedp.Void](`localStorage.setItem("torc", JSON.stringify({quality: "`+b.quality()+`"}))`))
	run(b, chromedp.Reload())
	b.until(`document.activeElement?.id === "name"`)
	assert.NotRegexp(t, `maximum-scale|user-scalable`, eval[string](b, `document.querySelector("meta[name=viewport]").content`), "a page can be zoomed")
	b.picture("phone-join")
	b.types("Ann")
	b.taps("#start button")
	b.until(`document.getElementById("start").hidden && torc.program.is("body") && torc.view.ground > 0`)
	s.notesKeys()
	b.frames(10)
	assert.True(t, eval[bool](b, `document.pointerLockElement === null`), "a finger takes no mouse")

	x, y := b.middle("#stick")
	b.touches(input.DispatchTouchEventTypeTouchStart, x, y-50)
	b.until(`torc.program.get("speed") > 2`)
	slotX, slotY := b.middle("#slots button:nth-child(2)")
	b.touches(input.DispatchTouchEventTypeTouchStart, x, y-50, slotX, slotY)
	b.touches(input.DispatchTouchEventTypeTouchEnd)
	b.until(`document.getElementById("hud3").textContent.startsWith("chaingun")`)
	s.keyed("slot2")

	eval[bool](b, `document.body.classList.add("voiced"), true`)
	for _, turned := range []struct {
		name          string
		width, height int64
	}{{"upright", 390, 844}, {"lying", 844, 390}} {
		run(b, chromedp.EmulateViewport(turned.width, turned.height, chromedp.EmulateMobile, chromedp.EmulateTouch))
		b.until(`innerWidth === ` + number(float64(turned.width)) + ` && Math.abs(torc.view.camera.aspect - innerWidth / innerHeight) < 0.01`)
		eval[bool](b, `(() => { for (let i = 0; i < 9; i++) { torc.hud.message("A long message about what happens in the game, number " + i, ""); torc.hud.obituary("Somebody gunned down somebody else"); } return true; })()`)
		b.until(`Math.abs(torc.view.camera.fov - ` + number(map[string]float64{"upright": 103.7, "lying": 73.7}[turned.name]) + `) < 0.5`)
		assert.Empty(t, eval[[]string](b, covered), turned.name)
		assert.Empty(t, eval[[]string](b, pale), turned.name)
		across := eval[float64](b, `2 * Math.atan(Math.tan(torc.view.camera.fov / 2 * Math.PI / 180) * torc.view.camera.aspect) * 180 / Math.PI`)
		assert.Greater(t, across, 60.0, "degrees from the left to the right")
		b.picture("phone-" + turned.name)
	}
	b.taps("[data-tap=menu]")
	b.until(`torc.menu.open && !document.getElementById("game").hidden`)
	b.picture("phone-game")
	b.taps("#game [data-do=resume]")
	b.until(`!torc.menu.open`)
	b.frames(10)
	assert.True(t, eval[bool](b, `document.pointerLockElement === null`), "a finger takes no mouse")
	assert.Empty(t, b.complaints())
}
