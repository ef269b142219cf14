//go:build !js

package main

import (
	"encoding/base64"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/spectate"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// recordGame records some ticks of a game of six bots, in virtual time.
func recordGame(t *testing.T, ticks int) (demo []byte) {
	t.Helper()
	now := time.Duration(0)
	s, err := node.NewServerOn(node.Config{Server: node.ServerConfig{Load: []string{"ctf"}}, Common: node.Common{Vars: []node.Var{{Name: "sv.bots", Value: "6"}}}}, node.Edge{
		Clock:   func() time.Duration { return now },
		Date:    func() time.Time { return time.Unix(1_000_000_000, 0).Add(now) },
		Entropy: rand.NewChaCha8([32]byte{}),
		Send:    func(netcore.Addr, []byte) {},
	})
	require.NoError(t, err)
	defer s.Close()
	step := func() {
		now += engine.TickTime
		require.NoError(t, s.Step())
	}
	step()
	header := s.Host().Demos.Header()
	demo = header.Bytes()
	require.NoError(t, s.Host().Demos.Record(spectate.Sink{
		Chunk: func(b []byte) error { demo = append(demo, b...); return nil }, Ended: func(error) {},
	}))
	for range ticks {
		step()
	}
	s.Host().Demos.Stop()
	return demo
}

// TestDemosPlayInTheBrowser drops a demo on the page: it plays, seeks, pauses and follows anyone,
// on a screen and on a phone, and nothing leaves the page.
func TestDemosPlayInTheBrowser(t *testing.T) {
	b := openBrowser(t, 1280, 720)
	s, url, _ := newGame(t, "0")
	demo := recordGame(t, 700)
	run(b, chromedp.Navigate(url+"/?demo"))
	b.until(`document.getElementById("status").textContent.startsWith("Demos")`)
	drop := func(bytes []byte) {
		eval[bool](b, `(() => {
			const data = new DataTransfer();
			data.items.add(new File([Uint8Array.from(atob("`+base64.StdEncoding.EncodeToString(bytes)+`"), (c) => c.charCodeAt(0))], "a.torc"));
			return dispatchEvent(new DragEvent("drop", { dataTransfer: data }));
		})()`)
	}
	drop([]byte("no demo"))
	b.until(`document.getElementById("status").textContent === "this file is no demo of torc"`)
	eval[bool](b, `(() => {
		globalThis.leaks = 0;
		const count = class { constructor() { leaks++; } };
		globalThis.WebSocket = globalThis.RTCPeerConnection = globalThis.XMLHttpRequest = count;
		const own = globalThis.fetch, files = new URL("/assets/", location.href).href; // the page's own modules, when they are needed
		globalThis.fetch = (url, ...rest) => String(url).startsWith(files) ? own(url, ...rest) : leaks++;
		navigator.sendBeacon = () => { leaks++; };
		return true;
	})()`)
	drop(demo)
	b.until(`globalThis.torc?.program.is("ready") && torc.program.is("watching") && torc.view.things.people.length > 2`)
	b.until(`torc.reel.state.at > 0.5 && Math.abs(torc.reel.state.length - 22) < 1`)
	b.until(`document.getElementById("watch").textContent.startsWith("following ")`)

	eval[bool](b, `(() => { const s = document.querySelector("#reel select"); s.value = 10; s.dispatchEvent(new Event("change")); return true; })()`)
	b.until(`torc.reel.state.speed === 10`) // so that a slow machine does not reach the end
	eval[bool](b, `(() => { const s = document.querySelector("#reel input"); s.value = 20; s.dispatchEvent(new Event("input")); return true; })()`)
	b.until(`torc.reel.state.at >= 19.9`)
	b.until(`torc.hud.lines[1].includes("Red")`)
	b.picture("demo")
	eval[bool](b, `document.querySelector("#reel [data-do=pause]").click(), true`)
	b.until(`torc.reel.state.paused`)
	eval[bool](b, `(() => { const s = document.querySelector("#reel input"); s.value = 3; s.dispatchEvent(new Event("input")); return true; })()`)
	b.until(`Math.abs(torc.reel.state.at - 3) < 0.1 && torc.view.things.people.length > 2`)
	first := eval[int](b, `torc.program.number("followed")`)
	eval[bool](b, `document.querySelector("#reel [data-do=next]").click(), true`)
	b.until(`torc.program.number("followed") !== ` + number(float64(first)))
	b.press("Digit1", true)
	b.until(`torc.program.number("sight") === 0`)

	run(b, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.until(`innerWidth === 390`)
	assert.LessOrEqual(t, eval[float64](b, `document.getElementById("reel").getBoundingClientRect().right`), 390.0, "the controls fit on a phone")
	b.picture("demo-phone")
	assert.Zero(t, eval[int](b, `leaks`), "nothing is sent")
	require.NoError(t, s.Do(func() { assert.Empty(t, s.Host().Server()); assert.Zero(t, s.Host().Summary().Players) }))
	assert.Empty(t, b.complaints())
}
