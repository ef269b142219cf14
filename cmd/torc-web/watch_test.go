//go:build !js

package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSpectatorsWatch opens the link for spectators: they see the players, follow them, fly, and
// look from above. They are no players.
func TestSpectatorsWatch(t *testing.T) {
	b := openBrowser(t, 1280, 720)
	s, url, key := newGame(t, "6")
	run(b, chromedp.Navigate(url+"/watch#"+key))
	b.until(`globalThis.torc?.program.is("ready") && torc.program.is("watching") && torc.view.things.people.length > 2`)
	run(b, chromedp.Evaluate[chromedp.Void](`document.querySelector("#start button").click()`))
	require.NoError(t, s.Do(func() { assert.Zero(t, s.Host().Summary().Players) }))
	b.until(`document.getElementById("watch").textContent.startsWith("following ")`)
	b.until(`torc.hud.lines[1].includes("Red")`)
	b.picture("watch")

	first := eval[int](b, `torc.program.number("followed")`)
	eval[bool](b, `torc.input.tap("fire"), true`)
	b.until(`torc.program.number("followed") !== ` + number(float64(first)))
	second := eval[int](b, `torc.program.number("followed")`)
	eval[bool](b, `torc.input.tap("jet"), true`)
	b.until(`torc.program.number("followed") !== ` + number(float64(second)))

	b.press("Digit3", true)
	b.until(`torc.program.number("sight") === 2 && torc.program.get("pitch") === -90`)
	b.picture("above")
	b.press("KeyX", true)
	b.until(`torc.program.number("sight") === 0`)
	height := eval[float64](b, `torc.program.state[torc.program.word.eye + 2]`)
	b.press("Space", true)
	b.until(`torc.program.state[torc.program.word.eye + 2] > 10 + ` + number(height))
	b.press("Space", false)
	assert.Empty(t, b.complaints())
}
