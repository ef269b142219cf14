//go:build !js

package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// soon shortens the second after which a line opens again.
const soon = `{ const set = setTimeout; globalThis.setTimeout = (f, ms, ...more) => set(f, ms === 1000 ? 10 : ms, ...more); }`

// frames waits until the browser has shown n pictures, also those of a page that draws nothing.
func (b *browser) frames(n int) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](fmt.Sprintf(
		`(async () => { for (let i = 0; i < %d; i++) await new Promise(requestAnimationFrame); return true; })()`, n), chromedp.EvalAwaitPromise))
	require.NoError(b.t, err)
}

// again presses the button of a page that has ended, and waits for the new page.
func (b *browser) again() {
	b.t.Helper()
	eval[bool](b, `globalThis.old = true, document.querySelector("#start button").click(), true`)
	for limit := testenv.Limit(b.t); ; testenv.Pause() {
		// Between two pages there is none to ask.
		if fresh, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`globalThis.old === undefined`)); err == nil && fresh {
			return
		}
		require.False(b.t, testenv.Expired(limit), "the button loads the page")
	}
}

// TestAnEndedPageIsSilent: after a kick, after another connection with the same key and after the
// end of the server, nothing arrives from the page any more, over both kinds of lines. Its button
// joins anew.
func TestAnEndedPageIsSilent(t *testing.T) {
	b := openBrowser(t, 640, 480)
	c, at, serve := newCutter(t, 0)
	n, link, key := newGame(t, "0")
	s := server{n, t}
	serve(link)
	b.beforePages(soon)
	silent := func() {
		t.Helper()
		b.until(`torc.ended !== undefined`)
		for limit := testenv.Limit(t); eval[string](b, `torc.hud.line.kind`) != ""; b.frames(1) {
			require.False(t, testenv.Expired(limit), "the line is closed")
		}
		eval[bool](b, `torc.hud.line.channel.close(), true`) // as when the server closes what has no game
		before := -1
		for limit := testenv.Limit(t); before != c.count(); b.frames(30) { // what the page had asked for before its end
			require.False(t, testenv.Expired(limit), "requests after the end")
			before = c.count()
		}
		b.frames(30)
		assert.Equal(t, before, c.count(), "requests after the end")
		assert.Equal(t, "Join again", eval[string](b, `document.querySelector("#start button").textContent`))
	}
	for _, kind := range []string{"rtc", "ws"} {
		b.join(at+"/?line="+kind, key, "Ann")
		b.until(`torc.hud.line.kind === "` + kind + `"`)
		s.exec(`kick Ann`)
		silent()
		b.again()
		b.until(`globalThis.torc?.program.is("body")`)
		require.NoError(t, n.Do(func() {
			for _, c := range n.Host().Connections() {
				c.Net().Close(netcore.Reason{Code: netcore.Replaced, Text: "replaced by another connection with your key"})
			}
		}))
		silent()
		b.again()
		b.until(`globalThis.torc?.program.is("body")`)
	}
	require.NoError(t, n.Do(func() { n.Quit("the evening is over") }))
	silent()
}
