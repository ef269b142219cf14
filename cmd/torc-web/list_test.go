//go:build !js

package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/listserver"
)

// listPage serves the page of a public list, with these servers in it, and returns its URL.
func listPage(t *testing.T, servers []map[string]any) string {
	t.Helper()
	s, err := listserver.New(listserver.Config{Listen: "127.0.0.1:0", List: true, Pages: &listserver.Pages{Listen: "127.0.0.1:0"}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { s.Run(ctx); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended; assert.NoError(t, s.Close()) })
	page, err := url.Parse(s.URL())
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/", httputil.NewSingleHostReverseProxy(page))
	mux.HandleFunc("/servers.json", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(servers) })
	front := httptest.NewServer(mux)
	t.Cleanup(front.Close)
	return front.URL
}

// TestPageOfAList: the page of a public list filters, copies the command that joins, links only to
// pages over HTTP and keeps favourites. The text of a server has its own direction. It fits on a
// phone, and axe-core finds nothing serious.
func TestPageOfAList(t *testing.T) {
	b := openBrowser(t, 2560, 1600)
	keyOf := func(c string) string { return strings.Repeat(c, 52) }
	evil, arabic := `<img src=x onerror="globalThis.hit = 1"><b>bold</b>`, "خادم (1) abc"
	list := listPage(t, []map[string]any{
		{"key": keyOf("a"), "address": "192.0.2.1:28000", "via": ":28000", "name": evil, "mission": evil, "mods": []string{evil, arabic}, "players": 3, "max": 8, "protocol": 10, "web": "https://play.example.org/s/one"},
		{"key": keyOf("b"), "address": "192.0.2.2:28000", "via": ":28000", "name": arabic, "mission": arabic, "players": 0, "max": 8, "password": true, "protocol": 10, "web": "javascript:globalThis.hit=1"},
		{"key": keyOf("c"), "address": "192.0.2.2:28001", "via": "other.example.org:5", "name": strings.Repeat("W", 64), "players": 0, "bots": 2, "max": 8, "protocol": 10, "old": true},
		{"key": "bad"},
	})
	run(b, chromedp.Navigate(list))
	shown := `Array.from(document.querySelectorAll("#servers tr"), (r) => r.dataset.key[0]).join("")`
	b.until(shown + ` === "abc"`)
	b.picture("list")
	assert.Equal(t, "3 of 3 servers", eval[string](b, `document.getElementById("state").textContent`))

	assert.Equal(t, []string{evil, evil, evil, arabic, arabic, arabic}, eval[[]string](b, `Array.from(document.querySelectorAll("#servers bdi"), (e) => e.textContent).slice(0, 6)`))
	assert.Zero(t, eval[int](b, `document.querySelectorAll("#servers img, #servers b").length`))
	assert.False(t, eval[bool](b, `"hit" in globalThis`))
	assert.Equal(t, "rtl isolate", eval[string](b, `(() => { const e = document.querySelectorAll("#servers .name bdi")[1]; return (e.matches(":dir(rtl)") ? "rtl " : "ltr ") + getComputedStyle(e).unicodeBidi; })()`))
	assert.Equal(t, []string{"https://play.example.org/s/one/#" + keyOf("a")}, eval[[]string](b, `Array.from(document.querySelectorAll("#servers a"), (a) => a.href)`))

	for filter, want := range map[string]string{
		`words.value = "BOLD  two"`: "", `words.value = "BOLD"`: "a", `words.value = "` + keyOf("c") + `"`: "c", `players.checked = true`: "a",
		`open.checked = true`: "ac", `browser.checked = true`: "a",
	} {
		field, _, _ := strings.Cut(filter, ".")
		got := eval[string](b, `(() => { const filter = document.getElementById("filter"), { words, players, open, browser } = filter.elements; filter.reset(); `+
			filter+`; `+field+`.dispatchEvent(new Event("input", { bubbles: true })); return `+shown+`; })()`)
		assert.Equal(t, want, got, filter)
	}
	eval[bool](b, `document.getElementById("filter").reset(), document.getElementById("words").dispatchEvent(new Event("input", { bubbles: true }))`)

	assert.True(t, eval[bool](b, `(() => { const write = navigator.clipboard.writeText.bind(navigator.clipboard); navigator.clipboard.writeText = (text) => { globalThis.copied = text; return write(text); }; return true; })()`))
	b.clicks("#servers tr:nth-child(2) td:last-child button")
	b.until(`document.querySelector("#servers tr:nth-child(2) td:last-child button").textContent === "Copied"`)
	assert.Equal(t, "torc join 'via:127.0.0.1:28000,192.0.2.2:28000#"+keyOf("b")+"'", eval[string](b, `globalThis.copied`))

	assert.Equal(t, keyOf("b")+" Copied", eval[string](b, `(() => { const old = document.activeElement; document.getElementById("words").dispatchEvent(new Event("input", { bubbles: true }));
		const now = document.activeElement; return old === now ? "the same" : now.closest("tr")?.dataset.key + " " + old.textContent; })()`), "a new table keeps the focus")

	b.clicks("#servers tr:nth-child(3) .mark button")
	b.until(shown + ` === "cba"`) // with the server at the same address
	run(b, chromedp.Reload())
	b.until(shown + ` === "cba"`)
	assert.Equal(t, "true", eval[string](b, `document.querySelector("#servers .mark button").ariaPressed`))

	axe := func() {
		t.Helper()
		wrong, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](serious, chromedp.EvalAwaitPromise))
		require.NoError(t, err)
		assert.Empty(t, wrong)
	}
	phone := func() {
		run(b, chromedp.EmulateViewport(360, 640, chromedp.EmulateMobile, chromedp.EmulateTouch))
		assert.LessOrEqual(t, eval[float64](b, `document.documentElement.scrollWidth`), 360.0, "nothing is wider than the screen")
		assert.Empty(t, eval[[]string](b, `Array.from(document.querySelectorAll("button, a")).filter((e) => e.getBoundingClientRect().height < 44).map((e) => e.textContent)`))
		b.picture("list-phone")
	}
	phone()
	assert.Empty(t, b.complaints())
	code := axeCore(t)
	run(b, chromedp.Evaluate[chromedp.Void](strings.TrimSuffix(code, "\n")))
	axe()
	run(b, chromedp.EmulateViewport(1280, 800))
	axe()
}
