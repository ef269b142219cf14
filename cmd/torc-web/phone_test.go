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
